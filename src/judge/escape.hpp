// SPDX-License-Identifier: MIT
// Text that others chose (names of kernels and cases, messages) made harmless inside XML and Markdown.
#pragma once

#include <string>
#include <string_view>

namespace assay::judge {

// Valid UTF-8 in, the same out; a byte that is no part of a character becomes U+FFFD.
std::string valid_utf8(std::string_view text);

// For attributes and text of XML 1.0: the five special characters as entities, newline and tab as character
// references; characters that XML forbids become U+FFFD.
std::string escape_xml(std::string_view text);

// One line of code in Markdown, also inside a table: a code element in which every character with a meaning is a
// character reference, so that it can neither end the element nor mention, link or format anything. Newlines become
// spaces.
std::string escape_markdown(std::string_view text);

}  // namespace assay::judge
