// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds a layout against what the library's own code does.

#include <stdio.h>
#include <string.h>

#include "layout/code_memory.h"
#include "layout/gomp_library.h"
#include "layout/gomp_probes.h"
#include "target/reason.h"

enum { ADDRESS_MIN = 0x10000 }; // below are numbers and fields of null pointers
enum { TLS_FAR = 1 << 20 };
enum { WINDOW = 256 }; // its functions that are looked at are short
enum verdict { AGREES, SILENT, CONTRADICTS };

struct proof {
	const struct gomp_library *library;
	struct gomp_layout *layout;
	const char *function; // that report is about
	bool present;	      // it exists and could be read
	struct code_reader reader;
	struct code_report report;
};

// Follow a function, unless it is the one that was followed last.
static void explore(struct proof *proof, const char *function)
{
	struct code_exploration what = { .size = WINDOW };
	uint8_t first;

	if (proof->function && strcmp(proof->function, function) == 0)
		return;
	proof->function = function;
	proof->present = gomp_library_symbol(proof->library, function, &what.entry) == ompd_rc_ok &&
			 code_read(&proof->reader, what.entry, &first, sizeof(first)) ==
				 sizeof(first);
	if (proof->present)
		code_explore(&proof->reader, &what, &proof->report);
}

// Return where the layout has the last field of the path; false if it has no such field.
static bool expect(const struct gomp_layout *layout, const struct gomp_probe *probe,
		   struct code_value *value, uint32_t *size)
{
	memset(value, 0, sizeof(*value));
	*size = 0;
	value->base = probe->base == PROBE_THREAD   ? CODE_THREAD :
		      probe->base == PROBE_ARGUMENT ? CODE_ARGUMENT :
						      CODE_FIXED;
	if (probe->base == PROBE_THREAD)
		value->offset[0] = (int64_t)layout->tls_offset;
	else if (probe->base == PROBE_GLOBAL)
		value->offset[0] = (int64_t)layout->global[probe->global];
	for (const uint16_t *at = probe->path; *at != PROBE_END; at++) {
		if (*at == PROBE_LOAD) {
			value->depth++;
			continue;
		}
		const struct layout_field *field = &layout->field[*at - 1];

		if (!field->size)
			return false;
		value->offset[value->depth] += field->offset;
		*size = field->size;
	}
	return probe->base != PROBE_GLOBAL || layout->global[probe->global];
}

static bool is_such_access(const struct gomp_probe *probe, const struct code_access *access,
			   uint32_t size)
{
	if (probe->passed)
		return access->kind == CODE_PASSED;
	return access->kind != CODE_PASSED && access->width <= size;
}

static size_t describe(char *text, size_t size, const struct code_value *value, uint64_t tls_offset)
{
	const char *const bases[] = { "?", "", "thread", "stack", "argument" };
	size_t length = (size_t)snprintf(text, size, "%s", bases[value->base]);

	for (unsigned int i = 0; i <= value->depth && length < size; i++) {
		uint64_t offset = (uint64_t)value->offset[i];

		if (i == 0 && value->base == CODE_THREAD)
			offset -= tls_offset;
		length += (size_t)snprintf(text + length, size - length, "%s0x%llx", i ? "->" : "+",
					   (unsigned long long)offset);
	}
	return length;
}

// Says what the code reads instead, if it reads something of the same kind.
static enum verdict contradict(struct proof *proof, const struct gomp_probe *probe,
			       const struct code_value *expected, uint32_t size)
{
	const struct code_report *report = &proof->report;
	char theirs[80] = "something else", ours[80];

	for (unsigned int i = 0; i < report->count; i++) {
		const struct code_access *access = &report->access[i];

		if (access->address.base != expected->base ||
		    access->address.depth != expected->depth ||
		    !is_such_access(probe, access, size))
			continue;
		describe(theirs, sizeof(theirs), &access->address, proof->layout->tls_offset);
		break;
	}
	describe(ours, sizeof(ours), expected, proof->layout->tls_offset);
	return reason(CONTRADICTS,
		      "libgomp of an unknown release: %s uses %s, the layout %s%s says %s",
		      probe->function, theirs, proof->layout->source == LAYOUT_TABLE ? "of " : "",
		      proof->layout->releases, ours);
}

