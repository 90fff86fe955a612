// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "files.h"
#include "options.h"
#include "places.h"
#include "spool.h"
#include "start.h"

static char python[] = "/usr/bin/python3";
// Nothing of the user's environment, and no packages that are not Python's or ours.
static char options[] = "-IS";

enum { NOT_STARTED = -1, HEAD = 3 };

/** Start the generator. @p words: of its command line, after room for HEAD others. @return the process; -1
 *  with @p failure. */
static pid_t start_generator(struct arena *arena, char **words, struct streams streams,
			     struct failure *failure)
{
	int number;

	words[0] = python;
	words[1] = options;
	words[2] = arena_printf(arena, "%s/ompdbg/report/generate.py", python_path(arena));
	pid_t child = start_program(words, streams, &number);
	if (child < 0)
		fail_with(failure, STATUS_NOT_WRITTEN,
			  "%s, which makes pages, cannot be started: %s", python, strerror(number));
	return child;
}

static bool generate(struct arena *arena, int document, const char *owner, struct spool *spool,
		     struct failure *failure)
{
	static char page[] = "page";
	char *words[HEAD + 3] = { [HEAD] = page, owner ? arena_strdup(arena, owner) : NULL };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return fail_with(failure, STATUS_NOT_WRITTEN, "%s: %s", spool->path,
				 strerror(errno));
	pid_t child = start_generator(
		arena, words, (struct streams){ document, ends[1], STDERR_FILENO }, failure);
	close(ends[1]);
	bool ok = child > 0 && spool_copy(spool, ends[0]);
	close(ends[0]);
	if (child > 0 && wait_for(child) != 0 && ok)
		return fail_with(failure, STATUS_NOT_WRITTEN, "%s: the page could not be made",
				 spool->path);
	return ok || spool_check(spool, failure);
}

bool write_page(const char *path, const struct buffer *document, const char *owner,
		struct failure *failure)
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
		ok = generate(&arena, file, owner, &spool, failure);
	if (file >= 0)
		close(file);
	if (ok && !failure->status)
		ok = spool_end(&spool, failure);
	else
		spool_drop(&spool);
	arena_deinit(&arena);
	return ok;
}

/** End the outputs that a generator wrote, if it says that they are whole. */
static void end_outputs(struct spool *spools, size_t count, bool are_whole, struct failure *failure)
{
	for (size_t i = 0; i < count; i++) {
		if (are_whole && spools[i].file && spool_has_something(&spools[i]))
			spool_end(&spools[i], failure);
		else
			spool_drop(&spools[i]);
	}
}

int merge_reports(const char *text, const char *html, const char *json, char *const *reports,
		  size_t num_reports, struct failure *failure)
{
	static char names[][8] = { "--text", "--html", "--json", "merge", "--to", "--" };
	const char *const files[] = { text, html, json };
	struct spool spools[3] = { 0 };
	struct arena arena = { 0 };
	char **words = ARENA_ARRAY(&arena, char *, HEAD + 15 + num_reports);
	int status = NOT_STARTED;
	size_t count = HEAD;
	bool ok = true;

	words[count++] = names[3];
	for (size_t i = 0; i < 3 && ok; i++) {
		if (!files[i])
			continue;
		words[count++] = names[i];
		words[count++] = arena_strdup(&arena, files[i]);
		if (strcmp(files[i], STANDARD_OUTPUT) == 0)
			continue;
		ok = spool_begin(&spools[i], files[i], false, failure);
		if (ok)
			fcntl(spool_descriptor(&spools[i]), F_SETFD, 0);
		words[count++] = names[4];
		words[count++] =
			arena_printf(&arena, "%s=%d", files[i], spool_descriptor(&spools[i]));
	}
	words[count++] = names[5];
	memcpy(words + count, reports, num_reports * sizeof(*reports));
	pid_t child = ok ? start_generator(&arena, words,
					   (struct streams){ -1, STDOUT_FILENO, STDERR_FILENO },
					   failure) :
			   -1;
	if (child >= 0)
		status = wait_for(child);
	end_outputs(spools, 3,
		    status == STATUS_FINE || status == STATUS_FOUND || status == STATUS_UNREADABLE,
		    failure);
	arena_deinit(&arena);
	return failure->status ? NOT_STARTED : status;
}

int run_merge(const struct arguments *arguments, struct failure *failure)
{
	return merge_reports(arguments->text, arguments->html, arguments->json_file,
			     arguments->words, arguments->num_words, failure);
}
