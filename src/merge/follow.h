/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records that still grow, read on whenever they have grown: one system while it measures.
 *
 *   follow_open(&f, &plan, 10e9, &e);
 *   while (!follow_is_over(f)) {
 *       follow_look(f, now_ns, &e);
 *       while (follow_next(f, &interval)) ...
 *   }
 *   follow_end(f, &merge, &e);
 *   follow_free(f);
 *
 * A byte is read once, whatever the file system: folders and files are looked at by name, without
 * notices that NFS does not give. Memory is that of a merge of the same records, and 20 to 45 KiB a
 * record.
 *
 * An interval is complete when every host is past it. One that has been silent for the time given,
 * or whose clock is that much behind, is not waited for: what it adds later counts in the whole.
 */
#ifndef CUPEL_MERGE_FOLLOW_H
#define CUPEL_MERGE_FOLLOW_H

#include "facts/followed.h"
#include "merge/merge.h"

struct follow;

/*
 * Of plan->inputs, folders and record.cupel files; plan->interval_ns is needed, and the plan must
 * outlive it. ERR_USAGE: an input is not there; ERR_MACHINE.
 */
int follow_open(struct follow **follow, const struct merge_plan *plan, uint64_t stale_ns,
                struct err *e);

/* Find new records, and read what all have got. now_ns is of any clock that goes on. A record that
   cannot be read is a refused host. ERR_USAGE: a file that was named is none; ERR_MACHINE. */
int follow_look(struct follow *f, uint64_t now_ns, struct err *e);

/* The next complete interval in order of time. False: it is not complete yet. */
bool follow_next(struct follow *f, struct followed_interval *to);

/* How it stands; clauses are left alone. ERR_MACHINE. */
int follow_describe(struct follow *f, struct followed *to, struct err *e);

/* Have all records ended, or those that have not become silent? */
bool follow_is_over(const struct follow *f);

/* Has any reading come? */
bool follow_has_readings(const struct follow *f);

/* The system's result of all complete intervals, until the next look. ERR_MACHINE. */
int follow_result(struct follow *f, struct result *r, struct err *e);

/* What has been read so far. */
struct merge *follow_merge(struct follow *f);

/*
 * No more looks: what all records hold by now, as a merge of them would have it. The caller frees
 * *m. ERR_USAGE, ERR_MACHINE.
 */
int follow_end(struct follow *f, struct merge **m, struct err *e);

void follow_free(struct follow *f);

#endif
