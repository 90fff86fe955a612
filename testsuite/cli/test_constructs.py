# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of constructs has the name of its construct, and of the function of the source around it."""

import html
import re
from pathlib import Path
from typing import Any

import build  # from fixtures/
import pytest
from harness import own_programs, rest

SOURCE = Path(__file__).resolve().parent / "programs" / "jumped.c"
NAMES = {
    "league": r"parallel region of in_league",
    "task": r"parallel region of region",
    "taskloop": r"task(?:loop task)? of in_taskloop",
}
THREADS = {"league": 2, "task": 3, "taskloop": 2}


@pytest.mark.parametrize("way", NAMES)
@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_names_of_constructs(ompdbg: Any, family: str, way: str, tmp_path: Path) -> None:
    """A region that was opened by a jump is no teams region or task; Clang's functions of a reduction
    are not around a task."""
    flags = ("-O2", "-g", "-fopenmp")
    try:
        program = own_programs.compiled(str(SOURCE), tmp_path / "program", flags, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    lines = SOURCE.read_text().splitlines()
    (line,) = [at for at, text in enumerate(lines, 1) if text.endswith(f"// LINE: {way}")]
    with rest.hanging([str(program), way], THREADS[way], tmp_path) as process:
        text = ompdbg.run("bt", "--no-tree", process.pid).stdout
    assert re.search(rf"^#\d+ +{NAMES[way]} at jumped\.c:{line}, line \d+$", text, re.M), text
    wrong = rf"(teams region|task) of \w+ at jumped\.c:{line}\b"
    assert way == "taskloop" or not re.search(wrong, text), text


@pytest.mark.parametrize("level", ("-O0", "-O2"))
@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_tasks_around_lambda_expressions(
    ompdbg: Any, family: str, level: str, tmp_path: Path
) -> None:
    """Code of the expression has lines of the construct's reduction, which is around it."""
    source = SOURCE.with_name("in_lambda.cpp")
    try:
        program = own_programs.compiled(
            str(source), tmp_path / "program", (level, "-g", "-fopenmp"), family
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    marks = {"outer": "main", "inner": r"\S*operator\(\)(?:\(\) const)?"}
    if level != "-O0":
        marks["inner"] += "|main"  # it may be inlined, and is in main, too
    lines = source.read_text(encoding="utf-8").splitlines()
    with rest.hanging([str(program)], 2, tmp_path) as process:
        text = ompdbg.run("tasks", process.pid).stdout
    for mark, name in marks.items():
        (line,) = [at for at, said in enumerate(lines, 1) if said.endswith(f"// LINE: {mark}")]
        found = re.findall(rf"task of (\S+(?: const)?) at in_lambda\.cpp:{line}\b", text)
        assert found and all(re.fullmatch(name, one) for one in found), text
    assert "task_red" not in text, text


def line_of(source: Path, mark: str) -> int:
    """The line of a source that ends with this mark."""
    lines = source.read_text(encoding="utf-8").splitlines()
    (line,) = [at for at, said in enumerate(lines, 1) if said.endswith(f"// LINE: {mark}")]
    return line


def compiled(source: Path, folder: Path, level: str, family: str) -> str:
    """Its program."""
    try:
        flags = (level, "-g", "-fopenmp")
        return str(own_programs.compiled(str(source), folder / "program", flags, family))
    except build.Skipped as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("level", ("-O0", "-O1", "-O2", "-O3"))
@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_code_that_begins_in_a_header(
    ompdbg: Any, family: str, level: str, tmp_path: Path
) -> None:
    """A construct is where its directive is, whatever is inlined where its code begins."""
    source = SOURCE.with_name("header_first.cpp")
    program = compiled(source, tmp_path, level, family)
    with rest.hanging([program], 2, tmp_path) as process:
        text = ompdbg.run("tasks", process.pid).stdout
    for mark in ("one", "other"):
        place = f"task of tasks at {source.name}:{line_of(source, mark)}"
        assert len(re.findall(rf"\b{re.escape(place)}, running", text)) == 1, text
    with rest.hanging([program, "region"], 2, tmp_path) as process:
        text = ompdbg.run("bt", process.pid).stdout
    line = line_of(source, "region")
    places = re.findall(r"parallel region of region at (\S+:\d+)", text)
    assert set(places) == {f"{source.name}:{line}"}, text


@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_code_that_is_never_left(ompdbg: Any, family: str, tmp_path: Path) -> None:
    """Its last row in the table of lines is not that of the next construct."""
    source = SOURCE.with_name("never_left.c")
    with rest.hanging([compiled(source, tmp_path, "-O1", family)], 3, tmp_path) as process:
        text = ompdbg.run("tasks", process.pid).stdout
    lines = sorted(map(int, re.findall(r"task of main at never_left\.c:(\d+), running", text)))
    assert lines == [line_of(source, mark) for mark in "012"], text


@pytest.mark.parametrize("kind", "123")
@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_regions_opened_by_one_call(ompdbg: Any, family: str, kind: str, tmp_path: Path) -> None:
    """The call does not have the line of another region."""
    source = SOURCE.with_name("one_call.c")
    with rest.hanging([compiled(source, tmp_path, "-O2", family), kind], 2, tmp_path) as process:
        regions = ompdbg.run("regions", process.pid).stdout
        stacks = ompdbg.run("bt", process.pid).stdout
    line = line_of(source, kind)
    assert f"opened in main at one_call.c:{line}\n" in regions
    if family == "clang":
        others = {line_of(source, other) for other in "123"} - {line}
        assert not others & set(map(int, re.findall(r"one_call\.c:(\d+)", stacks))), stacks


LONG = """
#include <map>
#include <string>
#include <unistd.h>
#include <vector>
template <class A, class B> struct Solver {
    template <class C> void run(C);
};
template <class A, class B> template <class C> void Solver<A, B>::run(C)
{
#pragma omp parallel num_threads(2)
    for (;;) pause();
}
using Names = NAMES;
int main() { Solver<Names, Names>().run(Names()); }
"""
# The first has more bytes than any text shows of a name, the second does not.
LONG_TYPES = ("std::map<std::string, std::vector<std::string>>", "std::vector<double>")


@pytest.mark.parametrize("family, names", (("gcc", LONG_TYPES[0]), ("clang", LONG_TYPES[1])))
def test_long_names(ompdbg: Any, family: str, names: str, tmp_path: Path) -> None:
    """What templates make long is shortened everywhere, of the code of constructs, too."""
    source = tmp_path / "long.cpp"
    source.write_text(LONG.replace("NAMES", names), encoding="ascii")
    page = tmp_path / "long.html"
    with rest.hanging([compiled(source, tmp_path, "-O0", family)], 2, tmp_path) as process:
        texts = [
            ompdbg.run(*command, process.pid).stdout
            for command in (["bt", "--no-tree"], ["threads"], ["regions"], ["why"])
        ]
        ompdbg.run("report", "--html", page, process.pid)
    # The whole name is only seen on the shortened one.
    texts.append(html.unescape(re.sub("<[^>]*>", "", page.read_text(encoding="utf-8"))))
    for text in texts:
        assert "Solver<std" not in text, text
    for text in texts[:3] + texts[4:]:
        assert "Solver<...>::run<...>" in text, text
