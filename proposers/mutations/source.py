# SPDX-License-Identifier: MIT
"""A CUDA C++ file as the transformations see it: comments, strings and directives blanked, at the same offsets.

This is no parser. What is found must stand in plain sight: a transformation that meets anything it does not know (a
macro's body, an unbalanced bracket) leaves it alone, and what it gets wrong is for the gates to find.
"""

import re

TOKEN = re.compile(r'//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|R"(?P<tag>[^\s()\\"]{0,16})\(.*?(?:\)(?P=tag)"|\Z)|'
                   r'"(?:\\.|[^"\\\n])*"?|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])*\'?', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
FOR = re.compile(r"\bfor\s*\(")
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(?:no)?unroll\b[^\n]*$")
WRITTEN = re.compile(r"\b(\w+)(?:\s*\[[^\]]*\]|\.\w+)*\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|"
                     r"(?:\+\+|--)\s*(\w+)|(\w+)\s*(?:\+\+|--)")
EXIT = re.compile(r"\b(?:return|break|continue|goto|asm)\b")
BARRIER = re.compile(r"\b(?:__syncthreads\w*|__syncwarp|__shfl\w*|\w*barrier\w*|\w*sync\w*|wait\w*)\s*\(|\bwait\w*\s*<")
COUNTER = re.compile(r"(int|unsigned(?:\s+int)?|size_t|u?int(?:32|64)_t|long(?:\s+long)?|auto)\s+(\w+)\s*=\s*(.+)", re.S)
DEEPEST = 40  # statements within statements


def blank(text):
    return re.sub(r"[^\n]", " ", text)


class Source:
    def __init__(self, name, text):
        self.name, self.text = name, text
        self.strings = [found.span() for found in TOKEN.finditer(text) if found.group(0).startswith(('"', 'R"'))]
        code = TOKEN.sub(lambda found: blank(found.group(0)), text)
        # Without comments and strings, and without these and directives; a macro's lines are blanked in the latter.
        self.plain = DIRECTIVE.sub(lambda found: blank(found.group(0)), code)
        self.code = re.sub(r"\\(?=\n)", " ", code)
        self.partner = self._partners()

    def _partners(self):
        opened, partner = [], {}
        for found in re.finditer(r"[()\[\]{}]", self.plain):
            sign, at = found.group(0), found.start()
            if sign in "([{":
                opened.append((sign, at))
            elif opened and opened[-1][0] + sign in ("()", "[]", "{}"):
                partner[opened.pop()[1]] = at
            else:
                opened = []  # a bracket of a macro that is not seen: start anew
        return partner

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def line_start(self, offset):
        return self.text.rfind("\n", 0, offset) + 1

    def place(self, offset):
        return f"{self.name}:{self.line_of(offset)}"

    def skip(self, at):
        """The next character that is no blank."""
        found = re.compile(r"\S").search(self.plain, at)
        return found.start() if found else len(self.plain)

    def statement_end(self, at, depth=0):
        """Behind the statement that begins at `at`; None if it is not understood."""
        at = self.skip(at)
        if at >= len(self.plain) or depth > DEEPEST:
            return None
        if self.plain[at] == "{":
            return self.partner[at] + 1 if at in self.partner else None
        head = re.compile(r"(for|while|if|switch)\b(?:\s+constexpr)?\s*\(").match(self.plain, at)
        if head:
            close = self.partner.get(head.end() - 1)
            end = self.statement_end(close + 1, depth + 1) if close else None
            if end is None or head.group(1) != "if":
                return end
            otherwise = re.compile(r"\s*else\b").match(self.plain, end)
            return self.statement_end(otherwise.end(), depth + 1) if otherwise else end
        if re.compile(r"(?:do|else|case|default|[})\]])(?!\w)").match(self.plain, at):
            return None
        while at < len(self.plain) and self.plain[at] != ";":
            if self.plain[at] in ")]}":
                return None
            at = self.partner.get(at, len(self.plain)) + 1 if self.plain[at] in "([{" else at + 1
        return at + 1 if at < len(self.plain) else None

    def statements(self, start, end):
        """The spans of the statements between two offsets; None if one is not understood."""
        spans = []
        at = self.skip(start)
        while at < end:
            stop = self.statement_end(at)
            if stop is None or stop > end:
                return None
            spans.append((at, stop))
            at = self.skip(stop)
        return spans

    def loops(self):
        return [loop for found in FOR.finditer(self.plain) if (loop := Loop.at(self, found))]


class Loop:
    """for (init; condition; step) body, in offsets of the source."""

    @classmethod
    def at(cls, source, found):
        open_at = found.end() - 1
        close = source.partner.get(open_at)
        if close is None:
            return None
        cuts = [at for at in range(open_at, close) if source.plain[at] == ";"]
        body = source.skip(close + 1)
        end = source.statement_end(body)
        if len(cuts) != 2 or end is None:
            return None
        return cls(source, found.start(), (open_at + 1, cuts[0], cuts[1], close), body, end)

    def __init__(self, source, start, cuts, body, end):
        self.source, self.start, self.body, self.end = source, start, body, end
        first, second, third, last = cuts
        self.head = (start, last + 1)
        self.init = source.plain[first:second].strip()
        self.condition = source.plain[second + 1:third].strip()
        self.step = source.plain[third + 1:last].strip()
        self.body_text = source.plain[body:end]
        self.counter = COUNTER.fullmatch(self.init)
        line = source.line_start(start)
        self.first_on_line = not source.code[line:start].strip()
        self.indent = source.text[line:start] if self.first_on_line else ""
        above = source.line_start(line - 1) if line else 0
        self.pragma = (above, line - 1) if line and PRAGMA.match(source.code[above:line - 1]) else None

    def text(self, span):
        return self.source.text[span[0]:span[1]]

    @property
    def begin(self):
        """With its pragma."""
        return self.pragma[0] + len(re.match(r"\s*", self.text(self.pragma)).group(0)) if self.pragma else self.start

    @property
    def variable(self):
        """The name that counts, if one does."""
        return self.counter.group(2) if self.counter else None

    @property
    def kind(self):
        """The type of that name, with a blank behind it."""
        return self.counter.group(1) + " " if self.counter else None

    @property
    def first_value(self):
        return self.counter.group(3).strip() if self.counter else None

    @property
    def stride(self):
        """S of a loop that counts up by S to a bound, and the bound; (None, None) for others."""
        name = self.variable
        bound = re.fullmatch(rf"{name}\s*<\s*([^&|<>?,]+)", self.condition) if name else None
        if not bound:
            return None, None
        if self.step in (f"++{name}", f"{name}++"):
            return "1", bound.group(1).strip()
        found = re.fullmatch(rf"{name}\s*\+=\s*([^,]+)", self.step)
        return (found.group(1).strip(), bound.group(1).strip()) if found else (None, None)

    @property
    def is_plain(self):
        """Whether rounds may be moved: none ends early, none waits for other threads."""
        return not EXIT.search(self.body_text) and not BARRIER.search(self.body_text)

    def written(self):
        """Names that a round may change."""
        names = {name for found in WRITTEN.finditer(self.body_text + ";" + self.step) for name in found.groups() if name}
        return names | ({self.variable} if self.variable else set())
