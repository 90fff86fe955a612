// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libompdbg asks of a debugger: one table of functions. GDB's plug-in and libtarget fill it.
//
// Rules for all of them:
// - `context` is that of the table. Calls come from one thread, one at a time.
// - They return NULL or an error that the caller owns (error.h). OMPDBG_ABSENT is the answer for
//   what does not exist: no symbol covers the address, there is no such function. It is never the
//   answer to a failure.
// - Strings and arrays that they give belong to the implementer. They stay valid until the program
//   runs, its files change, or the implementer is closed. Names may hold any bytes.
// - Addresses are those of the target. No function writes to the target or runs code in it.

#ifndef OMPDBG_SERVICES_H
#define OMPDBG_SERVICES_H

#include <stddef.h>

#include "ompdbg/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Threads ---------------------------------------------------------------------------------

/** A thread as the debugger sees it. */
struct ompdbg_target_thread {
	int number;	   // the debugger's, in its inferior, from 1 on
	const char *label; // as the debugger prints it: "3", or "2.3" with several inferiors
	const char *name;  // what the system calls it; "" if it has no name
	int64_t lwp;	   // its id in the system
	bool running;	   // it was not stopped: nothing else can be asked of it
	bool selected;	   // the user has selected it
};

/** Registers, by their numbers in DWARF (System V ABI for x86-64, 3.6.2), and three more. */
enum ompdbg_register {
	OMPDBG_RAX = 0,
	OMPDBG_RDX = 1,
	OMPDBG_RCX = 2,
	OMPDBG_RBX = 3,
	OMPDBG_RSI = 4,
	OMPDBG_RDI = 5,
	OMPDBG_RBP = 6,
	OMPDBG_RSP = 7,
	OMPDBG_R8 = 8, // r8 to r15 are 8 to 15
	OMPDBG_R15 = 15,
	OMPDBG_RIP = 16,
	OMPDBG_ORIG_RAX = 17,	    // the number of the system call
	OMPDBG_THREAD_POINTER = 18, // fs_base; with glibc the pthread_t
	OMPDBG_NUM_REGISTERS = 19,
};

struct ompdbg_registers {
	uint32_t known; // bit 1 << number for each that is known
	uint64_t values[OMPDBG_NUM_REGISTERS];
};

// ---- Stacks ----------------------------------------------------------------------------------

/** One frame of a stack. */
struct ompdbg_frame {
	int level;	    // the debugger's number of the frame, 0 for the innermost
	uint64_t pc;	    // where it goes on: the return address in a frame that called another
	bool is_call;	    // pc is a return address: neither innermost nor interrupted
	bool is_signal;	    // pushed by the kernel to call a signal handler
	bool is_inlined;    // the function was inlined into that of the next older frame
	bool is_tail_call;  // deduced: it left no trace on the stack, and has no registers
	bool is_cut_off;    // the oldest that was found: the debugger failed to unwind further
	const char *object; // path of the shared object of pc; NULL in the program itself
	uint64_t cookie;    // the implementer's
};

/** The place of a frame or function in the program. */
struct ompdbg_function {
	const char *name;   // as debuggers print it; NULL: unknown, as in a stripped program
	const char *symbol; // the linker's name where known, else as `name`
	uint64_t start;	    // entry point; 0: unknown
	const char *file;   // source file, as debug information has it; NULL: unknown
	int line;	    // 0: unknown
};

// ---- Names -----------------------------------------------------------------------------------

/** A file of which code or data is mapped. */
struct ompdbg_object {
	const char *path;   // as the target has it
	const char *opened; // where it can be read on this machine; NULL: nowhere
	bool is_program;
};

/** The symbol that covers an address. */
struct ompdbg_symbol {
	const char *name;
	uint64_t offset;    // of the address in it
	const char *object; // path of its shared object; NULL: the program itself
};

/** The layout of a field of a structure, or of the structure. */
struct ompdbg_layout {
	uint64_t offset, size; // bytes; of a bit field those of the unit that holds it
	uint32_t bit_offset;   // in that unit, from its least significant bit on
	uint32_t bit_size;     // 0: no bit field
};

/** A variable of a frame. */
struct ompdbg_variable {
	const char *name;
	const char *value; // as the debugger prints it, on one line
};

/** A variable that a task was given when it was created. */
struct ompdbg_given {
	const char *name;
	const char *value;
	bool is_shared; // the task has its address, not a copy of its own
};

