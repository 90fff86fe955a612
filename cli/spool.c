// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "files.h"

#define OWN_FILE "/proc/self/fd/%d"

enum { IN_MEMORY = 1 << 24, BLOCK = 1 << 16, TRIES = 16, LONGEST_LINK = 64 };

/** The files that have a name and are not whole, for handlers of signals: where the file system has files
 *  without a name, only for the moment in which one replaces another. */
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

/** Return the folder of a file. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) :
			       strdup(".");

	if (!folder)
		out_of_memory();
	return folder;
}

/** Return a name beside a file that nobody can know before. It does not grow with the file's name. */
static char *scratch_name(const char *path)
{
	unsigned int random[2];
	char *folder = folder_of(path), *name;

	if (getrandom(random, sizeof(random), 0) != sizeof(random) ||
	    asprintf(&name, "%s/.ompdbg-%d-%08x%08x.new", folder, (int)getpid(), random[0],
		     random[1]) < 0)
		out_of_memory();
	free(folder);
	return name;
}

bool is_scratch(const char *name, int writer)
{
	static const char end[] = ".new";
	size_t length = strlen(name);
	char *begin;

	if (asprintf(&begin, ".ompdbg-%d-", writer) < 0)
		out_of_memory();
	bool result = strncmp(name, begin, strlen(begin)) == 0 && length > strlen(end) &&
		      strcmp(name + length - strlen(end), end) == 0;
	free(begin);
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

/** Make a file without a name in the folder of the one that it becomes. @return -1: the folder's file
 *  system has none. */
static int make_unnamed(const char *path)
{
	char *folder = folder_of(path);
	int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	char link[LONGEST_LINK];

	free(folder);
	snprintf(link, sizeof(link), OWN_FILE, file);
	if (file >= 0 && access(link, F_OK) != 0) { // no /proc: it could get no name
		close(file);
		return -1;
	}
	return file;
}

/** Make a file that has another name until it is whole, never one that is there. */
static int make_scratch(struct spool *spool)
{
	int file = -1;

	errno = EEXIST;
	for (int i = 0; i < TRIES && file < 0 && errno == EEXIST; i++) {
		free(spool->scratch);
		spool->scratch = scratch_name(spool->path);
		file = open(spool->scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	if (file >= 0) {
		replace_unfinished(NULL, spool->scratch);
		return file;
	}
	int number = errno;
	free(spool->scratch);
	spool->scratch = NULL;
	errno = number;
	return -1;
}

static bool open_file(struct spool *spool)
{
	int file;

	if (is_standard_output(spool)) {
		spool->file = stdout;
		return true;
	}
	if (is_plain(spool->path)) {
		file = make_unnamed(spool->path);
		spool->is_unnamed = file >= 0;
		if (file < 0)
			file = make_scratch(spool);
	} else {
		file = open(spool->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	}
	spool->file = file >= 0 ? fdopen(file, "w") : NULL;
	if (spool->file)
		return true;
	spool->number = errno;
	if (file >= 0)
		close(file);
	return false;
}

/** Give a file its name; one that another file has is taken in one step. */
static bool give_name(struct spool *spool)
{
	char link[LONGEST_LINK];

	if (spool->is_unnamed) {
		snprintf(link, sizeof(link), OWN_FILE, fileno(spool->file));
		if (linkat(AT_FDCWD, link, AT_FDCWD, spool->path, AT_SYMLINK_FOLLOW) == 0)
			return true;
		for (int i = 0; i < TRIES && errno == EEXIST; i++) {
			char *name = scratch_name(spool->path);

			replace_unfinished(NULL, name);
			if (linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
				spool->scratch = name;
				break;
			}
			replace_unfinished(name, NULL);
			free(name);
		}
	}
	return spool->scratch && rename(spool->scratch, spool->path) == 0;
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
	if (!spool->number && (spool->is_unnamed || spool->scratch) && !give_name(spool))
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

int spool_descriptor(const struct spool *spool)
{
	return spool->file ? fileno(spool->file) : -1;
}

bool spool_has_something(const struct spool *spool)
{
	struct stat status;

	return fstat(spool_descriptor(spool), &status) == 0 &&
	       (!S_ISREG(status.st_mode) || status.st_size);
}
