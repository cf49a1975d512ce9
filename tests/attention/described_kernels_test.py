# SPDX-License-Identifier: MIT
"""Every kernel of the attention library is one that a kernel.toml describes, so that `assay check` and `sanitize` reach it: what
the library's tables name stands in the source of a kernel folder, in one of its configurations. Needs a C++ preprocessor."""

import itertools
import pathlib
import re
import shutil
import subprocess
import unittest

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

ATTENTION = pathlib.Path(__file__).resolve().parents[2] / "kernels" / "attention"
LIBRARY = ATTENTION / "library"
COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")


def configurations(folder):
    """Values of the tunables; also those that a constraint forbids, of which the library has none."""
    tunable = tomllib.loads((folder / "kernel.toml").read_text()).get("tunable", {})
    names = [name for name in tunable if name != "constraints"]
    for values in itertools.product(*(tunable[name] for name in names)):
        yield dict(zip(names, values))


def preprocessed(source, values):
    """The source without what it includes, its macros expanded."""
    text = re.sub(r"(?m)^#include.*$", "", source.read_text())
    flags = [f"-D{name}={value}" for name, value in values.items()]
    done = subprocess.run([COMPILER, "-E", "-P", "-x", "c++", *flags, "-"], input=text, capture_output=True, text=True, check=True)
    return done.stdout


def described(folder, pattern, names=()):
    """What the pattern finds in the folder's source, with these tunables behind it, over all configurations."""
    found = set()
    for values in configurations(ATTENTION / folder):
        for match in re.findall(pattern, preprocessed(ATTENTION / folder / "attention.cu", values)):
            found.add((*re.split(r"\s*,\s*", match), *(str(values[name]) for name in names)))
    return found


def tables(sources, macro):
    """The lines of the library's tables: (type, head size, ...)."""
    found = set()
    for source in LIBRARY.glob(sources):
        found |= {tuple(re.split(r"\s*,\s*", words)) for words in re.findall(rf"\b{macro}\(([^)]*)\)", source.read_text())}
    return found