/** A pointer on the way to what an instruction accesses. */
struct ompdbg_pointer {
	uint64_t address;	  // where it is in memory; 0: it was not read from there
	bool in_register;	  // it is in a register of the frame
	enum ompdbg_register reg; // general
	int64_t offset;		  // to the next pointer or, of the last one, to what is accessed
};

enum { OMPDBG_POINTERS = 6 }; // at most

enum ompdbg_variables { OMPDBG_ARGUMENTS, OMPDBG_LOCALS };

/** Where a variable of a construct's code comes from. */
enum ompdbg_storage {
	OMPDBG_STORAGE_UNKNOWN,
	OMPDBG_STORAGE_OUTER,  // it is that of the function around the construct
	OMPDBG_STORAGE_PASSED, // a scalar in the block of data that the code was given
	OMPDBG_STORAGE_COPY,   // the code's own, made of a value that it was given
	OMPDBG_STORAGE_OWN,    // the code's own, of which it was given nothing
};

/** Name of an address that is wanted. */
enum ompdbg_naming {
	OMPDBG_NAME_OF_PLACE, // an expression for what is there: "v.lock_", "this->lock_", "*held"
	OMPDBG_NAME_OF_POINTER, // likewise, but what holds the address has the name: "held"
	OMPDBG_NAME_OF_HOLDER,	// what holds the address, "guard.mutex", before what is there
};

/** The value of an expression. */
struct ompdbg_value {
	const char *text;    // as the debugger prints it, on one line; NULL: there is none
	const char *problem; // why there is none, "no symbol x", "<optimized out>"
	bool is_unknown;     // a name in the expression stands for nothing in the frame
	bool is_shared;	     // it is the same in all frames at the same place, of all threads
	bool is_number;	     // an integer or floating-point number, which may be a NaN
	long double number;
};

// ---- The table -------------------------------------------------------------------------------

struct ompdbg_services {
	size_t size; // sizeof(struct ompdbg_services) of the implementer
	void *context;

	/** Read exactly @p size bytes. UNREADABLE has the first address that cannot be read. */
	struct ompdbg_error *(*read_memory)(void *context, uint64_t address, void *buffer,
					    size_t size);

	/** List all threads by number. */
	struct ompdbg_error *(*threads)(void *context, const struct ompdbg_target_thread **ret,
					size_t *count);
	/** Read the registers of @p wanted (bits as in `known`) in a stopped thread's innermost
	 *  frame. Those that cannot be had are missing from `known`. */
	struct ompdbg_error *(*registers)(void *context, int thread, uint32_t wanted,
					  struct ompdbg_registers *ret);
	/** Unwind a stopped thread's stack, innermost frame first, at most @p most frames: fewer if
	 *  it ends before. Frames are those of one array; a later call for the same thread may only
	 *  add to it, and move it. */
	struct ompdbg_error *(*unwind)(void *context, int thread, size_t most,
				       const struct ompdbg_frame **ret, size_t *count);
	/** Read a register that functions leave unchanged (rbx, rbp, rsp, r12 to r15) as it was in
	 *  a frame. UNAVAILABLE if nobody has saved it. */
	struct ompdbg_error *(*frame_register)(void *context, int thread,
					       const struct ompdbg_frame *frame,
					       enum ompdbg_register number, uint64_t *ret);
	/** Find the function and the source line of a frame: `file` and `line` are those of its pc.
	 *  ABSENT: the place is unknown. */
	struct ompdbg_error *(*frame_place)(void *context, int thread,
					    const struct ompdbg_frame *frame,
					    struct ompdbg_function *ret);
	/** List the arguments of a frame's function, or its local variables, innermost block first.
	 *  None without debug information. */
	struct ompdbg_error *(*variables)(void *context, int thread,
					  const struct ompdbg_frame *frame,
					  enum ompdbg_variables which,
					  const struct ompdbg_variable **ret, size_t *count);

