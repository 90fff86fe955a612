// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/kmp.h"

#define LAYOUT_FIELD(s, f) KMP_STRUCT_##s,
#define LAYOUT_BITS(s, f) KMP_STRUCT_##s,
static const uint8_t struct_of_field[KMP_FIELD_COUNT] = {
#include "layout/kmp_fields.def"
};

ompd_rc_t kmp_read(const struct runtime *runtime, uint64_t base, enum kmp_field field,
		   uint64_t *ret)
{
	const struct layout_field *where = &runtime->layout.field[field];

	if (base == KMP_NOWHERE ||
	    (where->size == 0 && runtime->layout.standing[field] == LAYOUT_DOUBTED))
		return reason(ompd_rc_unsupported,
			      "where this release of %s keeps it is not proven", runtime->name);
	if (where->size == 0)
		return reason(ompd_rc_unsupported, "this release of %s does not keep it",
			      runtime->name);
	if (base % 8 != 0)
		return reason(ompd_rc_error, "a pointer of the runtime is damaged (0x%llx)",
			      (unsigned long long)base);
	uint32_t size = runtime->layout.struct_size[struct_of_field[field]];

	// A view of no bytes is none.
	ompd_rc_t rc = target_read_member(&runtime->target, base, size <= KMP_WHOLE ? size : 0,
					  base + where->offset, where->size, ret);

	if (rc != ompd_rc_ok)
		return reason(rc, "memory of the runtime at 0x%llx cannot be read",
			      (unsigned long long)base);
	return ompd_rc_ok;
}

void kmp_span_add(const struct runtime *runtime, struct kmp_span *span, uint32_t start,
		  enum kmp_field field)
{
	const struct layout_field *place = &runtime->layout.field[field];

	if (place->size == 0)
		return;
	if (start + place->offset < span->first)
		span->first = start + place->offset;
	if (start + place->offset + place->size > span->end)
		span->end = start + place->offset + place->size;
}

void kmp_view_span(const struct runtime *runtime, uint64_t base, const struct kmp_span *span)
{
	if (span->first < span->end && base % 8 == 0)
		target_view(&runtime->target, base + span->first, span->end - span->first);
}

ompd_rc_t kmp_read_each(const struct runtime *runtime, uint64_t base,
			const struct kmp_wanted *wanted, size_t count)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < count; i++)
		rc = wanted[i].word ?
			     kmp_read(runtime, base, wanted[i].field, wanted[i].word) :
			     kmp_read_int(runtime, base, wanted[i].field, wanted[i].number);
	return rc;
}

ompd_rc_t kmp_read_fields(const struct runtime *runtime, uint64_t base,
			  const struct kmp_wanted *wanted, size_t count)
{
	struct kmp_span span = KMP_SPAN_EMPTY;

	for (size_t i = 0; i < count; i++)
		kmp_span_add(runtime, &span, 0, wanted[i].field);
	kmp_view_span(runtime, base, &span);
	return kmp_read_each(runtime, base, wanted, count);
}

ompd_rc_t kmp_read_int(const struct runtime *runtime, uint64_t base, enum kmp_field field,
		       int32_t *ret)
{
	uint64_t value;
	ompd_rc_t rc = kmp_read(runtime, base, field, &value);

	if (rc == ompd_rc_ok)
		*ret = (int32_t)value;
	return rc;
}

ompd_rc_t kmp_read_global(const struct runtime *runtime, enum kmp_global global, unsigned int size,
			  uint64_t *ret)
{
	uint64_t address = runtime->layout.global[global];

	if (address == 0)
		return reason(ompd_rc_unsupported,
			      "no symbol and no code of this %s tells where it is kept",
			      runtime->name);
	return target_read_uint(&runtime->target, address, size, ret);
}

ompd_rc_t kmp_read_element(const struct runtime *runtime, uint64_t array, uint64_t index,
			   uint64_t *ret)
{
	ompd_rc_t rc = ompd_rc_error;

	if (array && array % 8 == 0)
		rc = target_read_pointer(&runtime->target, array + 8 * index, ret);
	if (rc != ompd_rc_ok)
		return reason(rc, "an array of the runtime at 0x%llx cannot be read",
			      (unsigned long long)array);
	return ompd_rc_ok;
}

// What is asked of a task's flags is answered with true or false: all of them must be known.
ompd_rc_t kmp_know_flags(const struct runtime *runtime)
{
	static const enum kmp_field used[] = {
		FLAG(complete), FLAG(detachable),    FLAG(executing),	       FLAG(final),
		FLAG(freed),	FLAG(hidden_helper), FLAG(priority_specified), FLAG(proxy),
		FLAG(started),	FLAG(target),	     FLAG(task_serial),	       FLAG(tasking_ser),
		FLAG(tasktype), FLAG(team_serial),   FLAG(tiedness),
	};

	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		if (runtime->layout.standing[used[i]] == LAYOUT_DOUBTED)
			return reason(
				ompd_rc_unsupported,
				"where this release of %s keeps the flags of tasks is not proven",
				runtime->name);
	}
	return ompd_rc_ok;
}

bool kmp_flag(const struct runtime *runtime, uint32_t flags, enum kmp_field bit)
{
	return (flags & kmp_layout_bits(&runtime->layout, bit)) != 0;
}
