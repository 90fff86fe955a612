// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of libtarget share.

#ifndef OMPDBG_TARGET_INTERNAL_H
#define OMPDBG_TARGET_INTERNAL_H

#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "direct.h"
#include "owner.h"
#include "ranges.h"
#include "target.h"

enum { PAGE = 4096, WORD = 8, NO_FILE = -1 };
enum { MAX_NESTING = 200 }; // of entries of debug information: damaged ones may go round in circles

/** A part of memory that a core file holds, or should hold. */
struct segment {
	uint64_t start, end; // of memory
	uint64_t held;	     // bytes from the start on that are in the core file
	uint64_t offset;     // where in it
};

/** A part of memory that is mapped from a file. */
struct mapping {
	uint64_t start, end;
	uint64_t offset; // in the file
	ssize_t file;	 // index in struct target
};

/** A part of memory that can be executed. */
struct executable {
	uint64_t start, end;
};

/** A part of a file that no process can have changed. */
struct constant_part {
	uint64_t offset, end;
};

enum { MAX_CONSTANT_PARTS = 16 };

/** The code of some entries of debug information, by address. */
struct code_ranges {
	struct code_range *all;
	size_t count;
};

struct mapped_file {
	char *path, *opened;
	const struct target_loaded *loaded; // while files are opened
	char *debug;			    // separate debug information, of which a debugger knows
	bool has_debugger;		    // one has loaded it; else libdw looks for that
	bool has_looked;		    // at what libdw may inflate
	int descriptor;			    // -1 if closed
	struct target_file told;
	struct constant_part parts[MAX_CONSTANT_PARTS];
	size_t num_parts;
	uint64_t bias;
	Dwfl_Module *module; // NULL: not used
	bool has_symbols;
	struct named_symbol *symbols; // by name
	size_t num_symbols;
	bool has_places;
	struct symbol_place *places; // by address
	size_t num_places;
	bool has_units;
	struct code_ranges units;
	void *split_units; // a tree of search.h
};

enum { THREAD_NAME = 32 };

struct thread {
	pid_t lwp;
	bool has_stopped, has_registers;
	char name[THREAD_NAME];
	int signal; // that it was about to get, and is given when it goes on
	uint64_t registers[TARGET_REGISTERS];
	bool has_vectors;
	uint8_t vectors[TARGET_VECTOR_BYTES];
	const struct target_frame *unwound_from; // a frame that has called; NULL: the innermost one
};

/** A part of a copy of memory. */
struct area {
	uint64_t start, end;
	const char *bytes;
	bool is_zero; // and not copied
};

struct snapshot {
	struct area *areas; // by address
	size_t count;
	size_t mapping; // the first area of the last mapping
	char *bytes;	// NULL: there is no copy
	size_t size;
};

/** A note what call frame information says of code at an address. */
struct frame_rules {
	uint64_t pc;
	bool exist;
	bool keep_rbx; // as it was at the call
};

enum { FRAME_RULES = 256 };

struct target {
	pid_t pid;		    // 0: not known
	int core;		    // descriptor, -1 for a process
	uint64_t core_size;	    // of its file
	struct target_end end;	    // of a core file
	struct direct direct;	    // of a process
	struct target_owner *owner; // whose rights files are read with that it names; NULL: ours
	uid_t core_user;	    // of the process, as a core file has it
	gid_t core_group;
	struct snapshot snapshot;
	uint64_t mapped; // a sum over what the process has mapped from files
	bool is_let_go;
	bool is_adopted;      // another process keeps it stopped
	bool has_files_alone; // and no memory
	target_reader *read;  // of a target that another debugger looks at; NULL
	void *reader;
	struct target_places places;
	char *program, *sysroot; // what these point to
	bool is_own_root;	 // the sysroot is the root of the process
	struct segment *segments;
	size_t num_segments;
	struct mapping *mappings; // by address
	size_t num_mappings;
	struct executable *executables;
	size_t num_executables;
	struct mapped_file *files;
	size_t num_files;
	struct thread *threads;
	size_t num_threads;
	uint64_t *auxiliary; // pairs of type and value
	size_t num_auxiliary;
	size_t num_split_missing;	  // units of which but the skeleton is there
	char *split_missing;		  // the file of the first
	bool has_package;		  // it is a package that libdw does not read
	struct unit_functions *functions; // of units that were asked for
	size_t num_functions;
	Dwfl *dwfl;
	bool unwinds;			      // the Dwfl knows the threads
	struct ps_prochandle *thread_library; // NULL: not asked for
	void (*close_thread_library)(struct ps_prochandle *library);
	struct frame_rules frame_rules[FRAME_RULES];
};

