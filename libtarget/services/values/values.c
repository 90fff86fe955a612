// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as text: pointers, arrays, structures. A part that cannot be had leaves the others as they
// are.

#include "values.h"

#include <dwarf.h>
#include <string.h>

enum { MANY_ELEMENTS = 10, MAX_DEPTH = 20, STRING_SIZE = 32 };
// Damaged types may have each part in many others.
enum { MAX_PARTS = 1 << 16 };

struct writer {
	struct target_services *services;
	struct unit *unit;
	struct buffer out;
	int parts;
	char format; // of integers; 0
};

static const char *write_value(struct writer *w, const struct type *type, const struct value *value,
			       uint64_t offset, int depth);

static const char *unknown_type(struct writer *w)
{
	return unavailable(w->services, "unknown type");
}

/** Put the reason in place of what was written since then. */
static void put_failure(struct writer *w, size_t since, const char *failure)
{
	if (!failure)
		return;
	w->out.size = since;
	buffer_put(&w->out, failure);
}

/** Write a part of a value, of which another part may be lost. */
static void write_part(struct writer *w, const struct type *type, const struct value *value,
		       uint64_t offset, int depth)
{
	size_t since = w->out.size;

	put_failure(w, since, write_value(w, type, value, offset, depth));
}

// ---- Pointers --------------------------------------------------------------------------------

static void write_string_at(struct writer *w, uint64_t address)
{
	uint8_t data[MOST_SHOWN];
	size_t got = target_read(w->services->target, address, data, sizeof(data));
	size_t length = got ? strnlen((const char *)data, got) : 0;

	if (!got) {
		buffer_put(&w->out, no_memory(w->services, address));
		return;
	}
	write_string(&w->out, data, length, got == sizeof(data) && length == got, '"');
	if (length == got && got < sizeof(data))
		buffer_put(&w->out, no_memory(w->services, address + got));
}

const char *address_text(struct target_services *services, uint64_t address)
{
	const char *text = arena_printf(&services->scratch, "0x%llx", (unsigned long long)address);
	struct ompdbg_symbol symbol;

	if (!address || service_symbol_at(services, address, &symbol))
		return text;
	if (!symbol.offset)
		return arena_printf(&services->scratch, "%s <%s>", text, symbol.name);
	return arena_printf(&services->scratch, "%s <%s+%llu>", text, symbol.name,
			    (unsigned long long)symbol.offset);
}

static void write_pointer(struct writer *w, const struct type *plain, uint64_t address)
{
	struct type target;

	buffer_put(&w->out, address_text(w->services, address));
	if (address && type_target(plain, &target) && type_plain(&target, &target) &&
	    is_character_type(&target.die)) {
		buffer_put(&w->out, " ");
		write_string_at(w, address);
	}
}

/** Write the value of a type at an address; NULL: the type is unknown. */
static void write_at(struct writer *w, const struct type *type, uint64_t address, int depth)
{
	struct value value;
	uint64_t size = 0;
	const char *failure = type ? value_size(w->services, type, &size) : unknown_type(w);

	if (!failure)
		failure = read_value(w->services, address, (size_t)size, &value);
	if (failure)
		buffer_put(&w->out, failure);
	else
		write_part(w, type, &value, 0, depth);
}

/** Write what a reference is to; within something else, only where that is. */
static void write_reference(struct writer *w, const struct type *plain, uint64_t address, int depth)
{
	struct type target;

	buffer_printf(&w->out, "@0x%llx", (unsigned long long)address);
	if (depth)
		return;
	buffer_put(&w->out, ": ");
	write_at(w, type_target(plain, &target) ? &target : NULL, address, 1);
}

// ---- Arrays ----------------------------------------------------------------------------------

/** Count the elements from one on that are equal. */
static uint64_t count_alike(const struct value *value, uint64_t at, uint64_t size, uint64_t most)
{
	uint64_t count = 1;

	if (value->num_lost)
		return 1;
	while (count < most && at + (count + 1) * size <= value->size &&
	       memcmp(value->data + at, value->data + at + count * size, (size_t)size) == 0)
		count++;
	return count;
}

