# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenMP's events at which users have the program stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional

from ompdbg import source_names

if TYPE_CHECKING:
    from ompdbg.model.task import TaskFunction

PARALLEL_BEGIN, PARALLEL_END = "parallel-begin", "parallel-end"
TASK_BEGIN, TASK_END = "task-begin", "task-end"
THREAD_BEGIN, THREAD_END = "thread-begin", "thread-end"


class Definition(NamedTuple):
    """What the user asked for."""

    number: int
    event: str
    function: Optional[str]
    file: Optional[str]
    line: Optional[int]
    condition: Optional[str]

    def __str__(self) -> str:
        text = self.event
        if self.function is not None:
            text += f" in {self.function}"
        elif self.file is not None:
            text += f" in {self.file}:{self.line}"
        return text if self.condition is None else f"{text} if {self.condition}"

    def is_in(self, code: "Optional[TaskFunction]") -> bool:
        """The construct is where the definition says."""
        if self.function is None and self.file is None:
            return True
        if code is None:
            return False
        if self.function is not None:
            return self.function == code.symbol or source_names.means(
                self.function, code.signature
            )
        return code.line == self.line and source_names.same_file(self.file or "", code.file or "")
