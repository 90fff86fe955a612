# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often the services are asked for memory and symbols, and that the answers stay right."""

from typing import Any, List, Tuple

import pytest

import _ompd
from fake import (
    ICV_CONTEXT,
    ICV_IGNORE,
    ICV_PRINT,
    ICV_READ,
    ICV_STRING,
    ICV_SYMBOL,
    PAGE,
    Fake,
    FakeServices,
    content,
)

CACHE_PAGES = 16384
KEPT_PAGES = 1024
BASE = 0x100000


def read(space: Any, fake: Fake, *ranges: Tuple[int, int]) -> int:
    fake.reads(*ranges)
    return int(space.icv(ICV_READ))


def expect(*ranges: Tuple[int, int]) -> int:
    return sum(sum(content(address, size)) for address, size in ranges)


# ---- Pages -----------------------------------------------------------------------------------


def test_page_is_read_once(space: Any, fake: Fake, services: FakeServices) -> None:
    ranges = [(BASE + offset, 8) for offset in (0, 4088, 17, 0)]
    assert read(space, fake, *ranges) == expect(*ranges)
    assert services.log == [(BASE, PAGE)]
    assert space.stats() == {
        "requests": 4,
        "bytes": 32,
        "fetches": 1,
        "fetched": PAGE,
        "direct": 0,
        "symbols": 0,
    }
    space.reset_stats()
    assert set(space.stats().values()) == {0}


@pytest.mark.parametrize("size", [0, 1, 2, 4095, 4096, 4097, 8192, 8193, 100000, 1 << 20])
def test_read_of_any_size(space: Any, fake: Fake, size: int) -> None:
    for offset in (0, 1, 4095):
        space.invalidate()
        assert read(space, fake, (BASE + offset, size)) == expect((BASE + offset, size))


def test_invalidate_forgets_pages(space: Any, fake: Fake, services: FakeServices) -> None:
    read(space, fake, (BASE, 8))
    services.data = lambda address, size: b"\2" * size
    assert read(space, fake, (BASE, 8)) == expect((BASE, 8))
    space.invalidate()
    assert read(space, fake, (BASE, 8)) == 16
    assert services.log == [(BASE, PAGE)] * 2


@pytest.mark.parametrize("pages", [1, KEPT_PAGES, KEPT_PAGES + 1, 2 * KEPT_PAGES])
def test_invalidate_forgets_all_pages(
    space: Any, fake: Fake, services: FakeServices, pages: int
) -> None:
    everywhere = [(BASE + number * PAGE, 1) for number in range(pages)]
    for _ in range(3):
        services.log.clear()
        assert read(space, fake, *everywhere) == expect(*everywhere)
        assert sum(size for _, size in services.log) >= pages * PAGE, "nothing was kept"
        services.log.clear()
        assert read(space, fake, *everywhere) == expect(*everywhere)
        assert not services.log, "everything was kept"
        space.invalidate()


def test_spaces_have_their_own_pages(space: Any, fake: Fake) -> None:
    services = FakeServices()
    services.data = lambda address, size: b"\3" * size
    other = space.library.open(services)
    assert read(space, fake, (BASE, 8)) == expect((BASE, 8))
    assert read(other, fake, (BASE, 8)) == 24


@pytest.mark.parametrize("step", [304, -304, 2 * PAGE, -2 * PAGE])
def test_walk_is_read_ahead(space: Any, fake: Fake, services: FakeServices, step: int) -> None:
    start = BASE + (1 << 26)
    ranges = [(start + i * step, 24) for i in range(4000)]
    assert read(space, fake, *ranges) == expect(*ranges)
    pages = 4000 * abs(step) // PAGE
    assert len(services.log) <= pages // 64 + 12
    assert max(size for _, size in services.log) == 64 * PAGE
    assert sum(size for _, size in services.log) <= pages * PAGE + 2 * 64 * PAGE


