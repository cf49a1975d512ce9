# SPDX-License-Identifier: MIT
"""tools/same_machine_code.py: what it calls a difference. On ELF files made here, so that no nvcc is needed."""

import pathlib
import struct
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import same_machine_code  # noqa: E402


def cubin(kernels, comment=b"made today"):
    """An ELF file with a .text section per kernel: name -> (instructions, registers)."""
    contents = [("", b"", 0), *((f".text.{name}", code, registers << 24) for name, (code, registers) in kernels.items()),
                (".comment", comment, 0)]
    names, offsets = b"", []
    for name, _, _ in [*contents, (".shstrtab", b"", 0)]:
        offsets.append(len(names))
        names += name.encode() + b"\0"
    contents.append((".shstrtab", names, 0))
    body, headers = b"", b""
    for (_, data, info), name_offset in zip(contents, offsets):
        headers += struct.pack("<IIQQQQIIQQ", name_offset, 1, 0, 0, 64 + len(body), len(data), 0, info, 1, 0)
        body += data
    start = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64,
                                                              len(contents), len(contents) - 1)
    return start + body + headers


def compared(old, new):
    key = ("kernel.cu", "90a")
    return list(same_machine_code.differences({key: same_machine_code.sections(old)}, {key: same_machine_code.sections(new)}))


class SameMachineCode(unittest.TestCase):
    KERNELS = {"one": (b"\x01\x02\x03\x04", 40), "two": (b"\x05\x06", 128)}

    def test_the_same_instructions_are_the_same(self):
        self.assertEqual(compared(cubin(self.KERNELS), cubin(self.KERNELS, b"made tomorrow")), [])
        self.assertEqual(set(same_machine_code.sections(cubin(self.KERNELS))), {".text.one", ".text.two"})

    def test_another_instruction_is_a_difference(self):
        found = compared(cubin(self.KERNELS), cubin({**self.KERNELS, "two": (b"\x05\x07", 128)}))
        self.assertEqual(found, ["kernel.cu (sm_90a): .text.two differs"])

    def test_another_number_of_registers_is_a_difference(self):
        self.assertEqual(len(compared(cubin(self.KERNELS), cubin({**self.KERNELS, "one": (b"\x01\x02\x03\x04", 48)}))), 1)

    def test_a_kernel_more_is_a_difference(self):
        found = compared(cubin(self.KERNELS), cubin({**self.KERNELS, "three": (b"\x08", 16)}))
        self.assertEqual(found, ["kernel.cu (sm_90a): .text.three is only in one of the two"])

    def test_what_is_no_cubin_is_refused(self):
        with self.assertRaises(SystemExit):
            same_machine_code.sections(b"no ELF file")


if __name__ == "__main__":
    unittest.main()
