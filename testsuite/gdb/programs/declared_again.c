// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Another structure by the name of one in declared_elsewhere.cpp.
struct twice {
	double first, second;
} another = { 1, 2 };
