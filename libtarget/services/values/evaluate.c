// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of expressions in frames.
//
// A function that fails returns the text that stands for the value, as those of expression.h.

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

#include "query.h"
#include "services/variables/globals.h"
#include "values.h"

/** The meaning of a part of an expression. */
struct operand {
	struct unit *unit;
	struct type type;
	struct value value; // without `has_data`, only where it is
	bool has_data;
	bool has_elements; // "a@5"
	uint64_t elements; // their number
};

/** The evaluation of one expression. */
struct evaluator {
	struct target_services *services;
	const struct scope *scope;
	uint64_t pc;
	struct ompdbg_error *error; // the expression is wrong
	bool is_unknown;	    // a name is
};

static const char *evaluate(struct evaluator *e, const struct query *query, struct operand *ret);

static const char *no_type(const struct evaluator *e)
{
	return unavailable(e->services, "unknown type");
}

// ---- Operands --------------------------------------------------------------------------------

static void place_at(struct operand *operand, const struct type *type, uint64_t address)
{
	operand->type = *type;
	operand->value = (struct value){ .is_in_memory = true, .address = address };
	operand->has_data = operand->has_elements = false;
}

/** Read the bytes of an operand. */
static const char *load(const struct evaluator *e, struct operand *operand)
{
	uint64_t size, count = operand->has_elements ? operand->elements : 1;

	if (operand->has_data)
		return NULL;
	const char *failure = value_size(e->services, &operand->type, &size);
	if (failure)
		return failure;
	if (__builtin_mul_overflow(size, count, &size) || size > MAX_VALUE)
		return unavailable(e->services, "it has too many elements");
	operand->has_data = true;
	return read_value(e->services, operand->value.address, (size_t)size, &operand->value);
}

/** Go on with a part of an operand. */
static const char *take_part(struct operand *operand, struct target_services *services,
			     const struct type *type, uint64_t offset)
{
	const struct value whole = operand->value;
	uint64_t size = type_size(type);
	const uint8_t *data;

	if (!operand->has_data) {
		place_at(operand, type, whole.address + offset);
		return NULL;
	}
	const char *failure = value_part(services, &whole, offset, size, &data);
	if (failure)
		return failure;
	operand->type = *type;
	operand->value = (struct value){ .data = data,
					 .size = (size_t)size,
					 .is_in_memory = whole.is_in_memory,
					 .address = whole.address + offset };
	return NULL;
}

static const char *read_word(const struct evaluator *e, struct operand *operand, uint64_t *ret)
{
	const char *failure = load(e, operand);

	return failure ? failure : value_word(e->services, &operand->value, 0, ret);
}

/** Go on with what a pointer or reference is to. */
static const char *follow(const struct evaluator *e, struct operand *operand)
{
	struct type plain, target;
	uint64_t address = 0;
	const char *failure = read_word(e, operand, &address);

	if (failure)
		return failure;
	if (!type_plain(&operand->type, &plain) || !type_target(&plain, &target))
		return "a pointer to void has no target";
	place_at(operand, &target, address);
	return NULL;
}

/** Find the type of an operand without qualifiers; of a reference, go on with what it is to. */
static const char *settle(const struct evaluator *e, struct operand *operand, struct type *plain)
{
	const char *failure = NULL;

	if (operand->has_elements)
		return "an array of elements has no parts here";
	if (!type_plain(&operand->type, plain))
		return no_type(e);
	if (type_is_reference(plain)) {
		failure = follow(e, operand);
		if (!failure && !type_plain(&operand->type, plain))
			failure = no_type(e);
	}
	return failure;
}

// ---- Names -----------------------------------------------------------------------------------

