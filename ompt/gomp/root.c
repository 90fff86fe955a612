// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this library tells a debugger about itself.

#include <link.h>

#include "ompt/gomp.h"
#include "parallel.h"
#include "task.h"

EXPORT extern struct gomp_ompt_root ompdbg_gomp_ompt;
struct gomp_ompt_root ompdbg_gomp_ompt = {
	.version = GOMP_OMPT_VERSION,
	.size = sizeof(struct gomp_ompt_root),
	.parallel_body = { (uintptr_t)gomp_parallel_body, (uintptr_t)gomp_teams_body },
	.task_body = { (uintptr_t)gomp_task_body },
	.region_fn = offsetof(struct region, fn),
	.region_data = offsetof(struct region, data),
	.region_parallel_data = offsetof(struct region, parallel_data),
	.task_fn = offsetof(struct task, fn),
	.task_data = offsetof(struct task, data),
	.task_header_size = offsetof(struct task, header_size),
	.thread_data = offsetof(struct thread, data),
};

/** Note where this library's code is. */
static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t here = (uintptr_t)gomp_task_body;

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || here < start || here >= start + segment->p_memsz)
			continue;
		ompdbg_gomp_ompt.text_start = start;
		ompdbg_gomp_ompt.text_end = start + segment->p_memsz;
		return 1;
	}
	return 0;
}

/** Fill what is known only once the library is loaded. */
__attribute__((constructor)) static void fill(void)
{
	dl_iterate_phdr(find_text, NULL);
	ompdbg_gomp_ompt.thread_tpoff =
		(int64_t)((intptr_t)&gomp_thread - (intptr_t)__builtin_thread_pointer());
	__builtin_memcpy(ompdbg_gomp_ompt.magic, GOMP_OMPT_MAGIC, sizeof(ompdbg_gomp_ompt.magic));
}
