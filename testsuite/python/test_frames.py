# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whose a frame is, and names of outlined functions."""

import pytest
from debugger import FakeDebugger, gomp, libc, signal, user
from ompdbg import frames, source_names
from ompdbg.services import Function, SymbolAt


@pytest.mark.parametrize(
    "path",
    ["/usr/lib/x86_64-linux-gnu/libgomp.so.1", "/opt/libgomp.so.1.0.0", "/usr/lib/libomp.so.5"],
)
def test_runtime_objects(path: str) -> None:
    assert frames.is_runtime_object(path)


@pytest.mark.parametrize(
    "path", [None, "/home/me/libgompertz.so", "/usr/lib/libc.so.6", "/home/libgomp.so.1/prog"]
)
def test_other_objects(path: str) -> None:
    assert not frames.is_runtime_object(path)


@pytest.mark.parametrize(
    "path",
    [
        "/lib/x86_64-linux-gnu/libc.so.6",
        "/lib/x86_64-linux-gnu/libc-2.31.so",
        "/lib/x86_64-linux-gnu/libpthread-2.31.so",
        "/lib/x86_64-linux-gnu/libpthread.so.0",
        "/lib64/ld-linux-x86-64.so.2",
        "/lib/x86_64-linux-gnu/ld-2.31.so",
        "/lib/libm.so.6",
        "/lib/libstdc++.so.6",
        "/lib/libgfortran.so.5",
        "[vdso]",
    ],
)
def test_system_objects(path: str) -> None:
    assert frames.is_system_object(path)


@pytest.mark.parametrize("path", [None, "/lib/libcrypto.so.3", "/lib/libmpi.so.40", "/x/ldap.so"])
def test_users_objects(path: str) -> None:
    assert not frames.is_system_object(path)


@pytest.mark.parametrize(
    "symbol, base, role",
    [
        ("main._omp_fn.0", "main", "fn"),
        ("fib._omp_cpyfn.3", "fib", "cpyfn"),
        ("_ZL3fooi._omp_fn.0(void)", "_ZL3fooi", "fn"),
        ("work::__mymod_MOD_work._omp_fn.12", "__mymod_MOD_work", "fn"),
        ("hello::MAIN__._omp_fn.0", "MAIN__", "fn"),
        ("main._omp_fn.0.cold", "main", "fn"),
        ("fib.part.0._omp_fn.1", "fib", "fn"),
        ("foo(int) [clone ._omp_fn.0]", "foo(int)", "fn"),
        ("ns::A<int>::run(int) [clone ._omp_fn.1]", "ns::A<int>::run(int)", "fn"),
        (".omp_outlined._debug__.2", "", "fn"),
        ("main.omp_outlined_debug__", "main", "fn"),
        ("_ZN1A3runEv.omp_outlined(void) const", "_ZN1A3runEv", "fn"),
        ("solve.omp_outlined.1(int *, int *)", "solve", "fn"),
        ("_QFPsolve..omp_par", "_QFPsolve", "fn"),
        ("_QMheatPsmooth..omp_par.1.cold", "_QMheatPsmooth", "fn"),
    ],
)
def test_outlined(symbol: str, base: str, role: str) -> None:
    assert frames.parse_outlined(symbol) == (base, role)


@pytest.mark.parametrize("symbol", [None, "main", "my_omp_fn.0", "fib.part.0"])
def test_not_outlined(symbol: str) -> None:
    assert frames.parse_outlined(symbol) is None


def test_names() -> None:
    debugger = FakeDebugger()
    debugger.named["MAIN__"] = Function("hello", "MAIN__", 1, "f.f90", 3)
    debugger.named["_ZL3fooi"] = Function("foo(int)", "_ZL3fooi", 1, "c.cc", 3)
    debugger.mangled["_Z3barv"] = "bar()"
    namer = frames.Namer(debugger)
    assert namer.enclosing("main._omp_fn.0", "x.c") == "main"
    assert namer.enclosing("MAIN__._omp_fn.1", "f.f90") == "hello"
    assert namer.enclosing("_ZL3fooi._omp_fn.0(void)", "c.cc") == "foo(int)"
    assert namer.enclosing("_Z3barv._omp_fn.0", "c.cc") == "bar()"
    assert namer.enclosing("work", "x.c") is None
    assert namer.enclosing(None, None) is None


