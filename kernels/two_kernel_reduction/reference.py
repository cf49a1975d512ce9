# SPDX-License-Identifier: MIT
def reference(x):
    return x.mean(keepdims=True)