@unittest.skipUnless(tomllib, "this Python reads no TOML")
@unittest.skipUnless(COMPILER, "there is no C++ compiler")
class DescribedKernels(unittest.TestCase):
    def assert_covered(self, wanted, there):
        self.assertGreater(len(wanted), 0)
        self.assertEqual(sorted(wanted - there), [], "the library has kernels that no kernel.toml describes")

    def test_warp(self):
        self.assert_covered(tables("warp_d*.cu", "WARP_ENTRY"), described("warp", r"WarpConfig<assay::([^>]*)>"))

    def test_split_keys(self):
        wanted = tables("split_d*.cu", "SPLIT_ENTRY")
        there = described("split_keys", r"extern \"C\".*?attention_(\w+_d\d+)\(", ("SLABS", "WARPS"))
        self.assert_covered(wanted, {(*name.split("_d"), *sizes) for name, *sizes in there})

    def test_solo(self):
        there = described("split_keys", r"extern \"C\".*?attention_(\w+_d\d+)\(", ("SLABS", "WARPS", "SOLO"))
        self.assert_covered(tables("split_d*.cu", "SOLO_ENTRY"),
                            {(*name.split("_d"), *sizes) for name, *sizes, solo in there if solo != "0"})

    def test_serving(self):
        self.assert_covered(tables("serving_tiles_d*.cu", "SERVING_TILES"), described("serving", r"TileConfig<assay::([^>]*)>"))
        self.assert_covered(tables("serving_split_d*.cu", "SERVING_SPLIT"), described("serving", r"SplitConfig<assay::([^>]*)>"))
        self.assert_covered(tables("serving_streaming_d*.cu", "SERVING_STREAMING"),
                            described("serving", r"streaming::Config<assay::([^>]*)>"))

    def test_hopper(self):
        table = (ATTENTION / "hopper" / "launch.cu").read_text()
        types, masks = ("__half", "__nv_bfloat16"), ("true", "false")
        streaming = re.findall(r"STREAMING\(streaming_\w+, ELEMENT, MASK, (\d+), (\d+), (\d+), (\d+), (\d+)\)", table)
        self.assertEqual(len(streaming), 9)
        self.assert_covered({(kind, dim, mask, *sizes) for dim, *sizes in streaming for kind in types for mask in masks},
                            described("streaming", r"run_streaming<Config<([^>]*)>", ("CONSUMERS", "KEY_BLOCK", "STAGES", "QUERY_BUFFERS")))
        resident = {(mask, *sizes) for *sizes, in re.findall(r"RESIDENT\(\w+, ELEMENT, MASK, (\d+), (\d+), (\d+)\)", table)
                    for mask in masks}
        resident |= {("true", *sizes) for *sizes, in re.findall(r"RESIDENT\(\w+, ELEMENT, causal, (\d+), (\d+), (\d+)\)", table)}
        self.assertEqual(len(resident), 7)
        self.assert_covered({(kind, *line) for line in resident for kind in types},
                            described("resident", r"run_resident<Config<([^>]*)>", ("ROW_GROUPS", "KEY_GROUPS", "PASSES")))
        pairs = set(re.findall(r"PAIRS\(ELEMENT, MASK, (\d+), (\d+)\)", table))
        self.assertEqual(len(pairs), 6)
        self.assert_covered({(kind, dim, length, mask) for length, dim in pairs for kind in types for mask in masks},
                            described("pairs", r"pairs::PairsConfig<([^>]*)>"))

    def test_own_tiles(self):
        table = (ATTENTION / "hopper" / "launch.cu").read_text()
        kernels = re.findall(r"OWN_TILES\(own_tiles(?:_long)?, ELEMENT, MASK, (\d+), (true|false)\)", table)
        self.assertEqual(len(kernels), 7)
        wanted = {(kind, dim, mask, is_long) for dim, is_long in kernels for kind in ("__half", "__nv_bfloat16") for mask in ("true", "false")}
        there = described("own_tiles", r"own_tiles::OwnTilesConfig<([^>]*)>")
        self.assert_covered(wanted, {(*line[:-1], {"0": "false", "1": "true"}[line[-1]]) for line in there})

    def test_split_streaming(self):
        table = (ATTENTION / "hopper" / "launch.cu").read_text()
        sizes = re.findall(r"SPLIT\(ELEMENT, MASK, (\d+), (\d+), (\d+)\)", table)
        self.assertEqual(len(sizes), 5)
        wanted = {(kind, *line, mask) for line in sizes for kind in ("__half", "__nv_bfloat16") for mask in ("true", "false")}
        there = described("split_streaming", r"run_split_streaming<SplitStreamingConfig<([^>]*>, \w+)>", ("HALF_TILE",))
        described_here = {(*line[:-3], *line[-2:]) for line in there}  # without the expression that HALF_TILE stands in
        self.assert_covered({(*line, "0") for line in wanted}, described_here)
        halves = re.findall(r"HALVES\(ELEMENT, (\d+), (\d+), (\d+)\)", table)
        self.assertEqual(len(halves), 5)
        self.assert_covered({(kind, *line, "false", "1") for line in halves for kind in ("__half", "__nv_bfloat16")}, described_here)
        heads = re.findall(r"HEADS\(ELEMENT, (\d+), (\d+), (\d+)\)", table)
        self.assertEqual(len(heads), 5)
        self.assert_covered({(kind, *line) for line in heads for kind in ("__half", "__nv_bfloat16")},
                            described("split_streaming", r"run_streaming_heads<StreamingHeadsConfig<([^>]*)>"))

    def test_what_is_missing_is_found(self):
        with self.assertRaisesRegex(AssertionError, "no kernel.toml describes"):
            self.assert_covered({("f16", "64", "128", "64", "3")}, described("warp", r"WarpConfig<assay::([^>]*)>"))


if __name__ == "__main__":
    unittest.main()
