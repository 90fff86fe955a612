// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the code of each construct sees of its variables, as text in the notation of GDB.
#ifndef VARIABLES_H
#define VARIABLES_H

#ifdef __cplusplus
extern "C" {
#endif

enum { SEEN_MAX = 128, SEEN_SIZE = 160 };

// Rows of "construct|variable|type|value".
extern char seen[SEEN_MAX][SEEN_SIZE];

void saw_integer(const char *construct, const char *name, const char *type, long value);
void saw_real(const char *construct, const char *name, const char *type, double value);
void saw_pointer(const char *construct, const char *name, const char *type, const void *value);
void saw_pair(const char *construct, const char *name, const char *type, double x, double y);
void saw_integers(const char *construct, const char *name, const char *type, const int *values,
		  int count);
void saw_reals(const char *construct, const char *name, const char *type, const double *values,
	       int count);
void saw_table(const char *construct, const char *name, const char *type, const int *values,
	       int rows, int columns);

// Makes a value used after the stop.
void use(const void *value);

// The program is stopped here.
void inspect(void);

#ifdef __cplusplus
}
#endif
#endif
