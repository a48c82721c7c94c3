/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of many this process is: what a launcher (srun, mpirun, ...) or the user put into the
 * environment of every process that one command line started. Nothing is sent to a launcher and
 * nothing asked of it.
 */
#ifndef CUPEL_RUN_LAUNCH_LAUNCHER_H
#define CUPEL_RUN_LAUNCH_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Files of a gathering (gathering.h) and digits of a rank stay within reason. */
#define LAUNCHER_RANKS_MAX 100000u

struct launcher {
    const char *name;   /* "Slurm"; "": none, this process was started alone */
    uint32_t rank;      /* from 0 */
    uint32_t size;      /* how many ranks there are; 0: the launcher does not say */
    int64_t local_rank; /* from 0 on every host; -1: not known */
    uint32_t local_max; /* ranks on the host that has most of them; 0: not known */
    char job[96];       /* the same in all ranks and in no other run; "": not known */
    char host[65];      /* this machine's name, in letters, digits, '.', '-' and '_' */
};

/*
 * Read the environment. CUPEL_RANK and CUPEL_SIZE win over every launcher, CUPEL_JOB over its job.
 * CUPEL_HOSTS comes next, for those that run the same words everywhere: hosts with commas between,
 * of which this one's place is the rank. Without any of them rank 0 of 1. ERR_USAGE names a
 * variable that holds no such number, or a host that is not in the list, or is twice.
 */
int launcher_find(struct launcher *launcher, struct err *e);

/* One of several? */
static inline bool launcher_is_of_many(const struct launcher *launcher)
{
    return launcher->name[0] && launcher->size != 1;
}

#endif
