# SPDX-License-Identifier: MIT
"""All that can be tried on the parent, the most promising first, and nothing twice."""

import re

from mutations import arithmetic, constants, launch, loops, memory, ptx, shared
from mutations.source import Source
from mutations.sources import Sources

# Which kinds of change may help against a finding of `assay diagnose`.
REMEDIES = {
    "barriers": ["barrier", "shuffle"],
    "bank_conflicts": ["padding", "constant"],
    "shared_bandwidth": ["vector", "shuffle", "constant", "unroll"],
    "latency": ["unroll", "loop", "vector", "barrier", "constant", "registers", "launch_bounds"],
    "uncoalesced": ["vector", "loop", "constant"],
    "address_arithmetic": ["vector", "unroll", "loop"],
    "arithmetic": ["arithmetic", "vector", "loop"],
    "special_functions": ["arithmetic"],
    "double_precision": ["arithmetic"],
    "divergence": ["unroll", "loop"],
    "shuffles": ["vector", "barrier"],
    "local_memory": ["unroll", "registers", "launch_bounds"],
    "above_compulsory": ["cache", "constant"],
    "dram_bound": ["cache", "restrict"],
    "same_sector_twice": ["cache", "restrict", "vector"],
    "not_enough_blocks": ["constant"],
}
# The order where no finding speaks for a kind.
USUAL = ["vector", "loop", "arithmetic", "padding", "unroll", "barrier", "shuffle", "constant", "restrict", "launch_bounds",
         "registers", "cache"]
COMBINED = "combination"
UNSEEN = {"cache"}  # kinds that no estimate tells from the parent: they come last where nothing is measured
KINDS = USUAL + [COMBINED]

OF_CUDA = loops.ALL + shared.ALL + constants.ALL + launch.ALL + arithmetic.ALL + memory.ALL
NEUTRAL = 1.0005  # slower than this by the race, and a change is no part of a combination


def single(sources, request):
    """Each change alone."""
    found = []
    for name, text in sources.all():
        source = Source(name, text)
        for make in ptx.ALL if name.endswith(".ptx") else OF_CUDA:
            found += make(source, request)
    return found


def is_estimated(request):
    return request["kernel"]["device"].startswith("vgpu:")


def kinds_in_order(request):
    order = []
    for finding in sorted(request["findings"], key=lambda each: -each["cap_us"]):
        order += [kind for kind in REMEDIES.get(finding["rule"], []) if kind not in order]
    return order + [kind for kind in USUAL if kind not in order]


def _without_folders(text):
    """A header that was adopted has lost its folder."""
    return re.sub(r"(?:[\w.]+/)+", "", text)


def tried_elsewhere(request):
    """How late a change comes that was tried on another parent: 1, or 2 if it was refused there."""
    late = {}
    for each in request["tried"]:
        if each.get("parent") == request["parent"]["id"]:
            continue  # it has had its turn here, and the turns of others stay as they were
        text = _without_folders(each.get("hypothesis") or "")
        late[text] = max(late.get(text, 1), 2 if each.get("verdict") == "refused" else 1)
    return late


def in_order(found, request):
    """By turns: the best of each kind, then the second of each, so that a kind with many changes does not hide the
    others. Of a kind first what lies on a line that does most. What is new comes before what was tried on another
    parent."""
    order = kinds_in_order(request)
    hot = {(line["file"].rsplit("/", 1)[-1], line["line"]) for line in request["counters"]["lines"][:8]}
    elsewhere = tried_elsewhere(request)

    unseen = UNSEEN if is_estimated(request) else set()

    def late(change):
        return max(elsewhere.get(_without_folders(change.text), 0), int(change.kind in unseen))

    def rank(change):
        name, line = change.place
        return late(change), (name.rsplit("/", 1)[-1], line) not in hot

    turns = {}
    ranked = []
    for change in sorted(found, key=rank):
        turn = turns[late(change), change.kind] = turns.get((late(change), change.kind), 0) + 1
        ranked.append((late(change), turn, order.index(change.kind), change))
    return [change for *_, change in sorted(ranked, key=lambda each: each[:3])]


class Together:
    """Two changes at once."""

    kind = COMBINED

    def __init__(self, first, second):
        self.text = f"together: {first.text}; {second.text}"[:300]
        self.edits = {name: first.edits.get(name, []) + second.edits.get(name, [])
                      for name in {**first.edits, **second.edits}}
        self.counter, self.direction = first.counter, first.direction
        self.tunables = first.tunables + second.tunables


def combinations(found, request):
    """Pairs of what was right and not slower alone: two small gains may be enough, or one may need the other. Two that
    an estimate did not tell from the parent are none. Two changes of one kind at one place, as two numbers of rounds of
    a loop, exclude each other."""
    ratios = {each["hypothesis"]: each["ratio"] for each in request["tried"]
              if each.get("parent") == request["parent"]["id"] and each.get("ratio") and each.get("hypothesis")}
    good = [change for change in found if ratios.get(change.text, 2) <= NEUTRAL]
    good.sort(key=lambda change: ratios[change.text])
    pairs = [(ratios[first.text] * ratios[second.text], Together(first, second))
             for index, first in enumerate(good) for second in good[index + 1:]
             if not (first.tunables and second.tunables)
             and (first.kind, first.place) != (second.kind, second.place)]
    if is_estimated(request):
        pairs = [pair for pair in pairs if pair[0] < 1 / NEUTRAL]
    return [pair for _, pair in sorted(pairs, key=lambda each: each[0])]


def mixed(found, request):
    """After every third change alone a combination, once there are some; the rest of them at the end."""
    pairs = combinations(found, request)
    tried = {each.get("hypothesis") for each in request["tried"] if each.get("parent") == request["parent"]["id"]}
    alone = [change for change in found if change.text not in tried]
    pairs = [pair for pair in pairs if pair.text not in tried]
    if pairs and len(tried) % 4 == 3:
        return pairs[:1] + alone + pairs[1:]
    return alone + pairs


def proposals(request):
    """(change, files) of all that was not tried on this parent."""
    sources = Sources(request["parent"]["files"], request.get("kernel", {}).get("folder", ""))
    in_flight = {each.get("hypothesis") for each in request.get("in_flight", [])
                 if each.get("parent") == request["parent"]["id"]}
    seen = set(in_flight)
    for change in mixed(in_order(single(sources, request), request), request):
        if change.text in seen:
            continue
        files = sources.with_edits(change.edits)
        content = repr(sorted(files.items())) + repr(change.tunables) if files else None
        if files is None or content in seen or files.items() <= request["parent"]["files"].items():
            continue
        seen |= {change.text, content}
        yield change, files