static void write_elements(struct writer *w, const struct type *element, const struct value *value,
			   uint64_t offset, uint64_t size, uint64_t count, int depth)
{
	bool is_spaced = w->unit->is_fortran;
	struct type plain;
	uint64_t shown = 0;

	if (!type_plain(element, &plain) || !type_is_array(&plain))
		is_spaced = false;
	for (uint64_t i = 0, alike; i < count; i += alike) {
		if (shown >= MOST_SHOWN) {
			buffer_put(&w->out, "...");
			return;
		}
		alike = count_alike(value, offset + i * size, size, count - i);
		buffer_put(&w->out, !i ? "" : is_spaced ? " " : ", ");
		write_part(w, element, value, offset + i * size, depth + 1);
		if (alike >= MANY_ELEMENTS) {
			buffer_printf(&w->out, " <repeats %llu times>", (unsigned long long)alike);
			shown += MANY_ELEMENTS;
		} else {
			alike = 1;
			shown++;
		}
	}
}

static const char *write_array(struct writer *w, const struct type *plain,
			       const struct value *value, uint64_t offset, int depth)
{
	bool is_fortran = w->unit->is_fortran;
	int64_t first, last, length;
	struct type element, inner;
	const uint8_t *data;

	if (!type_bounds(plain, &first, &last) || !type_element(plain, &element) ||
	    !type_plain(&element, &inner) || __builtin_sub_overflow(last, first, &length))
		return unavailable(w->services, "unknown size");
	uint64_t size = type_size(&element), count = length < 0 ? 0 : (uint64_t)length + 1, whole;
	if (!count || !size) {
		buffer_put(&w->out, is_fortran ? "()" : "0x0");
		return NULL;
	}
	if (__builtin_mul_overflow(count, size, &whole) || whole > MAX_VALUE)
		return unavailable(w->services, "unknown size");
	if (is_character_type(&inner.die) && !is_fortran && !w->format) {
		const char *failure = value_part(w->services, value, offset, whole, &data);

		if (!failure)
			write_string(&w->out, data, (size_t)whole - !data[whole - 1], false, '"');
		return failure;
	}
	buffer_put(&w->out, is_fortran ? "(" : "{");
	write_elements(w, &element, value, offset, size, count, depth);
	buffer_put(&w->out, is_fortran ? ")" : "}");
	return NULL;
}

// ---- Structures ------------------------------------------------------------------------------

/** Write a member that all objects share. */
static void write_static(struct writer *w, Dwarf_Die *die, int depth)
{
	const char *linkage = entry_text(die, DW_AT_linkage_name);
	struct type type;
	uint64_t address;

	if (linkage && symbol_find(w->services, linkage, NULL, &address))
		write_at(w, type_of(die, w->unit, &type) ? &type : NULL, address, depth + 1);
	else
		buffer_put(&w->out, unavailable(w->services, "unknown location"));
}

const char *bits_value(struct target_services *services, const struct member *member,
		       const struct value *value, uint64_t bit, struct value *ret)
{
	uint64_t first = bit / BITS, last = (bit + member->bits - 1) / BITS;
	uint64_t size = type_size(&member->type);
	uint64_t *words = ARENA_ARRAY(&services->scratch, uint64_t, 2);
	struct type plain;
	const uint8_t *data;
	int64_t encoding;

	if (member->bits > WORD_SIZE * BITS || !size || size > 2 * WORD_SIZE ||
	    !type_plain(&member->type, &plain))
		return unavailable(services, "unknown type");
	const char *failure = value_part(services, value, first, last - first + 1, &data);
	if (failure)
		return failure;
	unsigned __int128 word = 0;
	for (uint64_t i = last - first + 1; i--;)
		word = word << BITS | data[i];
	unsigned int unused = WORD_SIZE * BITS - (unsigned int)member->bits;
	words[0] = (uint64_t)(word >> (bit % BITS)) << unused >> unused;
	if (entry_number(&plain.die, DW_AT_encoding, &encoding) &&
	    (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char)) {
		words[0] = (uint64_t)((int64_t)(words[0] << unused) >> unused);
		words[1] = (int64_t)words[0] < 0 ? ~UINT64_C(0) : 0;
	}
	*ret = (struct value){ .data = (const uint8_t *)words, .size = (size_t)size };
	return NULL;
}

static const char *write_bits(struct writer *w, const struct member *member,
			      const struct value *value, uint64_t bit)
{
	struct value field;
	const char *failure = bits_value(w->services, member, value, bit, &field);

	return failure ? failure : write_value(w, &member->type, &field, 0, 0);
}

