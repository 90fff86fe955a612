// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's array of threads: every thread is in it under its gtid, for as long as the runtime
// knows it.

#include "kmp/kmp.h"

// Refuse that there is no array, if there must be one: the runtime makes it before it says that it is
// initialized, and says that it is not before it gives the array back (__kmp_cleanup). Stacks have a
// size from the start.
static ompd_rc_t check_without(const struct runtime *runtime)
{
	static const enum kmp_global steps[] = {
		KMP_GLOBAL___kmp_init_serial,
		KMP_GLOBAL___kmp_init_middle,
		KMP_GLOBAL___kmp_init_parallel,
	};
	uint64_t value;
	ompd_rc_t rc;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		rc = kmp_read_global(runtime, steps[i], 4, &value);
		if (rc == ompd_rc_ok && value)
			return reason(ompd_rc_error,
				      "memory of %s is damaged: it is initialized, and its list of "
				      "threads is gone",
				      runtime->name);
		if (rc != ompd_rc_ok && rc != ompd_rc_unsupported)
			return rc;
	}
	rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_stksize, 8, &value);
	if (rc == ompd_rc_ok && !value)
		return reason(ompd_rc_error,
			      "memory of %s is damaged: variables are zero that never are",
			      runtime->name);
	return rc == ompd_rc_unsupported ? ompd_rc_ok : rc;
}

// Read where the array is: nowhere until the runtime is initialized.
static ompd_rc_t read_array(const struct runtime *runtime, uint64_t *ret)
{
	ompd_rc_t rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_threads, 8, ret);

	if (rc == ompd_rc_ok)
		runtime->seen->list = *ret;
	return rc;
}

// The array, and how many elements it has.
static ompd_rc_t read_threads(const struct runtime *runtime, uint64_t *array, uint64_t *count)
{
	ompd_rc_t rc = read_array(runtime, array);

	if (rc == ompd_rc_ok)
		rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_threads_capacity, 4, count);
	if (rc != ompd_rc_ok)
		return rc;
	if (*count > KMP_MAX_THREADS)
		return reason(ompd_rc_error, "the runtime's number of threads is damaged");
	if (*array && *count)
		return ompd_rc_ok;
	*count = 0;
	return check_without(runtime);
}

ompd_rc_t kmp_thread_at(const struct runtime *runtime, uint64_t gtid, uint64_t *ret)
{
	uint64_t array, count;
	ompd_rc_t rc = read_threads(runtime, &array, &count);

	if (rc == ompd_rc_ok && gtid >= count)
		return ompd_rc_unavailable;
	return rc == ompd_rc_ok ? kmp_read_element(runtime, array, gtid, ret) : rc;
}

ompd_rc_t kmp_next_listed(const struct runtime *runtime, uint64_t *gtid, uint64_t *ret)
{
	uint64_t array, count;
	ompd_rc_t rc = read_threads(runtime, &array, &count);

	for (; rc == ompd_rc_ok && *gtid < count; ++*gtid) {
		rc = kmp_read_element(runtime, array, *gtid, ret);
		if (rc == ompd_rc_ok && *ret) {
			++*gtid;
			return ompd_rc_ok;
		}
	}
	return rc == ompd_rc_ok ? ompd_rc_unavailable : rc;
}

// Look through all threads, and remember where each was.
static ompd_rc_t search(const struct runtime *runtime, uint64_t pthread, uint64_t *ret)
{
	struct idmap threads = { 0 };
	uint64_t array, count, thread, found;
	bool known = false, damaged = false;
	ompd_rc_t rc = read_threads(runtime, &array, &count);

	// No thread is at 0; but the map is never empty, and so takes the same blocks of memory.
	if (rc == ompd_rc_ok)
		rc = idmap_add(&threads, &runtime->target, 0, 0, NULL);
	for (uint64_t gtid = 0; rc == ompd_rc_ok && gtid < count; gtid++) {
		rc = kmp_read_element(runtime, array, gtid, &thread);
		if (rc != ompd_rc_ok || !thread)
			continue;
		if (kmp_read_pthread(runtime, thread, &found) != ompd_rc_ok) {
			damaged = true;
			continue;
		}
		rc = idmap_add(&threads, &runtime->target, found, thread, NULL);
		if (found == pthread && !known) {
			*ret = thread;
			known = true;
		}
	}
	if (rc != ompd_rc_ok) {
		idmap_close(&threads, &runtime->target);
		return rc;
	}
	idmap_close(&runtime->seen->threads, &runtime->target);
	runtime->seen->threads = threads;
	runtime->seen->searched = array;
	if (known)
		return ompd_rc_ok;
	return damaged ? reason(ompd_rc_error, "a thread of the runtime cannot be read") :
			 ompd_rc_unavailable;
}

// Find a thread where it was seen last. unavailable: it is not there.
static ompd_rc_t look_where_seen(const struct runtime *runtime, uint64_t pthread,
				 struct thread *ret)
{
	*ret = (struct thread){ .pthread = pthread, .list = runtime->seen->searched };
	if (!ret->list || !idmap_find(&runtime->seen->threads, pthread, &ret->address))
		return ompd_rc_unavailable;
	return kmp_thread_again(runtime, ret, THREAD_PLACE);
}

ompd_rc_t kmp_thread_of_pthread(const struct runtime *runtime, uint64_t pthread, struct thread *ret)
{
	uint64_t address;

	if (look_where_seen(runtime, pthread, ret) == ompd_rc_ok)
		return ompd_rc_ok;
	ompd_rc_t rc = search(runtime, pthread, &address);

	if (rc == ompd_rc_unavailable)
		return reason(rc, "the thread has not used OpenMP");
	return rc == ompd_rc_ok ? kmp_read_thread(runtime, address, ret) : rc;
}
