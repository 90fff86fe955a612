// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "files.h"

enum { IN_MEMORY = 1 << 24, BLOCK = 1 << 16 };

/** The files that are being written, for handlers of signals. */
static char *volatile unfinished[4];

void remove_scratch(void)
{
	for (size_t i = 0; i < sizeof(unfinished) / sizeof(*unfinished); i++) {
		if (unfinished[i])
			unlink(unfinished[i]);
	}
}

/** Replace a name among those of unfinished files; NULL stands for none. */
static void replace_unfinished(char *from, char *to)
{
	for (size_t i = 0; i < sizeof(unfinished) / sizeof(*unfinished); i++) {
		if (unfinished[i] == from) {
			unfinished[i] = to;
			return;
		}
	}
}

/** Return the name that a process gives to a file that is not whole. */
static char *scratch_name(const char *path, int writer)
{
	char *name;

	if (asprintf(&name, "%s.%d.new", path, writer) < 0)
		out_of_memory();
	return name;
}

bool is_scratch(const char *path, int writer)
{
	char *end = scratch_name("", writer);
	size_t length = strlen(path), tail = strlen(end);
	bool result = length > tail && strcmp(path + length - tail, end) == 0;

	free(end);
	return result;
}

static bool is_standard_output(const struct spool *spool)
{
	return strcmp(spool->path, STANDARD_OUTPUT) == 0;
}

/** Check for a plain file, or none: a pipe, say, is written as it is. */
static bool is_plain(const char *path)
{
	struct stat status;

	return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

static struct ompdbg_error *write_buffer(void *context, const char *text, size_t size)
{
	buffer_put_bytes(context, text, size);
	return NULL;
}

struct sink buffer_sink(struct buffer *buffer)
{
	return (struct sink){ write_buffer, buffer };
}

// ---- Writing -----------------------------------------------------------------------------------

static bool open_file(struct spool *spool)
{
	const char *path = spool->path;

	if (is_standard_output(spool)) {
		spool->file = stdout;
		return true;
	}
	if (is_plain(path))
		path = spool->scratch = scratch_name(path, (int)getpid());
	spool->file = fopen(path, "we");
	if (!spool->file) {
		spool->number = errno;
		return false;
	}
	replace_unfinished(NULL, spool->scratch);
	return true;
}

static bool write_through(struct spool *spool, const char *text, size_t size)
{
	if (!spool->file && !open_file(spool))
		return false;
	if (fwrite(text, 1, size, spool->file) == size)
		return true;
	spool->number = errno;
	return false;
}

static bool keep(struct spool *spool, const char *text, size_t size)
{
	buffer_put_bytes(&spool->kept, text, size);
	if (spool->kept.size < IN_MEMORY)
		return true;
	if (spool->overflow < 0)
		spool->overflow = open_unnamed();
	if (spool->overflow < 0 ||
	    !write_all(spool->overflow, spool->kept.data, spool->kept.size)) {
		spool->number = errno;
		return false;
	}
	buffer_clear(&spool->kept);
	return true;
}

static struct ompdbg_error *write_sink(void *context, const char *text, size_t size)
{
	struct spool *spool = context;

	if (spool->waits ? keep(spool, text, size) : write_through(spool, text, size))
		return NULL;
	return ompdbg_error_create(OMPDBG_FAILED, "%s", strerror(spool->number));
}

bool spool_check(const struct spool *spool, struct failure *failure)
{
	if (!spool->number)
		return true;
	if (spool->number == EPIPE && is_standard_output(spool)) {
		failure->is_silent = true;
		return fail_with(failure, STATUS_NOT_WRITTEN,
				 "the reader of standard output has closed it");
	}
	return fail_with(failure, STATUS_NOT_WRITTEN, "%s: %s",
			 is_standard_output(spool) ? "standard output" : spool->path,
			 strerror(spool->number));
}

// ---- Begin and end -----------------------------------------------------------------------------

bool spool_begin(struct spool *spool, const char *path, bool waits, struct failure *failure)
{
	*spool = (struct spool){ .path = path, .overflow = -1 };
	spool->sink = (struct sink){ write_sink, spool };
	// What goes into a plain file never waits.
	spool->waits = waits && (is_standard_output(spool) || !is_plain(path));
	if (!spool->waits && !is_standard_output(spool))
		open_file(spool);
	return spool_check(spool, failure);
}

bool spool_copy(struct spool *spool, int file)
{
	char block[BLOCK];
	ssize_t got;

	while ((got = read(file, block, sizeof(block))) > 0) {
		if (!write_through(spool, block, (size_t)got))
			return false;
	}
	if (got < 0)
		spool->number = errno;
	return got == 0;
}

static void finish(struct spool *spool)
{
	if (spool->overflow >= 0) {
		lseek(spool->overflow, 0, SEEK_SET);
		spool_copy(spool, spool->overflow);
	}
	if (!spool->number && spool->kept.size)
		write_through(spool, spool->kept.data, spool->kept.size);
	if (!spool->number && spool->file && fflush(spool->file) != 0)
		spool->number = errno;
	if (!spool->number && spool->scratch && rename(spool->scratch, spool->path) != 0)
		spool->number = errno;
}

bool spool_end(struct spool *spool, struct failure *failure)
{
	if (!spool->path)
		return true;
	finish(spool);
	bool result = spool_check(spool, failure);
	if (result && spool->scratch) {
		replace_unfinished(spool->scratch, NULL);
		free(spool->scratch);
		spool->scratch = NULL;
	}
	spool_drop(spool);
	return result;
}

void spool_drop(struct spool *spool)
{
	if (spool->file && spool->file != stdout)
		fclose(spool->file);
	if (spool->scratch) {
		unlink(spool->scratch);
		replace_unfinished(spool->scratch, NULL);
	}
	free(spool->scratch);
	if (spool->path && spool->overflow >= 0)
		close(spool->overflow);
	buffer_deinit(&spool->kept);
	*spool = (struct spool){ 0 };
}
