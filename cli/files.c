// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"

int open_regular(const char *path, const char **why)
{
	int file = open_regular_file(path);

	if (file < 0)
		*why = errno == EINVAL ? "not a regular file" : strerror(errno);
	return file;
}

int open_unnamed(void)
{
	const char *folder = getenv("TMPDIR");
	char *path;

	if (asprintf(&path, "%s/ompdbg-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
		return -1;
	int file = mkostemp(path, O_CLOEXEC), number = errno;
	if (file >= 0)
		unlink(path);
	free(path);
	errno = number;
	return file;
}

bool write_all(int file, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t done = write(file, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		at += done;
		size -= (size_t)done;
	}
	return true;
}

int open_holding(const void *data, size_t size)
{
	int file = open_unnamed();

	if (file < 0 || (write_all(file, data, size) && lseek(file, 0, SEEK_SET) == 0))
		return file;
	int number = errno;
	close(file);
	errno = number;
	return -1;
}
