// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code: what an instruction does, where a function's control flow leads, which function a
// call reaches and what it passes, what a function or a loop reads and writes. Knows architectures,
// but neither OpenMP nor debuggers nor object files.
//
// Nothing here allocates memory, keeps global state or does I/O. The caller owns every structure, and
// gives access to memory by a callback. Bytes come from a process that may be damaged or hostile: every
// function ends within fixed bounds, whatever they are. Sizes and widths are in bytes.
//
// A new architecture is one file with a struct code_architecture; see x86_64.c.

#ifndef OMPDBG_LIBCODE_CODE_H
#define OMPDBG_LIBCODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Results ---------------------------------------------------------------------------------

enum code_status {
	CODE_OK,
	CODE_UNREADABLE, // memory cannot be read
	CODE_UNDEFINED,	 // the bytes are no instruction, or a debugger's breakpoint hides it
	CODE_UNKNOWN,	 // the code does not show it
	CODE_TOO_LARGE,	 // there is more than the room that was given
	CODE_UNBOUND,	 // the dynamic linker has not bound it: nobody has called it from there
};

// ---- Instructions ----------------------------------------------------------------------------

/** Where control goes after an instruction. */
enum code_kind {
	CODE_OTHER, // to the next instruction
	CODE_CALL,
	CODE_JUMP,
	CODE_JUMP_IF, // conditional: to the target or the next instruction
	CODE_RETURN,
	CODE_TRAP, // nowhere: control does not come back
};

/**
 * The computation of an instruction. Its operands that are read are the inputs, in order; an input that
 * is written as well ("add %rax,%rbx") comes first. The one that is written is the result.
 */
enum code_operation {
	CODE_COMPUTE,	  // anything that has no name here
	CODE_NOTHING,	  // padding, hints, fences
	CODE_MOVE,	  // also of a narrow unsigned number into a wide register
	CODE_MOVE_SIGNED, // of a narrow signed number into a wide register
	CODE_MOVE_IF,	  // on a condition
	CODE_ADDRESS,	  // the address of the memory operand, which is not accessed
	CODE_ADD,
	CODE_SUBTRACT,
	CODE_MULTIPLY,
	CODE_SHIFT_LEFT,
	CODE_ZERO,    // the result is 0 whatever the register held ("xor %eax,%eax")
	CODE_COMPARE, // changes flags only: as a subtraction does
	CODE_TEST,    // as the bits do that both inputs have
	CODE_PUSH,
	CODE_POP,
	CODE_AND,
	CODE_XOR,
	CODE_LEAVE,  // the frame: its register is the stack's, and then popped
	CODE_SET_IF, // a byte to 1, if a condition holds, else 0
};

enum code_operand_kind {
	CODE_REGISTER,
	CODE_HIGH_BYTE, // bits 8 to 15 of a register (%ah)
	CODE_IMMEDIATE,
	CODE_MEMORY,
};

enum {
	CODE_READS = 1,
	CODE_WRITES = 2,
};

enum code_segment {
	CODE_PLAIN,
	CODE_THREAD_LOCAL, // counted from the thread pointer
	CODE_ELSEWHERE,	   // counted from what is not known
};

/**
 * Numbers of registers: general ones from 0 on (x86-64: by their encoding, rax is 0 and r15 is 15),
 * then the others. All are less than 64, so that a set of them is a uint64_t.
 */
enum {
	CODE_GENERAL = 32, // general registers have smaller numbers
	CODE_NO_REGISTER = 255,
};

struct code_operand {
	uint8_t kind;	// enum code_operand_kind
	uint8_t access; // CODE_READS, CODE_WRITES; of memory 0: only its address matters
	uint16_t width; // bytes accessed; 0: not known
	uint8_t base;	// CODE_REGISTER: the register. CODE_MEMORY: a register or none
	uint8_t index;	// CODE_MEMORY: likewise, times scale
	uint8_t scale;
	uint8_t segment; // enum code_segment
	bool implied;	 // not written in the assembly: the stack of push and call
	int64_t number; // the immediate, sign-extended, or the displacement; relative ones are resolved
};

enum { CODE_OPERANDS = 6 };

