/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The acceptance of new drives, as a result for reports. */
#ifndef CUPEL_FACTS_ACCEPT_ACCEPTANCE_H
#define CUPEL_FACTS_ACCEPT_ACCEPTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/accept/pts_result.h"
#include "facts/qualification.h"

#define ACCEPTANCE_STAGES   12
#define ACCEPTANCE_FINDINGS 48
#define ACCEPTANCE_CHANGES  16

enum acceptance_status { STAGE_PLANNED, STAGE_RUNNING, STAGE_DONE, STAGE_FAILED };

struct acceptance_stage {
    char name[24];
    enum acceptance_status status; /* STAGE_RUNNING: the stage began and has not ended */
    /* working time; time in which the machine was off is not counted */
    double seconds;
    /* number of starts: 1, and 1 more for each time it was resumed */
    unsigned begun;
    enum err_code code; /* for STAGE_FAILED: kind of the failure */
    char words[240];    /* message of a failure, or the stage's outcome */
};

struct acceptance_finding {
    enum grade grade; /* GRADE_FAIL: the drive is not accepted */
    char stage[24];   /* name of the stage; "": the finding is about the whole drive */
    char words[240];
};

/* Throughput at one point of preconditioning. */
struct acceptance_point {
    double written; /* bytes written at the end of this point, over all passes */
    double rate;    /* bytes/s */
    double celsius; /* NaN: not known */
};

struct acceptance_disk {
    char name[64], path[256], kind[16], model[64], serial[128], firmware[32];
    uint64_t size, salt;
    enum grade verdict;
    char why[300]; /* why the drive is not accepted, or why that is undecided */
    struct acceptance_stage stages[ACCEPTANCE_STAGES];
    size_t stage_count;
    struct acceptance_finding findings[ACCEPTANCE_FINDINGS];
    size_t finding_count, finding_dropped;
    struct acceptance_point *points; /* throughput during preconditioning, oldest first */
    size_t point_count;
    size_t throughput_stage; /* index into stages[]: the stage that the points belong
                                to */
    double written;          /* total bytes written */
    /* mean write throughput, and the lowest mean between two changes of the throughput; bytes/s;
       NaN: not known */
    double rate, rate_low;
    /* indices into points[] at which the throughput changes its level */
    size_t changes[ACCEPTANCE_CHANGES];
    size_t change_count;
    double celsius_max;     /* NaN: not known */
    struct pts_result *pts; /* results of SNIA's PTS, in the order of the tests; NULL: none */
    size_t pts_count;
};

struct acceptance {
    char date[32]; /* start, in UTC */
    char version[32];
    char folder[256];
    enum grade verdict; /* the worst verdict of all disks: pass, undecided or fail */
    struct acceptance_disk *disks;
    size_t disk_count;
};

void acceptance_free(struct acceptance *a);

/* Adds a finding to the disk. When all places are taken, the mildest finding is dropped and
   counted. */
void acceptance_add(struct acceptance_disk *to, enum grade grade, const char *stage,
                    const char *words, ...) __attribute__((format(printf, 4, 5)));

/* Sets the verdict of every disk from its stages and findings, and then the verdict on all
   disks. */
void acceptance_judge(struct acceptance *a);

/* Returns the word for a verdict: "accepted", "FAILED", "undecided". */
const char *acceptance_verdict_name(enum grade verdict);
/* Returns the state of a stage in words: "planned", "not finished", "done", "failed". */
const char *acceptance_stage_word(const struct acceptance_stage *s);

/* Returns the exit status of the acceptance. Unless it is ERR_NONE, *e is set to the reason. */
enum err_code acceptance_status(const struct acceptance *a, struct err *e);

#endif
