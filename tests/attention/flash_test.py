# SPDX-License-Identifier: MIT
"""flash-attn's functions as the package offers them: what they make of their arguments, and what they refuse. Neither
PyTorch nor a GPU is needed."""

import ctypes
import importlib
import inspect
import math
import pathlib
import sys
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import assay_attention  # noqa: E402
from assay_attention import Unsupported, flash_call, library  # noqa: E402

BUILT = library.candidates() and any(path.is_file() for path in library.candidates())


class Array:
    """A tensor as flash_call.py looks at one: no framework, no memory."""

    def __init__(self, *shape, dtype="half", strides=None, device=0):
        self.shape, self.dtype, self.device = shape, dtype, device
        self.strides = strides or tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))

    def stride(self):
        return self.strides

    def data_ptr(self):
        return 1 << 20

    def get_device(self):
        return self.device


TYPES = flash_call.Types({"half": library.F16, "bfloat": library.BF16}, "int")


def int_array(*shape, **others):
    return Array(*shape, dtype="int", **others)


class FlashCalls(unittest.TestCase):
    """Arguments of flash-attn's functions as calls of the C library."""

    PLAIN = {"causal": False, "window_size": (-1, -1), "softcap": 0.0, "scale": None}

    def assert_refused(self, text, function, *arguments, **options):
        with self.assertRaises(Unsupported) as caught:
            function(*arguments, **options)
        self.assertIn(text, str(caught.exception))
        self.assertIn("no dropout", str(caught.exception))

    def kernel(self, call, capability=90):
        name = ctypes.c_char_p()
        status = library.load().assay_attention_query(call, capability, ctypes.byref(name))
        self.assertEqual(status, library.OK, library.load().assay_attention_last_error())
        return name.value.decode()

    def dense(self, q, k, **options):
        return flash_call.dense_call(TYPES, q, k, k, q, None, **{**self.PLAIN, **options})

    def varlen(self, q, k, starts, keys=None, most=(100, 300), table=None, lse=None, **options):
        return flash_call.varlen_call(TYPES, q, k, k, q, lse, starts, keys or starts, *most, block_table=table,
                                      **{**self.PLAIN, **options})

    def cache(self, q, cache, k=None, lengths=None, lines=None, table=None, **options):
        return flash_call.cache_calls(TYPES, q, cache, cache, q, None, k, k, lengths, lines, table, **{**self.PLAIN, **options})

    @unittest.skipUnless(BUILT, "libassay_attention.so is not built (make attention)")
    def test_kernels(self):
        q, k = Array(2, 512, 8, 64), Array(2, 512, 2, 64)
        self.assertRegex(self.kernel(self.dense(q, k)), "^(resident|streaming)")
        self.assertRegex(self.kernel(self.dense(q, k, window_size=(1000, 0))), "_causal$|causal")
        for options in ({"window_size": (100, 0)}, {"softcap": 30.0}):
            self.assertRegex(self.kernel(self.dense(q, k, **options), 80), "^serving_tiles_f16_d64")
            self.assertRegex(self.kernel(self.dense(q, k, **options)), "^serving_(tiles|streaming)_f16_d64")
        starts, q = int_array(5), Array(400, 8, 128, dtype="bfloat")
        self.assertRegex(self.kernel(self.varlen(q, Array(1200, 8, 128, dtype="bfloat"), starts)),
                         "^serving_(tiles|streaming)_bf16_d128")
        pages = Array(99, 16, 8, 128)
        decoding = self.varlen(Array(4, 32, 128), pages, starts, most=(1, 4096), table=int_array(4, 256))
        self.assertRegex(self.kernel(decoding), "^serving_split_f16_d128_1x16")
        self.assertRegex(self.kernel(decoding, 89), "^serving_tiles_f16_d128")
        append, call = self.cache(Array(4, 1, 32, 128), pages, Array(4, 1, 8, 128), int_array(4), table=int_array(4, 256))
        self.assertEqual(len(append), library.APPEND_CALL.size)
        self.assertRegex(self.kernel(call), "^serving_split_f16_d128")
        append, call = self.cache(Array(4, 1, 32, 128), Array(4, 4096, 8, 128), lengths=1000)
        self.assertIsNone(append)
        self.assertRegex(self.kernel(call), "^split_keys_f16_d128", "one length for all needs no array")
        _, call = self.cache(Array(4, 1, 32, 128), Array(9, 1001, 8, 128), lengths=int_array(4), lines=int_array(4))
        self.assertRegex(self.kernel(call), "^serving_split_f16_d128")

    def test_nothing_to_see(self):
        self.assertEqual(self.cache(Array(4, 1, 32, 128), Array(4, 4096, 8, 128), lengths=0), (None, None))

    def test_refusals(self):
        for text, options in (("dropout_p is 0.1", {"dropout_p": 0.1}), ("alibi", {"alibi_slopes": 1}),
                              ("before the call", {"rotary_cos": 1}), ("cache_leftpad", {"cache_leftpad": 1})):
            self.assert_refused(text, flash_call.refuse_missing_features, **options)
        flash_call.refuse_missing_features()
        q, k, starts = Array(2, 100, 8, 64), Array(2, 300, 2, 64), int_array(5)
        self.assert_refused("q is float", self.dense, Array(2, 100, 8, 64, dtype="float"), k)
        self.assert_refused("k is bfloat", self.dense, q, Array(2, 300, 2, 64, dtype="bfloat"))
        self.assert_refused("not on a GPU", self.dense, Array(2, 100, 8, 64, device=-1), k)
        self.assert_refused("different devices", self.dense, q, Array(2, 300, 2, 64, device=1))
        self.assert_refused("q has 3 dimensions", self.dense, Array(100, 8, 64), k)
        self.assert_refused("shapes", self.dense, q, Array(3, 300, 2, 64))
        self.assert_refused("not contiguous", self.dense, q, Array(2, 300, 2, 64, strides=(1, 1, 1, 2)))
        self.assert_refused("32-bit", self.dense, Array(1 << 40, 1, 1, 8), Array(1 << 40, 1, 1, 8))
        packed, keys = Array(260, 8, 64), Array(900, 2, 64)
        self.varlen(packed, keys, starts)
        self.assert_refused("cu_seqlens_q is half", self.varlen, packed, keys, Array(5))
        self.assert_refused("cu_seqlens_k has the shape (4,); (5) is meant", self.varlen, packed, keys, starts, int_array(4))
        self.assert_refused("not on the device", self.varlen, packed, keys, int_array(5, device=1))
        self.assert_refused("k has 3 dimensions; 4", self.varlen, packed, keys, starts, table=int_array(4, 3))
        pages = Array(99, 16, 2, 64)
        self.assert_refused("hold 48 keys", self.varlen, packed, pages, starts, table=int_array(4, 3))
        self.assert_refused("(4, any) is meant", self.varlen, packed, pages, starts, table=int_array(3, 3))
        self.assert_refused("a page has 24 rows", self.varlen, packed, Array(99, 24, 2, 64), starts, table=int_array(4, 99))
        q, cache, new = Array(4, 1, 8, 64), Array(4, 100, 2, 64), Array(4, 3, 2, 64)
        self.cache(q, cache, new, 97)
        self.assert_refused("holds 100", self.cache, q, cache, new, 98)
        self.assert_refused("without cache_seqlens", self.cache, q, cache, new)
        self.assert_refused("holds 100", self.cache, q, cache, lengths=-1)
        self.assert_refused("the cache has 3 sequences", self.cache, q, Array(3, 100, 2, 64))
        self.assert_refused("is meant", self.cache, q, cache, Array(4, 3, 1, 64), 5)
        self.assert_refused("both given", self.cache, q, pages, lengths=5, lines=int_array(4), table=int_array(4, 3))
        self.assert_refused("cache_seqlens is half", self.cache, q, cache, lengths=Array(4))
        self.assert_refused("without the other", flash_call.cache_calls, TYPES, q, cache, cache, q, None, new, None, 5, None, None,
                            **self.PLAIN)

    def test_strides_and_windows(self):
        def field(call, index):
            return library.SERVING_CALL.unpack(call)[index]

        call = self.dense(Array(2, 100, 8, 64), Array(2, 300, 2, 64), window_size=(7, -1), causal=True)
        self.assertEqual(library.SERVING_CALL.unpack(call)[7:10], (51200, 64, 512), "batch, head, row")
        self.assertEqual(field(call, 1), library.WINDOW | library.CAUSAL)
        self.assertEqual(library.SERVING_CALL.unpack(call)[-3:], (7, -1, 0.0))
        self.assertEqual(field(self.dense(Array(2, 100, 8, 64), Array(2, 300, 2, 64), causal=True), 1), library.CAUSAL)


