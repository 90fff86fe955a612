// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The services that libompdbg asks of a debugger (ompdbg/services.h), over GDB's Python. What needs
// GDB is asked of one Python object, a GdbServices of python/ompdbg/inferior/services.py; memory and
// registers of stopped local processes are read past it.
//
// The GIL is held throughout, and everything runs in GDB's main thread.

#ifndef OMPDBG_BRIDGE_SERVICES_H
#define OMPDBG_BRIDGE_SERVICES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <sys/user.h>

#include "base/arena.h"
#include "base/table.h"
#include "direct.h"
#include "ompdbg/services.h"
#include "place.h"

/** The addresses at which the frames of a stack go on, to its end. */
struct chain {
	uint64_t *addresses; // that of the thread, then return addresses
	size_t count;
};

/** The frames of one thread, as far as they were unwound. */
struct gdb_stack {
	struct chain chain; // empty: it is not simply told
	bool is_shared;	    // with stacks alike
	struct place place; // of the frame of the chain that was asked for last
	size_t place_of;    // its index + 1; 0: none was
	PyObject *iterator; // over GDB's frames; NULL: the stack has ended
	struct ompdbg_frame *frames;
	size_t num_frames, frame_capacity;
	size_t num_pushed; // those that are no others' within them
};

struct target_frame;

struct gdb_services {
	struct ompdbg_services table;
	PyObject *bridge;  // NULL: closed
	PyObject *files;   // files.c: its _ompdbg.Files; NULL: not asked for at this stop
	struct arena stop; // what was told of this stop
	struct string_table texts;

	// threads.c
	const char *program;
	bool has_threads, has_names;
	struct ompdbg_target_thread *threads;
	size_t num_threads;

	struct table registers; // number of a thread -> struct user_regs_struct

	struct table stacks; // stacks.c: number of a thread -> struct gdb_stack
	struct alike *alike; // alike.c

	// memory.c
	struct direct direct;
	bool direct_known;     // `direct` is open or must not be, until the program moves
	bool direct_aged;      // its mappings are those of an earlier stop
	pid_t direct_verified; // process whose memory was seen to be what GDB reads
	bool direct_refused;   // it was seen not to be
	uint64_t num_direct;   // reads past GDB

	bool may_be_asked; // GDB looks for variables: libompdbg has nothing half done
	// What ends the command.
	bool is_interrupted;
	PyObject *failure[3]; // exception that is no answer of GDB's: type, value, traceback; NULL
};

/** Fill in the table. @p bridge is borrowed, and gets a reference. */
void gdb_services_init(struct gdb_services *services, PyObject *bridge);
/** Forget what was told of this stop. */
void gdb_services_forget(struct gdb_services *services);
void gdb_services_deinit(struct gdb_services *services);
/** See which thread is selected. */
struct ompdbg_error *gdb_services_select(struct gdb_services *services);
/** Ask for the names of threads, which are "" until then: GDB reads a file for each, and few views
 *  show them. */
struct ompdbg_error *gdb_services_name(struct gdb_services *services);

// ---- For the files of this folder --------------------------------------------------------------

/** Call a method of the bridge. @return NULL with a Python exception, which told() makes an error. */
#define ASK(services, method, ...) PyObject_CallMethod((services)->bridge, method, __VA_ARGS__)
/** Make an error of the exception that is set. */
struct ompdbg_error *ask_failed(struct gdb_services *services);
/** Check that GDB may be asked: the user has not ended the command. */
struct ompdbg_error *ask_allowed(const struct gdb_services *services);
/** Return a copy of a text; NULL for None. */
const char *kept_text(struct gdb_services *services, PyObject *text);
/** Take an answer apart: ABSENT for None, else a tuple as PyArg_ParseTuple() has it, whose members
 *  are borrowed from *answer, which the caller releases. */
struct ompdbg_error *ask_tuple(struct gdb_services *services, PyObject *answer, const char *format,
			       ...);

/** Take a number, or a text that is kept: ABSENT for None. The answer is released. */
struct ompdbg_error *ask_number(struct gdb_services *services, PyObject *answer, uint64_t *ret);
struct ompdbg_error *ask_text(struct gdb_services *services, PyObject *answer, const char **ret);

/** Open the memory of the process directly, where that is possible. @return its id, or 0. */
pid_t direct_process(struct gdb_services *services);

/** Return the registers of a stopped thread of this machine; NULL: only GDB may know them. */
const struct user_regs_struct *thread_registers(struct gdb_services *services, int thread);

