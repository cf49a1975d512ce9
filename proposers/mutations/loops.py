# SPDX-License-Identifier: MIT
"""Loops: unrolled, interchanged, split, fused, two rounds at once, several sums, invariants in front of them."""

import re

from mutations.change import Change

DECLARATION = re.compile(r"(?:(?:const|constexpr|static|unsigned|auto|int|float|double|bool|char|size_t|half|"
                         r"__half\w*|u?int\d+\w*|"
                         r"float\d|uint\d|int\d)\b|\w+(?:<[^;=]*>)?\s*[&*]?\s+\w+\s*[;=({\[])")


def _pragma(loop, pragma):
    """The edits that give a loop this pragma, in place of the one that it has."""
    line = loop.source.line_start(loop.start)
    return [(*loop.pragma, loop.indent + pragma)] if loop.pragma else [(line, line, f"{loop.indent}{pragma}\n")]


def _head(loop):
    return loop.text(loop.head).split("\n")[0].strip()[:80]


def unroll(source, request):
    """Every loop with another factor; the factors are one tunable, so that all are tried in one proposal. The pragma
    takes no macro, but a constant."""
    everything = request["specification"] + "".join(request["parent"]["files"].values())
    taken = set(re.findall(r"\bUNROLL_LOOP_\d+\b", everything))
    free = (n for n in range(1, 10000) if f"UNROLL_LOOP_{n}" not in taken)
    for loop in source.loops():
        if not loop.first_on_line:
            continue
        number = next(free)
        constant = (0, 0, f"constexpr int kUnrollLoop{number} = UNROLL_LOOP_{number};\n")
        yield Change("unroll", f"unroll the loop at {source.place(loop.start)}, the factor by tuning: {_head(loop)}", source,
                     [constant] + _pragma(loop, f"#pragma unroll kUnrollLoop{number}"), "issue", "down",
                     [{"name": f"UNROLL_LOOP_{number}", "values": [4, 1, 2, 8]}], at=loop.start)


def unroll_in_full(source, request):
    """What no factor says: all rounds, where their number is known."""
    for loop in source.loops():
        if loop.first_on_line and not (loop.pragma and re.search(r"\bunroll\s*$", loop.text(loop.pragma))):
            yield Change("unroll", f"unroll the loop at {source.place(loop.start)} in full: {_head(loop)}", source,
                         _pragma(loop, "#pragma unroll"), "issue", "down", at=loop.start)


def do_not_unroll(source, request):
    """One round at a time: fewer registers, and less code."""
    for loop in source.loops():
        if loop.first_on_line and not (loop.pragma and re.search(r"\bunroll\s*\(?\s*1\s*\)?\s*$", loop.text(loop.pragma))):
            yield Change("unroll", f"do not unroll the loop at {source.place(loop.start)}: {_head(loop)}", source,
                         _pragma(loop, "#pragma unroll 1"), "blocks_per_sm", "up", at=loop.start)


def _inner(loop, loops):
    """The loop that is all of this one's body, in braces or not."""
    source = loop.source
    start, end = loop.body, loop.end
    if source.plain[start] == "{":
        start, end = source.skip(start + 1), end - 1
    for other in loops:
        if other.start == start and other.end <= end and not source.plain[other.end:end].strip():
            return other
    return None


def interchange(source, request):
    """Two loops of which one is all of the other's body change places."""
    loops = source.loops()
    for outer in loops:
        inner = _inner(outer, loops)
        if inner is None or not outer.variable or not inner.variable or not inner.is_plain:
            continue
        if re.search(rf"\b{outer.variable}\b", source.plain[inner.head[0]:inner.head[1]]):
            continue
        heads = [(loop.begin, loop.head[1]) for loop in (outer, inner)]
        texts = [loop.text(span) for loop, span in zip((outer, inner), heads)]
        yield Change("loop", f"change the order of the loops over {outer.variable} and {inner.variable} at "
                     f"{source.place(outer.start)}", source, [(*heads[0], texts[1]), (*heads[1], texts[0])], at=outer.start)


def fuse(source, request):
    """Two loops with the same head, one behind the other, become one."""
    loops = source.loops()
    for first in loops:
        for second in loops:
            between = second.start > first.end and not source.plain[first.end:second.start].strip()
            if not between or not (first.is_plain and second.is_plain):
                continue
            if source.plain[slice(*first.head)].split() != source.plain[slice(*second.head)].split():
                continue
            together = f"{{ {first.text((first.body, first.end))} {second.text((second.body, second.end))} }}"
            if "//" in together:
                continue  # a comment would hide what follows
            yield Change("loop", f"the loops at {source.place(first.start)} and {source.line_of(second.start)} as one",
                         source, [(first.body, second.end, together)], "control", "down", at=first.start)


