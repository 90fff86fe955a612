// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libompdbg/stack: names of functions, shared objects and constructs.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "stack/cxx_names.h"
#include "stack/names.h"
#include "stack/room.h"
#include "stack/stack.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// ---- A program with four functions -------------------------------------------------------------

static bool is_readable;

static struct ompdbg_error *function_named(void *context, const char *symbol,
					   struct ompdbg_function *ret)
{
	static const struct ompdbg_function functions[] = {
		{ "hello", "MAIN__", 1, "f.f90", 3 },
		{ "hello", "_QQmain", 1, "f.f90", 3 },
		{ "foo(int)", "_ZL3fooi", 1, "c.cc", 3 },
		{ "solve(int)", "unreadable", 1, "c.cc", 3 },
	};

	(void)context;
	if (strcmp(symbol, "unreadable") == 0 && !is_readable)
		return ompdbg_error_create(OMPDBG_FAILED, "cannot be read");
	for (size_t i = 0; i < COUNT(functions); i++) {
		if (strcmp(symbol, functions[i].symbol) == 0) {
			*ret = functions[i];
			return NULL;
		}
	}
	return &ompdbg_error_absent;
}

static struct ompdbg_services services = { .function_named = function_named };
static struct constants constants = { .services = &services };
static struct process process = { .services = &services, .constants = &constants };

static int release(void **state)
{
	(void)state;
	arena_deinit(&process.arena);
	arena_deinit(&constants.arena);
	return 0;
}

// ---- Shared objects ----------------------------------------------------------------------------

static void test_objects(void **state)
{
	static const char *const runtimes[][2] = {
		{ "/usr/lib/x86_64-linux-gnu/libgomp.so.1", "libgomp" },
		{ "/opt/libgomp.so.1.0.0", "libgomp" },
		{ "/usr/lib/libomp.so.5", "libomp" },
		{ "libiomp5.so", "libiomp5" },
		{ "/x/libgomp-9f3a.so.1", "libgomp" }, // as wheels of Python have it
	};
	static const char *const others[] = { "/home/me/libgompertz.so", "/usr/lib/libc.so.6",
					      "/home/libgomp.so.1/prog", "libgomp.a" };
	static const char *const systems[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libc-2.31.so",
		"/lib/x86_64-linux-gnu/libpthread-2.31.so",
		"/lib/x86_64-linux-gnu/libpthread.so.0",
		"/lib64/ld-linux-x86-64.so.2",
		"/lib/x86_64-linux-gnu/ld-2.31.so",
		"/lib/libm.so.6",
		"/lib/libstdc++.so.6",
		"/lib/libgfortran.so.5",
		"/lib/libtsan.so.2",
		"/lib/ompdbg/libompdbg-recorder.so",
		"[vdso]",
	};
	static const char *const users[] = { "/lib/libcrypto.so.3", "/lib/libmpi.so.40",
					     "/x/ldap.so", "/x/libcunit.so", "/x/libm-.so.1" };

	(void)state;
	for (size_t i = 0; i < COUNT(runtimes); i++) {
		assert_string_equal(runtime_of_object(runtimes[i][0]), runtimes[i][1]);
	}
	for (size_t i = 0; i < COUNT(others); i++)
		assert_null(runtime_of_object(others[i]));
	for (size_t i = 0; i < COUNT(systems); i++)
		assert_true(is_system_object(systems[i]));
	for (size_t i = 0; i < COUNT(users); i++)
		assert_false(is_system_object(users[i]));
	assert_null(runtime_of_object(NULL));
	assert_false(is_system_object(NULL));
	// Neither a runtime, nor the user's.
	assert_true(is_interposer_object("/lib/ompdbg/libompt-gomp.so"));
	assert_null(runtime_of_object("/lib/ompdbg/libompt-gomp.so"));
	assert_false(is_interposer_object("/lib/libgomp.so.1"));
	assert_false(is_interposer_object(NULL));
}

static void test_symbols(void **state)
{
	(void)state;
	assert_true(is_runtime_stub("GOMP_barrier@plt"));
	assert_true(is_runtime_stub("__kmpc_fork_call@plt"));
	assert_false(is_runtime_stub("GOMP_barrier"));
	assert_false(is_runtime_stub("GOMP_@plt"));
	assert_false(is_runtime_stub("printf@plt"));
	assert_false(is_runtime_stub(NULL));
	assert_true(is_runtime_symbol("gomp_thread_start"));
	assert_true(is_runtime_symbol("igomp_x"));
	assert_true(is_runtime_symbol("omp_set_lock"));
	assert_false(is_runtime_symbol("gomp_critical_user_table"));
	assert_false(is_runtime_symbol("gompertz"));
}

