// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spool.h"
#include "terminal.h"

enum { MOST_SECONDS = 1000000000, SHOWN_ROWS = 10 };

// ---- Help --------------------------------------------------------------------------------------

static void print_help(void)
{
	printf("Usage: ompdbg COMMAND [OPTION...]\n"
	       "What the OpenMP threads of a core file or a process do, without a debugger.\n"
	       "\n"
	       "commands:\n");
	for (size_t i = 0; i < num_commands; i++)
		printf("    %-15s %s\n", commands[i].name, commands[i].summary);
	printf("\n"
	       "options:\n"
	       "  -h, --help         print this help\n"
	       "      --version      print the version\n"
	       "\n"
	       "examples:\n"
	       "  ompdbg why core                    what ended it, and who waits for whom\n"
	       "  ompdbg threads 4711                every thread of a running program\n"
	       "  ompdbg bt core --sysroot image     stacks; the program's files lie in image/\n"
	       "  ompdbg print 'a[i]' core           a value in all threads, equal ones together\n"
	       "  ompdbg report core --html FILE     everything, as a page for a browser\n"
	       "  ompdbg run --timeout 600 -- ctest  a report of what hangs or crashes\n"
	       "  ompdbg record -- ./solver          keep what happens, for a look at it later\n"
	       "  ompdbg profile solver.trace        where the time of a recorded run went\n"
	       "\n"
	       "A process is stopped while it is looked at, and goes on afterwards; nothing is\n"
	       "ever written to it. \"ompdbg COMMAND --help\" tells more.\n"
	       "\n"
	       "exit status:\n"
	       "  0  nothing suspicious       3  the target cannot be read\n"
	       "  1  something was found      4  no OpenMP runtime that is understood\n"
	       "  2  wrong usage              5  the report cannot be written\n");
}

/** Tell what is wrong with a command line, and end the program. */
static _Noreturn __attribute__((format(printf, 2, 3))) void
end_wrong(const struct arguments *arguments, const char *format, ...)
{
	const char *name = arguments->command->name;
	char *problem;
	va_list values;

	va_start(values, format);
	if (vasprintf(&problem, format, values) < 0)
		out_of_memory();
	va_end(values);
	say("ompdbg %s: %s; see \"ompdbg %s --help\".", name, problem, name);
	exit(STATUS_USAGE);
}

// ---- Values ------------------------------------------------------------------------------------

/** Read a number of seconds; 0 is one where the least is. */
static double checked_seconds(const struct arguments *arguments, const char *word, int64_t least)
{
	char *end;
	double seconds = strtod(word, &end);

	if (!*word || *end || !(seconds >= 0 && seconds < MOST_SECONDS) || (least && seconds == 0))
		end_wrong(arguments, "invalid number of seconds \"%s\"", word);
	return seconds;
}

static int64_t checked_number(const struct arguments *arguments, const char *word, int64_t least)
{
	int64_t number = number_in(word);

	if (number < least)
		end_wrong(arguments, "invalid number \"%s\" (expected at least %d)", word,
			  (int)least);
	return number;
}

/** Find a word among those that are allowed. @p expected: these, for people. */
static int checked_word(const struct arguments *arguments, const char *word, const char *what,
			const char *const *words, const char *expected)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(word, words[i]) == 0)
			return i;
	}
	end_wrong(arguments, "invalid %s \"%s\" (expected %s)", what, word, expected);
}

/** Return the file after an option that may have one, or standard output. */
static const char *optional_file(char *word, struct argp_state *state)
{
	const char *next = state->next < state->argc ? state->argv[state->next] : NULL;

	if (word)
		return word;
	if (!next || (*next == '-' && strcmp(next, STANDARD_OUTPUT) != 0))
		return STANDARD_OUTPUT;
	state->next++;
	return next;
}

/** Name what a command looks at. */
static const char *target_noun(const struct arguments *arguments)
{
	return arguments->command->operands == OPERAND_TRACE ? "trace" : "core file or process";
}

static void take_operand(struct arguments *arguments, char *word, struct argp_state *state)
{
	switch (arguments->command->operands) {
	case OPERAND_REPORTS:
		arguments->words[arguments->num_words++] = word;
		break;
	case OPERAND_COMMAND: // all that follows is the command's
		arguments->words = state->argv + state->next - 1;
		arguments->num_words = (size_t)state->argc - (size_t)state->next + 1;
		state->next = state->argc;
		break;
	default:
		if (arguments->command->operands == OPERAND_EXPRESSION && !arguments->expression) {
			if (!arguments->format && *word == '/' && word[1] && !word[2])
				arguments->format = word[1];
			else
				arguments->expression = word;
			return;
		}
		if (arguments->command->operands == OPERAND_NUMBER && !arguments->task) {
			arguments->task =
				checked_number(arguments, *word == '#' ? word + 1 : word, 1);
			return;
		}
		if (arguments->target)
			end_wrong(arguments, "unexpected \"%s\" (expected one %s)", word,
				  target_noun(arguments));
		arguments->target = word;
	}
}

