// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks. The program's variable, and the word of a critical construct, is either a lock itself
// (direct), told by the lowest bit of its tag, or leads to one (indirect).

#include "kmp/kmp.h"

#define TICKET(field) KMP_FIELD_kmp_base_ticket_lock_t__##field
#define QUEUING(field) KMP_FIELD_kmp_base_queuing_lock_t__##field
#define TAS(field) KMP_FIELD_kmp_base_tas_lock_t__##field
#define DRDPA(field) KMP_FIELD_kmp_base_drdpa_lock_t__##field
#define TABLE(field) KMP_FIELD_kmp_indirect_lock_table_t__##field

enum {
	TAG_BITS = 8, // of a direct lock
};

/** kmp_direct_locktag_t on x86-64. */
enum direct_lock {
	DIRECT_TAS = 3,
	DIRECT_FUTEX = 5,
	DIRECT_HLE = 7,
	DIRECT_RTM_SPIN = 9,
};

// Fill in the owner, which a lock records as a gtid plus one; 0: none.
static ompd_rc_t set_owner(const struct runtime *runtime, int64_t owner, ompd_ext_lock_info *ret)
{
	ompd_rc_t rc = ompd_rc_unavailable;

	*ret = (ompd_ext_lock_info){ .held = owner != 0 };
	if (owner == 0)
		return ompd_rc_ok;
	ret->recorded = owner - 1;
	if (owner > 0)
		rc = kmp_thread_at(runtime, (uint64_t)ret->recorded, &ret->thread);
	if (rc == ompd_rc_ok)
		ret->owner = ret->thread ? ompd_ext_lock_owner_thread : ompd_ext_lock_owner_missing;
	else if (rc == ompd_rc_unavailable)
		ret->owner = ompd_ext_lock_owner_invalid;
	else
		return rc;
	return ompd_rc_ok;
}

static ompd_rc_t direct_lock(const struct runtime *runtime, uint32_t word, ompd_ext_lock_info *ret)
{
	uint32_t value = word >> TAG_BITS;

	switch (word & ((1 << TAG_BITS) - 1)) {
	case DIRECT_TAS:
		return set_owner(runtime, value, ret);
	case DIRECT_FUTEX:
		// The lowest bit tells that others wait.
		return set_owner(runtime, value >> 1, ret);
	case DIRECT_HLE:
	case DIRECT_RTM_SPIN:
		*ret = (ompd_ext_lock_info){ .held = value != 0 };
		return ompd_rc_ok;
	default:
		return reason(ompd_rc_unavailable, "no lock of the runtime is there");
	}
}

// A lock that threads queue for: -1 in place of the head of the queue if it is held and nobody
// waits.
static ompd_rc_t queuing_lock(const struct runtime *runtime, uint64_t lock, ompd_ext_lock_info *ret)
{
	int32_t head;
	ompd_rc_t rc = kmp_read_int(runtime, lock, QUEUING(head_id), &head);

	if (rc == ompd_rc_ok)
		*ret = (ompd_ext_lock_info){ .held = head != 0 };
	return rc;
}

static ompd_rc_t ticket_lock(const struct runtime *runtime, uint64_t lock, ompd_ext_lock_info *ret)
{
	int32_t next, serving;
	ompd_rc_t rc = KMP_READ(runtime, lock, WANT_INT(TICKET(next_ticket), &next),
				WANT_INT(TICKET(now_serving), &serving));

	if (rc == ompd_rc_ok)
		*ret = (ompd_ext_lock_info){ .held = next != serving };
	return rc;
}

// A nested lock records its owner, and how many times it was set.
static ompd_rc_t nested_lock(const struct runtime *runtime, uint64_t lock,
			     enum kmp_field owner_field, enum kmp_field depth_field,
			     unsigned int shift, ompd_ext_lock_info *ret)
{
	int32_t owner, depth;
	ompd_rc_t rc = KMP_READ(runtime, lock, WANT_INT(owner_field, &owner),
				WANT_INT(depth_field, &depth));

	// The owner's number of a lock that is a word of a direct lock's kind carries its tag.
	if (rc == ompd_rc_ok)
		rc = set_owner(runtime, owner >> shift, ret);
	if (rc == ompd_rc_ok && ret->held)
		ret->depth = depth > 0 ? (uint32_t)depth : 0;
	return rc;
}

// Check a lock that is not a word: it has a pointer to itself.
static ompd_rc_t check_lock(const struct runtime *runtime, uint64_t lock, uint64_t type)
{
	const enum kmp_field field = kmp_lock_self(type);
	uint64_t self;

	if (field == KMP_FIELD_COUNT)
		return type == KMP_LOCK_NESTED_TAS || type == KMP_LOCK_NESTED_FUTEX ?
			       ompd_rc_ok :
			       reason(ompd_rc_unavailable, "no lock of the runtime is there");
	ompd_rc_t rc = kmp_read(runtime, lock, field, &self);

	return rc == ompd_rc_ok && self != lock ?
		       reason(ompd_rc_unavailable, "no lock of the runtime is there") :
		       rc;
}

