// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of DWARF 5 (2.5, 2.6): where a value is, or what it is.

#include "expression.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VECTOR_SIZE = 16, MAX_REASON = 256, MAX_OPERATIONS = 10000 };
enum { MAX_DEPTH = 32, MAX_PIECES = 1024 };

const char OPTIMIZED_OUT[] = "<optimized out>";
const char DAMAGED_DEBUG_INFORMATION[] = "<unavailable: damaged debug information>";
const char MAYBE_WRONG[] = "<unavailable>";

// ---- Values ----------------------------------------------------------------------------------

const char *unavailable(struct target_services *services, const char *format, ...)
{
	char reason[MAX_REASON];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	return arena_printf(&services->scratch, "<unavailable: %s>", reason);
}

const char *no_memory(struct target_services *services, uint64_t address)
{
	return arena_printf(&services->scratch, "<error: Cannot access memory at address 0x%llx>",
			    (unsigned long long)address);
}

const char *read_value(struct target_services *services, uint64_t address, size_t size,
		       struct value *ret)
{
	uint8_t *data = ARENA_ARRAY(&services->scratch, uint8_t, size);
	size_t got = target_read(services->target, address, data, size);

	*ret = (struct value){
		.data = data, .size = size, .is_in_memory = true, .address = address
	};
	return got == size ? NULL : no_memory(services, address + got);
}

const char *value_part(struct target_services *services, const struct value *value, uint64_t offset,
		       uint64_t size, const uint8_t **ret)
{
	if (offset > value->size || size > value->size - offset)
		return unavailable(services, "the value is larger than its location");
	for (size_t i = 0; i < value->num_lost; i++) {
		if (value->lost[i].begin < offset + size && offset < value->lost[i].end)
			return OPTIMIZED_OUT;
	}
	*ret = value->data + offset;
	return NULL;
}

const char *value_word(struct target_services *services, const struct value *value, uint64_t offset,
		       uint64_t *ret)
{
	const uint8_t *data = NULL;
	const char *failure = value_part(services, value, offset, WORD_SIZE, &data);

	if (data)
		*ret = little_endian(data, WORD_SIZE);
	return failure;
}

uint64_t little_endian(const uint8_t *data, size_t size)
{
	uint64_t number = 0;

	while (size--)
		number = number << 8 | data[size];
	return number;
}

// ---- Computing -------------------------------------------------------------------------------

/** A piece of a value: in memory, or at `data`, or nowhere. */
struct piece {
	uint64_t size;
	bool is_in_memory;
	uint64_t address;
	const uint8_t *data; // NULL: not there
	size_t data_size;
};

struct evaluation {
	const struct expression_place *place;
	struct target_services *services;
	struct operands stack;
	const uint8_t *data; // a value that has no address; NULL
	size_t data_size;
	struct piece *pieces;
	size_t num_pieces, max_pieces;
	bool is_synthetic; // a pointer to what is nowhere in memory
};

bool operation_register(const Dwarf_Op *operation, uint64_t *ret)
{
	if (operation->atom >= DW_OP_reg0 && operation->atom <= DW_OP_reg31)
		*ret = operation->atom - DW_OP_reg0;
	else if (operation->atom == DW_OP_regx)
		*ret = operation->number;
	else
		return false;
	return true;
}

/** Find the register that an operation adds a number to. */
static bool base_register(const Dwarf_Op *operation, uint64_t *number, uint64_t *added)
{
	if (operation->atom >= DW_OP_breg0 && operation->atom <= DW_OP_breg31) {
		*number = operation->atom - DW_OP_breg0;
		*added = operation->number;
	} else if (operation->atom == DW_OP_bregx) {
		*number = operation->number;
		*added = operation->number2;
	} else {
		return false;
	}
	return true;
}

static const char *unknown_operation(const struct evaluation *e, unsigned int atom)
{
	return unavailable(e->services, "unsupported DWARF operation 0x%x", atom);
}

static const char *push(struct evaluation *e, uint64_t number)
{
	if (e->stack.count == MAX_OPERANDS)
		return DAMAGED_DEBUG_INFORMATION;
	e->stack.numbers[e->stack.count++] = number;
	return NULL;
}

static void keep_words(struct evaluation *e, const uint64_t *words, size_t size)
{
	uint8_t *data = ARENA_ARRAY(&e->services->scratch, uint8_t, size);

	memcpy(data, words, size);
	e->data = data;
	e->data_size = size;
}

/** Take what the operations up to here were for. */
static struct piece take_place(struct evaluation *e)
{
	struct piece piece = { 0 };