def test_walks_in_several_arenas_at_once(space: Any, fake: Fake, services: FakeServices) -> None:
    ranges = []
    for i in range(5000):
        ranges += [(BASE + (arena << 22) + i * 128, 16) for arena in range(6)]
    assert read(space, fake, *ranges) == expect(*ranges)
    assert len(services.log) <= 6 * (5000 * 128 // PAGE // 64 + 9)


def test_scattered_reads_are_not_read_ahead(
    space: Any, fake: Fake, services: FakeServices
) -> None:
    ranges = [(BASE + (i * 7919 % 1009) * 0x11000, 8) for i in range(200)]
    assert read(space, fake, *ranges) == expect(*ranges)
    assert {size for _, size in services.log} == {PAGE}
    assert len(services.log) == 200


def test_eviction_keeps_the_bound(space: Any, fake: Fake, services: FakeServices) -> None:
    services.ranges = [(BASE, BASE + (1 << 34))]
    services.data = lambda address, size: bytes([address >> 12 & 0xFF]) * size
    far = 16 * PAGE  # so that nothing is read ahead
    ranges = [(BASE + i * far, 1) for i in range(CACHE_PAGES + 100)]
    expected = sum((address >> 12) & 0xFF for address, _ in ranges)
    assert read(space, fake, *ranges) == expected
    assert len(services.log) == CACHE_PAGES + 100
    services.log.clear()
    read(space, fake, *ranges[-CACHE_PAGES:])
    assert services.log == [], "the newest pages are all there"
    assert read(space, fake, *ranges[:100]) == sum((a >> 12) & 0xFF for a, _ in ranges[:100])
    assert len(services.log) == 100, "the oldest are not"


def test_eviction_in_long_walks(space: Any, fake: Fake, services: FakeServices) -> None:
    services.ranges = [(BASE, BASE + (1 << 34))]
    services.data = lambda address, size: b"".join(
        bytes([page & 0xFF]) * PAGE for page in range(address >> 12, (address + size) >> 12)
    )
    ranges = [(BASE + i * PAGE, 1) for i in range(40000)]
    expected = sum((address >> 12) & 0xFF for address, _ in ranges)
    for _ in range(2):
        assert read(space, fake, *ranges) == expected
    assert read(space, fake, *reversed(ranges)) == expected


# ---- Memory that cannot be read --------------------------------------------------------------


def test_block_falls_back_to_pages(space: Any, fake: Fake, services: FakeServices) -> None:
    services.ranges = [(BASE, BASE + 13 * PAGE)]
    ranges = [(BASE + i * PAGE, 8) for i in range(13)]
    assert read(space, fake, *ranges) == expect(*ranges)
    with pytest.raises(_ompd.Error):
        read(space, fake, (BASE + 13 * PAGE, 1))


def test_page_falls_back_to_exact_reads(space: Any, fake: Fake, services: FakeServices) -> None:
    services.ranges = [(BASE + 100, BASE + 200)]
    assert read(space, fake, (BASE + 100, 100)) == expect((BASE + 100, 100))
    assert services.log == [(BASE, PAGE), (BASE + 100, 100)]
    services.log.clear()
    assert read(space, fake, (BASE + 150, 4)) == expect((BASE + 150, 4))
    assert services.log == [(BASE + 150, 4)], "the page is known as unreadable"
    space.invalidate()
    services.ranges = [(BASE, BASE + PAGE)]
    services.log.clear()
    read(space, fake, (BASE + 150, 4))
    assert services.log == [(BASE, PAGE)]


def test_read_across_the_end(space: Any, fake: Fake, services: FakeServices) -> None:
    services.ranges = [(BASE, BASE + PAGE)]
    with pytest.raises(_ompd.Error, match=f"0x{BASE + PAGE:x}"):
        read(space, fake, (BASE + PAGE - 4, 8))
    assert read(space, fake, (BASE + PAGE - 4, 4)) == expect((BASE + PAGE - 4, 4))


@pytest.mark.parametrize("address", [0, 8, (1 << 64) - 8, (1 << 64) - PAGE, 1 << 63])
def test_wild_addresses(space: Any, fake: Fake, address: int) -> None:
    for size in (1, 8, 100, 5000):
        with pytest.raises(_ompd.Error):
            read(space, fake, (address, size))


def test_many_unreadable_pages(space: Any, fake: Fake, services: FakeServices) -> None:
    services.ranges = []
    fake.reads(*[(BASE + i * PAGE, 8) for i in range(3000)])
    assert space.icv(ICV_IGNORE) == 0


# ---- Strings ---------------------------------------------------------------------------------


def memory_of(services: FakeServices, address: int, data: bytes) -> None:
    """Makes `data` the only readable memory."""
    services.ranges = [(address, address + len(data))]
    services.data = lambda at, size: data[at - address : at - address + size]


@pytest.mark.parametrize(
    "offset, before", [(0, 0), (4090, 0), (4090, 4000), (100, 50), (PAGE - 12, 0)]
)
def test_string(space: Any, fake: Fake, services: FakeServices, offset: int, before: int) -> None:
    memory_of(services, BASE + before, bytes(offset - before) + b"hello world\0")
    fake.reads((BASE + offset, 64))
    assert space.icv_string(ICV_STRING) == "hello world"


def test_string_without_end(space: Any, fake: Fake, services: FakeServices) -> None:
    memory_of(services, BASE, b"x" * 32)
    fake.reads((BASE, 32))
    with pytest.raises(_ompd.Error) as caught:
        space.icv_string(ICV_STRING)
    assert caught.value.code == _ompd.RC_INCOMPLETE
    fake.reads((BASE, 33))
    with pytest.raises(_ompd.Error) as caught:
        space.icv_string(ICV_STRING)
    assert caught.value.code == _ompd.RC_CALLBACK_ERROR


def test_string_that_is_not_utf8(space: Any, fake: Fake, services: FakeServices) -> None:
    memory_of(services, BASE, b"a\xff\0")
    fake.reads((BASE, 32))
    assert space.icv_string(ICV_STRING) == "a\udcff"


# ---- Symbols, threads, output ----------------------------------------------------------------


def test_symbol_is_looked_up_once(space: Any, services: FakeServices) -> None:
    services.symbols["name"] = 0xFFFFFFFFFFFF
    assert [space.icv(ICV_SYMBOL) for _ in range(3)] == [0xFFFFFFFFFFFF] * 3
    assert services.symbol_log == [("name", "file", None)]
    assert space.stats()["symbols"] == 1
    services.symbols["name"] = 7
    space.invalidate()
    assert space.icv(ICV_SYMBOL) == 0xFFFFFFFFFFFF
    space.invalidate_symbols()
    assert space.icv(ICV_SYMBOL) == 7


def test_absent_symbol_is_looked_up_once(space: Any, services: FakeServices) -> None:
    for _ in range(3):
        with pytest.raises(_ompd.Unavailable):
            space.icv(ICV_SYMBOL)
    assert len(services.symbol_log) == 1
    services.symbols["name"] = 7
    space.invalidate_symbols()
    assert space.icv(ICV_SYMBOL) == 7


def test_symbol_of_a_thread(space: Any, services: FakeServices) -> None:
    services.symbols["tls"] = 0x1234
    assert [space.icv(ICV_CONTEXT) for _ in range(2)] == [0x1234] * 2
    expected: List[Any] = [("tls", None, 0)] * 2
    assert services.symbol_log == expected


def test_unknown_thread(space: Any, services: FakeServices) -> None:
    setattr(services, "thread_context", lambda kind, ident: None)
    with pytest.raises(_ompd.Unavailable):
        space.icv(ICV_CONTEXT)


def test_message(space: Any, services: FakeServices) -> None:
    assert space.icv(ICV_PRINT) == 0
    assert services.messages == [("said", 3)]
