# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random legal OpenMP programs in C (testsuite/legal/generate.py) that count and end.

    testsuite/ompt/generator.py SEED [clang] >program.c
"""

import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, List

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "legal"))

from generate import Generator  # noqa: E402

# What stands in a clause, and what is counted for it.
DEPENDS = re.compile(r"depend\((in|out|inout|mutexinoutset): ")
LOOPS = {"dynamic": "loop_dynamic", "guided": "loop_guided", "runtime": "loop_runtime"}


def _loop_kind(pragma: str) -> str:
    found = re.search(r"schedule\((\w+)", pragma)
    kind = LOOPS.get(found.group(1) if found else "", "loop_static")
    return "loop_ordered" if kind == "loop_static" and " ordered" in pragma else kind


class Counting(Generator):
    """Adds to every construct what counts it."""

    def __init__(self, seed: int, clang: bool) -> None:
        super().__init__(seed)
        self.clang = clang
        self.at_start: List[str] = []  # of the next block

    def line(self, text: str) -> None:
        if text.startswith("#pragma omp "):
            words = text.split()
            # LLVM's runtime fails or hangs where a loop is cancelled that has no static schedule.
            if self.clang and words[2:4] in (["cancel", "for"], ["cancellation", "for"]):
                return
            if self.clang and text.startswith("#pragma omp cancellation point for"):
                return
            for count in self.counts(words, text):
                super().line("COUNT({});".format(count))
        super().line(text)

    def counts(self, words: List[str], pragma: str) -> List[str]:
        """What a task counts that encounters a construct; also sets what the body begins with."""
        kind, waits = words[2], "nowait" not in words
        if words[2:4] == ["parallel", "for"]:
            loop = "count_team_of_loop(COUNT_{});".format(_loop_kind(pragma))
            self.at_start = ["if (i == 0)", "\t" + loop]
            return ["parallel"]
        if kind == "parallel":
            self.at_start = ["count_implicit();"]
            return ["parallel"]
        if kind == "for":
            loop = _loop_kind(pragma)
            barrier = "barrier_static" if loop == "loop_static" else "barrier_loop"
            return [loop] + [barrier] * waits
        if kind == "sections":
            return ["sections"] + ["barrier_sections"] * waits
        if kind == "single":
            self.at_start = ["COUNT(single_run);"]
            return ["single"] + ["barrier_single"] * waits
        if kind == "master":
            self.at_start = ["COUNT(masked);"]
            return []
        if kind == "task":
            depends = ["depend_" + one for one in DEPENDS.findall(pragma)]
            return ["task", *depends] + ["detached"] * ("detach(" in pragma)
        if kind == "taskloop":
            return ["taskloop"] + ["taskloop_group"] * ("nogroup" not in words)
        if kind == "cancel":
            return ["cancel_" + {"for": "loop"}.get(words[3], words[3])]
        if kind == "ordered":
            return [] if "depend" in pragma else ["ordered"]
        if kind == "teams":
            return ["league"]
        names = {"section": "", "atomic": "", "taskyield": "", "cancellation": ""}
        name = names.get(kind, re.sub(r"\W.*", "", kind))
        return [name] if name else []

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        at_start, self.at_start = self.at_start, []
        with super().block(head):
            for text in at_start:
                super().line(text)
            yield

    def program(self) -> str:
        text = super().program()
        # It ends: its threads do their rounds once, and are waited for.
        text = text.replace("\tfor (;;)\n\t\troot", "\troot")
        text = text.replace("\tfor (;;) {\n", "\tfor (int times = 0; times < 2; times++) {\n")
        main = text.rindex("int main(void)")
        created = re.findall(r"pthread_create\((&thread\[(\d)\])", text[main:])
        joins = "".join(
            "\tpthread_join(thread[{}], NULL);\n".format(number)
            for _, number in created
            if "pthread_join(thread[{}]".format(number) not in text[main:]
        )
        return str(text[:-2]) + joins + "\treturn 0;\n}\n"


def generate(seed: int, clang: bool) -> str:
    """The program of a seed."""
    return Counting(seed, clang).program()


if __name__ == "__main__":
    sys.stdout.write(generate(int(sys.argv[1]), "clang" in sys.argv[2:]))
