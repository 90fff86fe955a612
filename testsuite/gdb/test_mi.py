# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB/MI: what front ends see that speak it, the C/C++ extension of VS Code (cppdbg) among them."""

import json
import re
import subprocess
import threading
from pathlib import Path
from typing import Any, List, Optional

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

NAMES = (
    "[one.symbol().print_name for frame in"
    " gdb.frames.execute_frame_filters(gdb.newest_frame(), 0, -1)"
    " for one in frame.frame_locals() or []]"
)


class Session:
    """A front end. Its set-up is that of docs/guide.md."""

    def __init__(self, program: Optional[Path]) -> None:
        command = [setup.GDB, "-nx", "-q", "--interpreter=mi2", "-iex", "set auto-load off"]
        command += ["-iex", "set debuginfod enabled off"]
        command += [] if program is None else [str(program)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=processes.environment(),
            start_new_session=True,
        )
        self._number = 0
        # An answer that does not come is a failure.
        self._watch = threading.Timer(processes.GDB_SECONDS, self._process.kill)
        self._watch.daemon = True
        self._watch.start()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *unused: object) -> None:
        self._watch.cancel()
        self._process.kill()
        self._process.wait()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode("utf-8", "replace")
        if not line:
            raise processes.Failed("GDB ended")
        return line.rstrip()

    def _answered(self, command: str) -> List[str]:
        self._number += 1
        assert self._process.stdin is not None
        self._process.stdin.write("{}{}\n".format(self._number, command).encode())
        self._process.stdin.flush()
        said: List[str] = []
        while not said or not said[-1].startswith("{}^".format(self._number)):
            said.append(self._line())
        return said

    def ask(self, command: str) -> List[str]:
        """What GDB printed, and at last its answer."""
        said = self._answered(command)
        assert "^error" not in said[-1], said[-1]
        return said

    def refused(self, command: str) -> str:
        """Why GDB does not do a command."""
        answer, _, reason = self._answered(command)[-1].partition("^error,")
        assert reason, answer
        return reason

    def console(self, command: str) -> List[str]:
        """A command as users type it into a front end's console; the lines that it printed."""
        said = self.ask(console(command))
        printed = "".join(line[2:-1] for line in said if line.startswith('~"'))
        return printed.split("\\n")[:-1]

    def stopped(self) -> None:
        """Waits for it."""
        while not self._line().startswith("*stopped"):
            pass


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_session(compiler: str, tmp_path: Path) -> None:
    try:
        flags = ("-O0", "-g", "-fopenmp")
        program = own_programs.compiled("captured.c", tmp_path / "captured", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with Session(program) as session:
        session.console("source {}".format(setup.LOADER))
        session.ask("-enable-frame-filters")
        session.console("set omp thread-names on")
        session.ask("-break-insert inspect")
        session.ask("-exec-run")
        session.stopped()
        listed = session.ask("-stack-list-frames")[-1]
        names = re.findall(r'func="([^"]*)"', listed)
        # Front ends open the file by this name, and GDB tells no other.
        source = str(own_programs.source("captured.c"))
        assert listed.count('file="{}"'.format(source)) == len(names)
        assert names[:2] == ["inspect", "deep"]
        assert names.index("task of solve") < names.index("parallel region of solve")
        assert not [name for name in names if "GOMP" in name or "omp_fn" in name or "kmp" in name]
        plain = session.ask("-stack-list-frames --no-frame-filters")[-1]
        assert plain.count("frame={") > len(names)
        # The DAP server of GDB 18 asks each variable's symbol for its name.
        shown = session.console("python import gdb.frames; print({})".format(NAMES))
        assert "'scale'" in shown[-1]
        listed = session.ask("-thread-info")[-1]
        told = re.findall(r',name="([^"]*)"', listed)
        threads = re.findall(r'\bname="(omp [^"]*)"', listed)
        assert len(threads) == 2, told
        assert all(re.fullmatch(r"omp [01]/2 \w+( \w+)*", name) for name in threads)
        table = session.console("omp threads")
        assert table[0].split()[:3] == ["Thread", "OMP", "Team"] and len(table) == 4
        assert session.console("omp apply -num 0 print 6 * 7")[-1].endswith("42")
        session.ask('-interpreter-exec console "omp step"')
        session.stopped()
        assert 'func="inspect"' in session.ask("-stack-info-frame")[-1]


@pytest.mark.skipif(setup.gdb_version() < 13, reason="GDB has MI commands of plug-ins since 13")
def test_answers_of_commands() -> None:
    """They are the documents of the console's commands, without what is null."""
    with Session(setup.program("hung", "O2")) as session:
        session.console("source {}".format(setup.LOADER))
        early = session.refused("-omp-threads")
        assert early == 'msg="omp threads: the program is not running."'
        session.ask("-break-insert fixture_ready")
        session.ask("-exec-run")
        session.stopped()
        for name in ("threads", "tasks", "why", "locks", "regions", "bt", "icvs", "status"):
            told = "".join(session.console("omp {} -json".format(name)))
            document = json.loads(json.loads('"{}"'.format(told)))
            answer = session.ask("-omp-{}".format(name))[-1].partition("^done,")[2]
            assert mi_value("{" + answer + "}") == without_null(document), name
        some = session.ask("-omp-threads -state wait_lock")[-1]
        assert 0 < some.count('state="wait_lock"') == some.count("gdb=")
        assert 'selected="y"' in session.ask("-omp-threads")[-1]
        assert "findings=[{" in session.ask("-omp-why 3")[-1]
        assert session.refused("-omp-why 99") == 'msg="omp why: no thread \\"99\\"."'
        assert "no option" in session.refused("-omp-tasks -nonsense")
        frame = session.ask("-stack-info-frame")[-1]
        assert 'func="fixture_ready"' in frame


def test_order_of_cppdbg(tmp_path: Path) -> None:
    """What the C/C++ extension of VS Code sends, with the set-up of docs/guide.md: each text of
    `setupCommands` as it is if it begins with "-", else as a command of the console."""
    flags = ("-O0", "-g", "-fopenmp")
    program = own_programs.compiled("sharing.c", tmp_path / "sharing", flags)
    guide = (setup.ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    listed = re.search(r'"setupCommands": (\[.*?\])', guide, re.S)
    assert listed is not None
    texts = [one["text"] for one in json.loads(listed[1])]
    with Session(None) as session:
        for command in ("-gdb-set target-async on", "-gdb-set pagination off"):
            session.ask(command)
        for text in texts:
            text = re.sub(r"source [^\"\\]*", "source {}".format(setup.LOADER), text)
            session.ask(text if text.startswith("-") else console(text))
        session.ask("-environment-cd {}".format(tmp_path))
        session.ask("-file-exec-and-symbols {}".format(program))
        session.ask("-break-insert -f inspect")
        session.ask("-exec-run")
        session.stopped()
        told = session.ask("-thread-info")[-1]
        selected = re.search(r'current-thread-id="(\d+)"', told)
        assert selected is not None
        assert re.findall(r'\bname="(omp [01]/2 [^"]*)"', told)
        about = "--thread {} --frame 1".format(selected[1])
        frames = session.ask("-stack-list-frames --thread {} 0 1000".format(selected[1]))[-1]
        assert re.findall(r'func="([^"]*)"', frames)[:2] == [
            "inspect",
            "parallel region of region",
        ]
        session.ask("-stack-list-arguments --thread {} 0 0 1".format(selected[1]))
        shown = session.ask("-stack-list-variables {} --simple-values".format(about))[-1]
        assert '{name="s_written",type="double",value="2.5"}' in shown
        assert '{name="s_pair",type="struct pair"}' in shown and "omp_data" not in shown
        for name, value in (("s_written", "2.5"), ("s_pair", "{...}"), ("p_mine", r"4[01]")):
            made = session.ask('-var-create {} - * "{}"'.format(about, name))[-1]
            found = re.search(r'\bname="(var\d+)".*?value="([^"]*)"', made)
            assert found is not None and re.fullmatch(value, found[2]), made
            children = session.ask(
                '-var-list-children --simple-values "{}" 0 1000'.format(found[1])
            )
            assert ('numchild="2"' in children[-1]) == (name == "s_pair")
            session.ask("-var-evaluate-expression {}".format(found[1]))
            session.ask("-var-delete {}".format(found[1]))
        made = session.ask('-var-create {} - * "s_written * 2"'.format(about))[-1]
        assert 'value="5"' in made
        # As typed in the debug console after -exec.
        assert "s_written = 2.5 (shared)" in "\n".join(session.console("omp bt -full"))
        assert session.console("omp why") and session.console("omp threads")
        assert 'func="inspect"' in session.ask("-stack-info-frame")[-1]
        session.ask("-exec-next --thread {}".format(selected[1]))
        session.stopped()
        session.console("kill")
        assert "not running" in session.refused("-omp-threads")


def console(command: str) -> str:
    """A command of the console, as MI has it."""
    return '-interpreter-exec console "{}"'.format(command.replace('"', '\\"'))


def without_null(value: Any) -> Any:
    """What MI has no word for."""
    if isinstance(value, dict):
        return {key: without_null(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [without_null(one) for one in value]
    return {True: "y", False: "n"}[value] if isinstance(value, bool) else str(value)


def mi_value(text: str) -> Any:
    """What a tuple of MI's has, as JSON would have it."""
    parts = re.findall(r'"(?:[^"\\]|\\.)*"|[^"]+', text)
    named = "".join(re.sub(r"(\w+)=", r'"\1":', one) if one[0] != '"' else one for one in parts)
    return json.loads(named)


def test_without_mi_commands() -> None:
    """A GDB without them loads ompdbg all the same."""
    lacks = "del gdb.MICommand" if setup.gdb_version() >= 13 else "gdb"
    with Session(setup.program("hung", "O2")) as session:
        session.console("python " + lacks)
        session.console("source {}".format(setup.LOADER))
        assert session.console("help omp why")
        assert "ndefined MI command" in session.refused("-omp-why")


def test_arguments_without_a_place(tmp_path: Path) -> None:
    """GDB's own loop over them comes to no end where decorators tell it their symbols."""
    flags = ("-O2", "-g", "-fopenmp")
    program = own_programs.compiled("constant.c", tmp_path / "constant", flags)
    with Session(program) as session:
        session.console("source {}".format(setup.LOADER))
        session.ask("-enable-frame-filters")
        session.ask("-break-insert inspect")
        session.ask("-exec-run")
        for stop in range(2):
            session.stopped()
            listed = session.ask("-stack-list-arguments 1")[-1]
            assert '{name="factor",value="3"}' in listed
            if not stop:
                session.ask("-exec-continue")