static enum verdict check_path(struct proof *proof, const struct gomp_probe *probe)
{
	const struct code_report *report = &proof->report;
	struct code_value expected;
	uint32_t size;

	if (!expect(proof->layout, probe, &expected, &size))
		return SILENT;
	for (unsigned int i = 0; i < report->count; i++)
		if (is_such_access(probe, &report->access[i], size) &&
		    code_value_equal(&report->access[i].address, &expected))
			return AGREES;
	return report->complete ? contradict(proof, probe, &expected, size) : SILENT;
}

// A routine of the API that answers a question looks at nothing in its thread but what its rows
// say: an access that no row explains is a field that the layout has elsewhere.
static bool is_getter(const char *function)
{
	return strncmp(function, "omp_get_", 8) == 0 || strncmp(function, "omp_in_", 7) == 0;
}

// True if @p address is where @p path ends, or a pointer on its way.
static bool is_on_path(const struct code_value *address, const struct code_value *path)
{
	struct code_value part = *path;

	if (address->depth > path->depth)
		return false;
	part.depth = address->depth;
	return code_value_equal(address, &part);
}

static enum verdict check_explained(struct proof *proof, const struct code_value *address)
{
	struct code_value expected;
	unsigned int deepest = 0;
	char text[80];
	uint32_t size;

	for (size_t i = 0; i < gomp_probe_count; i++) {
		if (strcmp(gomp_probes[i].function, proof->function) != 0 ||
		    gomp_probes[i].base != PROBE_THREAD ||
		    !expect(proof->layout, &gomp_probes[i], &expected, &size))
			continue;
		if (is_on_path(address, &expected))
			return AGREES;
		if (expected.depth > deepest)
			deepest = expected.depth;
	}
	if (address->depth > deepest) // a loop's later turns
		return SILENT;
	describe(text, sizeof(text), address, proof->layout->tls_offset);
	return reason(
		CONTRADICTS,
		"libgomp of an unknown release: %s uses %s, which the layout %s%s does not explain",
		proof->function, text, proof->layout->source == LAYOUT_TABLE ? "of " : "",
		proof->layout->releases);
}

static enum verdict check_getter(struct proof *proof)
{
	const struct code_report *report = &proof->report;

	if (!proof->present || !report->complete || !is_getter(proof->function))
		return SILENT;
	for (unsigned int i = 0; i < report->count; i++) {
		const struct code_access *access = &report->access[i];

		if (access->address.base != CODE_THREAD || access->kind == CODE_PASSED ||
		    access->address.offset[0] >= 0) // above the thread pointer: a stack canary
			continue;
		if (check_explained(proof, &access->address) == CONTRADICTS)
			return CONTRADICTS;
	}
	return AGREES;
}

static enum verdict find_global(struct proof *proof, const struct gomp_probe *probe)
{
	const struct code_report *report = &proof->report;
	uint64_t *global = &proof->layout->global[probe->global];
	struct gomp_probe within = *probe;
	struct code_value inner;
	uint64_t found = 0;
	uint32_t size;

	within.base = PROBE_ARGUMENT; // offset from the variable's start
	if (!expect(proof->layout, &within, &inner, &size))
		return SILENT;
	for (unsigned int i = 0; i < report->count; i++) {
		const struct code_access *access = &report->access[i];
		uint64_t address = (uint64_t)access->address.offset[0];

		if (access->address.base != CODE_FIXED || access->address.depth != 0 ||
		    access->kind == CODE_PASSED || access->thread_slot ||
		    access->width != probe->width || address < ADDRESS_MIN)
			continue;
		if (found && found != address)
			return SILENT; // several: which one is not known
		found = address;
	}
	if (!found)
		return SILENT;
	found -= (uint64_t)inner.offset[0];
	if (!*global)
		*global = found;
	if (*global == found)
		return AGREES;
	return reason(
		CONTRADICTS,
		"libgomp of an unknown release: %s uses a variable at 0x%llx, others at 0x%llx",
		probe->function, (unsigned long long)found, (unsigned long long)*global);
}

