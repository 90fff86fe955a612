// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random bytes, and real code with random damage, taken for code. Usage: damaged_code ROUNDS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damaged_code.h"

enum { LONGEST = 512 };

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

int main(int argc, char **argv)
{
	static const uint8_t common[] = { 0x48, 0x8b, 0x64, 0x74, 0x75, 0xeb, 0x0f, 0x44,
					  0xc3, 0x66, 0xf0, 0x83, 0xe8, 0x05, 0x10, 0x89 };
	const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	const uint8_t *code = (const uint8_t *)damaged_code;
	uint8_t bytes[LONGEST];

	for (long round = 0; round < rounds; round++) {
		const size_t size = next() % LONGEST + 1;

		for (size_t i = 0; i < size; i++)
			bytes[i] = next() & 0x300 ? common[next() & 15] : (uint8_t)next();
		if (round % 2) {
			memcpy(bytes, code, size);
			for (unsigned int i = 0; i < 4; i++)
				bytes[next() % size] = (uint8_t)next();
		}
		damaged_code(bytes, size);
	}
	printf("%ld rounds\n", rounds);
	return 0;
}