/** Check what was said as a whole. */
static void check(struct arguments *arguments)
{
	const char *file = arguments->json_file;

	switch (arguments->command->operands) {
	case OPERAND_REPORTS:
		if (!arguments->num_words)
			end_wrong(arguments, "missing report");
		break;
	case OPERAND_COMMAND:
		if (!arguments->num_words)
			end_wrong(arguments, "missing command (write it after --)");
		break;
	default:
		// `--json CORE`: the word after an option that may have one.
		if (!arguments->target && file && strcmp(file, STANDARD_OUTPUT) != 0) {
			arguments->target = file;
			arguments->json_file = STANDARD_OUTPUT;
		}
		if (arguments->command->operands == OPERAND_EXPRESSION && !arguments->expression)
			end_wrong(arguments, "missing expression");
		if (arguments->command->operands == OPERAND_NUMBER && !arguments->task)
			end_wrong(arguments, "missing number of a task");
		if (!arguments->target && !arguments->coredump)
			end_wrong(arguments, "missing %s", target_noun(arguments));
	}
	if (arguments->command->view == VIEW_STACKS && arguments->tree &&
	    (arguments->full || arguments->limit || arguments->no_tree))
		end_wrong(arguments, "--tree and --%s exclude each other",
			  arguments->full  ? "full" :
			  arguments->limit ? "limit" :
					     "no-tree");
	if (arguments->to > 0 && arguments->to <= arguments->from)
		end_wrong(arguments, "--to is not after --from");
	if (arguments->tree && arguments->task)
		end_wrong(arguments, "--tree and --task exclude each other");
	if (arguments->all && arguments->last)
		end_wrong(arguments, "--all and --last exclude each other");
	if (arguments->queued && arguments->by_function)
		end_wrong(arguments, "--queued and --by-function exclude each other");
}

/** The member of struct arguments that an option sets, and how. */
struct place_of_option {
	enum { NOWHERE, FLAG, WORD, NUMBER, SECONDS } kind;
	size_t offset;
	int64_t least;
};

#define PLACE(kind, member, ...)                                      \
	{                                                             \
		kind, offsetof(struct arguments, member), __VA_ARGS__ \
	}

static const struct place_of_option option_places[] = {
	[OPTION_EXE] = PLACE(WORD, program),
	[OPTION_SYSROOT] = PLACE(WORD, sysroot),
	[OPTION_COREDUMP] = PLACE(FLAG, coredump),
	[OPTION_JSON] = PLACE(FLAG, json),
	[OPTION_STATE] = PLACE(WORD, state),
	[OPTION_TEAM] = PLACE(WORD, team),
	[OPTION_LEVEL] = PLACE(WORD, level),
	[OPTION_NUM] = PLACE(WORD, numbers),
	[OPTION_QUEUED] = PLACE(FLAG, queued),
	[OPTION_BY_FUNCTION] = PLACE(FLAG, by_function),
	[OPTION_RAW] = PLACE(FLAG, raw),
	[OPTION_LIMIT] = PLACE(NUMBER, limit, 1),
	[OPTION_FULL] = PLACE(FLAG, full),
	[OPTION_THREAD] = PLACE(NUMBER, thread),
	[OPTION_SCOPE] = PLACE(WORD, scope),
	[OPTION_ALL] = PLACE(FLAG, all),
	[OPTION_LAST] = PLACE(NUMBER, last, 1),
	[OPTION_TEXT] = PLACE(WORD, text),
	[OPTION_HTML] = PLACE(WORD, html),
	[OPTION_TIMEOUT] = PLACE(SECONDS, timeout, 1),
	[OPTION_REPORT] = PLACE(WORD, folder),
	[OPTION_ON_HANG] = PLACE(FLAG, on_hang),
	[OPTION_ON_TERM] = PLACE(FLAG, on_term),
	[OPTION_REPORT_TIMEOUT] = PLACE(SECONDS, report_timeout, 1),
	[OPTION_CORE] = PLACE(FLAG, core),
	[OPTION_NO_TRACE] = PLACE(FLAG, no_trace),
	[OPTION_PRINT] = PLACE(FLAG, print),
	[OPTION_NO_RECORD] = PLACE(FLAG, no_record),
	[OPTION_TOP] = PLACE(NUMBER, top),
	[OPTION_TREE] = PLACE(FLAG, tree),
	[OPTION_NO_TREE] = PLACE(FLAG, no_tree),
	[OPTION_TASK] = PLACE(NUMBER, task, 1),
	[OPTION_SLICES] = PLACE(WORD, slices),
	[OPTION_FROM] = PLACE(SECONDS, from),
	[OPTION_TO] = PLACE(SECONDS, to, 1),
	[OPTION_OUTPUT] = PLACE(WORD, output),
};

