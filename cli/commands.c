// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of commands.

#include "options.h"

#define ROW(...)            \
	{                   \
		__VA_ARGS__ \
	}
#define TARGET_OPTIONS                                                                      \
	ROW("exe", OPTION_EXE, "FILE", 0, "the program, if it is in another place now", 1), \
		ROW("sysroot", OPTION_SYSROOT, "DIR", 0,                                    \
		    "folder with the files of the program's machine", 1),                   \
		ROW("coredump", OPTION_COREDUMP, NULL, 0,                                   \
		    "a core file of coredumpctl's: that of a PID or program, or the newest", 1)
#define THREAD_OPTION \
	ROW("thread", OPTION_THREAD, "NUMBER", 0, "only that thread, by its number or LWP", 0)
#define LEVEL_OPTION \
	ROW("level", OPTION_LEVEL, "LEVEL", 0, "only that level: 0 is the innermost", 0)
#define TEXT_OPTION ROW("text", OPTION_TEXT, "FILE", 0, "write text", 0)
#define HTML_OPTION ROW("html", OPTION_HTML, "FILE", 0, "write a page for a browser", 0)
#define JSON_FILE_OPTION                                           \
	ROW("json", OPTION_JSON_FILE, "FILE", OPTION_ARG_OPTIONAL, \
	    "write JSON, schema \"ompdbg/1\"; without FILE, to standard output", 0)
#define END ROW("help", OPTION_HELP, NULL, 0, "print this help", 1), ROW(0)
/** The last rows of what shows a target. */
#define END_OF_VIEW                                                                            \
	TARGET_OPTIONS,                                                                        \
		ROW("color", OPTION_COLOR, "WHEN", 0, "color text: auto, always or never", 1), \
		ROW("json", OPTION_JSON, NULL, 0, "print JSON, schema \"ompdbg/1\"", 1), END

