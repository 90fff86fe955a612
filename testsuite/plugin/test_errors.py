# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failures of the library, of the services, and of both."""

import signal
from pathlib import Path
from typing import Any, Callable, List

import pytest

import _ompd
from fake import (
    ICV_CONTEXT,
    ICV_IGNORE,
    ICV_PRINT,
    ICV_READ,
    ICV_SYMBOL,
    Fake,
    FakeServices,
)

LWP = _ompd.THREAD_ID_LWP


def raise_(error: BaseException) -> None:
    raise error


# ---- The library's own errors ----------------------------------------------------------------


def test_error_of_a_function(space: Any, fake: Fake) -> None:
    thread = space.thread(LWP, 1000)
    fake.fail("ompd_get_state", _ompd.RC_ERROR)
    with pytest.raises(_ompd.Error) as caught:
        thread.state()
    assert not isinstance(caught.value, _ompd.Unavailable)
    assert caught.value.code == _ompd.RC_ERROR
    assert caught.value.function == "ompd_get_state"
    assert caught.value.reason == "failed"
    assert str(caught.value) == "ompd_get_state: failed"
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "code",
    [_ompd.RC_UNAVAILABLE, _ompd.RC_UNSUPPORTED, _ompd.RC_NEEDS_STATE_TRACKING],
)
def test_nobody_knows(space: Any, fake: Fake, code: int) -> None:
    thread = space.thread(LWP, 1000)
    fake.fail("ompd_get_state", code)
    with pytest.raises(_ompd.Unavailable) as caught:
        thread.state()
    assert caught.value.code == code


@pytest.mark.parametrize("code", [-1, 14, 99, 1 << 30])
def test_code_that_no_standard_has(space: Any, fake: Fake, code: int) -> None:
    thread = space.thread(LWP, 1000)
    fake.fail("ompd_get_state", code)
    with pytest.raises(_ompd.Error) as caught:
        thread.state()
    assert caught.value.code == code
    assert caught.value.reason == f"return code {code}"


def test_reason_of_the_library(space: Any, fake: Fake) -> None:
    fake.fail("ompd_get_omp_version", _ompd.RC_INCOMPATIBLE, "two probes disagree")
    with pytest.raises(_ompd.Error) as caught:
        space.omp_version
    assert caught.value.reason == "two probes disagree"
    assert str(caught.value) == "ompd_get_omp_version: two probes disagree"


def test_process_initialize_fails(fake: Fake, services: FakeServices) -> None:
    library = _ompd.Library(str(fake.path))
    fake.fail("ompd_process_initialize", _ompd.RC_INCOMPATIBLE, "no runtime")
    with pytest.raises(_ompd.Error, match="no runtime"):
        library.open(services)


def test_initialize_fails(fake: Fake) -> None:
    fake.fail("ompd_initialize", _ompd.RC_UNSUPPORTED)
    with pytest.raises(_ompd.Unavailable) as caught:
        _ompd.Library(str(fake.path))
    assert caught.value.function == "ompd_initialize"


def test_file_that_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(_ompd.Error) as caught:
        _ompd.Library(str(tmp_path / "absent.so"))
    assert caught.value.function == "dlopen"
    assert "absent.so" in caught.value.reason


def test_library_that_is_no_ompd_library() -> None:
    with pytest.raises(_ompd.Error) as caught:
        _ompd.Library("libm.so.6")
    assert caught.value.code == _ompd.RC_INCOMPATIBLE
    assert caught.value.reason == "no OMPD library: ompd_initialize is missing"


def test_wrong_arguments(space: Any) -> None:
    thread = space.thread(LWP, 1000)
    for call in (
        lambda: space.icv(),
        lambda: space.icv(1, 2),
        lambda: space.icv(1, icv_id=1),
        lambda: space.icv(other=1),
        lambda: space.icv("1"),
        lambda: thread.thread_num(thread),
        lambda: _ompd.Library(),
        lambda: space.thread(1),
    ):
        with pytest.raises(TypeError):
            call()


def test_handle_that_is_null(space: Any) -> None:
    with pytest.raises(_ompd.Error, match="returned no handle"):
        space.thread(LWP, 1000).task().scheduling()


def test_handle_without_identity_is_released(space: Any, fake: Fake) -> None:
    before = fake.live()
    fake.fail("ompd_ext_get_handle_id", _ompd.RC_ERROR)
    with pytest.raises(_ompd.Error):
        space.thread(LWP, 1000)
    assert fake.live() == before


def test_enumeration_without_end(space: Any, fake: Fake) -> None:
    fake.fail("endless", 0)
    with pytest.raises(_ompd.Error, match="does not end"):
        space.icvs()


def test_icv_whose_home_cannot_be_told(space: Any, fake: Fake) -> None:
    fake.fail("ompd_enumerate_icvs", _ompd.RC_ERROR)
    with pytest.raises(_ompd.Error) as caught:
        space.icv(1)
    assert caught.value.function == "ompd_enumerate_icvs"


def test_enumeration_of_tasks_fails_midway(space: Any, fake: Fake) -> None:
    fake.tasks(3000)
    consumers: List[Callable[[Any], object]] = [list, lambda iterator: iterator.by_function()]
    for consume in consumers:
        fake.tasks(3000)
        iterator = space.tasks()
        next(iterator)
        fake.fail("ompd_ext_tasks_next", _ompd.RC_NOMEM)
        with pytest.raises(_ompd.Error) as caught:
            consume(iterator)
        assert caught.value.code == _ompd.RC_NOMEM
        fake.reset()


# ---- Exceptions of the services --------------------------------------------------------------


