// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the functions that compilers make of the code of constructs.
//
//   GCC     solve._omp_fn.0              solve._omp_cpyfn.3 copies the data of a task
//           "solve(int) [clone ._omp_fn.0]", where only the demangled name is known
//   Clang   solve.omp_outlined           solve.omp_task_entry, solve.omp_outlined_debug__
//           .omp_outlined..3             before Clang 17
//           __omp_offloading_fd00_1b5_solve_l12   a target region, for the host
//   flang   _QFPsolve..omp_par

#include "stack/stack.h"

#include "base/text.h"

static const char TARGET_PREFIX[] = "__omp_offloading_";
static const char CLANGS_TASK_ENTRY[] = ".omp_task_entry";
static const char FLANGS_SUFFIX[] = "..omp_par";

/** A name that was taken apart. */
struct pieces {
	struct part base;
	bool is_copy;
};

static struct part whole(const char *text)
{
	return (struct part){ text, text + strlen(text) };
}

/** Check for a character of a name with dots. */
static bool is_symbol_character(char c)
{
	return is_word_character(c) || c == '.' || c == '$';
}

/** Take off what GCC puts after the names of a function's copies and pieces: ".part.0.cold". */
static struct part without_clone_suffix(struct part name)
{
	static const char *const words[] = { ".part", ".constprop", ".isra", ".cold", ".lto_priv" };

	for (;;) {
		const char *digits = name.end, *end = name.end;

		while (digits > name.begin && is_digit(digits[-1]))
			digits--;
		if (digits < name.end && digits > name.begin && digits[-1] == '.')
			end = digits - 1;
		bool found = false;
		for (size_t i = 0; !found && i < sizeof(words) / sizeof(words[0]); i++) {
			size_t length = strlen(words[i]);

			found = (size_t)(end - name.begin) >= length &&
				memcmp(end - length, words[i], length) == 0;
			if (found)
				name.end = end - length;
		}
		if (!found)
			return name;
	}
}

/** Check that all that is left are the parameters that debuggers add, if anything. */
static bool ends_with_parameters(struct part rest, bool may_be_const)
{
	static const char qualifier[] = " const";
	size_t length = sizeof(qualifier) - 1;

	if (is_empty(rest))
		return true;
	if (*rest.begin != '(')
		return false;
	if (may_be_const && (size_t)(rest.end - rest.begin) > length &&
	    memcmp(rest.end - length, qualifier, length) == 0)
		rest.end -= length;
	return rest.end - rest.begin >= 2 && rest.end[-1] == ')';
}

/** Check for the number and the parameters with which a name of Clang's ends: "..3(int*)". */
static bool is_clangs_end(struct part rest, bool may_be_const)
{
	while (take(&rest, "."))
		;
	take_digits(&rest);
	return ends_with_parameters(rest, may_be_const);
}

static bool parse_clangs(struct part name, struct pieces *ret)
{
	for (const char *at = name.begin; at < name.end && is_symbol_character(*at); at++) {
		struct part rest = { at, name.end };

		if (!take(&rest, ".omp_outlined") && !take(&rest, CLANGS_TASK_ENTRY))
			continue;
		if (!take(&rest, "_debug__"))
			take(&rest, "._debug__");
		if (is_clangs_end(rest, true)) {
			*ret = (struct pieces){ { name.begin, at }, false };
			return true;
		}
	}
	return false;
}

static bool parse_flangs(struct part name, struct pieces *ret)
{
	for (const char *at = name.begin; at < name.end && is_symbol_character(*at); at++) {
		struct part rest = { at, name.end };

		if (at == name.begin || !take(&rest, FLANGS_SUFFIX))
			continue;
		struct part number = rest;
		while (take(&number, ".") && take_digits(&number))
			rest = number;
		if (ends_with_parameters(rest, false)) {
			*ret = (struct pieces){ { name.begin, at }, false };
			return true;
		}
	}
	return false;
}

static bool take_hexadecimal(struct part *part)
{
	const char *begin = part->begin;

	while (part->begin < part->end &&
	       (is_digit(*part->begin) || (*part->begin >= 'a' && *part->begin <= 'f')))
		part->begin++;
	return part->begin > begin;
}

/** Check for the line with which the name of a target region ends: "_l12_1_debug__". */
static bool is_target_end(struct part rest)
{
	if (!take(&rest, "_l") || !take_digits(&rest))
		return false;
	struct part number = rest;
	if (take(&number, "_") && take_digits(&number))
		rest = number;
	take(&rest, "_debug__");
	return ends_with_parameters(rest, false);
}

