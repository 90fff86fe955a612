// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of base types and enumerations, and strings, as GDB writes them.

#include "values.h"

#include <dwarf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_CHARACTERS = 10, MAX_ENUMERATORS = 1 << 14 };
enum { LARGEST_INTEGER = 16, FLOAT = 4, DOUBLE = 8, EXTENDED = 10 };

// ---- Numbers ---------------------------------------------------------------------------------

/** Write an integer of up to 16 bytes. */
static void write_integer(struct buffer *out, const uint8_t *data, size_t size, bool is_signed)
{
	char digits[48], *at = digits + sizeof(digits);
	bool is_negative = is_signed && size && data[size - 1] >> (BITS - 1);
	unsigned __int128 number = is_negative ? ~(unsigned __int128)0 : 0;

	while (size--)
		number = number << BITS | data[size];
	if (is_negative)
		number = -number;
	*--at = '\0';
	do {
		*--at = (char)('0' + (int)(number % 10));
		number /= 10;
	} while (number);
	if (is_negative)
		*--at = '-';
	buffer_put(out, at);
}

static void write_nan(struct buffer *out, bool is_negative, uint64_t mantissa)
{
	buffer_printf(out, "%snan(0x%llx)", is_negative ? "-" : "", (unsigned long long)mantissa);
}

/** Write a number of the x87. */
static void write_extended(struct buffer *out, const uint8_t *data)
{
	const int largest = 0x7fff, bias = 16383, bits = 63;
	uint64_t mantissa = little_endian(data, sizeof(mantissa));
	int exponent = data[8] | (data[9] & 0x7f) << BITS;
	bool is_negative = data[9] >> (BITS - 1);

	if (exponent != largest)
		buffer_printf(out, "%s%.18Lg", is_negative ? "-" : "",
			      ldexpl((long double)mantissa,
				     (exponent ? exponent : 1) - bias - bits));
	else if (mantissa == UINT64_C(1) << bits)
		buffer_put(out, is_negative ? "-inf" : "inf");
	else
		write_nan(out, is_negative, mantissa);
}

/** Check for a number of the x87, by the name of its type; others of this size are none. */
static bool is_extended(const char *name, size_t size)
{
	return (size == 12 || size == 16) && name &&
	       (strstr(name, "long double") || strstr(name, "kind=10") || strstr(name, "Float64x"));
}

/** Write a number of a type that is named @p name with as many digits as it has. */
static bool write_floating(struct buffer *out, const uint8_t *data, size_t size, const char *name)
{
	double number = 0;
	float single;

	if (size == FLOAT) {
		memcpy(&single, data, sizeof(single));
		number = (double)single;
	} else if (size == DOUBLE) {
		memcpy(&number, data, sizeof(number));
	} else if (is_extended(name, size)) {
		write_extended(out, data);
		return true;
	} else {
		return false;
	}
	if (number != number) {
		const unsigned int bits = size == FLOAT ? 23 : 52;

		write_nan(out, data[size - 1] >> (BITS - 1),
			  little_endian(data, size) & ((UINT64_C(1) << bits) - 1));
	} else {
		buffer_printf(out, "%.*g", size == FLOAT ? 9 : 17, number);
	}
	return true;
}

// ---- Characters ------------------------------------------------------------------------------

static void write_utf8(struct buffer *out, uint32_t code)
{
	char bytes[4];
	size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = length; --i; code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3f));
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	bytes[0] = (char)(first[length] | code);
	buffer_put_bytes(out, bytes, length);
}

/** Check for a character beyond ASCII that is no control character, nor half of another. */
static bool is_written(uint32_t code)
{
	return code >= 0xa0 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000);
}

