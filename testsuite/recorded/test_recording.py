# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A target that is recorded now, with this machine's libgomp, is replayed as well as those that were
recorded before."""

import shutil
import subprocess
import sys
from pathlib import Path

import _ompd
import pytest
import recording
import test_commands
import test_recorded
from conftest import BUILD, ROOT, Opened

TARGET = "tasks taskgroup"
SECONDS = 120  # on a busy machine


@pytest.fixture(name="file", scope="module")
def _file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording."""
    if shutil.which("gdb") is None:
        pytest.skip("no GDB, which asks the program's own routines")
    folder = tmp_path_factory.mktemp("recording")
    version = subprocess.check_output(["gcc", "-dumpfullversion"], universal_newlines=True).strip()
    command = [sys.executable, str(ROOT / "tools" / "record-target"), "--release", version]
    command += ["--build", str(BUILD), "--out", str(folder), "--stage", str(folder / "stage")]
    subprocess.run([*command, TARGET], check=True, timeout=SECONDS)
    return recording.path_of(folder, version, "gcc")


def test_ompd_answers(library: _ompd.Library, file: Path) -> None:
    release = recording.load(file)
    (target,) = release.targets
    opened = Opened(library, release, target)
    test_recorded.test_release_is_recognised_and_proven(opened)
    test_recorded.test_answers_are_those_of_the_program(opened)
    test_recorded.test_both_thread_ids_name_the_same_thread(opened)
    test_recorded.test_members_of_a_region_are_its_threads(opened)
    test_recorded.test_variables_in_force_are_displayed(opened)
    opened.space.close()
    assert opened.services.outside == []


def test_commands_answer(tmp_path: Path, file: Path) -> None:
    said = test_commands.say(tmp_path / "targets", [file])
    release = recording.load(file)
    for target in release.targets:
        test_commands.test_threads_are_as_the_header_says(said, (release, target))
        test_commands.test_tasks_are_as_the_header_says(said, (release, target))
