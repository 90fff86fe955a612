// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers of an ELF file: each leaves its version in the section .comment.

#include "internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "comment.h"

/** Read the major release in "GCC: (Debian 12.2.0-14) 12.2.0"; 0 if there is none. */
static int release_of(const char *comment)
{
	enum { LONGEST = 4 };
	int release = 0;

	if (!starts_with(comment, "GCC: ("))
		return 0;
	for (const char *end = comment; (end = strstr(end, ") ")); end++) {
		size_t length = strspn(end + 2, "0123456789");

		if (length && length <= LONGEST && end[2 + length] == '.' &&
		    is_digit(end[3 + length]))
			release = (int)strtol(end + 2, NULL, 10);
	}
	return release;
}

/** Find the latest release; 0 if none is known, or one of them is not. */
static int newest_of(const char *comments, size_t size)
{
	int newest = 0;

	for (const char *at = comments; at < comments + size; at += strlen(at) + 1) {
		int release = release_of(at);

		if (!starts_with(at, "GCC"))
			continue;
		if (!release)
			return 0;
		if (release > newest)
			newest = release;
	}
	return newest;
}

struct ompdbg_error *service_newest_gcc(void *context, uint64_t address, int *ret)
{
	struct ompdbg_object object;
	struct ompdbg_error *error = service_object_at(context, address, &object);
	struct stat status;
	char *comments = NULL;
	size_t size = 0;

	if (error)
		return error;
	// A pipe may have nobody at its other end.
	int file = object.opened ? open(object.opened, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
		comments = comment_read(file, &size);
	if (file >= 0)
		close(file);
	*ret = comments ? newest_of(comments, size) : 0;
	free(comments);
	return *ret ? NULL : &ompdbg_error_absent;
}
