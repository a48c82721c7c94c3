/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The acceptance of new drives as a result: what reports are made of. */
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
    enum acceptance_status status; /* STAGE_RUNNING: it was begun, and has no end */
    double seconds;                /* of work, without the time that the machine was off */
    unsigned begun;                /* how many times: more than once, it was taken up again */
    enum err_code code;            /* of a failure */
    char words[240];               /* of a failure, or what came of it */
};

struct acceptance_finding {
    enum grade grade; /* GRADE_FAIL: the drive is not accepted */
    char stage[24];   /* "" of the whole */
    char words[240];
};

/* The throughput at a place of what was written. */
struct acceptance_point {
    double written; /* bytes before the end of this point, of all passes */
    double rate;    /* bytes/s */
    double celsius; /* NaN: not known */
};

struct acceptance_disk {
    char name[64], path[256], kind[16], model[64], serial[128], firmware[32];
    uint64_t size, salt;
    enum grade verdict;
    char why[300]; /* it is not accepted, or not decided */
    struct acceptance_stage stages[ACCEPTANCE_STAGES];
    size_t stage_count;
    struct acceptance_finding findings[ACCEPTANCE_FINDINGS];
    size_t finding_count, finding_dropped;
    struct acceptance_point *points; /* of preconditioning, oldest first */
    size_t point_count;
    size_t throughput_stage;            /* of stages[], that the points are of */
    double written;                     /* bytes in all, and ... */
    double rate, rate_low;              /* ... how fast: mean, and the lowest level held; NaN */
    size_t changes[ACCEPTANCE_CHANGES]; /* points where another level begins */
    size_t change_count;
    double celsius_max;     /* NaN: not known */
    struct pts_result *pts; /* tests of SNIA's PTS, in their order; NULL: none */
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

/* A finding; without room it is counted. */
void acceptance_add(struct acceptance_disk *to, enum grade grade, const char *stage,
                    const char *words, ...) __attribute__((format(printf, 4, 5)));

/* Judge every disk by its stages and findings, and all together. */
void acceptance_judge(struct acceptance *a);

/* "accepted", "FAILED", "undecided". */
const char *acceptance_verdict_name(enum grade verdict);

/* The exit status, with the reason in *e unless it is ERR_NONE. */
enum err_code acceptance_status(const struct acceptance *a, struct err *e);

#endif
