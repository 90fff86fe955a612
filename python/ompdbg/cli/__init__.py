# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line `ompdbg`: core files and processes, without a debugger."""
