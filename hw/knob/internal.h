/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of hw/knob share. */
#ifndef CUPEL_HW_KNOB_INTERNAL_H
#define CUPEL_HW_KNOB_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/fact.h"
#include "hw/knob/knob.h"
#include "hw/sysroot/sysroot.h"

/* ---- knob_wish ---- */

/*
 * Look at the files that a request means, lock them, and put those with another value on k->changes
 * in the order in which they have to be set; each is on the list once, whatever shares it. Errors
 * as knobs_set.
 */
int knob_wish_machine(struct knobs *k, const struct knob_request *request, struct err *e);
int knob_wish_processor(struct knobs *k, unsigned processor, const struct knob_request *request,
                        struct err *e);
int knob_wish_disk(struct knobs *k, const char *disk, const struct knob_request *request,
                   struct err *e);

/* The most files of each. */
enum { KNOB_FILES_OF_PROCESSOR = 4, KNOB_FILES_OF_DISK = 3, KNOB_FILES_OF_MACHINE = 2 };

int knob_add_change(struct knobs *k, const char *path, const char *before, const char *after,
                    struct err *e);

/* ---- knob_dependent ---- */

/*
 * Dependent settings: settings that nobody asked to change, but that the kernel resets along with
 * one that is changed. A new I/O scheduler begins with the requests and tunables of its own choice,
 * also when it is the old one that comes back; a governor with its tunables, and some drivers
 * choose another energy preference with it.
 *
 * Their values are saved before the change and written back after it is undone, where they differ.
 * What holds no single word, or cannot be read, is no setting but a command or a statistic, or is
 * not in use, and is left out.
 */

/* Append to k->dependents those of a disk ("nvme0n1"), whose scheduler is about to change: they go
   with the last of k->changes. ERR_MACHINE: no memory. */
int dependents_of_scheduler(struct knobs *k, const char *disk, struct err *e);

/* The same for the limits of all frequencies, which the switch of turbo may move. */
int dependents_of_turbo(struct knobs *k, struct err *e);

/* The same for the policy in this folder of cpufreq, whose governor is now `governor`. */
int dependents_of_governor(struct knobs *k, const char *policy, const char *governor,
                           struct err *e);

/* ---- knob_value ---- */

/*
 * The value of one knob: a file that holds one word, or all words it takes with the one in force in
 * brackets ("none [mq-deadline] kyber"). Nothing here allocates, so that the keeper may call it.
 */

#define KNOB_VALUE 64
#define KNOB_OFFER 512

/* The word in force. FACT_INVALID when it is not one word of a length that fits. */
enum fact_status knob_value_read(const struct sysroot *root, const char *path,
                                 char value[KNOB_VALUE]);

/* The words that a file names, one blank between them, without brackets. */
enum fact_status knob_value_offer(const struct sysroot *root, const char *path,
                                  char offer[KNOB_OFFER]);
bool knob_value_offered(const char *offer, const char *value);

/* Write and read back. 0, an errno, or KNOB_IGNORED: the kernel took it and did nothing. */
#define KNOB_IGNORED (-1)
int knob_value_write(const struct sysroot *root, const char *path, const char *value);

/* What a result of knob_value_write means, in words. */
const char *knob_value_problem(int result);

/* ---- knob_restore ---- */

/*
 * Restoring the knobs of a run: the work of the keeper, and of the run when the keeper was killed.
 *
 * Only a value that is still the one that the run set is replaced. Somebody who wrote another one
 * meant it: it stays, and so do the settings that depend on it, which may be theirs as well.
 * Nothing is allocated.
 */

#define KNOB_LATENCY_FILE "/dev/cpu_dma_latency" /* no file to restore: closing it does */

/* What came of restoring: how many files have not their old value, and the first of them. */
struct knob_restored {
    int failures;
    int setting;        /* index: of the changes, and from there on of their dependents */
    int result;         /* as of knob_value_write */
    int foreign;        /* how many changes are somebody else's by now, */
    int foreign_change; /* the index of the first, */
    char foreign_value[KNOB_VALUE]; /* and its value */
};

/* Dependent settings come after the changes, in rounds: they may depend on each other (a depth on
   the number of requests, a lower threshold on the upper one), and what was refused or reset by
   another in one round holds in the next. */
#define KNOB_ROUNDS 3

/* Restore and open the locks. To `undo` what was only begun, every value counts as the run's own:
   the kernel may have made another of what was written. */
struct knob_restored knobs_put_back(struct knobs *k, bool undo);

/* ---- knob_keeper ---- */

/*
 * The keeper: the process that restores the knobs of a run, however the run ends.
 *
 * It is in a session of its own, takes no signal but SIGKILL and holds no file of the run but its
 * end of the pipe and the locks, which it opens. Should it be killed itself, the run restores.
 */

/* Returns once it is ready, with k->pipe and k->keeper set. ERR_MACHINE: no process. */
int keeper_start(struct knobs *k, struct err *e);

/* Let it restore; after this it is gone. ERR_MACHINE when it has not answered for half a minute. */
int keeper_finish(struct knobs *k, struct knob_restored *restored, struct err *e);

/* ---- knob_note.c, and left_notes.c, which reads ---- */

#define KNOB_NOTES        "/run/cupel"
#define KNOB_NOTE_HEAD    "cupel settings 1"
#define KNOB_NOTE_PREFIX  "settings-"
#define KNOB_BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

/* The folder, opened: nobody but its owner can put files into it. -1 with errno. */
int knob_note_folder(const struct sysroot *root);

/* Say below /run/cupel what is about to be changed. Without a place for it, or the permission,
   there is no note, and the keeper alone stands for it. */
void knob_note_write(struct knobs *k);
void knob_note_remove(const struct knobs *k);
void knob_note_close(struct knobs *k);

/* What came of restoring, as knobs_restore reports it. */
int knob_report_restored(const struct knobs *k, const struct knob_restored *r, struct err *e);

/* ---- knob_lock ---- */

/*
 * Locks: two runs that change one setting would take it away from each other, and the one that ends
 * last would restore what the other had set. So a run locks the file of each setting that it was
 * asked for: for itself alone where it changes the value; together with others where the value is
 * in force already, so that nobody changes it under them.
 *
 * A lock (flock) belongs to the open file, which the keeper shares: it lasts until the keeper has
 * restored, also when the run is killed. Only runs of cupel look at it: other programs may write.
 */

/* One file that is held; knob.h names the list only. */
struct knob_lock {
    const char *path; /* a string of the pool */
    int fd;
};

/* Make room for so many locks, and let the process have as many more files open. ERR_MACHINE. */
int knob_locks_reserve(struct knobs *k, size_t count, struct err *e);

/* Lock a file together with others, or for this run alone when it is held already. ERR_UNSAFE:
   another run holds it; ERR_MACHINE: it cannot be locked. A file that cannot be opened is left to
   the one who reads it: it is not held then. */
int knob_lock_share(struct knobs *k, const char *path, struct err *e);
int knob_lock_alone(const struct knobs *k, const char *path, struct err *e);

bool knob_is_locked(const struct knobs *k, const char *path);

/* Everything is restored: others may have the files, whoever still shares them with us. */
void knob_locks_open(const struct knobs *k);

/* Let go of the files: the locks last for as long as the keeper has them. */
void knob_locks_close(struct knobs *k);

#endif
