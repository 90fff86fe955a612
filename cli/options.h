// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line: one table of commands, from which parsing, help and documentation are made.

#ifndef OMPDBG_OPTIONS_H
#define OMPDBG_OPTIONS_H

#include <argp.h>

#include "failure.h"
#include "looking.h"
#include "output/output.h"
#include "terminal.h"

enum option_key {
	OPTION_HELP = 'h',
	OPTION_EXE = 0x80, // no letters
	OPTION_SYSROOT,
	OPTION_JSON,
	OPTION_STATE,
	OPTION_TEAM,
	OPTION_LEVEL,
	OPTION_NUM,
	OPTION_QUEUED,
	OPTION_BY_FUNCTION,
	OPTION_RAW,
	OPTION_LIMIT,
	OPTION_FULL,
	OPTION_THREAD,
	OPTION_SCOPE,
	OPTION_ALL,
	OPTION_LAST,
	OPTION_TEXT,
	OPTION_HTML,
	OPTION_JSON_FILE,
	OPTION_TIMEOUT,
	OPTION_REPORT,
	OPTION_ON_HANG,
	OPTION_ON_TERM,
	OPTION_REPORT_TIMEOUT,
	OPTION_CORE,
	OPTION_NO_TRACE,
	OPTION_NO_RECORD,
	OPTION_TOP,
	OPTION_TREE,
	OPTION_NO_TREE,
	OPTION_COLOR,
	OPTION_TASK,
	OPTION_SLICES,
	OPTION_FROM,
	OPTION_TO,
	OPTION_PRINT,
	OPTION_COREDUMP,
	OPTION_OUTPUT = 'o',
};

/** The words of a command line. NULL, 0 and -1 stand for what is missing. */
struct arguments {
	const struct command *command;
	const char *target;
	const char *program, *sysroot;
	const char *state, *team, *level, *numbers;
	int64_t limit, thread;
	const char *scope;
	int64_t last; // events
	const char *expression;
	const char *text, *html, *json_file;
	const char *output, *slices;
	int64_t top;	 // rows of tables; 0: all
	int64_t task;	 // 0: none
	double from, to; // seconds
	char **words;	 // reports to merge, or the command to run
	size_t num_words;
	double timeout, report_timeout; // seconds
	const char *folder;
	bool coredump; // the target is one of coredumpctl's; NULL: the newest
	bool json, queued, by_function, raw, full, all, tree, no_tree;
	bool on_hang, on_term, core, no_trace, no_record, print;
	char format; // 0: none
	enum color color;
};

/** Threads that a command is about, in the process's arena. */
enum chosen_threads {
	ALL_THREADS,
	ANY_THREADS,	// by state, team, level and number
	VALUED_THREADS, // likewise, of OpenMP: one at least
	NAMED_THREAD,	// the one with a number or LWP, or all
	OPENMP_THREADS, // likewise, of OpenMP: one at least
};

/** The operands of a command. */
enum operands {
	OPERAND_TARGET,
	OPERAND_TARGET_OR_NONE,
	OPERAND_EXPRESSION,
	OPERAND_NUMBER,
	OPERAND_TRACE,
	OPERAND_REPORTS,
	OPERAND_COMMAND,
};

struct command {
	const char *name;
	const char *summary;	 // a line for the list of commands
	const char *description; // of its help, after the summary
	const char *end;	 // after the options: exit statuses, examples; NULL
	const struct argp_option *options;
	int (*run)(const struct arguments *arguments, struct failure *failure);
	enum operands operands;
	// Of run_view():
	enum view view;
	enum chosen_threads threads;
	enum inquiry_kind inquiry;
};

extern const struct command commands[];
extern const size_t num_commands;

/** Parse a command line without the program's name. @return false: the program ends with *status. */
bool parse_arguments(int count, char **words, struct arguments *ret, int *status);

// The commands (view.c, report.c, report/pages.c, record.c, profile.c, run.c): they give an exit status, or fill the failure.
int run_view(const struct arguments *arguments, struct failure *failure);
int run_report(const struct arguments *arguments, struct failure *failure);
int run_merge(const struct arguments *arguments, struct failure *failure);
int run_record(const struct arguments *arguments, struct failure *failure);
int run_profile(const struct arguments *arguments, struct failure *failure);
int run_run(const struct arguments *arguments, struct failure *failure);

#endif
