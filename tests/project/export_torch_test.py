# SPDX-License-Identifier: MIT
"""assay export --torch: packages are made, imported and called. Here a stand-in for PyTorch and the fake driver of
tests/device/fake take the places of PyTorch and a GPU; tests/gpu/export_torch_truth.py asks the real ones."""

import json
import pathlib
import re
import sys
import textwrap
import unittest

from project import BUILD, FolderTest, PROGRAM, ROOT, run

STAND_IN = pathlib.Path(__file__).resolve().parent / "stand_in"
FAKE_DRIVER = BUILD / "tests/fake/libfake_cuda.so"

# The fake driver knows kernels by their names and runs them on the host; their PTX is only read for its entries.
PTX = """.version 7.0
.target sm_80
.address_size 64
{entries}
"""
ENTRY = """.visible .entry {name}(.param .u64 x, .param .u64 y, .param .u32 n)
{{
  ret;
}}
"""
TOML = """[kernel]
name    = "{name}"
source  = "kernel.ptx"
{entry}targets = ["sm_80"]

[problem]
reference = "copy"

[[argument]]
name   = "x"
tensor = {{ dtype = "f32", shape = ["ROWS", "N"]{strides} }}
{arguments}
[[argument]]
name   = "y"
tensor = {{ dtype = "f32", shape = ["ROWS", "N"], output = true }}

[[argument]]
name   = "count"
scalar = {{ type = "u32", value = "COUNT" }}

[let]
COUNT = "ROWS*N"

{launch}
[shapes]
canonical   = [{{ ROWS = 2, N = 6 }}]
constraints = ["N % 2 == 0"]
"""
LAUNCH = """[launch]
grid  = ["ceil_div(COUNT, 64)"]
block = [64]
"""
SCRATCH = """
[[argument]]
name   = "between"
tensor = { dtype = "f32", shape = ["ROWS", "N"], scratch = true }
"""
STAGE = """[[stage]]
name      = "{name}"
entry     = "copy_f32"
arguments = {arguments}
grid      = ["ceil_div(COUNT, 64)"]
block     = [64]
"""
SCALE = """
[[argument]]
name   = "factor"
global = "c_scale"
scalar = { type = "f32", value = "3" }
"""


LAUNCH_FUNCTION = r"""
#include <assay/launch.h>
void assay_launch(assay::Launch& launch) {
  if (launch.integer("ROWS") == 7) launch.fail("seven rows");
  const auto count = static_cast<uint32_t>(launch.integer("COUNT"));
  launch.kernel("copy_f32").grid((count + 63) / 64).block(64).argument(launch.pointer<float>("x"))
      .argument(launch.pointer<float>("between")).argument(count).run();
  launch.kernel("copy_*").grid((count + 63) / 64).block(64).argument(launch.bytes("between"))
      .argument(launch.bytes("y")).argument(launch.bytes("count")).run();
}
"""


