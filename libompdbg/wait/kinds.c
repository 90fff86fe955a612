// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds of waits, and functions of the runtimes that do not wait.

#include <string.h>

#include "base/text.h"
#include "wait/evidence.h"

static const struct wait_kind kinds[] = {
	[ompd_ext_wait_none] = { "none", "", FAMILY_RUNTIME },
	[ompd_ext_wait_barrier] = { "barrier", "barrier", FAMILY_BARRIER },
	[ompd_ext_wait_barrier_workshare] = { "barrier_workshare", "end of worksharing",
					      FAMILY_BARRIER },
	[ompd_ext_wait_barrier_parallel] = { "barrier_parallel", "end of region", FAMILY_BARRIER },
	[ompd_ext_wait_critical] = { "critical", "critical", FAMILY_MUTEX },
	[ompd_ext_wait_lock] = { "lock", "lock", FAMILY_MUTEX },
	[ompd_ext_wait_nest_lock] = { "nest_lock", "nest lock", FAMILY_MUTEX },
	[ompd_ext_wait_atomic] = { "atomic", "atomic", FAMILY_MUTEX },
	[ompd_ext_wait_ordered] = { "ordered", "ordered", FAMILY_ORDERED },
	[ompd_ext_wait_taskwait] = { "taskwait", "taskwait", FAMILY_TASK },
	[ompd_ext_wait_taskgroup] = { "taskgroup", "taskgroup", FAMILY_TASK },
	[ompd_ext_wait_taskyield] = { "taskyield", "", FAMILY_RUNTIME },
	[ompd_ext_wait_single] = { "single", "single copyprivate", FAMILY_BARRIER },
	[ompd_ext_wait_doacross] = { "doacross", "ordered depend", FAMILY_DOACROSS },
	[ompd_ext_wait_parallel] = { "parallel", "", FAMILY_RUNTIME },
	[ompd_ext_wait_task] = { "task", "", FAMILY_RUNTIME },
	[ompd_ext_wait_taskloop] = { "taskloop", "", FAMILY_RUNTIME },
	[ompd_ext_wait_teams] = { "teams", "", FAMILY_RUNTIME },
	[ompd_ext_wait_target] = { "target", "", FAMILY_RUNTIME },
	[ompd_ext_wait_idle] = { "idle", "idle in pool", FAMILY_IDLE },
	[ompd_ext_wait_workshare] = { "workshare", "", FAMILY_RUNTIME },
	[ompd_ext_wait_runtime_lock] = { "runtime_lock", "runtime's lock", FAMILY_RUNTIME_LOCK },
	[ompd_ext_wait_cancel] = { "cancel", "", FAMILY_RUNTIME },
	[ompd_ext_wait_dependences] = { "dependences", "dependences", FAMILY_TASK },
	[ompd_ext_wait_reduction] = { "reduction", "reduction", FAMILY_BARRIER },
	[ompd_ext_wait_barrier_teams] = { "barrier_teams", "end of league", FAMILY_BARRIER },
};

static const struct wait_kind mutex_kind = { "mutex", "lock or critical", FAMILY_MUTEX };
// From WAIT_PTHREAD_MUTEX on.
static const struct wait_kind system_locks[] = {
	{ "pthread_mutex", "mutex", FAMILY_MUTEX },
	[WAIT_PTHREAD_RWLOCK - WAIT_PTHREAD_MUTEX] = { "pthread_rwlock", "rwlock", FAMILY_MUTEX },
	[WAIT_PTHREAD_SPINLOCK -
		WAIT_PTHREAD_MUTEX] = { "pthread_spinlock", "spin lock", FAMILY_MUTEX },
};
static const struct wait_kind unknown_kind = { "unknown", "the runtime", FAMILY_RUNTIME };

const struct wait_kind *wait_kind(uint32_t kind)
{
	if (kind == WAIT_MUTEX)
		return &mutex_kind;
	if (is_system_lock_kind(kind))
		return &system_locks[kind - WAIT_PTHREAD_MUTEX];
	return kind < sizeof(kinds) / sizeof(*kinds) ? &kinds[kind] : &unknown_kind;
}

bool is_wait_title(const char *begin)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (*kinds[i].title && starts_with(kinds[i].title, begin))
			return true;
	}
	for (size_t i = 0; i < sizeof(system_locks) / sizeof(*system_locks); i++) {
		if (starts_with(system_locks[i].title, begin))
			return true;
	}
	return starts_with(mutex_kind.title, begin);
}

bool site_waits(const ompd_ext_wait_site *site)
{
	return *wait_kind(site->kind)->title != '\0';
}

bool site_is_mutex(const ompd_ext_wait_site *site)
{
	return wait_kind(site->kind)->family == FAMILY_MUTEX;
}

bool is_critical_symbol(const struct ompdbg_symbol *symbol)
{
	// GDB leaves out the dot in Fortran.
	return symbol->name &&
	       starts_with(symbol->name + (*symbol->name == '.'), "gomp_critical_user_");
}

/** Functions that ask or set something, or make something ready, and go on. A '*' at the end stands
 *  for any more characters. */
static const char *const routines[] = {
	"omp_get_*",
	"omp_in_*",
	"omp_is_*",
	"omp_test_*",
	"omp_init_*",
	"omp_destroy_*",
	"omp_capture_*",
	"omp_display_*",
	"omp_alloc",
	"omp_calloc",
	"omp_aligned_alloc",
	"omp_aligned_calloc",
	"omp_realloc",
	"omp_free",
	"__kmpc_global_*",
	"__kmpc_bound_*",
	"__kmpc_push_*",
	"__kmpc_pop_*",
	"__kmpc_in_*",
	"__kmpc_init_*",
	"__kmpc_destroy_*",
	"__kmpc_test_*",
	"__kmpc_get_*",
	"__kmpc_for_static_*",
	"__kmpc_dist_for_static_*",
	"__kmpc_team_static_*",
	"GOMP_atomic_end",
	"GOMP_ordered_end",
	"GOMP_single_copy_end",
	"GOMP_doacross_post",
	"GOMP_doacross_ull_post",
	"GOMP_taskgroup_start",
	"GOMP_alloc",
	"GOMP_free",
	"__kmpc_end_single",
	"__kmpc_end_master",
	"__kmpc_end_masked",
	"__kmpc_end_scope",
	"__kmpc_end_ordered",
	"__kmpc_end_barrier_master",
	"__kmpc_master",
	"__kmpc_masked",
	"__kmpc_scope",
	"__kmpc_flush",
	"__kmpc_alloc",
	"__kmpc_aligned_alloc",
	"__kmpc_calloc",
	"__kmpc_realloc",
	"__kmpc_free",
	"__kmpc_threadprivate*",
	NULL,
};

/** Compare the first @p length characters of a name with a pattern of the table. */
static bool is_like(const char *name, size_t length, const char *pattern)
{
	size_t given = strlen(pattern);

	if (pattern[given - 1] == '*')
		return length >= given && strncmp(name, pattern, given - 1) == 0;
	return length == given && strncmp(name, pattern, given) == 0;
}

bool is_routine(const char *function)
{
	if (!function)
		return false;
	if (starts_with(function, "omp_set_"))
		return !starts_with(function, "omp_set_lock") &&
		       !starts_with(function, "omp_set_nest_lock");
	// One may jump to another: through "NAME@plt".
	size_t length = strcspn(function, "@");
	for (const char *const *one = routines; *one; one++) {
		if (is_like(function, length, *one))
			return true;
	}
	return false;
}
