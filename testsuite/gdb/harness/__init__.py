# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests share: starting GDB and fixture programs, and comparing what they say."""
