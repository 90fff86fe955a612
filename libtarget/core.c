// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core files: which memory they hold, and what their notes tell. A core file may be cut off or
// damaged anywhere: nothing that it says of itself is believed before it is checked.

#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

enum {
	MAX_SEGMENTS = 1 << 20,
	MAX_NOTES = 256 << 20, // bytes
	MAX_THREADS = 1 << 20,
};

_Static_assert(sizeof(elf_gregset_t) == TARGET_REGISTERS * sizeof(uint64_t), "x86-64");

/** Read bytes of the core's file; fewer at its end. */
static size_t read_file(const struct target *target, uint64_t offset, void *buffer, size_t size)
{
	size_t done = 0;

	if (offset >= target->core_size)
		return 0;
	while (done < size) {
		ssize_t got = pread(target->core, (char *)buffer + done, size - done,
				    (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

size_t core_read(const struct target *target, uint64_t address, void *buffer, size_t size)
{
	const struct segment *segment = RANGE_AT(target->segments, target->num_segments, address);
	uint64_t distance = segment ? address - segment->start : 0;

	if (!segment || distance >= segment->held)
		return 0;
	if (size > segment->held - distance)
		size = segment->held - distance;
	return read_file(target, segment->offset + distance, buffer, size);
}

// ---- Notes -----------------------------------------------------------------------------------

static void note_thread(struct target *target, const void *data, size_t size)
{
	struct elf_prstatus status;

	if (size < sizeof(status) || target->num_threads >= MAX_THREADS)
		return;
	memcpy(&status, data, sizeof(status));
	struct thread *thread = GROW(target->threads, target->num_threads);
	thread->lwp = status.pr_pid;
	thread->has_registers = true;
	if (target->num_threads == 1) { // the one that the signal has reached
		target->end.thread = status.pr_pid;
		target->end.signal = status.pr_cursig;
	}
	memcpy(thread->registers, status.pr_reg, sizeof(thread->registers));
}

/** Take the vector registers of the thread whose note came last. */
static void note_vectors(struct target *target, const void *data, size_t size)
{
	struct user_fpregs_struct values;

	if (size < sizeof(values) || !target->num_threads)
		return;
	memcpy(&values, data, sizeof(values));
	struct thread *thread = &target->threads[target->num_threads - 1];
	memcpy(thread->vectors, values.xmm_space, sizeof(thread->vectors));
	thread->has_vectors = true;
}

static void note_auxiliary(struct target *target, const void *data, size_t size)
{
	size_t count = size / WORD & ~(size_t)1;

	if (target->auxiliary || !count || !(target->auxiliary = malloc(count * WORD)))
		return;
	memcpy(target->auxiliary, data, count * WORD);
	target->num_auxiliary = count;
}

/** NT_FILE: how many, the size of a page, for each start, end and page of the file; the paths. */
static void note_files(struct target *target, const char *data, size_t size)
{
	enum { HEAD = 2, EACH = 3 };
	uint64_t head[HEAD], each[EACH];

	if (size < sizeof(head))
		return;
	memcpy(head, data, sizeof(head));
	if (head[0] > (size - sizeof(head)) / sizeof(each))
		return;
	const char *path = data + sizeof(head) + head[0] * sizeof(each), *end = data + size, *after;
	for (uint64_t i = 0; i < head[0]; i++, path = after + 1) {
		after = memchr(path, '\0', (size_t)(end - path));
		if (!after)
			return;
		memcpy(each, data + sizeof(head) + i * sizeof(each), sizeof(each));
		if (each[0] < each[1] && each[2] < UINT64_MAX / PAGE && *path)
			mapping_add(target, each[0], each[1], each[2] * head[1], path);
	}
}

static void note(struct target *target, uint32_t type, const char *data, size_t size)
{
	struct elf_prpsinfo process;

	switch (type) {
	case NT_PRSTATUS:
		note_thread(target, data, size);
		break;
	case NT_FPREGSET:
		note_vectors(target, data, size);
		break;
	case NT_AUXV:
		note_auxiliary(target, data, size);
		break;
	case NT_FILE:
		note_files(target, data, size);
		break;
	case NT_PRPSINFO:
		if (size >= sizeof(process)) {
			memcpy(&process, data, sizeof(process));
			target->pid = target->end.process = process.pr_pid;
			target->core_user = process.pr_uid;
			target->core_group = process.pr_gid;
		}
		break;
	case NT_SIGINFO:
		if (size >= sizeof(target->end.info) && !target->end.has_info) {
			memcpy(&target->end.info, data, sizeof(target->end.info));
			target->end.has_info = true;
		}
		break;
	default:
		break;
	}
}

static void read_notes(struct target *target, const Elf64_Phdr *header)
{
	static const char owner[] = "CORE";
	size_t size = header->p_filesz > MAX_NOTES ? MAX_NOTES : header->p_filesz, at = 0;

	if (header->p_offset >= target->core_size)
		return;
	if (size > target->core_size - header->p_offset)
		size = target->core_size - header->p_offset;
	char *notes = malloc(size + 1);
	if (!notes)
		return;
	size = read_file(target, header->p_offset, notes, size);
	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr head;

		memcpy(&head, notes + at, sizeof(head));
		at += sizeof(head);
		size_t name = ((size_t)head.n_namesz + 3) & ~(size_t)3;
		size_t data = ((size_t)head.n_descsz + 3) & ~(size_t)3;
		if (name > size - at || head.n_descsz > size - at - name)
			break;
		if (head.n_namesz == sizeof(owner) && !memcmp(notes + at, owner, sizeof(owner)))
			note(target, head.n_type, notes + at + name, head.n_descsz);
		if (data > size - at - name)
			break;
		at += name + data;
	}
	free(notes);
}

// ---- Headers ---------------------------------------------------------------------------------

static void add_segment(struct target *target, const Elf64_Phdr *header)
{
	if (!header->p_memsz || header->p_vaddr + header->p_memsz < header->p_vaddr)
		return;
	if (header->p_flags & PF_X)
		executable_add(target, header->p_vaddr, header->p_vaddr + header->p_memsz);
	struct segment *segment = GROW(target->segments, target->num_segments);
	*segment = (struct segment){
		.start = header->p_vaddr,
		.end = header->p_vaddr + header->p_memsz,
		.held = header->p_filesz < header->p_memsz ? header->p_filesz : header->p_memsz,
		.offset = header->p_offset,
	};
}

/** Sort them; of segments that overlap, which no program has, the first stays. */
static void sort_segments(struct target *target)
{
	size_t kept = 0;

	if (!target->num_segments)
		return;
	RANGES_SORT(target->segments, target->num_segments);
	for (size_t i = 1; i < target->num_segments; i++) {
		if (target->segments[i].start >= target->segments[kept].end)
			target->segments[++kept] = target->segments[i];
	}
	target->num_segments = kept + 1;
}

static int check_header(const struct target *target, Elf64_Ehdr *header, struct target_error *error)
{
	if (read_file(target, 0, header, sizeof(*header)) != sizeof(*header) ||
	    memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return fail(error, "not a core file");
	// The type comes before what differs from one class to the other.
	bool is_big = header->e_ident[EI_DATA] == ELFDATA2MSB;
	uint16_t type = is_big ? __builtin_bswap16(header->e_type) : header->e_type;
	uint16_t machine = is_big ? __builtin_bswap16(header->e_machine) : header->e_machine;
	if (type != ET_CORE)
		return fail(error, "not a core file but %s",
			    type == ET_EXEC || type == ET_DYN ? "a program or library" :
								"another ELF file");
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || is_big || machine != EM_X86_64)
		return fail(error,
			    "the core file has an unsupported architecture (ELF machine %u;"
			    " expected x86-64)",
			    machine);
	if (header->e_phentsize != sizeof(Elf64_Phdr))
		return fail(error, "the core file is damaged: its headers have no known size");
	return 0;
}

/** More headers than the field can count are counted by the first section's. */
static size_t count_headers(const struct target *target, const Elf64_Ehdr *header)
{
	Elf64_Shdr section;

	if (header->e_phnum != PN_XNUM)
		return header->e_phnum;
	if (read_file(target, header->e_shoff, &section, sizeof(section)) != sizeof(section))
		return 0;
	return section.sh_info < MAX_SEGMENTS ? section.sh_info : MAX_SEGMENTS;
}

int core_init(struct target *target, struct target_error *error)
{
	struct stat status;
	Elf64_Ehdr header = { 0 };
	Elf64_Phdr segment;

	target->end.signal = -1;
	if (fstat(target->core, &status) != 0)
		return fail(error, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return fail(error, "not a core file");
	target->core_size = (uint64_t)status.st_size;
	if (check_header(target, &header, error) < 0)
		return -1;
	size_t count = count_headers(target, &header);
	for (size_t i = 0; i < count; i++) {
		uint64_t at = header.e_phoff + i * sizeof(segment);

		if (read_file(target, at, &segment, sizeof(segment)) != sizeof(segment))
			break;
		if (segment.p_type == PT_LOAD)
			add_segment(target, &segment);
		else if (segment.p_type == PT_NOTE)
			read_notes(target, &segment);
	}
	sort_segments(target);
	target->owner = owner_of_core(target->core, target->core_user, target->core_group);
	if (!target->num_threads)
		return fail(error, "the core file lists no threads: it is truncated or damaged");
	return 0;
}

bool target_is_truncated(const struct target *target)
{
	for (size_t i = 0; target->core >= 0 && i < target->num_segments; i++) {
		const struct segment *segment = &target->segments[i];

		if (segment->held && (segment->offset > target->core_size ||
				      segment->held > target->core_size - segment->offset))
			return true;
	}
	return false;
}

const struct target_end *target_end(const struct target *target)
{
	return &target->end;
}
