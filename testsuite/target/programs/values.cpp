// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of many types, of which the values are known. Ends with SIGABRT, or with an argument
// never. They are those of a second thread.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

enum colour { red, green, blue = 5 };
enum flags { bold = 1, wide = 4 };
enum class scoped : unsigned char { first, second };
struct point {
	int x, y;
};
struct base {
	int size;
};
struct derived : base {
	double weight;
	point at;
	unsigned low : 3;
	int high : 5;
};
struct node {
	node *next;
	float values[2];
	const char *name;
};
union both {
	int number;
	float real;
};
struct virtual_base : virtual point {
	int own;
};
namespace shapes
{
enum kind { round, square };
}

int counter = 4;
double table[4] = { 1, 2, 3, 4 };
static thread_local long own = 77;

void callee(int)
{
}

static bool stays;

[[gnu::noinline]] void halt(long passed)
{
	if (stays) {
		puts("READY");
		fflush(stdout);
	}
	while (stays)
		pause();
	if (passed)
		abort();
}

[[gnu::noinline]] int show(char letter, unsigned char byte, bool yes, short negative,
			   unsigned long long all, float single, double twice, long double extended,
			   colour tint, flags both_flags, flags strange, scoped in_class,
			   shapes::kind shape, const char *text, char *nothing, int *to_counter,
			   double *to_table, void (*function)(int), point &reference, point pair,
			   derived whole, wchar_t wide_letter)
{
	int numbers[5] = { 1, 2, 3, 4, 5 }, zeros[300] = { 0 },
	    matrix[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
	char padded[16] = "abc", full[4] = "abc";
	unsigned char bytes[3] = { 1, 200, 65 };
	const char *quoted = "a \"b\"\n\001"
			     "2";
	const char *unreadable = reinterpret_cast<const char *>(8);
	point points[2] = { { 1, 2 }, { 3, 4 } };
	node list = { nullptr, { 1.5f, -0.0f }, "node" };
	both overlaid;
	std::string word = "hello";
	std::vector<int> vector = { 7, 8, 9 };
	std::vector<point> empty;
	double third = 1.0 / 3, huge = 1e300, infinite = huge * huge;
	static int kept = 9;
	static thread_local int own_count = 6;
	long longs[3] = { -1, 0, 1 };
	wchar_t euro = 0x20ac;
	__int128 large = static_cast<__int128>(1) << 100;
	__float128 quad = 1.5; // its digits are not known here
	virtual_base inherits;
	inherits.own = 3;
	overlaid.real = 1.5f;
	{
		int inner = letter + 1, numbers = 8;
		own_count++;
		halt(inner + numbers + own + kept + wide_letter);
	}
	return 0;
}

static void run()
{
	point pair = { 1, 2 };
	derived whole;
	whole.size = 3, whole.weight = 2.5, whole.at = pair, whole.low = 5, whole.high = -3;
	show('a', 200, true, -7, ~0ULL, 1.1f, 3.14159, 2.5L, blue, static_cast<flags>(5),
	     static_cast<flags>(9), scoped::second, shapes::square, "text", nullptr, &counter,
	     &table[1], callee, pair, pair, whole, L'w');
}

int main(int count, char **)
{
	stays = count > 1;
	std::thread(run).join();
}
