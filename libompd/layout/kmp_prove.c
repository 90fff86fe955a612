// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds a layout against what the library's own code does.

#include <stdio.h>
#include <string.h>

#include "layout/kmp_code.h"
#include "layout/kmp_library.h"
#include "layout/kmp_probes.h"
#include "target/reason.h"

enum { ADDRESS_MIN = 0x10000 }; // below are numbers and fields of null pointers
enum { SCALAR = 8 };		// bytes that an instruction reads at once
enum verdict { AGREES, AGREES_PARTLY, SILENT, CONTRADICTS };

struct proof {
	const struct kmp_library *library;
	struct kmp_layout *layout;
	struct kmp_code code;
};

static bool is_path(const struct kmp_probe *probe)
{
	return probe->base == KMP_PROBE_INFO || probe->base == KMP_PROBE_TASK ||
	       probe->base == KMP_PROBE_GIVEN;
}

// The address of the last field of the path; false if the layout has no such field.
static bool expect(const struct kmp_layout *layout, const struct kmp_probe *probe,
		   struct code_value *value, uint32_t *size)
{
	// The word at the variable is the array, and a word of that a thread.
	*value = code_number((int64_t)layout->global[KMP_GLOBAL___kmp_threads]);
	value->depth = 2;
	if (probe->base != KMP_PROBE_INFO) {
		*value = code_number(0);
		value->base = CODE_ARGUMENT;
	}
	if (probe->base == KMP_PROBE_TASK)
		value->offset[0] -= layout->struct_size[KMP_STRUCT_kmp_taskdata_t];
	for (const uint16_t *at = probe->path; *at != KMP_PATH_END; at++) {
		if (*at == KMP_PATH_LOAD) {
			value->depth++;
			continue;
		}
		if (!kmp_path_is_field(*at)) {
			value->offset[value->depth] += layout->struct_size[*at - KMP_PATH_NEXT];
			continue;
		}
		const struct layout_field *field = &layout->field[*at - 1];

		if (!field->size)
			return false;
		value->offset[value->depth] += field->offset;
		*size = field->size;
	}
	return true;
}

static bool is_such_access(const struct code_access *access, const struct kmp_probe *probe,
			   const struct code_value *expected, uint32_t size)
{
	return access->kind != CODE_PASSED && access->width <= size &&
	       (!probe->width || access->width == probe->width) &&
	       access->address.base == expected->base && access->address.depth == expected->depth;
}

// An access to the field, or to the byte of it that holds a bit of interest.
static bool is_in_field(const struct code_access *access, const struct kmp_probe *probe,
			const struct code_value *field, uint32_t size)
{
	if (!is_such_access(access, probe, field, size))
		return false;
	const struct code_value *address = &access->address;
	int64_t part = address->offset[field->depth] - field->offset[field->depth];
	struct code_value expected = *field;

	// Only flags are looked at by bytes: a part of a larger field may be a neighbour's.
	if (part && (part < 0 || part >= (int64_t)size || size != 4 || access->width != 1))
		return false;
	expected.offset[field->depth] += part;
	return code_value_equal(address, &expected);
}

// The path on which an access differs from what is expected of it.
static enum verdict contradict(struct proof *proof, const struct kmp_probe *probe,
			       const struct code_value *expected, uint32_t size)
{
	const struct code_report *report = &proof->code.report;
	char theirs[40] = "something else";

	for (unsigned int i = 0; i < report->count; i++) {
		const struct code_value *address = &report->access[i].address;

		if (!is_such_access(&report->access[i], probe, expected, size))
			continue;
		snprintf(theirs, sizeof(theirs), "0x%llx",
			 (unsigned long long)address->offset[address->depth]);
		break;
	}
	return reason(CONTRADICTS,
		      "%s of an unknown release: %s uses %s, the layout %s%s says 0x%llx",
		      proof->library->name, probe->function, theirs,
		      proof->layout->source == LAYOUT_TABLE ? "of " : "", proof->layout->releases,
		      (unsigned long long)expected->offset[expected->depth]);
}

static enum verdict check_path(struct proof *proof, const struct kmp_probe *probe)
{
	const struct code_report *report = &proof->code.report;
	enum verdict found = SILENT;
	struct code_value expected;
	uint32_t size = 0;

	if (!expect(proof->layout, probe, &expected, &size))
		return SILENT;
	for (unsigned int i = 0; i < report->count; i++) {
		if (!is_in_field(&report->access[i], probe, &expected, size))
			continue;
		if (report->access[i].width == size || size > SCALAR)
			return AGREES;
		found = AGREES_PARTLY;
	}
	if (found == AGREES_PARTLY)
		return found;
	return report->complete && !report->cut && !probe->traced ?
		       contradict(proof, probe, &expected, size) :
		       SILENT;
}

