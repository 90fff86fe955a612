// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of commands.

#include "options.h"

#define TARGET_OPTIONS                                                              \
	{ "exe", OPTION_EXE, "FILE", 0, "the program, if it is elsewhere now", 1 }, \
	{                                                                           \
		"sysroot", OPTION_SYSROOT, "DIR", 0,                                \
			"where the files of the program's machine are", 1           \
	}
#define JSON_OPTION                                                                \
	{                                                                          \
		"json", OPTION_JSON, NULL, 0, "print JSON, schema \"ompdbg/1\"", 1 \
	}
#define THREAD_OPTION                                                                             \
	{                                                                                         \
		"thread", OPTION_THREAD, "NUMBER", 0, "only that thread, by its number or LWP", 0 \
	}
#define LEVEL_OPTION                                                                      \
	{                                                                                 \
		"level", OPTION_LEVEL, "LEVEL", 0, "only that one: 0 is the innermost", 0 \
	}
#define TEXT_OPTION                                             \
	{                                                       \
		"text", OPTION_TEXT, "FILE", 0, "write text", 0 \
	}
#define HTML_OPTION                                                             \
	{                                                                       \
		"html", OPTION_HTML, "FILE", 0, "write a page for a browser", 0 \
	}
#define END                                                     \
	{ "help", OPTION_HELP, NULL, 0, "print this help", 1 }, \
	{                                                       \
		0                                               \
	}

static const struct argp_option plain_options[] = { TARGET_OPTIONS, JSON_OPTION, END };
static const struct argp_option thread_options[] = { THREAD_OPTION, TARGET_OPTIONS, JSON_OPTION,
						     END };
static const struct argp_option level_options[] = { LEVEL_OPTION, THREAD_OPTION, TARGET_OPTIONS,
						    JSON_OPTION, END };
static const struct argp_option threads_options[] = {
	{ "state", OPTION_STATE, "STATE", 0, "only threads in that state", 0 },
	{ "team", OPTION_TEAM, "TEAM", 0, "only threads of that team", 0 },
	{ "level", OPTION_LEVEL, "LEVEL", 0, "only threads on that level", 0 },
	{ "num", OPTION_NUM, "NUMBERS", 0, "only threads with these numbers: 0,4-7", 0 },
	TARGET_OPTIONS,
	JSON_OPTION,
	END,
};
static const struct argp_option tasks_options[] = {
	{ "queued", OPTION_QUEUED, NULL, 0, "only tasks that have not begun", 0 },
	{ "by-function", OPTION_BY_FUNCTION, NULL, 0, "how many there are of each", 0 },
	TARGET_OPTIONS,
	JSON_OPTION,
	END,
};
static const struct argp_option stack_options[] = {
	{ "raw", OPTION_RAW, NULL, 0, "frames of the runtime and of libraries, too", 0 },
	{ "limit", OPTION_LIMIT, "COUNT", 0, "only that many innermost frames", 0 },
	{ "full", OPTION_FULL, NULL, 0, "local variables, too", 0 },
	THREAD_OPTION,
	TARGET_OPTIONS,
	JSON_OPTION,
	END,
};
static const struct argp_option icv_options[] = {
	{ "scope", OPTION_SCOPE, "SCOPE", 0, "only those of the process, thread, region or task",
	  0 },
	THREAD_OPTION,
	TARGET_OPTIONS,
	JSON_OPTION,
	END,
};
static const struct argp_option environment_options[] = {
	{ "all", OPTION_ALL, NULL, 0, "those too that have no value", 0 },
	TARGET_OPTIONS,
	JSON_OPTION,
	END,
};
static const struct argp_option report_options[] = {
	TEXT_OPTION,
	HTML_OPTION,
	{ "json", OPTION_JSON_FILE, "FILE", OPTION_ARG_OPTIONAL,
	  "write JSON, schema \"ompdbg/1\"; without FILE, to standard output", 0 },
	TARGET_OPTIONS,
	END,
};
static const struct argp_option merge_options[] = {
	TEXT_OPTION,
	HTML_OPTION,
	{ "json", OPTION_JSON_FILE, "FILE", 0, "write JSON, schema \"ompdbg/1\"", 0 },
	END,
};
static const struct argp_option run_options[] = {
	{ "timeout", OPTION_TIMEOUT, "S", 0, "end it after S seconds", 0 },
	{ "report", OPTION_REPORT, "DIR", 0, "for reports (ompdbg-report)", 0 },
	{ "on-hang", OPTION_ON_HANG, NULL, 0,
	  "do not wait for the time-out if nothing happens for 10 s and the diagnosis says that "
	  "nothing will",
	  0 },
	{ "on-term", OPTION_ON_TERM, NULL, 0,
	  "when asked to end by SIGTERM, as schedulers do before they kill a job, take the reports "
	  "first",
	  0 },
	{ "report-timeout", OPTION_REPORT_TIMEOUT, "S", 0,
	  "give up a report that is not finished after S seconds (60)", 0 },
	{ "core", OPTION_CORE, NULL, 0, "let the kernel write core files, too", 0 },
	{ "no-trace", OPTION_NO_TRACE, NULL, 0, "do not trace, and do not report crashes", 0 },
	END,
};

