// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMPD libraries. A library serves one client in a process, and the module _ompd may be another: each
// loads a library of its own, so here the loader gets a copy of the file.

#include "process.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"

/** A library that was loaded. All stay loaded, as the loader remembers the numbers of their files. */
struct loaded {
	struct loaded *next;
	char *path;
	dev_t device;
	ino_t file;
	struct ompd_library *library;
};

static struct loaded *all;

static bool copy_bytes(int from, int to)
{
	char bytes[1 << 16];
	off_t offset = 0;
	ssize_t got;

	while ((got = pread(from, bytes, sizeof(bytes), offset)) > 0) {
		if (write(to, bytes, (size_t)got) != got)
			return false;
		offset += got;
	}
	return got == 0;
}

static struct ompdbg_error *failed(const char *path)
{
	return ompdbg_error_create(OMPDBG_FAILED, "%s: %s", path, strerror(errno));
}

/** Load what a library needs: of the copy, the loader would not know in which folder to look. The
 *  library itself is loaded with it, and not used. */
static struct ompdbg_error *load_needed(const char *path, int descriptor)
{
	char opened[sizeof("/proc/self/fd/") + 11];

	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", descriptor);
	if (dlopen(descriptor < 0 ? path : opened, RTLD_NOW | RTLD_LOCAL))
		return NULL;
	return ompdbg_error_create(OMPDBG_FAILED, "%s", dlerror());
}

/** Load an open file. */
static struct ompdbg_error *load(const char *path, int descriptor, int file, struct loaded **ret)
{
	struct loaded *loaded = NULL;
	struct ompdbg_error *error;
	struct stat status;
	struct ompd_library *library;

	if (fstat(file, &status) < 0)
		return failed(path);
	for (loaded = all; loaded; loaded = loaded->next) {
		*ret = loaded;
		if (loaded->device == status.st_dev && loaded->file == status.st_ino &&
		    strcmp(loaded->path, path) == 0)
			return NULL;
	}
	if (!S_ISREG(status.st_mode))
		return ompdbg_error_create(OMPDBG_FAILED, "%s: no regular file", path);
	error = load_needed(path, descriptor);
	if (error)
		return error;
	int copy = memfd_create("ompd", MFD_CLOEXEC);
	if (copy < 0)
		return failed(path);
	// The loader remembers the number, whatever comes of it: the copy stays open.
	error = copy_bytes(file, copy) ? ompd_library_open(path, copy, &library) : failed(path);
	if (error)
		return error;
	loaded = calloc(1, sizeof(*loaded));
	if (!loaded)
		out_of_memory();
	*loaded = (struct loaded){ all, strdup(path), status.st_dev, status.st_ino, library };
	all = loaded;
	*ret = loaded;
	return NULL;
}

struct ompd_library *library_load(const char *path, int descriptor, struct ompdbg_error **error)
{
	struct loaded *loaded = NULL;
	int file = descriptor;

	if (file < 0)
		file = open_regular_file(path);
	*error = file < 0 ? failed(path) : load(path, descriptor, file, &loaded);
	if (descriptor < 0 && file >= 0)
		close(file);
	return loaded && !*error ? loaded->library : NULL;
}