	if (e->data) {
		piece.data = e->data;
		piece.data_size = e->data_size;
	} else if (e->stack.count) {
		piece.is_in_memory = true;
		piece.address = e->stack.numbers[e->stack.count - 1];
	}
	e->data = NULL;
	e->stack.count = 0;
	return piece;
}

static const char *read_number(struct evaluation *e, uint64_t size)
{
	struct value value;

	if (!e->stack.count || !size || size > WORD_SIZE)
		return DAMAGED_DEBUG_INFORMATION;
	const char *failure =
		read_value(e->services, e->stack.numbers[--e->stack.count], (size_t)size, &value);
	return failure ? failure : push(e, little_endian(value.data, value.size));
}

static const char *push_entry_value(struct evaluation *e, struct target_location *location,
				    size_t index)
{
	struct target_location within;
	uint64_t number, value;

	if (!target_location_within(location, index, &within) || !within.count)
		return unknown_operation(e, location->operations[index].atom);
	if (within.count > 1 || !operation_register(within.operations, &number))
		return OPTIMIZED_OUT;
	const char *failure =
		context_entry_register(e->place->context, number, e->place->depth + 1, &value);
	return failure ? failure : push(e, value);
}

static const char *push_thread_local(struct evaluation *e)
{
	uint64_t address;

	if (!e->stack.count)
		return DAMAGED_DEBUG_INFORMATION;
	const char *failure = context_thread_local(e->place->context,
						   e->stack.numbers[--e->stack.count], &address);
	return failure ? failure : push(e, address);
}

/** Do an operation that needs the frame. */
static const char *do_with_frame(struct evaluation *e, struct target_location *location,
				 size_t index)
{
	const struct frame_context *context = e->place->context;
	const Dwarf_Op *operation = &location->operations[index];
	const char *failure;
	uint64_t number = operation->number, value;

	switch (operation->atom) {
	case DW_OP_addr:
		return push(e, number + context->bias);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (!target_location_address(location, index, &number))
			return DAMAGED_DEBUG_INFORMATION;
		return push(e, number + context->bias);
	case DW_OP_deref:
		return read_number(e, WORD_SIZE);
	case DW_OP_deref_size:
		return read_number(e, number);
	case DW_OP_fbreg:
		failure = context_base(context, e->place->depth + 1, &value);
		return failure ? failure : push(e, value + number);
	case DW_OP_call_frame_cfa:
		failure = context_caller_stack(context, &value);
		return failure ? failure : push(e, value);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return push_thread_local(e);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(e, location, index);
	case DW_OP_push_object_address:
		return e->place->object ? push(e, *e->place->object) :
					  unknown_operation(e, operation->atom);
	default:
		break;
	}
	switch (arithmetic_do(&e->stack, operation->atom, number)) {
	case ARITHMETIC_DONE:
		return NULL;
	case ARITHMETIC_DAMAGED:
		return DAMAGED_DEBUG_INFORMATION;
	default:
		return unknown_operation(e, operation->atom);
	}
}

static const char *add_piece(struct evaluation *e, uint64_t size)
{
	struct piece *piece;

	if (e->num_pieces == MAX_PIECES || size > MAX_VALUE)
		return DAMAGED_DEBUG_INFORMATION;
	piece = ARENA_APPEND(&e->services->scratch, e->pieces, e->num_pieces, e->max_pieces);
	*piece = take_place(e);
	piece->size = size;
	return NULL;
}

/** Do an operation that says what a value is, other than by an address. */
static const char *do_operation(struct evaluation *e, struct target_location *location,
				size_t index)
{
	const Dwarf_Op *operation = &location->operations[index];
	unsigned int atom = operation->atom;
	uint64_t number, added, words[2] = { 0 };
	const char *failure;
	Dwarf_Block block;

	if (e->data && atom != DW_OP_piece && atom != DW_OP_stack_value && atom != DW_OP_nop)
		return unknown_operation(e, atom);
	if (operation_register(operation, &number)) {
		failure = context_register(e->place->context, number, words);
		keep_words(e, words, number < FIRST_VECTOR ? WORD_SIZE : VECTOR_SIZE);
		return failure;
	}
	if (base_register(operation, &number, &added)) {
		failure = context_register(e->place->context, number, words);
		return failure ? failure : push(e, words[0] + added);
	}
	switch (atom) {
	case DW_OP_piece:
		return add_piece(e, operation->number);
	case DW_OP_stack_value:
		if (e->data)
			return NULL;
		if (!e->stack.count)
			return DAMAGED_DEBUG_INFORMATION;
		keep_words(e, &e->stack.numbers[e->stack.count - 1], WORD_SIZE);
		return NULL;
	case DW_OP_implicit_value:
		if (!target_location_bytes(location, index, &block))
			return DAMAGED_DEBUG_INFORMATION;
		e->data = block.data;
		e->data_size = block.length;
		return NULL;
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		// libdw points to the length of the constant, a byte before it.
		e->data = (const uint8_t *)(uintptr_t)operation->number2 + 1;
		e->data_size = e->data[-1];
		return NULL;
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		e->is_synthetic = true;
		return NULL;
	case DW_OP_GNU_parameter_ref:
		return OPTIMIZED_OUT;
	default:
		return do_with_frame(e, location, index);
	}
}

