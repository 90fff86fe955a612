# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rights with which source files are read.

Root looks at programs of others. Their debug information must not choose which of root's files
a page shows.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Iterator, List, Optional, Tuple

_owner: Optional[Tuple[int, int, List[int]]] = None  # user, group, further groups


def set_owner(told: str) -> None:
    """Take the rights of another user, as "USER:GROUP,GROUP,..."."""
    global _owner
    user, _, groups = told.partition(":")
    group, *others = (int(one) for one in groups.split(","))
    _owner = (int(user), group, others)


@contextmanager
def rights() -> Iterator[None]:
    """Have the owner's rights for a while. Raise OSError if they cannot be had."""
    if _owner is None:
        yield
        return
    user, group, others = _owner
    own = os.geteuid(), os.getegid(), os.getgroups()
    try:
        try:
            os.setgroups(others)
            os.setegid(group)
            os.seteuid(user)
        except OverflowError:
            raise OSError("there is no such user") from None
        yield
    finally:
        os.seteuid(own[0])
        os.setegid(own[1])
        os.setgroups(own[2])
