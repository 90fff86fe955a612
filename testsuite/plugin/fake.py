# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The test's side of the fake OMPD library, and a debugger that serves canned memory."""

import ctypes
import gc
import shutil
import sys
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import _ompd

PAGE = 4096

# Inside GDB, sys.executable may name a file that does not exist.
PYTHON = sys.executable if shutil.which(sys.executable) else str(shutil.which("python3"))

# enum fake_icv
ICV_SCOPE = 1
ICV_GLOBAL = 2
ICV_READ = 3
ICV_SYMBOL = 4
ICV_STRING = 5
ICV_CONTEXT = 6
ICV_PRINT = 7
ICV_WRITE = 8
ICV_CONVERT = 9
ICV_IGNORE = 10


class Fake:
    """Loads the library a second time (dlopen gives the same one) to steer it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._library = ctypes.CDLL(str(path))
        self._library.fake_add_read.argtypes = [ctypes.c_uint64, ctypes.c_uint64]
        self._library.fake_set_tasks.argtypes = [ctypes.c_uint64] * 3 + [ctypes.c_int64]

    def reset(self) -> None:
        self._library.fake_reset()

    def fail(self, function: str, code: int, reason: str = "") -> None:
        self._library.fake_fail(function.encode(), code)
        self._library.fake_set_reason(reason.encode())

    def reads(self, *ranges: Tuple[int, int]) -> None:
        """What ICV_READ shall read: (address, size) each."""
        self._library.fake_reset()
        for address, size in ranges:
            self._library.fake_add_read(address, size)

    def tasks(self, count: int, damaged_at: int = 0, heap: int = 0, step: int = 0) -> None:
        self._library.fake_set_tasks(count, damaged_at, heap, step)

    def live(self) -> int:
        """Handles that the library has given out and not got back."""
        return int(self._library.fake_live())

    def initialized(self) -> int:
        return int(self._library.fake_initialized())

    def check_balance(self) -> None:
        gc.collect()
        assert self.live() == 0
        assert _ompd.live_allocations() == 0


def content(address: int, size: int) -> bytes:
    """The canned memory: every byte depends on its address alone."""
    return bytes((at * 7 + (at >> 12) * 13) & 0xFF for at in range(address, address + size))


class FakeServices:
    """Memory is readable in `ranges`; reads are recorded."""

    def __init__(self) -> None:
        self.ranges: List[Tuple[int, int]] = [(0x10000, 0x10000000)]
        self.data: Callable[[int, int], bytes] = content
        self.symbols: Dict[str, int] = {}
        self.pid = 0
        self.log: List[Tuple[int, int]] = []
        self.symbol_log: List[Tuple[str, Optional[str], Optional[int]]] = []
        self.messages: List[Tuple[str, int]] = []
        self.hook: Optional[Callable[[], object]] = None

    def read_memory(self, address: int, size: int) -> bytes:
        self.log.append((address, size))
        if self.hook:
            self.hook()
        for start, end in self.ranges:
            if start <= address and address + size <= end:
                return self.data(address, size)
        raise LookupError(f"cannot access memory\nat 0x{address:x}")

    def symbol_address(
        self, name: str, file_name: Optional[str], thread: Optional[int]
    ) -> Optional[int]:
        self.symbol_log.append((name, file_name, thread))
        if self.hook:
            self.hook()
        return self.symbols.get(name)

    def thread_context(self, kind: int, ident: int) -> Optional[int]:
        return {(_ompd.THREAD_ID_LWP, 1001): 0}.get((kind, ident))

    def direct_pid(self) -> int:
        return self.pid

    def message(self, text: str, category: int) -> None:
        self.messages.append((text, category))