static bool is_known(const struct kmp_layout *layout, uint64_t address, unsigned int but)
{
	for (unsigned int i = 0; i < KMP_GLOBAL_COUNT; i++) {
		if (layout->global[i] == address && i != but)
			return true;
	}
	return false;
}

static bool is_variable(const struct code_access *access)
{
	return access->address.base == CODE_FIXED && access->address.depth == 0 &&
	       access->address.offset[0] >= ADDRESS_MIN;
}

// Check for an element of an array of pointers to which a variable leads.
static bool is_element(const struct code_access *access)
{
	return access->address.base == CODE_FIXED && access->address.depth == 1 &&
	       access->address.offset[0] >= ADDRESS_MIN && access->address.offset[1] == 0 &&
	       access->kind == CODE_READ && access->width == 8;
}

// Check whether all fields of the path are read in the variable at @p address.
static bool has_fields(const struct proof *proof, const struct kmp_probe *probe, uint64_t address)
{
	for (const uint16_t *at = probe->path; *at != KMP_PATH_END; at++) {
		const struct layout_field *field = &proof->layout->field[*at - 1];
		unsigned int i = 0;

		for (; i < proof->code.report.count; i++) {
			const struct code_access *access = &proof->code.report.access[i];

			if (is_variable(access) && access->kind == CODE_READ &&
			    access->width == field->size &&
			    (uint64_t)access->address.offset[0] == address + field->offset)
				break;
		}
		if (i == proof->code.report.count)
			return false;
	}
	return true;
}

// The variable that an access may be for; false if it is none such.
static bool candidate(const struct proof *proof, const struct kmp_probe *probe,
		      const struct code_access *access, uint64_t *ret)
{
	*ret = (uint64_t)access->address.offset[0];
	if (probe->base == KMP_PROBE_FIND_ARRAY)
		return is_element(access);
	if (!is_variable(access))
		return false;
	if (probe->base == KMP_PROBE_FIND_ADDRESS)
		return access->kind == CODE_PASSED;
	if (probe->base == KMP_PROBE_FIND)
		return access->kind != CODE_PASSED && access->width == probe->width;
	const struct layout_field *first = &proof->layout->field[probe->path[0] - 1];

	*ret -= first->offset;
	return first->size && has_fields(proof, probe, *ret);
}

// The one such variable that no row before has found in another function.
static enum verdict find_global(struct proof *proof, const struct kmp_probe *probe)
{
	const struct code_report *report = &proof->code.report;
	uint64_t *global = &proof->layout->global[probe->global];
	uint64_t found = 0;

	for (unsigned int i = 0; i < report->count; i++) {
		uint64_t address;

		if (!candidate(proof, probe, &report->access[i], &address) ||
		    is_known(proof->layout, address, probe->global))
			continue;
		if (found && found != address)
			return SILENT; // several: which one is not known
		found = address;
	}
	if (!found)
		return SILENT;
	if (!*global)
		*global = found;
	if (*global == found)
		return AGREES;
	return reason(CONTRADICTS,
		      "%s of an unknown release: %s uses a variable at 0x%llx, others at 0x%llx",
		      proof->library->name, probe->function, (unsigned long long)found,
		      (unsigned long long)*global);
}

// The function of the first row must show the array of threads; all others must fit it.
static ompd_rc_t find_threads(struct proof *proof)
{
	const struct kmp_probe *probe = &kmp_probes[0];

	kmp_code_explore(&proof->code, probe->function, probe->where);
	for (unsigned int i = 0; proof->code.present && i < proof->code.report.count; i++) {
		const struct code_access *access = &proof->code.report.access[i];

		if (access->address.base != CODE_FIXED || access->address.depth != 2 ||
		    access->width != 8 || access->address.offset[0] < ADDRESS_MIN)
			continue;
		proof->layout->global[KMP_GLOBAL___kmp_threads] =
			(uint64_t)access->address.offset[0];
		return ompd_rc_ok;
	}
	return reason(ompd_rc_incompatible, "%s's code is not understood: %s%s",
		      proof->library->name, probe->function,
		      proof->code.present ? " looks up no thread" : " can't be read");
}

// Return what a row is about: the last field of a path, or a bit.
static const uint16_t *subject(const struct kmp_probe *probe)
{
	const uint16_t *last = NULL;

	for (const uint16_t *at = probe->path; *at != KMP_PATH_END; at++)
		last = at;
	return last && kmp_path_is_field(*last) ? last : NULL;
}

static void suspect(struct kmp_layout *layout, unsigned int field)
{
	if (layout->field[field].size && layout->standing[field] == LAYOUT_TAKEN)
		layout->standing[field] = LAYOUT_DOUBTED;
}

