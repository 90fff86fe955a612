// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what a short function does to memory out of its instructions, by following them with
// symbolic registers. Knows instructions, nothing of OpenMP or of any runtime.

#ifndef OMPDBG_CODE_H
#define OMPDBG_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CODE_WINDOW = 8192, // bytes of a function that are looked at, at most
	CODE_NEAR = 1024,   // ... of a small one: a jump out of them is one to another function
	CODE_DEPTH = 5,	    // loads in a row that are kept
	CODE_REGISTERS = 32,
	CODE_PENDING = 64,  // paths that wait to be followed
	CODE_FORKS = 4,	    // times that one branch is followed both ways
	CODE_STEPS = 32768, // instructions over all paths
	CODE_ACCESSES = 768,
	CODE_CALLEES = 48,
};

/** What a value starts from. */
enum code_base {
	CODE_UNKNOWN = 0,
	CODE_ABSOLUTE, // a number, or the address of a variable
	CODE_THREAD,   // the thread pointer
	CODE_STACK,    // the stack pointer at entry
	CODE_ARGUMENT, // the first argument at entry
};

/**
 * base + offset[0], and for each load one more: the word there + offset[1], and so on. A value of
 * depth 2 is "word at (word at (base + offset[0]) + offset[1]) + offset[2]".
 */
struct code_value {
	uint8_t base;  // enum code_base
	uint8_t depth; // loads made
	int64_t offset[CODE_DEPTH + 1];
};

enum code_access_kind {
	CODE_READ,
	CODE_WRITE,
	CODE_UPDATE, // read and written by one instruction
	CODE_PASSED, // not accessed: handed to another function as its first argument
};

struct code_access {
	struct code_value address;
	uint8_t kind;	  // enum code_access_kind
	uint8_t width;	  // bytes; 0 for CODE_PASSED
	bool thread_slot; // a read of the word that holds a thread-local variable's offset
};

/** Everything found in one function. */
struct code_report {
	struct code_access access[CODE_ACCESSES];
	unsigned int count;
	bool complete; // every path was followed to its end and understood
	bool cut;      // loops were followed a few times only: not all accesses may be there
	uint64_t tail; // another function that it jumps to, 0 if there is none
	uint64_t callee[CODE_CALLEES]; // the first functions that it calls by their addresses
	unsigned int callee_count;
};

/** A function in the target. */
struct code_window {
	uint64_t address;
	const uint8_t *bytes;
	size_t size; // at most CODE_WINDOW
	/** Reads a word of the target's memory; false if it can't. */
	bool (*read_word)(void *context, uint64_t address, uint64_t *ret);
	void *context;
	/** An element of an array of pointers whose number is not known stands for all: the first. */
	bool any_element;
	bool further; // the accesses that the report has are kept, and these added
};

struct code_state {
	uint64_t pc;
	struct code_value reg[CODE_REGISTERS];
};

/** One exploration. Owned by code_explore(), seen by the architectures. */
struct code_explorer {
	const struct code_window *window;
	struct code_report *report;
	unsigned int steps;
	unsigned int pending_count;
	uint8_t forks[CODE_WINDOW]; // by offset of the instruction in the window
	struct code_state pending[CODE_PENDING];
};

enum code_step {
	CODE_NEXT, // state->pc is the next instruction
	CODE_END,  // the path leaves the function as it should
	CODE_LOST, // not understood, or out of the window
};

enum code_event_kind {
	CODE_EVENT_OTHER,
	CODE_EVENT_READ,    // of a variable
	CODE_EVENT_ADDRESS, // of a variable or a constant is taken
	CODE_EVENT_CALL,    // of the function at that address, 0 if not known
	CODE_EVENT_JUMP,    // always taken, likewise
	CODE_EVENT_NUMBER, // something is reckoned with a constant, which is in place of the address
};

/** What one instruction has to do with fixed addresses. */
struct code_event {
	enum code_event_kind kind;
	unsigned int width; // CODE_EVENT_READ: bytes
	uint64_t address;
};

/** What one architecture provides. */
struct code_architecture {
	const char *name;
	/** Registers as they are at a function's entry. The rest is CODE_UNKNOWN. */
	void (*enter)(struct code_state *state);
	/** Follows the instruction at state->pc. */
	enum code_step (*step)(struct code_explorer *explorer, struct code_state *state);
	/**
	 * Tells about the instruction at @p pc without following anything, for functions too long
	 * to be explored. Returns its length, 0 if it is not understood.
	 */
	unsigned int (*scan)(uint64_t pc, const uint8_t *bytes, size_t size,
			     struct code_event *event);
};

extern const struct code_architecture code_x86_64;

/** Follows every path of the function in @p window; the result is in @p report. */
void code_explore(const struct code_architecture *architecture, const struct code_window *window,
		  struct code_report *report);

/** True if @p a and @p b are the same expression. Unknown values equal nothing. */
bool code_value_equal(const struct code_value *a, const struct code_value *b);

/** A number. */
struct code_value code_number(int64_t number);

/** @p value + @p number. */
struct code_value code_value_plus(struct code_value value, int64_t number);

/** @p a + @p b, where the result can be expressed; a thread-local variable's offset is looked up. */
struct code_value code_value_sum(struct code_explorer *explorer, const struct code_value *a,
				 const struct code_value *b);

/** Notes an access and returns the word that a read of 8 bytes gives. */
struct code_value code_touch(struct code_explorer *explorer, const struct code_value *address,
			     enum code_access_kind kind, unsigned int width);

/** Remembers to go on at @p pc with a copy of @p state; false if this branch had its turns. */
bool code_fork(struct code_explorer *explorer, const struct code_state *state, uint64_t pc);

#endif
