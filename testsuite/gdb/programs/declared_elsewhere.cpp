// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What declared.cpp only declares: Clang describes a class where its constructors are.
#include "declared.h"

struct twice {
	int own;
};

namespace
{
struct Cell { // another one
	long other;
} cell = { 1 };
twice one = { 2 };
} // namespace

namespace shop
{
struct Part {
	int size;
	double *first;
} part = { 6, nullptr };

Named::Named(int number) : number(number)
{
}

Named::~Named()
{
}

template <typename T> Mesh<T>::Cell::Cell() : rho(T(0.25)), kind(int(cell.other))
{
}

template <typename T>
Mesh<T>::Mesh(int number) : Named(number), scale(number == 2 ? -1 : 1.5), part(&shop::part)
{
	cells[1].kind = number;
}

template struct Mesh<double>;
} // namespace shop

extern "C" twice *a_twice()
{
	return &one;
}
