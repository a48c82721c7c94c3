/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The acceptance of new drives. Its stages write every drive from end to end, so nothing begins
 * before it is certain which drive it is and that nobody uses it.
 *
 *   - a drive with a serial number is written only after somebody gave that number, as an option or
 *     by typing it; a drive without one is written only with `destroy`;
 *   - every drive is opened like any target that is written (io/target/target.h), and held with
 *     O_EXCL until the last stage has ended;
 *   - before each stage, and when a journal is resumed, serial number, size and block size are
 *     compared with those in the journal. Another drive under the same name is ERR_UNSAFE;
 *   - two names of one drive are refused.
 *
 * The journal (accept_journal.h) records what was done. After a power loss the same work continues
 * from it, and the report is made from it (accept_read).
 */
#ifndef CUPEL_MACHINE_ACCEPT_ACCEPT_H
#define CUPEL_MACHINE_ACCEPT_ACCEPT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "facts/accept/acceptance.h"
#include "hw/sysroot/sysroot.h"
#include "run/session/session.h"

#define ACCEPT_DISKS_MAX 64

/* How disks share the time (machine/accept/turns.h); the numbers are stored in the journal. */
enum accept_at_once {
    ACCEPT_APART = 0, /* all write at once; disks that share a limited part measure in turns */
    ACCEPT_ALL = 1,   /* all also measure at once, after all have written */
    ACCEPT_ONE = 2    /* disks work one after the other */
};

struct accept_request {
    const struct sysroot *root;
    const char *const *names;   /* names of disks: a name, path or serial number each */
    size_t name_count;          /* 0: the disks of the journal */
    const char *const *serials; /* serial numbers of --destroy-serial, ended by NULL */
    bool destroy;
    bool same_target;   /* when resuming: the user says that the disks are the same, although
                           nothing shows it */
    bool allow_unseen;  /* write even if it cannot be seen which programs write a disk */
    const char *folder; /* folder of the journal */
    bool resume;        /* the journal exists and states the work */
    const char *stages; /* names, joined by commas; when resuming: those of the journal */
    const char *purge;  /* method of that stage: "format", "sanitize", "crypto", "secure-erase"; or
                           "" */
    unsigned passes;    /* number of times that preconditioning writes the capacity */
    /* run the PTS tests for client drives (PTS-C), else those for enterprise drives (PTS-E) */
    bool client;
    double hours;        /* time of all PTS tests together; 0: no limit */
    double cell_seconds; /* time of each PTS cell; 0: as the specification states */
    bool reads_only;     /* disks are opened only for reading; set by accept_verify */
    double verify_share; /* share of the capacity that `verify` reads; 1: all of it */
    enum accept_at_once at_once;

    const volatile sig_atomic_t *stop;
    const struct session_observer *observer; /* receives the progress of the stages, and notices */
    /* Called before a stage begins, with a line that describes it. */
    void (*stage)(void *context, const char *words);
    /* Called for several disks, with the text that precedes their progress: what all of them do,
       and the remaining time. */
    void (*overall)(void *context, const char *words);
    /* Asks a person for the serial number of a disk: true when `typed` holds the answer. NULL:
       nobody can be asked. */
    bool (*ask)(void *context, const char *disk, char *typed, size_t size);
    void *context; /* context of the three functions above, which any thread calls, one call at a
                      time */
};

/*
 * Runs the acceptance. Returns 0 when every stage of every disk has ended, with success or not;
 * accept_read gives the verdict. Returns -1 if it could not begin (ERR_USAGE, ERR_UNSAFE,
 * ERR_MACHINE, ERR_TARGET) or did not end; the journal holds the completed work.
 */
int accept_run(const struct accept_request *request, struct err *e);

/*
 * Reads back the data of an acceptance again, for example after a power cycle. Runs only stage
 * `verify`, for the disks of the journal, which are opened only for reading. Returns 0 or -1 as
 * accept_run does.
 */
int accept_verify(const struct accept_request *request, struct err *e);

/* Writes as text what would be done and about how long it would take. Does not write to any
   disk. */
int accept_plan_words(const struct accept_request *request, struct text *out, struct err *e);

/* Makes the result from the journal in `folder`. Errors: ERR_USAGE, ERR_MACHINE. The caller frees
   it with acceptance_free. */
int accept_read(struct acceptance *a, const char *folder, struct err *e);

/* Returns whether the folder holds a journal (accept_journal.c). */
bool accept_is_in(const char *folder);

/* The stages that run if none are named, and all stages in words for the help. */
#define ACCEPT_STAGES_WORDS                                                                        \
    "capacity, which finds a fake one in minutes; precondition; verify, which reads back; the "    \
    "tests of SNIA's PTS: pts-iops, pts-tp (throughput), pts-lat (latency), pts-wsat (write "      \
    "saturation)."
#define ACCEPT_VERIFY       "verify" /* the stage that reads back */
#define ACCEPT_STAGES_USUAL "capacity,precondition,verify"

/* Checks names of stages. ERR_USAGE: `names` contains a name that is not a stage; the message lists
   the stages. */
int accept_stages_check(const char *names, struct err *e);

#endif
