// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts words in a table that grows.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const char *word;
	int count;
};

static struct entry *entries;
static size_t used, size;

static void reserve(size_t wanted)
{
#pragma omp critical(table)
	while (size < wanted) {
		size = size ? 2 * size : 4;
		entries = realloc(entries, size * sizeof(*entries));
	}
}

static struct entry *find(const char *word)
{
	for (size_t i = 0; i < used; i++) {
		if (!strcmp(entries[i].word, word))
			return &entries[i];
	}
	return NULL;
}

static void count(const char *word)
{
#pragma omp critical(table)
	{
		struct entry *entry = find(word);

		if (!entry) {
			if (used == size)
				reserve(used + 1);
			entry = &entries[used++];
			*entry = (struct entry){ word, 0 };
		}
		entry->count++;
	}
}

int main(void)
{
	static const char *const words[] = { "in", "the", "sea", "of", "the", "sun", "by", "day" };
	const int number = sizeof(words) / sizeof(*words);

	reserve(4);
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < number; i++)
		count(words[i]);
	for (size_t i = 0; i < used; i++)
		printf("%s %d\n", entries[i].word, entries[i].count);
	return 0;
}