// All offsets on a path are proven with it; of fields that have a row, one at least must agree.
static void note_row(struct proof *proof, const struct kmp_probe *probe, enum verdict verdict)
{
	struct kmp_layout *layout = proof->layout;
	const uint16_t *last = subject(probe), *at = last;

	if (verdict != AGREES && verdict != AGREES_PARTLY) {
		// With what it is a part of.
		for (; at && at >= probe->path && kmp_path_is_field(*at); at--)
			suspect(layout, *at - 1);
		return;
	}
	for (at = probe->path; *at != KMP_PATH_END; at++) {
		if (kmp_path_is_field(*at)) {
			uint8_t *standing = &layout->standing[*at - 1];

			if (verdict == AGREES || at != last)
				*standing = LAYOUT_PROVEN;
			else if (*standing != LAYOUT_PROVEN)
				*standing = LAYOUT_BEGUN;
		} else if (*at != KMP_PATH_LOAD)
			layout->struct_standing[*at - KMP_PATH_NEXT] = LAYOUT_PROVEN;
	}
	if (probe->base == KMP_PROBE_TASK)
		layout->struct_standing[KMP_STRUCT_kmp_taskdata_t] = LAYOUT_PROVEN;
}

// A field that functions are known to look at, and of which none was seen to, is not believed.
static void drop_fields(struct kmp_layout *layout)
{
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++) {
		if (layout->standing[i] == LAYOUT_DOUBTED)
			layout->field[i].size = 0;
	}
}

static enum verdict check_bit(struct proof *proof, const struct kmp_probe *probe)
{
	const struct layout_field *bit = &proof->layout->field[probe->path[0] - 1];

	return bit->size == 1 && kmp_code_names_bit(&proof->code, probe->function, bit->offset) ?
		       AGREES :
		       SILENT;
}

// Check that no two flags of a task are the same bit.
static ompd_rc_t check_flags(const struct proof *proof)
{
	uint32_t seen = 0;

	for (unsigned int i = KMP_FIELD_kmp_tasking_flags_t__complete;
	     i <= KMP_FIELD_kmp_tasking_flags_t__tiedness; i++) {
		uint32_t bits = kmp_layout_bits(proof->layout, (enum kmp_field)i);

		if (seen & bits) {
			return reason(ompd_rc_incompatible,
				      "the layout %s has two flags of a task in one place",
				      proof->layout->releases);
		}
		seen |= bits;
	}
	return ompd_rc_ok;
}

static enum verdict check_row(struct proof *proof, const struct kmp_probe *probe)
{
	if (probe->base == KMP_PROBE_BIT)
		return check_bit(proof, probe);
	kmp_code_explore(&proof->code, probe->function, probe->where);
	if (!proof->code.present)
		return SILENT;
	return is_path(probe) ? check_path(proof, probe) : find_global(proof, probe);
}

static ompd_rc_t check_rows(struct proof *proof, unsigned int *met)
{
	uint32_t release = proof->library->release;

	for (size_t i = 0; i < kmp_probe_count; i++) {
		const struct kmp_probe *probe = &kmp_probes[i];

		if ((probe->first && release < probe->first) ||
		    (probe->last && release > probe->last))
			continue;
		enum verdict verdict = check_row(proof, probe);

		if (verdict == CONTRADICTS)
			return ompd_rc_incompatible;
		bool agrees = verdict == AGREES || verdict == AGREES_PARTLY;

		if (is_path(probe) || probe->base == KMP_PROBE_BIT ||
		    (probe->base == KMP_PROBE_FIND_STRUCT && agrees))
			note_row(proof, probe, verdict);

		*met |= agrees ? probe->need : 0;
		proof->layout->probes_agreed += agrees;
		proof->layout->probes_silent += verdict == SILENT;
	}
	return ompd_rc_ok;
}

ompd_rc_t kmp_prove(const struct kmp_library *library, struct kmp_layout *layout)
{
	struct proof proof = { .library = library, .layout = layout };
	unsigned int met = 0;

	kmp_code_init(&proof.code, library);
	memset(layout->standing, LAYOUT_TAKEN, sizeof(layout->standing));
	memset(layout->struct_standing, LAYOUT_TAKEN, sizeof(layout->struct_standing));
	ompd_rc_t rc = find_threads(&proof);

	if (rc == ompd_rc_ok)
		rc = check_flags(&proof);
	if (rc == ompd_rc_ok)
		rc = check_rows(&proof, &met);
	for (size_t i = 0; rc == ompd_rc_ok && i < kmp_probe_count; i++) {
		if (!(kmp_probes[i].need & ~met))
			continue;
		rc = reason(ompd_rc_incompatible,
			    "%s's code is not understood: %s does not show what it reads",
			    library->name, kmp_probes[i].function);
	}
	drop_fields(layout);
	return rc;
}
