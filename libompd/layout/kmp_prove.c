// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds a layout against what the library's own code does.

#include <stdio.h>
#include <string.h>

#include "layout/code.h"
#include "layout/kmp_library.h"
#include "layout/kmp_probes.h"

enum { ADDRESS_MIN = 0x10000 }; // below are numbers and fields of null pointers
enum verdict { AGREES, SILENT, CONTRADICTS };
enum standing { NOT_ASKED, NOT_SHOWN, SHOWN }; // of a field, by the rows that end in it

struct proof {
	const struct kmp_library *library;
	struct kmp_layout *layout;
	const struct kmp_reason *reason;
	const char *function;		 // that report is about, or
	bool tail;			 // about what it jumps to
	bool present;			 // it exists and could be read
	uint8_t fields[KMP_FIELD_COUNT]; // enum standing
	struct code_report report;
};

static bool read_word(void *context, uint64_t address, uint64_t *ret)
{
	const struct proof *proof = context;

	return target_read_uint(proof->library->target, address, 8, ret) == ompd_rc_ok;
}

// Decodes the function at @p address. One at the end of its mapping is shorter than the window.
static bool decode(struct proof *proof, uint64_t address)
{
	struct code_window window = {
		.address = address, .read_word = read_word, .context = proof, .any_element = true
	};
	uint8_t bytes[CODE_WINDOW];

	window.bytes = bytes;
	for (window.size = sizeof(bytes); window.size >= 16; window.size /= 2) {
		if (target_read(proof->library->target, address, bytes, window.size) != ompd_rc_ok)
			continue;
		code_explore(&code_x86_64, &window, &proof->report);
		return true;
	}
	return false;
}

// A stub of the procedure linkage table does nothing but jump on.
static bool is_stub(const struct code_report *report)
{
	for (unsigned int i = 0; i < report->count; i++) {
		if (report->access[i].kind != CODE_PASSED)
			return false;
	}
	return true;
}

// Decodes the function that the decoded one jumps to in the end.
static bool decode_tail(struct proof *proof)
{
	return proof->report.tail && decode(proof, proof->report.tail) && !is_stub(&proof->report);
}

// Decodes what a row is about, unless it is what was decoded last.
static void explore(struct proof *proof, const char *function, bool tail)
{
	uint64_t address;

	if (proof->function && strcmp(proof->function, function) == 0 && proof->tail == tail)
		return;
	proof->function = function;
	proof->tail = tail;
	proof->present = kmp_library_symbol(proof->library, function, &address) == ompd_rc_ok &&
			 decode(proof, address) && (!tail || decode_tail(proof));
}

static bool is_path(const struct kmp_probe *probe)
{
	return probe->base == KMP_PROBE_INFO || probe->base == KMP_PROBE_TASK;
}

