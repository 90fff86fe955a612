// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of commands.

#include "options.h"

#define TARGET_OPTIONS                                                                     \
	{ "exe", OPTION_EXE, "FILE", 0, "the program, if it is in another place now", 1 }, \
	{                                                                                  \
		"sysroot", OPTION_SYSROOT, "DIR", 0,                                       \
			"folder with the files of the program's machine", 1                \
	}
#define PRINT_OPTIONS                                                                 \
	{ "color", OPTION_COLOR, "WHEN", 0, "color text: auto, always or never", 1 }, \
	{                                                                             \
		"json", OPTION_JSON, NULL, 0, "print JSON, schema \"ompdbg/1\"", 1    \
	}
#define THREAD_OPTION                                                                             \
	{                                                                                         \
		"thread", OPTION_THREAD, "NUMBER", 0, "only that thread, by its number or LWP", 0 \
	}
#define LEVEL_OPTION                                                                        \
	{                                                                                   \
		"level", OPTION_LEVEL, "LEVEL", 0, "only that level: 0 is the innermost", 0 \
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

static const struct argp_option plain_options[] = { TARGET_OPTIONS, PRINT_OPTIONS, END };
static const struct argp_option thread_options[] = { THREAD_OPTION, TARGET_OPTIONS, PRINT_OPTIONS,
						     END };
static const struct argp_option level_options[] = { LEVEL_OPTION, THREAD_OPTION, TARGET_OPTIONS,
						    PRINT_OPTIONS, END };
static const struct argp_option threads_options[] = {
	{ "state", OPTION_STATE, "STATE", 0,
	  "only threads in that state, a word of the table or OMPD's name", 0 },
	{ "team", OPTION_TEAM, "TEAM", 0, "only threads of that team", 0 },
	{ "level", OPTION_LEVEL, "LEVEL", 0, "only threads on that level", 0 },
	{ "num", OPTION_NUM, "NUMBERS", 0, "only threads with these numbers: 0,4-7", 0 },
	TARGET_OPTIONS,
	PRINT_OPTIONS,
	END,
};
static const struct argp_option tasks_options[] = {
	{ "queued", OPTION_QUEUED, NULL, 0, "only tasks that have not begun", 0 },
	{ "by-function", OPTION_BY_FUNCTION, NULL, 0, "how many tasks there are of each function",
	  0 },
	TARGET_OPTIONS,
	PRINT_OPTIONS,
	END,
};
static const struct argp_option stack_options[] = {
	{ "raw", OPTION_RAW, NULL, 0, "frames of the runtime and of libraries, too", 0 },
	{ "limit", OPTION_LIMIT, "COUNT", 0, "only that many innermost frames", 0 },
	{ "full", OPTION_FULL, NULL, 0, "local variables, too", 0 },
	{ "tree", OPTION_TREE, NULL, 0, "one tree of all stacks, from main on", 0 },
	{ "no-tree", OPTION_NO_TREE, NULL, 0, "one stack after another", 0 },
	THREAD_OPTION,
	TARGET_OPTIONS,
	PRINT_OPTIONS,
	END,
};
static const struct argp_option icv_options[] = {
	{ "scope", OPTION_SCOPE, "SCOPE", 0,
	  "only variables of the process, thread, region or task", 0 },
	THREAD_OPTION,
	TARGET_OPTIONS,
	PRINT_OPTIONS,
	END,
};
static const struct argp_option environment_options[] = {
	{ "all", OPTION_ALL, NULL, 0, "variables without a value, too", 0 },
	TARGET_OPTIONS,
	PRINT_OPTIONS,
	END,
};
static const struct argp_option history_options[] = {
	{ "last", OPTION_LAST, "COUNT", 0, "so many events (default 20)", 0 },
	{ "all", OPTION_ALL, NULL, 0, "all events that are still there", 0 },
	THREAD_OPTION,
	TARGET_OPTIONS,
	PRINT_OPTIONS,
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
static const struct argp_option record_options[] = {
	{ "output", OPTION_OUTPUT, "FILE", 0, "write a trace of the whole run, too", 0 },
	END,
};
static const struct argp_option profile_options[] = {
	{ "top", OPTION_TOP, "COUNT", 0, "rows of each table (default 10; 0: all)", 0 },
	{ "full", OPTION_FULL, NULL, 0, "all times of each task construct", 0 },
	{ "tree", OPTION_TREE, NULL, 0, "the tree of tasks, instead of tables", 0 },
	{ "task", OPTION_TASK, "ID", 0, "one task, instead of tables", 0 },
	TEXT_OPTION,
	HTML_OPTION,
	{ "json", OPTION_JSON_FILE, "FILE", OPTION_ARG_OPTIONAL,
	  "write JSON, schema \"ompdbg/1\"; without FILE, to standard output", 0 },
	{ "trace", OPTION_SLICES, "FILE", 0, "write events for Perfetto or Chrome", 0 },
	{ "from", OPTION_FROM, "S", 0, "let timeline and events begin S seconds after the start",
	  0 },
	{ "to", OPTION_TO, "S", 0, "let them end S seconds after the start", 0 },
	TARGET_OPTIONS,
	END,
};
static const struct argp_option run_options[] = {
	{ "timeout", OPTION_TIMEOUT, "S", 0, "end the command after S seconds", 0 },
	{ "report", OPTION_REPORT, "DIR", 0, "folder for reports (default ompdbg-report)", 0 },
	{ "print", OPTION_PRINT, NULL, 0,
	  "print the diagnosis of each report, too, on standard error", 0 },
	{ "on-hang", OPTION_ON_HANG, NULL, 0,
	  "do not wait for the time-out if nothing happens for 10 s and the diagnosis says that "
	  "nothing will happen",
	  0 },
	{ "on-term", OPTION_ON_TERM, NULL, 0,
	  "on SIGTERM, which schedulers send before they kill a job, write the reports first", 0 },
	{ "report-timeout", OPTION_REPORT_TIMEOUT, "S", 0,
	  "give up a report that is not finished after S seconds (default 60)", 0 },
	{ "core", OPTION_CORE, NULL, 0, "let the kernel write core files, too", 0 },
	{ "no-trace", OPTION_NO_TRACE, NULL, 0, "do not trace, and do not report crashes", 0 },
	{ "no-record", OPTION_NO_RECORD, NULL, 0,
	  "do not record what OpenMP threads do (\"ompdbg record\")", 0 },
	END,
};

const struct command commands[] = {
	{
		.name = "threads",
		.summary = "show every thread and what it waits for",
		.description =
			"One row for each thread: its number, its number in its team, the "
			"team, what it does or waits for, the kind of its task, and "
			"where it is. Of 32 threads or more, those alike share a row, unless "
			"an option chooses among them.\n\n"
			"Team 1.2 was formed by thread 2 of team 1. \"?\" stands for what is "
			"unknown, \"none\" for the number of a thread that is not OpenMP's.",
		.options = threads_options,
		.run = run_view,
		.show = show_threads,
	},
	{
		.name = "tasks",
		.summary = "show the tasks of every team",
		.description =
			"Tasks are a tree, below those that created them: what they do, "
			"their dependences, and for how many tasks they wait. Of many tasks "
			"alike a few are shown, and the number of the others. Where the tree is too "
			"deep for the line, a number in brackets is the depth of a task.",
		.options = tasks_options,
		.run = run_view,
		.show = show_tasks,
	},
	{
		.name = "task",
		.summary = "show one task",
		.description =
			"NUMBER is that of an explicit task, as \"tasks\" shows it: 17 or \"#17\". "
			"Other commands call it so, too, of the same core file or while the "
			"process does not go on. Shown are its status, for which tasks it waits, "
			"who executes it, what created it, its children, its dependences, "
			"which tasks wait for it, and its variables: those that it was given or, "
			"if it has begun, those of its code's frame.",
		.operands = OPERAND_NUMBER,
		.options = plain_options,
		.run = run_view,
		.show = show_task,
	},
	{
		.name = "bt",
		.summary = "show how every thread got where it is",
		.description = "Stacks are shown in terms of the source, without the frames of the "
			       "runtime. The stack of a thread in a parallel region goes on in the "
			       "thread that encountered the region, up to main. Threads of a team "
			       "with the same stack share one, without arguments, unless with "
			       "--full.\n\n"
			       "From 16 OpenMP threads on, the default is --tree: each call stands "
			       "before those that it made, and the first column says how many "
			       "threads went the same way. Rows with \"-\" say what threads do at "
			       "the end.",
		.options = stack_options,
		.run = run_view,
		.show = show_stacks,
	},
	{
		.name = "print",
		.summary = "show the value of an expression in every thread",
		.description =
			"EXPR is evaluated in the innermost frame of the program in each OpenMP "
			"thread. Threads with the same value share a row. Values that most "
			"threads do not have come first, with \"!\". A line below shows the "
			"least and the greatest number.\n\n"
			"EXPR consists of variables, members (a.b, a->b, a%b), elements (a[i], in "
			"Fortran a(i,j)), * and &. a[2:5] is an array section, as in OpenMP: 5 "
			"elements from a[2] on; in Fortran a(2:5) is one of 4. FORMAT is x, d, u, "
			"o or t (binary), as in GDB, which evaluates other expressions, too.",
		.end = "examples:\n"
		       "  ompdbg print mine core\n"
		       "  ompdbg print /x 'mesh->cells[0:4]' 4711 --team 1",
		.operands = OPERAND_EXPRESSION,
		.options = threads_options,
		.run = run_view,
		.show = show_values,
	},
	{
		.name = "regions",
		.summary = "show the parallel regions, and how far their threads are",
		.description = "Regions are a tree: where each was opened, what its threads do and "
			       "where, and how many of them have reached its barrier.",
		.options = plain_options,
		.run = run_view,
		.show = show_regions,
	},
	{
		.name = "icvs",
		.summary = "show control variables by scope",
		.description = "Each value of the control variables of all threads, and which "
			       "threads have it. \"Initially\" is the value with which the program "
			       "began, if it is known and another one; \"Environment\" is the "
			       "variable that set it.",
		.options = icv_options,
		.run = run_view,
		.show = show_icvs,
	},
	{
		.name = "env",
		.summary = "show environment variables of the runtime",
		.description =
			"\"Value\" is what the runtime made of a variable or, if it does not "
			"keep that, what the variable was set to; \"Set to\" is what the "
			"program's environment had when it started, if that is something "
			"else.",
		.options = environment_options,
		.run = run_view,
		.show = show_environment,
	},
	{
		.name = "locks",
		.summary = "show locks and critical constructs, their owners and waiters",
		.description = "The locks, critical and ordered regions that threads wait for. The "
			       "owner is what the runtime or the C library records. If neither "
			       "does, threads that perhaps hold it are named, with the evidence.",
		.options = plain_options,
		.run = run_view,
		.show = show_locks,
	},
	{
		.name = "why",
		.summary = "show why the program does not go on",
		.description = "Who waits for whom: deadlocks, threads that fork() has left "
			       "behind, threads of a team at different barriers, locks and their "
			       "owners, unfinished tasks, events that nobody has fulfilled, and "
			       "barriers that some threads have not reached. A program that runs "
			       "well has such waits too at any moment; only deadlocks, threads "
			       "left behind, different barriers, locks of threads that have ended, "
			       "and endless loops can never end.\n\n"
			       "For a core file, the signal that ended the program comes first.",
		.end = "exit status:\n"
		       "  1 if a signal has ended the program, or if there is a wait that cannot\n"
		       "  end, or one for threads that sleep; else 0",
		.options = thread_options,
		.run = run_view,
		.show = show_why,
	},
	{
		.name = "history",
		.summary = "show what happened before the stop",
		.description =
			"The latest events of a program that was started with the recorder, of "
			"all threads, newest last: regions, tasks, loops, waits, and locks "
			"taken and released. Each thread keeps its latest events only. What a "
			"thread did again and again is one line. Threads that have ended are "
			"shown by their LWP, in parentheses.\n\n"
			"Times are in seconds before the stop; for a core file, which does not "
			"tell when that was, before the latest event.",
		.options = history_options,
		.run = run_view,
		.show = show_history,
	},
	{
		.name = "thread-info",
		.summary = "show what OMPT says about threads",
		.description = "The state and what the thread waits for, as the runtime records "
			       "them; what a tool stored for it; the place that it is bound to, "
			       "the places of its partition, and the processor on which it last "
			       "ran.",
		.options = thread_options,
		.run = run_view,
		.show = show_thread_info,
	},
	{
		.name = "task-info",
		.summary = "show what OMPT says about the tasks of threads",
		.description = "For each task that a thread executes, and those below it: its "
			       "type, the number of its thread, what a tool stored for it and for "
			       "its region, its frames, and for the innermost its memory.",
		.options = level_options,
		.run = run_view,
		.show = show_task_info,
	},
	{
		.name = "parallel-info",
		.summary = "show what OMPT says about the regions of threads",
		.description = "For each region that a thread is in, innermost first: the number "
			       "of threads in its team, and what a tool stored for it.",
		.options = level_options,
		.run = run_view,
		.show = show_parallel_info,
	},
	{
		.name = "status",
		.summary = "show the OpenMP runtime, and how well it is known",
		.description = "The OpenMP runtimes of the program, how their structures are "
			       "known, and what is unavailable, with the reason.",
		.options = plain_options,
		.run = run_view,
		.show = show_status,
	},
	{
		.name = "report",
		.summary = "write all of these at once, as text, JSON or HTML",
		.description =
			"The diagnosis, regions, threads, stacks, tasks, locks, control "
			"variables, environment and runtime. Without options it prints "
			"text; each of the options writes a file. \"-\" is standard output.\n\n"
			"The HTML is one file that needs neither network nor scripts. "
			"Python is started to make it.",
		.end = "examples:\n"
		       "  ompdbg report core | less\n"
		       "  ompdbg report 4711 --html report.html --json report.json",
		.operands = OPERAND_TARGET_OR_NONE,
		.options = report_options,
		.run = run_report,
	},
	{
		.name = "record",
		.summary = "run a command, and keep what its OpenMP threads do",
		.description =
			"OpenMP programs that the command is, or starts, keep in their memory "
			"what happened last in each thread, who holds each lock, and where each "
			"task was made. Commands here and in GDB show it, while the program runs "
			"and from its core file.\n\n"
			"Two libraries are preloaded for that (LD_PRELOAD): the recorder, an "
			"OMPT tool, and one that brings OMPT to libgomp. It gives way to a tool "
			"of the program's, OMP_TOOL_LIBRARIES and OMP_TOOL=disabled. Programs "
			"without OpenMP are not changed. Programs in which libgomp is linked "
			"statically cannot be recorded, nor those that are set-user-ID.\n\n"
			"OMPDBG_RECORD has settings of the recorder, separated by commas: "
			"ring=SIZE, the memory for the events of a thread (default 256K; a power "
			"of two from 4K on), and budget=SIZE, the memory in all (default 256M). "
			"SIZE is a number of bytes, or of K, M or G.\n\n"
			"With -o, all events of the run are written to FILE as they happen, by "
			"one more thread; others wait for it if they write more than ring=SIZE "
			"before it comes. The first OpenMP program gets FILE, which is replaced "
			"if it is a trace; others, as children and programs that it "
			"becomes, get FILE.PID, and ranks of MPI programs that record on their "
			"own FILE.rankN. If the program is killed, the trace lacks its last "
			"hundredth of a second.",
		.end = "exit status:\n"
		       "  that of the command; 127 or 126 if it was not found or could not be run;\n"
		       "  125 if a library is missing or FILE cannot be written; 2 for wrong usage\n"
		       "\n"
		       "examples:\n"
		       "  ompdbg record -- ./solver input\n"
		       "  ompdbg record -o solver.trace -- ./solver input\n"
		       "  OMPDBG_RECORD=ring=1M ompdbg record -- mpirun -n 4 ./solver",
		.operands = OPERAND_COMMAND,
		.options = record_options,
		.run = run_record,
	},
	{
		.name = "profile",
		.summary = "show where the time of a recorded run went",
		.description =
			"TRACE is what \"ompdbg record -o TRACE\" wrote. For each place in the "
			"program: tasks, with their times of creation, in the pool, of "
			"execution, suspension and completion; parallel regions, and how "
			"unevenly their threads worked; waits, loops, locks. For each thread, "
			"where its time went. For the run, its work, its longest path, and so "
			"how many threads it can use. \"?\" stands for what was not observed.\n\n"
			"Without options it prints text; --text, --html, --json and --trace "
			"write files. \"-\" is standard output. Places come from the program's "
			"files, if these are still the same.",
		.end = "examples:\n"
		       "  ompdbg record -o solver.trace -- ./solver input\n"
		       "  ompdbg profile solver.trace\n"
		       "  ompdbg profile solver.trace --html solver.html\n"
		       "  ompdbg profile solver.trace --trace solver.json --from 2 --to 2.5",
		.operands = OPERAND_TRACE,
		.options = profile_options,
		.run = run_profile,
	},
	{
		.name = "run",
		.summary = "run a command, and report what hangs or crashes",
		.description =
			"If a program below the command crashes, or the time-out passes, "
			"the OpenMP report of that program, or of all OpenMP programs below "
			"the command, is written before they end: NAME-PID.html, .json and "
			".txt in DIR, and all.html if there are several; NAME-rankN-PID for "
			"ranks of an MPI program. No process is left running. The exit "
			"status is the command's, whatever becomes of the reports.\n\n"
			"To see a crash before it has ended the program, all processes of "
			"the command are traced (ptrace). That costs time only when threads "
			"and processes are created. A program that traces others itself, a "
			"debugger or LeakSanitizer, needs --no-trace; then only the time- "
			"out is reported.\n\n"
			"What OpenMP threads do is recorded, as by \"ompdbg record\", so that "
			"reports have the facts.",
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
		.summary = "show many reports in one picture",
		.description = "The reports are those of the ranks of an MPI program, say, or of "
			       "the shards of a test run. Processes in the same state are one "
			       "group, and the smallest groups, the outliers, come first. Without "
			       "options it prints text. Python is started to make the picture.\n\n"
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
