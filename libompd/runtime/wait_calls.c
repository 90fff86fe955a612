// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/wait_calls.h"

#include "layout/call.h"
#include "runtime/interposer.h"
#include "target/reason.h"

static void extend(struct wait_calls *calls, uint64_t address)
{
	if (!calls->first || address < calls->first)
		calls->first = address;
	if (address > calls->last)
		calls->last = address;
}

/** Tell whether the program calls this runtime through the interposer, which passes on to libgomp if the
 *  process has that, too. */
static ompd_rc_t is_interposed(const struct target *target, bool is_libgomp, bool *ret)
{
	uint64_t address;
	ompd_rc_t rc = target_symbol(target, INTERPOSER_ROOT, INTERPOSER_FILE, &address);

	*ret = rc == ompd_rc_ok;
	if (*ret && !is_libgomp) {
		rc = target_symbol(target, "GOMP_PLUGIN_malloc", NULL, &address);
		*ret = rc == ompd_rc_unavailable;
	}
	return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}

/** Add the runtime's own functions, or those of the same names of the interposer. */
static ompd_rc_t add_functions(const struct target *target, struct wait_calls *calls, size_t count,
			       const char *file_name, bool own, bool anywhere)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; i < count && rc == ompd_rc_ok; i++) {
		const char *name = calls->functions[i].name;
		uint64_t address;

		rc = target_symbol(target, name, file_name, &address);
		if (rc == ompd_rc_unavailable && anywhere)
			rc = target_symbol(target, name, NULL, &address);
		if (rc == ompd_rc_ok && own)
			extend(calls, address);
		if (rc == ompd_rc_ok)
			rc = idmap_add(&calls->entries, target, address, i, NULL);
		else if (rc == ompd_rc_unavailable)
			rc = ompd_rc_ok;
	}
	return rc;
}

ompd_rc_t wait_calls_open(const struct target *target, const struct wait_function *functions,
			  size_t count, const char *file_name, bool is_libgomp,
			  struct wait_calls **ret)
{
	bool interposed = false;

	if (*ret)
		return ompd_rc_ok;
	struct wait_calls *calls = target_alloc(target, sizeof(*calls));

	if (!calls)
		return ompd_rc_nomem;
	calls->functions = functions;
	// This is asked first: LLVM's plug-in for GDB takes a call whose last look-up found nothing for a
	// failed one.
	ompd_rc_t rc = is_interposed(target, is_libgomp, &interposed);

	if (rc == ompd_rc_ok)
		rc = add_functions(target, calls, count, file_name, true, is_libgomp);
	if (rc == ompd_rc_ok && interposed)
		rc = add_functions(target, calls, count, INTERPOSER_FILE, false, false);
	if (rc == ompd_rc_ok)
		*ret = calls;
	else
		wait_calls_close(target, calls);
	return rc;
}

void wait_calls_close(const struct target *target, struct wait_calls *calls)
{
	if (calls)
		idmap_close(&calls->entries, target);
	target_free(target, calls);
}

ompd_rc_t wait_calls_find(const struct target *target, const struct wait_calls *calls,
			  uint64_t entry, ompd_ext_wait_site *ret)
{
	uint64_t index;

	if (!idmap_find(&calls->entries, entry, &index)) {
		ompd_rc_t rc = call_follow_stub(target, entry, &entry);

		if (rc != ompd_rc_ok)
			return reason(rc, "the code there cannot be read");
		if (!idmap_find(&calls->entries, entry, &index))
			return reason(ompd_rc_unavailable,
				      "not a function of the runtime that may wait");
	}
	*ret = (ompd_ext_wait_site){
		.kind = calls->functions[index].kind,
		.state = calls->functions[index].state,
		.entry = entry,
		.function = calls->functions[index].name,
	};
	return ompd_rc_ok;
}
