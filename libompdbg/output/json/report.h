// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of a report that are long. @p what: NULL.

#ifndef OMPDBG_JSON_REPORT_H
#define OMPDBG_JSON_REPORT_H

#include "output/json/parts.h"

json_list report_sources; // the files that frames name
json_list report_variables;
/** Write the tasks as an object. */
json_list report_tasks;

#endif
