# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run inside GDB by gen-gomp-layout: prints where DWARF puts each field of gomp_fields.def.

The list to look up is read from the file named by $GOMP_FIELDS, one "structure field" per line
("-" for the structure itself). Each answer is one line, "structure field offset size".
"""

import os
from typing import Optional, Tuple

import gdb


def find_type(name: str) -> Optional[gdb.Type]:
    """The structure of that tag or typedef, or None."""
    for spelling in ("struct " + name, "union " + name, name):
        try:
            return gdb.lookup_type(spelling).strip_typedefs()
        except gdb.error:
            continue
    return None


def find_field(owner: gdb.Type, name: str) -> Optional[Tuple[int, int]]:
    """Offset and size in bytes of a member, also of unnamed unions and structures in owner."""
    for field in owner.fields():
        base = field.bitpos // 8
        if field.name == name:
            if field.bitsize:
                raise gdb.GdbError("%s is a bit field" % name)
            return base, field.type.sizeof
        if not field.name:
            inner = find_field(field.type.strip_typedefs(), name)
            if inner is not None:
                return base + inner[0], inner[1]
    return None


def main() -> None:
    with open(os.environ["GOMP_FIELDS"], encoding="ascii") as wanted:
        names = [line.split() for line in wanted]
    for structure, field in names:
        owner = find_type(structure)
        if owner is None:
            continue
        if field == "-":
            print("layout", structure, "-", 0, owner.sizeof)
            continue
        place = find_field(owner, field)
        if place is not None:
            print("layout", structure, field, *place)


main()