// The address of the last field of the path; false if the layout has no such field.
static bool expect(const struct kmp_layout *layout, const struct kmp_probe *probe,
		   struct code_value *value, uint32_t *size)
{
	// The word at the variable is the array, and a word of that a thread.
	*value = code_number((int64_t)layout->global[KMP_GLOBAL___kmp_threads]);
	value->depth = 2;
	if (probe->base == KMP_PROBE_TASK) {
		*value = code_number(-(int64_t)layout->struct_size[KMP_STRUCT_kmp_taskdata_t]);
		value->base = CODE_ARGUMENT;
	}
	for (const uint16_t *at = probe->path; *at != KMP_PATH_END; at++) {
		if (*at == KMP_PATH_LOAD) {
			value->depth++;
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

static bool is_such_access(const struct code_access *access, const struct code_value *expected,
			   uint32_t size)
{
	return access->kind != CODE_PASSED && access->width <= size &&
	       access->address.base == expected->base && access->address.depth == expected->depth;
}

// An access to the field, or to the byte of it that holds a bit of interest.
static bool is_in_field(const struct code_access *access, const struct code_value *field,
			uint32_t size)
{
	if (!is_such_access(access, field, size))
		return false;
	const struct code_value *address = &access->address;
	int64_t part = address->offset[field->depth] - field->offset[field->depth];
	struct code_value expected = *field;

	if (part < 0 || part + access->width > (int64_t)size)
		return false;
	expected.offset[field->depth] += part;
	return code_value_equal(address, &expected);
}

// The path on which an access differs from what is expected of it.
static enum verdict contradict(struct proof *proof, const struct kmp_probe *probe,
			       const struct code_value *expected, uint32_t size)
{
	const struct code_report *report = &proof->report;
	char theirs[40] = "something else";

	for (unsigned int i = 0; i < report->count; i++) {
		const struct code_value *address = &report->access[i].address;

		if (!is_such_access(&report->access[i], expected, size))
			continue;
		snprintf(theirs, sizeof(theirs), "0x%llx",
			 (unsigned long long)address->offset[address->depth]);
		break;
	}
	snprintf(proof->reason->text, proof->reason->size,
		 "%s of an unknown release: %s uses %s, the layout %s%s says 0x%llx",
		 proof->library->name, probe->function, theirs,
		 proof->layout->source == LAYOUT_TABLE ? "of " : "", proof->layout->releases,
		 (unsigned long long)expected->offset[expected->depth]);
	return CONTRADICTS;
}

static enum verdict check_path(struct proof *proof, const struct kmp_probe *probe)
{
	const struct code_report *report = &proof->report;
	struct code_value expected;
	uint32_t size = 0;

	if (!expect(proof->layout, probe, &expected, &size))
		return SILENT;
	for (unsigned int i = 0; i < report->count; i++) {
		if (is_in_field(&report->access[i], &expected, size))
			return AGREES;
	}
	return report->complete && !report->cut ? contradict(proof, probe, &expected, size) :
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
	return access->address.base == CODE_ABSOLUTE && access->address.depth == 0 &&
	       access->address.offset[0] >= ADDRESS_MIN;
}

// Whether all fields of the path are read in the variable at @p address.
static bool has_fields(const struct proof *proof, const struct kmp_probe *probe, uint64_t address)
{
	for (const uint16_t *at = probe->path; *at != KMP_PATH_END; at++) {
		const struct layout_field *field = &proof->layout->field[*at - 1];
		unsigned int i = 0;

		for (; i < proof->report.count; i++) {
			const struct code_access *access = &proof->report.access[i];

			if (is_variable(access) && access->kind == CODE_READ &&
			    access->width == field->size &&
			    (uint64_t)access->address.offset[0] == address + field->offset)
				break;
		}
		if (i == proof->report.count)
			return false;
	}
	return true;
}

// The variable that an access may be for; false if it is none such.
static bool candidate(const struct proof *proof, const struct kmp_probe *probe,
		      const struct code_access *access, uint64_t *ret)
{
	*ret = (uint64_t)access->address.offset[0];
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
	const struct code_report *report = &proof->report;
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
	snprintf(proof->reason->text, proof->reason->size,
		 "%s of an unknown release: %s uses a variable at 0x%llx, others at 0x%llx",
		 proof->library->name, probe->function, (unsigned long long)found,
		 (unsigned long long)*global);
	return CONTRADICTS;
}

// The function of the first row must show the array of threads; all others must fit it.
static ompd_rc_t find_threads(struct proof *proof)
{
	const struct kmp_probe *probe = &kmp_probes[0];

	explore(proof, probe->function, probe->tail);
	for (unsigned int i = 0; proof->present && i < proof->report.count; i++) {
		const struct code_access *access = &proof->report.access[i];

		if (access->address.base != CODE_ABSOLUTE || access->address.depth != 2 ||
		    access->width != 8 || access->address.offset[0] < ADDRESS_MIN)
			continue;
		proof->layout->global[KMP_GLOBAL___kmp_threads] =
			(uint64_t)access->address.offset[0];
		return ompd_rc_ok;
	}
	snprintf(proof->reason->text, proof->reason->size, "%s's code is not understood: %s%s",
		 proof->library->name, probe->function,
		 proof->present ? " looks up no thread" : " can't be read");
	return ompd_rc_incompatible;
}

static void note_field(struct proof *proof, const struct kmp_probe *probe, enum verdict verdict)
{
	const uint16_t *last = NULL;

	for (const uint16_t *at = probe->path; *at != KMP_PATH_END; at++)
		last = at;
	if (!is_path(probe) || !last || *last == KMP_PATH_LOAD)
		return;
	uint8_t *standing = &proof->fields[*last - 1];

	if (verdict == AGREES)
		*standing = SHOWN;
	else if (*standing == NOT_ASKED)
		*standing = NOT_SHOWN;
}

// A field that functions are known to look at, and of which none was seen to, is not believed.
static void drop_fields(struct proof *proof)
{
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++) {
		if (proof->fields[i] == NOT_SHOWN)
			proof->layout->field[i].size = 0;
	}
}

static ompd_rc_t check_rows(struct proof *proof, unsigned int *met)
{
	uint32_t release = proof->library->release;

	for (size_t i = 0; i < kmp_probe_count; i++) {
		const struct kmp_probe *probe = &kmp_probes[i];
		enum verdict verdict = SILENT;

		if ((probe->first && release < probe->first) ||
		    (probe->last && release > probe->last))
			continue;
		explore(proof, probe->function, probe->tail);
		if (proof->present)
			verdict = is_path(probe) ? check_path(proof, probe) :
						   find_global(proof, probe);
		if (verdict == CONTRADICTS)
			return ompd_rc_incompatible;
		note_field(proof, probe, verdict);
		if (verdict == AGREES)
			*met |= probe->need;
		proof->layout->probes_agreed += verdict == AGREES;
		proof->layout->probes_silent += verdict == SILENT;
	}
	return ompd_rc_ok;
}

ompd_rc_t kmp_prove(const struct kmp_library *library, struct kmp_layout *layout,
		    const struct kmp_reason *reason)
{
	struct proof proof = { .library = library, .layout = layout, .reason = reason };
	unsigned int met = 0;
	ompd_rc_t rc = find_threads(&proof);

	if (rc == ompd_rc_ok)
		rc = check_rows(&proof, &met);
	for (size_t i = 0; rc == ompd_rc_ok && i < kmp_probe_count; i++) {
		if (!(kmp_probes[i].need & ~met))
			continue;
		snprintf(reason->text, reason->size,
			 "%s's code is not understood: %s does not show what it reads",
			 library->name, kmp_probes[i].function);
		rc = ompd_rc_incompatible;
	}
	drop_fields(&proof);
	return rc;
}
