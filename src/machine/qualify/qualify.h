/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The qualification of a machine: look at it, measure every disk read-only (write tests only for
 * disks named for them), judge, and keep everything.
 *
 * Disks are those of the inventory that are devices of their own (no loop, zram, dm, md, CD, and
 * none in `skip`). One after the other, because two at a time would measure the machine and not the
 * disk. What is judged without any expectation: a link below what both ends can (fail), or below
 * what the card can (warn), health (fail), temperature over the limit or throttling during the run
 * (warn), errors (fail), a test that failed (fail), one without a steady state or an interval above
 * 0 (undecided). A result that is less precise than asked is none of these.
 */
#ifndef CUPEL_MACHINE_QUALIFY_QUALIFY_H
#define CUPEL_MACHINE_QUALIFY_QUALIFY_H

#include <signal.h>
#include <time.h>

#include "base/err.h"
#include "facts/qualification.h"
#include "hw/sysroot/sysroot.h"
#include "machine/qualify/expectation.h"
#include "run/session/session.h"

struct qualify_request {
    const struct sysroot *root;
    /* Disks by name, path or serial number ("nvme0n1", "/dev/sda"); count 0: all. Only by their
       name are loop devices and volumes measured. Where disks are left out in this way, counts
       of disks are not judged. */
    const char *const *names;
    size_t name_count;
    bool missing_fails; /* a disk of `names` that is not there is a failed check, not an error */
    const char *const *skip; /* disks that are left out, "sda"; ended by NULL; may be NULL */
    struct labels labels;    /* what a person says of it */
    const char *preset;      /* "quick", "normal", "strict" */
    double limit_seconds;    /* of each measurement */
    /* In place of the tests of each disk: each alone and all together, in turns, read only
       (qualify/shared). limit_seconds is then for all rounds of a disk in one load. */
    bool together;
    bool allow_unwritten; /* measure disks that were never written too (a warning all the same) */
    /*
     * Disks that write tests may destroy, by serial number: those whose serial is one of these and
     * that are in `names` (or all, when there are no names). Ended by NULL; may be NULL: no disk is
     * written. A serial number that no disk has, or more than one of the whole machine (namespaces
     * of a drive, paths to it), is an error: nothing is measured.
     */
    const char *const *destroy_serials;
    const struct expectation *expectation; /* may be NULL */
    /*
     * An existing folder: each measurement makes FOLDER/DISK-TEST/record.cupel in it
     * ("nvme0n1-read"). NULL: nothing is kept.
     */
    const char *folder;
    /* Called after each measurement, with its folder or NULL: the caller writes what people read.
       What fails there, or with the record, does not end the qualification: it is a warning of the
       machine and what qualifier_kept returns. May be NULL. */
    int (*keep)(void *context, const char *folder, const struct result *result, struct err *e);
    void *context;                     /* of keep, overall, stage and so_far */
    const volatile sig_atomic_t *stop; /* never NULL */
    struct session_observer observer;
    /* Called before each of the observer's: "disk 2 of 8, about 3 min 20 s left in all"; may be
       NULL. */
    void (*overall)(void *context, const char *words);
    /* Called when a test begins: "nvme0n1: random read, 3 of 8"; may be NULL. */
    void (*stage)(void *context, const char *text);
    /* Called before the first disk and after each: what is known by then, of which the expectation
       and the changes of the machine are judged at the end alone. May be NULL. */
    void (*so_far)(void *context, const struct qualification *q);
};

struct qualifier; /* owns the struct qualification, its inventory and its memory */

/*
 * Do all of it. ERR_USAGE: a disk that is not there, no such preset; ERR_UNSAFE: a serial number
 * of destroy_serials that several disks have; ERR_MACHINE: not permitted, no memory. One disk that
 * fails is a failed check, not an error; a stop ends it with what was measured.
 */
int qualify(struct qualifier **q, const struct qualify_request *request, struct err *e);
const struct qualification *qualifier_result(const struct qualifier *q);
/* 0, or -1 with ERR_TARGET and the first reason why a measurement is not kept. */
int qualifier_kept(const struct qualifier *q, struct err *e);
void qualifier_free(struct qualifier *q);

/* The machine's serial number as its maker wrote it down; false, and "", when there is none. */
bool qualify_board_serial(const struct sysroot *root, char *to, size_t size);

/*
 * A name for this machine alone: its serial number, else the MAC address of its first network
 * card, else "unknown". Returns `to`.
 */
char *qualify_machine_serial(const struct sysroot *root, char *to, size_t size);

/*
 * The name of a report folder: "2026-11-20-ABC1234" (the day of `date` and `serial`; characters
 * that a FAT file name may not hold become '-'; "" is "unknown"). If the folder `parent` has one
 * already, "-2" and so on are added. NULL as parent: none has.
 */
void qualify_folder_name(const char *parent, const char *date, const char *serial, char *to,
                         size_t size);

/*
 * The same for a report of this machine at the time `now` (UTC). `alone`: nobody can see in
 * `parent` which names other reports have, so that the time of day is added,
 * "2026-11-20-ABC1234-170211". A machine that has no serial number and no network card is named
 * by the random number that its kernel made when it started.
 */
void qualify_report_name(const struct sysroot *root, const char *parent, time_t now, bool alone,
                         char *to, size_t size);

#endif
