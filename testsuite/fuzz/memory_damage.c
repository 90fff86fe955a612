// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "memory_damage.h"

#include <string.h>

enum damage {
	DAMAGE_BIT,
	DAMAGE_BYTE,
	DAMAGE_WORD,	// one of the values below
	DAMAGE_HALF,	// likewise, 4 bytes
	DAMAGE_POINTER, // another pointer of the target
	DAMAGE_ITSELF =
		INPUT_DAMAGE_ITSELF, // a pointer to what the word is in, as far as pointers lead there
	DAMAGE_COPY,		     // a word that lies behind it
	DAMAGE_NEAR,		     // a little more or less than it was
	DAMAGE_PAGE,		     // unreadable
	DAMAGE_TRUNCATE,	     // all pages from there on, or up to there
	DAMAGE_COUNT
};

static const uint64_t values[] = {
	0,
	1,
	2,
	3,
	8,
	63,
	255,
	256,
	1024,
	4095,
	4096,
	65535,
	1 << 20,
	(1 << 20) + 1,
	1 << 24,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	UINT32_MAX + 1ull,
	INT64_MAX,
	UINT64_MAX,
	UINT64_MAX - 7,
};

// The @p nearest pointer to an address at or before @p address, if one is near.
static uint64_t pointer_before(const struct recorded_target *target, uint64_t address,
			       uint32_t nearest)
{
	uint32_t low = 0, high = target->pointer_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (target->pointers[middle].value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	while (low && nearest) {
		uint64_t value = target->pointers[low - 1].value;

		while (low && target->pointers[low - 1].value == value)
			low--;
		nearest--;
	}
	return low ? target->pointers[low - 1].value : address;
}

// A word of a target, read from its place in the list of pages: that is the same for any library.
static struct recorded_word word_at(const struct recorded_target *target, uint32_t place)
{
	const struct recorded_page *page = &target->pages[(place >> 9) % target->page_count];
	struct recorded_word word = { .address = page->address + 8 * (place % 512) };

	memcpy(&word.value, page->bytes + word.address % RECORDED_PAGE, 8);
	return word;
}

uint32_t place_of_word(const struct recorded_target *target, uint64_t address)
{
	uint32_t low = 0, high = target->page_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (target->pages[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	return low << 9 | (uint32_t)(address % RECORDED_PAGE / 8);
}

void damage_memory(const struct recorded_target *target, const uint8_t *bytes)
{
	uint32_t kind = bytes[0], what = (uint32_t)(bytes[4] << 8 | bytes[5]);
	uint32_t place = (uint32_t)(bytes[1] << 16 | bytes[2] << 8 | bytes[3]);
	struct recorded_word word = word_at(target, place);
	uint64_t value = word.value, address = word.address;
	size_t size = 8;

	switch (kind % DAMAGE_COUNT) {
	case DAMAGE_BIT:
		value ^= (uint64_t)1 << what % 64;
		break;
	case DAMAGE_BYTE:
		address += what % 8;
		value = what >> 8;
		size = 1;
		break;
	case DAMAGE_WORD:
		value = values[what % (sizeof(values) / sizeof(values[0]))];
		break;
	case DAMAGE_HALF:
		value = values[what / 2 % (sizeof(values) / sizeof(values[0]))];
		address += 4 * (what % 2);
		size = 4;
		break;
	case DAMAGE_POINTER:
		value = target->pointers[what % target->pointer_count].value;
		break;
	case DAMAGE_ITSELF:
		value = pointer_before(target, address, what % 8);
		break;
	case DAMAGE_COPY:
		value = word_at(target, place + what).value;
		break;
	case DAMAGE_NEAR:
		value += (uint64_t)(int64_t)(int16_t)what;
		break;
	case DAMAGE_PAGE:
		recorded_lose_page(address);
		return;
	default:
		if (what % 2)
			recorded_lose_pages(address, UINT64_MAX);
		else
			recorded_lose_pages(0, address);
		return;
	}
	recorded_write(address, &value, size);
}
