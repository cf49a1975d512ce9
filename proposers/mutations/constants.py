# SPDX-License-Identifier: MIT
"""Constants whose values are a matter of speed."""

import re

from mutations.change import Change

# By their names: what to try instead of a value.
DOUBLED = re.compile(r"(VEC|WIDTH|UNROLL|ITEMS|PER_?THREAD|CHUNK|BATCH|HELD|GROUP|TILE|WIDEST|WAVES)", re.I)
STEPPED = re.compile(r"(STAGE|PAD|SWIZZLE|ORDER|PREFETCH|DEPTH|AHEAD)", re.I)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\d+)[ \t]*$", re.M)
CONSTANT = re.compile(r"\bconstexpr\s+(?:int|unsigned|size_t|u?int32_t)\s+(\w+)\s*=\s*(\d+)\s*;")
SWITCH = re.compile(r"\bconstexpr\s+bool\s+(\w+)\s*=\s*(true|false)\s*;")


def _is_tuned(name, request):
    return re.search(rf"^\s*{re.escape(name)}\s*=", request["specification"], re.M) is not None


def numbers(source, request):
    """Vector width, stages, swizzle, loop order, groups; not those that the tuner sets."""
    if source.name.startswith("../"):
        return  # what several kernels share are mostly numbers of the hardware
    found = [*DEFINE.finditer(source.code), *CONSTANT.finditer(source.plain)]
    for each in sorted(found, key=lambda each: each.start()):
        name, value = each.group(1), int(each.group(2))
        if _is_tuned(name, request):
            continue
        if DOUBLED.search(name):
            values = [value * 2, value // 2, value * 4]
        elif STEPPED.search(name):
            values = [value + 1, value - 1, value + 2]
        else:
            continue
        for other in values:
            if other < 0 or other == value or other > 1024 or (other == 0 and DOUBLED.search(name)):
                continue
            yield Change("constant", f"{name} = {other} instead of {value} at {source.place(each.start(1))}", source,
                         [(*each.span(2), str(other))])


def switches(source, request):
    """A choice between two ways that the source has already."""
    for each in SWITCH.finditer(source.plain):
        if not _is_tuned(each.group(1), request):
            other = "false" if each.group(2) == "true" else "true"
            yield Change("constant", f"{each.group(1)} = {other} at {source.place(each.start(1))}", source,
                         [(*each.span(2), other)])


ALL = [numbers, switches]
