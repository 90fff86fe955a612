# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Front ends that show OpenMP: GDB/MI, the Debug Adapter Protocol, LLVM's plug-in."""
