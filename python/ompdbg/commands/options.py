# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of commands in GDB's manner: one dash, and completion."""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

# As in GDB: no option comes behind it.
END = "--"


class Option(NamedTuple):
    """One option of a command."""

    name: str  # with its dash
    value: Optional[str] = None  # what its value is called; None: it has none
    values: Optional[Callable[[], Sequence[str]]] = None  # for completion


class Arguments(NamedTuple):
    """A parsed command line."""

    options: Dict[str, str]  # value by name; "" for an option without a value
    positional: List[str]
    write_text: Callable[[str], object] = print  # prints what the command shows

    def has(self, name: str) -> bool:
        """The option was given."""
        return name in self.options


class Wrong(Exception):
    """The command line is wrong; the message says how."""


def parse(
    command: str, options: Sequence[Option], words: Sequence[str], positional: int = 0
) -> Arguments:
    """Takes a command line apart. At most `positional` words may be no options."""
    found = Arguments({}, [])
    pending = list(words)
    while pending:
        word = pending.pop(0)
        if word == END:
            found.positional.extend(pending)
            break
        if not word.startswith("-"):
            found.positional.append(word)
            continue
        option = named(options, word)
        if option is None:
            raise Wrong(f'{command}: no option "{word}"; see "help {command}".')
        if option.value is None:
            found.options[option.name] = ""
        elif pending:
            found.options[option.name] = pending.pop(0)
        else:
            raise Wrong(f'{command}: option "{option.name}" needs a value: {option.value}.')
    if len(found.positional) > positional:
        extra = found.positional[positional]
        raise Wrong(f'{command}: no argument "{extra}" is expected; see "help {command}".')
    return found


def split(options: Sequence[Option], argument: str) -> Tuple[List[str], str]:
    """The options at the begin of a command line, and the rest, which is left as it is."""
    words: List[str] = []
    rest = argument.strip()
    while rest.startswith("-"):
        word, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if word == END:
            break
        words.append(word)
        option = named(options, word)
        if option is not None and option.value is not None and rest:
            value, _, rest = rest.partition(" ")
            words.append(value)
            rest = rest.lstrip()
    return words, rest


def named(options: Sequence[Option], word: str) -> Optional[Option]:
    """The option that a word stands for. GDB accepts as much of it as is unambiguous."""
    for option in options:
        if option.name == word:
            return option
    matching = [option for option in options if option.name.startswith(word)]
    return matching[0] if len(matching) == 1 and len(word) > 1 else None


def exclude(command: str, arguments: Arguments, *names: str) -> None:
    """At most one of these options makes sense."""
    given = [name for name in names if arguments.has(name)]
    if len(given) > 1:
        raise Wrong(f"{command}: {given[0]} and {given[1]} exclude each other.")


def complete(options: Sequence[Option], text: str, word: str) -> List[str]:
    """Completions of a command line's last word. `word` is what of it GDB replaces."""
    words = text.split(" ")
    last = words[-1]
    previous = words[-2] if len(words) > 1 else ""
    taking = next((o for o in options if o.name == previous and o.value is not None), None)
    if END in words[:-1]:
        candidates = []
    elif taking is not None:
        candidates = list(taking.values()) if taking.values is not None else []
    else:
        candidates = [option.name for option in options if option.name not in words[:-1]]
    # GDB may take a dash for the begin of a new word.
    kept = len(last) - len(word) if last.endswith(word) else 0
    return [candidate[kept:] for candidate in candidates if candidate.startswith(last)]


def _states() -> List[str]:
    from ompdbg.inferior import selection, session

    with selection.kept():
        process = session.program_at_stop()
        return [] if process is None else sorted(process.states())


def _teams() -> List[str]:
    from ompdbg.inferior import selection, session

    with selection.kept():
        process = session.program_at_stop()
        return [] if process is None else [team.label for team in process.teams()]


STATE = Option("-state", "STATE", _states)
TEAM = Option("-team", "TEAM", _teams)
LEVEL = Option("-level", "LEVEL")
NUMBERS = Option("-num", "NUMBERS")
