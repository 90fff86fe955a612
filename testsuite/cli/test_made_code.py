# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that was made at run time is not in the program, and its callers are shown only if it proves them.
Code without a name is called by its file and the address there, which is the same in all processes."""

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import build  # from fixtures/
import pytest
from harness import own_programs, rest

SOURCE = Path(__file__).resolve().parent / "programs" / "made_code.c"
MADE = r"code made at run time \(0x[0-9a-f]+\)"


def line_of(mark: str) -> int:
    """The line of the source with this mark."""
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    (line,) = [at for at, text in enumerate(lines, 1) if text.endswith(f"// LINE: {mark}")]
    return line


def compiled(source: Path, folder: Path, *flags: str, family: str = "gcc") -> str:
    """Its program."""
    try:
        return str(own_programs.compiled(str(source), folder / "program", flags, family))
    except build.Skipped as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("kind", ("leaf", "framed"))
@pytest.mark.parametrize("level", ("-O0", "-O1"))
def test_callers(ompdbg: Any, level: str, kind: str, tmp_path: Path) -> None:
    """The code shows where it returns to, with a frame of its own and without."""
    program = compiled(SOURCE, tmp_path, level, "-g", "-fopenmp")
    with rest.hanging([program, kind], 2, tmp_path) as process:
        text = ompdbg.run("bt", "--no-tree", process.pid).stdout
        found = ompdbg.json("bt", process.pid)
    region, call = line_of("region"), line_of("call")
    frames = rf"#0 +{MADE}\n#1 +parallel region of main at made_code\.c:{region}, line {call}\n"
    assert len(re.findall(frames, text)) == 2 or re.search(r"^-- threads 1-2 ", text, re.M), text
    assert re.search(frames + r"#\d+ +main .*made_code\.c:" + str(region), text), text
    assert f"in {Path(program).name}" not in text
    frame = found["stacks"][0]["parts"][0]["frames"][0]
    assert frame["function"] is None and re.fullmatch(MADE, frame["title"])


def test_unknown_callers(ompdbg: Any, tmp_path: Path) -> None:
    """Code that leaves by a jump to an unknown place does not show it; the user is told."""
    program = compiled(SOURCE, tmp_path, "-O0", "-g", "-fopenmp")
    with rest.hanging([program, "jumps"], 2, tmp_path) as process:
        text = ompdbg.run("bt", "--no-tree", process.pid).stdout
    assert re.search(rf"^#0 +{MADE}$", text, re.M), text
    assert f"line {line_of('call')}" not in text
    assert "code made at run time does not show who called it in thread" in text


def test_spins(ompdbg: Any, tmp_path: Path) -> None:
    """A loop in such code is no finding: it may be as it should be."""
    program = compiled(SOURCE, tmp_path, "-O1", "-g", "-fopenmp")
    with subprocess.Popen([program, "spins"]) as process:
        try:
            for _ in range(1000):  # until both are in the code, as the program counts
                value = ompdbg.run("print", "arrived", process.pid).stdout
                if re.search(r"threads +2 +main$", value, re.M):
                    break
                time.sleep(0.01)
            else:
                pytest.fail(value)
            done = ompdbg.run("why", process.pid)
        finally:
            process.kill()
    assert done.returncode == 0 and "spin" not in done.stdout, done.stdout


PLACES = """
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int forever = 1;
__attribute__((noinline)) static void rest(void) { while (forever) pause(); }
__attribute__((noinline)) static void one(void) { rest(); forever++; }
__attribute__((noinline)) static void other(void) { rest(); forever--; }
int main(int argc, char **argv)
{
#pragma omp parallel num_threads(2)
    atoi(argv[argc - 1]) && omp_get_thread_num() ? one() : other();
}
"""


def test_stripped_ranks(ompdbg: Any, tmp_path: Path) -> None:
    """Ranks in different functions differ, although these have no names; those in the same are alike."""
    source = tmp_path / "places.c"
    source.write_text(PLACES, encoding="ascii")
    program = compiled(source, tmp_path, "-O1", "-fopenmp")
    symbols = subprocess.run(["nm", program], stdout=subprocess.PIPE, check=True).stdout.decode()
    begin = {name: int(at, 16) for at, name in re.findall(r"^(\w+) t (one|other)$", symbols, re.M)}
    subprocess.run(["strip", program], check=True)
    reports = []
    for rank in range(3):
        with rest.hanging([program, str(int(rank > 0))], 2, tmp_path) as process:
            report = ompdbg.run("report", "--json", process.pid).stdout
            text = ompdbg.run("bt", "--no-tree", process.pid).stdout
        reports.append(tmp_path / f"{rank}.json")
        told = json.loads(report)
        told["about"]["rank"] = {"rank": rank, "of": 3, "from": "test"}
        reports[-1].write_text(report, encoding="utf-8")
        places = {int(at, 16) for at in re.findall(rf"{Path(program).name}\+(0x[0-9a-f]+)", text)}
        for name in ("one", "other") if rank else ("other",):
            assert any(0 < at - begin[name] < 32 for at in places), (text, begin)
    merged = ompdbg.run("merge", *reports)
    assert "3 processes in 2 groups" in merged.stdout, merged.stdout
    alike = ompdbg.run("merge", *reports[1:])
    assert "2 processes in the same state" in alike.stdout, alike.stdout
