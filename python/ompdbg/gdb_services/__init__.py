# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libompdbg and the commands ask of GDB."""
