/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds which of many ranks this process is, from the environment variables that a launcher (srun,
 * mpirun, ...) or the user has set in every process of one command line. There is no communication
 * with the launcher.
 */
#ifndef CUPEL_RUN_LAUNCH_LAUNCHER_H
#define CUPEL_RUN_LAUNCH_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Limits the number of files of a gathering (rank_gathering.h) and the digits of a rank. */
#define LAUNCHER_RANKS_MAX 100000u

struct launcher {
    const char *name;   /* "Slurm"; "": no launcher, this process was started alone */
    uint32_t rank;      /* from 0 */
    uint32_t size;      /* number of ranks; 0: the launcher does not give it */
    int64_t local_rank; /* rank among those on the same host, from 0; -1: not known */
    uint32_t local_max; /* largest number of ranks on one host; 0: not known */
    /* name of the job: the same in all ranks, different in other runs; "": not known */
    char job[96];
    char host[65]; /* this machine's name, in letters, digits, '.', '-' and '_' */
};

/*
 * Reads the environment. CUPEL_RANK and CUPEL_SIZE override every launcher, CUPEL_JOB overrides the
 * launcher's job. CUPEL_HOSTS comes next, for users who run the same command on all hosts: a list
 * of hosts with commas, in which the position of this host is the rank. Without any of these the
 * process is rank 0 of 1. ERR_USAGE: a variable does not hold a valid number, or this host is not
 * in the list or is in it twice; the message names the variable or the host.
 */
int launcher_find(struct launcher *launcher, struct err *e);

/* Returns true if this process is one of several ranks. */
static inline bool launcher_is_of_many(const struct launcher *launcher)
{
    return launcher->name[0] && launcher->size != 1;
}

#endif