const struct command commands[] = {
	{
		.name = "threads",
		.summary = "every thread and what it waits for",
		.description =
			"One row for each thread: its number, its number in its team, the "
			"team, its state or what it waits for, the kind of its task, and where "
			"it is.\n\n"
			"Team 1.2 was formed by thread 2 of team 1. A \"?\" is what nobody "
			"knows.",
		.options = threads_options,
		.run = run_view,
		.show = show_threads,
	},
	{
		.name = "tasks",
		.summary = "the tasks of every team",
		.description =
			"The tasks of each team as a tree, below those that created them: what "
			"they are doing, their dependences, and for how many tasks they wait. "
			"Of many tasks alike a few are shown, and the number of the others.",
		.options = tasks_options,
		.run = run_view,
		.show = show_tasks,
	},
	{
		.name = "bt",
		.summary = "how every thread got where it is",
		.description =
			"The stacks of all threads in terms of source, without the frames of "
			"the runtime. The stack of a thread in a parallel region goes on in "
			"the thread that met the region, up to main. Threads of a team with "
			"the same stack are told together, without arguments, unless with "
			"--full.",
		.options = stack_options,
		.run = run_view,
		.show = show_stacks,
	},
	{
		.name = "regions",
		.summary = "the parallel regions, and how far their threads have come",
		.description =
			"The tree of parallel regions: where each was opened, what its threads "
			"do and where, and how many of them have come to its barrier.",
		.options = plain_options,
		.run = run_view,
		.show = show_regions,
	},
	{
		.name = "icvs",
		.summary = "control variables by scope",
		.description =
			"The control variables of all threads: each value, and which threads "
			"have it. \"Initially\" is the value with which the program began, "
			"where it is another one and is known; \"Environment\" the variable "
			"that gives it, as it was set.",
		.options = icv_options,
		.run = run_view,
		.show = show_icvs,
	},
	{
		.name = "env",
		.summary = "environment variables of the runtime",
		.description =
			"The environment variables that steer the runtime. \"Value\" is what "
			"the runtime made of it, or, where it does not keep that, what it was "
			"set to; \"Set to\" what the program's environment had when it "
			"started, where that is something else.",
		.options = environment_options,
		.run = run_view,
		.show = show_environment,
	},
	{
		.name = "locks",
		.summary = "locks and critical constructs, who holds them and who waits",
		.description =
			"Locks, critical and ordered regions that threads wait for. The owner "
			"is what the runtime or the C library records. Where neither does, "
			"threads are named that perhaps hold it, and by what that is known.",
		.options = plain_options,
		.run = run_view,
		.show = show_locks,
	},
	{
		.name = "why",
		.summary = "why the program does not go on",
		.description =
			"Who waits for whom: deadlocks, threads that fork() has left behind, "
			"threads of a team at different barriers, locks and who holds them, "
			"tasks that are not done, events that nobody has fulfilled, and "
			"barriers to which not all threads have come. A program that runs well "
			"has such waits too at any moment; only deadlocks, threads left "
			"behind, different barriers, locks of threads that have ended, and "
			"endless loops can never end.\n\n"
			"Of a core file, the signal that has ended the program comes first.",
		.end = "exit status:\n"
		       "  1 if a signal has ended the program, or if there is a wait that cannot\n"
		       "  end, or one for threads that sleep; else 0",
		.options = thread_options,
		.run = run_view,
		.show = show_why,
	},
	{
		.name = "thread-info",
		.summary = "what OMPT says about threads",
		.description =
			"State and what the thread waits for, as the runtime records them; "
			"what a tool stored for it; the place that it is bound to, the places "
			"of its partition, and the processor on which it last ran.",
		.options = thread_options,
		.run = run_view,
		.show = show_thread_info,
	},
	{
		.name = "task-info",
		.summary = "what OMPT says about the tasks of threads",
		.description =
			"Of each task that a thread executes, and of those below it: its type, "
			"the number of its thread, what a tool stored for it and for its "
			"region, its frames, and of the innermost its memory.",
		.options = level_options,
		.run = run_view,
		.show = show_task_info,
	},
	{
		.name = "parallel-info",
		.summary = "what OMPT says about the regions of threads",
		.description =
			"Of each region that a thread is in, from within: how many threads its "
			"team has, and what a tool stored for it.",
		.options = level_options,
		.run = run_view,
		.show = show_parallel_info,
	},
	{
		.name = "status",
		.summary = "the OpenMP runtime, and how well it is known",
		.description =
			"The OpenMP runtimes of the program, how their structures are known, "
			"and what cannot be told, with the reason.",
		.options = plain_options,
		.run = run_view,
		.show = show_status,
	},
	{
		.name = "report",
		.summary = "everything at once: text, JSON, HTML",
		.description =
			"Everything at once: the diagnosis, regions, threads, stacks, tasks, "
			"locks, control variables and environment, and the runtime. Without "
			"options as text; each of the options writes a file, \"-\" stands for "
			"standard output.\n\n"
			"The HTML is one file that needs neither network nor scripts. To make "
			"it, Python is started.",
		.end = "examples:\n"
		       "  ompdbg report core | less\n"
		       "  ompdbg report 4711 --html report.html --json report.json",
		.operands = OPERAND_TARGET_OR_NONE,
		.options = report_options,
		.run = run_report,
	},
	{
		.name = "run",
		.summary = "a command, with a report if it hangs or crashes",
		.description =
			"Runs a command. If a program below it crashes, or the time-out "
			"passes, the OpenMP report of that program, or of all OpenMP programs "
			"below the command, is written before they end: NAME-PID.html, .json "
			"and .txt in DIR, and all.html if there are several; NAME-rankN-PID of "
			"ranks of an MPI program. No process is left behind. Whatever becomes "
			"of the reports, the exit status is the command's.\n\n"
			"To see a crash before it has ended the program, all processes of the "
			"command are traced (ptrace): that costs time only where threads and "
			"processes are made. A program that wants to trace others itself, a "
			"debugger or LeakSanitizer, needs --no-trace; then only the time-out "
			"is reported.",
		.end = "exit status:\n"
		       "  that of the command; 124 after the time-out or a hang; 128+N if signal N\n"
		       "  ended it; 127 or 126 if it was not found or could not be run; 2 for wrong\n"
		       "  usage\n"
		       "\n"
		       "examples:\n"
		       "  ompdbg run --timeout 600 -- ctest\n"
		       "  ompdbg run --timeout 60 --on-hang --report artifacts -- ./test_solver\n"
		       "  ompdbg run --timeout 900 -- mpirun -n 4 ./solver",
		.operands = OPERAND_COMMAND,
		.options = run_options,
		.run = run_run,
	},
	{
		.name = "merge",
		.summary = "many reports in one picture",
		.description =
			"The reports of many processes, the ranks of an MPI program, say, or "
			"the shards of a test run, in one picture: processes in the same state "
			"are one group, and the smallest groups, the outliers, come first. "
			"Without options as text. To make it, Python is started.\n\n"
			"A report that cannot be read is named, and so are ranks that wrote "
			"none; the picture is made of the others.",
		.end = "exit status:\n"
		       "  1 if a process has crashed or does not go on; otherwise 3 if a report could\n"
		       "  not be read, and else 0\n"
		       "\n"
		       "examples:\n"
		       "  ompdbg merge reports/*.json\n"
		       "  ompdbg merge reports/*.json --html all.html --json all.json",
		.operands = OPERAND_REPORTS,
		.options = merge_options,
		.run = run_merge,
	},
};

const size_t num_commands = sizeof(commands) / sizeof(*commands);
