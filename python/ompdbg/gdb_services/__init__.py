# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB as a debugger for the model: the services of `ompdbg.services`."""