	/** Path of the program; "" if it is unknown. */
	const char *(*program)(void *context);
	/** Find the file from which an address is mapped. */
	struct ompdbg_error *(*object_at)(void *context, uint64_t address,
					  struct ompdbg_object *ret);
	/** Find the address of a symbol, in objects whose file is named @p object only if that is
	 *  not NULL. A thread-local symbol has an address only with @p thread, which is 0 for none. */
	struct ompdbg_error *(*symbol_address)(void *context, const char *name, const char *object,
					       int thread, uint64_t *ret);
	/** Find the symbol that covers an address. */
	struct ompdbg_error *(*symbol_at)(void *context, uint64_t address,
					  struct ompdbg_symbol *ret);
	/** Find the function that covers an address: `file` and `line` are those of its definition;
	 *  of an outlined function, those of the construct. */
	struct ompdbg_error *(*function_at)(void *context, uint64_t address,
					    struct ompdbg_function *ret);
	/** Find the function with a linkage name, in the program or a library. */
	struct ompdbg_error *(*function_named)(void *context, const char *symbol,
					       struct ompdbg_function *ret);
	/** Name the variable, or its element or member, that begins at an address, as its language
	 *  writes it: "locks[3]". @p is_lock: it is a lock; else the outermost that begins there.
	 *  @p near: code that may see it, or 0. ABSENT: its type is unknown. */
	struct ompdbg_error *(*variable_at)(void *context, uint64_t address, bool is_lock,
					    uint64_t near, const char **ret);
	/** Name what a frame knows an address by. ABSENT: nothing in the frame has it. */
	struct ompdbg_error *(*frame_name)(void *context, int thread,
					   const struct ompdbg_frame *frame, uint64_t address,
					   enum ompdbg_naming naming, const char **ret);
	/** Find the layout of a structure in debug information, or of one of its fields ("a.b" for a
	 *  field of a field) if @p field is not NULL. @p object as in symbol_address; NULL: the
	 *  program and OpenMP runtimes. */
	struct ompdbg_error *(*layout)(void *context, const char *structure, const char *field,
				       const char *object, struct ompdbg_layout *ret);

	/** Find the latest major release of GCC that compiled something in the file which covers an
	 *  address (.comment). */
	struct ompdbg_error *(*newest_gcc)(void *context, uint64_t address, int *ret);

	/** Check whether the user wants the command to end (Ctrl-C). */
	bool (*interrupted)(void *context);
	/** Print or drop a line that an OMPD library wants to say. */
	void (*log)(void *context, const char *line);

	/** Find the function and the source line of code at an address: of functions that are
	 *  inlined there, the innermost. ABSENT: the place is unknown. */
	struct ompdbg_error *(*code_place)(void *context, uint64_t address,
					   struct ompdbg_function *ret);
	/** Find when the program was stopped, in ns of its machine's CLOCK_MONOTONIC. ABSENT: that
	 *  is unknown, as of core files. */
	struct ompdbg_error *(*stop_time)(void *context, uint64_t *ret);
	/** Find the whole path of a source file as debug information named it for code at an address,
	 *  on the machine where that was compiled. ABSENT: no debug information covers the code. */
	struct ompdbg_error *(*source_path)(void *context, uint64_t address, const char *file,
					    const char **ret);

	/** Evaluate an expression in a frame. What @p expression consists of depends on the
	 *  implementer, but for "a@5", an array of 5 elements from a on. @p format: the letter of GDB's
	 *  "print/x", 0 for none. BAD_INPUT: the expression is wrong wherever it is evaluated, or would
	 *  change the program. */
	struct ompdbg_error *(*evaluate)(void *context, int thread,
					 const struct ompdbg_frame *frame, const char *expression,
					 char format, struct ompdbg_value *ret);

	/** Find where a local variable of a frame, whose function a compiler made of a construct,
	 *  comes from. UNKNOWN also of other functions. */
	struct ompdbg_error *(*variable_storage)(void *context, int thread,
						 const struct ompdbg_frame *frame, const char *name,
						 enum ompdbg_storage *ret);
	/** Name what @p pointers lead to, from a variable of the frame or a global one on, as the
	 *  source would: "mesh->next[2]". @p address: what must be there, of @p width bytes. @p last: the
	 *  last pointer, "mesh->next". ABSENT: no variable has one of the pointers, or the types do not
	 *  fit. */
	struct ompdbg_error *(*access_name)(void *context, int thread,
					    const struct ompdbg_frame *frame,
					    const struct ompdbg_pointer *pointers, size_t count,
					    uint64_t address, unsigned int width, const char **ret,
					    const char **last);

	/** List the variables that a task was given which has not begun. @p code: entry point of its
	 *  code; @p argument: the address that this gets, of Clang's the second argument. ABSENT: debug information does not tell. */
	struct ompdbg_error *(*task_variables)(void *context, uint64_t code, uint64_t argument,
					       const struct ompdbg_given **ret, size_t *count);
	/** Find the address that the file has for what is mapped at an address: the one that is given to
	 *  tools which read the file, such as addr2line. ABSENT: it is in no file, or that is unknown. */
	struct ompdbg_error *(*file_address)(void *context, uint64_t address, uint64_t *ret);
};

#ifdef __cplusplus
}
#endif

#endif
