# SPDX-License-Identifier: MIT
"""PTX: neighbouring words at once, fewer barriers, cache hints, directives for ptxas."""

import re

from mutations.change import Change

ACCESS = re.compile(r"^(\s*)(ld|st)\.(global|shared)((?:\.(?:nc|cs|cg|ca|lu|wt|wb))?)\.([bsuf](?:32|64))\s+(.*);\s*$")
LOADED = re.compile(r"^(%\w+),\s*\[(%\w+)(?:\s*\+\s*(\d+))?\]$")
STORED = re.compile(r"^\[(%\w+)(?:\s*\+\s*(\d+))?\],\s*(%\w+)$")


def _access(line):
    """(opcode, space, hint, type, base, offset, register) of a plain load or store."""
    found = ACCESS.match(line)
    if not found:
        return None
    _, opcode, space, hint, element, operands = found.groups()
    if opcode == "ld":
        parts = LOADED.match(operands.strip())
        if not parts:
            return None
        register, base, offset = parts.groups()
        if register == base:
            return None
    else:
        parts = STORED.match(operands.strip())
        if not parts:
            return None
        base, offset, register = parts.groups()
    return opcode, space, hint, element, base, int(offset or 0), register


def _starts(lines):
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def vectorise(source, request):
    """Neighbouring loads or stores of neighbouring words as one of two or four."""
    lines = source.text.split("\n")
    starts = _starts(lines)
    for count in (4, 2):
        index = 0
        while index + count <= len(lines):
            group = [_access(line) for line in lines[index:index + count]]
            if None in group or any(each[:5] != group[0][:5] for each in group):
                index += 1
                continue
            opcode, space, hint, element, base, first, _ = group[0]
            size = int(element[1:]) // 8
            neighbours = all(each[5] == first + size * place for place, each in enumerate(group))
            if not neighbours or first % (size * count) or size * count > 16:
                index += 1
                continue
            registers = "{" + ", ".join(each[6] for each in group) + "}"
            place = f"[{base}+{first}]" if first else f"[{base}]"
            operands = f"{registers}, {place}" if opcode == "ld" else f"{place}, {registers}"
            wide = f"\t{opcode}.{space}{hint}.v{count}.{element} \t{operands};"
            counter = "l1_wavefronts" if space == "global" else "shared_wavefronts"
            yield Change("vector", f"{count} words at once at {source.name}:{index + 1}, {opcode}.{space}", source,
                         [(starts[index], starts[index + count] - 1, wide)], counter, "down")
            index += count


def drop_barriers(source, request):
    """One barrier less. Of barriers in a row all but the first do nothing: those first, then all of them."""
    lines = source.text.split("\n")
    starts = _starts(lines)
    places = [index for index, line in enumerate(lines) if re.match(r"^\s*(bar|barrier)\.(cta\.)?sync\s+0\s*;", line)]
    rows = []
    for index in places:
        if rows and index == rows[-1][-1] + 1:
            rows[-1].append(index)
        else:
            rows.append([index])
    end = len(source.text)
    for row in sorted(reversed(rows), key=len, reverse=True):
        place = f"{source.name}:{row[0] + 1}"
        if len(row) > 1:
            yield Change("barrier", f"one barrier instead of {len(row)} in a row at {place}", source,
                         [(starts[row[1]], min(starts[row[-1] + 1], end), "")], "barriers", "down")
        yield Change("barrier", f"no barrier at {place}", source,
                     [(starts[row[0]], min(starts[row[-1] + 1], end), "")], "barriers", "down")


def hint(source, request):
    """All loads or stores of global memory with another cache hint."""
    for before, after in ((r"\bld\.global\.(?=[bsuf]\d|v\d)", "ld.global.nc."),
                          (r"\bld\.global\.(?=[bsuf]\d|v\d)", "ld.global.cs."),
                          (r"\bld\.global\.(?=[bsuf]\d|v\d)", "ld.global.L1::no_allocate."),
                          (r"\bld\.global\.(?=[bsuf]\d|v\d)", "ld.global.L2::128B."),
                          (r"\bst\.global\.(?=[bsuf]\d|v\d)", "st.global.cs."),
                          (r"\bst\.global\.(?=[bsuf]\d|v\d)", "st.global.cg.")):
        edits = [(*found.span(), after) for found in re.finditer(before, source.text)]
        if edits:
            yield Change("cache", f"{after[:-1]} for all of them", source, edits)


def direct(source, request):
    """Directives for ptxas: registers of a thread, blocks that must fit on an SM."""
    entry = re.search(r"\.entry\s+\w+\s*\([^)]*\)", source.text)
    if not entry or "{" not in source.text[entry.end():]:
        return
    head = source.text[entry.end():source.text.index("{", entry.end())]
    for directive, kind in ((".maxnreg 32", "registers"), (".maxnreg 64", "registers"),
                            (".minnctapersm 4", "launch_bounds")):
        word = directive.split()[0]
        if word in head or (word == ".minnctapersm" and "ntid" not in head):
            continue
        yield Change(kind, f"{directive} for the kernel", source, [(entry.end(), entry.end(), "\n" + directive)],
                     "blocks_per_sm", "up")


ALL = [vectorise, drop_barriers, hint, direct]
