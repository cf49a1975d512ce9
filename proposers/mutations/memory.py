# SPDX-License-Identifier: MIT
"""Loads and stores of global memory: cache hints, streaming stores, several words at once."""

import re

from mutations.change import Change

WORDS = {"float": "float", "int": "int", "unsigned": "uint", "unsigned int": "uint", "uint32_t": "uint", "int32_t": "int"}
BUILT_IN = r"(?:const\s+)?(?:(?:float|int|uint)[24]|(?:double|longlong|ulonglong)2|float|int|unsigned|uint32_t)"
SHARED = re.compile(r"\bs_|shared|smem|\blocal", re.I)
SUBSCRIPT = r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]"


def _pointers(source, constant):
    """Names of pointers to global memory, by their declarations: const ones, or others."""
    found = re.findall(r"(const\s+)?\b(?:float[24]?|double|u?int[24]?|unsigned|__half2?|half2?|__nv_bfloat162?)"
                       r"\s*\*\s*(?:const\s+)?(?:__restrict__\s+)?([A-Za-z_]\w*)", source.plain)
    return sorted({name for qualifier, name in found if bool(qualifier) == constant and not SHARED.search(name)})


def loads(source, request):
    """Loads through const pointers with another cache hint."""
    for pointer in _pointers(source, True):
        places = []
        for found in re.finditer(rf"(?<![\w&.>]){pointer}{SUBSCRIPT}(?!\s*(?:[-+*/%&|^]?=(?!=)|[\[.]))", source.plain):
            if source.plain[:found.start()].rstrip()[-1:] != "&":
                places.append((found.start(), found.end(), found.group(1)))
        for hint in ("__ldg", "__ldcs", "__ldcg", "__ldca", "__ldlu"):
            if places and not any("[" in inside and pointer in inside for *_, inside in places):
                yield Change("cache", f"loads of {pointer} by {hint}: {source.name}", source,
                             [(start, end, f"{hint}(&{pointer}[{source.text[end - 1 - len(inside):end - 1]}])")
                              for start, end, inside in places], at=places[0][0])


def _begins_statement(source, at):
    return source.plain[:at].rstrip()[-1:] in ("", ";", "{", "}", ")")


def stores(source, request):
    """Stores that leave the caches to what is read again."""
    for pointer in _pointers(source, False):
        places = []
        for found in re.finditer(rf"(?<![\w&.*>]){pointer}{SUBSCRIPT}\s*=(?!=)\s*([^;=]*);", source.plain):
            if _begins_statement(source, found.start()):
                places.append(found)
        for hint in ("__stcs", "__stcg", "__stwt"):
            if places:
                yield Change("cache", f"stores to {pointer} by {hint}: {source.name}", source,
                             [(found.start(), found.end(), f"{hint}(&{pointer}[{source.text[slice(*found.span(1))]}], "
                               f"{source.text[slice(*found.span(2))]});") for found in places], at=places[0].start())


CAST = re.compile(r"(?<![\w)\]])\*\s*reinterpret_cast<([^;()]*?)\s*\*\s*>\s*\(")


def _casts(source):
    for found in CAST.finditer(source.plain):
        close = source.partner.get(found.end() - 1)
        if close is not None and not SHARED.search(source.plain[found.end():close]):
            yield found, close


def cast_loads(source, request):
    """*reinterpret_cast<const uint4*>(p) with another cache hint."""
    for found, close in _casts(source):
        if not re.fullmatch(BUILT_IN, found.group(1).strip()) or not found.group(1).strip().startswith("const"):
            continue
        for hint in ("__ldg", "__ldcs", "__ldcg"):
            yield Change("cache", f"{hint} at {source.place(found.start())}", source,
                         [(found.start(), found.end(), f"{hint}({source.text[found.start():found.end()].lstrip('*')}"),
                          (close, close + 1, "))")], at=found.start())


def cast_stores(source, request):
    """*reinterpret_cast<T*>(p) = value by a store that streams; a type of our own in a pack of 16 bytes."""
    for found, close in _casts(source):
        stored = re.compile(r"\s*=(?!=)\s*([^;]*);").match(source.plain, close + 1)
        kind = found.group(1).strip()
        if not stored or kind.startswith("const") or not _begins_statement(source, found.start()):
            continue
        pointer, value = source.text[found.end():close], source.text[slice(*stored.span(1))]
        whole = source.text[found.start():stored.end()]
        if "//" in whole or re.search(r"\b(?:for|if|while)\b", value):
            continue
        for hint in ("__stcs", "__stcg", "__stwt"):
            if re.fullmatch(BUILT_IN, kind):
                new = f"{hint}(reinterpret_cast<{kind}*>({pointer}), {value});"
            elif re.fullmatch(r"\w+", value):
                new = (f"if constexpr (sizeof({value}) == 16 && alignof(decltype({value})) == 16) "
                       f"{hint}(reinterpret_cast<uint4*>({pointer}), reinterpret_cast<const uint4&>({value})); "
                       f"else {whole}")
                new = f"{{ {new} }}"
            else:
                continue
            yield Change("cache", f"{hint} at {source.place(found.start())}", source,
                         [(found.start(), stored.end(), new)], at=found.start())