static const struct argp_option plain_options[] = {
	END_OF_VIEW,
};
static const struct argp_option thread_options[] = {
	THREAD_OPTION,
	END_OF_VIEW,
};
static const struct argp_option level_options[] = {
	LEVEL_OPTION,
	THREAD_OPTION,
	END_OF_VIEW,
};
static const struct argp_option threads_options[] = {
	{ "state", OPTION_STATE, "STATE", 0,
	  "only threads in that state, a word of the table or OMPD's name", 0 },
	{ "team", OPTION_TEAM, "TEAM", 0, "only threads of that team", 0 },
	{ "level", OPTION_LEVEL, "LEVEL", 0, "only threads on that level", 0 },
	{ "num", OPTION_NUM, "NUMBERS", 0, "only threads with these numbers: 0,4-7", 0 },
	END_OF_VIEW,
};
static const struct argp_option tasks_options[] = {
	{ "queued", OPTION_QUEUED, NULL, 0, "only tasks that have not begun", 0 },
	{ "by-function", OPTION_BY_FUNCTION, NULL, 0, "how many tasks there are of each function",
	  0 },
	END_OF_VIEW,
};
static const struct argp_option stack_options[] = {
	{ "raw", OPTION_RAW, NULL, 0, "frames of the runtime and of libraries, too", 0 },
	{ "limit", OPTION_LIMIT, "COUNT", 0, "only that many innermost frames", 0 },
	{ "full", OPTION_FULL, NULL, 0, "local variables, too", 0 },
	{ "tree", OPTION_TREE, NULL, 0, "one tree of all stacks, from main on", 0 },
	{ "no-tree", OPTION_NO_TREE, NULL, 0, "one stack after another", 0 },
	THREAD_OPTION,
	END_OF_VIEW,
};
static const struct argp_option icv_options[] = {
	{ "scope", OPTION_SCOPE, "SCOPE", 0,
	  "only variables of the process, thread, region or task", 0 },
	THREAD_OPTION,
	END_OF_VIEW,
};
static const struct argp_option environment_options[] = {
	{ "all", OPTION_ALL, NULL, 0, "variables without a value, too", 0 },
	END_OF_VIEW,
};
static const struct argp_option history_options[] = {
	{ "last", OPTION_LAST, "COUNT", 0, "so many events (default 20)", 0 },
	{ "all", OPTION_ALL, NULL, 0, "all events that are still there", 0 },
	THREAD_OPTION,
	END_OF_VIEW,
};
static const struct argp_option report_options[] = {
	TEXT_OPTION, HTML_OPTION, JSON_FILE_OPTION, TARGET_OPTIONS, END,
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
	JSON_FILE_OPTION,
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
			"Print one row for each thread: its number, its OpenMP number, its "
			"team, its state, the kind of its task, and its location. With 32 "
			"threads or more, equal threads share a row, unless an option selects "
			"threads.\n\n"
			"Team 1.2 was formed by thread 2 of team 1. \"?\" means unknown; "
			"\"none\" marks a thread that is not an OpenMP thread.",
		.options = threads_options,
		.run = run_view,
		.view = VIEW_THREADS,
		.threads = ANY_THREADS,
	},
	{
		.name = "tasks",
		.summary = "show the tasks of every team",
		.description =
			"Tasks form a tree: each is below the task that created it, with its "
			"status, its dependences, and the number of tasks that it waits for. If "
			"many tasks are alike, some are shown and the others are counted. If the "
			"tree is too deep for the line, a number in brackets is the depth of a "
			"task.",
		.options = tasks_options,
		.run = run_view,
		.view = VIEW_TASKS,
	},
	{
		.name = "task",
		.summary = "show one task",
		.description =
			"NUMBER is the number of an explicit task, as \"tasks\" shows it: 17 or "
			"\"#17\". All commands use the same numbers for a core file, and for a "
			"process until it continues. The output has the task's status, the tasks "
			"that it waits for, the thread that executes it, its creator, its "
			"children, its dependences, the tasks that wait for it, and its variables: "
			"the values that it was given or, if it has begun, the variables of its "
			"code's frame.",
		.operands = OPERAND_NUMBER,
		.options = plain_options,
		.run = run_view,
		.view = VIEW_TASK,
	},
	{
		.name = "bt",
		.summary = "show the stack of every thread",
		.description = "Stacks show the program's own frames, without those of the "
			       "runtime. The stack of a thread in a parallel region continues in "
			       "the thread that encountered the region, up to main. Threads of a "
			       "team with equal stacks share one, without arguments, unless "
			       "--full is given. Of a recursion, the first and the last frames "
			       "are shown, and how many are between; with --full or --raw, all.\n\n"
			       "With 16 OpenMP threads or more, the default is --tree: one tree "
			       "of all stacks, from main on. The first column is the number of "
			       "threads in these frames; rows with \"-\" show the state of the "
			       "threads that end there.",
		.options = stack_options,
		.run = run_view,
		.view = VIEW_STACKS,
		.threads = NAMED_THREAD,
	},
	{
		.name = "print",
		.summary = "show the value of an expression in every thread",
		.description =
			"Evaluate EXPR in the innermost frame of the program's own code in each "
			"OpenMP thread. Threads with the same value share a row. Values that "
			"most threads do not have come first, with \"!\". A line below shows the "
			"minimum and the maximum.\n\n"
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
		.view = VIEW_VALUES,
		.threads = VALUED_THREADS,
	},
	{
		.name = "regions",
		.summary = "show the parallel regions and the progress of their threads",
		.description = "Regions form a tree. Each shows where it was opened, what its "
			       "threads do and where, and how many have reached its barrier.",
		.options = plain_options,
		.run = run_view,
		.view = VIEW_REGIONS,
	},
	{
		.name = "icvs",
		.summary = "show control variables by scope",
		.description = "Show each value of the control variables of all threads, with the "
			       "threads that have it. \"Initially\" is the initial value, if it is "
			       "known and differs; \"Environment\" is the variable that set it.",
		.options = icv_options,
		.run = run_view,
		.view = VIEW_ICVS,
		.threads = OPENMP_THREADS,
	},
	{
		.name = "env",
		.summary = "show environment variables of the runtime",
		.description =
			"\"Value\" is the runtime's interpretation of a variable or, if the "
			"runtime does not keep one, the variable's text. \"Set to\" is the text "
			"in the environment when the program started, if it differs.",
		.options = environment_options,
		.run = run_view,
		.view = VIEW_ENVIRONMENT,
	},
	{
		.name = "locks",
		.summary = "show locks and critical constructs, their owners and waiters",
		.description =
			"Show the locks, critical and ordered regions that threads wait for; "
			"mutexes of the C library, such as std::mutex, count as locks. "
			"The owner comes from the runtime or the C library. If neither "
			"records it, ompdbg names threads that perhaps hold the lock, with "
			"the evidence.",
		.options = plain_options,
		.run = run_view,
		.view = VIEW_LOCKS,
	},
	{
		.name = "why",
		.summary = "show why the program hangs or crashed",
		.description =
			"Show which thread waits for which: deadlocks, threads of a team that "
			"do not exist, threads of a team at different barriers, locks "
			"and their owners, unfinished tasks, events that were not fulfilled, "
			"and barriers that some threads have not reached. A healthy program, "
			"too, has such waits at any moment. Only deadlocks, missing threads, "
			"different barriers, locks of threads that have ended, and endless "
			"loops last for ever.\n\n"
			"If no thread of a process works, the processes that it has forked and "
			"that run the same program are examined, too.\n\n"
			"For a core file, the signal that ended the program comes first.",
		.end = "exit status:\n"
		       "  1 if a signal of its own ended the program, if a wait cannot end, if\n"
		       "  threads wait for threads that sleep, or if all threads sleep and the\n"
		       "  reason is unknown; otherwise 0",
		.options = thread_options,
		.run = run_view,
		.view = VIEW_WHY,
		.threads = NAMED_THREAD,
	},
	{
		.name = "history",
		.summary = "show what happened before the stop",
		.description =
			"Show the latest events of all threads of a recorded program, newest "
			"last: regions, tasks, loops, waits, and locks taken and released. Each "
			"thread keeps only its latest events. Repeated events share a line. "
			"Threads that have ended appear as their LWP, in parentheses.\n\n"
			"Times are seconds before the stop. A core file does not contain the "
			"time of the stop, so there they count from the latest event.",
		.options = history_options,
		.run = run_view,
		.view = VIEW_HISTORY,
		.threads = NAMED_THREAD,
	},
	{
		.name = "thread-info",
		.summary = "show what an OMPT tool can ask about threads",
		.description = "Show the state and the wait of a thread, as the runtime records "
			       "them; the tool's data for it; the place that it is bound to, the "
			       "places of its partition, and the processor on which it last ran.",
		.options = thread_options,
		.run = run_view,
		.view = VIEW_INQUIRIES,
		.threads = OPENMP_THREADS,
		.inquiry = INQUIRY_THREAD,
	},
	{
		.name = "task-info",
		.summary = "show what an OMPT tool can ask about tasks",
		.description = "Show, for the task that a thread executes and those below it: the "
			       "type, the thread number, the tool's data for the task and its "
			       "region, the frames, and for the innermost task its memory.",
		.options = level_options,
		.run = run_view,
		.view = VIEW_INQUIRIES,
		.threads = OPENMP_THREADS,
		.inquiry = INQUIRY_TASK,
	},
	{
		.name = "parallel-info",
		.summary = "show what an OMPT tool can ask about regions",
		.description = "Show, for each region that a thread is in, innermost first: the "
			       "number of threads in its team, and the tool's data for it.",
		.options = level_options,
		.run = run_view,
		.view = VIEW_INQUIRIES,
		.threads = OPENMP_THREADS,
		.inquiry = INQUIRY_PARALLEL,
	},
	{
		.name = "status",
		.summary = "show the OpenMP runtime and how ompdbg knows its structures",
		.description = "Show the OpenMP runtimes of the program, how ompdbg knows their "
			       "structures, and what is unavailable, with the reason.",
		.options = plain_options,
		.run = run_view,
		.view = VIEW_STATUS,
	},
	{
		.name = "report",
		.summary = "write a report of everything, as text, JSON or HTML",
		.description =
			"A report contains the diagnosis, regions, threads, stacks, tasks, locks, "
			"control variables, environment and runtime. Without options it is "
			"printed as text; each of the options writes a file. \"-\" is standard "
			"output.\n\n"
			"The HTML page is one file that needs no network and no scripts. Making "
			"it needs Python.",
		.end = "examples:\n"
		       "  ompdbg report core | less\n"
		       "  ompdbg report 4711 --html report.html --json report.json",
		.operands = OPERAND_TARGET_OR_NONE,
		.options = report_options,
		.run = run_report,
	},
	{
		.name = "record",
		.summary = "run a command and record what its OpenMP threads do",
		.description =
			"Each OpenMP program of the command keeps in its memory the latest "
			"events of each thread, the owner of each lock, and the place where each "
			"task was created. The commands here and in GDB show this for the "
			"running program and for its core file.\n\n"
			"Two libraries are preloaded for that (LD_PRELOAD): the recorder, an "
			"OMPT tool, and one that adds OMPT to libgomp. The recorder does nothing "
			"if the program has its own tool, or if OMP_TOOL_LIBRARIES or "
			"OMP_TOOL=disabled is set. Programs without OpenMP are not changed. "
			"Programs with a static libgomp and set-user-ID programs cannot be "
			"recorded.\n\n"
			"OMPDBG_RECORD holds settings of the recorder, separated by commas: "
			"ring=SIZE, the memory for the events of one thread (default 256K; a "
			"power of two from 4K on), and budget=SIZE, the memory in all (default "
			"256M). SIZE is a number of bytes, or of K, M or G.\n\n"
			"With -o, an additional thread writes all events of the run to FILE. "
			"Other threads wait for it when their ring is full. The first OpenMP "
			"program writes FILE, replacing an older trace. Later programs and "
			"children write FILE.PID; ranks of MPI programs that each run \"ompdbg "
			"record\" write FILE.rankN. If the program is killed, the trace lacks "
			"its last hundredth of a second.",
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
			"TRACE is the file that \"ompdbg record -o TRACE\" wrote. The profile "
			"shows, for each place in the program: tasks, with their times of "
			"creation, in the pool, of execution, suspension and completion; parallel "
			"regions and their imbalance; waits, loops and locks. For each thread, it "
			"shows where the time went; for the whole run, the work, the longest path "
			"and the available parallelism. \"?\" means not observed.\n\n"
			"Without options the profile is printed as text; --text, --html, --json "
			"and --trace write files. \"-\" is standard output. Source lines come "
			"from the program's files, if they are unchanged.",
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
		.summary = "run a command and report on programs that hang or crash",
		.description =
			"If a program of the command crashes, ompdbg writes an OpenMP report of "
			"it; if the time-out passes, it writes reports of all OpenMP programs of "
			"the command. The reports are NAME-PID.html, .json and .txt in DIR, and "
			"all.html if there are several; NAME-rankN-PID for ranks of an MPI "
			"program. No process is left running, unless ompdbg is killed (SIGKILL) and "
			"does not trace. The exit status is the command's, "
			"even if reports fail.\n\n"
			"All processes of the command are traced (ptrace), so that a crash is "
			"seen before the program ends. Tracing costs time only when threads and "
			"processes are created. A program that traces others itself, such as a "
			"debugger or LeakSanitizer, needs --no-trace; then only the time-out is "
			"reported.\n\n"
			"Programs are recorded, as by \"ompdbg record\", so that reports contain "
			"facts about owners and times.",
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
		.summary = "combine many reports into one",
		.description =
			"Combine the reports of an MPI program's ranks, or of the parts of a "
			"test run. Processes in the same state form a group; the smallest "
			"groups, the outliers, come first. Without options the result is "
			"printed as text. This command needs Python.\n\n"
			"Reports that cannot be read and ranks without a report are named; "
			"the result contains the others.",
		.end = "exit status:\n"
		       "  1 if a process crashed or hangs; otherwise 3 if a report could not be\n"
		       "  read; otherwise 0\n"
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
