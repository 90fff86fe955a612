// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of Fortran that have a descriptor: where they are, their bounds and strides.

#include "values.h"

#include <dwarf.h>
#include <string.h>

enum { MAX_READS = 1 << 13 };

static bool has(const struct type *plain, unsigned int name)
{
	Dwarf_Die die = plain->die;
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(&die, name, &attribute) != NULL;
}

bool is_described(const struct type *type)
{
	struct type plain;

	return type_plain(type, &plain) && type_is_array(&plain) &&
	       has(&plain, DW_AT_data_location);
}

/** Check for a word of the descriptor that says there is an array. @return the text for none. */
static const char *check_presence(const struct bound_source *source, const struct type *plain)
{
	static const struct {
		unsigned int name;
		const char *text;
	} marks[] = {
		{ DW_AT_allocated, "<not allocated>" },
		{ DW_AT_associated, "<not associated>" },
	};
	Dwarf_Die die = plain->die;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		int64_t number;

		if (!has(plain, marks[i].name))
			continue;
		if (!bound_source_number(source, &die, marks[i].name, &number))
			return OPTIMIZED_OUT;
		if (!number)
			return marks[i].text;
	}
	return NULL;
}

/** Read the dimensions, the outermost first. */
static bool read_dimensions(const struct bound_source *source, struct described *ret)
{
	struct type type;
	bool is_strided[MAX_DIMENSIONS];

	if (!type_plain(&ret->type, &type))
		return false;
	for (ret->count = 0; type_is_array(&type); ret->count++) {
		int64_t low, high, length;
		Dwarf_Die dimension;

		if (ret->count == MAX_DIMENSIONS || !type_bounds(&type, &low, &high) ||
		    __builtin_sub_overflow(high, low, &length) || length == INT64_MAX ||
		    !type_dimension(&type, &dimension))
			return false;
		ret->lows[ret->count] = low;
		ret->lengths[ret->count] = length < 0 ? 0 : length + 1;
		is_strided[ret->count] = source &&
					 bound_source_number(source, &dimension, DW_AT_byte_stride,
							     &ret->strides[ret->count]);
		if (!type_element(&type, &type) || !type_plain(&type, &type))
			return false;
	}
	ret->element = type;
	ret->size = type_size(&type);
	int64_t step = (int64_t)ret->size;
	for (size_t i = ret->count; i--;) {
		if (!is_strided[i])
			ret->strides[i] = step;
		if (__builtin_mul_overflow(ret->strides[i], ret->lengths[i], &step))
			return false;
	}
	return ret->size && ret->size <= MAX_VALUE;
}

const char *described_read(const struct scope *scope, const struct type *type, uint64_t address,
			   struct described *ret)
{
	struct target_services *services = scope->services;
	uint64_t *object = ARENA_NEW(&services->scratch, uint64_t);
	struct bound_source *source = ARENA_NEW(&services->scratch, struct bound_source);
	struct type plain;
	int64_t begin;

	*object = address;
	*source = (struct bound_source){ scope, object };
	ret->type = *type;
	ret->type.bounds = source;
	if (!type_plain(&ret->type, &plain))
		return unavailable(services, "unknown type");
	const char *failure = check_presence(source, &plain);
	if (failure)
		return failure;
	if (!bound_source_number(source, &plain.die, DW_AT_data_location, &begin) ||
	    !read_dimensions(source, ret))
		return unavailable(services, "unknown size");
	ret->begin = (uint64_t)begin;
	return NULL;
}

bool array_read(const struct type *type, struct described *ret)
{
	*ret = (struct described){ .type = *type };
	return read_dimensions(NULL, ret);
}

/** Read the descriptor of a variable. */
static const char *read_descriptor(const struct scope *scope, Dwarf_Die *die, struct described *ret)
{
	struct type type;
	uint64_t address;

	if (!scope_address(scope, die, &address))
		return OPTIMIZED_OUT;
	const char *failure = scope_type(scope, die, &type);
	return failure ? failure : described_read(scope, &type, address, ret);
}

bool described_address(const struct scope *scope, Dwarf_Die *die, uint64_t *ret)
{
	struct bound_source source = { scope, ret };
	struct type type, plain;
	int64_t begin;

	if (scope_type(scope, die, &type) || !type_plain(&type, &plain) ||
	    !scope_address(scope, die, ret) ||
	    !bound_source_number(&source, &plain.die, DW_AT_data_location, &begin))
		return false;
	*ret = (uint64_t)begin;
	return true;
}

bool described_place(const struct scope *scope, Dwarf_Die *die, struct type *type, uint64_t *begin)
{
	struct described array;
	int64_t step;

	if (read_descriptor(scope, die, &array))
		return false;
	step = (int64_t)array.size;
	for (size_t i = array.count; i--; step *= array.lengths[i]) {
		if (array.strides[i] != step)
			return false;
	}
	*type = array.type;
	*begin = array.begin;
	return true;
}

// ---- Elements --------------------------------------------------------------------------------

/** Where elements are collected. */
struct gathering {
	struct target_services *services;
	const struct described *array;
	uint8_t *to;
};

/** Read elements that lie near one another at once. */
static const char *read_near(struct gathering *g, uint64_t begin, uint64_t reach, uint64_t stride,
			     int64_t length)
{
	struct value value;
	const char *failure = read_value(g->services, begin, (size_t)reach, &value);

	for (int64_t i = 0; !failure && i < length; i++, g->to += g->array->size)
		memcpy(g->to, value.data + (uint64_t)i * stride, (size_t)g->array->size);
	return failure;
}

static const char *gather(struct gathering *g, uint64_t begin, size_t dimension)
{
	const struct described *array = g->array;
	const char *failure = NULL;

	if (dimension == array->count) {
		size_t size = (size_t)array->size;
		size_t got = target_read(g->services->target, begin, g->to, size);

		g->to += size;
		return got == size ? NULL : no_memory(g->services, begin + got);
	}
	int64_t length = array->lengths[dimension], stride = array->strides[dimension], reach;
	if (dimension + 1 == array->count && stride >= (int64_t)array->size &&
	    !__builtin_mul_overflow(length - 1, stride, &reach) &&
	    reach + (int64_t)array->size <= MAX_VALUE)
		return read_near(g, begin, (uint64_t)reach + array->size, (uint64_t)stride, length);
	if (length > MAX_READS)
		return unavailable(g->services, "its elements lie far from one another");
	for (int64_t i = 0; !failure && i < length && !is_interrupted(g->services); i++)
		failure = gather(g, begin + (uint64_t)i * (uint64_t)stride, dimension + 1);
	return failure;
}

const char *described_gather(struct target_services *services, const struct described *array,
			     struct value *ret)
{
	uint64_t whole = array->size;

	for (size_t i = 0; i < array->count; i++) {
		if (__builtin_mul_overflow(whole, (uint64_t)array->lengths[i], &whole))
			return unavailable(services, "unknown size");
	}
	if (whole > MAX_VALUE)
		return unavailable(services, "it has %llu bytes", (unsigned long long)whole);
	struct gathering g = { services, array, NULL };
	g.to = ARENA_ARRAY(&services->scratch, uint8_t, whole);
	*ret = (struct value){ .data = g.to, .size = (size_t)whole };
	return whole ? gather(&g, array->begin, 0) : NULL;
}

const char *described_value(const struct scope *scope, Dwarf_Die *die, struct type *type,
			    struct value *ret)
{
	struct described array;
	const char *failure = read_descriptor(scope, die, &array);

	if (failure)
		return failure;
	*type = array.type;
	return described_gather(scope->services, &array, ret);
}