# Of instructions in asm("..."): what may stand in place of a hint.
IN_ASM = [(r"(ld\.global(?:\.nc)?)\.L1::(?:no_allocate|evict_\w+)", [r"\1", r"\1.L1::evict_first", r"\1.L1::evict_last",
                                                                  r"\1.L1::no_allocate"]),
          (r"(ld\.global(?:\.nc)?)(?=\.(?:v\d\.)?[bsuf]\d)", [r"\1.L1::no_allocate", r"\1.L1::evict_first", r"\1.L2::128B",
                                                           r"\1.L2::256B"]),
          (r"(cp\.async\.c[ag]\.shared\.global)\.L2::\d+B", [r"\1", r"\1.L2::64B", r"\1.L2::256B", r"\1.L2::128B"]),
          (r"(cp\.async\.c[ag]\.shared\.global)(?=\s)", [r"\1.L2::128B", r"\1.L2::256B"]),
          (r"(st\.global)(?=\.(?:v\d\.)?[bsuf]\d)", [r"\1.cs", r"\1.cg", r"\1.wt"])]


def asm_hints(source, request):
    """Another hint of an instruction that stands in asm, everywhere in the file."""
    within = [(start, end) for start, end in source.strings
              if re.search(r"\basm\s*(?:volatile\s*)?\(\s*$", source.plain[max(0, start - 80):start])]
    for pattern, news in IN_ASM:
        places = [(start + found.start(), start + found.end(), found)
                  for start, end in within for found in re.finditer(pattern, source.text[start:end])]
        wanted = {}
        for start, end, found in places:
            for new in news:
                if found.expand(new) != found.group(0):
                    wanted.setdefault(found.expand(new), []).append((start, end, found.expand(new)))
        for new, edits in wanted.items():
            yield Change("cache", f"{new} in asm at {source.place(edits[0][0])}", source, edits)


def asm_order(source, request):
    """A load in asm that may change places with others: without volatile."""
    for start, end in source.strings:
        found = re.search(r"\basm\s+(volatile\s*)\(\s*$", source.plain[max(0, start - 80):start])
        if found and re.match(r'"\s*ld\.', source.text[start:end]):
            at = max(0, start - 80) + found.start(1)
            yield Change("cache", f"a load that may be moved: no volatile at {source.place(at)}", source,
                         [(at, at + len(found.group(1)), "")], "chain_cycles", "down")


def vector(source, request):
    """y[i] = f(x[i]) over a row by two or four words at once where the addresses allow it, and the rest one by one."""
    types = dict((name, kind) for kind, name in re.findall(
        r"\b(float|unsigned int|unsigned|int|uint32_t|int32_t)\s*\*\s*(?:__restrict__\s+)?([A-Za-z_]\w*)", source.plain))
    for loop in source.loops():
        stride, bound = loop.stride
        if stride in (None, "1") or not loop.first_on_line or not loop.is_plain:
            continue
        name = loop.variable
        body = loop.body_text.strip().strip("{}").strip()
        stored = re.fullmatch(r"([A-Za-z_]\w*)\[([^\[\]]*)\]\s*=(?!=)\s*([^;]*);", body)
        accesses = re.findall(r"([A-Za-z_]\w*)\[([^\[\]]*)\]", body)
        if not stored or not accesses or "//" in loop.text((loop.body, loop.end)):
            continue
        bases = {}
        for pointer, inside in accesses:
            place = re.fullmatch(rf"(?:((?:[\w.]+\s*[*+]\s*)*[\w.]+)\s*\+\s*)?{name}", inside.strip())
            if pointer not in types or not place or re.search(rf"\b{name}\b", place.group(1) or ""):
                bases = None
                break
            bases[(pointer, inside)] = f"&{pointer}[{place.group(1) or '0'}]"
        rest = re.sub(r"[A-Za-z_]\w*\[[^\[\]]*\]", "", body)
        if not bases or re.search(rf"\b{name}\b", rest):
            continue
        for count, letters in ((4, "xyzw"), (2, "xy")):
            yield Change("vector", f"{count} words at once in the loop at {source.place(loop.start)}", source,
                         [(loop.start, loop.end, _wide(loop, count, letters, stored, bases, types, stride, bound))],
                         "l1_wavefronts", "down", at=loop.start)


def _wide(loop, count, letters, stored, bases, types, stride, bound):
    name, indent = loop.variable, loop.indent
    kind = loop.kind
    target, inside, value = stored.groups()
    lines, fields = [], [value] * count
    for number, ((pointer, place), base) in enumerate(bases.items()):
        wide = WORDS[types[pointer]] + str(count)
        if (pointer, place) != (target, inside) or f"{pointer}[{place}]" in value:
            lines.append(f"const {wide} words_{number} = reinterpret_cast<const {wide}*>({base})[pack];")
            fields = [field.replace(f"{pointer}[{place}]", f"words_{number}.{letter}")
                      for field, letter in zip(fields, letters)]
    wide = WORDS[types[target]] + str(count)
    lines.append(f"{wide} results;")
    lines += [f"results.{letter} = {field};" for letter, field in zip(letters, fields)]
    lines.append(f"reinterpret_cast<{wide}*>({bases[(target, inside)]})[pack] = results;")
    aligned = " | ".join(f"reinterpret_cast<size_t>({base})" for base in bases.values())
    inner = "\n".join(f"{indent}    {line}" for line in lines)
    return (f"{{\n{indent}{kind}packed = ({aligned}) % {4 * count} == 0 ? ({bound}) / {count} : 0;\n"
            f"{indent}for ({kind}pack = {loop.first_value}; pack < packed; pack += {stride}) {{\n{inner}\n{indent}}}\n"
            f"{indent}for ({kind}{name} = packed * {count} + ({loop.first_value}); {loop.condition}; {loop.step})\n"
            f"{indent}  {loop.text((loop.body, loop.end))}\n{indent}}}")


ALL = [vector, cast_stores, stores, asm_order, asm_hints, loads, cast_loads]
