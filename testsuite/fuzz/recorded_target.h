// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorded targets as a debugger without a program: the OMPD callbacks over one of them, whose
// memory can be damaged and mended. Counts what the library asks for and allocates.

#ifndef RECORDED_TARGET_H
#define RECORDED_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../api/callbacks.h"

enum {
	RECORDED_PAGE = 4096,
};

struct recorded_page {
	uint64_t address;
	uint8_t *bytes;
	bool unreadable;
	uint64_t watched[RECORDED_PAGE / 8 / 64]; // bits of words that the library has read
};

struct recorded_symbol {
	const char *name, *file; // file: "" for any
	uint64_t address;	 // 0: there is none
};

struct recorded_thread {
	uint64_t pthread, lwp;
};

// What the services of a debugger tell (../recorded/printer/recorded_services.c). Texts: NULL is none.

struct recorded_function {
	const char *name, *symbol, *file;
	uint64_t start;
	int line;
};

enum { RECORDED_REGISTERS = 19 }; // by their numbers in services.h

struct recorded_registers {
	uint32_t known;
	uint64_t values[RECORDED_REGISTERS];
};

struct recorded_frame {
	struct recorded_function function;
	uint64_t pc;
	bool is_call, is_signal, is_inlined;
	const char *object;
	struct recorded_registers kept;
};

struct recorded_stack {
	int number; // of the thread
	bool is_selected;
	const char *name;
	struct recorded_registers registers;
	struct recorded_frame *frames; // innermost first
	uint32_t count;
};

struct recorded_range {
	uint64_t begin, end;
};

struct recorded_symbol_at {
	uint64_t address, offset;
	const char *name, *object;
};

struct recorded_function_at {
	uint64_t address; // or
	const char *name;
	struct recorded_function function;
};

struct recorded_services {
	const char *program;
	bool is_of_clang;
	int newest_gcc; // 0: unknown
	struct recorded_range *ranges;
	struct recorded_symbol_at *symbols_at;
	struct recorded_function_at *functions_at, *functions_named;
	struct recorded_stack *stacks; // one for each thread
	uint32_t range_count, symbol_at_count, function_at_count, function_named_count;
};

/** A place in memory, and what it holds there. */
struct recorded_word {
	uint64_t address, value;
};

struct recorded_target {
	const char *name;
	struct recorded_page *pages; // by address
	struct recorded_symbol *symbols;
	struct recorded_thread *threads;
	uint64_t *places; // that a debugger would ask about
	uint32_t page_count, symbol_count, thread_count, place_count;
	struct recorded_services services;
	struct recorded_block *blocks;	// that the library has allocated while it was chosen
	struct recorded_state *kept;	// NULL: none
	struct recorded_word *pointers; // all words that point to recorded memory, by value
	struct recorded_word *read;	// words that the library was seen to read, by address
	uint32_t pointer_count, read_count;
	// Hash tables of places in pages and symbols, plus one.
	uint32_t *page_slots, *symbol_slots, page_mask, symbol_mask;
};

/** Open a file of recorded_targets.py. @return The number of targets; does not return on failure. */
uint32_t recorded_open(const char *path, struct recorded_target **targets);

/** Choose the target that the callbacks answer for. */
void recorded_choose(struct recorded_target *target);

/** Begin to note which words the library reads, or end it and list them. */
void recorded_watch(bool on);

/** Damage memory of the chosen target until recorded_mend(); false if it has no such memory. */
bool recorded_write(uint64_t address, const void *bytes, size_t size);
bool recorded_lose_page(uint64_t address);
/** Lose all pages from @p first to @p last. */
void recorded_lose_pages(uint64_t first, uint64_t last);
void recorded_mend(void);

bool recorded_peek(uint64_t address, void *bytes, size_t size);

/** What the library has done since recorded_begin_call(). */
struct recorded_use {
	size_t kept, allocated; // bytes: what there was before, and at most at one time
};

void recorded_begin_call(void);
extern struct recorded_use recorded_use;
/** Reads and look-ups of one call; more abort the program. */
extern unsigned long recorded_max_requests;
/** Blocks, and bytes of them, that the library has allocated and nobody has freed. */
extern size_t recorded_blocks, recorded_bytes;

/** What the library keeps of a target: its blocks, and what is in them. What it frees of these is kept. */
struct recorded_state {
	struct recorded_block **blocks;
	uint8_t *bytes;
	size_t count, size;
	uint64_t last_serial; // of the blocks
};

void recorded_keep_state(struct recorded_state *state);
/**
 * Let the chosen target have these blocks again, with what was in them, and no others. False if it has
 * more or fewer: the library has replaced none by another one then, and may have lost some.
 */
bool recorded_restore_state(struct recorded_state *state);
void recorded_forget_state(struct recorded_state *state);

void recorded_free(const void *block);
/** Check whether this is a block of the chosen target. */
bool recorded_has(const void *block);

#endif
