# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts inside GDB: `import ompdbg; ompdbg.threads()`. The same as the commands' JSON."""

import ast
import json
import re
from typing import Any, Dict, Iterator, List, Set

import build  # from fixtures/
import pytest

from harness import processes, setup

WHERE = "@python (gdb.selected_thread().num, gdb.selected_frame().level())"
# What each function gives: of which command, and which member of the document.
SAME = {
    "threads()": ("threads", "threads"),
    "teams()": ("threads", "teams"),
    "regions()": ("regions", "regions"),
    "tasks()": ("tasks", "tasks"),
    "locks()": ("locks", "locks"),
    "findings()": ("why", "findings"),
    "findings(3)": ("why 3", "findings"),
    "[stack()]": ("bt", "stacks"),
    "[stack(3)]": ("bt -all", "stacks"),
    "document('icvs', '-all').icvs": ("icvs -all", "icvs"),
}
STUB = setup.ROOT / "build" / "python" / "records.pyi"
SCHEMA = setup.ROOT / "docs" / "ompdbg.schema.json"


def plain(question: str) -> str:
    """What a function gives, as plain values."""
    text = "__import__('json').dumps(eval({!r}, vars(__import__('ompdbg'))), default=vars)"
    return "@python " + text.format(question)


@pytest.mark.parametrize("variant", ["O2", "clang", "omp19"])
@pytest.mark.parametrize("name", ["hung", "nested 2 2 2", "tasks"])
def test_the_same_as_json(name: str, variant: str) -> None:
    words = name.split()
    try:
        program = str(setup.program(words[0], variant))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = [WHERE, *map(plain, SAME), WHERE]
    commands += ["omp {} -json".format(command) for command, _ in SAME.values()]
    spec = {"commands": commands, "arguments": words[1:], "stop": "fixture_ready"}
    said = processes.run_gdb("session.py", spec, [program]).result
    assert said[0] == said[len(SAME) + 1]
    for i, (question, (_, member)) in enumerate(SAME.items()):
        expected = json.loads(said[len(SAME) + 2 + i]["text"])[member]
        if question == "[stack(3)]":
            expected = [one for one in expected if one["parts"][0]["thread"] == 3]
        assert json.loads(said[1 + i]["value"]) == expected and expected is not None, question
        assert expected or question in ("locks()", "findings()", "findings(3)", "teams()")


def test_what_cannot_be_asked() -> None:
    program = str(setup.program("hung", "O2"))
    lines = ["import ompdbg", "try: ompdbg.{}", "except ompdbg.Error as e: print(e)"]
    script = "python exec({!r})".format("\n".join(lines))
    spec: Dict[str, Any] = {"commands": [script.format("threads()"), script.format("stack()")]}
    said = processes.run_gdb("session.py", spec, [program]).result
    assert [one["text"] for one in said] == [
        "omp threads: the program is not running\n",
        "omp bt: the program is not running\n",
    ]
    questions = ("stack(99)", "history()", 'document("nosuch")')
    spec = {"commands": [script.format(one) for one in questions]}
    said = processes.run_gdb("session.py", {**spec, "stop": "fixture_ready"}, [program]).result
    assert said[0]["text"] == "there is no thread 99\n"
    assert said[2]["text"] == "there is no command omp nosuch\n"
    if setup.PRELOAD:
        assert not said[1]["text"]  # there is a recording
    else:
        assert said[1]["text"].startswith("omp history: ") and said[1]["text"].count("\n") == 1


def test_help_is_a_page() -> None:
    """Without an import of GDB's, which other Pythons lack."""
    spec = {"commands": ["python help('ompdbg')"]}
    (said,) = processes.run_gdb("session.py", spec, []).result
    for name in ("threads", "teams", "regions", "tasks", "locks", "findings", "history", "stack"):
        assert re.search(r"^    {}\(.*\) -> ".format(name), said["text"], re.MULTILINE), name
    for line in said["text"].split("\n"):
        assert len(line) <= 110, line


# ---- What is said of the members ------------------------------------------------------------


def members(schema: Dict[str, Any], definitions: Dict[str, Any]) -> Iterator[str]:
    """The names in a definition, of all that it contains."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    for name, value in schema.get("properties", {}).items():
        yield name
        if name not in ("recorded", "loops"):  # which have pages of their own
            yield from members(value, definitions)
    for key in ("allOf", "anyOf"):
        for part in schema.get(key, ()):
            yield from members(part, definitions)
    yield from members(schema["items"], definitions) if "items" in schema else ()


def told(function: str) -> Set[str]:
    """The words in what help() says of a function."""
    tree = ast.parse((setup.ROOT / "python" / "ompdbg" / "api.py").read_text())
    docs = {n.name: ast.get_docstring(n) for n in tree.body if isinstance(n, ast.FunctionDef)}
    found = set(re.findall(r"\w+", (docs[function] or "").partition("Members:")[2]))
    return found | told("teams") | told("threads") if function == "regions" else found


@pytest.mark.parametrize(
    "function, definition",
    [
        ("threads", "thread"),
        ("teams", "team"),
        ("regions", "region"),
        ("tasks", "task"),
        ("locks", "lock"),
        ("findings", "finding"),
        ("history", "event"),
        ("stack", "stack"),
    ],
)
def test_every_member_is_told(function: str, definition: str) -> None:
    definitions = json.loads(SCHEMA.read_text())["$defs"]
    wanted = set(members(definitions[definition], definitions))
    # Those of places are told once.
    wanted -= told("threads") if function != "threads" else set()
    assert len(wanted) > 1 and not wanted - told(function)


def test_types_are_those_of_the_schema() -> None:
    schema: Dict[str, Any] = json.loads(SCHEMA.read_text())
    # No member of these is missing.
    classes: Dict[str, List[str]] = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.ClassDef):
            named = [one.target for one in node.body if isinstance(one, ast.AnnAssign)]
            classes[node.name] = [one.id for one in named if isinstance(one, ast.Name)]
    for name in ("thread", "team", "task", "lock", "finding", "stack", "part", "frame", "loop"):
        assert classes[name.capitalize()] == list(schema["$defs"][name]["properties"])
