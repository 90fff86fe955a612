# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variables of a frame and their values."""
