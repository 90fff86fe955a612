// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without a debugger: a core file, or a process that is stopped until its memory is
// copied, or for as long as it is looked at. x86-64 Linux. Nothing is ever written to it. Knows
// neither OpenMP nor Python.

#ifndef OMPDBG_TARGET_H
#define OMPDBG_TARGET_H

#include <elfutils/libdw.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct target;
struct target_owner;

/** Why something failed: one line without a full stop. */
struct target_error {
	char text[4096 + 640]; // a path and a reason
};

/** Where the files are that the program has mapped. */
struct target_places {
	const char *program; // the program's file; NULL: where the target says that it is
	const char *sysroot; // put before every other path; NULL: nothing, or a process's own root
};

/**
 * Open a core file. @p file stays the caller's, and open as long as the target is.
 * @return NULL with @p error.
 */
struct target *target_open_core(int file, const struct target_places *places,
				struct target_error *error);

/**
 * Attach to a process and stop all of its threads. It goes on when its memory has been copied;
 * if that is too much, when the target is closed. All that is asked of it must be asked by the
 * thread that attached.
 * @return NULL with @p error; then the process goes on as before.
 */
struct target *target_attach(pid_t pid, const struct target_places *places,
			     struct target_error *error);

/** A thread that another process keeps stopped. */
struct target_stopped {
	pid_t lwp;
	const void *registers; // TARGET_REGISTERS words; NULL: unknown
	const void *vectors;   // TARGET_VECTOR_BYTES bytes; NULL: unknown
};

/**
 * Open a process that its tracer keeps stopped for as long as the target is open: this process need
 * not be allowed to attach to it. @p memory: its open /proc/PID/mem, which stays the caller's.
 * @return NULL with @p error.
 */
struct target *target_adopt(pid_t pid, int memory, const struct target_stopped *threads,
			    size_t num_threads, const struct target_places *places,
			    struct target_error *error);

enum { TARGET_BUILD_ID_SIZE = 64 };

struct target_build_id {
	size_t size; // 0: not known
	uint8_t bytes[TARGET_BUILD_ID_SIZE];
};

/** A file that another debugger has loaded for a target, or that a program once had. */
struct target_loaded {
	const char *path;    // as the target has it
	const char *opened;  // where it can be read
	const char *debug;   // the file with its debug information; NULL: none but `opened`
	const char *section; // one of its sections; NULL: the entry point
	uint64_t address;    // of that; of target_open_files() what to add to the file's addresses
	bool is_program;
	struct target_build_id build_id; // of target_open_files()
};

/** Read memory. @return bytes read from the start of the range. */
typedef size_t target_reader(void *context, uint64_t address, void *buffer, size_t size);

/**
 * Look at a target through another debugger, which has its threads. @p vdso: address of the code that
 * the kernel maps; 0: none.
 * @return NULL with @p error.
 */
struct target *target_borrow(const struct target_loaded *files, size_t count, uint64_t vdso,
			     target_reader *read, void *context, struct target_error *error);

/**
 * Look at the files that a program had, without its memory and threads.
 * @return NULL with @p error.
 */
struct target *target_open_files(const struct target_loaded *files, size_t count,
				 struct target_error *error);

/** Release everything; a process goes on. */
void target_close(struct target *target);

/** Return whose rights files are read with that the target names (owner.h); NULL: those of this process. */
const struct target_owner *target_owner(const struct target *target);

/** Check whether it is a process that is still stopped; else all answers come from copies. */
bool target_is_stopped(const struct target *target);

// ---- Memory and mappings ---------------------------------------------------------------------

/** Read memory. @return bytes read from the start of the range; 0 if none can be had. */
size_t target_read(struct target *target, uint64_t address, void *buffer, size_t size);

enum { TARGET_PAGE = 4096 };
/** Check whether a page of memory is as the file has it that is mapped there, and not writable. */
bool target_file_has(const struct target *target, uint64_t address, const void *page);

/** Return a value of the auxiliary vector (AT_ENTRY, ...). */
bool target_auxiliary(const struct target *target, uint64_t type, uint64_t *ret);