def split(source, request):
    """A loop over two statements or more becomes two, for fewer registers at once."""
    for loop in source.loops():
        if source.plain[loop.body] != "{" or not loop.is_plain or not loop.first_on_line:
            continue
        spans = source.statements(loop.body + 1, loop.end - 1)
        if not spans or len(spans) < 2 or any(DECLARATION.match(source.plain, start) for start, _ in spans):
            continue
        at = spans[len(spans) // 2][0]
        head = loop.text((loop.begin, loop.head[1]))
        yield Change("loop", f"two loops instead of one at {source.place(loop.start)}", source,
                     [(at, at, f"}}\n{head} {{\n")], at=loop.start)


def two_rounds(source, request):
    """Two rounds of a loop that strides at once: twice the loads in flight, and the rest in a loop of its own."""
    for loop in source.loops():
        stride, bound = loop.stride
        if stride in (None, "1") or not loop.is_plain or not loop.first_on_line or loop.pragma:
            continue
        name = loop.variable
        body = loop.text((loop.body, loop.end))
        changes = (rf"\b{name}\s*(?:[-+*/%]?=(?!=)|\+\+|--)|(?:\+\+|--|&)\s*{name}\b|"
                   rf"\b(?:int|auto|long)\s+{name}\b")
        if "#" in body or "//" in body or re.search(changes, loop.body_text):
            continue
        if set(re.findall(r"\b[A-Za-z_]\w*", stride + " " + bound)) & (loop.written() - {name}):
            continue
        second = re.sub(rf"(?<![\w.>]){name}\b", f"({name} + ({stride}))", body)
        kind = loop.kind
        new = (f"{kind}{name}_of_two = {loop.first_value};\n"
               f"{loop.indent}for (; {name}_of_two + ({stride}) < {bound}; {name}_of_two += 2 * ({stride})) {{\n"
               f"{loop.indent}  {kind}{name} = {name}_of_two;\n{loop.indent}  {{ {body} }}\n{loop.indent}  {{ {second} }}\n"
               f"{loop.indent}}}\n{loop.indent}for (; {name}_of_two < {bound}; {name}_of_two += {stride}) {{\n"
               f"{loop.indent}  {kind}{name} = {name}_of_two;\n{loop.indent}  {body}\n{loop.indent}}}")
        yield Change("loop", f"two rounds at once at {source.place(loop.start)}", source,
                     [(loop.start, loop.end, f"{{ {new} }}")], "chain_cycles", "down", at=loop.start)


SUM = re.compile(r"\{?\s*(\w+)\s*\+=\s*([^;]+);\s*\}?")
LARGEST = re.compile(r"\{?\s*(\w+)\s*=\s*(fmaxf|fminf|max|min)\(\s*\1\s*,\s*([^;]+)\)\s*;\s*\}?")


def several_sums(source, request):
    """A sum, or a largest value, in several parts: no round waits for the one before it."""
    for loop in source.loops():
        if loop.stride[0] != "1" or not loop.pragma or not loop.first_on_line:
            continue
        body = loop.text((loop.body, loop.end))
        added = SUM.fullmatch(body)
        largest = LARGEST.fullmatch(body)
        found = added or largest
        if not found or re.search(rf"\b{found.group(1)}\b", found.group(found.lastindex)):
            continue
        name, indent, index = found.group(1), loop.indent, loop.variable
        head = loop.text((loop.begin, loop.head[1]))
        for parts in (2, 4):
            part = f"{name}_part[{index} % {parts}]"
            numbers = [f"{name}_part[{i}]" for i in range(parts)]
            if added:
                inside = f"{part} += {found.group(2)};"
                joined = f"{name} += " + " + ".join(f"({' + '.join(numbers[i:i + 2])})" for i in range(0, parts, 2)) + ";"
                begin = "{}"
            else:
                call = found.group(2)
                inside = f"{part} = {call}({part}, {found.group(3)});"
                pairs = [f"{call}({numbers[i]}, {numbers[i + 1]})" for i in range(0, parts, 2)]
                joined = f"{name} = {pairs[0]};" if parts == 2 else f"{name} = {call}({pairs[0]}, {pairs[1]});"
                begin = "{" + ", ".join([name] * parts) + "}"
            new = (f"{{\n{indent}decltype({name}) {name}_part[{parts}] = {begin};\n{indent}{head} {inside}\n"
                   f"{indent}{joined}\n{indent}}}")
            yield Change("loop", f"{name} in {parts} parts at {source.place(loop.start)}", source,
                         [(loop.begin, loop.end, new)], "chain_cycles", "down", at=loop.start)


def hoist(source, request):
    """A load whose place no round changes, once in front of the loop."""
    for loop in source.loops():
        if not loop.first_on_line or loop.pragma or not loop.is_plain:
            continue
        written = loop.written()
        seen = set()
        for found in re.finditer(r"(?<![\w.>])([A-Za-z_]\w*)\[([^\[\]();=]+)\](?!\s*(?:[-+*/%&|^]?=(?!=)|\[|\.|\+\+|--))",
                                 loop.body_text):
            names = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", found.group(0)))
            declared = names & set(re.findall(r"\b(?:int|float|auto|unsigned|double|size_t)\s*[*&]?\s+(\w+)",
                                              loop.body_text))
            if names & written or declared or found.group(0) in seen or "++" in found.group(0):
                continue
            seen.add(found.group(0))
            load, name = found.group(0), f"invariant_of_{found.group(1)}"
            if name in source.text:
                continue
            places = [(loop.body + each.start(), loop.body + each.end(), name)
                      for each in re.finditer(rf"(?<![\w.>]){re.escape(load)}(?!\s*(?:=(?!=)|\[))", loop.body_text)]
            yield Change("loop", f"{load} once in front of the loop at {source.place(loop.start)}", source,
                         [(loop.start, loop.start, f"{{ const auto {name} = {load};\n{loop.indent}")] + places
                         + [(loop.end, loop.end, " }")], "l1_wavefronts", "down", at=loop.start)


ALL = [unroll, unroll_in_full, do_not_unroll, several_sums, two_rounds, hoist, interchange, fuse, split]
