# SPDX-License-Identifier: MIT
"""The kernel's own launch function (launch.cpp), compiled into a small library: it says which kernels to launch, in
which order and with which parameters. It launches nothing itself."""

import ctypes
import re

NUMBERS = 12  # of a line "kernel": three of grid, block and cluster, then shared memory and two flags


def depths(text):
    """Every character with the number of brackets that are open around it."""
    depth = 0
    for character in text:
        if character in ">)":
            depth = max(0, depth - 1)
        yield character, depth
        if character in "<(":
            depth += 1


def without_signature(text):
    """Without the list of parameters and the return type."""
    text = text.strip()
    if text.endswith(")"):
        depth = 0
        for at in range(len(text) - 1, -1, -1):
            depth += (text[at] == ")") - (text[at] == "(")
            if text[at] == "(" and depth == 0:
                text = text[:at].strip() if at > 0 else text
                break
    begin = 0
    for at, (character, depth) in enumerate(depths(text)):
        if character == " " and depth == 0 and at + 1 < len(text) and text[at + 1] != "<":
            begin = at + 1
    return text[begin:]


def normal_form(text):
    """One spelling for all that mean the same: no blanks, no suffixes of numbers."""
    return re.sub(r"(?<=[<,-])(\d+)[ulUL][lL]*", r"\1", text.replace(" ", ""))


def without_namespaces(form):
    begin = 0
    for at, (character, depth) in enumerate(depths(form)):
        if depth == 0 and form[at:at + 2] == "::":
            begin = at + 2
    return form[begin:]


def without_template(form):
    for at, (character, depth) in enumerate(depths(form)):
        if depth == 0 and character == "<":
            return form[:at]
    return form


def find_entry(wanted, names):
    """The one of `names`, {name in the module: name in C++}, that is meant: by its name, its C++ name with or without
    namespaces and template arguments, or a pattern with * and ?."""
    if wanted in names:
        return wanted
    form = normal_form(without_signature(wanted))
    forms = {name: normal_form(readable) for name, readable in names.items()}
    pattern = [re.compile("".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in text), re.DOTALL)
               for text in (wanted, form)] if re.search(r"[*?]", wanted) else None
    rules = [lambda name: forms[name] == form, lambda name: without_namespaces(forms[name]) == form,
             lambda name: form in (without_template(forms[name]), without_namespaces(without_template(forms[name]))),
             lambda name: bool(pattern) and bool(pattern[0].fullmatch(name) or pattern[1].fullmatch(forms[name]))]
    for rule in rules:
        fitting = [name for name in names if rule(name)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise RuntimeError(f"\"{wanted}\" fits {len(fitting)} kernels: {', '.join(names[name] for name in fitting)}")
    raise RuntimeError(f"there is no kernel \"{wanted}\"; there are: {', '.join(names.values())}")


class LaunchFunction:
    def __init__(self, path, names):
        try:
            library = ctypes.CDLL(str(path))
        except OSError as problem:
            raise RuntimeError(f"the launch function cannot be loaded, which was compiled for Linux on x86-64: {problem}") \
                from None
        self.function = library.assay_plan
        self.function.restype, self.function.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
        self.names = names

    def launches(self, request):
        """What to launch: (entry, grid, block, cluster, shared_bytes, cooperative, programmatic, parameters)."""
        made = []
        for line in self.function(request.encode()).decode(errors="replace").split("\n"):
            kind, _, rest = line.partition(" ")
            if line == "done":
                return made
            if kind == "error":
                raise ValueError(f"the launch function refused: {rest}")
            if kind == "kernel":
                words = rest.split(" ", NUMBERS)
                sizes = [int(word) for word in words[:NUMBERS]]
                made.append((find_entry(words[NUMBERS], self.names), tuple(sizes[0:3]), tuple(sizes[3:6]),
                             tuple(sizes[6:9]) if sizes[6] else None, sizes[9], bool(sizes[10]), bool(sizes[11]), []))
            elif kind == "argument" and made:
                made[-1][-1].append(bytes.fromhex(rest))
            else:
                break
        raise RuntimeError("the launch function wrote an answer that makes no sense")
