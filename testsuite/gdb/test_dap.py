# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB's server for the Debug Adapter Protocol: what front ends see."""

import json
import re
import subprocess
import threading
from pathlib import Path
from typing import Any, Dict, List

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup


class Client:
    """A front end."""

    def __init__(self, program: Path, stop: str = "inspect") -> None:
        command = [setup.GDB, "-nx", "-q", "-i", "dap", "-iex", "set auto-load off"]
        command += ["-iex", "set debuginfod enabled off", "-iex", "source {}".format(setup.LOADER)]
        command += ["-iex", "set omp thread-names on"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=processes.environment(),
            start_new_session=True,
        )
        # An answer that does not come is a failure.
        self._watch = threading.Timer(processes.GDB_SECONDS, self._process.kill)
        self._watch.daemon = True
        self._watch.start()
        self._number = 0
        self._events: List[Dict[str, Any]] = []
        self.told: List[Dict[str, Any]] = []  # events of breakpoints
        self.reason = ""  # of the last stop
        self.hit: Any = None  # what breakpoints it was at
        self.output = ""
        self.ask("initialize", adapterID="test")
        launch = self.send("launch", program=str(program))
        self.ask("setFunctionBreakpoints", breakpoints=[{"name": stop}])
        self.ask("configurationDone")
        self.answer(launch)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *unused: object) -> None:
        self._watch.cancel()
        self._process.kill()
        self._process.wait()

    def send(self, command: str, **arguments: Any) -> int:
        self._number += 1
        request = {"seq": self._number, "type": "request", "command": command}
        body = json.dumps(dict(request, arguments=arguments)).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()
        return self._number

    def _read(self) -> Dict[str, Any]:
        stream = self._process.stdout
        assert stream is not None
        size = 0
        while True:
            line = stream.readline()
            if not line:
                raise processes.Failed("GDB ended")
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
            if line == b"\r\n":
                message: Dict[str, Any] = json.loads(stream.read(size))
                if message.get("event") == "output":
                    self.output += message["body"]["output"]
                if message.get("event") == "breakpoint":
                    self.told.append(message["body"]["breakpoint"])
                return message

    def answer(self, number: int) -> Dict[str, Any]:
        while True:
            message = self._read()
            if message["type"] == "event":
                self._events.append(message)
            elif message.get("request_seq") == number:
                assert message["success"], message
                body: Dict[str, Any] = message.get("body") or {}
                return body

    def ask(self, command: str, **arguments: Any) -> Dict[str, Any]:
        return self.answer(self.send(command, **arguments))

    def said(self, text: str) -> None:
        """Wait for an output: the server sends it when it likes, also after the answer."""
        while text not in self.output:
            self._events.append(self._read())

    def stopped(self) -> int:
        """The thread that stopped."""
        while True:
            message = self._events.pop(0) if self._events else self._read()
            if message.get("event") == "stopped":
                self.reason = str(message["body"]["reason"])
                self.hit = message["body"].get("hitBreakpointIds")
                return int(message["body"]["threadId"])


