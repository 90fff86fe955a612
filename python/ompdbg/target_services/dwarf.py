# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of DWARF 5 (7.5), and attributes with the type that they must have: debug information
may be damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from _target import Die

TAG_ARRAY, TAG_MEMBER, TAG_POINTER, TAG_COMPILE_UNIT = 0x01, 0x0D, 0x0F, 0x11
TAG_STRUCTURE, TAG_CLASS, TAG_UNION, TAG_TYPEDEF = 0x13, 0x02, 0x17, 0x16
TAG_INLINED, TAG_SUBRANGE, TAG_BASE, TAG_CONST = 0x1D, 0x21, 0x24, 0x26
TAG_SUBPROGRAM, TAG_VARIABLE, TAG_VOLATILE = 0x2E, 0x34, 0x35
TAG_INHERITANCE, TAG_RESTRICT, TAG_NAMESPACE, TAG_ATOMIC = 0x1C, 0x37, 0x39, 0x47

AT_LOCATION, AT_NAME, AT_BYTE_SIZE, AT_COMP_DIR = 0x02, 0x03, 0x0B, 0x1B
AT_LOWER_BOUND, AT_UPPER_BOUND, AT_COUNT, AT_MEMBER_LOCATION = 0x22, 0x2F, 0x37, 0x38
AT_DECL_FILE, AT_DECL_LINE, AT_DECLARATION, AT_TYPE = 0x3A, 0x3B, 0x3C, 0x49
AT_CALL_FILE, AT_CALL_LINE, AT_BIT_SIZE, AT_LINKAGE_NAME = 0x58, 0x59, 0x0D, 0x6E
AT_ORDERING, AT_SPECIFICATION, AT_DATA_BIT_OFFSET = 0x09, 0x47, 0x6B
AT_LANGUAGE, AT_ABSTRACT_ORIGIN, AT_BIT_OFFSET = 0x13, 0x31, 0x0C
TAG_MODULE, TAG_PARAMETER, TAG_REFERENCE, TAG_RVALUE = 0x1E, 0x05, 0x10, 0x42
AT_ARTIFICIAL, AT_PRODUCER = 0x34, 0x25
POINTERS = (TAG_POINTER, TAG_REFERENCE, TAG_RVALUE)
TAG_ENUMERATION, TAG_ENUMERATOR, TAG_BLOCK = 0x04, 0x28, 0x0B
TAG_TEMPLATE_TYPE, TAG_MEMBER_POINTER = 0x2F, 0x1F
AT_LOW_PC, AT_RANGES = 0x11, 0x55
AT_CONST_VALUE, AT_ENCODING, AT_EXTERNAL, AT_FRAME_BASE = 0x1C, 0x3E, 0x3F, 0x40
AT_ENUM_CLASS, AT_CALL_ORIGIN = 0x6D, 0x7F
TAG_STRING, AT_STRING_LENGTH = 0x12, 0x19  # of Fortran
# Of arrays with descriptors.
AT_ALLOCATED, AT_ASSOCIATED, AT_DATA_LOCATION, AT_BYTE_STRIDE = 0x4E, 0x4F, 0x50, 0x51
COLUMN_MAJOR = 1

# Of DWARF 5, and of GNU's extension of DWARF 4.
CALL_PARAMETERS = (0x49, 0x410A)
CALL_TARGETS, CALL_VALUES = (0x83, 0x2113), (0x7E, 0x2111)

# DW_ATE of base types.
ATE_BOOLEAN, ATE_COMPLEX, ATE_FLOAT, ATE_SIGNED, ATE_SIGNED_CHAR = 0x02, 0x03, 0x04, 0x05, 0x06
ATE_UNSIGNED, ATE_UNSIGNED_CHAR, ATE_UTF = 0x07, 0x08, 0x10

CXX = (0x04, 0x1A, 0x21, 0x2B)  # C++98, 11, 14, 20
FORTRAN = (0x07, 0x08, 0x0E, 0x22, 0x23)

FUNCTIONS = (TAG_SUBPROGRAM, TAG_INLINED)


def text(die: "Die", name: int) -> Optional[str]:
    """An attribute that is a name."""
    value = die.attribute(name)
    return value if isinstance(value, str) else None


def number(die: "Die", name: int) -> Optional[int]:
    """An attribute that is a number."""
    value = die.attribute(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def entry(die: "Die", name: int) -> "Optional[Die]":
    """An attribute that refers to another entry."""
    import _target

    value = die.attribute(name)
    return value if isinstance(value, _target.Die) else None


def own_entry(die: "Die", name: int) -> "Optional[Die]":
    """The same, of the entry alone."""
    import _target

    value = die.own_attribute(name)
    return value if isinstance(value, _target.Die) else None
