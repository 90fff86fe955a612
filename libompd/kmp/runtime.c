// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>

#include "kmp/kmp.h"
#include "runtime/wait_calls.h"

// "LLVM 14". A library whose symbols are not exactly those of a release is named after the release
// that it resembles; one that has all that the newest has may be a later one.
static void name_release(struct runtime *runtime)
{
	const struct kmp_layout *layout = &runtime->layout;
	bool known = layout->source != LAYOUT_TABLE || layout->identified;
	char other[16] = "";

	if (!known && layout->first_release == layout_newest(&kmp_history)->last_release) {
		snprintf(runtime->release, sizeof(runtime->release),
			 "an unknown release, newest known %u", layout->first_release);
		return;
	}
	if (layout->first_release != layout->last_release)
		snprintf(other, sizeof(other), " or %u", layout->last_release);
	snprintf(runtime->release, sizeof(runtime->release), "%sLLVM %u%s",
		 known ? "" : "a kin of ", layout->first_release, other);
}

// Tell whether the runtime is initialized; true where that can't be known.
static ompd_rc_t is_initialized(const struct runtime *runtime, bool *ret)
{
	uint64_t at = runtime->layout.global[KMP_GLOBAL___kmp_init_serial], value = 1;
	ompd_rc_t rc = at ? target_read_uint(&runtime->target, at, 4, &value) : ompd_rc_ok;

	*ret = value != 0;
	return rc;
}

// Find and prove the whole layout.
static ompd_rc_t learn(struct runtime *runtime)
{
	struct kmp_layout *layout = &runtime->layout;
	bool initialized;
	ompd_rc_t rc = kmp_layout_open(&runtime->target, runtime->name, layout);

	if (rc == ompd_rc_ok) {
		kmp_layout_confirm(&runtime->target, layout);
		kmp_layout_settle(layout);
		rc = is_initialized(runtime, &initialized);
	}
	if (rc != ompd_rc_ok)
		return rc;
	runtime->knowledge = initialized ? KMP_KNOWN : KMP_EARLY;
	nptl_init(&runtime->nptl, &runtime->target);
	name_release(runtime);
	return rc;
}

ompd_rc_t kmp_open(struct runtime *runtime, const struct target *target, const char *name)
{
	bool tells = false;

	*runtime = (struct runtime){ .target = *target };
	snprintf(runtime->name, sizeof(runtime->name), "%s", name);
	ompd_rc_t rc = kmp_layout_find(&runtime->target, name, &runtime->layout, &tells);

	if (rc != ompd_rc_ok)
		return rc;
	name_release(runtime);
	if (!tells)
		rc = learn(runtime);
	if (rc != ompd_rc_ok)
		return rc;
	runtime->seen = target_alloc(target, sizeof(*runtime->seen));
	return runtime->seen ? ompd_rc_ok : ompd_rc_nomem;
}

ompd_rc_t kmp_ready(struct runtime *runtime)
{
	bool initialized = true;
	ompd_rc_t rc = ompd_rc_ok;

	if (runtime->knowledge == KMP_EARLY)
		rc = is_initialized(runtime, &initialized);
	if (rc != ompd_rc_ok || runtime->knowledge == KMP_KNOWN || !initialized)
		return rc;
	struct runtime learned = *runtime;

	rc = learn(&learned);
	if (rc == ompd_rc_ok)
		*runtime = learned;
	return rc;
}

void kmp_close(struct runtime *runtime)
{
	wait_calls_close(&runtime->target, runtime->waits);
	idmap_close(&runtime->seen->threads, &runtime->target);
	target_free(&runtime->target, runtime->seen);
}

// _OPENMP of Clang is that of OpenMP 5.0 up to LLVM 15, and 5.1 since.
struct runtime_facts kmp_facts(const struct runtime *runtime)
{
	const struct kmp_layout *layout = &runtime->layout;
	struct runtime_facts facts = {
		.layout = {
			.runtime = runtime->name,
			.release = runtime->release,
			.source = layout->source,
			.probes_agreed = layout->probes_agreed,
			.probes_silent = layout->probes_silent,
		},
		.file_name = layout->file_name,
		.omp_version = layout->last_release < 16 ? 201811 : 202011,
		.nptl = &runtime->nptl,
	};

	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++)
		facts.layout.doubted += layout->standing[i] == LAYOUT_DOUBTED;
	return facts;
}
