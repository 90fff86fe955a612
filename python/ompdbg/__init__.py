# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdbg: OpenMP threads, teams, tasks and stacks in a debugger."""

SCHEMA = "ompdbg/1"
