# SPDX-License-Identifier: MIT
"""The transformations that mutate tries, a file for each family."""
