/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges records while they grow, and so shows one system while it measures.
 *
 *   follow_open(&f, &plan, 10e9, &e);
 *   while (!follow_is_over(f)) {
 *       follow_look(f, now_ns, &e);
 *       while (follow_next(f, &interval)) ...
 *   }
 *   follow_end(f, &merge, &e);
 *   follow_free(f);
 *
 * Every byte is read once. This works on any file system: folders and files are looked at by name,
 * without change notifications, which NFS does not give. It takes the memory of a merge of the same
 * records, and 20 to 45 KiB for each record.
 *
 * An interval is complete when every host is past it. A host that has been silent for the given
 * time, or whose clock is late by as much, is not waited for: readings that it adds later count
 * only in the result of the whole.
 */
#ifndef CUPEL_MANY_MERGE_FOLLOW_H
#define CUPEL_MANY_MERGE_FOLLOW_H

#include "facts/followed.h"
#include "many/merge/merge.h"

struct follow;

/*
 * Opens the folders and record.cupel files in plan->inputs; plan->interval_ns must be set, and the
 * plan must outlive *follow. ERR_USAGE: an input does not exist; ERR_MACHINE.
 */
int follow_open(struct follow **follow, const struct merge_plan *plan, uint64_t stale_ns,
                struct err *e);

/* Finds new records, and reads what all of them have gained. now_ns may be of any clock that does
   not stop. A record that cannot be read counts as a refused host. ERR_USAGE: a file that was named
   is not a record; ERR_MACHINE. */
int follow_look(struct follow *f, uint64_t now_ns, struct err *e);

/* Returns the next complete interval in order of time. False: it is not complete yet. */
bool follow_next(struct follow *f, struct followed_interval *to);

/* Describes the present state; clauses are not judged. Errors: ERR_MACHINE. */
int follow_describe(struct follow *f, struct followed *to, struct err *e);

/* Returns true when all records have ended, or when those that have not are silent and there are
   readings. */
bool follow_is_over(const struct follow *f);

/* Returns true if any record has had a reading. */
bool follow_has_readings(const struct follow *f);

/* Computes the system's result of all complete intervals, valid until the next follow_look. Errors:
   ERR_MACHINE. */
int follow_result(struct follow *f, struct result *r, struct err *e);

/* Returns the merge of everything read so far. */
struct merge *follow_merge(struct follow *f);

/*
 * Stops following, and gives the merge of what all records hold by now. The caller frees *m.
 * Errors: ERR_USAGE, ERR_MACHINE.
 */
int follow_end(struct follow *f, struct merge **m, struct err *e);

void follow_free(struct follow *f);

#endif