// The only function whose field is taken for granted: its address less the field's offset is
// where a thread's structure starts. All others must fit.
static ompd_rc_t anchor(struct proof *proof)
{
	const struct gomp_probe *probe = &gomp_probes[0];
	struct code_value expected;
	uint32_t size;

	explore(proof, probe->function);
	if (proof->present && expect(proof->layout, probe, &expected, &size)) {
		const struct code_report *report = &proof->report;

		for (unsigned int i = 0; i < report->count; i++) {
			const struct code_access *access = &report->access[i];
			int64_t offset = access->address.offset[0] - expected.offset[0];

			if (access->address.base != CODE_THREAD || access->address.depth != 0 ||
			    access->kind != CODE_READ || access->width != size)
				continue;
			if (offset >= 0 || offset < -TLS_FAR || offset % 8 != 0) {
				return reason(ompd_rc_unavailable,
					      "libgomp is not relocated yet, or its thread-local "
					      "offset %lld makes no sense",
					      (long long)offset);
			}
			proof->layout->tls_offset = (uint64_t)offset;
			return ompd_rc_ok;
		}
	}
	return reason(ompd_rc_incompatible, "libgomp's code is not understood: %s%s",
		      probe->function,
		      proof->present ? " reads no variable of its thread" : " can't be read");
}

static bool applies(const struct proof *proof, const struct gomp_probe *probe)
{
	uint32_t release = proof->library->release;

	return (!probe->first || release >= probe->first) &&
	       (!probe->last || release <= probe->last);
}

static enum verdict check(struct proof *proof, const struct gomp_probe *probe)
{
	explore(proof, probe->function);
	if (!proof->present)
		return SILENT;
	return probe->base == PROBE_FIND ? find_global(proof, probe) : check_path(proof, probe);
}

static bool is_last_of_function(size_t row)
{
	return row + 1 == gomp_probe_count ||
	       strcmp(gomp_probes[row].function, gomp_probes[row + 1].function) != 0;
}

// Every row, then what the rows of a function leave unexplained. Returns the needs that are met.
static void note_proven(struct gomp_layout *layout, const struct gomp_probe *probe)
{
	for (const uint16_t *at = probe->path; *at != PROBE_END; at++) {
		if (*at != PROBE_LOAD)
			layout->standing[*at - 1] = LAYOUT_PROVEN;
	}
}

static ompd_rc_t check_rows(struct proof *proof, unsigned int *ret)
{
	for (size_t i = 0; i < gomp_probe_count; i++) {
		const struct gomp_probe *probe = &gomp_probes[i];

		if (applies(proof, probe)) {
			enum verdict verdict = check(proof, probe);

			if (verdict == CONTRADICTS)
				return ompd_rc_incompatible;
			if (verdict == AGREES) {
				proof->layout->probes_agreed++;
				*ret |= probe->need;
				note_proven(proof->layout, probe);
			} else {
				proof->layout->probes_silent++;
			}
		}
		if (is_last_of_function(i) && check_getter(proof) == CONTRADICTS)
			return ompd_rc_incompatible;
	}
	return ompd_rc_ok;
}

ompd_rc_t gomp_prove(struct gomp_library *library, struct gomp_layout *layout)
{
	struct proof proof = { .library = library, .layout = layout };
	unsigned int met = 0;
	ompd_rc_t rc;

	code_memory_init(&proof.reader, library->target);
	layout->tls_offset = 0;
	memset(layout->standing, LAYOUT_TAKEN, sizeof(layout->standing));
	rc = anchor(&proof);
	library->thread_slot = proof.reader.word_address;
	if (rc == ompd_rc_ok)
		rc = check_rows(&proof, &met);
	if (rc != ompd_rc_ok)
		return rc;
	for (size_t i = 0; i < gomp_probe_count; i++) {
		if (!(gomp_probes[i].need & ~met))
			continue;
		return reason(ompd_rc_incompatible,
			      "libgomp's code is not understood: %s does not show what it reads",
			      gomp_probes[i].function);
	}
	return ompd_rc_ok;
}
