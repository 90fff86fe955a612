// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tasks of Clang's were given that have not begun. The runtime calls a function with the task's record,
// in which copies of variables are. Debug information names no part of the record. Without optimisation, the
// function begins with a call that puts the address of each copy into its frame, where debug information of
// the code that was inlined into it expects this: so that much of the function is carried out, on a stack
// that does not exist.

#include "services/values/values.h"

#include <dwarf.h>
#include <string.h>

#include "libcode/code.h"

enum {
	RBP = 5, // of libcode
	RBP_OF_DWARF = 6,
	RSI = 6,
	RSP = 4,
	MAX_RECORD = 1 << 16,
};

static const char entry_prefix[] = ".omp_task_entry.";
static const uint64_t no_stack = UINT64_C(1) << 63; // no address of a program

static bool read_memory(void *target, uint64_t address, void *buffer, size_t size)
{
	return target_read(target, address, buffer, size) == size;
}

/** Find the code of the task in the function that the runtime calls. */
static bool find_inlined(Dwarf_Die *function, Dwarf_Die *ret)
{
	const char *name = entry_text(function, DW_AT_linkage_name);

	if (!name || !starts_with(name, entry_prefix) || dwarf_child(function, ret) != 0)
		return false;
	while (dwarf_tag(ret) != DW_TAG_inlined_subroutine) {
		if (!target_next(ret))
			return false;
	}
	return true;
}

/** Check that a function's frame is found by rbp. */
static bool has_frame_pointer(Dwarf_Die *function)
{
	struct target_location base;

	return target_location(function, DW_AT_frame_base, 0, &base) && base.count == 1 &&
	       base.operations[0].atom == DW_OP_reg0 + RBP_OF_DWARF;
}

/** Find where in the frame the address of a variable is. */
static bool slot_of(Dwarf_Die *variable, int64_t *ret)
{
	struct target_location place;

	if (dwarf_tag(variable) != DW_TAG_variable ||
	    !target_location(variable, DW_AT_location, 0, &place) || place.count != 2 ||
	    place.operations[0].atom != DW_OP_fbreg || place.operations[1].atom != DW_OP_deref)
		return false;
	*ret = (int64_t)place.operations[0].number;
	return true;
}

static bool carry_out(struct target_services *services, uint64_t entry, uint64_t record,
		      struct code_machine *ret)
{
	const struct code_memory memory = { read_memory, services->target };
	struct code_reader reader;

	*ret = (struct code_machine){ .architecture = &code_x86_64, .memory = memory };
	ret->registers[RSI] = (struct code_known){ .known = true, .bits = record };
	ret->registers[RSP] = (struct code_known){ .known = true, .bits = no_stack };
	code_reader_init(&reader, &code_x86_64, memory);
	return code_carry_out_first_call(&reader, ret, entry) && ret->registers[RBP].known;
}

size_t given_by_clang(struct unit *unit, Dwarf_Die *function, uint64_t record,
		      const struct ompdbg_given **ret)
{
	struct target_services *services = unit->services;
	struct ompdbg_given *found = NULL;
	size_t count = 0, capacity = 0;
	struct code_machine machine;
	Dwarf_Die inlined, variable;
	uint64_t entry;

	if (!find_inlined(function, &inlined) || !has_frame_pointer(function) ||
	    !unit_entry(unit, function, &entry) || dwarf_child(&inlined, &variable) != 0 ||
	    !carry_out(services, entry, record, &machine))
		return 0;
	do {
		struct code_known address = machine.registers[RBP];
		struct type type, plain;
		int64_t slot;

		if (!slot_of(&variable, &slot) || is_generated_name(variable_name(&variable)))
			continue;
		address.bits += (uint64_t)slot;
		address = code_load(&machine, address, WORD_SIZE);
		if (!address.known || address.bits - record >= MAX_RECORD ||
		    !type_of(&variable, unit, &type) || !type_plain(&type, &plain) ||
		    type_is_reference(&plain) || !type_size(&type))
			continue;
		*ARENA_APPEND(&services->arena, found, count, capacity) = (struct ompdbg_given){
			.name = arena_strdup(&services->arena, variable_name(&variable)),
			.value = given_value(unit, &type, address.bits),
		};
	} while (count < MAX_GIVEN && target_next(&variable));
	*ret = found;
	return count;
}