class FakeTorchTensor(Array):
    """As much of a PyTorch tensor as flash.py needs."""
    device, is_meta, requires_grad = "cuda", False, False

    def new_empty(self, shape, dtype):
        return FakeTorchTensor(*shape, dtype=dtype)

    def stride(self, axis=None):
        return self.strides if axis is None else self.strides[axis]

    def get_device(self):
        return 0

    def dim(self):
        return len(self.shape)

    def numel(self):
        return math.prod(self.shape)

    def contiguous(self):
        return FakeTorchTensor(*self.shape, dtype=self.dtype)

    def zero_(self):
        self.zeroed = True

    def fill_(self, value):
        self.filled = value


class FlashFunctions(unittest.TestCase):
    """The functions themselves, over a PyTorch that is not there and a library that notes what it is asked for."""

    def setUp(self):
        torch = unittest.mock.MagicMock()
        torch.Tensor, torch.float16, torch.bfloat16, torch.int32, torch.float32 = FakeTorchTensor, "half", "bfloat", "int", "float"
        torch.compiler.is_compiling.return_value = False
        torch.is_grad_enabled.return_value = False
        torch.autograd.forward_ad._current_level = -1
        torch._C._cuda_getDevice.return_value = 0
        torch._C._cuda_getCurrentRawStream.return_value = 17
        torch._C._len_torch_dispatch_stack.return_value = 0
        torch._C._functorch.peek_interpreter_stack.return_value = None
        torch._C._is_tracing.return_value = False
        torch.empty_like = lambda model: FakeTorchTensor(*model.shape, dtype=model.dtype)
        torch.empty = lambda shape, dtype, device: FakeTorchTensor(*shape, dtype=dtype)
        names = [f"assay_attention.{name}" for name in ("launch", "operator", "flash_launch", "flash_operator", "flash")]
        patch = unittest.mock.patch.dict(sys.modules, {"torch": torch})
        patch.start()
        self.addCleanup(patch.stop)
        for name in names:
            self.forget(name)
            self.addCleanup(self.forget, name)
        self.flash = importlib.import_module("assay_attention.flash")
        self.calls = []
        self.launch = importlib.import_module("assay_attention.flash_launch")
        self.operators = importlib.import_module("assay_attention.flash_operator")
        self.launch._functions = tuple(lambda call, stream, which=which: self.calls.append((which, call, stream)) or 0
                                       for which in ("forward", "append"))
        self.torch = torch
        self.watched = False
        self.flash._is_compiling = lambda: self.watched

    def forget(self, module):
        """Also as an attribute of the package, which `from . import` takes before it looks for a module."""
        sys.modules.pop(module, None)
        vars(assay_attention).pop(module.rpartition(".")[2], None)

    def tensor(self, *shape, **others):
        return FakeTorchTensor(*shape, **others)

    def starts(self, count):
        return FakeTorchTensor(count, dtype="int")

    def test_dense(self):
        q, k = self.tensor(2, 100, 8, 64), self.tensor(2, 300, 2, 64)
        out = self.flash.flash_attn_func(q, k, k, causal=True)
        self.assertEqual(out.shape, q.shape)
        out, lse, nothing = self.flash.flash_attn_func(q, k, k, 0.0, 0.5, True, (7, 3), 30.0, return_attn_probs=True)
        self.assertEqual(lse.shape, (2, 8, 100))
        self.assertIsNone(nothing)
        (which, first, stream), (_, second, _) = self.calls
        self.assertEqual((which, stream), ("forward", 17))
        self.assertEqual(library.SERVING_CALL.unpack(first)[-1], 0.0)
        self.assertEqual(library.SERVING_CALL.unpack(second)[-3:], (7, 3, 30.0))
        self.assertEqual(library.SERVING_CALL.unpack(second)[26], 0.5)
        turned = self.tensor(2, 300, 2, 64, strides=(38400, 1, 300, 600))
        self.flash.flash_attn_func(q, turned, k)
        self.assertEqual(library.SERVING_CALL.unpack(self.calls[-1][1])[10:13], (38400, 64, 128), "made contiguous")

    def test_empty(self):
        q, none = self.tensor(2, 100, 8, 64), self.tensor(2, 0, 2, 64)
        out, lse, _ = self.flash.flash_attn_func(q, none, none, return_attn_probs=True)
        self.assertTrue(out.zeroed)
        self.assertEqual(lse.filled, -math.inf)
        self.flash.flash_attn_func(self.tensor(0, 100, 8, 64), self.tensor(0, 300, 2, 64), self.tensor(0, 300, 2, 64))
        self.flash.flash_attn_varlen_func(self.tensor(0, 8, 64), self.tensor(0, 2, 64), self.tensor(0, 2, 64), self.starts(3),
                                          self.starts(3), 0, 0)
        self.assertEqual(self.calls, [])

    def test_varlen(self):
        q, k = self.tensor(260, 8, 64), self.tensor(900, 2, 64)
        out, lse, _ = self.flash.flash_attn_varlen_func(q, k, k, self.starts(5), self.starts(5), 100, 300, causal=True,
                                                        return_attn_probs=True)
        self.assertEqual(lse.shape, (8, 260))
        fields = library.SERVING_CALL.unpack(self.calls[0][1])
        self.assertEqual(fields[19:25], (4, 8, 2, 100, 300, 64))
        self.assertEqual(fields[32:34], (260, 0), "rows of all, added keys")
        table = self.tensor(4, 20, dtype="int")
        self.flash.flash_attn_varlen_func(q, self.tensor(99, 16, 2, 64), self.tensor(99, 16, 2, 64), self.starts(5), self.starts(5), 100,
                                          300, block_table=table)
        self.assertEqual(library.SERVING_CALL.unpack(self.calls[1][1])[34], 16)

    def test_cache(self):
        q, cache, new = self.tensor(4, 1, 8, 64), self.tensor(4, 100, 2, 64), self.tensor(4, 1, 2, 64)
        lengths = self.starts(4)
        out, lse = self.flash.flash_attn_with_kvcache(q, cache, cache, new, new, cache_seqlens=lengths, causal=True,
                                                      return_softmax_lse=True)
        self.assertEqual([which for which, _, _ in self.calls], ["append", "forward"])
        self.assertEqual(lse.shape, (4, 8, 1))
        self.assertEqual(library.SERVING_CALL.unpack(self.calls[1][1])[33], 1, "added keys")
        self.flash.flash_attn_with_kvcache(q, cache, cache, cache_seqlens=50)
        self.assertEqual(library.SERVING_CALL.unpack(self.calls[2][1])[23], 50)
        out = self.flash.flash_attn_with_kvcache(q, cache, cache, cache_seqlens=0)
        self.assertTrue(out.zeroed)
        self.assertEqual(len(self.calls), 3)

    def test_operators_while_compiling(self):
        """Nothing is launched: the operators are called, with all of their arguments in the order of their schemas."""
        self.watched = True
        operators = {}
        for name in self.operators.SCHEMAS:
            operators[name] = unittest.mock.MagicMock(return_value=(name, "lse"))
            setattr(self.operators, name, operators[name])
        q, k, new = self.tensor(2, 100, 8, 64), self.tensor(2, 300, 2, 64), self.tensor(2, 100, 2, 64)
        lengths, starts = self.starts(2), self.starts(5)
        self.assertEqual(self.flash.flash_attn_func(q, k, k, causal=True), "flash")
        self.assertEqual(self.flash.flash_attn_func(q, k, k, 0.0, 0.5, False, (7, 3), 30.0, return_attn_probs=True),
                         ("flash", "lse", None))
        self.assertEqual([call.args for call in operators["flash"].call_args_list],
                         [(q, k, k, True, -1, -1, 0.0, None, False), (q, k, k, False, 7, 3, 30.0, 0.5, True)])
        packed = self.tensor(260, 8, 64)
        self.flash.flash_attn_varlen_func(packed, packed, packed, starts, starts, 100, 300)
        operators["flash_varlen"].assert_called_once_with(packed, packed, packed, starts, starts, 100, 300, None, False, -1, -1, 0.0,
                                                          None, False)
        self.assertEqual(self.flash.flash_attn_with_kvcache(q, k, k, cache_seqlens=5, return_softmax_lse=True), ("flash_cache", "lse"))
        operators["flash_cache"].assert_called_once_with(q, k, k, None, 5, None, None, False, -1, -1, 0.0, None, True)
        self.flash.flash_attn_with_kvcache(q, k, k, new, new, cache_seqlens=lengths)
        operators["flash_append"].assert_called_once_with(q, k, k, new, new, lengths, None, None, None, False, -1, -1, 0.0, None, False)
        self.assertEqual(self.calls, [])

    def test_operators_for_whoever_watches(self):
        q = self.tensor(2, 100, 8, 64)
        self.operators.flash = unittest.mock.MagicMock(return_value=("out", "lse"))
        q.is_meta = True
        self.assertEqual(self.flash.flash_attn_func(q, q, q), "out")
        q.is_meta = False
        self.flash.flash_attn_func(q, q, q)
        self.operators.flash.assert_called_once()
        self.assertEqual(len(self.calls), 1)

    def test_schemas(self):
        """Every operator's functions take what its schema names, and the one that writes into the cache says so."""
        self.assertEqual(list(self.operators.SCHEMAS), ["flash", "flash_varlen", "flash_cache", "flash_append"])
        for name, schema in self.operators.SCHEMAS.items():
            arguments, results = schema[1:].split(") -> ")
            self.assertEqual(results, "(Tensor, Tensor)")
            names = [argument.split()[-1] for argument in arguments.split(", ")]
            for function in (f"_{name}", f"_fake_{name}"):
                self.assertEqual(list(inspect.signature(getattr(self.operators, function)).parameters), names)
            written = [argument for argument in arguments.split(", ") if "!" in argument]
            self.assertEqual(written, ["Tensor(a!) key_cache", "Tensor(b!) value_cache"] if name == "flash_append" else [])
        defined = [call.args[0].split("(")[0] for call in self.operators.LIBRARY.define.call_args_list]
        self.assertEqual(set(defined) - {"forward", "forward_lse"}, set(self.operators.SCHEMAS))
        keys = [call.args[2] for call in self.operators.LIBRARY.impl.call_args_list if call.args[0] == "flash_append"]
        self.assertEqual(keys, ["CUDA", "CPU", "Autograd"])

    def test_operators_on_tensors_with_memory(self):
        q, cache, new, plain = self.tensor(4, 1, 8, 64), self.tensor(4, 100, 2, 64), self.tensor(4, 1, 2, 64), (True, -1, -1, 0.0, None)
        out, lse = self.operators._flash(q, cache, cache, *plain, True)
        self.assertEqual((out.shape, lse.shape), (q.shape, (4, 8, 1)))
        out, lse = self.operators._flash_cache(q, cache, cache, None, 50, None, None, *plain, False)
        self.assertEqual(lse.shape, (0,), "not wanted")
        self.operators._flash_append(q, cache, cache, new, new, self.starts(4), None, None, None, *plain, False)
        packed = self.tensor(100, 8, 64)
        _, lse = self.operators._flash_varlen(packed, packed, packed, self.starts(3), self.starts(3), 50, 50, None, *plain, True)
        self.assertEqual(lse.shape, (8, 100))
        self.assertEqual([which for which, _, _ in self.calls], ["forward", "forward", "append", "forward", "forward"])
        self.assertEqual(library.SERVING_CALL.unpack(self.calls[1][1])[23], 50)

    def test_operators_on_tensors_without_memory(self):
        q, k, new, plain = self.tensor(4, 9, 8, 64), self.tensor(4, 100, 2, 64), self.tensor(4, 9, 2, 64), (True, -1, -1, 0.0, None)
        packed, cache = self.tensor(100, 8, 64), (None, 50, None, None)
        for (out, lse), shape in ((self.operators._fake_flash(q, k, k, *plain, True), (4, 8, 9)),
                                  (self.operators._fake_flash(q, k, k, *plain, False), (0,)),
                                  (self.operators._fake_flash_cache(q, k, k, *cache, *plain, True), (4, 8, 9)),
                                  (self.operators._fake_flash_append(q, k, k, new, new, *cache, *plain, True), (4, 8, 9))):
            self.assertEqual((out.shape, out.dtype, lse.shape, lse.dtype), (q.shape, "half", shape, "float"))
        out, lse = self.operators._fake_flash_varlen(packed, packed, packed, self.starts(3), self.starts(3), 9, 9, None, *plain, True)
        self.assertEqual((out.shape, lse.shape), (packed.shape, (8, 100)))
        self.assertEqual(self.calls, [])
        for text, arguments in (("query is float", (self.tensor(4, 9, 8, 64, dtype="float"), k, k)),
                                ("value is bfloat", (q, k, self.tensor(4, 100, 2, 64, dtype="bfloat"))),
                                ("query has 3 dimensions", (packed, k, k))):
            with self.assertRaisesRegex(Unsupported, text):
                self.operators._fake_flash(*arguments, *plain, True)

    def test_operators_refuse(self):
        q = self.tensor(4, 9, 8, 64)
        with self.assertRaisesRegex(Unsupported, "query is on "):
            self.operators._refuse_cpu(q, q, q)
        q.requires_grad = True
        self.torch.is_grad_enabled.return_value = True
        with self.assertRaisesRegex(Unsupported, "a gradient is required"):
            self.operators._without_gradients("flash")(q, q, q)
        self.torch.is_grad_enabled.return_value = False
        self.operators._without_gradients("flash")(q, q, q)
        self.torch.ops.assay_attention.flash.default.assert_called_once_with(q, q, q)

    def test_refusals(self):
        q, k = self.tensor(2, 100, 8, 64), self.tensor(2, 300, 2, 64)
        with self.assertRaisesRegex(TypeError, "k is a int"):
            self.flash.flash_attn_func(q, 5, k)
        for text, options in (("dropout_p", {"dropout_p": 0.5}), ("alibi", {"alibi_slopes": q})):
            with self.assertRaisesRegex(Unsupported, text):
                self.flash.flash_attn_func(q, k, k, **options)
        with self.assertRaisesRegex(Unsupported, "before the call"):
            self.flash.flash_attn_with_kvcache(q, k, k, rotary_cos=q, rotary_sin=q)
        with self.assertRaisesRegex(Unsupported, "k_cache: the last dimension"):
            self.flash.flash_attn_with_kvcache(q, self.tensor(2, 300, 2, 64, strides=(1, 1, 1, 2)), k)
        q.requires_grad = k.requires_grad = True
        self.flash.wants_gradients.__globals__["_is_grad_enabled"] = lambda: True
        with self.assertRaisesRegex(Unsupported, "a gradient is required"):
            self.flash.flash_attn_func(q, k, k)

    def test_the_arguments_are_those_of_flash_attn(self):
        self.assertEqual(list(inspect.signature(self.flash.flash_attn_func).parameters),
                         ["q", "k", "v", "dropout_p", "softmax_scale", "causal", "window_size", "softcap", "alibi_slopes", "deterministic",
                          "return_attn_probs"])
        self.assertEqual(list(inspect.signature(self.flash.flash_attn_varlen_func).parameters),
                         ["q", "k", "v", "cu_seqlens_q", "cu_seqlens_k", "max_seqlen_q", "max_seqlen_k", "dropout_p", "softmax_scale",
                          "causal", "window_size", "softcap", "alibi_slopes", "deterministic", "return_attn_probs", "block_table"])
        self.assertEqual(list(inspect.signature(self.flash.flash_attn_with_kvcache).parameters),
                         ["q", "k_cache", "v_cache", "k", "v", "rotary_cos", "rotary_sin", "cache_seqlens", "cache_batch_idx",
                          "cache_leftpad", "block_table", "softmax_scale", "causal", "window_size", "softcap", "rotary_interleaved",
                          "alibi_slopes", "num_splits", "return_softmax_lse"])


if __name__ == "__main__":
    unittest.main()