/** Write the name of a member, or of the class that is inherited from. */
static void write_member_name(struct writer *w, Dwarf_Die *die)
{
	const char *name = variable_name(die);
	struct type type;

	if (dwarf_tag(die) == DW_TAG_inheritance && type_of(die, NULL, &type) &&
	    type_plain(&type, &type))
		buffer_printf(&w->out, "<%s> = ", entry_qualified_name(w->unit, &type.die));
	else if (*name)
		buffer_printf(&w->out, "%s = ", name);
}

static void write_member(struct writer *w, const struct member *member, const struct value *value,
			 uint64_t offset, int depth)
{
	size_t since = w->out.size;

	if (member->bits)
		put_failure(w, since, write_bits(w, member, value, offset * BITS + member->bit));
	else
		write_part(w, &member->type, value, offset + member->bit / BITS, depth + 1);
}

static void write_members(struct writer *w, const struct type *plain, const struct value *value,
			  uint64_t offset, int depth)
{
	Dwarf_Die die = plain->die, child;
	const char *between = "";

	for (bool more = dwarf_child(&die, &child) == 0; more && w->parts < MAX_PARTS;
	     more = target_next(&child)) {
		struct member member = { 0 };
		int tag = dwarf_tag(&child);

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance && tag != DW_TAG_variable)
			continue;
		buffer_put(&w->out, between);
		between = ", ";
		bool has_place = type_read_member(&child, plain->unit, &member);
		bool is_static = !has_place && entry_flag(&child, DW_AT_declaration);
		buffer_put(&w->out, is_static ? "static " : "");
		write_member_name(w, &child);
		if (has_place)
			write_member(w, &member, value, offset, depth);
		else if (is_static)
			write_static(w, &child, depth);
		else
			buffer_put(&w->out, unavailable(w->services, "unknown location"));
	}
	if (!*between && !w->unit->is_fortran)
		buffer_put(&w->out, "<No data fields>");
}

// ---- The library of C++ ----------------------------------------------------------------------

/** Write a std::string: a pointer, and the length. */
static const char *write_standard_string(struct writer *w, const struct value *value,
					 uint64_t offset)
{
	const uint8_t *data;
	struct value text;
	const char *failure = value_part(w->services, value, offset, 2 * WORD_SIZE, &data);

	if (failure)
		return failure;
	uint64_t length = little_endian(data + WORD_SIZE, WORD_SIZE);
	uint64_t shown = length < MOST_SHOWN ? length : MOST_SHOWN;
	failure = read_value(w->services, little_endian(data, WORD_SIZE), (size_t)shown, &text);
	if (!failure)
		write_string(&w->out, text.data, text.size, length > MOST_SHOWN, '"');
	return failure;
}

/** Write a std::vector: where it begins, where it ends, and for how much there is room. */
static const char *write_standard_vector(struct writer *w, const struct type *plain,
					 const struct value *value, uint64_t offset, int depth)
{
	const uint8_t *data;
	struct type element;
	struct value elements;
	uint64_t size = 0;
	const char *failure = value_part(w->services, value, offset, 3 * WORD_SIZE, &data);

	if (!failure)
		failure = type_template_argument(plain, &element) ?
				  value_size(w->services, &element, &size) :
				  unknown_type(w);
	if (failure)
		return failure;
	uint64_t begin = little_endian(data, WORD_SIZE);
	uint64_t end = little_endian(data + WORD_SIZE, WORD_SIZE);
	uint64_t room = little_endian(data + WORD_SIZE * 2, WORD_SIZE);
	if (begin > end || end > room || !size || (end - begin) % size)
		return unavailable(w->services, "a std::vector that is damaged or not constructed");
	uint64_t count = (end - begin) / size, shown = count < MOST_SHOWN ? count : MOST_SHOWN;
	failure = read_value(w->services, begin, (size_t)(shown * size), &elements);
	if (failure)
		return failure;
	buffer_printf(&w->out, "std::vector of length %llu, capacity %llu",
		      (unsigned long long)count, (unsigned long long)((room - begin) / size));
	if (!count)
		return NULL;
	for (uint64_t i = 0; i < shown; i++) {
		buffer_put(&w->out, i ? ", " : " = {");
		write_part(w, &element, &elements, i * size, depth + 1);
	}
	buffer_put(&w->out, shown < count ? "...}" : "}");
	return NULL;
}

