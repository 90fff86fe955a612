// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "target/nptl.h"

#include "target/reason.h"

// A descriptor is three 32-bit words: bits per element, number of elements, offset in bytes.
static ompd_rc_t read_descriptor(const struct target *target, const char *name, uint32_t *offset)
{
	uint64_t address, value;
	ompd_rc_t rc = target_symbol(target, name, NULL, &address);

	if (rc == ompd_rc_ok)
		rc = target_read_uint(target, address + 8, 4, &value);
	if (rc == ompd_rc_ok)
		*offset = value;
	return rc;
}

// Find the heads of the lists: members of ld.so's _rtld_global (glibc 2.34 and later), variables of
// their own in a static program, or libpthread's in older releases.
static uint64_t find_list(const struct target *target, const char *member, const char *variable,
			  const char *old_variable)
{
	uint64_t address;
	uint32_t offset;

	if (target_symbol(target, "_rtld_global", NULL, &address) == ompd_rc_ok &&
	    read_descriptor(target, member, &offset) == ompd_rc_ok)
		return address + offset;
	if (target_symbol(target, variable, NULL, &address) == ompd_rc_ok)
		return address;
	if (target_symbol(target, old_variable, NULL, &address) == ompd_rc_ok)
		return address;
	return 0;
}

void nptl_init(struct nptl *nptl, const struct target *target)
{
	*nptl = (struct nptl){ .available = false };
	if (read_descriptor(target, "_thread_db_pthread_tid", &nptl->tid_offset) != ompd_rc_ok ||
	    read_descriptor(target, "_thread_db_pthread_list", &nptl->list_offset) != ompd_rc_ok ||
	    read_descriptor(target, "_thread_db_pthread_start_routine", &nptl->start_offset) !=
		    ompd_rc_ok ||
	    read_descriptor(target, "_thread_db_list_t_next", &nptl->next_offset) != ompd_rc_ok)
		return;
	nptl->list_heads[0] = find_list(target, "_thread_db_rtld_global__dl_stack_used",
					"_dl_stack_used", "stack_used");
	nptl->list_heads[1] = find_list(target, "_thread_db_rtld_global__dl_stack_user",
					"_dl_stack_user", "__stack_user");
	nptl->available = true;
}

ompd_rc_t nptl_tid(const struct nptl *nptl, const struct target *target, uint64_t pthread,
		   uint32_t *ret)
{
	uint64_t tid;

	if (!nptl->available)
		return ompd_rc_unavailable;
	ompd_rc_t rc = target_read_uint(target, pthread + nptl->tid_offset, 4, &tid);

	if (rc == ompd_rc_ok)
		*ret = tid;
	return rc;
}

// The struct rseq of the kernel's interface (linux/rseq.h) lies __rseq_offset behind the thread
// pointer, which on this machine is the address of struct pthread.
ompd_rc_t nptl_processor(const struct target *target, uint64_t pthread, uint32_t *ret)
{
	enum { CPU_ID = 4, NO_CPU = 1 << 30 };
	uint64_t size_at, offset_at, size, offset, cpu;

	if (target_symbol(target, "__rseq_size", NULL, &size_at) != ompd_rc_ok ||
	    target_symbol(target, "__rseq_offset", NULL, &offset_at) != ompd_rc_ok)
		return ompd_rc_unavailable;
	ompd_rc_t rc = target_read_uint(target, size_at, 4, &size);

	if (rc == ompd_rc_ok && size == 0)
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = target_read_uint(target, offset_at, 8, &offset);
	if (rc == ompd_rc_ok)
		rc = target_read_uint(target, pthread + offset + CPU_ID, 4, &cpu);
	if (rc == ompd_rc_ok && cpu >= NO_CPU) // negative until it is registered
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*ret = (uint32_t)cpu;
	return rc;
}

ompd_rc_t nptl_is_initial(const struct nptl *nptl, const struct target *target, uint64_t pthread,
			  bool *ret)
{
	uint64_t start;
	uint32_t tid = 0;

	if (!nptl->available)
		return ompd_rc_unavailable;
	ompd_rc_t rc = target_read_pointer(target, pthread + nptl->start_offset, &start);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = start == 0;
	if (!*ret)
		return ompd_rc_ok;
	// A core whose writer could not read a stack may have zeros there instead.
	rc = nptl_tid(nptl, target, pthread, &tid);
	return rc == ompd_rc_ok && tid == 0 ? ompd_rc_error : rc;
}

ompd_rc_t nptl_argument(const struct nptl *nptl, const struct target *target, uint64_t pthread,
			uint64_t *ret)
{
	if (!nptl->available)
		return ompd_rc_unavailable;
	return target_read_pointer(target, pthread + nptl->start_offset + 8, ret);
}

ompd_rc_t nptl_next(const struct nptl *nptl, const struct target *target,
		    struct nptl_cursor *cursor, uint64_t *ret)
{
	if (!nptl->available)
		return ompd_rc_unavailable;
	for (; cursor->list < 2; cursor->list++, cursor->node = 0) {
		uint64_t head = nptl->list_heads[cursor->list];
		bool begun = cursor->node != 0;
		uint64_t node = begun ? cursor->node : head;

		// The list was not found.
		if (head == 0) {
			cursor->damaged = true;
			continue;
		}
		if (target_read_pointer(target, node + nptl->next_offset, &node) != ompd_rc_ok) {
			cursor->damaged = true;
			continue;
		}
		if (!begun)
			cursor->cycle = (struct cycle){ 0 };
		// An uninitialised list (too early in the process) has a null head.
		if (node == head || (node == 0 && !begun))
			continue;
		if (node == 0 || cycle_closed(&cursor->cycle, node)) {
			cursor->damaged = true;
			continue;
		}
		cursor->node = node;
		*ret = node - nptl->list_offset;
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

// Read what a walk needs of a thread at once: its id is beside its links.
static void view_thread(const struct nptl *nptl, const struct target *target, uint64_t pthread)
{
	const uint64_t link = (uint64_t)nptl->list_offset + nptl->next_offset;
	const uint64_t tid = nptl->tid_offset;
	const uint64_t start = link < tid ? link : tid;
	const uint64_t end = link + 8 > tid + 4 ? link + 8 : tid + 4;

	target_view(target, pthread + start, end - start);
}

// Whoever asks for one thread by its kernel id asks for the others, too: they are found on the way.
ompd_rc_t nptl_find(const struct nptl *nptl, const struct target *target, struct nptl_known *known,
		    uint32_t tid, uint64_t *ret)
{
	struct nptl_cursor cursor = { 0 };
	uint64_t pthread = known->pthreads[tid % NPTL_KNOWN], wanted = 0;
	uint32_t id;

	// The kernel clears the id of a thread that ends.
	if (tid && pthread && nptl_tid(nptl, target, pthread, &id) == ompd_rc_ok && id == tid) {
		*ret = pthread;
		return ompd_rc_ok;
	}
	while (nptl_next(nptl, target, &cursor, &pthread) == ompd_rc_ok) {
		view_thread(nptl, target, pthread);
		if (nptl_tid(nptl, target, pthread, &id) != ompd_rc_ok) {
			cursor.damaged = true;
			continue;
		}
		known->pthreads[id % NPTL_KNOWN] = pthread;
		if (id == tid && !wanted)
			wanted = pthread;
	}
	if (tid && wanted) {
		*ret = wanted;
		return ompd_rc_ok;
	}
	return cursor.damaged ? reason(ompd_rc_error, "glibc's list of threads is damaged") :
				ompd_rc_unavailable;
}
