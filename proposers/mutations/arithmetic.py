# SPDX-License-Identifier: MIT
"""Arithmetic in cheaper forms. Each rounds differently: the specification's tolerance decides."""

import re

from mutations.change import Change

# A name, with what stands behind it: x, x[i], p.x, f(x), f<T>(x)[i].
OPERAND = r"[A-Za-z_][\w.]*(?:\[[^\[\]]*\]|\((?:[^()]|\([^()]*\))*\))*"
CHEAPER = {"expf": "__expf", "logf": "__logf", "log2f": "__log2f", "sinf": "__sinf", "cosf": "__cosf", "powf": "__powf",
           "tanf": "__tanf", "exp": "__expf", "log": "__logf", "sqrt": "sqrtf"}
DIFFERENCE = re.compile(r"\(\s*([A-Za-z_]\w*)\s*-\s*([A-Za-z_]\w*)\s*\)\s*\*\s*"
                        r"([A-Za-z_]\w*)\b(?!\s*[\[(.:<])")
LOG2_E = "1.4426950408889634f"


def _is_float(source, name):
    """Whether every declaration of the name in the file says float."""
    declared = re.findall(rf"([\w:]+)(?:\s*[&*]|\s*\(&|\s)\s*(?:__restrict__\s+)?{re.escape(name)}\s*(?=[=,;)\[({{])",
                          source.plain)
    types = [each for each in declared if each not in ("return", "const", "else", "case")]
    return bool(types) and all(each == "float" for each in types)


def _root(operand):
    return re.match(r"\w+", operand).group(0)


def reciprocals(source, request):
    """x / d in a loop that does not change d: one reciprocal in front of it, and products."""
    for loop in source.loops():
        if not loop.first_on_line or loop.pragma:
            continue
        written = loop.written()
        for name in sorted(set(re.findall(r"(?<![/*])/(?![/*=])\s*([A-Za-z_]\w*)\b(?!\s*[\[(.:])", loop.body_text))):
            if name in written or not _is_float(source, name) or f"reciprocal_of_{name}" in source.text:
                continue
            places = [(loop.body + found.start(), loop.body + found.end(), f"* reciprocal_of_{name}")
                      for found in re.finditer(rf"(?<![/*])/(?![/*=])\s*{name}\b(?!\s*[\[(.:])", loop.body_text)]
            front = f"{{ const float reciprocal_of_{name} = 1.0f / {name};\n{loop.indent}"
            yield Change("arithmetic", f"products with 1 / {name} in the loop at {source.place(loop.start)}", source,
                         [(loop.start, loop.start, front)] + places + [(loop.end, loop.end, " }")], "issue", "down",
                         at=loop.start)


def quick_divisions(source, request):
    """__fdividef(x, y) for a quotient of two floats."""
    for found in re.finditer(rf"(?<![\w.\])])({OPERAND})\s*/(?![/*=])\s*({OPERAND})", source.plain):
        before = source.plain[:found.start()].rstrip()[-1:]
        left, right = found.group(1), found.group(2)
        if before in ("*", "/", "%", ".", ">") or not (_is_float(source, _root(left)) and _is_float(source, _root(right))):
            continue
        yield Change("arithmetic", f"__fdividef at {source.place(found.start())}: {left} / {right}", source,
                     [(found.start(), found.end(), f"__fdividef({left}, {right})")], "issue", "down")


def quick_functions(source, request):
    """The functions of the special function unit for those that are exact; e^x as 2^(x log2 e); one over a root."""
    for name, cheaper in CHEAPER.items():
        places = [found.span() for found in re.finditer(rf"(?<![\w.>:]){name}(?=\s*\()", source.plain)]
        if places:
            yield Change("arithmetic", f"{cheaper} for {name} in {source.name}", source,
                         [(*span, cheaper) for span in places], "issue", "down")
    for name in ("expf", "__expf"):
        places = []
        for found in re.finditer(rf"(?<![\w.>:]){name}\s*\(", source.plain):
            close = source.partner.get(found.end() - 1)
            if close is not None:
                places += [(found.start(), found.end(), "exp2f(("), (close, close + 1, f") * {LOG2_E})")]
        if places:
            yield Change("arithmetic", f"exp2f for {name} in {source.name}", source, places, "issue", "down")
    for found in re.finditer(r"(?<![\w.])1(?:\.0?f?)?\s*/\s*sqrtf?\s*\(", source.plain):
        close = source.partner.get(found.end() - 1)
        if close is not None:
            yield Change("arithmetic", f"rsqrtf at {source.place(found.start())}", source,
                         [(found.start(), found.end(), "rsqrtf(")], "issue", "down")


def multiply_add(source, request):
    """(a - b) * c as fmaf(a, c, -b * c): one instruction, where b * c does not change."""
    for found in DIFFERENCE.finditer(source.plain):
        a, b, c = found.groups()
        before = source.plain[:found.start()].rstrip()[-1:]
        if before.isalnum() or before in ("_", "*", "/", "%", ">") or not (_is_float(source, a) and _is_float(source, b)):
            continue
        yield Change("arithmetic", f"({a} - {b}) * {c} as one fmaf at {source.place(found.start())}", source,
                     [(found.start(), found.end(), f"fmaf({a}, {c}, -{b} * {c})")], "issue", "down")


ALL = [multiply_add, reciprocals, quick_divisions, quick_functions]