struct code_instruction {
	uint64_t address;
	uint8_t size;
	uint8_t kind;	   // enum code_kind
	uint8_t operation; // enum code_operation
	uint8_t condition; // CODE_JUMP_IF, CODE_SET_IF: the architecture's number of the condition
	bool is_direct;	   // of calls and jumps: target is known
	bool is_fence;	   // orders memory accesses and does nothing else
	bool is_opaque; // depends on, or changes, other things than registers and memory (system calls, clocks)
	uint8_t operand_count;
	uint64_t target; // of a call or jump
	/** Sets of registers; those of addresses are read. A write may be of the lower part only. */
	uint64_t reads, writes;
	struct code_operand operands[CODE_OPERANDS];
};

/** One architecture. */
struct code_comparison;

struct code_architecture {
	const char *name;
	uint8_t longest; // instruction
	uint8_t longest_call, shortest_call;
	uint8_t stack_register;
	uint8_t frame_register; // by convention, where there is one
	uint8_t flags_register;
	uint8_t argument_count;
	const uint8_t *arguments;	   // registers of a call's arguments
	uint8_t result;			   // register of what a call returns
	uint64_t kept;			   // registers that a function leaves as they were
	const char *const *register_names; // of the general ones
	uint8_t register_count;		   // general ones
	enum code_status (*decode)(uint64_t address, const uint8_t *bytes, size_t size,
				   struct code_instruction *ret);
	/** Tell whether a conditional jump is taken after a comparison. Returns false if that is not known. */
	bool (*is_taken)(uint8_t condition, const struct code_comparison *comparison, bool *ret);
	/** Check quickly whether bytes may begin with a call: false if decode() says that they do not. */
	bool (*may_call)(const uint8_t *bytes, size_t size);
};

extern const struct code_architecture code_x86_64;

/** Return the name of a general register, "rbx"; static; NULL for others. */
const char *code_register_name(const struct code_architecture *architecture, unsigned int reg);

/** Return where @p instruction ends. */
static inline uint64_t code_end(const struct code_instruction *instruction)
{
	return instruction->address + instruction->size;
}

/** Check whether a memory operand is at a fixed address, which then is its number. */
bool code_is_absolute(const struct code_operand *operand);

/** Check whether an instruction may write a register, or a word so far from where it points. */
bool code_may_write(const struct code_instruction *instruction, unsigned int reg);
bool code_may_write_word(const struct code_instruction *instruction, unsigned int reg,
			 int64_t offset);

/** The use that an instruction makes of fixed addresses and numbers. */
enum code_reference_kind {
	CODE_NO_REFERENCE,
	CODE_VARIABLE_READ,    // of a variable
	CODE_VARIABLE_ADDRESS, // of a variable is taken, or a constant that may be one
	CODE_FUNCTION_CALL,    // at that address, 0 if that is not in the instruction
	CODE_FUNCTION_JUMP,    // likewise, always taken
	CODE_NUMBER, // something is computed with a constant, which is in place of the address
};

struct code_reference {
	enum code_reference_kind kind;
	unsigned int width; // CODE_VARIABLE_READ: bytes
	uint64_t address;
};

/** Return the one reference of @p instruction that matters most. */
struct code_reference code_reference(const struct code_instruction *instruction);

// ---- Reading code ----------------------------------------------------------------------------

/** Memory of the process. */
struct code_memory {
	/** Read exactly @p size bytes; false if they cannot all be read. */
	bool (*read)(void *context, uint64_t address, void *buffer, size_t size);
	void *context;
};

enum {
	CODE_LINE = 256, // bytes that are read at once
	CODE_LINES = 64, // that a reader keeps
};

struct code_line {
	uint64_t address; // of the first byte
	uint32_t size;	  // less than CODE_LINE next to what cannot be read; 0: empty
	uint8_t bytes[CODE_LINE];
};

/**
 * The code of one process. Keeps what was read last, which holds until the process runs. Not for
 * several threads at once.
 */
struct code_reader {
	const struct code_architecture *architecture;
	struct code_memory memory;
	uint64_t word_address, word;	    // the pointer that was read last
	struct code_line lines[CODE_LINES]; // each for addresses with the same remainder
};

/** Prepare @p reader, which has nothing to free, or let it forget what was read. */
void code_reader_init(struct code_reader *reader, const struct code_architecture *architecture,
		      struct code_memory memory);

/** Read up to @p size bytes of code from @p address on; return how many could be read. */
size_t code_read(struct code_reader *reader, uint64_t address, void *buffer, size_t size);

/** Read a pointer of the process, for instance a slot of the global offset table. */
enum code_status code_read_word(struct code_reader *reader, uint64_t address, uint64_t *ret);

/** Decode the instruction at @p address. CODE_OK, CODE_UNREADABLE or CODE_UNDEFINED. */
enum code_status code_decode(struct code_reader *reader, uint64_t address,
			     struct code_instruction *ret);

