// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rights with which files are read that a program's debug information names: those of the program. Root
// looks at programs of others, who must not choose which of root's files are shown.

#ifndef OMPDBG_OWNER_H
#define OMPDBG_OWNER_H

#include <stddef.h>
#include <sys/types.h>

enum { OWNER_GROUPS = 256 }; // further ones are left out, which are rights less

/** A user other than root, with groups. */
struct target_owner {
	uid_t user;
	gid_t group;
	gid_t groups[OWNER_GROUPS];
	size_t num_groups;
};

/** Find the owner of a process. @return NULL: root's own, or this process is not root. */
struct target_owner *owner_of_process(pid_t pid);
/** Find the owner of a core file: of the file, or else of the process. @return NULL: as above. */
struct target_owner *owner_of_core(int file, uid_t user, gid_t group);
/** Open a regular file to read it, as its owner may; NULL: as this process may. @return a descriptor, or -1
 *  with errno. */
int owner_open(const struct target_owner *owner, const char *path);

#endif
