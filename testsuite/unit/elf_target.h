// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target made from an ELF file: its segments laid out in memory as the dynamic linker would
// leave them, its symbols, and no thread. Tests bend it with extra symbols and changed bytes.

#ifndef OMPDBG_TEST_ELF_TARGET_H
#define OMPDBG_TEST_ELF_TARGET_H

#include "target/target.h"

struct elf_symbol {
	char *name;
	uint64_t address;
};

struct elf_target {
	struct target target; // for the code under test
	const char *object;   // the name that file_name of a look-up is compared with
	uint64_t base;	      // of the first byte of memory
	uint8_t *memory;
	size_t size;
	struct elf_symbol *symbols;
	size_t symbol_count;
};

enum { ELF_TARGET_TLS_OFFSET = -0x180 };

/**
 * Loads @p path. Thread-local offsets of a shared object are relocated to ELF_TARGET_TLS_OFFSET,
 * pointers to their run-time values. Returns false if there is no such file.
 *
 * @param object the object's name, or NULL for an executable.
 */
bool elf_target_open(struct elf_target *self, const char *path, const char *object);
void elf_target_close(struct elf_target *self);

/** Address of a symbol, 0 if there is none. */
uint64_t elf_target_find(const struct elf_target *self, const char *name);

/** Adds a symbol, or moves it. */
void elf_target_define(struct elf_target *self, const char *name, uint64_t address);

/** Makes look-ups of a symbol fail. */
void elf_target_hide(struct elf_target *self, const char *name);

/** Spoils a name in the object's own table of names: it exports another one then. */
void elf_target_rename(struct elf_target *self, const char *name);

/** Memory to change, or NULL outside of the file's segments. */
uint8_t *elf_target_bytes(const struct elf_target *self, uint64_t address, size_t size);

/** Adds @p size zero bytes of memory behind the object; returns their address. */
uint64_t elf_target_grow(struct elf_target *self, size_t size);

#endif
