// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard output and error, and what the terminal behind them can show.

#ifndef OMPDBG_TERMINAL_H
#define OMPDBG_TERMINAL_H

#include "output/output.h"

/** Print a line for people on standard error. Whether they get it changes nothing. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** When text has colors: COLOR_AUTO on a terminal, unless NO_COLOR is set. */
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
/** Tell how standard output is printed: lines are cut for a terminal only. */
struct form terminal_form(bool json, enum color color);
/** Return the columns of the terminal behind a descriptor; 0: there is none. */
size_t terminal_width(int descriptor);
/** Open what is closed of the three standard streams, so that no other file takes their numbers. */
void open_standard_streams(void);

/** Read a number from 0 on in ASCII digits. @return -1 for anything else, or too many digits. */
int64_t number_in(const char *text);

#endif