/** Write a character as it is within quotes. @return whether it was written as an octal number. */
static bool write_escaped(struct buffer *out, uint32_t code, char quote, size_t size,
			  bool after_octal)
{
	static const char escapes[] = {
		[7] = 'a', [8] = 'b', [9] = 't', [10] = 'n', [11] = 'v', [12] = 'f', [13] = 'r'
	};

	if (code < sizeof(escapes) && escapes[code]) {
		buffer_printf(out, "\\%c", escapes[code]);
	} else if (code == '\\' || code == (uint32_t)quote) {
		buffer_printf(out, "\\%c", (char)code);
	} else if (code >= 0x20 && code < 0x7f && !(after_octal && code >= '0' && code <= '9')) {
		buffer_printf(out, "%c", (char)code);
	} else if (size > 1 && is_written(code)) {
		write_utf8(out, code);
	} else {
		for (size_t i = 0; i < size; i++, code >>= BITS)
			buffer_printf(out, "\\%03o", code & 0xff);
		return true;
	}
	return false;
}

static void write_character(struct buffer *out, const char *prefix, uint32_t code, size_t size)
{
	buffer_printf(out, "%s'", prefix);
	write_escaped(out, code, '\'', size, false);
	buffer_put(out, "'");
}

static size_t length_of_run(const uint8_t *data, size_t size)
{
	size_t length = 1;

	while (length < size && data[length] == data[0])
		length++;
	return length;
}

void write_string(struct buffer *out, const uint8_t *data, size_t size, bool goes_on, char quote)
{
	bool is_open = false, after_octal = false;
	const char *between = "";
	size_t room = MOST_SHOWN, run;

	if (!size)
		buffer_printf(out, "%c%c", quote, quote);
	for (; size && room; data += run, size -= run) {
		run = length_of_run(data, size);
		if (run > MANY_CHARACTERS) {
			buffer_printf(out, "%.*s%s", is_open, &quote, between);
			write_character(out, "", *data, 1);
			buffer_printf(out, " <repeats %zu times>", run);
			is_open = after_octal = false;
			between = ", ";
		} else {
			if (!is_open)
				buffer_printf(out, "%s%c", between, quote);
			for (size_t i = 0; i < run && i < room; i++)
				after_octal = write_escaped(out, *data, quote, 1, after_octal);
			is_open = true;
			between = ", ";
			goes_on |= run > room;
		}
		room -= run < room ? run : room;
	}
	buffer_printf(out, "%.*s%s", is_open, &quote, size || goes_on ? "..." : "");
}

// ---- Base types ------------------------------------------------------------------------------

static int64_t encoding_of(Dwarf_Die *die)
{
	int64_t encoding;

	return entry_number(die, DW_AT_encoding, &encoding) ? encoding : 0;
}

bool is_character_type(Dwarf_Die *die)
{
	int64_t encoding = encoding_of(die), size;

	return dwarf_tag(die) == DW_TAG_base_type &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char) &&
	       entry_number(die, DW_AT_byte_size, &size) && size == 1;
}

/** Return what comes before the quotes of a character of a type; NULL: it is none of characters. */
static const char *wide_prefix(const char *name)
{
	static const struct {
		const char *name, *prefix;
	} types[] = {
		{ "wchar_t", "L" }, { "char16_t", "u" }, { "char32_t", "U" }, { "char8_t", "u8" }
	};

	for (size_t i = 0; name && i < sizeof(types) / sizeof(*types); i++) {
		if (strcmp(name, types[i].name) == 0)
			return types[i].prefix;
	}
	return NULL;
}

/** Write an integer, which may stand for a character. */
static bool write_number(struct buffer *out, Dwarf_Die *die, const uint8_t *data, size_t size,
			 const char *name, bool is_fortran)
{
	int64_t encoding = encoding_of(die);
	bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	bool is_number = is_fortran || encoding == DW_ATE_boolean || encoding == DW_ATE_signed ||
			 encoding == DW_ATE_unsigned;
	bool is_character = (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char) &&
			    size == 1;
	const char *prefix = is_fortran ? NULL : wide_prefix(name);
	uint32_t code = (uint32_t)little_endian(data, size < sizeof(code) ? size : sizeof(code));

	if (size > LARGEST_INTEGER || (!is_number && !is_character && encoding != DW_ATE_UTF))
		return false;
	write_integer(out, data, size, is_signed);
	if (!is_number && !is_character) {
		prefix = wide_prefix(entry_text(die, DW_AT_name));
		buffer_put(out, " ");
		write_character(out, prefix ? prefix : "", code, size < sizeof(code) ? size : 4);
	} else if (!is_number) {
		buffer_put(out, " ");
		write_character(out, "", *data, 1);
	} else if (prefix) {
		buffer_put(out, " ");
		write_character(out, prefix, code, sizeof(code));
	}
	return true;
}

