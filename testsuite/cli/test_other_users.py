# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Root looks at programs of others, which name files that only root may read."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Iterator

import pytest
from harness import own_programs, processes

SOURCE = Path(__file__).resolve().parent / "programs/faults.c"
OTHER, GROUP = 4321, 4322

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")

WAITS = """\
#include <stdio.h>
#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(2)
\t{
#pragma omp barrier
#pragma omp masked
\t\tputs("ready"), fflush(stdout);
\t\tfor (;;) pause(); // SECRET
\t}
}
"""


@pytest.fixture(name="folder")
def _folder() -> Iterator[Path]:
    """A folder that everybody can enter, with another one in it, for sources."""
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "sources").mkdir()
        yield folder


def as_other() -> None:
    """Become an ordinary user, who is in two groups."""
    os.setgroups([GROUP + 1])
    os.setgid(GROUP)
    os.setuid(OTHER)


def page_of(ompdbg: Any, target: object, folder: Path) -> str:
    page = folder / "page.html"
    done = ompdbg.run("report", target, "--html", page)
    assert done.stderr == ""
    return page.read_text(encoding="utf-8")


def test_lines_of_a_process(ompdbg: Any, folder: Path) -> None:
    """Its user's rights count, those of groups included."""
    source = folder / "sources" / "waits.c"
    source.write_text(WAITS, encoding="utf-8")
    program = own_programs.compiled(str(source), folder / "program", ("-O0", "-g", "-fopenmp"))
    with subprocess.Popen(
        [str(program)], stdout=subprocess.PIPE, text=True, preexec_fn=as_other
    ) as running:
        assert running.stdout is not None and running.stdout.readline() == "ready\n"
        for user, group, mode, is_shown in (
            (0, 0, 0o700, False),
            (0, 0, 0o755, True),
            (0, GROUP, 0o750, True),
            (0, GROUP + 1, 0o750, True),
            (0, GROUP + 2, 0o750, False),
            (OTHER, 0, 0o700, True),
        ):
            os.chown(source.parent, user, group)
            source.parent.chmod(mode)
            assert ("SECRET" in page_of(ompdbg, running.pid, folder)) == is_shown
        # A link from a place of its own leads nowhere else.
        hidden = folder / "hidden.c"
        hidden.write_text(WAITS, encoding="utf-8")
        hidden.chmod(0o600)
        source.unlink()
        source.symlink_to(hidden)
        assert "SECRET" not in page_of(ompdbg, running.pid, folder)
        hidden.chmod(0o644)
        assert "SECRET" in page_of(ompdbg, running.pid, folder)
        running.kill()


def test_lines_of_a_core_file(ompdbg: Any, folder: Path) -> None:
    """The owner of the file counts."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    source = folder / "sources" / "faults.c"
    source.write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    program = own_programs.compiled(str(source), folder / "program", ("-O0", "-g", "-fopenmp"))
    core = processes.kernel_core(program, ("member",), folder, signal.SIGSEGV)
    source.parent.chmod(0o700)
    for owner in (0, OTHER):
        os.chown(core, owner, -1)
        is_shown = owner == 0
        assert ("FAULT member" in ompdbg.run("why", core).stdout) == is_shown
        assert ("FAULT member" in page_of(ompdbg, core, folder)) == is_shown
