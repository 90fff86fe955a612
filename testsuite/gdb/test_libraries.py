# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OMPD libraries that a program names in its memory: a hostile process shall not have its own code
loaded into the debugger."""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import pytest

from harness import processes, setup

PROGRAM = """
#include <stdlib.h>
const char *names[] = {"NAMED", 0};
const char **ompd_dll_locations = names;
void stop_here(void) { __asm__ volatile("" ::: "memory"); }
int main(void) { stop_here(); abort(); }
"""
LIBRARY = "int anything;"


def compiled(text: str, output: Path, *flags: str) -> Path:
    source = output.with_suffix(".c")
    source.write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-g", *flags, str(source), "-o", str(output)], check=True)
    return output


@pytest.fixture
def named(tmp_path: Path) -> Path:
    return compiled(LIBRARY, tmp_path / "libhostile.so", "-shared", "-fPIC")


def ask(named: Path, **more: Any) -> Any:
    program = compiled(PROGRAM.replace("NAMED", str(named)), named.parent / "program")
    spec = dict(more, named=str(named))
    return processes.run_gdb("locations.py", spec, [str(program)]).result


def test_not_loaded_from_outside_of_the_safe_path(named: Path) -> None:
    said = ask(named)
    assert said["loaded"] == []
    assert 'it is not in the "auto-load safe-path"' in said["error"]
    assert "set omp library {}".format(named) in said["error"]


def test_not_loaded_from_where_others_may_write(named: Path) -> None:
    """Not even if the safe path is everything."""
    os.chmod(str(named.parent), 0o777)
    said = ask(named, safe="/")
    assert said["loaded"] == []
    assert "others may write to " in said["error"]


def test_not_loaded_from_a_core_file(named: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    program = compiled(PROGRAM.replace("NAMED", str(named)), named.parent / "program")
    core = processes.kernel_core(program, [], named.parent)
    os.chmod(str(named.parent), 0o777)
    spec = {"named": str(named), "core": str(core), "safe": "/"}
    said = processes.run_gdb("locations.py", spec, [str(program), str(core)]).result
    assert said["loaded"] == []
    assert "others may write to " in said["error"]


def test_loaded_if_the_user_names_it(named: Path) -> None:
    said = ask(named, library=str(named))
    assert "no OMPD library: ompd_initialize is missing" in said["error"]


# ---- Exchanged while it is looked at ---------------------------------------------------------

# Tells that its code has run.
MARKING = """
#include <fcntl.h>
__attribute__((constructor)) static void mark(void) { open("MARK", O_CREAT, 0600); }
"""
# Names a file in place of another, over and over.
EXCHANGING = """
import itertools, os, sys
how, name, *files = sys.argv[1:]
for file in itertools.cycle(files):
    (os.symlink if how == "link" else os.link)(file, name + ".new")
    os.rename(name + ".new", name)
"""
LOADED, REFUSED = "no OMPD library: ompd_initialize is missing", "others may write to "


@contextmanager
def exchanged(how: str, name: Path, *files: Path) -> Iterator[None]:
    """`name` is one of the files at any time, or a link to it."""
    name.symlink_to(files[0])
    command = [sys.executable, "-c", EXCHANGING, how, str(name), *map(str, files)]
    with subprocess.Popen(command) as process:
        try:
            yield
            assert process.poll() is None
        finally:
            process.send_signal(signal.SIGKILL)


@pytest.fixture
def trusted() -> Iterator[Path]:
    """A folder that only the user can change, unlike those below /tmp."""
    build = setup.ROOT / "build"
    for place in (build, *build.parents):
        if place.stat().st_uid not in (0, os.getuid()) or place.stat().st_mode & 0o022:
            pytest.skip("others may write to {}".format(place))
    with tempfile.TemporaryDirectory(dir=str(build), prefix="trusted-") as folder:
        yield Path(folder)


@pytest.mark.parametrize("how", ["link", "file"])
def test_exchanged_while_it_is_looked_at(trusted: Path, how: str) -> None:
    """The file that was found good is the one that is loaded."""
    good, bad = trusted / "good", trusted / "bad"
    libraries = []
    for folder in (good, bad):
        folder.mkdir()
        text = MARKING.replace("MARK", str(folder / "mark"))
        libraries.append(compiled(text, folder / "library.so", "-shared", "-fPIC"))
    (bad if how == "link" else libraries[1]).chmod(0o777)
    name = trusted / "libnamed.so"
    with exchanged(how, name, *libraries):
        said = ask(name, safe="/", until={LOADED: 40, REFUSED: 40})
    assert said["counts"][LOADED] >= 40 and said["counts"][REFUSED] >= 40, said
    assert "other" not in said
    assert (good / "mark").exists() and not (bad / "mark").exists()