/** How the file is that the target has mapped. */
enum target_file_state {
	TARGET_FILE_VERIFIED,	// the same build id in file and memory
	TARGET_FILE_UNVERIFIED, // there is no build id, in one of them at least
	TARGET_FILE_MISMATCHED, // another build id, or other headers: it is not used
	TARGET_FILE_MISSING,	// cannot be opened
	TARGET_FILE_NO_OBJECT,	// holds no code
};

/** A file of which something is mapped. */
struct target_file {
	const char *path;   // as the target has it
	const char *opened; // where it was looked for
	uint64_t start, end;
	uint64_t bias; // what was added to its addresses; of one that is not used, 0
	enum target_file_state state;
	bool is_program;
	bool lacks_symbols; // or lines, which are there, but inflate beyond reason; of some it is found when they are asked for
	struct target_build_id in_memory, in_file;
};

size_t target_num_files(const struct target *target);
/** Return the file of that index; strings live as long as the target. */
struct target_file target_file_at(const struct target *target, size_t index);
/** Index of the file that covers an address; -1 if there is none. */
ssize_t target_file_index(const struct target *target, uint64_t address);

/** Check whether it is a core file that does not hold what its headers say. */
bool target_is_truncated(const struct target *target);

/** How the program of a core file has ended, as far as the file tells. */
struct target_end {
	pid_t process; // 0: unknown
	pid_t thread;  // that the signal has reached; 0: unknown
	int signal;    // 0: none, -1: unknown
	bool has_info;
	siginfo_t info;
};
const struct target_end *target_end(const struct target *target);

// ---- Threads ---------------------------------------------------------------------------------

/** Registers as the kernel orders them: struct user_regs_struct. */
enum { TARGET_REGISTERS = 27 };

size_t target_num_threads(const struct target *target);
/** LWP of a thread, in the target's order. */
pid_t target_thread_lwp(const struct target *target, size_t index);
/** Return the system's name of a process's thread; "" in a core file. */
const char *target_thread_name(const struct target *target, size_t index);
/** TARGET_REGISTERS registers; NULL if they are not known. */
const uint64_t *target_thread_registers(const struct target *target, size_t index);

/** Size of the registers xmm0 to xmm15, each of which has 16 bytes. */
enum { TARGET_VECTOR_BYTES = 256 };
/** So many bytes; NULL if they are not known. */
const uint8_t *target_thread_vectors(const struct target *target, size_t index);

/**
 * Address of thread-local storage. @p link_map: the loader's structure of the program or library
 * that has it; 0 in a program that is linked statically. @p offset: in its storage of a thread.
 * Links with libthread_db.
 */
bool target_thread_local(struct target *target, size_t thread, uint64_t link_map, uint64_t offset,
			 uint64_t *ret);

/** Registers by their numbers in DWARF (System V ABI for x86-64, 3.6.2), then orig_rax and fs_base: their
 *  names, and their places among those that the kernel stores. */
enum { TARGET_NAMED_REGISTERS = 19 };
extern const char *const target_register_names[TARGET_NAMED_REGISTERS];
extern const uint8_t target_register_places[TARGET_NAMED_REGISTERS];

/** Registers that functions leave unchanged: rbx, rbp, rsp, r12 to r15. */
enum { TARGET_KEPT_REGISTERS = 7 };
extern const uint8_t target_kept_registers[TARGET_KEPT_REGISTERS];
/** Return the index of a register among these; -1: it is none of them. */
int target_kept_index(unsigned int number);

struct target_frame {
	uint64_t pc;
	bool is_signal; // pushed by the kernel to call a handler
	bool known[TARGET_KEPT_REGISTERS];
	uint64_t kept[TARGET_KEPT_REGISTERS];
};

/**
 * Unwind a thread's stack, innermost frame first, as far as that is possible.
 * @return how many frames were put into @p frames, at most @p max.
 */
size_t target_unwind(struct target *target, size_t thread, struct target_frame *frames, size_t max);
/**
 * Find the caller of code that is in no file, and has been made at run time, or of what is no code at all: a
 * call by a bad pointer has led there. @p is_call: the frame goes on after a call.
 * @return false: the code does not show where it returns to.
 */
bool target_caller_without_rules(struct target *target, const struct target_frame *frame,
				 bool is_call, struct target_frame *ret);

