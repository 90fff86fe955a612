// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: tr2_walk compare LIBOMPD LIBOMPD-TR2 TARGET | unwind LIBOMPD-TR2 TARGET
//
// A debugger of each interface looks at the same target, which stands still: `compare` says in how
// many values they agree, and tells the others; `unwind` shows the program's frames as section 11.4
// finds them. TARGET is a core file, or the number of a process.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tr2_target.h"

/** The lines that a walk wrote, in the order of their text. */
struct lines {
	char *text, **line;
	size_t count;
};

static int compare_text(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static void read_lines(struct lines *lines, void (*walk)(void *, FILE *), void *library)
{
	size_t size = 0, capacity = 0;
	FILE *out = open_memstream(&lines->text, &size);

	walk(library, out);
	fclose(out);
	lines->line = NULL;
	lines->count = 0;
	for (char *line = strtok(lines->text, "\n"); line; line = strtok(NULL, "\n")) {
		if (lines->count == capacity) {
			capacity = capacity ? 2 * capacity : 256;
			lines->line = realloc(lines->line, capacity * sizeof(*lines->line));
		}
		lines->line[lines->count++] = line;
	}
	if (lines->count)
		qsort(lines->line, lines->count, sizeof(*lines->line), compare_text);
}

static void free_lines(struct lines *lines)
{
	free(lines->line);
	free(lines->text);
}

static void *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return library;
}

static int compare(const char *later, const char *of_2016)
{
	struct lines one, other;
	size_t i = 0, j = 0, same = 0, different = 0;

	read_lines(&one, walk_later, load(later));
	read_lines(&other, walk_2016, load(of_2016));
	while (i < one.count || j < other.count) {
		int order = i == one.count   ? 1 :
			    j == other.count ? -1 :
					       strcmp(one.line[i], other.line[j]);

		if (order == 0)
			same++;
		else
			printf("%s %s\n", order < 0 ? "later:" : "2016: ",
			       order < 0 ? one.line[i] : other.line[j]);
		different += order != 0;
		i += order <= 0;
		j += order >= 0;
	}
	printf("%zu values, %zu lines differ, %ld blocks not freed\n", same, different, tr2_blocks);
	free_lines(&one);
	free_lines(&other);
	return different != 0 || same == 0 || tr2_blocks != 0;
}

int main(int argc, char **argv)
{
	int status = 1;

	if (argc == 5 && strcmp(argv[1], "compare") == 0) {
		if (!tr2_open(argv[4]))
			return 1;
		status = compare(argv[2], argv[3]);
	} else if (argc == 4 && strcmp(argv[1], "unwind") == 0) {
		if (!tr2_open(argv[3]))
			return 1;
		unwind_2016(load(argv[2]), stdout);
		status = tr2_blocks != 0;
	} else {
		fprintf(stderr, "usage: %s compare LIBOMPD LIBOMPD-TR2 TARGET\n", argv[0]);
		return 2;
	}
	tr2_close();
	return status;
}