static ompd_rc_t indirect_lock(const struct runtime *runtime, uint64_t lock, uint64_t type,
			       ompd_ext_lock_info *ret)
{
	switch (type) {
	case KMP_LOCK_TICKET:
		return ticket_lock(runtime, lock, ret);
	case KMP_LOCK_QUEUING:
	case KMP_LOCK_ADAPTIVE: // its first member is a queuing lock
	case KMP_LOCK_RTM_QUEUING:
		return queuing_lock(runtime, lock, ret);
	case KMP_LOCK_NESTED_TAS:
		return nested_lock(runtime, lock, TAS(poll), TAS(depth_locked), TAG_BITS, ret);
	case KMP_LOCK_NESTED_FUTEX:
		return nested_lock(runtime, lock, TAS(poll), TAS(depth_locked), TAG_BITS + 1, ret);
	case KMP_LOCK_NESTED_TICKET:
		return nested_lock(runtime, lock, TICKET(owner_id), TICKET(depth_locked), 0, ret);
	case KMP_LOCK_NESTED_QUEUING:
		return nested_lock(runtime, lock, QUEUING(owner_id), QUEUING(depth_locked), 0, ret);
	case KMP_LOCK_NESTED_DRDPA:
		return nested_lock(runtime, lock, DRDPA(owner_id), DRDPA(depth_locked), 0, ret);
	default:
		return reason(ompd_rc_unavailable, "this kind of lock does not record its owner");
	}
}

// A lock of the program holds its number in the runtime's tables of locks, and a 0 in the lowest
// bit. Tables have rows; when one is full another follows (__kmp_get_i_lock). Before LLVM 14 one
// table grew (KMP_GET_I_LOCK).
static ompd_rc_t lock_of_number(const struct runtime *runtime, uint64_t number, uint64_t *ret)
{
	enum { ROW = 1024, MAX_TABLES = 64 };
	uint64_t table = runtime->layout.global[KMP_GLOBAL___kmp_i_lock_table];
	uint64_t rows, array, row = 0, next;

	if (!table)
		return reason(ompd_rc_unavailable,
			      "no symbol of this %s tells where its tables of locks are",
			      runtime->name);
	bool grows = !kmp_has(runtime, TABLE(nrow_ptrs));

	for (int i = 0; table && i < MAX_TABLES; i++) {
		ompd_rc_t rc = grows ? ompd_rc_ok :
				       kmp_read(runtime, table, TABLE(nrow_ptrs), &rows);

		if (rc == ompd_rc_ok && !grows && number >= rows * ROW) {
			number -= rows * ROW;
			rc = kmp_read(runtime, table, TABLE(next_table), &table);
			if (rc != ompd_rc_ok)
				return rc;
			continue;
		}
		if (rc == ompd_rc_ok)
			rc = kmp_read(runtime, table, TABLE(next), &next);
		if (rc == ompd_rc_ok && number >= next)
			break;
		if (rc == ompd_rc_ok)
			rc = kmp_read(runtime, table, TABLE(table), &array);
		if (rc == ompd_rc_ok)
			rc = kmp_read_element(runtime, array, number / ROW, &row);
		*ret = row +
		       number % ROW * runtime->layout.struct_size[KMP_STRUCT_kmp_indirect_lock_t];
		return rc;
	}
	return reason(ompd_rc_unavailable, "the lock is not initialized, or none");
}

ompd_rc_t kmp_find_lock(const struct runtime *runtime, uint32_t kind, uint64_t variable,
			struct kmp_lock *ret)
{
	uint64_t word, entry = 0;
	ompd_rc_t rc = target_read_uint(&runtime->target, variable, 4, &word);

	if (rc != ompd_rc_ok)
		return reason(rc, "the lock at 0x%llx cannot be read",
			      (unsigned long long)variable);
	*ret = (struct kmp_lock){ .direct = word & 1, .word = (uint32_t)word, .address = variable };
	if (ret->direct)
		return ompd_rc_ok;
	ret->address = 0;
	if (kind == ompd_ext_lock_critical)
		rc = kmp_read_element(runtime, variable, 0, &entry);
	else
		rc = lock_of_number(runtime, word >> 1, &entry);
	if (rc != ompd_rc_ok || entry == 0)
		return rc; // nobody was ever in the critical construct
	rc = KMP_READ(runtime, entry, WANT(KMP_FIELD_kmp_indirect_lock_t__lock, &ret->address),
		      WANT(KMP_FIELD_kmp_indirect_lock_t__type, &ret->type));
	if (rc == ompd_rc_ok)
		rc = check_lock(runtime, ret->address, ret->type);
	return rc;
}

bool kmp_lock_has_queue(const struct kmp_lock *lock)
{
	return !lock->direct && lock->address &&
	       (lock->type == KMP_LOCK_QUEUING || lock->type == KMP_LOCK_ADAPTIVE ||
		lock->type == KMP_LOCK_RTM_QUEUING || lock->type == KMP_LOCK_NESTED_QUEUING);
}

ompd_rc_t kmp_lock_owner(const struct runtime *runtime, const struct kmp_lock *lock,
			 ompd_ext_lock_info *ret)
{
	if (lock->direct)
		return direct_lock(runtime, lock->word, ret);
	if (!lock->address) {
		*ret = (ompd_ext_lock_info){ .held = 0 };
		return ompd_rc_ok;
	}
	return indirect_lock(runtime, lock->address, lock->type, ret);
}

ompd_rc_t kmp_lock_info(const struct runtime *runtime, uint32_t kind, uint64_t address,
			ompd_ext_lock_info *ret)
{
	struct kmp_lock lock;
	ompd_rc_t rc = kmp_find_lock(runtime, kind, address, &lock);

	return rc == ompd_rc_ok ? kmp_lock_owner(runtime, &lock, ret) : rc;
}
