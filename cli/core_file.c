// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a compressed file the first bytes are looked at before anything is written. What lies behind the
// last part that the headers of the core file name is not written at all.

#include "core_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "files.h"
#include "start.h"

enum {
	BLOCK = 1 << 16,
	FIRST = 8 << 20, // all program headers are in these
	LOOK_AT_DISK = 64 << 20,
	FREE = 256 << 20, // bytes that others keep on that disk
};

struct expansion {
	const char *path;
	int source; // what the program writes
	int plain;
	uint64_t end;	  // where the last part of the core file ends; UINT64_MAX: unknown
	uint64_t size;	  // of the plain file so far
	uint64_t written; // without the zeros
	struct failure *failure;
};

/** Read until the buffer is full. @return less at the end. */
static size_t read_block(int source, char *buffer, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = read(source, buffer + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

/** Check the header; libtarget has more to say about one of another machine. */
static bool is_core(const char *first, size_t size)
{
	Elf64_Ehdr header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, first, sizeof(header));
	bool is_big = header.e_ident[EI_DATA] == ELFDATA2MSB;
	return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       (is_big ? __builtin_bswap16(header.e_type) : header.e_type) == ET_CORE;
}

/** Find where the last part of the core file ends. */
static uint64_t find_end(const char *first, size_t size)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	memcpy(&header, first, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return size;
	uint64_t end = header.e_phoff + (uint64_t)header.e_phnum * sizeof(segment);
	if (header.e_phnum == PN_XNUM || header.e_phentsize != sizeof(segment) || end > size ||
	    header.e_phoff > size)
		return UINT64_MAX;
	for (size_t i = 0; i < header.e_phnum; i++) {
		memcpy(&segment, first + header.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_offset + segment.p_filesz > end)
			end = segment.p_offset + segment.p_filesz;
	}
	return end;
}

static bool is_zero(const char *data, size_t size)
{
	return size && !data[0] && memcmp(data, data + 1, size - 1) == 0;
}

/** Write without zeros, which take no room on the disk. */
static bool write_sparsely(struct expansion *expansion, const char *data, size_t size)
{
	for (size_t at = 0; at < size; at += BLOCK) {
		size_t length = size - at < BLOCK ? size - at : BLOCK;

		expansion->size += length;
		if (is_zero(data + at, length)) {
			lseek(expansion->plain, (off_t)length, SEEK_CUR);
			continue;
		}
		expansion->written += length;
		if (!write_all(expansion->plain, data + at, length))
			return fail_with(expansion->failure, STATUS_UNREADABLE,
					 "%s cannot be read: %s", expansion->path, strerror(errno));
	}
	return true;
}

static bool is_nearly_full(int file)
{
	struct statvfs disk;

	return fstatvfs(file, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < FREE;
}

/** Write what the source has of the core file. */
static bool expand(struct expansion *expansion, const char *tool)
{
	char *first = malloc(FIRST);
	uint64_t looked = 0;
	bool ok = true;

	if (!first)
		out_of_memory();
	size_t got = read_block(expansion->source, first, FIRST);
	if (!got)
		ok = fail_with(expansion->failure, STATUS_UNREADABLE,
			       "%s cannot be read: %s failed", expansion->path, tool);
	else if (!is_core(first, got))
		ok = fail_with(expansion->failure, STATUS_UNREADABLE, "%s: not a core file",
			       expansion->path);
	if (ok) {
		expansion->end = find_end(first, got);
		ok = write_sparsely(expansion, first, got);
	}
	while (ok && expansion->size < expansion->end) {
		if (expansion->written >= looked && is_nearly_full(expansion->plain))
			ok = fail_with(expansion->failure, STATUS_UNREADABLE,
				       "%s cannot be read: the disk is nearly full (set TMPDIR)",
				       expansion->path);
		if (expansion->written >= looked)
			looked += LOOK_AT_DISK;
		got = ok ? read_block(expansion->source, first, BLOCK) : 0;
		if (!got)
			break;
		ok = write_sparsely(expansion, first, got);
	}
	free(first);
	if (ok && ftruncate(expansion->plain, (off_t)expansion->size) != 0)
		ok = fail_with(expansion->failure, STATUS_UNREADABLE, "%s cannot be read: %s",
			       expansion->path, strerror(errno));
	return ok;
}

/**
 * Keep what a program writes in an unnamed file.
 *
 * @param path what it expands, for people
 * @param packed its standard input; -1: none
 * @param remedy what to do where the program is missing
 * @return the file; -1 with @p failure
 */
static int open_expanded(const char *path, int packed, char *const *words, const char *remedy,
			 struct failure *failure)
{
	struct expansion expansion = { .path = path, .failure = failure };
	int ends[2];

	expansion.plain = open_unnamed();
	if (expansion.plain < 0 || pipe2(ends, O_CLOEXEC) != 0) {
		fail_with(failure, STATUS_UNREADABLE, "%s cannot be read: %s", path,
			  strerror(errno));
		if (expansion.plain >= 0)
			close(expansion.plain);
		return -1;
	}
	int number;
	pid_t child = start_program(words, (struct streams){ packed, ends[1], -1 }, &number);
	close(ends[1]);
	expansion.source = ends[0];
	bool ok;
	if (child < 0 && number == ENOENT)
		ok = fail_with(failure, STATUS_UNREADABLE, "%s cannot be read without %s (%s)",
			       path, words[0], remedy);
	else if (child < 0)
		ok = fail_with(failure, STATUS_UNREADABLE, "%s cannot be read: %s", path,
			       strerror(number));
	else
		ok = expand(&expansion, words[0]);
	close(ends[0]);
	if (child > 0) {
		kill(child, SIGKILL); // what follows the core file is not of interest
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (ok)
		return expansion.plain;
	close(expansion.plain);
	return -1;
}

int core_file_of_system(const char *match, struct failure *failure)
{
	char *const words[] = { "coredumpctl", "dump", (char *)match, NULL };

	return open_expanded(match ? match : "newest core file", -1, words,
			     "install systemd-coredump", failure);
}

int core_file_open(const char *path, struct failure *failure)
{
	// How files begin that a program of the system expands.
	static const struct {
		const char *begin;
		size_t size;
		const char *tool;
	} compressed[] = {
		{ "\x28\xb5\x2f\xfd", 4, "zstd" },
		{ "\xfd"
		  "7zXZ",
		  6, "xz" },
		{ "\x1f\x8b", 2, "gzip" },
		{ "BZh", 3, "bzip2" },
		{ "\x04\x22\x4d\x18", 4, "lz4" },
	};
	const char *why;
	char begin[8] = { 0 };
	int file = open_regular(path, &why);

	if (file < 0) {
		fail_with(failure, STATUS_UNREADABLE, "%s: %s", path, why);
		return -1;
	}
	if (pread(file, begin, sizeof(begin), 0) < 0) {
		fail_with(failure, STATUS_UNREADABLE, "%s: %s", path, strerror(errno));
		close(file);
		return -1;
	}
	for (size_t i = 0; i < sizeof(compressed) / sizeof(*compressed); i++) {
		if (memcmp(begin, compressed[i].begin, compressed[i].size) == 0) {
			char *const words[] = { (char *)compressed[i].tool, "-dc", NULL };
			int plain = open_expanded(path, file, words, "install it", failure);

			close(file);
			return plain;
		}
	}
	return file;
}