// ---- Calls -----------------------------------------------------------------------------------

/**
 * Decode the call instruction that ends at @p return_address. Where several forms fit by accident the
 * one whose target exists is taken. CODE_UNKNOWN if there is none.
 */
enum code_status code_call_before(struct code_reader *reader, uint64_t return_address,
				  struct code_instruction *ret);

/**
 * Return the function that a call or tail jump reaches: directly or through a pointer at a fixed
 * address (a slot of the global offset table), and past stubs of the procedure linkage table.
 * CODE_UNKNOWN if it goes through a register; CODE_UNBOUND if the stub has not been used.
 */
enum code_status code_callee(struct code_reader *reader, const struct code_instruction *call,
			     uint64_t *ret);

/** Follow a stub of the procedure linkage table to its function; @p entry itself if it is none, or is
 *  not bound yet (CODE_UNBOUND). */
enum code_status code_follow_stub(struct code_reader *reader, uint64_t entry, uint64_t *ret);

// ---- Control flow of a function --------------------------------------------------------------

/** Instructions that follow one another: a call, a jump or what is jumped to ends a block. */
struct code_block {
	uint64_t begin, end;
	uint64_t last;	 // address of the last instruction
	uint64_t target; // of a direct call or jump, also if that leaves the function; else 0
	uint64_t pad;	 // landing pad of a call; 0: none
	uint8_t kind;	 // enum code_kind of the last instruction
	bool is_direct;
	bool goes_on; // to the next instruction
	bool jumps;   // to the target, in the function
	uint8_t mark; // of searches
	uint8_t next_count;
	uint32_t next[3]; // blocks; if there is a landing pad, the last one is its
	uint32_t link;	  // of searches
};

/** A function, as its caller knows it. */
struct code_function {
	uint64_t entry;
	/**
	 * Check whether code at @p address is of the function. NULL: all that is from `begin` to before
	 * `end` is.
	 */
	bool (*contains)(void *context, uint64_t address);
	/**
	 * Return where control goes on in the function if the call at @p call throws an exception, 0:
	 * nowhere. Returns false if that is not known. NULL: nowhere.
	 */
	bool (*landing_pad)(void *context, uint64_t call, uint64_t *ret);
	void *context;
	uint64_t begin, end;
};

/** The blocks that control can reach, by their addresses. The first one need not be the entry's. */
struct code_flow {
	struct code_block *blocks; // the caller's
	uint32_t capacity;
	uint32_t count;
	uint64_t entry;
	bool is_complete; // every way is known: no table of addresses, no unknown instruction
};

/**
 * Find the blocks of @p function. @p flow has blocks and capacity set. CODE_TOO_LARGE if there are
 * more; otherwise CODE_OK, and flow->is_complete says whether all is known.
 */
enum code_status code_flow_build(struct code_reader *reader, const struct code_function *function,
				 struct code_flow *flow);

/**
 * Remove the ways past calls that the program cannot have made yet: the dynamic linker binds a call's
 * slot before its function begins.
 */
void code_flow_remove_unbound(struct code_reader *reader, struct code_flow *flow);

/** Return the block that has code at @p address; NULL if there is none. */
struct code_block *code_flow_block(const struct code_flow *flow, uint64_t address);

/** Check whether a search does not go past the last instruction of a block. It marks blocks of the flow:
 *  no other search through these may begin meanwhile. */
typedef bool code_avoid(void *context, const struct code_block *block);

/**
 * Check whether control can come from before the instruction at @p from to before that at @p to, past
 * no block that @p avoid names (NULL: none), but for an exception that is thrown there. It can if both
 * are the same. What is answered of a flow that is not complete may miss ways.
 */
bool code_flow_reaches(const struct code_flow *flow, uint64_t from, uint64_t to, code_avoid *avoid,
		       void *context);

typedef bool code_visit(void *context, const struct code_instruction *instruction);

/**
 * Call @p visit for every instruction on such ways, but for that at @p to, until it returns false.
 * Returns false if it did, or an instruction could not be read.
 */
bool code_flow_between(struct code_reader *reader, const struct code_flow *flow, uint64_t from,
		       uint64_t to, code_avoid *avoid, code_visit *visit, void *context);

// ---- Where code returns to ---------------------------------------------------------------------

/** A number in terms of the registers at an instruction. */
struct code_place {
	uint8_t reg;	// plus `offset`; CODE_NO_REGISTER: unknown
	bool is_loaded; // the word there
	int64_t offset;
};

