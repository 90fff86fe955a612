# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of the program, and stops at OpenMP's events."""
