// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public interface (ompdbg/target.h).

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What libompdbg.so exports.
#pragma GCC visibility push(default)
#include "ompdbg/target.h"
#pragma GCC visibility pop
#include "base/regular_file.h"
#include "services.h"

struct ompdbg_target {
	int file; // the core file; -1: a process
	struct target *target;
	const struct ompdbg_services *services;
};

/** Give the opened target its services. */
static struct ompdbg_error *finish(struct ompdbg_target *opened, pid_t pid,
				   const struct target_error *reason, struct ompdbg_target **ret)
{
	struct ompdbg_error *error;

	if (!opened->target)
		error = ompdbg_error_create(OMPDBG_FAILED, "%s", reason->text);
	else
		error = target_services_create(opened->target, pid, &opened->services);
	if (error) {
		ompdbg_target_close(opened);
		return error;
	}
	*ret = opened;
	return NULL;
}

static struct ompdbg_target *create(int file)
{
	struct ompdbg_target *opened = calloc(1, sizeof(*opened));

	if (opened)
		opened->file = file;
	else if (file >= 0)
		close(file);
	return opened;
}

struct ompdbg_error *ompdbg_target_open_core(const char *path, const char *program,
					     const char *sysroot, struct ompdbg_target **ret)
{
	struct target_places places = { program, sysroot };
	struct target_error reason;
	int file = open_regular_file(path);

	if (file < 0)
		return ompdbg_error_create(OMPDBG_FAILED, "%s: %s", path, strerror(errno));
	struct ompdbg_target *opened = create(file);
	if (!opened)
		return &ompdbg_error_no_memory;
	opened->target = target_open_core(file, &places, &reason);
	return finish(opened, 0, &reason, ret);
}

struct ompdbg_error *ompdbg_target_attach(int pid, const char *program, const char *sysroot,
					  struct ompdbg_target **ret)
{
	struct target_places places = { program, sysroot };
	struct target_error reason;
	struct ompdbg_target *opened = create(-1);

	if (!opened)
		return &ompdbg_error_no_memory;
	opened->target = target_attach(pid, &places, &reason);
	return finish(opened, pid, &reason, ret);
}

void ompdbg_target_close(struct ompdbg_target *target)
{
	if (!target)
		return;
	target_services_destroy(target->services);
	if (target->target)
		target_close(target->target);
	if (target->file >= 0)
		close(target->file);
	free(target);
}

const struct ompdbg_services *ompdbg_target_services(const struct ompdbg_target *target)
{
	return target->services;
}
