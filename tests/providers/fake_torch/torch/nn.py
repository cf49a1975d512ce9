# SPDX-License-Identifier: MIT
"""Modules that are called as PyTorch's are."""


class Module:
    def __call__(self, *arguments):
        return self.forward(*arguments)

    def cuda(self):
        return self

    def double(self):
        return self
