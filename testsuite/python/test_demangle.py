# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of functions of C++, with and without what belongs to their types."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "name, expected",
    [
        ("solve", "solve"),
        ("solve(int)", "solve"),
        ("int solve<int>(std::function<void (int)>)", "solve<int>"),
        ("Map<(Kind)1>::each(void (*)(int)) const", "Map<(Kind)1>::each"),
        ("text[abi:cxx11](int) &", "text[abi:cxx11]"),
        ("solve(int) [clone .part.0]", "solve"),
        ("app::(anonymous namespace)::solve", "app::(anonymous namespace)::solve"),
        ("app::(anonymous namespace)::solve(app::Box)", "app::(anonymous namespace)::solve"),
        ("(anonymous namespace)::solve", "(anonymous namespace)::solve"),
        ("solve(int)::Local::run", "solve(int)::Local::run"),
        ("solve(int) const::Local::run(int)", "solve(int) const::Local::run"),
        ("Box::operator()", "Box::operator()"),
        ("Box::operator()(int) const", "Box::operator()"),
        ("Box::operator<(Box const&)", "Box::operator<"),
        ("app::operator<<(std::ostream&, Box)", "app::operator<<"),
        ("Box::operator->()", "Box::operator->"),
        ("operator new(unsigned long)", "operator new"),
        ("solve()::{lambda(int)#1}::operator()(int)", "solve()::{lambda(int)#1}::operator()(int)"),
        ("invoke<bool, f()::{lambda()#1}&>(struct {...} &)", "invoke<bool, f()::{lambda()#1}&>"),
        ("call(Tag, struct {...} &)", "call"),
        ("solve(", "solve("),
        ("solve)", "solve)"),
    ],
)
def test_name_alone(name: str, expected: str) -> None:
    from ompdbg.demangle import without_parameters, without_return_type

    assert without_parameters(without_return_type(name)) == expected
