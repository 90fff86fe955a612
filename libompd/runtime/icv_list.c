// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/icv_list.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "target/reason.h"

// The value of one element, without the blanks around it; -1 if it is none.
static ompd_word_t element_value(const char *text, size_t length, const struct environ_word *words,
				 size_t count)
{
	ompd_word_t number = 0;

	if (!length)
		return -1;
	for (size_t word = 0; word < count; word++) {
		size_t at = 0;

		while (at < length && words[word].text[at] == (text[at] | 0x20))
			at++;
		if (at == length && words[word].text[at] == '\0')
			return words[word].value;
	}
	for (size_t at = 0; at < length; at++) {
		if (count || text[at] < '0' || text[at] > '9' || number > INT_MAX)
			return -1;
		number = 10 * number + (text[at] - '0');
	}
	return number;
}

ompd_rc_t icv_list_in_environment(const struct target *target, enum icv icv, struct icv_list *ret)
{
	static const struct environ_word words[] = {
		{ "master", 2 }, { "primary", 2 }, { "close", 3 }, { "spread", 4 }
	};
	const bool bind = icv == ICV_bind;
	const size_t count = bind ? sizeof(words) / sizeof(words[0]) : 0;
	char text[ICV_TEXT_MAX];
	ompd_rc_t rc =
		environ_get(target, bind ? "OMP_PROC_BIND" : "OMP_NUM_THREADS", text, sizeof(text));

	ret->length = 0;
	if (rc == ompd_rc_unavailable || (rc == ompd_rc_ok && !strchr(text, ',')))
		return ompd_rc_ok;
	if (rc != ompd_rc_ok)
		return reason(rc, "the list of values for inner levels cannot be found");
	for (const char *at = text; ret->length < ICV_LIST_MAX; at++) {
		at += strspn(at, " \t");
		size_t length = strcspn(at, ",");
		const char *end = at + length;

		while (length && (at[length - 1] == ' ' || at[length - 1] == '\t'))
			length--;
		const ompd_word_t value = element_value(at, length, words, count);

		if (value < 0) {
			ret->length = 0;
			return reason(ompd_rc_unavailable,
				      "the list of values for inner levels cannot be found");
		}
		ret->values[ret->length++] = value;
		if (*end == '\0')
			break;
		at = end;
	}
	return ompd_rc_ok;
}

ompd_rc_t icv_list_value(ompd_rc_t rc, const struct icv_list *list, ompd_word_t *ret)
{
	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return rc;
	*ret = list->first;
	if (rc == ompd_rc_incomplete)
		return rc;
	return list->length > list->level + 1 ? reason(ompd_rc_incomplete, "the value is a list") :
						ompd_rc_ok;
}

ompd_rc_t icv_list_text(ompd_rc_t rc, const struct icv_list *list, enum icv_form form, char *text)
{
	char element[ICV_TEXT_MAX];
	size_t used;

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_incomplete ? ompd_rc_unavailable : rc;
	icv_format(form, list->first, text);
	used = strlen(text);
	for (size_t at = list->level + 1; at < list->length; at++) {
		icv_format(form, list->values[at], element);
		if (used + 1 + strlen(element) >= ICV_TEXT_MAX)
			break;
		used += (size_t)snprintf(text + used, ICV_TEXT_MAX - used, ",%s", element);
	}
	return rc;
}
