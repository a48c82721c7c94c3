/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The qualification of a machine: reads its state, measures every disk read-only (write tests only
 * for disks named for them), judges, and keeps everything.
 *
 * Disks are those of the inventory that are real devices (no loop, zram, dm, md, CD, and none in
 * `skip`). They are measured one after the other, because two at a time would measure the machine
 * and not the disk. These are judged without an expectation: a link below what both ends can do
 * (fail) or below what the card can do (warn), health (fail), temperature over the limit or
 * throttling during the run (warn), errors (fail), a test that failed (fail), and a test without a
 * steady state or without an interval above 0 (undecided). A result that is less precise than
 * requested is none of these.
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
    /* Disks by name, path or serial number ("nvme0n1", "/dev/sda"); count 0: all. Loop devices and
       volumes are measured only if they are named. If disks of the machine are left out in this
       way, counts of disks are not judged. */
    const char *const *names;
    size_t name_count;
    bool missing_fails;      /* a missing disk of `names` is a failed check, not an error */
    const char *const *skip; /* names of disks that are left out, "sda"; ended by NULL; may be
                                NULL */
    struct labels labels;    /* labels that a person gave the machine */
    const char *preset;      /* "quick", "normal", "strict" */
    double limit_seconds;    /* limit of each measurement */
    /* Instead of testing the disks one after the other, measure each disk alone and all disks
       together, in alternating rounds, read only (qualify/shared). limit_seconds then limits the
       sum of a disk's rounds alone and the sum of the rounds together, both for sequential and for
       random reads. */
    bool together;
    /* test the memory by patterns for this time, before the disks; 0: no test */
    double burn_seconds;
    bool memory, processors; /* measure the memory, the processors, before the disks */
    bool allow_unwritten;    /* measure disks that were never written, too, with a warning */
    /*
     * Serial numbers of disks that write tests may destroy. Such a disk must be in `names`, too
     * (unless there are no names). Ended by NULL; may be NULL: no disk is written. If no disk of
     * the machine has a serial number, or more than one (namespaces of a drive, paths to it), that
     * is an error and nothing is measured.
     */
    const char *const *destroy_serials;
    const struct expectation *expectation; /* may be NULL */
    /* An existing folder, in which each measurement makes FOLDER/DISK-TEST/record.cupel
       ("nvme0n1-read"). NULL: nothing is kept. */
    const char *folder;
    /* Called after each measurement with the measurement's folder (NULL: nothing is kept). The
       caller writes the reports into it. If this call fails, or writing the record does, the
       qualification goes on with a warning about the machine, and qualifier_kept returns the error.
       May be NULL. */
    int (*keep)(void *context, const char *folder, const struct result *result, struct err *e);
    void *context;                     /* context of keep, overall, stage and so_far */
    const volatile sig_atomic_t *stop; /* never NULL */
    struct session_observer observer;
    /* Called before each call of the observer: "disk 2 of 8, about 3 min 20 s left in all"; may be
       NULL. */
    void (*overall)(void *context, const char *words);
    /* Called when a test begins: "nvme0n1: random read, 3 of 8"; may be NULL. */
    void (*stage)(void *context, const char *text);
    /* Called before the first disk and after each disk with all that is known by then. The
       expectation and the changes of the machine are judged only at the end. May be NULL. */
    void (*so_far)(void *context, const struct qualification *q);
};

struct qualifier; /* owns the struct qualification, its inventory and its memory */

/*
 * Runs a whole qualification. ERR_USAGE: a disk that is not there, or no such preset; ERR_UNSAFE:
 * several disks have a serial number of destroy_serials; ERR_MACHINE: not permitted, or no memory.
 * A disk that fails is a failed check, not an error. A stop ends the qualification with the
 * measurements made so far.
 */
int qualify(struct qualifier **q, const struct qualify_request *request, struct err *e);
const struct qualification *qualifier_result(const struct qualifier *q);
/* Returns 0, or -1 with ERR_TARGET and the first reason why a measurement was not kept. */
int qualifier_kept(const struct qualifier *q, struct err *e);
void qualifier_free(struct qualifier *q);

/* Reads the machine's serial number as its maker stored it. Returns false, with "", if there is
   none. */
bool qualify_board_serial(const struct sysroot *root, char *to, size_t size);

/* Writes a name that only this machine has: its serial number, or else the MAC address of its first
   network card, or else "unknown". Returns `to`. */
char *qualify_machine_serial(const struct sysroot *root, char *to, size_t size);

/*
 * Writes the name of a report folder, "2026-11-20-ABC1234": the day of `date` and `serial`.
 * Characters that a FAT file name may not hold become '-', and "" becomes "unknown". If the folder
 * `parent` has this name already, "-2" and so on are added; parent NULL: none has.
 */
void qualify_folder_name(const char *parent, const char *date, const char *serial, char *to,
                         size_t size);

/*
 * Writes the name of a report about this machine at the time `now` (UTC). `alone`: the other
 * reports in `parent` cannot be seen, so the time of day is added, "2026-11-20-ABC1234-170211". A
 * machine without serial number and network card is named by the random number that its kernel made
 * when it started.
 */
void qualify_report_name(const struct sysroot *root, const char *parent, time_t now, bool alone,
                         char *to, size_t size);

#endif