bool write_base(struct buffer *out, Dwarf_Die *die, const uint8_t *data, size_t size,
		const char *name, bool is_fortran)
{
	static const char *const words[2][2] = { { "false", "true" }, { ".FALSE.", ".TRUE." } };
	const char *own = entry_text(die, DW_AT_name);
	int64_t encoding = encoding_of(die);

	if (encoding == DW_ATE_float)
		return write_floating(out, data, size, own);
	if (encoding == DW_ATE_complex_float) {
		buffer_put(out, is_fortran ? "(" : "");
		if (!write_floating(out, data, size / 2, own))
			return false;
		buffer_put(out, is_fortran ? "," : " + ");
		if (!write_floating(out, data + size / 2, size / 2, own))
			return false;
		buffer_put(out, is_fortran ? ")" : "i");
		return true;
	}
	if (encoding == DW_ATE_boolean && *data <= 1 &&
	    length_of_run(data + 1, size - 1) + 1 >= size && (size == 1 || !data[1])) {
		buffer_put(out, words[is_fortran][*data]);
		return true;
	}
	return write_number(out, die, data, size, name, is_fortran);
}

bool base_number(Dwarf_Die *die, const uint8_t *data, size_t size, long double *ret)
{
	int64_t encoding = encoding_of(die);
	const char *name = entry_text(die, DW_AT_name);
	bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	uint64_t number;
	double wide;
	float narrow;

	if (dwarf_tag(die) != DW_TAG_base_type)
		return false;
	if (encoding == DW_ATE_float && size == FLOAT) {
		memcpy(&narrow, data, sizeof(narrow));
		*ret = (long double)narrow;
	} else if (encoding == DW_ATE_float && size == DOUBLE) {
		memcpy(&wide, data, sizeof(wide));
		*ret = (long double)wide;
	} else if (encoding == DW_ATE_float && is_extended(name, size)) {
		*ret = 0;
		memcpy(ret, data, EXTENDED);
	} else if ((is_signed || encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char) &&
		   size && size <= sizeof(number)) {
		const unsigned int unused = BITS * (unsigned int)(sizeof(number) - size);

		number = little_endian(data, size) << unused;
		*ret = is_signed ? (long double)((int64_t)number >> unused) :
				   (long double)(number >> unused);
	} else {
		return false;
	}
	return true;
}

/** Write an integer as its bits: @p per_digit of them are a digit. */
static void write_digits(struct buffer *out, const uint8_t *data, size_t size,
			 unsigned int per_digit, const char *prefix)
{
	unsigned __int128 number = 0;
	char digits[LARGEST_INTEGER * BITS + 1], *at = digits + sizeof(digits);

	while (size--)
		number = number << BITS | data[size];
	buffer_put(out, number || per_digit == 4 ? prefix : "");
	*--at = '\0';
	do {
		*--at = "0123456789abcdef"[(unsigned int)number & ((1U << per_digit) - 1)];
		number >>= per_digit;
	} while (number);
	buffer_put(out, at);
}

bool write_formatted(struct buffer *out, Dwarf_Die *die, const uint8_t *data, size_t size,
		     char format)
{
	int tag = dwarf_tag(die);
	int64_t encoding = encoding_of(die);

	if (tag != DW_TAG_base_type && tag != DW_TAG_pointer_type && tag != DW_TAG_enumeration_type)
		return false;
	if (size > LARGEST_INTEGER || encoding == DW_ATE_complex_float)
		return false;
	// Of a number with a point, its bits.
	if (encoding == DW_ATE_float && is_extended(entry_text(die, DW_AT_name), size))
		size = EXTENDED;
	switch (format) {
	case 'x':
		write_digits(out, data, size, 4, "0x");
		return true;
	case 'o':
		write_digits(out, data, size, 3, "0");
		return true;
	case 't':
		write_digits(out, data, size, 1, "");
		return true;
	default:
		write_integer(out, data, size, format == 'd');
		return true;
	}
}

