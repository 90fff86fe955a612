# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a crashed thread has accessed: in text, in JSON, in GDB, live and on core files."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import build  # from fixtures/
import jsonschema
import pytest
from harness import own_programs, processes, terminal

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/ompdbg.schema.json").read_text(encoding="utf-8"))
SOURCE = ROOT / "testsuite/cli/programs/faults.c"
OVERFLOW = SOURCE.with_name("overflow.c")
BAD_CALL = SOURCE.with_name("bad_call.c")
LAST_WORDS = SOURCE.with_name("last_words.c")
OVERFLOWS = "probably a stack overflow; OMP_STACKSIZE sets its size"
INDEX = str(1 << 40)
VARIANTS = [(family, level) for family in ("gcc", "clang") for level in ("-O0", "-O2")]
# Clang shares by a reference, of which its debug information says nothing else.
LAST_LINE = "13  *(volatile int *)0 = 1;"  # of alone.c
UNNAMED = {("shared", "clang", "-O0")}


def faults() -> Dict[str, Tuple[int, List[str]]]:
    """What the source says: the line, the access, its expression, and the pointer that is null."""
    found = {}
    for number, line in enumerate(SOURCE.read_text(encoding="utf-8").splitlines(), 1):
        told = re.search(r"// FAULT (\w+): (\w+) (\S+), (\S+)$", line)
        if told is not None:
            words = [told[2], *("" if word == "-" else word for word in told.groups()[2:])]
            found[told[1]] = number, [word.replace("INDEX", INDEX) for word in words]
    return found


FAULTS = faults()


def compiled(folder: Path, family: str, level: str) -> Path:
    try:
        flags = (level, "-g", "-fopenmp")
        return own_programs.compiled(str(SOURCE), folder / "program", flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))


def core_of(program: Path, way: str, folder: Path) -> Path:
    folder.mkdir()
    return processes.kernel_core(program, (way,), folder, signal.SIGSEGV)


