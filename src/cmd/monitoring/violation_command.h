/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --on-violation CMD: a command for each clause of --sla that fails, once; and for each
 * limit that what is followed breaks now.
 *
 * /bin/sh -c CMD has a process group of its own, no standard input, and standard error for both
 * outputs. CUPEL_CLAUSE, CUPEL_VERDICT (fail, or now), CUPEL_VALUE and CUPEL_LIMIT (in the units of
 * CSV: ns, bytes/s, 1/s) and CUPEL_TIME (UTC) are in its environment. It is killed after 30 s. A
 * command that cannot be run or fails is reported in a line on standard error.
 *
 * Owner: violations_end. One thread.
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
    pid_t process; /* 0: it does not run */
    double deadline;
    char clause[sizeof((struct result_clause *)0)->text];
};

struct violations {
    const char *command; /* "": no command */
    /* Records the process group of each running command (0: none), as in cmd/terminal/signals.h; or
     * NULL. */
    void (*ends_with)(size_t place, pid_t group);
    struct violation of[2 * CLAUSES_MAX];
    struct violation now[CLAUSES_MAX]; /* of limits that the last intervals break */
};

/* Runs the command for clauses that have just failed, and looks after running ones. Does not
   wait. */
void violations_look(struct violations *v, const struct result_clause clauses[], size_t count);

/*
 * Runs the command for a limit that the last intervals of what is followed break, with
 * CUPEL_VERDICT=now, unless the clause has failed already; once for each time that it begins to be
 * broken. `i`: its number among the clauses.
 */
void violations_now(struct violations *v, size_t i, const struct clause *clause,
                    const struct followed_limit *now);

/* Looks for the last time, and waits for running commands. */
void violations_end(struct violations *v, const struct result_clause clauses[], size_t count);

#endif