/** Put a line into @p error. @return -1. */
int fail(struct target_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Make room for one more element of the array that @p array points to the first element of. Without
 *  memory, the program ends with a message. @return it, zeroed. */
void *grow(void *array, size_t *count, size_t size);
#define GROW(array, count) ((__typeof__(array))grow(&(array), &(count), sizeof(*(array))))

/** Memory of a core file alone, without what is in the mapped files. */
size_t core_read(const struct target *target, uint64_t address, void *buffer, size_t size);
/** Memory of the target itself; the files are what it is compared with. */
bool memory_read_own(struct target *target, uint64_t address, void *buffer, size_t size);
/** Note that a part of memory can be executed. */
void executable_add(struct target *target, uint64_t start, uint64_t end);
/** Check for code at an address; where it is unknown what can be executed, anything may be. */
bool executable_at(const struct target *target, uint64_t address);
int core_init(struct target *target, struct target_error *error);

/** Look at what a process has mapped, while it runs. */
int process_init(struct target *target, pid_t pid, struct target_error *error);
/** Stop it. @p changed: meanwhile, it has mapped other files. */
int process_stop(struct target *target, bool *changed, struct target_error *error);
/** Fill in the threads of a process that another one keeps stopped. */
void process_adopt(struct target *target, const struct target_stopped *threads, size_t count);
/** Let it go on. */
void process_let_go(struct target *target);
void process_deinit(struct target *target);

/** Copy the memory of a stopped process. @return false, with no copy, if that is too much. */
bool snapshot_take(struct target *target);
void snapshot_deinit(struct snapshot *snapshot);
/** @return bytes read from the start of the range, 0 for what was not copied. */
size_t snapshot_read(const struct snapshot *snapshot, uint64_t address, void *buffer, size_t size);

/** Add a mapping of the file at @p path. */
void mapping_add(struct target *target, uint64_t start, uint64_t end, uint64_t offset,
		 const char *path);
/** Return the mapping that covers an address; NULL if there is none. */
const struct mapping *mapping_find(const struct target *target, uint64_t address);

/** Take the files that another debugger has loaded. */
void files_take(struct target *target, const struct target_loaded *loaded, size_t count);
/** Open the mapped files, compare them with memory, and tell libdwfl of them. */
int files_init(struct target *target, struct target_error *error);
void files_deinit(struct target *target);
/** Memory that is mapped from a file and cannot have been changed. */
size_t files_read(const struct target *target, uint64_t address, void *buffer, size_t size);
/** Check that all of that memory is such, and the file certainly the one that was mapped. */
bool files_has(const struct target *target, uint64_t start, uint64_t end);

/** Read the build id of what is in memory, and of a file. */
void build_id_in_memory(struct target *target, struct mapped_file *file);
void build_id_in_file(Elf *elf, struct target_build_id *ret);
enum target_file_state build_id_compare(const struct target_file *file);

/** Return a path as it is called below the sysroot; NULL without memory. */
char *place_below_root(const struct target *target, const char *path);
/** Cut what the kernel writes after the names of deleted files. @return whether it was there. */
bool place_cut_deleted(char *path);
/** Open a file as a process has it, wherever that is. @return a descriptor, or -1. */
int place_open_mapped(const struct target *target, ssize_t index);

/** Find the symbol to which an address of a file belongs. Where it is not clear, libdwfl knows. */
enum symbol_answer { SYMBOL_UNCLEAR, SYMBOL_ABSENT, SYMBOL_FOUND };
enum symbol_answer symbol_place_at(struct mapped_file *file, uint64_t address,
				   struct target_symbol *ret);
void symbol_places_visit(struct mapped_file *file, target_symbol_visitor *visit, void *context);
void symbol_places_deinit(struct mapped_file *file);

void units_deinit(struct mapped_file *file);
/** Go from the skeleton of a split unit to the unit, if its file is there. */
void split_unit(struct target *target, struct mapped_file *file, Dwarf_Die *unit);
void split_units_deinit(struct mapped_file *file);

/** Return the function of a unit with code at an address (without the bias). */
bool function_at(struct target *target, Dwarf_Die *unit, uint64_t address, Dwarf_Die *ret);
void functions_deinit(struct target *target);

#endif
