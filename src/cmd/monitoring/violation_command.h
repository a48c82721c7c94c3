/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --on-violation CMD: runs a command once for each clause of --sla that fails, and each time that a
 * limit begins to be broken while records are followed.
 *
 * /bin/sh -c CMD has its own process group, no standard input, and standard error for both outputs.
 * In its environment are CUPEL_CLAUSE, CUPEL_VERDICT (fail, or now), CUPEL_VALUE and CUPEL_LIMIT
 * (in the units of CSV: ns, bytes/s, 1/s) and CUPEL_TIME (UTC). It is killed after 30 s. If it
 * cannot be run, or fails, a line on standard error says so.
 *
 * violations_end must be called at the end. One thread.
 */
#ifndef CUPEL_CMD_MONITORING_VIOLATION_COMMAND_H
#define CUPEL_CMD_MONITORING_VIOLATION_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "facts/followed.h"

#define VIOLATION_COMMAND_MAX 1024

struct violation {
    bool begun;
    pid_t process; /* 0: the command does not run */
    double deadline;
    char clause[sizeof((struct result_clause *)0)->text];
};

struct violations {
    const char *command; /* "": no command */
    /* Called for each place with the process group of the command that runs there; group 0: none
       does (signals_end_with of cmd/terminal/signals.h). May be NULL. */
    void (*ends_with)(size_t place, pid_t group);
    struct violation of[2 * CLAUSES_MAX];
    /* [i], the command for limit i, which the last intervals break */
    struct violation now[CLAUSES_MAX];
};

/* Runs the command for clauses that have failed since the last call, and checks running commands.
   Does not wait for them. */
void violations_look(struct violations *v, const struct result_clause clauses[], size_t count);

/*
 * Runs the command with CUPEL_VERDICT=now for a limit that is broken in the last intervals, once
 * for each time that it begins to be broken, unless the clause itself has failed. `i` is the
 * clause's index.
 */
void violations_now(struct violations *v, size_t i, const struct clause *clause,
                    const struct followed_limit *now);

/* Runs the command for clauses that have failed since the last call, and waits for all running
   commands. */
void violations_end(struct violations *v, const struct result_clause clauses[], size_t count);

#endif
