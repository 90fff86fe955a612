# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB's terminal and its commands: text in, text out."""
