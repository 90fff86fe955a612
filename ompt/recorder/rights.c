// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions by which a program gives up rights, or changes them. To the kernel, rights are a thread's: the
// C library makes the same call in all threads that it knows. The writer is none of these, and makes it
// before the function returns.

#include <dlfcn.h>
#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spill.h"
#include "spill_system.h"

#define PUBLIC __attribute__((visibility("default")))
#define SAME ((long)-1)

/** The C library's functions, or those of another library before it. */
static struct {
	__typeof__(setuid) *setuid, *seteuid;
	__typeof__(setgid) *setgid, *setegid;
	__typeof__(setreuid) *setreuid;
	__typeof__(setregid) *setregid;
	__typeof__(setresuid) *setresuid;
	__typeof__(setresgid) *setresgid;
	__typeof__(setgroups) *setgroups;
	__typeof__(initgroups) *initgroups;
} next;

/** Find a function. */
static void find(void *place, const char *name)
{
	*(void **)place = dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void find_all(void)
{
	find(&next.setuid, "setuid");
	find(&next.seteuid, "seteuid");
	find(&next.setreuid, "setreuid");
	find(&next.setresuid, "setresuid");
	find(&next.setgid, "setgid");
	find(&next.setegid, "setegid");
	find(&next.setregid, "setregid");
	find(&next.setresgid, "setresgid");
	find(&next.setgroups, "setgroups");
	find(&next.initgroups, "initgroups");
}

/** Find a function that another library's constructor calls before this one's. */
#define NEXT(name) (next.name ? next.name : (find_all(), next.name))

/** State to restore after a call. */
struct change {
	bool is_followed;
	sigset_t mask;
};

/** Begin a call: no other thread and no handler makes one meanwhile. */
static struct change begin(void)
{
	struct change change;
	sigset_t all;

	// The C library's signal for such calls stays unblocked.
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &change.mask);
	change.is_followed = spill_lock_rights();
	return change;
}

/** End a call that has returned a result; the writer follows with a system call. */
static int end(const struct change *change, int result, long number, long a, long b, long c)
{
	if (change->is_followed) {
		if (result == 0)
			spill_follow(number, a, b, c);
		spill_unlock_rights();
	}
	pthread_sigmask(SIG_SETMASK, &change->mask, NULL);
	return result;
}

PUBLIC int setuid(uid_t user)
{
	struct change change = begin();

	return end(&change, NEXT(setuid)(user), SYS_setuid, user, 0, 0);
}

PUBLIC int seteuid(uid_t user)
{
	struct change change = begin();

	return end(&change, NEXT(seteuid)(user), SYS_setresuid, SAME, user, SAME);
}

PUBLIC int setreuid(uid_t real, uid_t effective)
{
	struct change change = begin();

	return end(&change, NEXT(setreuid)(real, effective), SYS_setreuid, real, effective, 0);
}

PUBLIC int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	struct change change = begin();

	return end(&change, NEXT(setresuid)(real, effective, saved), SYS_setresuid, real, effective,
		   saved);
}

PUBLIC int setgid(gid_t group)
{
	struct change change = begin();

	return end(&change, NEXT(setgid)(group), SYS_setgid, group, 0, 0);
}

PUBLIC int setegid(gid_t group)
{
	struct change change = begin();

	return end(&change, NEXT(setegid)(group), SYS_setresgid, SAME, group, SAME);
}

PUBLIC int setregid(gid_t real, gid_t effective)
{
	struct change change = begin();

	return end(&change, NEXT(setregid)(real, effective), SYS_setregid, real, effective, 0);
}

PUBLIC int setresgid(gid_t real, gid_t effective, gid_t saved)
{
	struct change change = begin();

	return end(&change, NEXT(setresgid)(real, effective, saved), SYS_setresgid, real, effective,
		   saved);
}

PUBLIC int setgroups(size_t count, const gid_t *groups)
{
	struct change change = begin();

	return end(&change, NEXT(setgroups)(count, groups), SYS_setgroups, (long)count,
		   POINTER(groups), 0);
}

PUBLIC int initgroups(const char *user, gid_t group)
{
	struct change change = begin();
	int result = NEXT(initgroups)(user, group);
	int count = result == 0 ? getgroups(0, NULL) : 0;
	size_t size = (size_t)(count > 0 ? count : 1) * sizeof(gid_t);
	gid_t *groups =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	// Without memory, the writer fails to follow, and ends.
	if (groups != MAP_FAILED)
		count = getgroups(count, groups);
	result = end(&change, result, SYS_setgroups, count, POINTER(groups), 0);
	if (groups != MAP_FAILED)
		munmap(groups, size);
	return result;
}
