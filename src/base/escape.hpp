// SPDX-License-Identifier: MIT
// Text that others chose (names, paths, what compilers and kernels say) made harmless, one function for each medium it
// goes to. Nothing of it can then end the cell, the line or the element that it stands in, or act on the reader's
// terminal. All take any bytes; all give valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Valid UTF-8 in, the same out; a byte that is no part of a character becomes U+FFFD.
std::string valid_utf8(std::string_view text);

// One line on a terminal or in a log: "\n", "\t" and "\u001b" for what is not to be seen there (control characters,
// line separators, marks that turn the direction of text).
std::string escape_terminal(std::string_view text);
// The same for text of several lines: its newlines and tabs stay.
std::string escape_lines(std::string_view text);

// One line of code in Markdown, also inside a table: a code element in which every character with a meaning is a
// character reference, so that it can neither end the element nor mention, link or format anything. Newlines become
// spaces.
std::string escape_markdown(std::string_view text);

// One field of CSV (RFC 4180), on one line; quoted where it must be. What a spreadsheet would take for a formula is
// text.
std::string escape_csv(std::string_view text);

// For attributes and text of XML 1.0: the five special characters as entities, newline and tab as character
// references; characters that XML forbids become U+FFFD.
std::string escape_xml(std::string_view text);

// For text and quoted attributes of HTML: the five special characters as references; newlines and tabs stay, and what
// is not to be seen (control characters, marks that turn the direction of text) is shown as on a terminal.
std::string escape_html(std::string_view text);

// The path of a URI (RFC 3986): '/' stays, everything but the unreserved characters is percent-encoded, byte by byte.
// A relative path whose first part has a colon, which would read as a scheme, has it encoded too.
std::string escape_uri_path(std::string_view path);

// --- for those who filter text piece by piece
// The length in bytes of the character that starts the text; 0 if it is no valid one (overlong forms, surrogates and
// what is beyond U+10FFFF are not).
size_t character_length(std::string_view text);
// What stands for the character on a terminal, or "" if it may stand there as it is.
std::string terminal_escape_of(std::string_view character);

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

}  // namespace assay