/** How the function around an instruction returns. */
struct code_return {
	struct code_place slot;	 // where the return address is
	struct code_place frame; // what the frame register holds for the caller
	uint64_t written;	 // registers that are changed on the way
};

/**
 * Follow every way from the instruction at @p pc to the end of its function, of which nothing else need be
 * known. CODE_UNKNOWN if one of them ends elsewhere, or has the return address in another place.
 */
enum code_status code_find_return(struct code_reader *reader, uint64_t pc, struct code_return *ret);

// ---- What a call passes ----------------------------------------------------------------------

/**
 * A value at a call: `value`, and if there is a register: plus `scale` times a number, which that
 * register holds in the calling frame, or memory at `offset` from where the register points.
 */
struct code_argument {
	uint8_t reg; // one that functions keep, or CODE_NO_REGISTER
	bool in_memory;
	int8_t width; // of the number; less than 0 if it has a sign
	int32_t offset;
	int64_t scale;
	uint64_t value;
};

/**
 * Return the argument @p number (the first is 0) of the call that returns to @p return_address.
 *
 * With @p flow, which must be complete, the answer holds on every way to the call. Without (NULL) it
 * is read out of the instructions before the call; code that jumps to between these is not seen.
 */
enum code_status code_argument(struct code_reader *reader, const struct code_flow *flow,
			       uint64_t return_address, unsigned int number,
			       struct code_argument *ret);

// ---- Carrying instructions out ---------------------------------------------------------------

/** A number that an instruction computes, if it is known. */
struct code_known {
	bool known;
	uint64_t bits;
	uint64_t copy;	     // where a copy of it was put into memory; 0: nowhere
	unsigned int origin; // of an unknown one, as the caller has numbered it; 0: none
};

enum { CODE_STORES = 128 }; // words that are noted

/** The last comparison, if its inputs are known. */
struct code_comparison {
	bool known, is_test;
	unsigned int width;
	uint64_t left, right; // as wide as that
};

/** Registers and memory as the instructions see them. */
struct code_machine {
	const struct code_architecture *architecture;
	struct code_memory memory;
	struct code_known registers[CODE_GENERAL];
	struct code_comparison comparison;
	struct {
		uint64_t address;
		uint16_t width; // bytes
		struct code_known value;
	} stores[CODE_STORES];
	size_t num_stores;
	uint64_t reused_begin, reused_end; // of the stack: what was there is overwritten
	bool is_partial;		   // of a function that was called, not all was carried out
};

/** Carry an instruction out. After a call, only registers that functions keep are known. */
void code_carry_out(struct code_machine *machine, const struct code_instruction *insn);

/**
 * Carry out a function from its entry on, and the first function that it calls, until that returns.
 * Returns false if the way depends on a condition, or is not known.
 */
bool code_carry_out_first_call(struct code_reader *reader, struct code_machine *machine,
			       uint64_t entry);

/** Decide about a function that is called or jumped to. */
enum code_entering {
	CODE_GO_IN,
	CODE_STEP_OVER, // it is unknown what it does
	CODE_STOP,
};
typedef enum code_entering code_enter(void *context, struct code_machine *machine, uint64_t entry);

/**
 * Carry out a call, and the functions that it reaches, until @p enter says so of one: then registers and
 * memory are as at its entry, and the answer is true. Else the call has come back; of a function in which
 * the way depends on what is not known, nothing is known.
 */
bool code_carry_out_call(struct code_reader *reader, struct code_machine *machine,
			 const struct code_instruction *call, code_enter *enter, void *context);

/** Load from memory. What the instructions have put there and is known comes first; all else is as it is
 *  now, which is what they have left there. */
struct code_known code_load(struct code_machine *machine, struct code_known address,
			    unsigned int width);

/** Return the address of an operand in memory. */
struct code_known code_operand_address(const struct code_machine *machine,
				       const struct code_operand *operand);
/** Put a word on the stack. */
void code_push(struct code_machine *machine, struct code_known value);
/** Forget what a function that was called need not leave as it was. */
void code_forget_call(struct code_machine *machine);

/** Return the lowest @p width bytes of a number. */
uint64_t code_truncate(uint64_t bits, unsigned int width);
uint64_t code_sign_extend(uint64_t bits, unsigned int width);

// ---- What a function does to memory ----------------------------------------------------------

enum {
	CODE_WINDOW = 8192, // bytes of a function that are looked at, at most
	CODE_DEPTH = 5,	    // loads in a row that are kept
	CODE_ACCESSES = 768,
	CODE_CALLEES = 48,
};

