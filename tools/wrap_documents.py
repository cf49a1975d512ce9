#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wraps paragraphs and items of Markdown pages that have a line of more than 120 columns. Tables (those of an item too),
fenced blocks and headings stay as they are.

usage: wrap_documents.py PAGE...
"""

import re
import sys
import textwrap

COLUMNS = 120
ITEM = re.compile(r"\s*(?:[-*]|\d+\.|:)\s+")


def wrap_block(lines):
    if all(len(line) <= COLUMNS for line in lines):
        return lines
    lead = (ITEM.match(lines[0]) or re.match(r"\s*", lines[0]))[0]
    text = " ".join([lines[0][len(lead):]] + [line.strip() for line in lines[1:]])
    return textwrap.wrap(text, COLUMNS, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False,
                         break_on_hyphens=False)


def wrap(text):
    out, block, fenced = [], [], False

    def finish():
        out.extend(wrap_block(block) if block else [])
        block.clear()

    for line in text.split("\n"):
        fence = re.match(r"\s*```", line)
        row = line.lstrip().startswith("|")  # of a table, which an item may have under its text
        as_it_is = fenced or fence or not line.strip() or row or line[0] in "#<" or (line.startswith("    ") and not block)
        if as_it_is:
            finish()
            out.append(line)
            fenced ^= bool(fence)
            continue
        if ITEM.match(line):
            finish()
        block.append(line)
    finish()
    return "\n".join(out)


def main(names):
    if not names:
        print("usage: wrap_documents.py PAGE...", file=sys.stderr)
        return 2
    for name in names:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        wrapped = wrap(text)
        if wrapped != text:
            with open(name, "w", encoding="utf-8") as file:
                file.write(wrapped)
            print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
