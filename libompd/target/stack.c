// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the stack of a thread lies. glibc tells the end of the first thread's; any other thread has
// its struct pthread at the end of its own, and the block of memory for both is noted in there.
// No descriptor names that place: it is the only pair of words that fits.

#include "target/nptl.h"

enum {
	PTHREAD_MAX = 1 << 14, // bytes of a struct pthread
	BEYOND_MAX = 1 << 16,  // of what lies between its end and the block's, aligned
};

// The kernel keeps at least this much below the first thread's stack free of all else, whatever
// the limit of the stack is (mmap_base).
static const uint64_t initial_max = UINT64_C(128) << 20;

static bool is_block(uint64_t block, uint64_t size, uint64_t pthread, uint32_t pthread_size)
{
	uint64_t end = block + size;

	return size < block && block < pthread && end >= pthread + pthread_size &&
	       end <= pthread + pthread_size + BEYOND_MAX;
}

// unavailable: no pair of words fits, or several do.
static ompd_rc_t find_block(const struct target *target, uint64_t pthread, uint32_t size,
			    uint64_t *ret)
{
	uint8_t *bytes = target_alloc(target, size);
	unsigned int found = 0;

	if (!bytes)
		return ompd_rc_nomem;
	ompd_rc_t rc = target_read(target, pthread, bytes, size);

	for (uint32_t at = 0; rc == ompd_rc_ok && at + 16 <= size; at += 8) {
		uint64_t block = target_uint(bytes + at, 8);

		if (!is_block(block, target_uint(bytes + at + 8, 8), pthread, size))
			continue;
		*ret = block;
		found++;
	}
	target_free(target, bytes);
	return rc == ompd_rc_ok && found != 1 ? ompd_rc_unavailable : rc;
}

ompd_rc_t nptl_stack(const struct nptl *nptl, const struct target *target, uint64_t pthread,
		     struct nptl_stack *ret)
{
	uint64_t address, size;
	bool initial;
	ompd_rc_t rc = nptl_is_initial(nptl, target, pthread, &initial);

	if (rc != ompd_rc_ok)
		return rc;
	if (initial) {
		rc = target_symbol(target, "__libc_stack_end", NULL, &address);
		if (rc == ompd_rc_ok)
			rc = target_read_pointer(target, address, &ret->end);
		ret->start = ret->end - initial_max;
		return rc;
	}
	rc = target_symbol(target, "_thread_db_sizeof_pthread", NULL, &address);
	if (rc == ompd_rc_ok)
		rc = target_read_uint(target, address, 4, &size);
	if (rc == ompd_rc_ok && size > PTHREAD_MAX)
		return ompd_rc_unavailable;
	ret->end = pthread;
	return rc == ompd_rc_ok ? find_block(target, pthread, (uint32_t)size, &ret->start) : rc;
}
