# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB, for record-target: brings a fixture program to its state and records what a
debugger offers of it while everything is asked.

OMPDBG_RECORD in the environment is JSON: what main() takes from it.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import gdb  # type: ignore[import-not-found]

SPEC = json.loads(os.environ["OMPDBG_RECORD"])
sys.path[:0] = [*SPEC["modules"], SPEC["python"], SPEC["fixtures"]]

import _ompd  # type: ignore[import-not-found]  # noqa: E402
import _ompdbg  # type: ignore[import-not-found]  # noqa: E402
import build  # noqa: E402
import recording  # noqa: E402
import states  # noqa: E402
from ompdbg.inferior.services import GdbServices  # noqa: E402

PAGE = recording.PAGE
REGISTERS = (
    "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip orig_rax fs_base".split()
)
FRAME = "level pc is_call is_signal is_inlined object_file".split()
# Those that functions leave as they are.
KEPT = "rbx rbp rsp r12 r13 r14 r15 rip".split()
MAX_FRAMES = 200
ENVIRONMENT_BYTES = 2 * PAGE


class Recorder:
    """The services of GDB, remembering questions and answers. All others are passed on."""

    def __init__(self, services: GdbServices, target: recording.Target) -> None:
        self._services = services
        self._target = target
        self._symbols: Dict[Tuple[str, Optional[str]], Optional[int]] = {}
        self._answers: Dict[str, Dict[Any, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._services, name)

    def direct_pid(self) -> int:
        """All memory is to be read here."""
        return 0

    def read_memory(self, address: int, size: int) -> bytes:
        """Whole pages are remembered. Nothing is read ahead."""
        if size > PAGE:
            raise gdb.MemoryError("one page at a time")
        first, last = address // PAGE, (address + size - 1) // PAGE
        memory = b"".join(self._page(PAGE * number) for number in range(first, last + 1))
        return memory[address % PAGE :][:size]

    def _page(self, address: int) -> bytes:
        page = self._target.pages.get(address)
        if page is None:
            page = self._target.pages[address] = self._services.memory(address, PAGE)
        return page

    def symbol_address(self, name: Any, file_name: Any, thread: Optional[int]) -> Optional[int]:
        """Also what does not exist is remembered. libompdbg has names in bytes."""
        key = (text(name), None if file_name is None else text(file_name))
        if key not in self._symbols:
            file = None if key[1] is None else key[1].encode()
            self._symbols[key] = self._services.symbol_address(key[0], file, thread or 0)
        return self._symbols[key]

    def thread_context(self, kind: int, ident: int) -> Optional[int]:
        """The number of the thread with that id."""
        for thread in self._target.threads:
            if ident == (thread.lwp if kind == _ompd.THREAD_ID_LWP else thread.pthread):
                return thread.number
        return None

    def message(self, text: str, category: int = 0) -> None:
        """Nobody wants to know."""

    def _remembered(self, question: str, key: Any) -> Any:
        answers = self._answers.setdefault(question, {})
        if key not in answers:
            answers[key] = getattr(self._services, question)(key)
        return answers[key]

    def symbol_at(self, address: int) -> Any:
        """As of the services."""
        return self._remembered("symbol_at", address)

    def function_at(self, address: int) -> Any:
        """As of the services."""
        return self._remembered("function_at", address)

    def function_named(self, symbol: bytes) -> Any:
        """As of the services."""
        return self._remembered("function_named", symbol)

    def finish(self) -> None:
        """Puts what was remembered into the target."""
        target = self._target
        target.symbols = [(*key, value) for key, value in sorted(self._symbols.items(), key=str)]

        def pairs(question: str) -> List[Tuple[Any, Any]]:
            found = self._answers.get(question, {})
            return [(text(key), named(found[key])) for key in sorted(found)]

        target.symbols_at = pairs("symbol_at")
        target.functions_at = pairs("function_at")
        target.functions_named = pairs("function_named")


def text(name: Any) -> Any:
    """A name as text; numbers as they are."""
    return name.decode() if isinstance(name, bytes) else name


SYMBOL = ("name", "offset", "object_file")
FUNCTION = ("name", "symbol", "start", "file", "line")


def named(answer: Any) -> Any:
    """A symbol or function with names of its parts, and of files without folders."""
    if answer is None:
        return None
    fields = dict(zip(SYMBOL if len(answer) == len(SYMBOL) else FUNCTION, answer))
    for name in ("file", "object_file"):
        if fields.get(name):
            fields[name] = os.path.basename(fields[name])
    return fields


# ---- Asking everything ------------------------------------------------------------------------


def tried(get: Callable[[], Any]) -> Any:
    """The answer, None where there is none."""
    try:
        return get()
    except _ompd.Error:
        return None


def ask_icvs(space: Any, *handles: Any) -> None:
    """Every control variable of every handle."""
    for icv in space.icvs():
        for handle in handles:
            tried(lambda: handle.icv(icv.id))
            tried(lambda: handle.icv_string(icv.id))


def ask_task(space: Any, task: Any, recorder: Recorder) -> None:
    """All that a task tells."""
    info = tried(task.info)
    if info is not None and info.function:
        recorder.function_at(info.function)
    depends, _ = tried(task.depends) or ([], True)
    for address, _ in depends:
        recorder.symbol_at(address)
    for get in (task.function, task.frame, task.dependers):
        tried(get)
    tried(task.scheduling)
    ask_icvs(space, task)


def ask_region(space: Any, region: Any, recorder: Recorder) -> None:
    """All that a region and its tasks tell."""
    ask_icvs(space, region)
    number = 0
    while True:
        task = tried(lambda: region.implicit_task(number))
        if task is None:
            break
        ask_task(space, task, recorder)
        tried(lambda: region.thread(number))
        number += 1
    infos = list(region.tasks())
    for info in infos:
        task = tried(lambda: region.task_by_id(info.id))
        if task is not None:
            ask_task(space, task, recorder)
    tried(region.barrier)
    iterator = region.tasks()
    iterator.by_function()
    tried(iterator.unreached)


def ask_thread(space: Any, thread: Any, futex: int, recorder: Recorder) -> None:
    """All that a thread, its regions and its tasks tell."""
    ask_icvs(space, thread)
    for get in (thread.state, thread.tool_data, thread.ordered_turn):
        tried(get)
    for kind in (_ompd.THREAD_ID_PTHREAD, _ompd.THREAD_ID_LWP):
        tried(lambda: thread.thread_id(kind))
    tried(lambda: thread.classify_futex(futex))
    region = tried(thread.parallel)
    while region is not None:
        tried(lambda: thread.thread_num(region))
        ask_region(space, region, recorder)
        region = tried(region.enclosing)
    task = tried(thread.task)
    while task is not None:
        ask_task(space, task, recorder)
        task = tried(task.generating)


def ask_everything(space: Any, threads: List[recording.Thread], recorder: Recorder) -> None:
    """Every question of the interface, of every handle that there is."""
    space.layout()
    space.states()
    ask_icvs(space, space)
    space.display_control_vars()
    tried(lambda: list(space.tasks()))
    for thread in threads:
        for kind, ident in (
            (_ompd.THREAD_ID_PTHREAD, thread.pthread),
            (_ompd.THREAD_ID_LWP, thread.lwp),
        ):
            handle = tried(lambda: space.thread(kind, ident))
            if handle is not None:
                ask_thread(space, handle, thread.registers["rdi"], recorder)
        for frame in thread.frames:
            tried(lambda: space.classify_call(frame["pc"]))
            tried(lambda: space.lock_argument(frame["pc"]))
            if frame["start"]:
                tried(lambda: space.classify_entry(frame["start"]))


def ask_libompdbg(recorder: Recorder) -> None:
    """What the commands ask."""
    process = _ompdbg.Process(recorder)
    process.open(SPEC["libompd"])
    for view in ("threads", "stacks", "tasks"):
        process.print(view, lambda text: None, json=True)


# ---- Threads ----------------------------------------------------------------------------------


def frames_of(services: Any, thread: Any) -> Iterator[Dict[str, Any]]:
    """The stack of a thread."""
    for frame, *_ in services.stack(thread):
        fields = {name: getattr(frame, name) for name in FRAME}
        names = ("function", "symbol", "start", "file", "line")
        fields.update(zip(names, (one or None for one in frame.place or (None,) * len(names))))
        for name in ("file", "object_file"):
            if fields[name]:
                fields[name] = os.path.basename(fields[name])
        kept = {name: services.frame_register(thread, frame, name) for name in KEPT}
        fields["kept"] = kept if None not in kept.values() else {}
        yield fields
        if frame.level > MAX_FRAMES:
            break


def threads_of(services: Any) -> List[recording.Thread]:
    """The threads of the program."""
    by_number = {thread.num: thread for thread in gdb.selected_inferior().threads()}
    selected = gdb.selected_thread().num
    found = []
    for number, _, lwp, _ in services.threads():
        by_number[number].switch()
        frame = gdb.newest_frame()
        word = (1 << 64) - 1
        registers = {name: int(frame.read_register(name)) & word for name in REGISTERS}
        found.append(
            recording.Thread(
                number=number,
                lwp=lwp,
                pthread=registers["fs_base"],
                name=services.thread_name(number),
                selected=number == selected,
                registers=registers,
                frames=list(frames_of(services, number)),
            )
        )
    by_number[selected].switch()
    return found


def mappings() -> Iterator[Tuple[int, int, List[str]]]:
    """The program's memory: begin, end, and the words of the line about it."""
    with open("/proc/{}/maps".format(gdb.selected_inferior().pid), encoding="utf-8") as maps:
        for line in maps:
            words = line.split()
            begin, end = (int(word, 16) for word in words[0].split("-"))
            yield begin, end, words


def mapped() -> List[Tuple[int, int]]:
    """Where there is readable memory."""
    found: List[Tuple[int, int]] = []
    for begin, end, words in mappings():
        if not words[1].startswith("r"):
            continue
        if found and found[-1][1] == begin:
            begin = found.pop()[0]
        found.append((begin, end))
    return found


def record_symbols(recorder: Recorder) -> None:
    """Entry points that no question named yet, for questions to come."""
    name = SPEC["library"]
    table = gdb.execute("maint print msymbols", to_string=True)
    for symbol in sorted(set(re.findall(r"\b(?:omp_|GOMP_|__kmpc_)\w+", table))):
        for file_name in (name, None):
            recorder.symbol_address(symbol, file_name, None)


def record_surroundings(recorder: Recorder) -> None:
    """Memory that no question touched yet, for questions to come: all of libgomp, LLVM's runtime
    but for its code, which is large, and the program's environment at the end of its stack."""
    runtime_end = 0
    name = SPEC["library"].split(".")[0]
    for begin, end, words in mappings():
        if name in words[-1] or (begin == runtime_end and len(words) == 5):
            runtime_end = end
        elif words[-1] == "[stack]":
            begin = end - ENVIRONMENT_BYTES
        else:
            continue
        is_code = words[1].startswith("r-x")
        if words[1].startswith("r") and not (is_code and name == "libomp"):
            for address in range(begin, end, PAGE):
                recorder.read_memory(address, PAGE)


def program_ranges() -> List[Tuple[int, int]]:
    """Where the program's own file is, with the variables behind it."""
    path = os.path.realpath(SPEC["program"])
    found: List[Tuple[int, int]] = []
    for begin, end, words in mappings():
        if words[-1].endswith(path) or (found and found[-1][1] == begin and len(words) == 5):
            found.append((begin, end))
    return found


def converted(value: gdb.Value) -> Any:
    """A structure, array or number as Python has it."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_STRUCT:
        return {field.name: converted(value[field]) for field in kind.fields()}
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        return [converted(value[index]) for index in range(low, high + 1)]
    return int(value)


def ask_program(threads: List[recording.Thread]) -> None:
    """What the program's own routines answer in each thread. It changes the program."""
    gdb.execute("set scheduler-locking on")
    by_number = {thread.num: thread for thread in gdb.selected_inferior().threads()}
    for thread in threads:
        by_number[thread.number].switch()
        gdb.execute("call (void) oracle_fill(&oracle_slot)", to_string=True)
        answers = converted(gdb.parse_and_eval("oracle_slot"))
        used = answers["level"] + 1
        for name in ("ancestor_thread_num", "team_size"):
            answers[name] = answers[name][:used]
        places = answers["partition_num_places"]
        answers["partition_place_nums"] = answers["partition_place_nums"][:places]
        thread.oracle = answers


# ---- The whole --------------------------------------------------------------------------------


def run_to_state() -> None:
    """Runs the program in an environment of its own."""
    for setting in ("pagination off", "confirm off", "print thread-events off"):
        gdb.execute("set " + setting)
    for setting in ("debuginfod enabled off", "auto-load off"):
        gdb.execute("set " + setting, to_string=True)
    gdb.execute("unset environment")
    for name, value in SPEC["environment"].items():
        gdb.execute("set environment {} {}".format(name, value))
    if SPEC["folder"]:
        gdb.execute("set sysroot " + SPEC["folder"])
        gdb.execute("set exec-wrapper {} {}".format(SPEC["chroot"], SPEC["folder"]))
    else:
        gdb.execute("set startup-with-shell off")
    gdb.execute("break fixture_ready", to_string=True)
    gdb.execute("run " + " ".join(SPEC["arguments"]), to_string=True)
    if gdb.selected_frame().name() != "fixture_ready":
        raise gdb.GdbError("the program did not come to its state")


def main() -> None:
    """Records, and leaves a file with this target only."""
    run_to_state()
    target = recording.Target(SPEC["name"], tuple(SPEC["arguments"]), SPEC["variant"])
    traits = build.VARIANTS[SPEC["variant"]].traits
    state = states.state(SPEC["name"], *SPEC["arguments"], traits=traits)
    target.expected = recording.expected_rows(state)
    services = GdbServices(gdb.selected_inferior(), lambda text: None)
    services.select(gdb.selected_thread())
    recorder = Recorder(services, target)
    target.threads = threads_of(recorder)
    target.mapped = mapped()
    target.program_ranges = program_ranges()
    space = _ompd.Library(SPEC["libompd"]).open(recorder)
    ask_everything(space, target.threads, recorder)
    ask_libompdbg(recorder)
    record_symbols(recorder)
    record_surroundings(recorder)
    recorder.finish()
    ask_program(target.threads)
    release = recording.Release("0", "", "", "", [target])
    recording.save(release, Path(SPEC["out"]))
    gdb.execute("kill")


main()
