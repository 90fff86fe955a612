# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of GDB, one in each file. What they need is imported when they are used."""
