// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "owner.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "proc.h"

enum { FILE_SYSTEM = 3 /* which of the numbers in the lines Uid and Gid */ };
enum { LONGEST_LINE = OWNER_GROUPS * 11 };

/** Check for a number in a line of /proc. */
static bool is_id(int64_t number)
{
	return number >= 0 && number < UINT32_MAX;
}

static struct target_owner *owner_create(uid_t user, gid_t group)
{
	struct target_owner *owner = calloc(1, sizeof(*owner));

	if (!owner)
		abort();
	owner->user = user;
	owner->group = group;
	return owner;
}

struct target_owner *owner_of_process(pid_t pid)
{
	int64_t user = proc_status_number(pid, "Uid", FILE_SYSTEM, 10);
	int64_t group = proc_status_number(pid, "Gid", FILE_SYSTEM, 10);
	char line[LONGEST_LINE], *at = line, *end;

	if (geteuid() != 0 || user == 0)
		return NULL;
	// It has ended: nobody's rights are enough.
	if (!is_id(user) || !is_id(group))
		return owner_create(UINT_MAX, UINT_MAX);
	struct target_owner *owner = owner_create((uid_t)user, (gid_t)group);
	if (!proc_status(pid, "Groups", line, sizeof(line)))
		return owner;
	// The last number of a line that was cut may be the front of a longer one.
	while (owner->num_groups < OWNER_GROUPS) {
		gid_t next = (gid_t)strtoul(at, &end, 10);
		if (end == at || !*end)
			break;
		owner->groups[owner->num_groups++] = next;
		at = end;
	}
	return owner;
}

struct target_owner *owner_of_core(int file, uid_t user, gid_t group)
{
	struct stat status;

	if (geteuid() != 0)
		return NULL;
	if (fstat(file, &status) == 0 && status.st_uid != 0)
		return owner_create(status.st_uid, status.st_gid);
	return user ? owner_create(user, group) : NULL;
}

// ---- The rights of this thread -----------------------------------------------------------------

/** Change what the kernel asks of this thread when it opens a file; the C library's functions would
 *  change all threads. */
static bool become(uid_t user, gid_t group, const gid_t *groups, size_t num_groups)
{
	if (syscall(SYS_setgroups, num_groups, groups) != 0)
		return false;
	syscall(SYS_setfsgid, group);
	syscall(SYS_setfsuid, user);
	return (gid_t)syscall(SYS_setfsgid, -1) == group &&
	       (uid_t)syscall(SYS_setfsuid, -1) == user;
}

int owner_open(const struct target_owner *owner, const char *path)
{
	int death_signal = 0, number = EACCES, file = -1;

	if (!owner)
		return open_regular_file(path);
	int count = getgroups(0, NULL);
	gid_t *groups = count < 0 ? NULL : calloc((size_t)count + 1, sizeof(*groups));
	if (!groups || getgroups(count, groups) != count) {
		free(groups);
		errno = EACCES;
		return -1;
	}
	// The kernel forgets these when the user changes.
	int can_dump = prctl(PR_GET_DUMPABLE);
	prctl(PR_GET_PDEATHSIG, &death_signal);
	if (owner->user != UINT_MAX &&
	    become(owner->user, owner->group, owner->groups, owner->num_groups)) {
		file = open_regular_file(path);
		number = errno;
	}
	syscall(SYS_setfsuid, geteuid());
	syscall(SYS_setfsgid, getegid());
	syscall(SYS_setgroups, (size_t)count, groups);
	prctl(PR_SET_DUMPABLE, can_dump == 1);
	prctl(PR_SET_PDEATHSIG, death_signal);
	free(groups);
	errno = number;
	return file;
}
