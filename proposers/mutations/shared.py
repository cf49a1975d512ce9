# SPDX-License-Identifier: MIT
"""Shared memory: padded or swizzled rows, fewer barriers, shuffles for the last warp."""

import re

from mutations.change import Change

DECLARATION = re.compile(r"__shared__[^;]*?\b(\w+)\s*\[[^\]]+\]\s*\[([^\]]+)\]")


def pad(source, request):
    """A row of a two-dimensional array in shared memory made longer, so that its columns spread over the banks."""
    for found in DECLARATION.finditer(source.plain):
        extent = source.text[slice(*found.span(2))].strip()
        added = re.fullmatch(r"(.*\S)\s*\+\s*(\d+)", extent)
        base, now = (added.group(1), int(added.group(2))) if added else (extent, 0)
        for more in (1, 4, 8, 0):
            if more == now:
                continue
            wanted = f"{base} + {more}" if more else base
            yield Change("padding", f"rows of {wanted} elements in shared memory at {source.place(found.start(2))}", source,
                         [(*found.span(2), wanted)], "shared_conflicts", "down")


def swizzle(source, request):
    """Columns of a two-dimensional array exchanged by exclusive or with the row: no padding, and no conflicts."""
    for found in DECLARATION.finditer(source.plain):
        name, extent = found.group(1), found.group(2).strip()
        if not extent.isdigit() or int(extent) < 32 or int(extent) & (int(extent) - 1):
            continue
        uses = [each for each in re.finditer(rf"\b{name}\b", source.code) if each.start() != found.start(1)]
        places = []
        for use in uses:
            whole = re.compile(rf"{name}\s*\[([^\[\]]+)\]\s*\[([^\[\]]+)\]").match(source.plain, use.start())
            if not whole:
                places = []
                break
            row, column = (source.text[slice(*whole.span(group))] for group in (1, 2))
            places.append((*whole.span(2), f"({column}) ^ (({row}) % 32)"))
        if places:
            place = source.place(found.start())
            yield Change("padding", f"columns of {name} exchanged by exclusive or with the row: {place}", source, places,
                         "shared_conflicts", "down", at=found.start())


def drop_barriers(source, request):
    """One __syncthreads() less: a race, if it protects something, is found by racecheck. Or for a warp alone."""
    for found in re.finditer(r"^[ \t]*__syncthreads\(\);[ \t]*$\n?", source.plain, re.M):
        line = source.line_start(found.start())
        at = found.start() + found.group(0).index("__syncthreads")
        yield Change("barrier", f"no barrier at {source.place(at)}", source, [(at, at + len("__syncthreads();"), ";")]
                     if "//" in source.text[line:found.end()] or _is_body(source, at) else [(line, found.end(), "")],
                     "barriers", "down", at=at)
    for found in re.finditer(r"\b__syncthreads\(\)", source.plain):
        yield Change("barrier", f"a barrier of the warp alone at {source.place(found.start())}", source,
                     [(*found.span(), "__syncwarp()")], "barriers", "down")


def _is_body(source, at):
    """Whether it is all that an if, else or loop without braces has: then something must stay."""
    return source.plain[:at].rstrip()[-1:] not in (";", "{", "}")


TREE = re.compile(r"\{?\s*if\s*\(\s*([\w.]+)\s*<\s*(\w+)\s*\)\s*\{?\s*(\w+)\[\1\]\s*\+=\s*\3\[\1\s*\+\s*\2\]\s*;\s*\}?"
                  r"\s*__syncthreads\(\)\s*;\s*\}")


def shuffles(source, request):
    """The last warp of a tree of sums in shared memory by shuffles: neither barriers nor shared memory."""
    for loop in source.loops():
        found = TREE.fullmatch(loop.body_text.strip())
        halves = loop.variable and re.fullmatch(rf"{loop.variable}\s*(?:>>=\s*1|/=\s*2)", loop.step)
        ends = loop.variable and re.fullmatch(rf"{loop.variable}\s*(?:>\s*0|>=\s*1)", loop.condition)
        if not found or not halves or not ends or found.group(2) != loop.variable or not loop.first_on_line:
            continue
        thread, array, indent = found.group(1), found.group(3), loop.indent
        head = loop.text(loop.head)
        start = loop.head[0] + head.index(";") + 1
        end = loop.head[0] + head.rindex(";")
        after = (f"\n{indent}if ({thread} < 32) {{\n{indent}  auto last = {array}[{thread}];\n"
                 f"{indent}  for (int distance = 16; distance > 0; distance /= 2)\n"
                 f"{indent}    last += __shfl_down_sync(0xffffffffu, last, distance);\n"
                 f"{indent}  if ({thread} == 0) {array}[0] = last;\n{indent}}}\n{indent}__syncthreads();")
        yield Change("shuffle", f"shuffles for the last warp of the tree at {source.place(loop.start)}", source,
                     [(start, end, f" {loop.variable} >= 32"), (loop.end, loop.end, after)], "barriers", "down",
                     at=loop.start)


ALL = [shuffles, drop_barriers, pad, swizzle]
