# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a target cannot be opened."""


class CannotOpen(Exception):
    """One line that says what is wrong with what the user named, without a full stop."""