def test_names_without_debug_information() -> None:
    namer = frames.Namer(FakeDebugger())
    assert namer.enclosing("MAIN__._omp_fn.0", None) == "the main program"
    assert namer.enclosing("_QQmain..omp_par", None) == "the main program"
    assert namer.enclosing("_QMheatPsmooth..omp_par.2", None) == "heat::smooth"
    assert namer.enclosing("__mymod_MOD_work._omp_fn.0", None) == "mymod::work"
    assert namer.enclosing("sub_._omp_fn.0", "s.F90") == "sub"
    assert namer.enclosing("solve.0._omp_fn.0", "s.f90") == "solve"
    assert namer.enclosing("c_name_._omp_fn.0", "s.c") == "c_name_"


def test_names_of_modules() -> None:
    assert frames.module_name("__heat_MOD_cell_lock") == "heat::cell_lock"
    assert frames.module_name("cell_lock") == "cell_lock"


def test_names_of_flang() -> None:
    names = {
        "_QMheatEcell_lock": "heat::cell_lock",
        "_QMheatSinnerPhold": "heat::inner::hold",
        "_QMheatFsolvePsmooth": "heat::solve::smooth",
        "_QFPsolve": "solve",  # of the main program
        "_QPsub": "sub",
        "_QQmain::solve": "solve",
        "_QQmain": "_QQmain",
        "_QFB1Ekept": "kept",
        "_Q": "_Q",
        "_QMHeatPx": "_QMHeatPx",
    }
    assert {name: frames.module_name(name) for name in names} == names
    assert frames.shown_name("_QQmain") == "the main program"
    assert frames.shown_name("_QQmain::solve") == "solve"
    assert frames.shown_name("main") == "main"
    assert frames.shown_name(None) is None
    # Clang's, of what `declare reduction` has.
    assert frames.shown_name(".omp_combiner..3") == "combiner of a reduction"
    assert frames.shown_name(".omp_initializer.") == "initializer of a reduction"
    assert frames.shown_name(".omp_combiner.(point*, point*)") == "combiner of a reduction"


def test_kinds_in_a_dynamic_program() -> None:
    debugger = FakeDebugger()
    debugger.symbols[0x9000] = SymbolAt("GOMP_parallel", 0, "/lib/libgomp.so.1")
    kind = frames.Classifier(debugger).kind
    assert kind(gomp(0x9000)) == frames.RUNTIME
    assert kind(libc(0x8000)) == frames.SYSTEM
    assert kind(user("omp_like_name", 3, 0x1000)) == frames.USER
    assert kind(user("gomp_no_line", None, 0x1000)) == frames.USER
    assert kind(signal(0x8000)) == frames.USER
    assert kind(user("plugin", 1, 1)._replace(object_file="/x/libplugin.so")) == frames.USER


def test_kinds_in_a_static_program() -> None:
    debugger = FakeDebugger()
    debugger.symbols[0x9000] = SymbolAt("GOMP_parallel", 0, None)
    classifier = frames.Classifier(debugger)
    kind = classifier.kind
    assert kind(user("work", 3, 0x9900)) == frames.USER
    assert kind(user("no_debug", None, 0x1000)) == frames.USER
    assert kind(user("main._omp_fn.0", None, 0x1000)) == frames.USER
    assert kind(user("GOMP_barrier", None, 0x8F00)) == frames.RUNTIME
    assert kind(user("gomp_thread_start", 12, 0x9100)) == frames.RUNTIME
    assert kind(user("pause", None, 0x9900)) == frames.SYSTEM
    assert kind(user("__libc_start_main", None, 0x1000)) == frames.SYSTEM
    assert classifier.is_users_data(0x5000, SymbolAt("mylock", 0, None))
    assert not classifier.is_users_data(0x5000, SymbolAt("gomp_managed_threads", 0, None))
    assert not classifier.is_users_data(0x5000, None)


def test_users_data_in_a_dynamic_program() -> None:
    classifier = frames.Classifier(FakeDebugger())
    assert classifier.is_users_data(0x5000, SymbolAt("lock", 0, None))
    assert classifier.is_users_data(0x8000, SymbolAt("lock", 0, "/x/libmine.so"))
    assert not classifier.is_users_data(0x8000, SymbolAt("default_lock", 0, "/lib/libgomp.so.1"))
    assert classifier.is_users_data(0x5000, None)
    assert not classifier.is_users_data(0x7000, None)


def test_names_of_files() -> None:
    for wanted, file in (
        ("a.c", "src/a.c"),
        ("/home/me/src/a.c", "src/a.c"),
        ("./a.c", "a.c"),
        ("src/../src/a.c", "/home/me/src/a.c"),
    ):
        assert source_names.same_file(wanted, file), (wanted, file)
    for wanted, file in (("a.c", "ba.c"), ("b/a.c", "c/a.c"), ("a.c", ""), ("", "a.c")):
        assert not source_names.same_file(wanted, file), (wanted, file)