static bool starts_with_one_of(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++) {
		if (starts_with(text, *prefixes))
			return true;
	}
	return false;
}

static const char *write_structure(struct writer *w, const struct type *plain,
				   const struct value *value, uint64_t offset, int depth)
{
	static const char *const strings[] = { "std::__cxx11::basic_string<char,",
					       "std::__cxx11::basic_string<char>",
					       "std::basic_string<char,", "std::basic_string<char>",
					       NULL };
	static const char *const vectors[] = { "std::vector<", "std::__1::vector<", NULL };
	static const char *const packed[] = { "std::vector<bool", "std::__1::vector<bool", NULL };
	static const char *const standard[] = { "std::", NULL };
	Dwarf_Die die = plain->die;
	bool is_fortran = w->unit->is_fortran;
	const char *name = entry_qualified_name(w->unit, &die);

	if (starts_with_one_of(name, strings) && type_size(plain) == STRING_SIZE)
		return write_standard_string(w, value, offset);
	if (starts_with_one_of(name, vectors) && !starts_with_one_of(name, packed) &&
	    type_size(plain) == 3 * WORD_SIZE)
		return write_standard_vector(w, plain, value, offset, depth);
	if (starts_with_one_of(name, standard))
		return unavailable(w->services, "a %.*s of the C++ library",
				   (int)strcspn(name, "<"), name);
	buffer_put(&w->out, is_fortran ? "( " : "{");
	write_members(w, plain, value, offset, depth);
	buffer_put(&w->out, is_fortran ? " )" : "}");
	return NULL;
}

// ---- Values ----------------------------------------------------------------------------------

static const char *write_value(struct writer *w, const struct type *type, const struct value *value,
			       uint64_t offset, int depth)
{
	const uint8_t *data;
	struct type plain;
	bool is_known = false;

	if (!type_plain(type, &plain))
		return unknown_type(w);
	if (depth > MAX_DEPTH || w->parts++ >= MAX_PARTS)
		return unavailable(w->services, "it has too many parts");
	if (type_is_structure(&plain))
		return write_structure(w, &plain, value, offset, depth);
	if (type_is_array(&plain))
		return write_array(w, &plain, value, offset, depth);
	uint64_t size = type_size(&plain);
	const char *failure = value_part(w->services, value, offset, size, &data);
	if (failure || !size)
		return failure ? failure : unknown_type(w);
	if (w->format && write_formatted(&w->out, &plain.die, data, (size_t)size, w->format))
		return NULL;
	switch (dwarf_tag(&plain.die)) {
	case DW_TAG_string_type:
		write_string(&w->out, data, (size_t)size, false, '\'');
		return NULL;
	case DW_TAG_pointer_type:
		write_pointer(w, &plain, little_endian(data, (size_t)size));
		return NULL;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		write_reference(w, &plain, little_endian(data, (size_t)size), depth);
		return NULL;
	case DW_TAG_enumeration_type:
		is_known = write_enumeration(&w->out, w->unit, &plain.die, data, (size_t)size);
		break;
	case DW_TAG_base_type:
		is_known = write_base(&w->out, &plain.die, data, (size_t)size,
				      type_declared_name(type), w->unit->is_fortran);
		break;
	default:
		break;
	}
	return is_known ? NULL : unknown_type(w);
}

/** Return what was written. */
static const char *finish(struct writer *w)
{
	const char *text = arena_strndup(&w->services->scratch, w->out.data, w->out.size);

	buffer_deinit(&w->out);
	return text;
}

const char *value_text(struct unit *unit, const struct type *type, const struct value *value,
		       char format)
{
	struct writer w = { .services = unit->services, .unit = unit, .format = format };

	write_part(&w, type, value, 0, 0);
	return finish(&w);
}

const char *elements_text(struct unit *unit, const struct type *element, const struct value *value,
			  uint64_t count, char format)
{
	struct writer w = { .services = unit->services, .unit = unit, .format = format };
	struct type plain;

	if (!format && !unit->is_fortran && type_plain(element, &plain) &&
	    is_character_type(&plain.die)) {
		write_string(&w.out, value->data, value->size, false, '"');
	} else {
		buffer_put(&w.out, unit->is_fortran ? "(" : "{");
		write_elements(&w, element, value, 0, type_size(element), count, 0);
		buffer_put(&w.out, unit->is_fortran ? ")" : "}");
	}
	return finish(&w);
}