// ---- Outlined functions ------------------------------------------------------------------------

static void test_outlined(void **state)
{
	static const char *const cases[][2] = {
		// GCC
		{ "main._omp_fn.0", "main" },
		{ "fib._omp_cpyfn.3", "fib" },
		{ "_ZL3fooi._omp_fn.0(void)", "_ZL3fooi" },
		{ "work::__mymod_MOD_work._omp_fn.12", "__mymod_MOD_work" },
		{ "hello::MAIN__._omp_fn.0", "MAIN__" },
		{ "main._omp_fn.0.cold", "main" },
		{ "main._omp_fn.0.constprop.0.isra.0", "main" },
		{ "fib.part.0._omp_fn.1", "fib" },
		{ "fib.part.0.lto_priv.0._omp_fn.1", "fib" },
		{ "solve.0._omp_fn.2", "solve.0" },
		{ "foo(int) [clone ._omp_fn.0]", "foo(int)" },
		{ "foo(int) [clone .part.0._omp_fn.0]", "foo(int)" },
		{ "ns::A<int>::run(int) [clone ._omp_fn.1]", "ns::A<int>::run(int)" },
		// Clang up to 16, and from 17 on
		{ ".omp_outlined.", "" },
		{ ".omp_outlined..3", "" },
		{ ".omp_outlined._debug__.2", "" },
		{ ".omp_task_entry..7", "" },
		{ "main.omp_outlined", "main" },
		{ "main.omp_outlined_debug__", "main" },
		{ "main.omp_outlined_debug__.4", "main" },
		{ "main.omp_outlined.omp_outlined", "main.omp_outlined" },
		{ "_ZN1A3runEv.omp_outlined(void) const", "_ZN1A3runEv" },
		{ "solve.omp_outlined.1(int *, int *)", "solve" },
		{ "__omp_offloading_fd00_1b5ac_solve_l12", "solve" },
		{ "__omp_offloading_fd00_1b5ac__Z5solvei_l12_1_debug__", "_Z5solvei" },
		{ "__omp_offloading_10_2_at_l3_l12(int)", "at_l3" },
		// flang
		{ "_QFPsolve..omp_par", "_QFPsolve" },
		{ "_QMheatPsmooth..omp_par.1.cold", "_QMheatPsmooth" },
		{ "_QQmain..omp_par.2.3", "_QQmain" },
	};
	static const char *const others[] = {
		"main",
		"my_omp_fn.0",
		"fib.part.0",
		"._omp_fn.0",
		"main._omp_fn.x",
		".omp_combiner.",
		".omp_task_privates_map.",
		"main.omp_outlined.x",
		"main.omp_outlined(int",
		"..omp_par",
		"a b..omp_par",
		"__omp_offloading_fd00_x_solve_l12",
		"__omp_offloading_fd00_1b5_solve",
		"foo(int) [clone .part.0]",
		"",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *base = outlined_base(&process.arena, cases[i][0]);

		assert_non_null(base);
		assert_string_equal(base, cases[i][1]);
		assert_true(is_outlined_name(cases[i][0]));
		assert_int_equal(is_nameless(cases[i][0]), !*cases[i][1]);
		assert_int_equal(is_copy_name(cases[i][0]), strstr(cases[i][0], "cpyfn") != NULL);
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		assert_null(outlined_base(&process.arena, others[i]));
		assert_false(is_outlined_name(others[i]));
	}
	assert_false(is_outlined_name(NULL));
	assert_false(is_nameless(NULL));
}

static void test_compilers(void **state)
{
	(void)state;
	assert_true(is_clangs_name("main.omp_outlined.2"));
	assert_false(is_clangs_name("_QFPsolve..omp_par"));
	assert_true(is_flangs_name("_QFPsolve..omp_par"));
	assert_false(is_flangs_name("main._omp_fn.0"));
	assert_true(is_target_name("__omp_offloading_1_2_f_l3"));
	assert_false(is_target_name("f_l3"));
	assert_true(is_task_entry(".omp_task_entry."));
	assert_true(is_task_entry(".omp_task_entry..3"));
	assert_false(is_task_entry(".omp_task_entry"));
	assert_false(is_task_entry(NULL));
	assert_true(is_debug_body("main.omp_outlined_debug__"));
	assert_true(is_debug_body(".omp_outlined._debug__.2"));
	assert_false(is_debug_body("main.omp_outlined_debug__.omp_outlined"));
	assert_false(is_debug_body("main.omp_outlined"));
	assert_false(is_debug_body(NULL));
}

