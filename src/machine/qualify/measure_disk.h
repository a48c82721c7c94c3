/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures one disk: a session for each test, and the checks of its result. */
#ifndef CUPEL_MACHINE_QUALIFY_MEASURE_DISK_H
#define CUPEL_MACHINE_QUALIFY_MEASURE_DISK_H

#include <stdbool.h>

#include "base/err.h"
#include "hw/sysroot/sysroot.h"
#include "machine/qualify/qualify.h"
#include "machine/qualify/time_left.h"

/* Shows whether a path still leads to the same disk, because the kernel gives names to new
   disks. */

struct disk_identity {
    char path[256];    /* the path that is opened */
    char sequence[24]; /* the kernel's number of this disk, which no other disk gets until the
                          machine is switched off; "": the kernel does not report it (before Linux
                          5.15) */
};

/* Stores `path` and what the kernel reports about the disk there. */
void disk_identity_take(struct disk_identity *d, const struct sysroot *root, const char *path);

/* Returns 0 if it is still the same disk and has that serial number ("": it has none). ERR_UNSAFE:
   another disk, or none. Reads the state of the machine anew. */
int disk_identity_check(const struct disk_identity *d, const struct sysroot *root,
                        const char *serial, struct err *e);

struct measuring {
    const struct qualify_request *request;
    struct qualification *q;
    struct result *result; /* memory for one result */
    struct err keep_error; /* the first failure to keep a measurement; .code 0: none */
    size_t unkept;         /* number of measurements that could not be kept */
    size_t done, count;    /* number of tests */
    struct time_left time; /* `planned`, `disks` and the limit are set by measure_plan */
    bool failed;           /* a test of the current disk failed */
};

/* Returns the number of tests of a disk. */
size_t measure_count(bool writes);

/* Plans the tests of these disks, each with or without write tests, before the first disk is
   measured. Sets m->count and m->time. */
void measure_plan(struct measuring *m, const bool writes[], size_t count);

/* Returns the observer for a session (measure_progress.c): it reports the time left in all, then
   calls the observer of the request. */
struct session_observer measure_observer(struct measuring *m);

/* Returns the number of those clauses of `sla`, in the form that a session takes, that are
   estimated and so can be decided wrongly. */
size_t measure_clauses(const char *sla);

/*
 * Runs all tests of q->devices[device] at disk->path; `writes`: also those that destroy its
 * contents. No write test begins after a test of the disk failed, or if the path no longer leads to
 * `disk`. Returns -1 if no plan can be made; a disk that fails is a failed check.
 */
int measure_disk(struct measuring *m, int device, const struct disk_identity *disk, bool writes,
                 struct err *e);

/*
 * Replaces measure_disk (measure_together.c): measures all disks of q->devices alone and together,
 * and judges the result. disks[i] identifies device i. Fills in `s` of q->sharing. ERR_USAGE: too
 * many disks.
 */
int measure_shared(struct qualification *q, struct inventory *v, struct sharing *s,
                   const struct disk_identity disks[], const struct qualify_request *request,
                   struct err *e);

/*
 * Measures a part of the machine that is no disk (measure_machine.c). measure_machine_plan makes
 * the plan of a session; ERR_USAGE. measure_machine runs the session and makes *x, which points
 * into the session that it returns; it returns NULL if nothing was measured, and a check `what`
 * says why. measure_machine_number converts an index to other units.
 */
struct exec_plan;
struct exec_session;
struct execution;
struct execution_index;
int measure_machine_plan(struct plan *plan, const struct qualify_request *request, struct err *e);
struct exec_session *measure_machine(struct qualification *q, const char *what,
                                     const struct exec_plan *plan,
                                     const struct qualify_request *request, struct execution *x);
struct qualification_number measure_machine_number(const struct execution_index *index,
                                                   double scale);

/* Measures the memory and adds its check (measure_memory.c). ERR_MACHINE: there is no memory for
   the result; any other failure is a check that is not decided. */
int measure_memory(struct qualification *q, const struct qualify_request *request, struct err *e);

/* Measures the processors in the same way (measure_processors.c). judge_processors only adds the
   checks. */
int measure_processors(struct qualification *q, const struct qualify_request *request,
                       struct err *e);
void judge_processors(struct qualification *q);

/* measure_burn tests processors and memory for the time of --burn, watches their heat, and adds the
   checks (measure_burn.c). The other functions only add checks. */
struct memory_burn;
struct processor_burn;
void judge_processor_burn(struct qualification *q, const struct processor_burn *burn);
void judge_burn_heat(struct qualification *q);
void measure_burn(struct qualification *q, const struct qualify_request *request);
void judge_burn(struct qualification *q, const struct memory_burn *burn);

#endif