// ---- Symbols ---------------------------------------------------------------------------------

struct target_symbol {
	const char *name; // lives as long as the target
	uint64_t address, size;
};

/** Return where a symbol is defined in a file of target_file_at(), unless it is thread-local. */
bool target_symbol_named(struct target *target, size_t file, const char *name, uint64_t *ret);
/** Find the offset of a thread-local variable in the storage that each thread has for its file. */
bool target_thread_local_named(struct target *target, size_t file, const char *name, uint64_t *ret);
/** Check for a symbol of a file that may be a variable of that name: within a scope of C++, and, unless
 *  @p only_scoped, in none. */
bool target_has_named(struct target *target, size_t file, const char *name, bool only_scoped);
/** Return the symbol that covers an address. */
bool target_symbol_at(struct target *target, uint64_t address, struct target_symbol *ret);
typedef void target_symbol_visitor(void *context, const struct target_symbol *symbol);
/** Visit the symbols of code and data of a file, by address. */
void target_visit_symbols(struct target *target, size_t file, target_symbol_visitor *visit,
			  void *context);

// ---- Debug information -----------------------------------------------------------------------

/** Return the unit of debug information of the code at an address, and what to subtract from it. */
bool target_unit_at(struct target *target, uint64_t address, Dwarf_Die *ret, uint64_t *bias);
/**
 * Return the function of a unit that has code at an address (without the bias), what is inlined
 * into it there, and the blocks of these, outermost first.
 * @return how many were put into @p scopes, at most @p max.
 */
size_t target_scopes(struct target *target, Dwarf_Die *unit, uint64_t address, Dwarf_Die *scopes,
		     size_t max);
/**
 * Go on to the next entry beside an entry: one that lies after it, whatever damaged debug
 * information says.
 */
bool target_next(Dwarf_Die *die);
/** List the entries around an entry, innermost first. @return how many, at most @p max. */
size_t target_parents(Dwarf_Die *die, Dwarf_Die *parents, size_t max);

/** A call in a function. */
struct target_call {
	Dwarf_Die entry;
	uint64_t returns; // address of the next instruction, without the bias
	bool is_tail;	  // a jump
	bool has_callee;
	Dwarf_Die callee; // perhaps only declared
};

typedef bool target_call_visitor(void *context, struct target_call *call);
/** Visit the calls that debug information has for a function, as long as @p visit is true. */
void target_visit_calls(Dwarf_Die *function, target_call_visitor *visit, void *context);

/** An expression of DWARF (2.5). */
struct target_location {
	Dwarf_Attribute attribute;
	Dwarf_Op *operations; // as long as the target lives
	size_t count;
};

/** Return an attribute that is an expression, or has one for an address (without the bias): none where the
 *  value is nowhere. */
bool target_location(Dwarf_Die *die, unsigned int name, uint64_t address,
		     struct target_location *ret);
/** Return the expression that an operation has as its operand (DW_OP_entry_value). */
bool target_location_within(struct target_location *location, size_t index,
			    struct target_location *ret);
/** Return the address that an operation names by an index (DW_OP_addrx). */
bool target_location_address(struct target_location *location, size_t index, uint64_t *ret);
/** Return the bytes that an operation has as its operand (DW_OP_implicit_value). */
bool target_location_bytes(struct target_location *location, size_t index, Dwarf_Block *ret);
/** Read the address (without the bias) of a variable that has always the same. */
bool target_variable_address(Dwarf_Die *die, uint64_t *ret);
/** Go on to the next unit of debug information of a file, from NULL on. @return false: there is none. */
bool target_next_unit(struct target *target, size_t file, Dwarf_CU **unit, Dwarf_Die *ret,
		      uint64_t *bias);
/** Split debug information that was asked for and not found. */
struct target_split {
	size_t num_missing; // units
	const char *file;   // of the first: the .dwo as the compiler named it
	bool is_unread;	    // that is a package (.dwp): this libdw reads none, or it lacks the unit
	const char *reader; // libdw's version
};

/** Tell which units were found to be missing so far. */
struct target_split target_split(const struct target *target);
/** Return the debug information of a file; NULL if there is none. */
Dwarf *target_dwarf(struct target *target, size_t file, uint64_t *bias);

#endif
