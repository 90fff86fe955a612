# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text from outside, in GDB and with the command line, in each locale: nothing fails for it, what
is printed is what was said, terminals are told nothing by it, and JSON is JSON."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence, Tuple

import jsonschema
import program_names as names
import pytest
from conftest import LATIN, OMPDBG, ROOT, SETTINGS, Done, Target, end, run, start, target_of
from harness import processes, setup

FINE, FOUND, USAGE, UNREADABLE, NOT_FOUND = 0, 1, 2, 3, 127
TIMED_OUT = 124
SCHEMA = json.loads((ROOT / "docs" / "ompdbg.schema.json").read_text(encoding="utf-8"))
VIEWS = {"threads": FINE, "bt --full": FINE, "why": FOUND, "report": FOUND}
IN_GDB = ("threads", "tasks", "bt -all -full", "regions", "icvs", "env", "locks", "why", "status")
DOCUMENTS = ("threads", "bt -all", "locks", "why", "tasks")
_MISTAKES = (b"Traceback", b"Python Exception", b"Error occurred in Python", b"codec can't")
# What terminals obey, and what would be a row of its own.
_OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]|\n9  ")
# What the command line prints in each locale. What GDB is given it prints in UTF-8: it gets ASCII
# where the locale is another one.
CODECS = {"C": "ascii", "C.UTF-8": "utf-8", LATIN: "latin-1"}


def checked(text: bytes, codec: str) -> str:
    """Return what was printed, if nothing is wrong with it."""
    for mistake in _MISTAKES:
        assert mistake not in text, text.decode("utf-8", "replace")
    found = text.decode(codec)
    assert _OBEYED.search(found) is None, text.decode("utf-8", "replace")
    return found


def seen(name: bytes, codec: str) -> str:
    """Return how a name is printed."""
    text = names.as_text(name)
    for letter in "\x07\x1b":
        text = text.replace(letter, f"\\x{ord(letter):02x}")
    text = text.replace("\n", "\\n").replace("\u202e", "\\u202e")
    letters = (c if c.encode(codec, "ignore") else f"\\u{ord(c):04x}" for c in text)
    return "".join(letters)


