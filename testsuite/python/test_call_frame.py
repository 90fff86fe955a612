# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Call frame information, of the C library that Python itself runs on."""

import ctypes
import re
from typing import List, Tuple

import pytest
from ompdbg.gdb_services.call_frame import CallFrames, Frame, Unknown

WORD = 8
PAGE = 4096


def mappings(pattern: str) -> List[Tuple[int, int]]:
    """Where files with such a name are mapped."""
    found = []
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if re.search(pattern, line):
                begin, end = line.split()[0].split("-")
                found.append((int(begin, 16), int(end, 16)))
    return found


def libc() -> CallFrames:
    """Its table."""
    return CallFrames(ctypes.string_at, mappings(r"/libc[.-].*so")[0][0])


def function(name: str) -> int:
    """Entry point of a function of the C library."""
    address = ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value
    assert address is not None
    return address


@pytest.mark.parametrize("name", ["qsort_r", "fopen", "posix_spawn", "getaddrinfo", "abort"])
def test_at_its_entry_a_function_has_only_the_return_address(name: str) -> None:
    assert libc().at(function(name)) == Frame(WORD, False)


@pytest.mark.parametrize("name", ["qsort_r", "getaddrinfo", "posix_spawn"])
def test_pushes_are_seen_right_behind_them(name: str) -> None:
    frames, entry = libc(), function(name)
    pushes = {
        b"\x55": 1,
        b"\x53": 1,
        b"\x41\x54": 2,
        b"\x41\x55": 2,
        b"\x41\x56": 2,
        b"\x41\x57": 2,
    }
    at, size = entry, WORD
    if ctypes.string_at(at, 4) == b"\xf3\x0f\x1e\xfa":  # endbr64
        at += 4
    seen = 0
    while seen < 4:
        length = pushes.get(ctypes.string_at(at, 1), pushes.get(ctypes.string_at(at, 2), 0))
        if not length:
            break
        assert frames.at(at) == Frame(size, False)
        at, size, seen = at + length, size + WORD, seen + 1
    assert frames.at(at) == Frame(size, False)


def test_nobody_called_the_begin_of_a_thread() -> None:
    entry = function("clone")
    frames = libc()
    found = []
    for address in range(entry, entry + 128):
        try:
            found.append(frames.at(address).outermost)
        except Unknown:
            pass
    assert True in found


def test_what_is_no_function_is_not_known() -> None:
    first, last = mappings(r"/libc[.-].*so")[0]
    with pytest.raises(Unknown):
        libc().at(first)
    with pytest.raises(Unknown):
        libc().at(last + (1 << 32))


def test_what_is_no_object_has_no_table() -> None:
    memory = ctypes.create_string_buffer(PAGE)
    with pytest.raises(Unknown):
        CallFrames(ctypes.string_at, ctypes.addressof(memory))
