# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frames of a stack, as GDB's own commands show them."""