static bool parse_target(struct part name, struct pieces *ret)
{
	struct part rest = name;

	if (!take(&rest, TARGET_PREFIX) || !take_hexadecimal(&rest) || !take(&rest, "_") ||
	    !take_hexadecimal(&rest) || !take(&rest, "_"))
		return false;
	for (const char *at = rest.begin + 1; at < rest.end; at++) {
		if (is_target_end((struct part){ at, rest.end })) {
			*ret = (struct pieces){ { rest.begin, at }, false };
			return true;
		}
	}
	return false;
}

/** Check for GCC's mark at the beginning of a text: "._omp_fn.0". */
static bool has_gccs_mark(struct part text, bool *is_copy)
{
	*is_copy = take(&text, "._omp_cpyfn.");
	return (*is_copy || take(&text, "._omp_fn.")) && take_digits(&text);
}

/** Parse "solve(int) [clone .part.0._omp_fn.1]". */
static bool parse_demangled(struct part name, struct pieces *ret)
{
	static const char bracket[] = " [clone ";

	for (const char *at = name.begin + 1; at < name.end; at++) {
		struct part rest = { at, name.end };
		bool is_copy;

		if (!take(&rest, bracket))
			continue;
		for (;;) {
			if (has_gccs_mark(rest, &is_copy)) {
				*ret = (struct pieces){ { name.begin, at }, is_copy };
				return true;
			}
			if (!take(&rest, ".") || is_empty(rest) || !is_word_character(*rest.begin))
				break;
			while (!is_empty(rest) && is_word_character(*rest.begin))
				rest.begin++;
		}
	}
	return false;
}

/** Parse a name with GCC's mark; gfortran's have the module before it: "heat::__heat_MOD_work". */
static bool parse_gccs(struct part name, struct pieces *ret)
{
	const char *begin = name.begin; // of the symbol's characters before the mark
	bool is_copy;

	for (const char *at = name.begin; at < name.end; at++) {
		if (!is_symbol_character(*at)) {
			begin = at + 1;
		} else if (at > begin && has_gccs_mark((struct part){ at, name.end }, &is_copy)) {
			*ret = (struct pieces){ { begin, at }, is_copy };
			return true;
		}
	}
	return false;
}

static bool parse(struct part name, struct pieces *ret)
{
	if (!strstr(name.begin, "omp_") && !starts_with(name.begin, TARGET_PREFIX))
		return false; // as most names

	struct part plain = without_clone_suffix(name);

	if (parse_clangs(plain, ret) || parse_flangs(plain, ret) || parse_target(plain, ret))
		return true;
	if (!parse_demangled(name, ret) && !parse_gccs(name, ret))
		return false;
	ret->base = without_clone_suffix(ret->base);
	return true;
}

bool is_outlined_name(const char *symbol)
{
	struct pieces pieces;

	return symbol && parse(whole(symbol), &pieces);
}

const char *outlined_base(struct arena *arena, const char *symbol)
{
	struct pieces pieces;

	if (!symbol || !parse(whole(symbol), &pieces))
		return NULL;
	return arena_strndup(arena, pieces.base.begin,
			     (size_t)(pieces.base.end - pieces.base.begin));
}

bool is_copy_name(const char *symbol)
{
	struct pieces pieces;

	return symbol && parse(whole(symbol), &pieces) && pieces.is_copy;
}

bool is_nameless(const char *symbol)
{
	struct pieces pieces;

	return symbol && parse(whole(symbol), &pieces) && is_empty(pieces.base);
}

bool is_clangs_name(const char *symbol)
{
	struct pieces pieces;

	return symbol && parse_clangs(whole(symbol), &pieces);
}

bool is_flangs_name(const char *symbol)
{
	struct pieces pieces;

	return symbol && parse_flangs(whole(symbol), &pieces);
}

bool is_target_name(const char *symbol)
{
	struct pieces pieces;

	return symbol && parse_target(whole(symbol), &pieces);
}

bool is_task_entry(const char *function)
{
	static const size_t length = sizeof(CLANGS_TASK_ENTRY) - 1;

	return function && starts_with(function, CLANGS_TASK_ENTRY) && function[length] == '.';
}

bool is_debug_body(const char *function)
{
	static const char mark[] = ".omp_outlined";
	const char *rest = function;

	if (!function)
		return false;
	// The part before the mark may be another such function, around this one.
	for (const char *at = function; (at = strstr(at, mark)); at++)
		rest = at + sizeof(mark) - 1;
	return strstr(rest, "_debug__");
}

const char *reduction_role(const char *function)
{
	static const char *const roles[] = { "combiner", "initializer" };

	for (size_t i = 0; i < 2; i++) {
		struct part rest = whole(function);

		if (take(&rest, ".omp_") && take(&rest, roles[i]) && is_clangs_end(rest, false))
			return roles[i];
	}
	return NULL;
}
