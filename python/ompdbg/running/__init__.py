# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and looks after all processes below it: `ompdbg run`."""
