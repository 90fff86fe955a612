// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where values are: registers of frames, and expressions of DWARF 5 (2.5, 2.6) that are computed with
// them.
//
// A function that finds a value returns NULL; otherwise the text that stands for the value:
// "<optimized out>", or "<unavailable: REASON>".

#ifndef OMPDBG_TARGET_EXPRESSION_H
#define OMPDBG_TARGET_EXPRESSION_H

#include "services/internal.h"

extern const char OPTIMIZED_OUT[], DAMAGED_DEBUG_INFORMATION[], MAYBE_WRONG[];

/** Numbers that DWARF has for registers besides those of the services: xmm0 and the next 15. */
enum { FIRST_VECTOR = OMPDBG_RIP + 1, NUM_DWARF_REGISTERS = FIRST_VECTOR + 16 };

enum { MAX_VALUE = 1 << 20 }; // bytes; larger values are not read

/** A frame that was pushed, with all that is inlined there. */
struct frame_context {
	struct target_services *services;
	size_t thread;	   // index in the target
	size_t pushed;	   // number from the innermost frame on; NOT_PUSHED: left by a jump
	uint64_t pc, bias; // address = address in debug information + bias
	bool is_call;	   // pc is a return address
	struct unit *unit; // NULL: without debug information, nor has it a function then
	Dwarf_Die function;
	bool is_llvms;	// LLVM made the debug information
	uint32_t known; // bit 1 << number for each register below
	uint64_t registers[FIRST_VECTOR];
	const uint8_t *vectors; // all of them; NULL: unknown
};

#define NOT_PUSHED SIZE_MAX

/** Bytes of a value that are nowhere any more. */
struct lost_part {
	uint64_t begin, end;
};

/** A value as it is stored. Lives until the arena `scratch` is cleared. */
struct value {
	const uint8_t *data;
	size_t size;
	bool is_in_memory;
	uint64_t address;
	const struct lost_part *lost;
	size_t num_lost;
};

/** Write the text of a value that cannot be had. */
const char *unavailable(struct target_services *services, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** Write the text for memory that cannot be read. */
const char *no_memory(struct target_services *services, uint64_t address);
/** Read memory into the arena `scratch`. */
const char *read_value(struct target_services *services, uint64_t address, size_t size,
		       struct value *ret);
/** Find a part of a value. */
const char *value_part(struct target_services *services, const struct value *value, uint64_t offset,
		       uint64_t size, const uint8_t **ret);
/** Read a word of a value. */
const char *value_word(struct target_services *services, const struct value *value, uint64_t offset,
		       uint64_t *ret);
/** Read a number of at most 8 bytes. */
uint64_t little_endian(const uint8_t *data, size_t size);

// ---- Frames (../frames/context.c) ------------------------------------------------------------

/** Find what is known of a frame. */
struct frame_context *frame_context(struct target_services *services, size_t thread,
				    const struct ompdbg_frame *frame);
/** Return the address of the instruction that has not ended, without the bias. */
uint64_t context_address(const struct frame_context *context);
/** Read a register. @p ret has room for both words of a vector. */
const char *context_register(const struct frame_context *context, uint64_t number, uint64_t *ret);
/** Find the stack pointer of the next older frame. */
const char *context_caller_stack(const struct frame_context *context, uint64_t *ret);
/** Compute the frame base of the function. */
const char *context_base(const struct frame_context *context, int depth, uint64_t *ret);
/** Find what a register was when the function began, as far as the caller has it. */
const char *context_entry_register(const struct frame_context *context, uint64_t number, int depth,
				   uint64_t *ret);
/** Find the address of a thread-local variable of the frame's program or library. */
const char *context_thread_local(const struct frame_context *context, uint64_t offset,
				 uint64_t *ret);

// ---- Expressions (expression.c, arithmetic.c) -------------------------------------------------

/** The place for which an expression is computed. */
struct expression_place {
	const struct frame_context *context;
	const uint64_t *object; // address of the value of which something is computed; NULL
	int depth;		// of expressions that need others; 0 at first
};

/** Read a value of @p size bytes that is where an expression says. */
const char *expression_value(const struct expression_place *place, struct target_location *location,
			     uint64_t size, struct value *ret);
/** Compute the number that an expression stands for. */
const char *expression_number(const struct expression_place *place,
			      struct target_location *location, uint64_t *ret);
/** Return the register that an operation says a value is in. */
bool operation_register(const Dwarf_Op *operation, uint64_t *ret);

enum { MAX_OPERANDS = 64 };

/** The numbers on which operations work. */
struct operands {
	uint64_t numbers[MAX_OPERANDS];
	size_t count;
};

enum arithmetic { ARITHMETIC_DONE, ARITHMETIC_UNKNOWN, ARITHMETIC_DAMAGED };

/** Do an operation that needs nothing but numbers. */
enum arithmetic arithmetic_do(struct operands *stack, unsigned int atom, uint64_t number);

#endif