/** Find the addresses of a stack, without GDB. @return false: that is not so simple. */
bool alike_chain(struct gdb_services *services, int thread, struct chain *ret);
/** Give a stack the frames that GDB found for its addresses before. @return false: it found none. */
bool alike_take(struct gdb_services *services, const struct chain *chain, struct gdb_stack *stack);
/** Find a register of a frame of a stack alike. @return false: only GDB may know it. */
bool alike_register(struct gdb_services *services, int thread, const struct ompdbg_frame *frame,
		    enum ompdbg_register number, uint64_t *ret);
/** Remember what frames GDB has found for the addresses of a stack, which has ended. */
void alike_learn(struct gdb_services *services, const struct chain *chain,
		 const struct gdb_stack *stack);
/** Forget what was read of stacks: the program has moved. */
void alike_forget(struct gdb_services *services);
void alike_close(struct gdb_services *services);

void stacks_forget(struct gdb_services *services);

/** Find what tells names: libtarget's services over the files that GDB has loaded. @return NULL with an
 *  error. */
const struct ompdbg_services *gdb_files(struct gdb_services *services, struct ompdbg_error **ret);
/** Read code past GDB. @return false: memory is not as the files have it, or they cannot be opened. */
bool gdb_files_read_code(struct gdb_services *services, uint64_t address, void *buffer,
			 size_t size);
void gdb_files_forget(struct gdb_services *services);

struct ompdbg_error *gdb_read_memory(void *context, uint64_t address, void *buffer, size_t size);
struct ompdbg_error *gdb_threads(void *context, const struct ompdbg_target_thread **ret,
				 size_t *count);
struct ompdbg_error *gdb_registers(void *context, int thread, uint32_t wanted,
				   struct ompdbg_registers *ret);
struct ompdbg_error *gdb_unwind(void *context, int thread, size_t most,
				const struct ompdbg_frame **ret, size_t *count);
struct ompdbg_error *gdb_frame_register(void *context, int thread, const struct ompdbg_frame *frame,
					enum ompdbg_register number, uint64_t *ret);
struct ompdbg_error *gdb_frame_place(void *context, int thread, const struct ompdbg_frame *frame,
				     struct ompdbg_function *ret);
struct ompdbg_error *gdb_task_variables(void *context, uint64_t code, uint64_t argument,
					const struct ompdbg_given **ret, size_t *count);
struct ompdbg_error *gdb_source_path(void *context, uint64_t address, const char *file,
				     const char **ret);
struct ompdbg_error *gdb_variables(void *context, int thread, const struct ompdbg_frame *frame,
				   enum ompdbg_variables which, const struct ompdbg_variable **ret,
				   size_t *count);
struct ompdbg_error *gdb_evaluate(void *context, int thread, const struct ompdbg_frame *frame,
				  const char *expression, char format, struct ompdbg_value *ret);
struct ompdbg_error *gdb_variable_storage(void *context, int thread,
					  const struct ompdbg_frame *frame, const char *name,
					  enum ompdbg_storage *ret);
struct ompdbg_error *gdb_frame_name(void *context, int thread, const struct ompdbg_frame *frame,
				    uint64_t address, enum ompdbg_naming naming, const char **ret);
struct ompdbg_error *gdb_access_name(void *context, int thread, const struct ompdbg_frame *frame,
				     const struct ompdbg_pointer *pointers, size_t count,
				     uint64_t address, unsigned int width, const char **ret,
				     const char **last);
struct ompdbg_error *gdb_object_at(void *context, uint64_t address, struct ompdbg_object *ret);
struct ompdbg_error *gdb_symbol_address(void *context, const char *name, const char *object,
					int thread, uint64_t *ret);
struct ompdbg_error *gdb_symbol_at(void *context, uint64_t address, struct ompdbg_symbol *ret);
struct ompdbg_error *gdb_function_at(void *context, uint64_t address, struct ompdbg_function *ret);
struct ompdbg_error *gdb_code_place(void *context, uint64_t address, struct ompdbg_function *ret);
struct ompdbg_error *gdb_stop_time(void *context, uint64_t *ret);
struct ompdbg_error *gdb_function_named(void *context, const char *symbol,
					struct ompdbg_function *ret);
struct ompdbg_error *gdb_variable_at(void *context, uint64_t address, bool is_lock, uint64_t near,
				     const char **ret);
struct ompdbg_error *gdb_layout(void *context, const char *structure, const char *field,
				const char *object, struct ompdbg_layout *ret);
/** Find the caller of code that is in no file (target_caller_without_rules()). */
bool gdb_files_caller(struct gdb_services *services, const struct target_frame *frame, bool is_call,
		      struct target_frame *ret);
struct ompdbg_error *gdb_file_address(void *context, uint64_t address, uint64_t *ret);
struct ompdbg_error *gdb_newest_gcc(void *context, uint64_t address, int *ret);

#endif
