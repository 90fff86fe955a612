# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg record`: which environment the command gets, that nothing else changes, and what cannot
be recorded."""

import os
import shutil
import signal
import stat
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pytest
from conftest import OMPDBG, ROOT
from harness import processes, setup

INTERPOSER = ROOT / "build" / "ompt" / "gomp" / "libompt-gomp.so"
RECORDER = ROOT / "build" / "ompt" / "recorder" / "libompdbg-recorder.so"
OURS = f"{INTERPOSER}:{RECORDER}"
# GCC's sanitizer wants to come first otherwise.
ASAN = "verify_asan_link_order=0"
FAILED_TO_RUN = 125

OPENMP = """
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
    for (int i = 0; i < 100; i++)
        sum += i;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
    sum++;
    printf("%d\\n", sum);
    return sum == 4951 ? 9 : 1;
}
"""


def record(*words: object, **how: Any) -> "subprocess.CompletedProcess[str]":
    """Runs `ompdbg record`."""
    how.setdefault("env", processes.environment())
    return run(OMPDBG, "record", *words, **how)


def run(*words: object, **how: Any) -> "subprocess.CompletedProcess[str]":
    """Runs a command."""
    return subprocess.run(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=100,
        check=False,
        **how,
    )


def compiled(folder: Path, *flags: str) -> Path:
    """An OpenMP program."""
    source, program = folder / "program.c", folder / "program"
    source.write_text(OPENMP)
    command = ["gcc", "-g", "-O1", "-fopenmp", *flags, str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def variables(done: "subprocess.CompletedProcess[str]") -> Dict[str, str]:
    """What `env` printed."""
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def test_status_and_output_are_the_commands(tmp_path: Path) -> None:
    program = compiled(tmp_path)
    found = record("--", program)
    assert (found.returncode, found.stdout, found.stderr) == (9, "4951\n", "")
    assert record("--", "sh", "-c", "echo out; echo err >&2; exit 7").stderr == "err\n"
    assert record("--", "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM
    found = record("--", "python3", "-c", "print(6 * 7)")
    assert (found.returncode, found.stdout, found.stderr) == (0, "42\n", "")


def test_commands_that_cannot_be_run(tmp_path: Path) -> None:
    done = record("--", "/nowhere/program")
    assert done.stderr == "ompdbg record: /nowhere/program: No such file or directory.\n"
    assert done.returncode == 127
    assert record("--", "no-such-program").returncode == 127
    done = record("--", "/etc/passwd")
    assert (done.returncode, done.stderr) == (
        126,
        "ompdbg record: /etc/passwd: Permission denied.\n",
    )
    done = record()
    assert done.returncode == 2
    assert "missing command" in done.stderr


def test_environment(tmp_path: Path) -> None:
    added = {"LD_PRELOAD": OURS, "ASAN_OPTIONS": ASAN}
    before = processes.environment({"OMPDBG_RECORD": "ring=4K"})
    expected = variables(run("env", env=before))
    assert variables(record("--", "env", env=before)) == {**expected, **added}
    assert variables(record("--", "env", env={})) == added
    # Twice is not more.
    assert variables(record("--", OMPDBG, "record", "--", "/usr/bin/env", env={})) == added
    # What the user preloads stays, after ours.
    users = {"LD_PRELOAD": str(setup.LIBRARY), "ASAN_OPTIONS": "detect_leaks=0"}
    both = {"LD_PRELOAD": f"{OURS}:{setup.LIBRARY}", "ASAN_OPTIONS": f"{ASAN}:detect_leaks=0"}
    assert variables(record("--", "/usr/bin/env", env=users)) == both


def test_run_records_unless_told_not_to(tmp_path: Path) -> None:
    def environment(*options: str) -> Dict[str, str]:
        return variables(run(OMPDBG, "run", *options, "--", "/usr/bin/env", env={}, cwd=tmp_path))

    assert environment() == {"LD_PRELOAD": OURS, "ASAN_OPTIONS": ASAN}
    assert environment("--no-record") == {}


def test_signals_are_those_of_the_caller() -> None:
    command = ["grep", "^Sig[BIC]", "/proc/self/status"]
    environment = processes.environment()
    some = [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT]
    for ignored in (some[:0], some):

        def before(numbers: List[signal.Signals] = list(ignored)) -> None:
            for number in numbers:
                signal.signal(number, signal.SIG_IGN)

        expected = run(*command, env=environment, preexec_fn=before).stdout
        assert record("--", *command, preexec_fn=before).stdout == expected


def test_program_has_both_libraries_and_is_seen_as_without() -> None:
    program = setup.program("hung", "O2")
    with processes.ready_program(OMPDBG, ["record", "--", str(program)]) as pid:
        mapped = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
        assert str(INTERPOSER) in mapped and str(RECORDER) in mapped
        for command in ("bt", "threads", "why"):
            done = run(OMPDBG, command, pid, env=processes.environment())
            assert "barrier" in done.stdout or command == "bt"
            for name in ("ompt", "recorder", "observe", "gomp_", "GOMP_"):
                assert name not in done.stdout


@pytest.mark.parametrize("is_stripped", [False, True])
def test_static_program_is_named(tmp_path: Path, is_stripped: bool) -> None:
    program = compiled(tmp_path, "-static", *(["-s"] if is_stripped else []))
    done = record("--", program)
    assert (
        done.stderr == f"ompdbg record: {program} is not recorded: libgomp is linked statically.\n"
    )
    assert (done.returncode, done.stdout) == (9, "4951\n")
    assert record("--", "./program", cwd=tmp_path).stderr.startswith("ompdbg record: ./program is")
    path = {"PATH": f"/nowhere:{tmp_path}:/usr/bin:/bin"}
    assert record("--", "program", env=path).stderr.startswith("ompdbg record: program is not")
    assert record("--", "env", env=path).stderr == ""


def test_set_user_id_program_is_named(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("not run as root")
    program = tmp_path / "program"
    shutil.copy("/bin/true", program)
    os.chown(program, 65534, -1)
    program.chmod(0o755 | stat.S_ISUID)
    done = record("--", program)
    problem = "it is set-user-ID or set-group-ID"
    assert done.stderr == f"ompdbg record: {program} is not recorded: {problem}.\n"
    assert done.returncode == 0
    os.chown(program, os.getuid(), -1)  # chown() has removed the bit
    program.chmod(0o755 | stat.S_ISUID)
    assert record("--", program).stderr == ""


def test_sanitized_program_runs(tmp_path: Path) -> None:
    program = compiled(tmp_path, "-fsanitize=address")
    found = record("--", program)
    assert (found.returncode, found.stdout, found.stderr) == (9, "4951\n", "")


def test_missing_library(tmp_path: Path) -> None:
    # The installed program finds the libraries from its own folder.
    installed = tmp_path / "bin" / "ompdbg"
    installed.parent.mkdir()
    shutil.copy(ROOT / "build" / "cli" / "ompdbg", installed)
    done = run(installed, "record", "--", "echo", "no", env=processes.environment())
    assert (done.returncode, done.stdout) == (FAILED_TO_RUN, "")
    assert done.stderr.endswith("libompt-gomp.so: No such file or directory.\n")
    assert done.stderr.count("\n") == 1
    # A run goes on without.
    done = run(installed, "run", "--", "echo", "yes", env=processes.environment(), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "yes\n")
    assert done.stderr.endswith("libompt-gomp.so: No such file or directory.\n")