@pytest.mark.parametrize("family, level", VARIANTS)
def test_what_was_accessed(ompdbg: Any, family: str, level: str, tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    program = compiled(tmp_path, family, level)
    assert len(FAULTS) >= 11
    for way, (line, (access, expression, pointer)) in FAULTS.items():
        core = core_of(program, way, tmp_path / way)
        if (way, family, level) in UNNAMED:
            expression = pointer = ""
        report = ompdbg.json("report", core, status=1)
        jsonschema.validate(report, SCHEMA)
        crash = report["about"]["crash"]
        told = [crash[name] or "" for name in ("access", "expression", "null_pointer")]
        assert told == [access, expression, pointer], way
        lines = ompdbg.run("why", core).stdout.splitlines()
        reason = ""
        if expression:
            reason = f" ({expression}; {pointer} is null)" if pointer else f" ({expression})"
        elif crash["address"] == "0x0":
            reason = " (null pointer)"
        to = "to" if access == "jump" else "at"
        assert lines[0].endswith(f", invalid {access} {to} {crash['address']}{reason}"), way
        if access != "jump":
            place = r"\(\d/\d\): \w+ at faults\.c:{},".format(line)
            assert re.search(r"^SIGSEGV in thread \d+ " + place, lines[0]), lines[0]
            assert lines[1].startswith(f"{line}  ") and f"FAULT {way}:" in lines[1]


@pytest.mark.parametrize("family, level", VARIANTS)
def test_gdb_says_the_same(ompdbg: Any, family: str, level: str, tmp_path: Path) -> None:
    """Of the live program, and of its core file."""
    program = compiled(tmp_path, family, level)
    for way in ("by_way", "null_element"):
        _, (access, expression, pointer) = FAULTS[way]
        core = tmp_path / way
        commands = ["run " + way, "omp why", f"generate-core-file {core}"]
        spec: Dict[str, Any] = {"commands": commands}
        live = processes.run_gdb("session.py", spec, [str(program)]).result[1]["text"]
        spec = {"commands": ["omp why"], "kill": False}
        dead = processes.run_gdb("session.py", spec, [str(program), str(core)]).result[0]["text"]
        ours = ompdbg.run("why", core).stdout
        end = (
            rf"invalid {access} at 0x\w+ \({re.escape(expression)}; {re.escape(pointer)} is null\)"
        )
        for text in (live, dead, ours):
            assert re.search(end + "$", text.splitlines()[0]), text
            assert f"FAULT {way}:" in text.splitlines()[1]


@pytest.mark.parametrize("family, level", VARIANTS)
def test_call_by_a_bad_pointer(ompdbg: Any, family: str, level: str, tmp_path: Path) -> None:
    """The call is what matters, not where it led: on core files, under `run`, and in GDB."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    lines = BAD_CALL.read_text(encoding="utf-8").splitlines()
    (number,) = [at for at, line in enumerate(lines, 1) if line.endswith("// CALL")]
    try:
        flags = (level, "-g", "-fopenmp")
        program = own_programs.compiled(str(BAD_CALL), tmp_path / "program", flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    place = rf"SIGSEGV in thread \d+ \(1/2\): apply at bad_call\.c:{number}, invalid jump to 0x"
    for way in ("null", "wild", "stack", "heap", "data"):
        core = core_of(program, way, tmp_path / way)
        told = ompdbg.run("why", core).stdout.splitlines()
        assert re.match(place, told[0]) and told[1].endswith("// CALL"), (way, told)
        frames = ompdbg.run("bt", core).stdout
        assert re.search(r"#1 +apply \(.*#2 +parallel region of main", frames, re.S), (way, frames)
        assert f"apply at bad_call.c:{number}" in ompdbg.run("threads", core).stdout, way
        words = ["run", "--print", f"--report={tmp_path}", "--", program, way]
        assert re.search(place, ompdbg.run(*words).stderr), way
    spec: Dict[str, Any] = {"commands": ["run null", "omp why"]}
    live = processes.run_gdb("session.py", spec, [str(program)]).result[1]["text"]
    assert re.match(place, live), live


@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_last_words(ompdbg: Any, family: str, tmp_path: Path) -> None:
    """What the C library says of its end is repeated: on core files, under `run`, and in GDB."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    try:
        flags = ("-O1", "-g", "-w", "-fopenmp")
        program = own_programs.compiled(str(LAST_WORDS), tmp_path / "program", flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    for way in ("assertion", "free", "odd", "silent"):
        alone = subprocess.run([program, way], stderr=subprocess.PIPE, text=True, check=False)
        words = alone.stderr.strip()
        assert bool(words) == (way != "silent")
        shown = words.replace("\033", "\\x1b")
        told = [f"The program said: {shown}"] if words else []
        (tmp_path / way).mkdir()
        core = processes.kernel_core(program, (way,), tmp_path / way, signal.SIGABRT)
        lines = ompdbg.run("why", core).stdout.splitlines()
        assert [line for line in lines if line.startswith("The program said")] == told, lines
        report = ompdbg.json("report", core, status=1)
        jsonschema.validate(report, SCHEMA)
        assert report["about"]["crash"]["message"] == (words or None)
        done = ompdbg.run("run", "--print", f"--report={tmp_path}", "--", program, way)
        lines = [line for line in done.stderr.splitlines() if "The program said" in line]
        assert [line.replace("ompdbg run:   ", "") for line in lines] == told, lines
        spec: Dict[str, Any] = {"commands": ["omp why"], "kill": False}
        text = processes.run_gdb("session.py", spec, [str(program), str(core)]).result[0]["text"]
        assert [line for line in text.splitlines() if "The program said" in line] == told, text


@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_the_line_of_a_call_that_ends_a_unit(ompdbg: Any, family: str, tmp_path: Path) -> None:
    """The frame would go on past all code that the debug information covers."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    source = tmp_path / "ends.c"
    lines = ["void abort(void) __attribute__((noreturn));", "int main(void)", "{"]
    lines += ["#pragma omp parallel num_threads(2)", "\tabort(); // the end", "}", ""]
    source.write_text("\n".join(lines), encoding="utf-8")
    words = [family, "-O0", "-g", "-fopenmp", source.name, "-o", "program"]
    subprocess.run(words, cwd=tmp_path, check=True)
    core = processes.kernel_core(tmp_path / "program", (), tmp_path, signal.SIGABRT)
    told = ompdbg.run("why", core).stdout.splitlines()
    assert told[0].endswith("main at ends.c:5") and told[1] == "5  abort(); // the end", told


@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_who_fails_at_a_lock_does_not_wait(ompdbg: Any, family: str, tmp_path: Path) -> None:
    """The runtime was given a lock that is none."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    source, program = tmp_path / "none.c", tmp_path / "program"
    lines = ["#include <omp.h>", "int main(void)", "{", "#pragma omp parallel num_threads(1)"]
    lines += ["\tomp_set_lock((omp_lock_t *)16);", "}", ""]
    source.write_text("\n".join(lines), encoding="utf-8")
    words = [family, "-w", "-g", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(words, check=True)
    core = processes.kernel_core(program, (), tmp_path, signal.SIGSEGV)
    report = ompdbg.json("report", core, status=1)
    assert not report["locks"] and [one["rule"] for one in report["findings"]] == ["signal"]
    (thread,) = report["threads"]
    assert (thread["wait"], thread["state"], thread["activity"]) == (None, None, "crashed")
    assert thread["location"]["line"] == 5


def test_who_is_ended_where_it_spins_waits(ompdbg: Any, tmp_path: Path) -> None:
    """As for want of processor time, which is nobody's signal."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    source, program = tmp_path / "spins.c", tmp_path / "program"
    lines = ["#include <omp.h>", "int main(void)", "{", "\tomp_lock_t lock;"]
    lines += [
        "\tomp_init_lock(&lock);",
        "\tomp_set_lock(&lock);",
        "\tomp_set_lock(&lock);",
        "}",
        "",
    ]
    source.write_text("\n".join(lines), encoding="utf-8")
    words = ["gcc", "-g", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(words, check=True)
    limited = ("-c", f"ulimit -S -t 1; OMP_WAIT_POLICY=active exec {program}")
    core = processes.kernel_core(Path("/bin/sh"), limited, tmp_path, signal.SIGXCPU)
    report = ompdbg.json("report", core, status=1)
    assert [lock["kind"] for lock in report["locks"]] == ["lock"]
    (thread,) = report["threads"]
    assert (thread["wait"]["kind"], thread["activity"]) == ("lock", "crashed")


def test_no_line_of_a_source_that_is_newer(ompdbg: Any, tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    source = tmp_path / "faults.c"
    source.write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    program = own_programs.compiled(str(source), tmp_path / "program", ("-O0", "-g", "-fopenmp"))
    core = core_of(program, "member", tmp_path / "core")
    assert "FAULT member" in ompdbg.run("why", core).stdout
    newer = program.stat().st_mtime + 10
    os.utime(source, (newer, newer))
    assert "FAULT" not in ompdbg.run("why", core).stdout


def test_the_line_is_an_error(ompdbg: Any, tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    program = own_programs.compiled(str(SOURCE), tmp_path / "program")
    core = core_of(program, "member", tmp_path / "core")
    words = [ROOT / "build/ompdbg", "why", core]
    assert terminal.printed(words, 200).startswith("\033[1;31mSIGSEGV in thread ")
    assert "\033" not in terminal.printed(words, 200, {"NO_COLOR": "1"})
    assert "\033" not in terminal.printed([*words, "--color=never"], 200)
    assert "\033" not in ompdbg.run("why", core).stdout
    assert ompdbg.run("why", "--color=always", core).stdout.startswith("\033[1;31mSIGSEGV")


@pytest.mark.parametrize("family, level", VARIANTS)
def test_end_of_the_stack(ompdbg: Any, family: str, level: str, tmp_path: Path) -> None:
    """An access there is shown as one; values that a deep recursion has far away are no damage."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    try:
        program = own_programs.compiled(
            str(OVERFLOW), tmp_path / "program", (level, "-g", "-fopenmp"), family
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    for way in ("deep", "large", "small"):
        core = core_of(program, way, tmp_path / way)
        headline = ompdbg.run("why", core).stdout.splitlines()[0]
        assert re.search(rf" {way} at .* \({OVERFLOWS}\)$", headline), headline
        page = tmp_path / way / "page.html"
        ompdbg.run("report", "--html", page, core)
        assert f" ({OVERFLOWS})</p>" in page.read_text(encoding="utf-8")
        # GDB can read pages that protect a stack.
        spec: Dict[str, Any] = {"commands": ["run " + way, "omp why"]}
        live = processes.run_gdb("session.py", spec, [str(program)]).result[1]["text"]
        assert f" ({OVERFLOWS})\n" in " ".join(live.split("\n  ")), live
        core = processes.kernel_core(program, (way, "handler"), tmp_path / way, signal.SIGSEGV)
        headline = ompdbg.run("why", core).stdout.splitlines()[0]
        assert re.search(rf" {way} at .* invalid write at .* \({OVERFLOWS}\)$", headline), headline
    misaligned = core_of(program, "aligned", tmp_path / "aligned")
    headline = ompdbg.run("why", misaligned).stdout.splitlines()[0]
    assert " aligned at " in headline and "stack overflow" not in headline
    # So many frames are not read, and what is below them is not made up.
    stack = ompdbg.run("bt", "--no-tree", core).stdout.split("\n\n")[0]
    assert stack.endswith("(The stack ends here: the older frames of thread 1 were not read.)")
    stack = ompdbg.run("bt", next((tmp_path / "deep").glob("core*"))).stdout
    assert "deep (step=" in stack and "damaged" not in stack


def line_of(source: Path, mark: str) -> int:
    """Find the line of a source file that has a mark."""
    lines = source.read_text(encoding="utf-8").splitlines()
    (number,) = [at for at, line in enumerate(lines, 1) if line.endswith(f"// LINE: {mark}")]
    return number


def core_of_source(
    source: Path, family: str, folder: Path, way: str = "", number: int = 6
) -> Path:
    """Compile a program without optimization, and let it crash by a signal."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    flags = ("-O0", "-g", "-fopenmp")
    try:
        program = own_programs.compiled(str(source), folder / "program", flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    return processes.kernel_core(program, (way,), folder, signal.Signals(number))


DIVISIONS = {
    "zero": "integer division by zero",
    "element": "integer division by zero",
    "large": "integer division with too large a result",
    "float": "floating-point division by zero",
}


@pytest.mark.parametrize("family, level", VARIANTS)
def test_divisions(ompdbg: Any, family: str, level: str, tmp_path: Path) -> None:
    """The kernel says the same of both kinds of integer division; the instruction tells them apart."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    flags = (level, "-g", "-fopenmp")
    source = str(SOURCE.with_name("divided.c"))
    try:
        program = own_programs.compiled(source, tmp_path / "program", flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    for way, words in DIVISIONS.items():
        (tmp_path / way).mkdir()
        core = processes.kernel_core(program, (way,), tmp_path / way, signal.SIGFPE)
        headline = ompdbg.run("why", core).stdout.splitlines()[0]
        assert re.search(rf"^SIGFPE in thread \d .*, {words}$", headline), headline
    live = processes.run_gdb("session.py", {"commands": ["run zero", "omp why"]}, [str(program)])
    headline = live.result[1]["text"].splitlines()[0]
    assert headline.endswith(", integer division by zero"), headline


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_crash_in_a_header(ompdbg: Any, family: str, tmp_path: Path) -> None:
    """The headline, the tables and JSON name the line of the program that called it."""
    source = SOURCE.with_name("in_header.cpp")
    core = core_of_source(source, family, tmp_path, number=signal.SIGSEGV)
    line = line_of(source, "measure")
    headline, shown = ompdbg.run("why", core).stdout.splitlines()[:2]
    assert f": measure at in_header.cpp:{line}, invalid read at 0x8" in headline
    assert shown == f"{line}  return text->length(); // LINE: measure"
    (row,) = [one for one in ompdbg.run("threads", core).stdout.splitlines() if "SIGSEGV" in one]
    assert row.endswith(f"measure at in_header.cpp:{line}")
    report = ompdbg.json("report", core, status=1)
    (place,) = [
        thread["location"]
        for thread in report["threads"]
        if thread["gdb"] == report["about"]["crash"]["thread"]
    ]
    assert (Path(place["file"]).name, place["line"]) == (source.name, line)


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_recursion(ompdbg: Any, family: str, tmp_path: Path) -> None:
    """Its first and its last frame are shown, and how many are between them."""
    source = SOURCE.with_name("deep_tasks.c")
    core = core_of_source(source, family, tmp_path, "calls")
    lines = ompdbg.run("bt", core).stdout.splitlines()
    place = f"at deep_tasks.c:{line_of(source, 'down')}"
    at = [number for number, line in enumerate(lines) if "... 38 more frames" in line]
    assert len(at) == 1, lines
    assert lines[at[0]] == f"... 38 more frames of down {place}"
    ends = [re.search(r"depth=(\d+)", lines[at[0] + step]) for step in (-2, -1, 1)]
    assert [end and int(end[1]) for end in ends] == [40, 39, 0], lines
    raw = ompdbg.run("bt", "--raw", core).stdout
    full = ompdbg.run("bt", "--full", core).stdout
    assert raw.count(f") {place}") == full.count(f") {place}") == 40
    short = ompdbg.run("bt", "--limit=20", core).stdout
    assert " more frames of down" in short and short.count("(More stack frames follow...)") >= 1


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_recursion_by_tasks(ompdbg: Any, family: str, tmp_path: Path) -> None:
    """Frames that recur together are counted together."""
    source = SOURCE.with_name("deep_tasks.c")
    core = core_of_source(source, family, tmp_path, "tasks")
    lines = ompdbg.run("bt", core).stdout.splitlines()
    (folded,) = [line for line in lines if line.startswith("... ")]
    told = re.fullmatch(r"\.\.\. (\d+) more frames: these 2 lines (\d+) more times", folded)
    assert told and int(told[1]) == 2 * int(told[2]), folded
    shown = sum(f"line {line_of(source, 'inside')}" in line for line in lines)
    assert shown + int(told[2]) == 40, lines
    frames = [line for line in lines if line.startswith("#")]
    assert len(frames) >= 6 and all(
        re.match(r"#(\d  |\d\d |\d{3} )\S", one) for one in frames
    ), lines


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_recursion_of_many_functions(ompdbg: Any, family: str, tmp_path: Path) -> None:
    """Five functions call each other: the turns that are alike are counted."""
    core = core_of_source(SOURCE.with_name("deep_tasks.c"), family, tmp_path, "turns")
    lines = ompdbg.run("bt", "--no-tree", core).stdout.splitlines()
    assert "... 190 more frames: these 5 lines 38 more times" in lines, lines
    assert sum(line.startswith("#") and " sum (" in line for line in lines) == 3
    tree = [line.strip() for line in ompdbg.run("bt", "--tree", core).stdout.splitlines()]
    assert "(these 5 lines 39 more times)" in tree, tree


def test_a_crash_without_waits(ompdbg: Any, tmp_path: Path) -> None:
    """The crash is all that there is to say; that no thread waits in vain, nobody asked."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    flags = ("-O0", "-g", "-fopenmp")
    program = own_programs.compiled(str(SOURCE.with_name("alone.c")), tmp_path / "program", flags)
    core = processes.kernel_core(program, (), tmp_path, signal.SIGSEGV)
    told = ompdbg.run("why", core).stdout.splitlines()
    assert told[0].startswith("SIGSEGV in thread 1 ") and told[1:] == [LAST_LINE]
    (finding,) = ompdbg.json("why", core, status=1)["findings"]
    verdict = ompdbg.json("report", core, status=1)["verdict"]
    assert (finding["rule"], finding["severity"], finding["text"]) == ("signal", "stuck", told[0])
    assert verdict == {name: finding[name] for name in ("severity", "rule", "text")}
    listed = "python print(*(f'{one.rule}: {one.text}' for one in ompdbg.findings()))"
    spec: Dict[str, Any] = {
        "commands": ["omp why", "python import ompdbg", listed, "interpreter-exec mi -omp-why"],
        "kill": False,
    }
    found = processes.run_gdb("session.py", spec, [str(program), str(core)]).result
    assert found[0]["text"].split("\n", 1)[1] == LAST_LINE + "\n"
    assert found[2]["text"] == f"signal: {told[0]}\n"
    assert 'rule="signal"' in found[3]["text"], found[3]
    text, page, report = tmp_path / "report.txt", tmp_path / "report.html", tmp_path / "a.json"
    ompdbg.run("report", core, "--text", text, "--html", page, f"--json={report}")
    merged = tmp_path / "merged.html"
    both = ompdbg.run("merge", report, "--html", merged).stdout
    for one in (text, page, merged):
        both += one.read_text(encoding="utf-8")
    assert "SIGSEGV" in both and "== Diagnosis" not in both
    assert "was found waiting for another" not in both
    # Without a crash, it is said.
    fine = json.loads(report.read_text(encoding="utf-8"))
    fine["about"]["crash"] = None
    report.write_text(json.dumps(fine), encoding="utf-8")
    assert "No thread was found waiting for another." in ompdbg.run("merge", report).stdout


def test_several_faults_at_once(tmp_path: Path) -> None:
    """GDB says of one thread that it has got the signal: so does the diagnosis."""
    flags = ("-O0", "-g", "-fopenmp")
    source = SOURCE.with_name("together.c")
    program = own_programs.compiled(str(source), tmp_path / "program", flags)
    commands = ["run", "@python gdb.selected_thread().num", "omp why"]
    for _ in range(3):
        spec: Dict[str, Any] = {"commands": commands}
        said = processes.run_gdb("session.py", spec, [str(program)]).result
        assert said[-1]["text"].startswith(f"SIGSEGV in thread {said[1]['value']} "), said[-1]


@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_a_signal_that_is_raised_again(ompdbg: Any, family: str, tmp_path: Path) -> None:
    """The kernel then tells no address: what is at none that a program can have is told."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    try:
        source = str(SOURCE.with_name("raised.c"))
        flags = ("-O0", "-g", "-fopenmp")
        program = own_programs.compiled(source, tmp_path / "program", flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    told = {}
    for how in ("again", "far", "sent"):
        report = ompdbg.json("report", core_of(program, how, tmp_path / how), status=1)
        jsonschema.validate(report, SCHEMA)
        crash = report["about"]["crash"]
        told[how] = [crash[name] for name in ("address", "access", "expression", "null_pointer")]
    assert told == {
        "again": ["0x8", "write", "pair->second", "pair"],
        "far": [None] * 4,
        "sent": [None] * 4,
    }


@pytest.mark.parametrize("family, level", VARIANTS)
def test_uncaught_exceptions(ompdbg: Any, family: str, level: str, tmp_path: Path) -> None:
    """None may leave a construct. GCC's code shows the throw; Clang's has unwound the stack, as for the end of
    a thread."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    source = SOURCE.with_name("uncaught.cpp")
    try:
        flags = (level, "-g", "-fopenmp")
        program = own_programs.compiled(str(source), tmp_path / "program", flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    lines = source.read_text(encoding="utf-8").splitlines()
    line_of = {line.split("// ")[1]: at for at, line in enumerate(lines, 1) if " // " in line}
    for way, construct in (
        ("region", "parallel region"),
        ("task", "task"),
        ("main", ""),
        ("abort", ""),
    ):
        (tmp_path / way).mkdir()
        core = processes.kernel_core(program, (way,), tmp_path / way, signal.SIGABRT)
        done = ompdbg.run("why", core)
        assert done.returncode == 1
        said = done.stdout.splitlines()[0]
        assert said.startswith("SIGABRT in thread "), said
        if not construct:
            assert "exception" not in said, said
            continue
        what = "an exception" if family == "gcc" else "an exception or pthread_exit()"
        place = f"main at uncaught.cpp:{line_of[way.upper()]}"
        assert said.endswith(f", {what} was not caught in the {construct} of {place}"), said
        if family == "gcc":
            assert f": check at uncaught.cpp:{line_of['THROWS']}," in said, said
