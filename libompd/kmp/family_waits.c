// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API's operations on what threads of LLVM's runtime wait for, or share.

#include "kmp/family.h"

static ompd_rc_t barrier_info(const struct family_runtime *runtime,
			      const struct family_region *region, ompd_ext_barrier_info *ret)
{
	(void)runtime;
	(void)region;
	(void)ret;
	return reason(ompd_rc_unavailable,
		      "threads that gather others at a barrier are not counted "
		      "before these have come");
}

static ompd_rc_t ordered_turn(const struct family_runtime *runtime,
			      const struct family_thread *thread, int *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_ordered_turn(of_runtime(runtime), &read, ret) : rc;
}

static ompd_rc_t loop_info(const struct family_runtime *runtime, const struct family_thread *thread,
			   ompd_ext_loop_info *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_loop_info(of_runtime(runtime), &read, ret) : rc;
}

static ompd_rc_t lock_info(const struct family_runtime *runtime, uint32_t kind, uint64_t address,
			   ompd_ext_lock_info *ret)
{
	return kmp_lock_info(of_runtime(runtime), kind, address, ret);
}

static ompd_rc_t classify_call(struct family_runtime *runtime, uint64_t return_address,
			       ompd_ext_wait_site *site)
{
	return kmp_classify_call((struct kmp_runtime *)runtime, return_address, site);
}

static ompd_rc_t classify_entry(struct family_runtime *runtime, uint64_t entry,
				ompd_ext_wait_site *site)
{
	return kmp_classify_entry((struct kmp_runtime *)runtime, entry, site);
}

static ompd_rc_t lock_argument(struct family_runtime *runtime, uint64_t return_address,
			       ompd_ext_argument *ret)
{
	return kmp_lock_argument((struct kmp_runtime *)runtime, return_address, ret);
}

static ompd_rc_t confirm_lock(const struct family_runtime *runtime,
			      const struct family_thread *thread, uint32_t kind, uint64_t variable,
			      const uint64_t *in_use, size_t in_use_count)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_confirm_lock(of_runtime(runtime), &read, kind, variable,
						   in_use, in_use_count) :
				  rc;
}

static ompd_rc_t classify_futex(const struct family_runtime *runtime,
				const struct family_thread *thread, uint64_t futex,
				ompd_ext_wait_site *site)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_classify_futex(of_runtime(runtime), &read, futex, site) : rc;
}

const struct family_waits kmp_family_waits = {
	.barrier_info = barrier_info,
	.ordered_turn = ordered_turn,
	.loop_info = loop_info,
	.lock_info = lock_info,
	.lock_argument = lock_argument,
	.confirm_lock = confirm_lock,
	.classify_call = classify_call,
	.classify_entry = classify_entry,
	.classify_futex = classify_futex,
};
