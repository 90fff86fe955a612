// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records that the extension returns: named tuples, as the stub has them.

#include "plugin.h"

enum record {
	RECORD_ICV,
	RECORD_LAYOUT,
	RECORD_WAIT_SITE,
	RECORD_TASK_INFO,
	RECORD_PARALLEL_INFO,
	RECORD_THREAD_INFO,
	RECORD_LOOP_INFO,
	NUM_RECORDS
};

static const struct {
	const char *name, *fields;
} shapes[NUM_RECORDS] = {
	[RECORD_ICV] = { "Icv", "id name scope" },
	[RECORD_LAYOUT] = { "Layout",
			    "runtime release source probes_agreed probes_silent doubted" },
	[RECORD_WAIT_SITE] = { "WaitSite", "kind state entry function" },
	[RECORD_TASK_INFO] = { "TaskInfo",
			       "id parent_id parallel_id function taskgroup kind status flags "
			       "flags_known priority thread_num num_depends num_predecessors "
			       "source" },
	[RECORD_PARALLEL_INFO] = { "ParallelInfo", "kind serialized function source" },
	[RECORD_THREAD_INFO] = { "ThreadInfo", "kind global_num barrier_phase" },
	[RECORD_LOOP_INFO] = { "LoopInfo", "id total remaining chunk schedule flags" },
};

static PyObject *types[NUM_RECORDS];
static PyObject *tuple_new; // tuple.__new__, which skips the argument checks of the named tuples

static PyObject *make_type(PyObject *namedtuple, const char *name, const char *fields)
{
	PyObject *args = Py_BuildValue("(ss)", name, fields);
	PyObject *kwargs = Py_BuildValue("{s:s}", "module", "_ompd");
	PyObject *type = args && kwargs ? PyObject_Call(namedtuple, args, kwargs) : NULL;

	Py_XDECREF(args);
	Py_XDECREF(kwargs);
	return type;
}

int record_add_types(PyObject *module)
{
	PyObject *collections = PyImport_ImportModule("collections");
	PyObject *namedtuple = collections ? PyObject_GetAttrString(collections, "namedtuple") :
					     NULL;
	int result = namedtuple ? 0 : -1;

	for (int i = 0; result == 0 && i < NUM_RECORDS; i++) {
		types[i] = make_type(namedtuple, shapes[i].name, shapes[i].fields);
		result = types[i] ? PyObject_SetAttrString(module, shapes[i].name, types[i]) : -1;
	}
	Py_XDECREF(namedtuple);
	Py_XDECREF(collections);
	if (result == 0)
		tuple_new = PyObject_GetAttrString((PyObject *)&PyTuple_Type, "__new__");
	return tuple_new ? result : -1;
}

/** A record of @p values, a tuple in the order of the fields, which is consumed. */
static PyObject *make(enum record record, PyObject *values)
{
	PyObject *result = NULL;

	if (values)
		result = PyObject_CallFunctionObjArgs(tuple_new, types[record], values, NULL);
	Py_XDECREF(values);
	return result;
}

PyObject *record_icv(uint64_t id, PyObject *name, ompd_scope_t scope)
{
	return make(RECORD_ICV, Py_BuildValue("(KOi)", (unsigned long long)id, name, (int)scope));
}

PyObject *record_layout(const ompd_ext_layout_info *info)
{
	return make(RECORD_LAYOUT,
		    Py_BuildValue("(ssIIII)", info->runtime ? info->runtime : "",
				  info->release ? info->release : "", (unsigned int)info->source,
				  (unsigned int)info->probes_agreed,
				  (unsigned int)info->probes_silent, (unsigned int)info->doubted));
}

PyObject *record_wait_site(const ompd_ext_wait_site *site)
{
	return make(RECORD_WAIT_SITE,
		    Py_BuildValue("(IIKz)", (unsigned int)site->kind, (unsigned int)site->state,
				  (unsigned long long)site->entry, site->function));
}

PyObject *record_task_info(const ompd_ext_task_info *info)
{
	return make(RECORD_TASK_INFO,
		    Py_BuildValue("(KKKKKIIIIiiIIK)", (unsigned long long)info->id,
				  (unsigned long long)info->parent_id,
				  (unsigned long long)info->parallel_id,
				  (unsigned long long)info->function,
				  (unsigned long long)info->taskgroup, (unsigned int)info->kind,
				  (unsigned int)info->status, (unsigned int)info->flags,
				  (unsigned int)info->flags_known, (int)info->priority,
				  (int)info->thread_num, (unsigned int)info->num_depends,
				  (unsigned int)info->num_predecessors,
				  (unsigned long long)info->source));
}

PyObject *record_parallel_info(const ompd_ext_parallel_info *info)
{
	return make(RECORD_PARALLEL_INFO, Py_BuildValue("(IOKK)", (unsigned int)info->kind,
							info->serialized ? Py_True : Py_False,
							(unsigned long long)info->function,
							(unsigned long long)info->source));
}

PyObject *record_thread_info(const ompd_ext_thread_info *info)
{
	return make(RECORD_THREAD_INFO,
		    Py_BuildValue("(Iii)", (unsigned int)info->kind, (int)info->global_num,
				  (int)info->barrier_phase));
}

PyObject *record_loop_info(const ompd_ext_loop_info *info)
{
	return make(RECORD_LOOP_INFO,
		    Py_BuildValue("(KKKKII)", (unsigned long long)info->id,
				  (unsigned long long)info->total,
				  (unsigned long long)info->remaining,
				  (unsigned long long)info->chunk, (unsigned int)info->schedule,
				  (unsigned int)info->flags));
}
