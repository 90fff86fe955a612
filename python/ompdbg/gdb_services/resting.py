# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that rest in the runtime, told without GDB's unwinder.

In a team, many threads wait in the same place. GDB unwinds each of them anew, which takes most of
the time of looking at all threads. Here the return addresses alone are looked up, down to the
user's code: what frames they make is known once GDB has unwound one thread with the same ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Optional, Tuple

from ompdbg import frames

if TYPE_CHECKING:
    import _ompd

    from ompdbg.gdb_services.symbols import Symbols

# x86-64 Linux: the number of the system call that a thread is in, and its arguments.
_CALL_REGISTERS = {"orig_rax": 0, "rdi": 1, "rsi": 2, "rdx": 3, "r10": 4, "r8": 5, "r9": 6}


class Chain(NamedTuple):
    """Where a thread is and where it returns to: as far as the first address in user code, or to
    the end of the stack."""

    addresses: Tuple[int, ...]
    is_whole: bool


class Resting:
    """The threads of one process."""

    def __init__(self, symbols: "Symbols", direct_pid: Callable[[], int]) -> None:
        """direct_pid: the process, if it is a local one that GDB has stopped; else 0."""
        self._symbols = symbols
        self._direct_pid = direct_pid
        self._pid: Optional[int] = None  # at this stop
        self._opened: Tuple[int, Optional["_ompd.Resting"]] = (0, None)
        self._opened_whole: Tuple[int, Optional["_ompd.Resting"]] = (0, None)
        self._calls: Dict[int, Tuple[int, ...]] = {}
        self._registers: Dict[int, Optional[Dict[str, int]]] = {}
        self._callers: Dict[int, Dict[str, int]] = {}

    def forget(self) -> None:
        """The program moved."""
        self._pid = None
        self._calls.clear()
        self._registers.clear()
        self._callers.clear()

    def forget_code(self) -> None:
        """Object files came or went."""
        self.forget()
        self._opened = self._opened_whole = (0, None)

    def chain(self, lwp: int) -> Optional[Chain]:
        """Where a thread is; None if it does not rest in a simple way in foreign code."""
        resting = self._native()
        found = None if resting is None else resting.rest(lwp)
        if found is None:
            return None
        addresses, is_whole, self._calls[lwp] = found
        return Chain(addresses, is_whole)

    def whole_chain(self, lwp: int) -> Optional[Tuple[int, ...]]:
        """Where a thread is and where it returns to, to the end of the stack; None if that is not
        simply told."""
        pid = self._direct_pid()
        if pid != self._opened_whole[0]:
            self._opened_whole = (pid, self._open(pid, lambda address: True))
        resting = self._opened_whole[1]
        found = None if resting is None else resting.rest(lwp)
        return found[0] if found is not None and found[1] else None

    def registers(self, lwp: int, names: Tuple[str, ...]) -> Optional[List[int]]:
        """Registers of a thread; None if one of them is not known."""
        call = self._calls.get(lwp)
        if call and _CALL_REGISTERS.keys() >= set(names):
            return [call[_CALL_REGISTERS[name]] for name in names]
        if lwp not in self._registers:
            resting = self._native()
            self._registers[lwp] = None if resting is None else resting.registers(lwp)
        known = self._registers[lwp]
        try:
            return None if known is None else [known[name] for name in names]
        except KeyError:
            return None

    def caller_registers(self, lwp: int) -> Dict[str, int]:
        """Those that are known where the last address of its chain is."""
        found = self._callers.get(lwp)
        if found is None:
            resting = self._native()
            known = None if resting is None else resting.caller(lwp)
            found = self._callers[lwp] = {} if known is None else known
        return found

    def _native(self) -> Optional["_ompd.Resting"]:
        if self._pid is None:
            self._pid = self._direct_pid()
            if self._pid != self._opened[0]:
                self._opened = (self._pid, self._open(self._pid, self._is_foreign))
        return self._opened[1]

    def _open(self, pid: int, is_passed: Callable[[int], bool]) -> Optional["_ompd.Resting"]:
        import _ompd

        try:
            return _ompd.Resting(pid, is_passed) if pid else None
        except OSError:
            return None

    def _is_foreign(self, address: int) -> bool:
        path = self._symbols.object_of(address)
        return frames.is_runtime_object(path) or frames.is_system_object(path)