// ---- Enumerations ----------------------------------------------------------------------------

struct enumerator {
	const char *name;
	uint64_t value; // as many bits as the type has
};

/** An enumeration, with what comes before the names of its values. */
struct enumeration {
	struct enumerator *all;
	size_t count, max;
	const char *prefix;
	int prefix_length;
	bool is_signed;
};

/** Check that the value of an enumerator is stored as a signed number. */
static bool is_signed_form(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	unsigned int form = dwarf_attr_integrate(die, DW_AT_const_value, &attribute) ?
				    dwarf_whatform(&attribute) :
				    0;

	return form == DW_FORM_sdata || form == DW_FORM_implicit_const;
}

static void read_enumeration(struct unit *unit, Dwarf_Die *die, uint64_t mask,
			     struct enumeration *ret)
{
	const char *whole = entry_qualified_name(unit, die);
	Dwarf_Die child;
	int64_t value;

	*ret = (struct enumeration){ .prefix = whole };
	for (const char *at = whole; (at = strstr(at, "::")); at += 2)
		ret->prefix_length = (int)(at - whole) + 2;
	if (entry_flag(die, DW_AT_enum_class)) {
		ret->prefix = arena_printf(&unit->services->scratch, "%s::", whole);
		ret->prefix_length = (int)strlen(ret->prefix);
	}
	for (bool more = dwarf_child(die, &child) == 0; more && ret->count < MAX_ENUMERATORS;
	     more = target_next(&child)) {
		if (dwarf_tag(&child) != DW_TAG_enumerator ||
		    !entry_number(&child, DW_AT_const_value, &value))
			continue;
		ret->is_signed |= value < 0 && is_signed_form(&child);
		*ARENA_APPEND(&unit->services->scratch, ret->all, ret->count, ret->max) =
			(struct enumerator){ variable_name(&child), (uint64_t)value & mask };
	}
}

/** Check that values can be joined: the bits of each lie side by side, and none has those of another. All
 *  bits are a limit, as of omp_event_handle_t. */
static bool has_flags(const struct enumeration *e, uint64_t mask)
{
	uint64_t taken = 0;

	if (e->is_signed)
		return false;
	for (size_t i = 0; i < e->count; i++) {
		uint64_t value = e->all[i].value, lowest = value & -value;

		if (value == mask || value & taken || (value && (value + lowest) & value))
			return false;
		taken |= value;
	}
	return true;
}

bool write_enumeration(struct buffer *out, struct unit *unit, Dwarf_Die *die, const uint8_t *data,
		       size_t size)
{
	struct enumeration e;
	const char *between = "(";

	if (!size || size > sizeof(uint64_t))
		return false;
	uint64_t mask = ~UINT64_C(0) >> (BITS * (sizeof(mask) - size));
	uint64_t number = little_endian(data, size);
	read_enumeration(unit, die, mask, &e);
	for (size_t i = 0; i < e.count; i++) {
		if (e.all[i].value == number) {
			buffer_printf(out, "%.*s%s", e.prefix_length, e.prefix, e.all[i].name);
			return true;
		}
	}
	if (!number || !has_flags(&e, mask)) {
		write_integer(out, data, size, e.is_signed);
		return true;
	}
	for (size_t i = 0; i < e.count; i++) {
		if (!(e.all[i].value & number))
			continue;
		buffer_printf(out, "%s%.*s%s", between, e.prefix_length, e.prefix, e.all[i].name);
		between = " | ";
		number &= ~e.all[i].value;
	}
	if (number)
		buffer_printf(out, "%sunknown: 0x%llx", between, (unsigned long long)number);
	buffer_put(out, ")");
	return true;
}
