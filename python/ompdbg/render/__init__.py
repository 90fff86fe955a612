# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model as text and as JSON. Nothing here knows a debugger."""
