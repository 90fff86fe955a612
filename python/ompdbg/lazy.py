# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes that are worked out when they are first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property:
        """The same as Python's, whose versions before 3.12 take a lock each time."""

        def __init__(self, function):
            self._function = function
            self._name = function.__name__
            self.__doc__ = function.__doc__

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._function(instance)
            return value
