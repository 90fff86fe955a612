# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made by tools/api-types from docs/ompdbg.schema.json: for type checkers, not for Python."""

from typing import List, Literal, Optional

class Wait:
    kind: str
    function: Optional[str]
    address: Optional[str]
    symbol: Optional[str]

class Location:
    function: Optional[str]
    symbol: Optional[str]
    file: Optional[str]
    line: Optional[int]
    address: Optional[str]
    object: str

class ThreadRecordedWait:
    time: Optional[int]
    age: Optional[int]
    location: Optional[Location]

class ThreadRecorded:
    events: int
    wait: Optional[ThreadRecordedWait]

class Thread:
    gdb: int
    lwp: int
    name: str
    selected: bool
    running: bool
    openmp: Optional[bool]
    helper: bool
    runtime: Optional[str]
    thread_num: Optional[int]
    team_size: Optional[int]
    level: Optional[int]
    active_level: Optional[int]
    team: Optional[str]
    task: Optional[str]
    task_number: Optional[int]
    task_kind: Optional[str]
    state: Optional[str]
    state_reason: Optional[str]
    does: str
    activity: Literal[
        "unknown",
        "crashed",
        "running",
        "works",
        "asleep",
        "spins",
        "starts_or_ends",
        "runtime",
        "barrier",
        "lock",
        "tasks",
        "idle",
    ]
    wait: Optional[Wait]
    location: Optional[Location]
    recorded: Optional[ThreadRecorded]

class Team:
    id: Optional[str]
    label: str
    level: Optional[int]
    active_level: Optional[int]
    size: Optional[int]
    parent: Optional[str]
    primary: Optional[int]
    runtime: Optional[str]

class Group:
    thread_nums: List[int]
    threads: List[int]
    state: Optional[str]
    does: Optional[str]
    activity: Optional[
        Literal[
            "unknown",
            "crashed",
            "running",
            "works",
            "asleep",
            "spins",
            "starts_or_ends",
            "runtime",
            "barrier",
            "lock",
            "tasks",
            "idle",
        ]
    ]
    wait: Optional[Wait]
    location: Optional[Location]
    region: Optional[str]

class Loop:
    kind: Literal["loop", "sections"]
    schedule: Optional[str]
    ordered: bool
    chunk: Optional[int]
    total: Optional[int]
    remaining: Optional[int]
    remaining_is_least: bool
    thread_nums: List[int]
    threads: List[int]
    location: Optional[Location]

class Progress:
    total: int
    arrived: int
    arrived_end: int
    source: Literal["runtime", "stacks"]
    tasks_left: bool
    several: bool
    cancelled: bool

class RegionRecordedArrived:
    time: Optional[int]
    age: Optional[int]
    thread_num: int

class RegionRecorded:
    time: Optional[int]
    age: Optional[int]
    number: int
    arrived: List[RegionRecordedArrived]

class Region:
    id: Optional[str]
    label: str
    level: Optional[int]
    active_level: Optional[int]
    size: Optional[int]
    parent: Optional[str]
    primary: Optional[int]
    runtime: Optional[str]
    opened: Optional[Location]
    groups: List[Group]
    loops: List[Loop]
    progress: Optional[Progress]
    recorded: Optional[RegionRecorded]

class Function:
    name: str
    symbol: str
    file: Optional[str]
    line: Optional[int]

class TaskDepends:
    address: Optional[str]
    kind: str
    symbol: Optional[str]

class TaskValues:
    name: str
    value: str
    shared: Optional[bool]

class Moment:
    time: Optional[int]
    age: Optional[int]

class TaskRecorded:
    time: Optional[int]
    age: Optional[int]
    number: int
    creator: Optional[int]
    location: Optional[Location]
    begun: Optional[Moment]
    times_suspended: Optional[int]

class Task:
    id: str
    number: Optional[int]
    runtime: Optional[str]
    kind: str
    status: str
    team: Optional[str]
    thread: Optional[int]
    thread_num: Optional[int]
    parent: Optional[str]
    function: Optional[Function]
    flags: List[str]
    priority: int
    taskgroup: Optional[str]
    predecessors: int
    waits_for: Optional[List[int]]
    depends_complete: bool
    depends: List[TaskDepends]
    values: List[TaskValues]
    recorded: Optional[TaskRecorded]

class LockCandidates:
    thread: int
    known_by: Literal["code", "address"]
    variable: Optional[str]
    frame: int
    location: Optional[Location]

class LockRecorded:
    time: Optional[int]
    age: Optional[int]
    location: Optional[Location]
    depth: int

class Lock:
    kind: str
    address: Optional[str]
    symbol: Optional[str]
    runtime: Optional[str]
    held: Optional[bool]
    owner: Optional[int]
    owner_ended: bool
    known_by: Literal["recorded", "history", None]
    reason: Optional[str]
    candidates: List[LockCandidates]
    waiters: List[int]
    recorded: Optional[LockRecorded]

class FindingChain:
    thread: int
    waits_for: Optional[int]
    kind: str
    certain: bool
    lock: Optional[str]
    task: Optional[str]
    task_number: Optional[int]

class Finding:
    rule: Literal[
        "deadlock",
        "owner_ended",
        "lost_threads",
        "different_barriers",
        "event",
        "lock",
        "ordered",
        "task",
        "queued",
        "barrier",
        "unknown",
        "spin",
    ]
    certain: bool
    severity: Literal["stuck", "held_up", "waiting"]
    text: str
    notes: List[str]
    waiters: List[int]
    waits_for: List[int]
    region: Optional[str]
    lock: Optional[str]
    task: Optional[str]
    task_number: Optional[int]
    chain: List[FindingChain]

class Event:
    time: Optional[int]
    age: Optional[int]
    thread: Optional[int]
    lwp: int
    kind: str
    what: Optional[str]
    address: Optional[str]
    symbol: Optional[str]
    region: Optional[int]
    task: Optional[int]
    first: Optional[int]
    number: int
    detail: int
    text: str
    location: Optional[Location]

class FrameConstructAt:
    file: Optional[str]
    line: Optional[int]

class Frame:
    level: int
    kind: Literal["user", "signal", "runtime", "system"]
    function: Optional[str]
    symbol: Optional[str]
    construct: Optional[str]
    construct_at: Optional[FrameConstructAt]
    file: Optional[str]
    line: Optional[int]
    address: Optional[str]
    inlined: bool
    tail_call: bool

class Part:
    thread: int
    thread_num: Optional[int]
    team_size: Optional[int]
    level: Optional[int]
    team: Optional[str]
    task_number: Optional[int]
    frames: List[Frame]

class Stack:
    parts: List[Part]
    note: Optional[str]