/** The start of a value. */
enum code_base {
	CODE_NO_VALUE = 0, // not known
	CODE_FIXED,	   // a number, or the address of a variable
	CODE_THREAD,	   // the thread pointer
	CODE_STACK,	   // the stack pointer at entry
	CODE_ARGUMENT,	   // the first argument at entry
	CODE_HELD,	   // what a register held at the beginning
};

/**
 * base + offset[0], and for each load one more: the word there + offset[1], and so on. A value of
 * depth 2 is "word at (word at (base + offset[0]) + offset[1]) + offset[2]".
 */
struct code_value {
	uint8_t base;  // enum code_base
	uint8_t reg;   // CODE_HELD
	uint8_t depth; // loads made
	int64_t offset[CODE_DEPTH + 1];
};

enum code_access_kind {
	CODE_READ,
	CODE_WRITE,
	CODE_UPDATE, // read and written by one instruction
	CODE_PASSED, // not accessed: passed to another function as its first argument
};

struct code_access {
	struct code_value address;
	uint8_t kind;	  // enum code_access_kind
	uint16_t width;	  // bytes; 0 for CODE_PASSED
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

/** The subject of an exploration. */
struct code_exploration {
	uint64_t entry;
	uint32_t size; // at most CODE_WINDOW; a jump out of it is one to another function
	/** An element of an array of pointers whose number is not known stands for all: the first. */
	bool any_element;
	bool further; // the accesses that the report has are kept, and these added
};

/** Follow every path of a function with symbolic registers; the result is in @p report. */
void code_explore(struct code_reader *reader, const struct code_exploration *exploration,
		  struct code_report *report);

/** Return a number as a value. */
struct code_value code_number(int64_t number);

/** Check whether @p a and @p b are the same expression. Unknown values equal nothing. */
bool code_value_equal(const struct code_value *a, const struct code_value *b);

// ---- Loops that only read --------------------------------------------------------------------

enum { CODE_SPIN_READS = 16 };

/** A loop that only reads memory: nothing that it does changes what it does next. */
struct code_spin {
	bool is_endless; // no way leads out, whatever it reads
	bool is_cut;	 // it reads more than there is room for
	uint8_t count;
	/** Where it reads, if that is an expression: of variables, or what registers hold (CODE_HELD). */
	struct code_value reads[CODE_SPIN_READS];
	uint16_t widths[CODE_SPIN_READS]; // bytes
	uint64_t
		deciding; // where the call returns to whose result alone ends the loop; 0: there is none
};

/** The question. */
struct code_spin_query {
	uint64_t pc;  // of the thread, in the function
	bool in_call; // it is in a harmless function that was called before pc
	/**
	 * Check whether calling the function at @p entry changes nothing that the loop depends on
	 * (sched_yield). NULL: none is so.
	 */
	bool (*is_harmless)(void *context, uint64_t entry);
	/** Check that an address lies outside of the function's own frame. NULL: no pointer's does. */
	bool (*is_elsewhere)(void *context, const struct code_value *address);
	void *context;
};

/** Find the loop around a pc that only reads. CODE_UNKNOWN if there is none. */
enum code_status code_find_spin(struct code_reader *reader, const struct code_spin_query *query,
				struct code_spin *ret);

// ---- Rounds of a loop --------------------------------------------------------------------------

enum { CODE_ROUND_READS = 48 };

struct code_round_read {
	uint64_t address;
	uint16_t width; // bytes
	uint64_t value; // of a number that is known
};

/** The places in memory that a thread reads, in order, until it is back where it is. */
struct code_round {
	struct code_round_read reads[CODE_ROUND_READS];
	unsigned int count;
	bool leaves; // it does not come back: it writes elsewhere before, or calls what matters
};

struct code_round_query {
	code_enter *enter; // CODE_STEP_OVER: the function changes nothing that matters
	void *context;
	uint64_t stack_begin, stack_end; // the thread's own: to write there is no matter
};

/**
 * Carry out, with the registers of @p machine and memory as they are, what a thread does next, until it is
 * back at @p pc with nothing changed: it does the same until what it reads is changed. CODE_UNKNOWN if it
 * does not come back (@p ret says if that is sure), or depends on what is not known.
 */
enum code_status code_find_round(struct code_reader *reader, const struct code_machine *machine,
				 uint64_t pc, const struct code_round_query *query,
				 struct code_round *ret);

#endif
