// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that a target, or whoever calls, names: a pipe or a device would block, or never end.

#ifndef OMPDBG_REGULAR_FILE_H
#define OMPDBG_REGULAR_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/** Open a file to read it, if it is a regular one. @return a descriptor, or -1 with errno: EINVAL and EISDIR
 *  for what is no regular file. */
static inline int open_regular_file(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode)))
		return file;
	close(file);
	errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
	return -1;
}

#endif
