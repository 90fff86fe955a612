// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-local storage, by libthread_db: it knows how the C library of its own version keeps it,
// and asks for memory, symbols and registers with the functions below that begin with ps_.

#include "internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/user.h>
#include <thread_db.h>

// libthread_db looks for what is declared there.
#pragma GCC visibility push(default)
#include <proc_service.h>
#pragma GCC visibility pop

enum { PROGRAM_MODULE = 1 };

/** The target, under libthread_db's name for it. */
struct ps_prochandle {
	struct target *target;
	td_thragent_t *agent;
};

pid_t ps_getpid(struct ps_prochandle *handle)
{
	return handle->target->pid;
}

ps_err_e ps_pdread(struct ps_prochandle *handle, void *address, void *buffer, size_t size)
{
	return target_read(handle->target, (uintptr_t)address, buffer, size) == size ? PS_OK :
										       PS_ERR;
}

/** Nothing is ever written. */
ps_err_e ps_pdwrite(struct ps_prochandle *handle, void *address, const void *data, size_t size)
{
	(void)handle, (void)address, (void)data, (void)size;
	return PS_ERR;
}

/**
 * Check whether a file may have what libthread_db looks for: it is the program, perhaps a static
 * one, or has one of the names that the library of threads has had.
 */
static bool is_of_threads(const struct mapped_file *file, const char *object)
{
	const char *last = strrchr(file->path, '/');
	const char *name = last ? last + 1 : file->path;

	return file->told.is_program || strcmp(name, "libc.so.6") == 0 ||
	       strncmp(name, "libc-2.", 7) == 0 || strncmp(name, "libpthread", 10) == 0 ||
	       (object && strcmp(name, object) == 0);
}

ps_err_e ps_pglobal_lookup(struct ps_prochandle *handle, const char *object, const char *name,
			   void **ret)
{
	struct target *target = handle->target;
	uint64_t address;

	for (size_t i = 0; i < target->num_files; i++) {
		if (!is_of_threads(&target->files[i], object) ||
		    !target_symbol_named(target, i, name, &address))
			continue;
		*ret = (void *)(uintptr_t)address;
		return PS_OK;
	}
	return PS_NOSYM;
}

static const struct thread *thread_of(const struct target *target, lwpid_t lwp)
{
	for (size_t i = 0; i < target->num_threads; i++) {
		if (target->threads[i].lwp == lwp && target->threads[i].has_registers)
			return &target->threads[i];
	}
	return NULL;
}

ps_err_e ps_lgetregs(struct ps_prochandle *handle, lwpid_t lwp, prgregset_t ret)
{
	const struct thread *thread = thread_of(handle->target, lwp);

	if (!thread)
		return PS_BADLID;
	memcpy(ret, thread->registers, sizeof(thread->registers));
	return PS_OK;
}

ps_err_e ps_lsetregs(struct ps_prochandle *handle, lwpid_t lwp, const prgregset_t values)
{
	(void)handle, (void)lwp, (void)values;
	return PS_ERR;
}

ps_err_e ps_lgetfpregs(struct ps_prochandle *handle, lwpid_t lwp, prfpregset_t *ret)
{
	(void)handle, (void)lwp, (void)ret;
	return PS_ERR;
}

ps_err_e ps_lsetfpregs(struct ps_prochandle *handle, lwpid_t lwp, const prfpregset_t *values)
{
	(void)handle, (void)lwp, (void)values;
	return PS_ERR;
}

/** Return the register that points to the thread's own data. */
ps_err_e ps_get_thread_area(struct ps_prochandle *handle, lwpid_t lwp, int index, void **ret)
{
	const size_t fs_base = offsetof(struct user_regs_struct, fs_base) / sizeof(uint64_t);
	const struct thread *thread = thread_of(handle->target, lwp);

	(void)index;
	if (!thread)
		return PS_BADLID;
	*ret = (void *)(uintptr_t)thread->registers[fs_base];
	return PS_OK;
}

// ---- The library -----------------------------------------------------------------------------

static void close_agent(struct ps_prochandle *handle)
{
	if (handle->agent)
		td_ta_delete(handle->agent);
	free(handle);
}

/** @return NULL if there is no agent for the target: its C library is of another version. */
static td_thragent_t *agent_of(struct target *target)
{
	if (!target->thread_library) {
		struct ps_prochandle *handle = calloc(1, sizeof(*handle));

		if (!handle)
			return NULL;
		handle->target = target;
		if (td_init() != TD_OK || td_ta_new(handle, &handle->agent) != TD_OK)
			handle->agent = NULL;
		target->thread_library = handle;
		target->close_thread_library = close_agent;
	}
	return target->thread_library->agent;
}

bool target_thread_local(struct target *target, size_t thread, uint64_t link_map, uint64_t offset,
			 uint64_t *ret)
{
	td_thragent_t *agent = thread < target->num_threads ? agent_of(target) : NULL;
	td_thrhandle_t handle;
	psaddr_t found;

	if (!agent || td_ta_map_lwp2thr(agent, target->threads[thread].lwp, &handle) != TD_OK)
		return false;
	if (link_map) {
		if (td_thr_tls_get_addr(&handle, (psaddr_t)(uintptr_t)link_map, offset, &found) !=
		    TD_OK)
			return false;
		*ret = (uintptr_t)found;
		return true;
	}
	// Linked statically: there is nothing but the program.
	if (td_thr_tlsbase(&handle, PROGRAM_MODULE, &found) != TD_OK)
		return false;
	*ret = (uintptr_t)found + offset;
	return true;
}
