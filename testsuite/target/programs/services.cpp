// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and variables of all kinds of scopes. See test_services.py.

#include <cstdlib>

#define NEVER_INLINED __attribute__((noinline))
#define KEEP_FRAME __asm__ volatile("")

namespace
{
struct hidden {
	int number;
	double numbers[4];
};

volatile hidden hiding[2];

NEVER_INLINED void stop(int number)
{
	if (number + hiding[1].number == 2)
		std::abort(); // LINE: stop
	KEEP_FRAME;
}
} // namespace

namespace shapes
{
template <class T, int N> struct box {
	T sides[N];
	static int count;

	template <class U> __attribute__((always_inline)) inline void inlined(U value)
	{
		stop(value + 1); // LINE: inlined
		KEEP_FRAME;
	}

	NEVER_INLINED T operator()(int value)
	{
		inlined(value); // LINE: operator
		KEEP_FRAME;
		return sides[0];
	}
};

template <class T, int N> int box<T, N>::count = 1;

struct shape {
	virtual ~shape() = default;
	virtual void draw(const char *name, int times) = 0;
};

struct square final : shape {
	box<double, 2> all;

	NEVER_INLINED void draw(const char *, int times) override
	{
		all(times); // LINE: draw
		KEEP_FRAME;
	}
};

square squares[3];
} // namespace shapes

extern "C" NEVER_INLINED void plain(shapes::shape &shape)
{
	shape.draw("square", shapes::box<double, 2>::count); // LINE: plain
	KEEP_FRAME;
}

int main()
{
	auto lambda = [](int number) __attribute__((noinline)) {
		plain(shapes::squares[number]); // LINE: lambda
		KEEP_FRAME;
	};
	lambda(1); // LINE: main
}