def strings(value: Any) -> Iterator[str]:
    """Return all strings of a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value if isinstance(value, list) else [*value, *value.values()]:
            yield from strings(one)


def document(text: bytes) -> Dict[str, Any]:
    """Return what JSON says, if it is valid and in ASCII."""
    found: Dict[str, Any] = json.loads(text.decode("ascii"))
    assert not [one for one in strings(found) if re.search("[\ud800-\udfff]", one)]
    return found


# ---- The command line -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ("hostile", "lettered"))
def test_views(kind: str, request: pytest.FixtureRequest, locale: Dict[str, str]) -> None:
    target: Target = request.getfixturevalue(kind)
    codec, said = CODECS[locale["LC_ALL"]], {}
    for view, status in VIEWS.items():
        command, *options = view.split()
        done = run([OMPDBG, command, target.core, *options], locale)
        said[view] = checked(done.out, codec)
        assert (done.status, done.err) == (status, b""), view
    function, lock = seen(target.names["FUNCTION"], codec), seen(target.names["LOCK"], codec)
    for view in ("threads", "why", "report"):
        assert function in said[view] and f"lock {lock}" in said[view], view
        assert f"ritical {seen(target.names['CRITICAL'], codec)}" in said[view], view
    file = seen(target.names["FILE"] + b".c", codec)
    assert f"{file}:" in said["threads"] and f"{file}:" in said["bt --full"]
    setting = seen(SETTINGS[b"OMP_AFFINITY_FORMAT"], codec)
    assert said["report"].count(setting) == 2  # as a control variable, and in the environment
    assert len(said["threads"].splitlines()) == 5
    assert "thread 1 waits for a lock that it holds itself" in said["why"]


def test_long_names(tmp_path: Path) -> None:
    """What each character of a name costs does not depend on how many there are."""
    lengths = {"FUNCTION": 300_001, "LOCK": 300_001}
    wanted = {kind: names.repeated(b"a<b>::", b"c", n) for kind, n in lengths.items()}
    names.compile_to(tmp_path / "plain", lengths=lengths)
    found = names.exchange(tmp_path / "plain", tmp_path / "long", wanted)
    process, environment = start(os.fsencode(tmp_path / "long"), []), processes.environment()
    try:
        said = {view: run([OMPDBG, *view.split(), process.pid], environment) for view in VIEWS}
        options = [str(process.pid), "--json", str(tmp_path / "r.json")]
        options += ["--html", str(tmp_path / "r.html")]
        assert run([OMPDBG, "report", *options], environment).status == FOUND
    finally:
        end(process)
    for view, done in said.items():
        assert (done.status, done.err) == (VIEWS[view], b""), view
        assert b"a<...>::a<...>" in done.out and len(done.out) < 50_000, view
    report = document((tmp_path / "r.json").read_bytes())
    functions = {one["location"]["function"] for one in report["threads"]}
    assert functions == {names.as_text(found["FUNCTION"]), "main"}


def test_documents(hostile: Target, locale: Dict[str, str], tmp_path: Path) -> None:
    for command in ("threads", "bt", "env"):
        done = run([OMPDBG, command, hostile.core, "--json"], locale)
        assert (done.status, done.err) == (FINE, b"")
        jsonschema.validate(document(done.out), SCHEMA)
    files = ["--json", "r.json", "--html", "r.html"]
    done = run([OMPDBG, "report", hostile.core, *files], locale, os.fsencode(tmp_path))
    assert done == Done(FOUND, b"", b"")
    report = document((tmp_path / "r.json").read_bytes())
    jsonschema.validate(report, SCHEMA)
    assert report["about"]["name"] == names.as_text(hostile.core)
    assert report["about"]["program"] == names.as_text(hostile.program)
    function = names.as_text(hostile.names["FUNCTION"])
    assert {one["location"]["function"] for one in report["threads"]} == {function, "main"}
    assert {one["symbol"] for one in report["locks"]} == {
        names.as_text(hostile.names["LOCK"]),
        names.as_text(hostile.names["CRITICAL"]),
    }
    page = checked((tmp_path / "r.html").read_bytes(), "ascii")
    assert "<u>" not in page and "&lt;u&gt;\\n9  \\u202e" in page


def test_reports_together(hostile: Target, locale: Dict[str, str], tmp_path: Path) -> None:
    """Also one that another program has written: half characters, and what begins our styles."""
    codec, folder = CODECS[locale["LC_ALL"]], os.fsencode(tmp_path)
    run([OMPDBG, "report", hostile.core, "--json", "1.json"], locale, folder)
    written = (tmp_path / "1.json").read_bytes()
    forged = written.replace(b"forged", b"\\ud81b[31m\\udcff\\ud800")
    for name, text in (
        (b"\xfc\n9  .json", written),
        (b"forged.json", forged),
        (b"latin.json", forged.replace(b"forged", b"\xff\x9b")),
        (b"\x1b[31m.json", b"\xff"),
    ):
        Path(os.fsdecode(os.path.join(folder, name))).write_bytes(text)
    reports = sorted(os.listdir(folder))
    done = run([OMPDBG, "merge", *reports], locale, folder)
    said = checked(done.out, codec)
    assert (done.status, done.err) == (FOUND, b"")
    assert "4 processes" in said and "Not read: \\x1b[31m.json: not JSON" in said
    done = run([OMPDBG, "merge", *reports, "--json", "all", "--html", "all.html"], locale, folder)
    assert done.status == FOUND and checked(done.err, codec).count("\n") == 1
    merged = document((tmp_path / "all").read_bytes())
    sources = {one["source"] for group in merged["groups"] for one in group["processes"]}
    assert "\\xfc\n9  .json" in sources
    checked((tmp_path / "all.html").read_bytes(), "ascii")


def test_process(running: "subprocess.Popen[bytes]", locale: Dict[str, str]) -> None:
    done = run([OMPDBG, "threads", running.pid, "--json"], locale)
    found = document(done.out)["threads"]
    assert [one["name"] for one in found] == ["m\n9  \x1b[1m\\xff", "\u202ex\r\\x9bz", "tü"]
    done = run([OMPDBG, "report", running.pid], locale)
    said = checked(done.out, CODECS[locale["LC_ALL"]])
    assert (done.status, done.err) == (FOUND, b"")
    assert "\nCommand: " in said and " a\\n9  \\x1b[31m\\xff\n" in said


@pytest.mark.parametrize("ending", ("crash", "hang"))
def test_run(hostile: Target, locale: Dict[str, str], ending: str, tmp_path: Path) -> None:
    """The command's exit status stays the command's."""
    words: List[object] = [OMPDBG, "run", "--timeout", "60" if ending == "crash" else "1"]
    done = run([*words, "--", hostile.program, ending], locale, os.fsencode(tmp_path))
    assert done.status == (TIMED_OUT if ending == "hang" else 128 + signal.SIGABRT)
    assert done.out == b"ready\n"
    checked(done.err, CODECS[locale["LC_ALL"]])
    (report,) = (tmp_path / "ompdbg-report").glob("*.json")
    jsonschema.validate(document(report.read_bytes()), SCHEMA)


def test_what_is_not_there(locale: Dict[str, str]) -> None:
    name = b"/no\n9  \x1b[31m\xff\xc3\xbc"
    cases: Tuple[Tuple[List[Any], int], ...] = (
        (["why", name], UNREADABLE),
        (["run", "--", name], NOT_FOUND),
        (["threads", "1", name], USAGE),
        ([name], USAGE),
    )
    for words, status in cases:
        done = run([OMPDBG, *words], locale)
        assert (done.status, done.out) == (status, b"")
        said = done.err.decode("latin-1")
        assert "no\\n9  \\x1b[31m" in said and _OBEYED.search(said.replace("\xc3\xbc", "")) is None


# ---- GDB ------------------------------------------------------------------------------------


def in_gdb(
    target: Target, commands: Sequence[str], environment: Dict[str, str], folder: Path
) -> List[bytes]:
    """Return what each command prints."""
    script = folder / "script.gdb"
    lines = [f"source {setup.LOADER}", "set width 0"]
    for command in commands:
        lines += ["echo \\n@@@\\n", command]
    script.write_text("\n".join(lines), encoding="utf-8")
    words = [setup.GDB, "-nx", "-q", "-batch", "-iex", "set auto-load off", "-x", script]
    done = run([*words, target.program, target.core], environment, os.fsencode(folder))
    parts = done.out.split(b"\n@@@\n")
    assert len(parts) == len(commands) + 1, done
    assert not any(mistake in done.err for mistake in _MISTAKES), done.err
    return parts[1:]


@pytest.mark.parametrize("kind", ("hostile", "lettered"))
def test_gdb(
    kind: str, request: pytest.FixtureRequest, locale: Dict[str, str], tmp_path: Path
) -> None:
    target: Target = request.getfixturevalue(kind)
    codec = "utf-8" if locale["LC_ALL"] == "C.UTF-8" else "ascii"
    commands = [f"omp {one}" for one in IN_GDB] + [f"omp {one} -json" for one in DOCUMENTS]
    others = ["bt", "thread apply all bt", "set omp thread-names on", "omp frame 1"]
    found = in_gdb(target, commands + others, locale, tmp_path)
    said = {view: checked(one, codec) for view, one in zip(IN_GDB, found)}
    function, lock = seen(target.names["FUNCTION"], codec), seen(target.names["LOCK"], codec)
    for view in ("threads", "regions", "why"):
        assert function in said[view] and f"lock {lock}" in said[view], view
    assert f"lock {lock}" in said["locks"]
    assert f"{seen(target.names['FILE'] + b'.c', codec)}:" in said["threads"]
    assert "thread 1 waits for a lock that it holds itself" in said["why"]
    documents = [document(one) for one in found[len(IN_GDB) : len(commands)]]
    for read in documents:
        jsonschema.validate(read, SCHEMA)
    there = {one["location"]["function"] for one in documents[0]["threads"]}
    assert there == {names.as_text(target.names["FUNCTION"]), "main"}
    for one in found[len(commands) :]:
        assert not any(mistake in one for mistake in _MISTAKES), one
    assert function.encode(codec) in found[len(commands)]
    assert b"parallel region of main" in found[len(commands)]


def test_gdb_runs_no_command_of_the_program(scratch: bytes, tmp_path: Path) -> None:
    """A name may have a newline, and a command of GDB's behind it."""
    built = tmp_path / "plain"
    names.compile_to(built, "clang")
    kinds = ("FUNCTION", "PARAMETER", "GLOBAL", "LOCK")
    target = target_of(built, scratch, "command", dict.fromkeys(kinds, names.COMMAND))
    environment = processes.environment({"LC_ALL": "C.UTF-8"})
    in_gdb(target, [*(f"omp {one}" for one in IN_GDB), "bt -full"], environment, tmp_path)
    assert not (tmp_path / "taken").exists()
