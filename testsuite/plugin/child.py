# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A child process with known memory, and a debugger of it."""

import os

from fake import PAGE, FakeServices

SIZE = 1 << 20

# Maps SIZE bytes of data between a page that is not readable and a page of code.
CHILD = f"""
import ctypes, mmap, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
base = libc.mmap(None, {SIZE + 2 * PAGE}, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
data = bytes(i * 7 + (i >> 12) & 255 for i in range({SIZE}))
ctypes.memmove(base + {PAGE}, data, {SIZE})
ctypes.memmove(base + {PAGE + SIZE}, b"\\xc3" * {PAGE}, {PAGE})
assert libc.mprotect(base, {PAGE}, 0) == 0
assert libc.mprotect(base + {PAGE + SIZE}, {PAGE}, 5) == 0
print(base + {PAGE}, flush=True)
sys.stdin.read()
"""


class Debugger(FakeServices):
    """Reads a process through /proc, and hides what it has put into code."""

    def __init__(self, pid: int, start: int) -> None:
        super().__init__()
        self.pid = self.process = pid
        self.code = start + SIZE
        self._memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)

    def read_memory(self, address: int, size: int) -> bytes:
        self.log.append((address, size))
        data = os.pread(self._memory, size, address)
        if address + size > self.code >= address:
            offset = self.code - address
            data = data[:offset] + b"\x90" + data[offset + 1 :]
        return data

    def close(self) -> None:
        os.close(self._memory)
