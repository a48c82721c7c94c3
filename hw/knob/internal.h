/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/knob share. */
#ifndef CUPEL_HW_KNOB_INTERNAL_H
#define CUPEL_HW_KNOB_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/fact.h"
#include "hw/knob/knob.h"
#include "hw/sysroot/sysroot.h"

struct processors; /* declared in hw/machine/cpu_list.h */

/* ---- knob_wish ---- */

/*
 * Finds the files that a request means on this machine, for its online processors and the first
 * `disks` of its disks, locks them, and adds those with another value to k->changes, in the order
 * in which they must be set. Each file is listed once, even if several processors share it. Errors
 * as for knobs_set.
 */
int knob_wish_all(struct knobs *k, const struct knob_request *request,
                  const struct processors *online, size_t disks, struct err *e);

/* Maximum numbers of files that a request changes for each processor, disk and machine. */
enum { KNOB_FILES_OF_PROCESSOR = 4, KNOB_FILES_OF_DISK = 3, KNOB_FILES_OF_MACHINE = 2 };

int knob_add_change(struct knobs *k, const char *path, const char *before, const char *after,
                    struct err *e);

/* ---- knob_value ---- */

/*
 * The value of one knob: a file that holds one word, or all possible words with the current one in
 * brackets ("none [mq-deadline] kyber"). Nothing here allocates, so that the process that restores
 * the knobs may call it.
 */

#define KNOB_VALUE 64
#define KNOB_OFFER 512

/* Reads the current word. FACT_INVALID when the file does not hold a single word that fits. */
enum fact_status knob_value_read(const struct sysroot *root, const char *path,
                                 char value[KNOB_VALUE]);

/* Reads the words that a file offers, separated by single blanks, without brackets. */
enum fact_status knob_value_offer(const struct sysroot *root, const char *path,
                                  char offer[KNOB_OFFER]);
bool knob_value_offered(const char *offer, const char *value);

/* Writes the value and reads it back. Returns 0, an errno, or KNOB_IGNORED: the kernel accepted the
   value but did not apply it. */
#define KNOB_IGNORED (-1)
int knob_value_write(const struct sysroot *root, const char *path, const char *value);

/* Returns the meaning of a result of knob_value_write, in words. */
const char *knob_value_problem(int result);

/* ---- knob_restore ---- */

/*
 * Restores the knobs of a run. A separate process, the keeper, does this (knob.h), or the run
 * itself if the keeper was killed. A value is replaced only if it is still the one that the run
 * set. Any other value was written on purpose by somebody else. It is kept, and so are the settings
 * that depend on it, which the same person may have changed too. Nothing is allocated.
 */

/* the file's value is not written back: closing the file restores it */
#define KNOB_LATENCY_FILE "/dev/cpu_dma_latency"

/* The result of restoring: the number of files that did not get their old value, and which one is
   the first. */
struct knob_restored {
    int failures;
    /* Index of the first file that did not get its old value. Below change_count it is an index in
       `changes`; otherwise it is change_count plus the index in `dependents`. */
    int setting;
    int result; /* result of knob_value_write for that file */
    /* number of changed files that somebody else has written since the run changed them */
    int foreign;
    int foreign_change;             /* index in `changes` of the first of the `foreign` files */
    char foreign_value[KNOB_VALUE]; /* present value of that file */
};

/* Dependent settings are restored after the changes, in several rounds. They may depend on each
   other (a depth on the number of requests, a lower threshold on the upper one): a value that was
   refused in one round, or reset by another one, succeeds in the next. */
#define KNOB_ROUNDS 3

/* Restores the settings and releases the locks. With `undo`, when not every change was made, every
   present value counts as the run's own, because the kernel may have changed the written value. */
struct knob_restored knobs_put_back(struct knobs *k, bool undo);

/* Reports failures of restoring as an error. */
int knob_report_restored(const struct knobs *k, const struct knob_restored *r, struct err *e);

/* ---- knob_keeper.c: the process that restores the knobs ---- */

/* Starts the process that restores the knobs. Returns when it is ready, with k->pipe and k->keeper
   set. ERR_MACHINE: no process could be started. */
int knob_keeper_start(struct knobs *k, struct err *e);

/* Makes the process that restores the knobs restore everything and end. ERR_MACHINE when it does
   not answer for half a minute. */
int knob_keeper_finish(struct knobs *k, struct knob_restored *restored, struct err *e);

/* ---- knob_note.c, and left_notes.c, which reads notes ---- */

#define KNOB_NOTES        "/run/cupel"
#define KNOB_NOTE_HEAD    "cupel settings 1"
#define KNOB_NOTE_PREFIX  "settings-"
#define KNOB_BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

/* Opens the folder of notes, into which only its owner can put files. -1 with errno. */
int knob_note_folder(const struct sysroot *root);

/* Writes below /run/cupel what is about to be changed. Without such a folder, or permission for it,
   there is no note, and only the process that restores the knobs protects the settings. */
void knob_note_write(struct knobs *k);
void knob_note_remove(const struct knobs *k);
void knob_note_close(struct knobs *k);

/* ---- knob_lock ---- */

/*
 * Locks: two runs that change the same setting would overwrite each other's value, and the run that
 * ends last would restore the value that the other had set. So a run locks the file of each
 * requested setting: exclusively where it changes the value; shared where the file has the value
 * already, so that no other run changes it meanwhile. A lock (flock) belongs to the open file,
 * which the process that restores the knobs shares. So the lock lasts until that process has
 * restored the setting, even when the run is killed. Only runs of cupel respect it: other programs
 * may write.
 */

/* A locked file. knob.h only declares the list of these. */
struct knob_lock {
    const char *path; /* owned by the pool */
    int fd;
};

/* Allocates memory for `count` more locks, and raises the limit of open files accordingly. Errors:
   ERR_MACHINE. */
int knob_locks_reserve(struct knobs *k, size_t count, struct err *e);

/* Lock a file: knob_lock_share shared, knob_lock_alone exclusively when it is locked shared
   already. ERR_UNSAFE: another run has it locked; ERR_MACHINE: it cannot be locked. A file that
   cannot be opened is not locked; the function that reads it reports that. */
int knob_lock_share(struct knobs *k, const char *path, struct err *e);
int knob_lock_alone(const struct knobs *k, const char *path, struct err *e);

bool knob_is_locked(const struct knobs *k, const char *path);

/* Releases the locks after everything is restored, even if another process still has these
   descriptors open. */
void knob_locks_open(const struct knobs *k);

/* Closes the files. The locks last until the process that restores the knobs has closed them as
   well. */
void knob_locks_close(struct knobs *k);

#endif
