# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program that GDB debugs: its processes, threads, stacks, files and libraries."""