/** Set the member of an option. @return false: there is no such option. */
static bool take_option(struct arguments *arguments, int key, const char *word)
{
	struct place_of_option place = { 0 };

	if (key >= 0 && (size_t)key < sizeof(option_places) / sizeof(*option_places))
		place = option_places[key];
	void *member = (char *)arguments + place.offset;
	switch (place.kind) {
	case FLAG:
		*(bool *)member = true;
		break;
	case WORD:
		*(const char **)member = word;
		break;
	case NUMBER:
		*(int64_t *)member = checked_number(arguments, word, place.least);
		break;
	case SECONDS:
		*(double *)member = checked_seconds(arguments, word, place.least);
		break;
	default:
		return false;
	}
	return true;
}

static error_t parse_option(int key, char *word, struct argp_state *state)
{
	static const char *const scopes[] = { "process", "thread", "region", "task", NULL };
	static const char *const colors[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL
	};
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->err_stream = NULL; // getopt says what is wrong
		return 0;
	case ARGP_KEY_ARG:
		take_operand(arguments, word, state);
		return 0;
	case ARGP_KEY_END:
		check(arguments);
		return 0;
	case OPTION_HELP:
		argp_state_help(state, stdout,
				ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG);
		return ECANCELED;
	case OPTION_JSON_FILE:
		arguments->json_file = optional_file(word, state);
		return 0;
	case OPTION_COLOR:
		arguments->color = (enum color)checked_word(arguments, word, "color", colors,
							    "auto, always or never");
		return 0;
	case OPTION_SCOPE:
		checked_word(arguments, word, "scope", scopes, "process, thread, region or task");
		break;
	default:
		break;
	}
	return take_option(arguments, key, word) ? 0 : ARGP_ERR_UNKNOWN;
}

// ---- The command line --------------------------------------------------------------------------

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < num_commands; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static bool parse_command(int count, char **words, struct arguments *arguments, int *status)
{
	static const char *const operands[] = {
		[OPERAND_TARGET] = "CORE|PID",
		[OPERAND_TARGET_OR_NONE] = "CORE|PID",
		[OPERAND_EXPRESSION] = "[/FORMAT] EXPR CORE|PID",
		[OPERAND_NUMBER] = "NUMBER CORE|PID",
		[OPERAND_TRACE] = "TRACE",
		[OPERAND_REPORTS] = "REPORT...",
		[OPERAND_COMMAND] = "-- COMMAND...",
	};
	const struct command *command = arguments->command;
	struct argp argp = {
		.options = command->options,
		.parser = parse_option,
		.args_doc = operands[command->operands],
	};
	unsigned int flags = ARGP_NO_HELP;
	char *name, *doc;

	if (command->operands == OPERAND_COMMAND)
		flags |= ARGP_IN_ORDER;
	if (asprintf(&name, "ompdbg %s", command->name) < 0 ||
	    asprintf(&doc, "%c%s.\n\n%s%s%s\n", toupper(command->summary[0]), command->summary + 1,
		     command->description, command->end ? "\v" : "",
		     command->end ? command->end : "") < 0)
		out_of_memory();
	argp.doc = doc;
	words[0] = name;
	arguments->words = calloc((size_t)count + 1, sizeof(*words));
	if (!arguments->words)
		out_of_memory();
	error_t error = argp_parse(&argp, count, words, flags, NULL, arguments);
	*status = error == ECANCELED ? STATUS_FINE : STATUS_USAGE;
	return !error;
}

bool parse_arguments(int count, char **words, struct arguments *ret, int *status)
{
	const char *first = count > 0 ? words[0] : "";
	static char help[] = "--help";

	*ret = (struct arguments){
		.thread = -1, .report_timeout = 60, .folder = "ompdbg-report", .top = SHOWN_ROWS
	};
	*status = STATUS_FINE;
	if (count > 0 && strcmp(first, "--version") == 0) {
		printf("ompdbg " OMPDBG_VERSION "\n");
		return false;
	}
	const bool is_help = strcmp(first, "help") == 0;
	if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || (is_help && count == 1)) {
		print_help();
		return false;
	}
	if (is_help) { // "help COMMAND" is "COMMAND --help"
		first = words[1];
		words[1] = help;
	}
	ret->command = find_command(first);
	if (ret->command)
		return parse_command(count, words, ret, status);
	if (count > 0)
		say("ompdbg: unknown command \"%s\"; see \"ompdbg --help\".", first);
	else
		say("ompdbg: missing command; see \"ompdbg --help\".");
	*status = STATUS_USAGE;
	return false;
}
