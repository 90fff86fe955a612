// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that set or unset locks: those that the OMPD library knows as waits or their ends, and others of
// the runtimes and of the C library, by their names.

#include <string.h>

#include "base/text.h"
#include "wait/room.h"

static const struct {
	const char *name;
	uint32_t kind;
} functions[] = {
	{ "omp_test_lock", ompd_ext_wait_lock },
	{ "omp_test_nest_lock", ompd_ext_wait_nest_lock },
	{ "pthread_spin_lock", WAIT_PTHREAD_SPINLOCK },
	{ "pthread_spin_trylock", WAIT_PTHREAD_SPINLOCK },
	{ "pthread_spin_unlock", WAIT_PTHREAD_SPINLOCK },
	{ "pthread_spin_init", WAIT_PTHREAD_SPINLOCK },
	{ "pthread_rwlock_rdlock", WAIT_PTHREAD_RWLOCK },
	{ "pthread_rwlock_wrlock", WAIT_PTHREAD_RWLOCK },
	{ "pthread_rwlock_tryrdlock", WAIT_PTHREAD_RWLOCK },
	{ "pthread_rwlock_trywrlock", WAIT_PTHREAD_RWLOCK },
	{ "pthread_rwlock_unlock", WAIT_PTHREAD_RWLOCK },
};

enum { ROWS = sizeof(functions) / sizeof(*functions) };

/** Find the row of a function at an entry; the size of the table: it has none. */
static size_t find_row(struct process *process, uint64_t entry)
{
	struct ompdbg_symbol symbol;
	size_t row = 0;

	if (!is_ok(SERVICE(process, symbol_at, entry, &symbol)) || symbol.offset || !symbol.name)
		return ROWS;
	char *name = arena_strndup(&process->arena, symbol.name, strcspn(symbol.name, "@"));
	name = arena_strdup(&process->arena, system_function_name(process, name));
	const size_t length = strlen(name);
	if (length && name[length - 1] == '_')
		name[length - 1] = '\0'; // as Fortran calls it
	while (row < ROWS && strcmp(name, functions[row].name) != 0)
		row++;
	return row;
}

bool classify_lock_entry(struct runtime *runtime, uint64_t entry, ompd_ext_wait_site *ret)
{
	struct process *process = runtime->process;

	if (classify_entry(runtime, entry, ret))
		return true;
	if (!entry || code_owner(process, entry) == FRAME_USER)
		return false;
	// Rows count from 1 on: 0 is not asked yet.
	uintptr_t *known =
		(uintptr_t *)table_put(&wait_room(process)->lock_functions, &process->arena, entry);
	if (!*known)
		*known = find_row(process, entry) + 1;
	if (*known > ROWS)
		return false;
	*ret = (ompd_ext_wait_site){ .function = functions[*known - 1].name,
				     .kind = functions[*known - 1].kind };
	return true;
}

bool is_test_function(const char *function)
{
	return strstr(function, "_test_") || strstr(function, "_try");
}