// ---- Fortran -----------------------------------------------------------------------------------

static void test_fortran(void **state)
{
	static const char *const cases[][2] = {
		{ "__heat_MOD_cell_lock", "heat::cell_lock" },
		{ "__a_MOD_b_MOD_c", "a::b_MOD_c" },
		{ "cell_lock", "cell_lock" },
		{ "__heat_MOD_", "__heat_MOD_" },
		{ "___MOD_x", "___MOD_x" },
		{ "__heat_MOD_x.0", "__heat_MOD_x.0" },
		{ "_QMheatEcell_lock", "heat::cell_lock" },
		{ "_QMheatSinnerPhold", "heat::inner::hold" },
		{ "_QMheatFsolvePsmooth", "heat::solve::smooth" },
		{ "_QFPsolve", "solve" }, // of the main program
		{ "_QPsub", "sub" },
		{ "_QQmain::solve", "solve" },
		{ "_QQmain", "_QQmain" },
		{ "_QFB1Ekept", "kept" },
		{ "_QFBxEkept", "_QFBxEkept" },
		{ "_Q", "_Q" },
		{ "_QMheatP", "_QMheatP" },
		{ "_QMHeatPx", "_QMHeatPx" },
		{ "_QFPsolvePx", "_QFPsolvePx" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct ompdbg_symbol symbol = { .name = cases[i][0] };
		assert_string_equal(symbol_title(&process, &symbol), cases[i][1]);
	}
	assert_true(is_fortran_file("/x/s.F90"));
	assert_true(is_fortran_file("s.for"));
	assert_false(is_fortran_file("s.c"));
	assert_false(is_fortran_file("f90"));
	assert_false(is_fortran_file(NULL));
}

// ---- C++ ---------------------------------------------------------------------------------------

static void test_cxx(void **state)
{
	static const char *const cases[][2] = {
		{ "solve", "solve" },
		{ "solve(int)", "solve" },
		{ "int solve<int>(std::function<void (int)>)", "solve<int>" },
		{ "Map<(Kind)1>::each(void (*)(int)) const", "Map<(Kind)1>::each" },
		{ "text[abi:cxx11](int) &", "text[abi:cxx11]" },
		{ "solve(int) [clone .part.0]", "solve" },
		{ "app::(anonymous namespace)::solve", "app::(anonymous namespace)::solve" },
		{ "app::(anonymous namespace)::solve(app::Box)",
		  "app::(anonymous namespace)::solve" },
		{ "(anonymous namespace)::solve", "(anonymous namespace)::solve" },
		{ "solve(int)::Local::run", "solve(int)::Local::run" },
		{ "solve(int) const::Local::run(int)", "solve(int) const::Local::run" },
		{ "Box::operator()", "Box::operator()" },
		{ "Box::operator()(int) const", "Box::operator()" },
		{ "Box::operator<(Box const&)", "Box::operator<" },
		{ "app::operator<<(std::ostream&, Box)", "app::operator<<" },
		{ "Box::operator->()", "Box::operator->" },
		{ "Box::operator<=>(Box const&) const", "Box::operator<=>" },
		{ "Box::operator>>=(int)", "Box::operator>>=" },
		{ "cooperator<int>(int)", "cooperator<int>" },
		{ "operator new(unsigned long)", "operator new" },
		{ "solve()::{lambda(int)#1}::operator()(int)",
		  "solve()::{lambda(int)#1}::operator()(int)" },
		{ "invoke<bool, f()::{lambda()#1}&>(struct {...} &)",
		  "invoke<bool, f()::{lambda()#1}&>" },
		{ "void with<f()::{lambda(int)#1}::operator()(int) const::{lambda()#1}>(int)",
		  "with<f()::{lambda(int)#1}::operator()(int) const::{lambda()#1}>" },
		{ "Box::operator Map<int><int>(int)", "Box::operator Map<int><int>" },
		{ "call(Tag, struct {...} &)", "call" },
		{ "solve(", "solve(" },
		{ "solve)", "solve)" },
		{ "solve(int) [clone", "solve(int) [clone" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *name = cxx_without_return_type(cases[i][0]);

		assert_int_equal(cxx_length_without_parameters(name), strlen(cases[i][1]));
		assert_memory_equal(name, cases[i][1], strlen(cases[i][1]));
	}
}

static void test_abbreviated_cxx(void **state)
{
	static const char *const cases[][2] = {
		{ "Box<int>::run", "Box<...>::run" },
		{ "Book::move(Text const&, double)::{lambda(Box<int>&)#1}::operator()(Box<int>&) const",
		  "Book::move(...)::{lambda(...)#1}::operator()(...) const" },
		{ "Pair<main()::<lambda(int)>, Map<int> >::call", "Pair<...>::call" },
		{ "main()::<lambda(int)>", "main()::<lambda(...)>" },
		{ "(anonymous namespace)::Box<int>::operator<",
		  "(anonymous namespace)::Box<...>::operator<" },
		{ "Box<int>::operator->", "Box<...>::operator->" },
		{ "solve", "solve" },
		{ "solve(int", "solve(int" },
		{ "solve>int)", "solve>int)" },
		{ "", "" },
	};
	struct arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_string_equal(cxx_abbreviated(&arena, cases[i][0], 0), cases[i][1]);
		assert_ptr_equal(cxx_abbreviated(&arena, cases[i][0], strlen(cases[i][0])),
				 cases[i][0]);
	}
	arena_deinit(&arena);
}

/** A name of a million characters costs as many steps. */
static void test_long_cxx(void **state)
{
	enum { TIMES = 1 << 17 };
	static const char part[] = "Box<int>::", end[] = "run";
	const size_t length = sizeof(part) - 1;
	struct arena arena = { 0 };
	char *name = arena_alloc(&arena, TIMES * length + sizeof(end));

	(void)state;
	for (size_t i = 0; i < TIMES; i++)
		memcpy(name + i * length, part, length);
	strcpy(name + TIMES * length, end);
	const char *found = cxx_abbreviated(&arena, name, 0);
	assert_int_equal(strlen(found), TIMES * length + strlen(end));
	assert_true(starts_with(found, "Box<...>::Box<...>::"));
	found = cxx_bounded(&arena, name);
	assert_int_equal(strlen(found), CXX_BOUND);
	assert_string_equal(found + CXX_BOUND - 6, "......"); // "Box<..." is cut
	assert_string_equal(cxx_bounded(&arena, "Box<int>::run"), "Box<int>::run");
	// Not within a character: 997 is no multiple of 2.
	for (size_t i = 0; i < CXX_BOUND; i++)
		memcpy(name + 2 * i, "\u00e9", 2);
	name[2 * CXX_BOUND] = '\0';
	assert_int_equal(strlen(cxx_bounded(&arena, name)), CXX_BOUND - 1);
	arena_deinit(&arena);
}

static void test_demangle(void **state)
{
	const char *name = demangle(&process, "_Z3bari");

	(void)state;
	if (!name)
		skip(); // no run-time library of C++
	assert_string_equal(name, "bar(int)");
	assert_ptr_equal(demangle(&process, "_Z3bari"), name);
	assert_null(demangle(&process, "i")); // of a type
	assert_null(demangle(&process, "_Zx"));
	assert_null(demangle(&process, NULL));
	// P<P<...>, P<...> >, thirty times: 2^31 names. Eight times is a name for people.
	assert_null(demangle(
		&process,
		"_Z4workI1PIS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_I"
		"S0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IS0_IiiES1_ES2_ES3_ES4_"
		"ES5_ES6_ES7_ES8_ES9_ESA_ESB_ESC_ESD_ESE_ESF_ESG_ESH_ESI_ESJ_ESK_ESL_ESM_"
		"ESN_ESO_ESP_ESQ_ESR_ESS_EST_EEvT_"));
	name = demangle(&process,
			"_Z4workI1PIS0_IS0_IS0_IS0_IS0_IS0_IS0_IiiES1_ES2_ES3_ES4_ES5_ES6_ES7_"
			"EEvT_");
	assert_true(name && starts_with(name, "void work<P<P<P<P<P<P<P<P<int, int>, "));
	assert_string_equal(enclosing_function(&process, "_Z3barv._omp_fn.0", "c.cc"), "bar()");
	assert_string_equal(enclosing_function(&process, "_ZN1A3runIiEEvv.omp_outlined", NULL),
			    "A::run<int>()");
}

// ---- Names of the source -----------------------------------------------------------------------

static void test_enclosing(void **state)
{
	static const char *const cases[][3] = {
		{ "main._omp_fn.0", "x.c", "main" },
		{ "MAIN__._omp_fn.1", "f.f90", "hello" },
		{ "_ZL3fooi._omp_fn.0(void)", "c.cc", "foo(int)" },
		{ "main.omp_outlined.omp_outlined.1", "x.c", "main" },
		// without debug information
		{ "_QQmain..omp_par", NULL, "the main program" },
		{ "_QMheatPsmooth..omp_par.2", NULL, "heat::smooth" },
		{ "__mymod_MOD_work._omp_fn.0", NULL, "mymod::work" },
		{ "sub_._omp_fn.0", "s.F90", "sub" },
		{ "solve.0._omp_fn.0", "s.f90", "solve" },
		{ "c_name_._omp_fn.0", "s.c", "c_name_" },
		{ "unreadable._omp_fn.0", "s.c", "unreadable" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(enclosing_function(&process, cases[i][0], cases[i][1]),
				    cases[i][2]);
	// A failure is not kept.
	is_readable = true;
	assert_string_equal(enclosing_function(&process, "unreadable._omp_fn.0", "s.c"),
			    "solve(int)");
	assert_null(enclosing_function(&process, "work", "x.c"));
	assert_null(enclosing_function(&process, ".omp_outlined.", "x.c"));
	assert_null(enclosing_function(&process, NULL, NULL));
}

static void test_plain(void **state)
{
	static const char *const cases[][2] = {
		{ "solve(int)", "solve" },
		{ "_QQmain", "the main program" },
		{ "_QQmain::solve", "solve" },
		{ "main", "main" },
		{ ".omp_combiner..3", "combiner of a reduction" },
		{ ".omp_initializer.", "initializer of a reduction" },
		{ ".omp_combiner.(point*, point*)", "combiner of a reduction" },
		{ ".omp_combiner.x", ".omp_combiner.x" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(plain_name(&process, cases[i][0]), cases[i][1]);
	assert_string_equal(base_name("/a/b.c"), "b.c");
	assert_string_equal(base_name("b.c"), "b.c");
}

static void test_titles(void **state)
{
	struct ompdbg_symbol symbol = { "table", 8, NULL };

	(void)state;
	assert_string_equal(symbol_title(&process, &symbol), "table+8");
	symbol = (struct ompdbg_symbol){ ".gomp_critical_user_table.var", 0, NULL };
	assert_string_equal(symbol_title(&process, &symbol), "table");
	symbol.name = "gomp_critical_user_table[var]";
	assert_string_equal(symbol_title(&process, &symbol), "table");
	symbol.name = "__heat_MOD_cell_lock";
	assert_string_equal(symbol_title(&process, &symbol), "heat::cell_lock");
	symbol.name = ".gomp_critical_user_.var"; // of the construct without a name
	assert_null(symbol_title(&process, &symbol));
	assert_null(symbol_title(&process, NULL));
}

static void test_source_texts(void **state)
{
	static const struct {
		const char *text;
		struct construct_source source;
	} cases[] = {
		{ ";/src/a.c;solve;80;1;;", { "solve", "/src/a.c", 80 } },
		{ ";a b.cpp;ns::Field::sweep;7;12;;", { "ns::Field::sweep", "a b.cpp", 7 } },
		{ ";FIRModule;solve;80;1;;", { "solve", NULL, 80 } },
		{ ";unknown;unknown;0;0;;", { 0 } },
		{ ";/src/a.c;unknown;3;0;;", { 0 } },
		{ ";/src/a.c;solve;0;0;;", { 0 } },
		{ ";/src/a.c;solve;x;0;;", { 0 } },
		{ ";/src/a.c;solve;99999999999;0;;", { 0 } },
		{ ";/src/a.c;solve;8", { 0 } },
		{ ";;;1;1;;", { 0 } },
		{ "", { 0 } },
		{ "\xff\x01", { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct construct_source *expected = &cases[i].source;
		const struct construct_source *found =
			parse_construct_source(&process.arena, cases[i].text);

		assert_int_equal(found != NULL, expected->line != 0);
		if (!found)
			continue;
		assert_string_equal(found->function, expected->function);
		assert_string_equal(found->file ? found->file : "(none)",
				    expected->file ? expected->file : "(none)");
		assert_int_equal(found->line, expected->line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_outlined),	cmocka_unit_test(test_compilers),
		cmocka_unit_test(test_fortran),		cmocka_unit_test(test_cxx),
		cmocka_unit_test(test_abbreviated_cxx), cmocka_unit_test(test_long_cxx),
		cmocka_unit_test(test_demangle),	cmocka_unit_test(test_enclosing),
		cmocka_unit_test(test_plain),		cmocka_unit_test(test_titles),
		cmocka_unit_test(test_source_texts),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
