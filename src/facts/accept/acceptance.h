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
    enum acceptance_status status; /* STAGE_RUNNING: it began and did not end */
    double seconds;                /* working time, without the time in which the machine was off */
    unsigned begun;                /* number of starts: after the first one it was resumed */
    enum err_code code;            /* kind of a failure */
    char words[240];               /* message of a failure, or the stage's outcome */
};

struct acceptance_finding {
    enum grade grade; /* GRADE_FAIL: the drive is not accepted */
    char stage[24];   /* "" when it is about the whole drive */
    char words[240];
};

/* The throughput at a point of the written bytes. */
struct acceptance_point {
    double written; /* bytes written at the end of this point, over all passes */
    double rate;    /* bytes/s */
    double celsius; /* NaN: not known */
};

struct acceptance_disk {
    char name[64], path[256], kind[16], model[64], serial[128], firmware[32];
    uint64_t size, salt;
    enum grade verdict;
    char why[300]; /* why it is not accepted, or not decided */
    struct acceptance_stage stages[ACCEPTANCE_STAGES];
    size_t stage_count;
    struct acceptance_finding findings[ACCEPTANCE_FINDINGS];
    size_t finding_count, finding_dropped;
    struct acceptance_point *points; /* throughput of preconditioning, oldest first */
    size_t point_count;
    size_t throughput_stage;            /* index into stages[]: the stage that the points belong
                                           to */
    double written;                     /* total bytes written */
    double rate, rate_low;              /* mean rate of writing, and the lowest level that lasted;
                                           NaN: not known */
    size_t changes[ACCEPTANCE_CHANGES]; /* indices of points at which another level begins */
    size_t change_count;
    double celsius_max;     /* NaN: not known */
    struct pts_result *pts; /* results of SNIA's PTS, in order; NULL: none */
    size_t pts_count;
};

struct acceptance {
    char date[32]; /* when it began, UTC */
    char version[32];
    char folder[256];
    enum grade verdict; /* the worst of all disks: pass, undecided, fail */
    struct acceptance_disk *disks;
    size_t disk_count;
};

void acceptance_free(struct acceptance *a);

/* Adds a finding; when there is no room it is only counted. */
void acceptance_add(struct acceptance_disk *to, enum grade grade, const char *stage,
                    const char *words, ...) __attribute__((format(printf, 4, 5)));

/* Judge every disk by its stages and findings, and then all disks together. */
void acceptance_judge(struct acceptance *a);

/* The word for a verdict: "accepted", "FAILED", "undecided". */
const char *acceptance_verdict_name(enum grade verdict);
/* "planned", "not finished", "done", "failed". */
const char *acceptance_stage_word(const struct acceptance_stage *s);

/* The exit status, with the reason in *e unless it is ERR_NONE. */
enum err_code acceptance_status(const struct acceptance *a, struct err *e);

#endif