class ExportTest(FolderTest):
    def kernel(self, name, entry="copy_f32", strides="", arguments="", launch=LAUNCH, entries=("copy_f32",), function=""):
        folder = self.folder / "kernels" / name
        folder.mkdir(parents=True)
        text = "".join(ENTRY.format(name=each) for each in entries)
        symbol = "_ZN2ns7c_scaleE" if "ns::c_scale" in arguments else "c_scale"
        variables = f".visible .const .align 4 .b8 {symbol}[4];\n" if "c_scale" in arguments else ""
        (folder / "kernel.ptx").write_text(PTX.format(entries=variables + text))
        entry_line = f'entry   = "{entry}"\n' if entry and not function else ""
        head = 'launch = "launch.cpp"\n' if function else ""
        if function:
            (folder / "launch.cpp").write_text(function)
        (folder / "kernel.toml").write_text(head + TOML.format(name=name, entry=entry_line, strides=strides,
                                                               arguments=arguments, launch=launch or ""))
        return folder

    def export(self, folder, package, *more):
        done = run([PROGRAM, "export", "--torch", folder, "--out", self.folder / package, "--json", *more])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def python(self, *words):
        return run([sys.executable, "-B", *words], folder=self.folder, ASSAY_CUDA_DRIVER=str(FAKE_DRIVER),
                   PYTHONPATH=f"{STAND_IN}:{self.folder}")

    def call(self, text):
        """What a few lines print."""
        done = self.python("-c", textwrap.dedent(text))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def test_a_package_passes_its_own_test(self):
        report = self.export(self.kernel("copy_it"), "copied")
        self.assertEqual(report["call"], "copy_it(x)")
        self.assertEqual(report["example"], "N=6,ROWS=2")
        done = self.python(self.folder / "copied/test_copy_it.py")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("OK", done.stderr)

    def test_a_kernel_that_is_wrong_fails_it(self):
        self.export(self.kernel("scaled", entry="scale_f32", arguments=SCALE, entries=("scale_f32",)), "scaled")
        done = self.python(self.folder / "scaled/test_scaled.py")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("y is wrong", done.stderr)

    def test_variables_of_the_module_get_their_values(self):
        self.export(self.kernel("scaled", entry="scale_f32", arguments=SCALE, entries=("scale_f32",)), "scaled")
        self.assertEqual(self.call("""
            import torch, scaled
            x = torch.empty_strided((1, 4), (4, 1), torch.float32, "cuda").fill([1, 2, 3, 4])
            print(scaled.scaled(x).tolist())"""), "[3.0, 6.0, 9.0, 12.0]")

    def test_variables_in_namespaces_are_found(self):
        arguments = SCALE.replace('"c_scale"', '"ns::c_scale"')
        self.export(self.kernel("spaced", entry="scale_f32", arguments=arguments, entries=("scale_f32",)), "spaced")
        self.assertEqual(self.call("""
            import torch, spaced
            x = torch.empty_strided((1, 4), (4, 1), torch.float32, "cuda").fill([1, 2, 3, 4])
            print(spaced.spaced(x).tolist())"""), "[3.0, 6.0, 9.0, 12.0]")

    def test_stages_run_in_their_order_with_scratch_between_them(self):
        launch = STAGE.format(name="first", arguments='["x", "between", "count"]') + \
            STAGE.format(name="second", arguments='["between", "y", "count"]')
        self.export(self.kernel("chain", entry="", arguments=SCRATCH, launch=launch), "chain")
        self.assertEqual(self.call("""
            import torch, chain
            x = torch.empty_strided((2, 2), (2, 1), torch.float32, "cuda").fill([1, 2, 3, 4])
            y = chain.chain(x)
            print(y.tolist(), y.shape)"""), "[1.0, 2.0, 3.0, 4.0] (2, 2)")

    def test_a_launch_function_comes_along(self):
        """Twice, through scratch memory: it decides what is launched, by names, numbers, pointers and bytes."""
        function = LAUNCH_FUNCTION
        report = self.export(self.kernel("by_function", arguments=SCRATCH, launch=None, function=function), "by_function")
        self.assertIn("launch.so", report["files"])
        done = self.python(self.folder / "by_function/test_by_function.py")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.call("""
            import torch, by_function
            x = torch.empty_strided((2, 2), (2, 1), torch.float32, "cuda").fill([1, 2, 3, 4])
            print(by_function.by_function(x).tolist())
            try:
                by_function.by_function(torch.empty_strided((7, 2), (2, 1), torch.float32, "cuda"))
            except ValueError as problem:
                print(problem)"""), "[1.0, 2.0, 3.0, 4.0]\nthe launch function refused: seven rows")

    def test_a_shipped_launch_function_is_exported(self):
        report = self.export(ROOT / "kernels/cutlass_style", "gemm")
        self.assertEqual(report["call"], "cutlass_style(a, b)")
        launch = json.loads((self.folder / "gemm/kernel.json").read_text())["launch"]
        made = json.loads(self.call("""
            import json, torch, gemm
            from gemm.launch_function import LaunchFunction
            launch = gemm._kernel.description["launch"]
            request = "number M 33\\nnumber N 40\\nnumber K 17\\nnumber alpha 0.5\\npointer a 1000\\npointer b 2000\\npointer c 3000\\n"
            (one,) = LaunchFunction("gemm/launch.so", launch["names"]).launches(request)
            print(json.dumps([one[0], one[1], len(one[-1]), one[-1][0].hex()]))"""))
        self.assertIn(made[0], launch["names"])
        self.assertEqual(made[2], 1)
        self.assertIn((0x1000).to_bytes(8, "little").hex(), made[3])

    def test_words_choose_an_entry(self):
        folder = self.kernel("copy_by_word", entry="copy_{KIND}")
        text = (folder / "kernel.toml").read_text()
        (folder / "kernel.toml").write_text(text.replace('[let]\n', """[let]\nKIND = "WORD != 'wide' ? 'f32' : WORD"
WORD = "N % 4 == 0 ? 'narrow' : 'odd'"\n"""))
        self.export(folder, "by_word")
        self.assertEqual(self.call("""
            import torch, by_word
            x = torch.empty_strided((2, 2), (2, 1), torch.float32, "cuda").fill([1, 2, 3, 4])
            print(by_word.copy_by_word(x).tolist())"""), "[1.0, 2.0, 3.0, 4.0]")

    def test_textures_and_surfaces_are_made(self):
        folder = self.kernel("through_texture", entry="texture_copy_f32", entries=("texture_copy_f32",))
        text = (folder / "kernel.toml").read_text()
        text = text.replace('tensor = { dtype = "f32", shape = ["ROWS", "N"] }', 'passed = false\n' +
                            'tensor = { dtype = "f32", shape = ["ROWS", "N"] }\n\n[[argument]]\nname = "from"\n'
                            'texture = { of = "x", filter = "linear", address = ["border", "clamp"], border = 1 }')
        text = text.replace('tensor = { dtype = "f32", shape = ["ROWS", "N"], output = true }', 'passed = false\n' +
                            'tensor = { dtype = "f32", shape = ["ROWS", "N"], output = true }\n\n[[argument]]\nname = "to"\n'
                            'surface = { of = "y" }')
        start = text.index('[[argument]]\nname   = "count"')
        text = text[:start] + text[text.index("[let]"):]
        (folder / "kernel.toml").write_text(text)
        entry = ENTRY.format(name="texture_copy_f32").replace(", .param .u32 n", "")
        (folder / "kernel.ptx").write_text(PTX.format(entries=entry))
        self.export(folder, "textured")
        done = self.python(self.folder / "textured/test_through_texture.py")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.call("""
            import torch, textured
            for numbers in ([1, 2, 3, 4], [5, 6, 7, 8]):
                x = torch.empty_strided((2, 2), (2, 1), torch.float32, "cuda").fill(numbers)
                print(textured.through_texture(x).tolist())
            textures = textured._kernel.textures[0]
            print(len(textures.arrays), len(textures.objects))"""),
            "[1.0, 2.0, 3.0, 4.0]\n[5.0, 6.0, 7.0, 8.0]\n2 2")

    def test_mipmaps_have_an_array_for_each_level(self):
        folder = self.kernel("through_level", entry="texture_copy_f32", entries=("texture_copy_f32",))
        text = (folder / "kernel.toml").read_text()
        text = text.replace('tensor = { dtype = "f32", shape = ["ROWS", "N"] }', 'passed = false\n' +
                            'tensor = { dtype = "f32", shape = ["ROWS", "N"] }\n\n[[argument]]\nname = "whole"\npassed = false\n'
                            'tensor = { dtype = "f32", shape = ["2*ROWS", "2*N"] }\n\n[[argument]]\nname = "from"\n'
                            'texture = { of = "whole", normalised = true, mipmap = { levels = ["x"], filter = "linear", '
                            'bias = 1 } }')
        text = text.replace('tensor = { dtype = "f32", shape = ["ROWS", "N"], output = true }', 'passed = false\n' +
                            'tensor = { dtype = "f32", shape = ["ROWS", "N"], output = true }\n\n[[argument]]\nname = "to"\n'
                            'surface = { of = "y" }')
        start = text.index('[[argument]]\nname   = "count"')
        text = text[:start] + text[text.index("[let]"):]
        (folder / "kernel.toml").write_text(text.replace('"copy"', '"reference.py"'))
        (folder / "reference.py").write_text("def reference(x, whole):\n    return x\n")
        entry = ENTRY.format(name="texture_copy_f32").replace(", .param .u32 n", "")
        (folder / "kernel.ptx").write_text(PTX.format(entries=entry))
        self.export(folder, "leveled")
        self.assertEqual(self.call("""
            import torch, leveled
            for numbers in ([1, 2, 3, 4], [5, 6, 7, 8]):
                x = torch.empty_strided((2, 2), (2, 1), torch.float32, "cuda").fill(numbers)
                whole = torch.empty_strided((4, 4), (4, 1), torch.float32, "cuda").fill([0] * 16)
                print(leveled.through_level(x, whole).tolist())
            textures = leveled._kernel.textures[0]
            print(len(textures.arrays), len(textures.objects))"""),
            "[1.0, 2.0, 3.0, 4.0]\n[5.0, 6.0, 7.0, 8.0]\n2 2")

    def test_dimensions_are_what_a_texture_takes_them_for(self):
        self.export(self.kernel("copy_it"), "copied")
        self.assertEqual(self.call("""
            import types
            from copied.texture import layout
            def of(shape, **more):
                plain = {"name": "t", "of": "x", "channels": 1, "memory": "array", "cube": False, "layered": False}
                try:
                    return tuple(layout(types.SimpleNamespace(**{**plain, **more}), shape))
                except ValueError as problem:
                    return str(problem)
            print(of([5]), of([4, 5]), of([3, 4, 5]), of([4, 5, 2], channels=2), of([4, 5], layered=True))
            print(of([3, 4, 5], layered=True), of([6, 8, 8], cube=True), of([12, 8, 8], cube=True, layered=True))
            print(of([9], memory="linear"), of([3, 8], memory="pitch"))
            print(of([4, 5, 3], channels=2))
            print(of([4, 5], memory="linear"))"""), "\n".join([
                "('1d', 5, 1, 1) ('2d', 5, 4, 1) ('3d', 5, 4, 3) ('2d', 5, 4, 1) ('a1d', 5, 1, 4)",
                "('a2d', 5, 4, 3) ('cube', 8, 8, 6) ('acube', 8, 8, 12)", "('linear', 9, 1, 1) ('pitch', 8, 3, 1)",
                "t has 2 channels; expected the last dimension of x to be as long",
                "t cannot be a texture of x, which has 2 dimensions beside channels"]))

    def test_a_shipped_kernel_runs(self):
        self.export(ROOT / "kernels/reduction", "rows")
        self.assertEqual(self.call("""
            import torch, rows
            x = torch.empty_strided((2, 3), (3, 1), torch.float32, "cuda").fill([1, 2, 3, 10, 20, 30])
            print(rows.reduction(x).tolist())"""), "[6.0, 60.0]")

    def test_the_example_calls_with_inputs_in_their_order(self):
        """Which is not that of their names, as an object of JSON may have it."""
        for kernel, call in (("layernorm", ["x", "weight", "bias"]), ("attention/tensor_core", ["q", "k", "v"])):
            package = kernel.rpartition("/")[2]
            report = self.export(ROOT / "kernels" / kernel, package)
            self.assertIn(f"({', '.join(call)}", report["call"])
            example = json.loads((self.folder / package / "kernel.json").read_text())["example"]
            self.assertEqual(example["order"], call)

    def test_the_compiler_gets_shapes_without_a_launch(self):
        self.export(self.kernel("copy_it"), "copied")
        self.assertEqual(self.call("""
            import torch, copied
            copied._kernel.run = None
            fake = copied.copy_it.fake(torch.empty_strided((5, 4), (4, 1), torch.float32, "cuda"))
            print(fake.shape, fake.stride(), fake.dtype, torch.registered["copied::copy_it"].written)"""),
            "(5, 4) (4, 1) torch.float32 ()")

    def test_a_tensor_of_another_layout_is_copied(self):
        self.export(self.kernel("copy_it"), "copied")
        self.assertEqual(self.call("""
            import torch, copied
            x = torch.empty_strided((2, 2), (1, 2), torch.float32, "cuda").fill([1, 2, 3, 4])
            print(copied.copy_it(x).tolist())"""), "[1.0, 2.0, 3.0, 4.0]")

    def test_mistakes_are_told_in_words(self):
        self.export(self.kernel("copy_it"), "copied")
        said = self.call("""
            import torch, copied
            def attempt(*arguments):
                try:
                    copied.copy_it(*arguments)
                except (ValueError, TypeError, RuntimeError) as problem:
                    print(problem)
            make = lambda shape, kind=torch.float32, place="cuda": torch.empty_strided(shape, (1,) * len(shape), kind, place)
            attempt(make((4,)))
            attempt(make((2, 3)))
            attempt(make((2, 2), torch.float64))
            attempt(make((2, 2), torch.float32, "cpu"))
            torch.CAPABILITY[:] = [7, 5]
            attempt(torch.empty_strided((2, 2), (2, 1), torch.float32, "cuda"))""").split("\n")
        self.assertEqual(said, [
            "copy_it: x has 1 dimensions; expected 2",
            "copy_it is not for this shape: N % 2 == 0 does not hold",
            "copy_it: x is torch.float64; expected torch.float32",
            "copy_it: tensors are on cpu; expected a GPU",
            "copy_it was built for sm_80; this GPU is sm_75"])

    def test_errors_of_the_driver_have_their_names(self):
        self.export(self.kernel("fault", entry="fault_f32", entries=("fault_f32",)), "fault")
        said = self.call("""
            import torch, fault
            x = torch.empty_strided((2, 2), (2, 1), torch.float32, "cuda")
            fault.fault(x)
            driver = fault._kernel.driver
            try:
                driver.call("cuCtxSynchronize")
            except RuntimeError as problem:
                print(problem)""")
        self.assertEqual(said, "cuCtxSynchronize: CUDA_ERROR_MISALIGNED_ADDRESS")

    def test_what_no_tensor_tells_is_an_argument_by_name(self):
        report = self.export(ROOT / "kernels/attention/tensor_core", "attention")
        self.assertEqual(report["call"], "attention_tensor_core(q, k, v, *, causal=False)")
        description = json.loads((self.folder / "attention/kernel.json").read_text())
        self.assertGreater(len(description["entries"]), 3)
        self.assertEqual(set(description["example"]["outputs"]), {"o"})

    def test_parameters_are_as_large_as_the_kernel_takes_them(self):
        """Tensor maps and fields of a structure: the fake driver has no such kernel, but the PTX says its sizes."""
        self.export(ROOT / "kernels/attention/streaming", "streaming")
        description = json.loads((self.folder / "streaming/kernel.json").read_text())
        sizes, entry = json.loads(self.call("""
            import json, torch, streaming
            from streaming import call
            kernel, example = streaming._kernel, json.load(open("streaming/kernel.json"))["example"]
            given = {name: torch.empty_strided(each["shape"], each["strides"], torch.float16, "cuda")
                     for name, each in example["inputs"].items()}
            scope = kernel.scope(given, example["settings"])
            tensors = {each.name: call.Tensor(each, scope).empty("cuda") for each in kernel.arguments
                       if each.kind == "tensor"}
            class Maps:
                def tensor_map(self, *words):
                    return bytes(128)
            stage = kernel.description["stages"][0]
            launch = call.Launch(kernel, scope, tensors, torch.device("cuda"))
            print(json.dumps([[len(each) for each in launch.parameters(stage["arguments"], Maps())],
                              call.expand(stage["entry"], scope)]))"""))
        ptx = (self.folder / "streaming" / description["modules"][0]["ptx"]).read_text()
        head = ptx.split(f".entry {description['entries'][entry]}(")[1].split(")")[0]
        widths = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4, "f64": 8, "b8": 1}
        declared = [widths[kind] * int(count or 1)
                    for kind, count in re.findall(r"\.param (?:\.align \d+ )?\.(\w+) \w+(?:\[(\d+)\])?", head)]
        self.assertEqual(sizes, declared)

    def test_maps_of_pixels_are_encoded_as_such(self):
        """The fake driver's map: type, address, channels, pixels, sizes with steps, lower corner, upper one, swizzle."""
        self.export(ROOT / "kernels/convolution", "convolved")
        words = json.loads(self.call("""
            import json, struct, torch, convolved
            from convolved import call, driver
            kernel, example = convolved._kernel, json.load(open("convolved/kernel.json"))["example"]
            given = {name: torch.empty_strided(each["shape"], each["strides"], torch.float16, "cuda")
                     for name, each in example["inputs"].items()}
            scope = kernel.scope(given, example["settings"])
            tensors = {each.name: call.Tensor(each, scope).empty("cuda") for each in kernel.arguments
                       if each.kind == "tensor"}
            launch = call.Launch(kernel, scope, tensors, torch.device("cuda"))
            encoded = launch.tensor_map(kernel.by_name["x_map"], driver.Driver())
            words = struct.unpack("<16q", encoded)
            print(json.dumps([words[0], words[1] == tensors["x"].data_ptr(), *words[2:]]))"""))
        self.assertEqual(words, [6, True, 64, 64, 721, 91, 71, 31, 0, -1, -1, 0, -1, -1, 0, 3])

    def test_what_cannot_be_exported_is_refused(self):
        def refused(*words):
            done = run([PROGRAM, "export", *words], folder=self.folder)
            return done.returncode, done.stderr
        folder = self.kernel("nothing", strides=", output = true")
        code, said = refused("--torch", folder)
        self.assertEqual(code, 2)
        self.assertIn("no tensor is given", said)
        code, said = refused("--torch", self.kernel("broken", launch=None, function="void assay_launch(int);"))
        self.assertEqual(code, 2)
        self.assertIn("does not compile", said)
        self.assertEqual(refused(ROOT / "kernels/softmax")[0], 2)
        self.assertEqual(refused("--torch", ROOT / "kernels/softmax", "--out", "not-a-name")[0], 2)
        (self.folder / "full").mkdir()
        (self.folder / "full/file").write_text("mine")
        self.assertEqual(refused("--torch", ROOT / "kernels/softmax", "--out", "full")[0], 2)
        self.assertEqual((self.folder / "full/file").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
