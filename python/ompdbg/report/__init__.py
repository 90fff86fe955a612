# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everything that is known of a process at one stop, in one document."""
