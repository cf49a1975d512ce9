# SPDX-License-Identifier: MIT
"""Puts the fake device in the place of the one that needs a GPU, in every Python that finds this folder."""

import importlib.util
import os
import sys


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch_gpu":
            return None
        here = os.path.dirname(os.path.abspath(__file__))
        return importlib.util.spec_from_file_location(name, os.path.join(here, "fake_torch_gpu.py"))


sys.meta_path.insert(0, Finder)
