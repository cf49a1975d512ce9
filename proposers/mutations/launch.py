# SPDX-License-Identifier: MIT
"""What a kernel tells the compiler about its launch: blocks on an SM, registers, pointers that do not overlap."""

import re

from mutations.change import Change

INSIDE = r"\((?:[^()]|\([^()]*\))*\)"  # parentheses, and some within
BOUNDS = re.compile(r"__launch_bounds__\s*(" + INSIDE + ")")
LIMIT = re.compile(r"__maxnreg__\s*\(\s*(\d+)\s*\)")
ATTRIBUTES = rf"(?:(?:__launch_bounds__|__maxnreg__)\s*{INSIDE}\s*)*"
KERNEL = re.compile(rf"__global__\s+{ATTRIBUTES}void\s+{ATTRIBUTES}(?!__)([\w#]+)\s*\(")


def kernels(source):
    """The heads of kernels, also of those that a macro makes."""
    return list(KERNEL.finditer(source.code))


def _top_commas(text):
    depth, commas = 0, []
    for at, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 1:
            commas.append(at)
    return commas


def bound(source, request):
    """__launch_bounds__ with more or fewer blocks that must fit on an SM, or without a number of them."""
    block = re.search(r"^\s*block\s*=\s*\[\s*\"?(\d+)\"?\s*\]", request["specification"], re.M)
    for found in kernels(source):
        bounds = BOUNDS.search(found.group(0))
        if LIMIT.search(found.group(0)):
            continue
        inside = bounds.group(1) if bounds else ""
        commas = _top_commas(inside)
        threads = inside[1:commas[0] if commas else -1].strip() if bounds else block.group(1) if block else ""
        if not threads:
            continue
        start = found.start() + (bounds.start() if bounds else len("__global__"))
        end = found.start() + bounds.end() if bounds else start
        for least in (2, 4, 1, 3, 8, None):
            wanted = f"__launch_bounds__({threads}, {least})" if least else f"__launch_bounds__({threads})"
            if "".join(wanted.split()) == "".join(bounds.group(0).split() if bounds else ""):
                continue
            yield Change("launch_bounds", f"{wanted} for {found.group(1)}", source,
                         [(start, end, wanted if bounds else " " + wanted)], "blocks_per_sm", "up", at=found.start())


def limit_registers(source, request):
    """At most so many registers a thread, for more warps on an SM: what --maxrregcount says for a whole file."""
    for found in kernels(source):
        limit, bounds = LIMIT.search(found.group(0)), BOUNDS.search(found.group(0))
        old = limit or bounds  # the two exclude each other
        start = found.start() + (old.start() if old else len("__global__"))
        end = found.start() + old.end() if old else start
        for most in (64, 40, 32, 96, 128, 168):
            wanted = f"__maxnreg__({most})"
            if limit and int(limit.group(1)) == most:
                continue
            place = f" instead of {'other' if limit else 'launch'} bounds" if old else ""
            yield Change("registers", f"at most {most} registers for {found.group(1)}{place}", source,
                         [(start, end, wanted if old else " " + wanted)], "blocks_per_sm", "up", at=found.start())


def _parameters(source, open_at):
    depth, end = 0, open_at
    while end < len(source.code):
        depth += {"(": 1, ")": -1}.get(source.code[end], 0)
        if depth == 0:
            return open_at + 1, end
        end += 1
    return None


POINTER = re.compile(r"\*\s*(?!\s*__restrict__)(?=[A-Za-z_]\w*\s*(?:,|$|\s))")


def _without_alias(source, found):
    span = _parameters(source, found.end() - 1)
    if span is None:
        return []
    return [(span[0] + each.start(), span[0] + each.end(), "* __restrict__ ")
            for each in POINTER.finditer(source.code[span[0]:span[1]].rstrip() + " ")]


FUNCTION = re.compile(r"__device__\s+(?:__forceinline__\s+|inline\s+|static\s+)*[\w:<>,&* ]*?\b(\w+)\s*\(")


def restrict(source, request):
    """__restrict__ for every pointer of a kernel's parameters; and of all other functions of a file."""
    for found in kernels(source):
        if places := _without_alias(source, found):
            yield Change("restrict", f"pointers of {found.group(1)} do not overlap: __restrict__", source, places,
                         "instructions", "down", at=found.start())
    if places := [place for found in FUNCTION.finditer(source.plain) for place in _without_alias(source, found)]:
        yield Change("restrict", f"pointers of the functions of {source.name} do not overlap: __restrict__", source, places,
                     "instructions", "down")


ALL = [bound, limit_registers, restrict]
