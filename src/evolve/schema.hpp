// SPDX-License-Identifier: MIT
// The documents that proposers read and write, as docs/schemas describes them: the files themselves are compiled in, so
// that what is published is what is checked. Of JSON Schema there is what those files use.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/embedded_file.hpp"
#include "base/result.hpp"

namespace assay::evolve {

std::span<const EmbeddedFile> schema_files();

// The first thing in `document` that `schema` does not admit: "/tunables/0/name: ..."; "" if there is none.
std::string violation(const nlohmann::json& schema, const nlohmann::json& document);

// One JSON document of foreign bytes; an error if it is none, or nests deeper than any of ours.
Result<nlohmann::json> read_document(const std::string& text);

// One of ours: "evolve_answer.v1.json", "evolve_request.v1.json".
const nlohmann::json& schema_named(std::string_view file);

// A request or an answer, as `assay evolve --validate` is given it. What it is: "request", "answer", "pass".
Result<std::string> validate_document(const std::string& text, const std::string& file);

}  // namespace assay::evolve
