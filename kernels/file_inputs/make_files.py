#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes gain.npy, weights.safetensors and table.bin as NumPy, safetensors and a C program would, without any of them."""

import json
import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parent
GAIN = [1 + i / 64 for i in range(48)]
SHIFT = [(i % 7 - 3) / 8 for i in range(48)]
SCALE = [0.5, 2.0]
TABLE = [(37 * i + 11) % 256 for i in range(16)]


def npy(values):
    """Version 1.0: magic, length of the head, the head as Python text padded to 64 bytes, the elements."""
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}f", *values)


def safetensors(tensors):
    """Length of the head, the head as JSON with the place of each tensor, the elements."""
    head, data = {}, b""
    for name, (dtype, code, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}{code}", *values)
        head[name] = {"dtype": dtype, "shape": [len(values)], "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + data


(FOLDER / "gain.npy").write_bytes(npy(GAIN))
(FOLDER / "weights.safetensors").write_bytes(
    safetensors({"layer.scale": ("F32", "f", SCALE), "layer.shift": ("F16", "e", SHIFT)}))
(FOLDER / "table.bin").write_bytes(b"TAB1" + bytes(TABLE))