static const char *in_lower_case(struct arena *arena, const char *name)
{
	char *copy = arena_strdup(arena, name);

	for (char *at = copy; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return copy;
}

/** Write a name as debug information of the frame's language has it. */
static const char *spelled(const struct evaluator *e, const struct unit *unit, const char *name)
{
	return unit->is_fortran ? in_lower_case(&e->services->scratch, name) : name;
}

/** Take a variable that was read, or where it is. */
static const char *take_variable(const struct found_variable *found, struct unit *unit,
				 struct operand *ret)
{
	bool is_descriptor = is_described(&found->type) && found->type.bounds &&
			     found->type.bounds->object;

	*ret = (struct operand){ .unit = unit, .type = found->type, .value = found->value };
	ret->has_data = found->has_value;
	if (is_descriptor)
		place_at(ret, &found->type, *found->type.bounds->object);
	else if (!found->has_value && !found->value.is_in_memory)
		return found->text;
	return NULL;
}

/** Find a member of the object of which a function of C++ is. */
static bool find_own_member(const struct evaluator *e, const char *name, struct operand *ret)
{
	struct found_variable found;
	struct ompdbg_layout layout;
	struct type plain, member;

	if (!e->scope->unit->is_cxx || !frame_variable_named(e->scope, "this", &found) ||
	    take_variable(&found, e->scope->unit, ret) || follow(e, ret) ||
	    !type_plain(&ret->type, &plain) || !type_is_structure(&plain))
		return false;
	return member_named(&plain, name, strlen(name), &layout, &member) && !layout.bit_size &&
	       !take_part(ret, e->services, &member, layout.offset);
}

/** Find a variable that a library has. */
static bool find_elsewhere(const struct evaluator *e, const char *name, struct operand *ret)
{
	struct type type;
	uint64_t address;
	Dwarf_Die die;

	if (!symbol_find(e->services, name, NULL, &address))
		return false;
	ret->unit = variable_unit(e->services, address, e->pc, &die);
	if (!ret->unit || strcmp(variable_name(&die), name) != 0 ||
	    !type_of(&die, ret->unit, &type))
		return false;
	place_at(ret, &type, address);
	return true;
}

static const char *find_name(struct evaluator *e, const char *written, struct operand *ret)
{
	struct unit *unit = e->scope->unit;
	const char *name = spelled(e, unit, written);
	struct found_variable found;

	if (frame_variable_named(e->scope, name, &found))
		return take_variable(&found, found.scope->unit, ret);
	if (find_own_member(e, name, ret))
		return NULL;
	*ret = (struct operand){ 0 };
	ssize_t index = object_index_at(e->services, e->pc);
	const struct global global = index < 0 ? (struct global){ 0 } :
						 global_named(unit, index, name);
	if (global.is_ambiguous)
		return arena_printf(&e->services->scratch, "several variables are called \"%s\"",
				    written);
	if (global.unit) {
		Dwarf_Die die = global.die;

		found = variable_read(e->scope, &die, false);
		return take_variable(&found, global.unit, ret);
	}
	if (find_elsewhere(e, name, ret))
		return NULL;
	e->is_unknown = true;
	return arena_printf(&e->services->scratch, "no symbol \"%s\"", written);
}

// ---- Members ---------------------------------------------------------------------------------

static const char *take_member(struct evaluator *e, const char *written, struct operand *operand)
{
	const char *name = spelled(e, operand->unit, written);
	struct ompdbg_layout layout;
	struct type plain, type;
	const char *failure = settle(e, operand, &plain);

	if (!failure && type_is_pointer(&plain)) {
		failure = follow(e, operand);
		if (!failure && !type_plain(&operand->type, &plain))
			failure = no_type(e);
	}
	if (failure)
		return failure;
	if (!type_is_structure(&plain) || !member_named(&plain, name, strlen(name), &layout, &type))
		return arena_printf(&e->services->scratch, "no member \"%s\"", written);
	if (!layout.bit_size)
		return take_part(operand, e->services, &type, layout.offset);
	const struct member member = { .type = type, .bits = layout.bit_size };
	failure = load(e, operand);
	if (!failure)
		failure = bits_value(e->services, &member, &operand->value,
				     layout.offset * BITS + layout.bit_offset, &operand->value);
	operand->type = type;
	return failure;
}

// ---- Elements --------------------------------------------------------------------------------

/** Compute an index. */
static const char *compute(struct evaluator *e, const struct query *query, int64_t *ret)
{
	struct operand operand;
	struct type plain;
	long double number = 0;
	const char *failure;

	if (query->kind == QUERY_NUMBER) {
		*ret = query->number;
		return NULL;
	}
	failure = evaluate(e, query, &operand);
	if (!failure)
		failure = settle(e, &operand, &plain);
	if (!failure)
		failure = load(e, &operand);
	if (failure)
		return failure;
	uint64_t size = type_size(&plain);
	if (operand.value.num_lost || operand.value.size < size ||
	    !base_number(&plain.die, operand.value.data, (size_t)size, &number) ||
	    number != (long double)(int64_t)number)
		return "the index is not an integer";
	*ret = (int64_t)number;
	return NULL;
}

/** Go on with an element of an array of C, or of what a pointer is to. */
static const char *take_element(struct evaluator *e, struct operand *operand,
				const struct type *plain, int64_t index)
{
	const char *failure = NULL;
	struct type element;
	int64_t first = 0, last, offset;

	if (type_is_pointer(plain)) {
		failure = follow(e, operand);
		element = operand->type;
	} else if (!type_is_array(plain) || !type_element(plain, &element) ||
		   !type_bounds(plain, &first, &last)) {
		return "it has no elements";
	}
	uint64_t size = type_size(&element);
	if (failure || !size)
		return failure ? failure : no_type(e);
	if (__builtin_sub_overflow(index, first, &index) ||
	    __builtin_mul_overflow(index, (int64_t)size, &offset))
		return "no such element";
	if (operand->value.is_in_memory) // as in C, there may be more than the type says
		place_at(operand, &element, operand->value.address + (uint64_t)offset);
	else if (offset < 0)
		return "no such element";
	else
		return take_part(operand, e->services, &element, (uint64_t)offset);
	return NULL;
}

/** The elements of an array of Fortran that are wanted: of one dimension perhaps a range. */
struct section {
	const struct described *array;
	int64_t offset; // of the first, in bytes
	bool is_range;
	int64_t count, stride;
};

static const char *take_index(struct evaluator *e, const struct query_index *index,
			      size_t dimension, struct section *section)
{
	const struct described *array = section->array;
	int64_t low = array->lows[dimension], length = array->lengths[dimension];
	int64_t first = low, last = low + length - 1;
	const char *failure = NULL;

	if (index->first)
		failure = compute(e, index->first, &first);
	if (!failure && index->last)
		failure = compute(e, index->last, &last);
	if (failure)
		return failure;
	if (first < low || first - low >= length || (index->is_range && last - low >= length))
		return "no such element";
	section->offset += (first - low) * array->strides[dimension];
	if (!index->is_range)
		return NULL;
	if (section->is_range)
		return "a section of several dimensions is not evaluated";
	section->is_range = true;
	section->count = last < first ? 0 : last - first + 1;
	section->stride = array->strides[dimension];
	return NULL;
}

/** Read the elements of a section, one after another. */
static const char *read_section(struct evaluator *e, const struct section *section,
				struct operand *operand)
{
	uint64_t size = section->array->size;
	uint64_t whole = (uint64_t)section->count * size;
	struct value one;

	if (whole / size != (uint64_t)section->count || whole > MAX_VALUE)
		return unavailable(e->services, "it has too many elements");
	uint8_t *data = ARENA_ARRAY(&e->services->scratch, uint8_t, whole);
	uint64_t address = operand->value.address + (uint64_t)section->offset;
	for (int64_t i = 0; i < section->count && !is_interrupted(e->services); i++) {
		const char *failure = read_value(
			e->services, address + (uint64_t)(i * section->stride), (size_t)size, &one);

		if (failure)
			return failure;
		memcpy(data + (uint64_t)i * size, one.data, (size_t)size);
	}
	operand->type = section->array->element;
	operand->value = (struct value){ .data = data, .size = (size_t)whole };
	operand->has_data = operand->has_elements = true;
	operand->elements = (uint64_t)section->count;
	return NULL;
}

static const char *read_described(const struct evaluator *e, const struct operand *operand,
				  struct described *ret)
{
	const struct bound_source *bounds = operand->type.bounds;

	return described_read(bounds && bounds->scope ? bounds->scope : e->scope, &operand->type,
			      operand->value.address, ret);
}

/** Go on with elements of an array of Fortran, whose first index is that of the nearest elements. */
static const char *take_section(struct evaluator *e, const struct query *query,
				struct operand *operand)
{
	struct described array;
	struct section section = { .array = &array };
	const char *failure = NULL;

	if (is_described(&operand->type)) {
		failure = read_described(e, operand, &array);
		if (!failure)
			place_at(operand, &array.type, array.begin);
	} else if (!array_read(&operand->type, &array)) {
		failure = unavailable(e->services, "unknown size");
	}
	if (!failure && query->num_indices != array.count)
		return arena_printf(&e->services->scratch, "it has %zu dimensions", array.count);
	for (size_t i = 0; i < query->num_indices && !failure; i++)
		failure = take_index(e, &query->indices[i], array.count - 1 - i, &section);
	if (failure)
		return failure;
	if (!section.is_range)
		return take_part(operand, e->services, &array.element, (uint64_t)section.offset);
	if (!operand->value.is_in_memory)
		return "it is not in memory";
	return read_section(e, &section, operand);
}

/** Check for the name of a function of the program, where no variable has it. */
static bool is_function(const struct evaluator *e, const char *name)
{
	const struct unit *unit = e->scope->unit;
	ssize_t program = e->services->objects.program;
	struct ompdbg_function function;

	if (!e->is_unknown || unit->is_fortran)
		return false;
	return !service_function_named(e->services, name, &function) ||
	       (unit->is_cxx && program >= 0 &&
		target_has_named(e->services->target, (size_t)program, name, true));
}

static const char *refuse_call(struct evaluator *e)
{
	if (!e->error)
		e->error = ompdbg_error_create(OMPDBG_BAD_INPUT, "functions are not called");
	return "functions are not called";
}

static const char *take_elements(struct evaluator *e, const struct query *query,
				 struct operand *operand)
{
	struct type plain;
	int64_t index;
	const char *failure = settle(e, operand, &plain);

	if (failure)
		return failure;
	if (operand->unit->is_fortran && type_is_array(&plain))
		return take_section(e, query, operand);
	if (query->is_in_parentheses)
		return refuse_call(e);
	failure = compute(e, query->indices[0].first, &index);
	return failure ? failure : take_element(e, operand, &plain, index);
}

// ---- Expressions -----------------------------------------------------------------------------

static const char *take_target(struct evaluator *e, struct operand *operand)
{
	struct type plain;
	const char *failure = settle(e, operand, &plain);

	if (failure)
		return failure;
	if (type_is_array(&plain))
		return take_element(e, operand, &plain, 0);
	return type_is_pointer(&plain) ? follow(e, operand) : "it is not a pointer";
}

/** Take elements that begin with an operand: "a[2]@5". */
static const char *take_row(struct evaluator *e, const struct query *query, struct operand *operand)
{
	struct type plain;
	int64_t count = 0;
	const char *failure = settle(e, operand, &plain);

	if (!failure)
		failure = compute(e, query->indices[0].first, &count);
	if (failure)
		return failure;
	if (count < 1)
		return "invalid number of elements";
	if (!operand->value.is_in_memory)
		return "it is not in memory";
	place_at(operand, &operand->type, operand->value.address);
	operand->has_elements = true;
	operand->elements = (uint64_t)count;
	return NULL;
}

static const char *evaluate(struct evaluator *e, const struct query *query, struct operand *ret)
{
	const struct query *inner = query->of;
	const char *failure = NULL;

	if (query->kind == QUERY_NAME)
		return find_name(e, query->name, ret);
	if (query->kind == QUERY_NUMBER || query->kind == QUERY_ADDRESS)
		return "it is not a variable";
	if (query->kind == QUERY_TARGET && inner->kind == QUERY_ADDRESS)
		return evaluate(e, inner->of, ret);
	// A name that does not exist in Fortran may be called: what is in parentheses tells no more.
	failure = evaluate(e, inner, ret);
	if (failure && query->kind == QUERY_INDEX && query->is_in_parentheses &&
	    inner->kind == QUERY_NAME && is_function(e, inner->name))
		return refuse_call(e);
	if (failure)
		return failure;
	switch (query->kind) {
	case QUERY_MEMBER:
		return take_member(e, query->name, ret);
	case QUERY_INDEX:
		return take_elements(e, query, ret);
	case QUERY_TARGET:
		return take_target(e, ret);
	default:
		return take_row(e, query, ret);
	}
}

/** Write the value of an expression that is not an address. */
static const char *write_operand(struct evaluator *e, struct operand *operand, char format,
				 struct ompdbg_value *ret)
{
	struct described array;
	struct type plain;
	const char *failure = operand->has_elements ? NULL : settle(e, operand, &plain);

	if (failure)
		return failure;
	if (!operand->has_elements && is_described(&operand->type)) {
		failure = read_described(e, operand, &array);
		if (!failure)
			failure = described_gather(e->services, &array, &operand->value);
		operand->type = array.type;
	} else {
		failure = load(e, operand);
	}
	if (failure)
		return failure;
	if (operand->has_elements) {
		ret->text = elements_text(operand->unit, &operand->type, &operand->value,
					  operand->elements, format);
		return NULL;
	}
	ret->text = value_text(operand->unit, &operand->type, &operand->value, format);
	uint64_t size = type_size(&operand->type);
	const uint8_t *data;
	ret->is_number = !value_part(e->services, &operand->value, 0, size, &data) &&
			 base_number(&plain.die, data, (size_t)size, &ret->number);
	return NULL;
}

static const char *answer(struct evaluator *e, const struct query *query, char format,
			  struct ompdbg_value *ret)
{
	bool is_address = query->kind == QUERY_ADDRESS;
	struct operand operand;
	struct type plain;
	const char *failure;

	if (!e->scope)
		return "no debug information";
	failure = evaluate(e, is_address ? query->of : query, &operand);
	if (failure || !is_address)
		return failure ? failure : write_operand(e, &operand, format, ret);
	failure = settle(e, &operand, &plain);
	if (failure || !operand.value.is_in_memory)
		return failure ? failure : "it is not in memory";
	ret->text = address_text(e->services, operand.value.address);
	return NULL;
}

struct ompdbg_error *service_evaluate(void *context, int thread, const struct ompdbg_frame *frame,
				      const char *expression, char format, struct ompdbg_value *ret)
{
	struct target_services *services = context;
	const struct query *query = NULL;
	const struct scope *scope;
	struct ompdbg_error *error = asked_scope(services, thread, frame, &scope);

	*ret = (struct ompdbg_value){ 0 };
	if (!error && format && !strchr("xduot", format))
		error = ompdbg_error_create(OMPDBG_BAD_INPUT,
					    "invalid format \"%c\" (expected x, d, u, o or t)",
					    format);
	if (!error)
		query = query_parse(&services->scratch, expression, &error);
	if (error)
		return error;
	struct evaluator e = { .services = services,
			       .scope = scope,
			       .pc = frame->pc - frame->is_call };
	const char *failure = answer(&e, query, format, ret);
	if (failure)
		*ret = (struct ompdbg_value){ .problem = arena_strdup(&services->arena, failure),
					      .is_unknown = e.is_unknown };
	ret->text = arena_strdup(&services->arena, ret->text);
	return answered(services, e.error);
}
