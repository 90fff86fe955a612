// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "files.h"
#include "places.h"
#include "spool.h"
#include "start.h"

static char python[] = "/usr/bin/python3";
// Nothing of the user's environment, and no packages that are not Python's or ours.
static char options[] = "-IS";

enum { NOT_STARTED = -1 };

/** Start the generator. @return the process; -1 with @p failure. */
static pid_t start_generator(struct arena *arena, char *const *words, size_t num_words,
			     struct streams streams, struct failure *failure)
{
	char **all = ARENA_ARRAY(arena, char *, num_words + 4);
	int number;

	all[0] = python;
	all[1] = options;
	all[2] = arena_printf(arena, "%s/ompdbg/report/generate.py", python_path(arena));
	for (size_t i = 0; i < num_words; i++)
		all[3 + i] = words[i];
	pid_t child = start_program(all, streams, &number);
	if (child < 0)
		fail_with(failure, STATUS_NOT_WRITTEN,
			  "%s, which makes pages, cannot be started: %s", python, strerror(number));
	return child;
}

static bool generate(struct arena *arena, int document, struct spool *spool,
		     struct failure *failure)
{
	static char word[] = "page";
	char *const words[] = { word };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return fail_with(failure, STATUS_NOT_WRITTEN, "%s: %s", spool->path,
				 strerror(errno));
	pid_t child = start_generator(
		arena, words, 1, (struct streams){ document, ends[1], STDERR_FILENO }, failure);
	close(ends[1]);
	bool ok = child > 0 && spool_copy(spool, ends[0]);
	close(ends[0]);
	if (child > 0 && wait_for(child) != 0 && ok)
		return fail_with(failure, STATUS_NOT_WRITTEN, "%s: the page could not be made",
				 spool->path);
	return ok || spool_check(spool, failure);
}

bool write_page(const char *path, const struct buffer *document, struct failure *failure)
{
	struct arena arena = { 0 };
	struct spool spool;
	bool ok = false;

	if (!spool_begin(&spool, path, false, failure))
		return false;
	int file = open_holding(document->data, document->size);
	if (file < 0)
		fail_with(failure, STATUS_NOT_WRITTEN, "%s: %s", path, strerror(errno));
	else
		ok = generate(&arena, file, &spool, failure);
	if (file >= 0)
		close(file);
	if (ok && !failure->status)
		ok = spool_end(&spool, failure);
	else
		spool_drop(&spool);
	arena_deinit(&arena);
	return ok;
}

int merge_reports(char *const *words, size_t num_words, struct failure *failure)
{
	struct arena arena = { 0 };
	pid_t child = start_generator(&arena, words, num_words,
				      (struct streams){ -1, STDOUT_FILENO, STDERR_FILENO },
				      failure);
	int status = child < 0 ? NOT_STARTED : wait_for(child);

	arena_deinit(&arena);
	return status;
}