@pytest.mark.skipif(setup.gdb_version() < 14, reason="GDB has a DAP server since 14")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_session(compiler: str, tmp_path: Path) -> None:
    try:
        flags = ("-O0", "-g", "-fopenmp")
        program = own_programs.compiled("captured.c", tmp_path / "captured", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with Client(program) as client:
        thread = client.stopped()
        frames = client.ask("stackTrace", threadId=thread)["stackFrames"]
        names = [frame["name"] for frame in frames]
        assert names[:2] == ["inspect", "deep"]
        assert "task of solve" in names and "parallel region of solve" in names
        assert not [name for name in names if "GOMP" in name or "omp_fn" in name or "kmp" in name]
        region = frames[names.index("parallel region of solve")]
        found: Dict[str, str] = {}
        for scope in client.ask("scopes", frameId=region["id"])["scopes"]:
            if "register" in scope["name"].lower() or scope["name"] == "OpenMP":
                continue
            asked = client.ask("variables", variablesReference=scope["variablesReference"])
            for one in asked["variables"]:
                found[one["name"]] = one["value"]
                # Clang passes references of what is shared.
                about = {"expression": one["name"], "frameId": region["id"], "context": "watch"}
                assert client.ask("evaluate", **about)["result"] == one["value"]
        assert found["scale"] == "2.5" and found["count"] == "7"
        assert not [name for name in found if name.startswith((".", "_"))]
        listed = client.ask("threads")["threads"]
        assert all(re.fullmatch(r"omp [01]/2 \w+( \w+)*", one["name"]) for one in listed), listed
        # The points at which a step may stop are no breakpoints of the user's.
        client.ask("evaluate", expression="omp step", context="repl")
        assert client.stopped() == thread
        # Where a step ends at one of these points, the reason is a step all the same.
        client.ask("evaluate", expression="omp finish", context="repl")
        client.stopped()
        assert client.reason == "step"
        client.ask("evaluate", expression="omp break task-end", context="repl")
        assert client.told and all(one["id"] > 0 for one in client.told)


@pytest.mark.skipif(setup.gdb_version() < 16, reason="GDB has scopes of frames by number since 16")
def test_a_worker() -> None:
    """Its stack goes on to main, and a scope tells where it is in OpenMP."""
    with Client(setup.program("hung", "O2"), "fixture_ready") as client:
        stopped = client.stopped()
        names = {one["id"]: one["name"] for one in client.ask("threads")["threads"]}
        worker = next(n for n, name in names.items() if re.match("omp [1-7]/8 lock block", name))
        frames = client.ask("stackTrace", threadId=worker)["stackFrames"]
        told = [frame["name"] for frame in frames]
        assert told[-1] == "main [thread 1]"
        assert not [name for name in told if "GOMP" in name or "omp_fn" in name]
        at = next(i for i, name in enumerate(told) if name.endswith("[thread 1]"))
        assert 0 < at and all(name.endswith("[thread 1]") for name in told[at:])
        assert told == [one["name"] for one in frames_by_page(client, worker)]
        # After that, what has no frame is asked of the thread that had been selected.
        own = client.ask(
            "evaluate", expression="$_thread", context="watch", frameId=frames[0]["id"]
        )
        assert own["result"] == str(worker)
        for frame, thread in ((frames[0], worker), (frames[-1], 1)):
            about = {"expression": "$_thread", "context": "watch", "frameId": frame["id"]}
            assert client.ask("evaluate", **about)["result"] == str(thread)
            shown = openmp_scope(client, frame)
            assert shown["thread"] == '"{}"'.format(names[thread].split()[1])
            assert shown["waits for"] == '"{}"'.format(names[thread].split(None, 2)[2])
            assert shown["state"].startswith('"wait_') and shown["team"] == '"1"'
            assert shown["level"] == '"1"' and "task" in shown
        (frame, *_) = client.ask("stackTrace", threadId=stopped)["stackFrames"]
        assert openmp_scope(client, frame) == {}  # no OpenMP thread
        # GDB's own commands show the thread's own stack, and so does the server without ours.
        client.ask("evaluate", expression="thread {}".format(worker), context="repl")
        said = client.ask("evaluate", expression="bt", context="repl")["result"]
        assert told[0] in said and " main (" not in said  # a folder may be named so
        client.ask("evaluate", expression="set omp frame-filter off", context="repl")
        other = next(n for n, name in names.items() if re.match("omp [1-7]/8 barrier", name))
        frames = client.ask("stackTrace", threadId=other)["stackFrames"]
        assert frames and not [one for one in frames if one["name"].endswith("]")]


def frames_by_page(client: Client, thread: int) -> List[Dict[str, Any]]:
    """A stack as front ends ask for it that show a few frames at once."""
    found: List[Dict[str, Any]] = []
    while True:
        about = {"threadId": thread, "startFrame": len(found), "levels": 1}
        page = client.ask("stackTrace", **about)["stackFrames"]
        if not page:
            return found
        found += page


def openmp_scope(client: Client, frame: Dict[str, Any]) -> Dict[str, str]:
    """What it shows."""
    found: Dict[str, str] = {}
    for scope in client.ask("scopes", frameId=frame["id"])["scopes"]:
        if scope["name"] == "OpenMP":
            asked = client.ask("variables", variablesReference=scope["variablesReference"])
            found = {one["name"]: one["value"] for one in asked["variables"]}
    return found


BREAK = (
    "python from ompdbg.frames import frame_filter; from ompdbg.front_ends import dap;"
    " {} = lambda *given: [][0]"
)


@pytest.mark.skipif(setup.gdb_version() < 16, reason="GDB has scopes of frames by number since 16")
def test_where_ours_fails() -> None:
    """The server has its own answers, and a line says so."""
    with Client(setup.program("hung", "O2"), "fixture_ready") as client:
        client.stopped()
        names = {one["id"]: one["name"] for one in client.ask("threads")["threads"]}
        workers = [number for number, name in names.items() if re.match("omp [1-7]/8", name)]
        # The server remembers stacks: each of another thread.
        broken = ("frame_filter.decorated", "dap._others", "dap._told")
        for thread, ours in zip(workers, broken):
            client.ask("evaluate", expression=BREAK.format(ours), context="repl")
            frames = client.ask("stackTrace", threadId=thread)["stackFrames"]
            is_whole = frames[-1]["name"] == "main [thread 1]"
            assert len(frames) > 1 and is_whole == (ours == broken[0])
            scopes = client.ask("scopes", frameId=frames[0]["id"])["scopes"]
            has_ours = "OpenMP" in [scope["name"] for scope in scopes]
            assert scopes and has_ours == (ours != broken[2])
        for what in ("the way to main", "the scope of OpenMP", "the frame filter"):
            client.said(f"omp: {what} failed; shown as in GDB alone (IndexError: ")


@pytest.mark.skipif(setup.gdb_version() < 16, reason="GDB has scopes of frames by number since 16")
def test_variables_of_constructs(tmp_path: Path) -> None:
    """The scope has them with their data-sharing attributes."""
    program = own_programs.compiled("sharing.c", tmp_path / "sharing", ("-O0", "-g", "-fopenmp"))
    with Client(program) as client:
        frame = client.ask("stackTrace", threadId=client.stopped())["stackFrames"][1]
        assert frame["name"] == "parallel region of region"
        shown = openmp_scope(client, frame)
        assert shown["s_written (shared)"] == "2.5" and shown["p_index (private)"] in ("40", "41")
        labels = [name for name in shown if name.endswith(")")]
        assert "s_pair (shared)" in labels and "p_mine (private)" in labels
        assert all(
            re.fullmatch(r"s_\w+ \(shared\)|p_\w+ \(private\)|x_last \(shared\)", one)
            for one in labels
        )


@pytest.mark.skipif(setup.gdb_version() < 16, reason="GDB tells the reason of a stop since 16")
def test_stops_at_events(tmp_path: Path) -> None:
    program = own_programs.compiled("captured.c", tmp_path / "captured", ("-g", "-fopenmp"))
    with Client(program, "solve") as client:
        thread = client.stopped()
        assert client.hit == [1]
        client.ask("evaluate", expression="omp break parallel-begin", context="repl")
        client.ask("continue", threadId=thread)
        assert client.stopped() == thread and client.reason == "breakpoint"
        assert client.hit is None  # it is none of those that the front end has
        for _ in range(2):  # GDB 18 sends what was printed after an answer that is under way
            client.ask("threads")
        said = "OpenMP breakpoint 1, parallel-begin: parallel region of solve"
        assert said in client.output and ", 2 threads" in client.output


@pytest.mark.skipif(setup.gdb_version() < 14, reason="GDB has a DAP server since 14")
def test_arrays_that_are_not_there(tmp_path: Path) -> None:
    try:
        program = own_programs.compiled(
            "optional.f90", tmp_path / "optional", ("-O0", "-g", "-fopenmp")
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with Client(program, "inspect_") as client:
        thread = client.stopped()
        frame = client.ask("stackTrace", threadId=thread)["stackFrames"][1]
        found: Dict[str, str] = {}
        for scope in client.ask("scopes", frameId=frame["id"])["scopes"]:
            if "register" not in scope["name"].lower():
                asked = client.ask("variables", variablesReference=scope["variablesReference"])
                found.update({one["name"]: one["value"] for one in asked["variables"]})
        assert found["count"] == "1" and found["sum"] == "1"
        assert {"extra", "list", "room"} <= set(found)
