# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A core file or a process without a debugger: the services of `ompdbg.services`."""
