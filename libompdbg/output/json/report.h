// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of a report that are long.

#ifndef OMPDBG_JSON_REPORT_H
#define OMPDBG_JSON_REPORT_H

#include "output/json/documents.h"

json_view report_sources; // the files that frames name
json_view report_variables, report_tasks;

#endif
