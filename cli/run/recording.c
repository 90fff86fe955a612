// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recording.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "files.h"
#include "ompt/trace.h"
#include "places.h"
#include "ranks.h"

// The beginning of libgomp's messages, after a newline: it is in each program that contains libgomp.
// Without the newline, it is not in this program.
static const char text_of_libgomp[] = "libgomp: ";
// GCC's sanitizer ends programs in which it is not the first library.
static const char any_order[] = "verify_asan_link_order=0";

// ---- The environment ---------------------------------------------------------------------------

/** Find a library that can be preloaded: the dynamic linker gives some characters of a path another
 *  meaning. @return NULL, with *why. */
static const char *find_library(struct arena *arena, const char *path, const char **why)
{
	char *real = realpath(path, NULL);

	if (!real) {
		*why = arena_printf(arena, "%s: %s", path, strerror(errno));
		return NULL;
	}
	const char *found = arena_strdup(arena, real);
	free(real);
	if (!strpbrk(found, " :$"))
		return found;
	*why = arena_printf(arena, "%s cannot be preloaded (blank, colon or $ in its path)", found);
	return NULL;
}

/** Put words in front of those that a variable has, separated by colons; NULL: it has them. */
static const char *with_words(struct arena *arena, const char *variable, const char *words)
{
	const char *value = getenv(variable);
	size_t length = strlen(words);

	if (!value || !*value)
		return words;
	if (strncmp(value, words, length) == 0 && (!value[length] || value[length] == ':'))
		return NULL;
	return arena_printf(arena, "%s:%s", words, value);
}

bool recording_find(struct arena *arena, struct recording *ret, const char **why)
{
	const char *interposer = find_library(arena, interposer_path(arena), why);
	const char *recorder = interposer ? find_library(arena, recorder_path(arena), why) : NULL;

	if (!recorder)
		return false;
	ret->preload =
		with_words(arena, "LD_PRELOAD", arena_printf(arena, "%s:%s", interposer, recorder));
	ret->asan_options = with_words(arena, "ASAN_OPTIONS", any_order);
	ret->trace = NULL;
	return true;
}

void recording_set(const struct recording *recording)
{
	if (recording->preload)
		setenv("LD_PRELOAD", recording->preload, 1);
	if (recording->asan_options)
		setenv("ASAN_OPTIONS", recording->asan_options, 1);
	if (recording->trace)
		setenv("OMPDBG_TRACE", recording->trace, 1);
}

// ---- The file of a trace ------------------------------------------------------------------------

/** Check for an empty file, or a trace. */
static bool may_be_replaced(int file, const struct stat *status)
{
	char magic[sizeof(TRACE_MAGIC)];

	return S_ISREG(status->st_mode) &&
	       (!status->st_size || (pread(file, magic, sizeof(magic), 0) == sizeof(magic) &&
				     memcmp(magic, TRACE_MAGIC, sizeof(magic)) == 0));
}

/** Remove a trace that is there. @return NULL, or why that cannot be. */
static const char *remove_old(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct stat status;

	if (file < 0)
		return errno == ENOENT ? NULL : strerror(errno);
	bool is_ours = fstat(file, &status) == 0 && may_be_replaced(file, &status);
	close(file);
	if (!is_ours)
		return "exists, and is not a trace (choose another name)";
	return unlink(path) == 0 ? NULL : strerror(errno);
}

/** Check that a file can be made. @return NULL, or why it cannot be. */
static const char *try_to_create(const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (file < 0)
		return strerror(errno);
	close(file);
	unlink(path);
	return NULL;
}

const char *recording_trace(struct arena *arena, const char *path, const char **why)
{
	struct rank rank = own_rank();
	char *folder = NULL;

	if (rank.variable)
		path = arena_printf(arena, "%s.rank%s", path, rank.value);
	*why = remove_old(path);
	if (!*why)
		*why = try_to_create(path);
	if (!*why && path[0] != '/') {
		folder = getcwd(NULL, 0);
		if (folder)
			path = arena_printf(arena, "%s/%s", folder, path);
		else
			*why = strerror(errno);
		free(folder);
	}
	if (!*why)
		return path;
	*why = arena_printf(arena, "%s: %s", path, *why);
	return NULL;
}

// ---- Programs that cannot be recorded ----------------------------------------------------------

/** Find the file of a command as execvp() does; NULL: there is none. */
static const char *find_program(struct arena *arena, const char *command)
{
	const char *folders = getenv("PATH");

	if (strchr(command, '/'))
		return command;
	while (folders && *folders) {
		size_t length = strcspn(folders, ":");
		const char *path = arena_printf(arena, "%.*s%s%s", (int)length, folders,
						length ? "/" : "", command);
		struct stat status;

		if (access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode))
			return path;
		folders += length + (folders[length] == ':');
	}
	return NULL;
}

/** Check for a program that gets other rights than its caller has. */
static bool changes_rights(const struct stat *status)
{
	return ((status->st_mode & S_ISUID) && status->st_uid != getuid()) ||
	       ((status->st_mode & S_ISGID) && status->st_gid != getgid());
}

/** Check for a text that follows a newline. */
static bool has_line(const char *data, size_t size, const char *text)
{
	const size_t length = strlen(text);
	const char *end = data + size, *at = data;

	while ((at = memmem(at, (size_t)(end - at), text, length))) {
		if (at > data && at[-1] == '\n')
			return true;
		at += length;
	}
	return false;
}

/** Check for a program with such a text among its constants. */
static bool has_constant(const char *file, size_t size, const char *text)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;

	if (size < sizeof(*header) || memcmp(file, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phoff > size ||
	    header->e_phoff % sizeof(uint64_t) || header->e_phentsize != sizeof(Elf64_Phdr) ||
	    header->e_phnum > (size - header->e_phoff) / sizeof(Elf64_Phdr))
		return false;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(file + header->e_phoff);
	for (size_t i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];

		if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W) &&
		    segment->p_offset <= size && segment->p_filesz <= size - segment->p_offset &&
		    has_line(file + segment->p_offset, segment->p_filesz, text))
			return true;
	}
	return false;
}

static bool contains_libgomp(int file, const struct stat *status)
{
	size_t size = (size_t)status->st_size;
	void *mapped = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;

	if (mapped == MAP_FAILED)
		return false;
	bool found = has_constant(mapped, size, text_of_libgomp);
	munmap(mapped, size);
	return found;
}

const char *recording_obstacle(struct arena *arena, const char *command)
{
	const char *path = find_program(arena, command), *why, *found = NULL;
	int file = path ? open_regular(path, &why) : -1;
	struct stat status;

	if (file < 0) // running it fails, or it may be executed and not read
		return NULL;
	if (fstat(file, &status) == 0) {
		if (changes_rights(&status))
			found = "it is set-user-ID or set-group-ID";
		else if (contains_libgomp(file, &status))
			found = "libgomp is linked statically";
	}
	close(file);
	return found ? arena_printf(arena, "%s is not recorded: %s", command, found) : NULL;
}