def test_exception_becomes_the_cause(space: Any, fake: Fake) -> None:
    fake.reads((0x100, 8))
    with pytest.raises(_ompd.Error) as caught:
        space.icv(ICV_READ)
    assert caught.value.code == _ompd.RC_CALLBACK_ERROR
    assert caught.value.function == "ompd_get_icv_from_scope"
    assert caught.value.reason == "the debugger could not answer: cannot access memory at 0x100"
    assert isinstance(caught.value.__cause__, LookupError)
    assert caught.value.__cause__.__traceback__ is not None


def test_exception_that_the_library_gets_over(space: Any, fake: Fake) -> None:
    fake.reads((0x100, 8), (0x20000, 1))
    assert space.icv(ICV_IGNORE) == (0x20000 * 7 + 0x20 * 13) & 0xFF
    fake.fail("ompd_get_omp_version", _ompd.RC_ERROR)
    with pytest.raises(_ompd.Error) as caught:
        space.omp_version
    assert caught.value.__cause__ is None


def test_exception_without_text(space: Any, services: FakeServices) -> None:
    services.hook = lambda: raise_(ZeroDivisionError())
    with pytest.raises(_ompd.Error, match="could not answer: ZeroDivisionError$"):
        space.icv(ICV_SYMBOL)


@pytest.mark.parametrize("answer", [b"", b"1234567", b"123456789", "12345678", None])
def test_wrong_bytes(space: Any, fake: Fake, services: FakeServices, answer: Any) -> None:
    setattr(services, "data", lambda address, size: answer)
    fake.reads((0x20000, 8))
    with pytest.raises(_ompd.Error) as caught:
        space.icv(ICV_READ)
    assert isinstance(caught.value.__cause__, (ValueError, TypeError))


@pytest.mark.parametrize("answer", [bytearray, memoryview])
def test_other_objects_than_bytes(
    space: Any, fake: Fake, services: FakeServices, answer: Any
) -> None:
    setattr(services, "data", lambda address, size: answer(b"\1" * size))
    fake.reads((0x20000, 8))
    assert space.icv(ICV_READ) == 8


@pytest.mark.parametrize("address", [-1, 1 << 64, "main"])
def test_wrong_address_of_a_symbol(space: Any, services: FakeServices, address: Any) -> None:
    services.symbols["name"] = address
    with pytest.raises(_ompd.Error) as caught:
        space.icv(ICV_SYMBOL)
    assert isinstance(caught.value.__cause__, (OverflowError, TypeError))


def test_services_without_a_method(fake: Fake) -> None:
    nothing: Any = object()
    space = _ompd.Library(str(fake.path)).open(nothing)
    for icv in (ICV_SYMBOL, ICV_CONTEXT, ICV_PRINT):
        with pytest.raises(_ompd.Error) as caught:
            space.icv(icv)
        assert isinstance(caught.value.__cause__, AttributeError)
    fake.reads((0x20000, 8))
    with pytest.raises(_ompd.Error) as caught:
        space.icv(ICV_READ)
    assert isinstance(caught.value.__cause__, AttributeError)


# ---- Interrupts ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("icv", [ICV_READ, ICV_IGNORE])
def test_interrupt_is_passed_on(
    space: Any, fake: Fake, services: FakeServices, kind: Any, icv: int
) -> None:
    services.hook = lambda: raise_(kind("stop"))
    fake.reads((0x20000, 8), (0x30000, 8), (0x40000, 8))
    with pytest.raises(kind, match="stop"):
        space.icv(icv)
    assert services.log == [(0x20000, 4096)], "no service was called after the interrupt"
    services.hook = None
    assert space.icv(icv) > 0


def test_signal_while_the_library_enumerates(space: Any, fake: Fake) -> None:
    fake.tasks(1 << 40)
    previous = signal.signal(signal.SIGALRM, lambda *_: raise_(KeyboardInterrupt("alarm")))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt, match="alarm"):
            space.tasks().by_function()
    finally:
        signal.signal(signal.SIGALRM, previous)


# ---- Calls from within calls -----------------------------------------------------------------


def test_call_from_a_callback_is_refused(space: Any, services: FakeServices) -> None:
    services.hook = lambda: space.omp_version
    with pytest.raises(_ompd.Error) as caught:
        space.icv(ICV_SYMBOL)
    assert isinstance(caught.value.__cause__, _ompd.Error)
    assert caught.value.__cause__.reason == "called while another OMPD function is running"
    services.hook = space.close
    with pytest.raises(_ompd.Error):
        space.icv(ICV_SYMBOL)
    assert space.omp_version == 201511


def test_handle_that_dies_in_a_callback(space: Any, fake: Fake, services: FakeServices) -> None:
    threads = [space.thread(LWP, 1000), space.thread(LWP, 1001)]
    before = fake.live()
    services.symbols["name"] = 5
    services.hook = threads.clear
    assert space.icv(ICV_SYMBOL) == 5
    assert fake.live() == before - 2


def test_space_that_dies_in_a_callback(space: Any, fake: Fake, services: FakeServices) -> None:
    others = [space.library.open(FakeServices())]
    others.append(others[0].thread(LWP, 1000))
    services.symbols["name"] = 5
    services.hook = others.clear
    assert space.icv(ICV_SYMBOL) == 5
    assert fake.live() == 1
    assert space.omp_version == 201511


def test_invalidate_in_a_callback(space: Any, fake: Fake, services: FakeServices) -> None:
    thread = space.thread(LWP, 1000)
    services.hook = space.invalidate
    fake.reads((0x20000, 8))
    first = space.icv(ICV_READ)
    with pytest.raises(_ompd.Error, match="the target has moved"):
        thread.state()
    services.hook = None
    assert space.icv(ICV_READ) == first
    assert services.log == [(0x20000, 4096)] * 2