static const char *run(struct evaluation *e, const struct expression_place *place,
		       struct target_location *location)
{
	*e = (struct evaluation){ .place = place, .services = place->context->services };
	if (place->depth > MAX_DEPTH)
		return OPTIMIZED_OUT; // the value is in a frame far away, as in a deep recursion
	if (location->count > MAX_OPERATIONS)
		return DAMAGED_DEBUG_INFORMATION;
	for (size_t i = 0; i < location->count; i++) {
		const char *failure = do_operation(e, location, i);

		if (failure)
			return failure;
	}
	return NULL;
}

// ---- Results ---------------------------------------------------------------------------------

/** Read a value, or a piece of one. What holds it may be smaller. */
static const char *read_piece(struct evaluation *e, const struct piece *piece, uint64_t size,
			      struct value *ret)
{
	if (piece->is_in_memory)
		return read_value(e->services, piece->address, (size_t)size, ret);
	*ret = (struct value){ .data = piece->data,
			       .size = piece->data_size < size ? piece->data_size : (size_t)size };
	return NULL;
}

static const char *join_pieces(struct evaluation *e, uint64_t size, struct value *ret)
{
	struct arena *scratch = &e->services->scratch;
	struct lost_part *lost = ARENA_ARRAY(scratch, struct lost_part, e->num_pieces + 1);
	size_t num_lost = 0, at = 0, whole = 0;
	uint64_t bytes_lost = 0;

	for (size_t i = 0; i < e->num_pieces; i++)
		whole += (size_t)e->pieces[i].size;
	whole = whole < size ? (size_t)size : whole;
	if (whole > MAX_VALUE)
		return DAMAGED_DEBUG_INFORMATION;
	uint8_t *data = ARENA_ARRAY(scratch, uint8_t, whole);
	for (size_t i = 0; i < e->num_pieces; i++) {
		const struct piece *piece = &e->pieces[i];
		size_t end = at + (size_t)piece->size;
		struct value part = { 0 };

		if (!piece->is_in_memory && !piece->data) {
			lost[num_lost++] = (struct lost_part){ at, end };
			bytes_lost += piece->size;
		} else {
			const char *failure = read_piece(e, piece, piece->size, &part);

			if (failure)
				return failure;
			if (part.size < piece->size)
				return DAMAGED_DEBUG_INFORMATION;
			memcpy(data + at, part.data, part.size);
		}
		at = end;
	}
	if (at < size) { // Clang does not tell of what is lost at the end
		lost[num_lost++] = (struct lost_part){ at, (size_t)size };
		bytes_lost += size - at;
	}
	if (bytes_lost >= size)
		return OPTIMIZED_OUT;
	*ret = (struct value){ .data = data, .size = whole, .lost = lost, .num_lost = num_lost };
	return NULL;
}

const char *expression_value(const struct expression_place *place, struct target_location *location,
			     uint64_t size, struct value *ret)
{
	struct evaluation e;
	const char *failure = run(&e, place, location);

	if (failure)
		return failure;
	if (e.num_pieces)
		return join_pieces(&e, size, ret);
	struct piece piece = take_place(&e);
	if (!piece.is_in_memory && !piece.data)
		return e.is_synthetic ? "<synthetic pointer>" : OPTIMIZED_OUT;
	return read_piece(&e, &piece, size, ret);
}

const char *expression_number(const struct expression_place *place,
			      struct target_location *location, uint64_t *ret)
{
	struct evaluation e;
	const char *failure = run(&e, place, location);

	if (failure)
		return failure;
	if (e.num_pieces || (!e.data && !e.stack.count))
		return DAMAGED_DEBUG_INFORMATION;
	if (e.data)
		*ret = little_endian(e.data, e.data_size < WORD_SIZE ? e.data_size : WORD_SIZE);
	else
		*ret = e.stack.numbers[e.stack.count - 1];
	return NULL;
}
