# SPDX-License-Identifier: MIT
"""One proposal: what is changed, why, and which counter should show it."""


class Change:
    """`edits` are (start, end, new text) of the file `name`, in offsets of the parent's text; `others` the same of
    further files. Edits instead of whole texts, so that two changes can be combined."""

    def __init__(self, kind, text, source, edits, counter="", direction="", tunables=None, at=None):
        self.kind = kind
        self.text = text[:300]
        self.edits = {source.name: list(edits)}
        self.counter = counter
        self.direction = direction
        self.tunables = tunables or []
        self.place = (source.name, source.line_of(at if at is not None else edits[0][0]))


def applied(text, edits):
    """The text with all edits, or None where two of them touch the same characters."""
    parts, at = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if start < at:
            return None
        parts += [text[at:start], new]
        at = end
    return "".join(parts + [text[at:]])
