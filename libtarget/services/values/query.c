// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax of expressions, of C, C++ and Fortran at once.
//
//     unary   = ("*" | "&") unary | postfix [ "@" unary ]
//     postfix = primary { ("." | "->" | "%") name | ("[" | "(") index {"," index} ("]" | ")") }
//     primary = name {"::" name} | number | "(" unary ")"

#include "query.h"

#include <stdlib.h>

enum { MAX_DEPTH = 50, MAX_STEPS = 1000 };

struct parser {
	struct arena *arena;
	const char *at;
	int depth, steps;
	bool failed;
};

static const struct query *parse_unary(struct parser *parser);

static void skip_blanks(struct parser *parser)
{
	while (*parser->at == ' ' || *parser->at == '\t')
		parser->at++;
}

static bool accept(struct parser *parser, const char *token)
{
	skip_blanks(parser);
	if (!starts_with(parser->at, token))
		return false;
	parser->at += strlen(token);
	return true;
}

static const struct query *fail(struct parser *parser)
{
	parser->failed = true;
	return NULL;
}

static bool begins_name(char c)
{
	return is_word_character(c) && !is_digit(c);
}

/** Take a name, in C++ with the scopes before it. */
static const char *take_name(struct parser *parser)
{
	const char *begin;

	skip_blanks(parser);
	begin = parser->at;
	if (!begins_name(*begin) && !(starts_with(begin, "::") && begins_name(begin[2])))
		return NULL;
	while (is_word_character(*parser->at) ||
	       (starts_with(parser->at, "::") && begins_name(parser->at[2])))
		parser->at += *parser->at == ':' ? 2 : 1;
	return arena_strndup(parser->arena, begin, (size_t)(parser->at - begin));
}

static struct query *make(struct parser *parser, enum query_kind kind, const struct query *of)
{
	struct query *query = ARENA_NEW(parser->arena, struct query);

	query->kind = kind;
	query->of = of;
	if (parser->steps++ == MAX_STEPS)
		parser->failed = true;
	return query;
}

static const struct query *parse_number(struct parser *parser, bool is_negative)
{
	struct query *query = make(parser, QUERY_NUMBER, NULL);
	char *end;

	query->number = (int64_t)strtoull(parser->at, &end, 0);
	if (is_negative)
		query->number = -query->number;
	if (end == parser->at || is_word_character(*end) || *end == '.')
		return fail(parser);
	parser->at = end;
	return query;
}

static const struct query *parse_primary(struct parser *parser)
{
	const char *name = take_name(parser);
	struct query *query;

	if (name) {
		query = make(parser, QUERY_NAME, NULL);
		query->name = starts_with(name, "::") ? name + 2 : name;
		return query;
	}
	if (is_digit(*parser->at))
		return parse_number(parser, false);
	if (accept(parser, "-") && is_digit(*parser->at))
		return parse_number(parser, true);
	if (!accept(parser, "("))
		return fail(parser);
	const struct query *inner = parse_unary(parser);
	return accept(parser, ")") ? inner : fail(parser);
}

/** Parse an index up to the comma or bracket after it: "i", and in parentheses "i:k", "i:", ":k", ":". */
static void parse_index(struct parser *parser, bool may_be_range, struct query_index *ret)
{
	skip_blanks(parser);
	if (*parser->at != ':' || !may_be_range)
		ret->first = parse_unary(parser);
	ret->is_range = may_be_range && accept(parser, ":");
	skip_blanks(parser);
	if (ret->is_range && *parser->at != ',' && *parser->at != ')')
		ret->last = parse_unary(parser);
}

static const struct query *parse_indices(struct parser *parser, const struct query *of,
					 const char *end)
{
	struct query *query = make(parser, QUERY_INDEX, of);

	query->is_in_parentheses = *end == ')';
	do {
		if (query->num_indices == MAX_INDICES)
			return fail(parser);
		parse_index(parser, *end == ')', &query->indices[query->num_indices++]);
	} while (!parser->failed && *end == ')' && accept(parser, ","));
	return accept(parser, end) ? query : fail(parser);
}

static const struct query *parse_postfix(struct parser *parser)
{
	const struct query *query = parse_primary(parser);

	while (!parser->failed) {
		if (accept(parser, "->") || accept(parser, ".") || accept(parser, "%")) {
			struct query *member = make(parser, QUERY_MEMBER, query);

			member->name = take_name(parser);
			query = member->name ? member : fail(parser);
		} else if (accept(parser, "[")) {
			query = parse_indices(parser, query, "]");
		} else if (accept(parser, "(")) {
			query = parse_indices(parser, query, ")");
		} else {
			return query;
		}
	}
	return NULL;
}

static const struct query *parse_unary(struct parser *parser)
{
	const struct query *query = NULL;

	if (parser->depth++ == MAX_DEPTH)
		return fail(parser);
	if (accept(parser, "*")) {
		query = make(parser, QUERY_TARGET, parse_unary(parser));
	} else if (accept(parser, "&")) {
		query = make(parser, QUERY_ADDRESS, parse_unary(parser));
	} else {
		query = parse_postfix(parser);
		if (!parser->failed && accept(parser, "@")) {
			struct query *elements = make(parser, QUERY_ELEMENTS, query);

			elements->indices[0].first = parse_unary(parser);
			query = elements;
		}
	}
	parser->depth--;
	return parser->failed ? NULL : query;
}

const struct query *query_parse(struct arena *arena, const char *text, struct ompdbg_error **error)
{
	struct parser parser = { .arena = arena, .at = text };
	const struct query *query = parse_unary(&parser);

	skip_blanks(&parser);
	if (!parser.failed && !*parser.at)
		return query;
	if (!*parser.at)
		*error = ompdbg_error_create(OMPDBG_BAD_INPUT,
					     "the expression \"%s\" is not complete", text);
	else
		*error = ompdbg_error_create(
			OMPDBG_BAD_INPUT,
			"cannot evaluate \"%s\" (only variables, members, elements, * and &)",
			parser.at);
	return NULL;
}
