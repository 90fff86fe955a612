// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DECLARED_H
#define DECLARED_H

struct twice; // declared_elsewhere.cpp and declared_again.c have one each

namespace shop
{
struct Part; // opaque

struct Named {
	explicit Named(int number);
	virtual ~Named();
	int number;
};

template <typename T> struct Mesh : Named {
	struct Cell {
		Cell();
		T rho;
		int kind;
	};
	explicit Mesh(int number);
	T scale;
	Cell cells[2];
	Part *part;
};
} // namespace shop

extern "C" twice *a_twice();

#endif
