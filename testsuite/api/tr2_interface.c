// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header's prototypes are those of the document, and its types have their layout. There is
// nothing to run: it compiles, or it does not.

#include <stddef.h>

#include "ompd/ompd_tr2.h"

#define FUNCTION(section, name, parameters)                                                  \
	_Static_assert(__builtin_types_compatible_p(__typeof__(name), ompd_rc_t parameters), \
		       section " " #name);
#include "tr2_interface.def"

// Section 16: the order of the table.
#define MEMBER(index, name, type)                                                              \
	_Static_assert(offsetof(ompd_callbacks_t, name) == (index) * sizeof(void *), #name);   \
	_Static_assert(__builtin_types_compatible_p(__typeof__(((ompd_callbacks_t *)0)->name), \
						    type),                                     \
		       #name);

MEMBER(0, d_alloc_memory, ompd_dmemory_alloc_fn_t)
MEMBER(1, d_free_memory, ompd_dmemory_free_fn_t)
MEMBER(2, print_string, ompd_print_string_fn_t)
MEMBER(3, t_sizeof_prim_type, ompd_tsizeof_prim_fn_t)
MEMBER(4, t_symbol_addr_lookup, ompd_tsymbol_addr_fn_t)
MEMBER(5, t_read_memory, ompd_tmemory_read_fn_t)
MEMBER(6, t_write_memory, ompd_tmemory_write_fn_t)
MEMBER(7, target_to_host, ompd_target_host_fn_t)
MEMBER(8, host_to_target, ompd_target_host_fn_t)
MEMBER(9, get_thread_context_for_osthread, ompd_get_thread_context_for_osthread_fn_t)
MEMBER(10, get_address_space_context_for_thread, ompd_get_address_space_context_for_thread_fn_t)

_Static_assert(sizeof(ompd_callbacks_t) == 11 * sizeof(void *), "callbacks");
_Static_assert(sizeof(ompd_address_t) == 16 && offsetof(ompd_address_t, address) == 8, "address");
_Static_assert(sizeof(ompd_target_type_sizes_t) == 6 * sizeof(int), "sizes of types");
_Static_assert((ompd_tword_t)-1 < 0 && (ompd_taddr_t)-1 > 0 && sizeof(ompd_tword_t) == 8 &&
		       sizeof(ompd_taddr_t) == 8 && sizeof(ompd_wait_id_t) == 8,
	       "basic types");

int main(void)
{
	return 0;
}
