/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/many/sweep. */
#ifndef CUPEL_MANY_SWEEP_INTERNAL_H
#define CUPEL_MANY_SWEEP_INTERNAL_H

#include <limits.h>

#include "base/durable/line_journal.h"
#include "base/pool.h"
#include "base/text_reader.h"
#include "io/target/target_identity.h"
#include "many/sweep/sweep.h"
#include "stat/shape/shape.h"

/* ---- sweep_runs.c ---- */

/* All runs in memory. Each of `runs` points to its values in `values`, one for each response. */
struct sweep_runs {
    struct sweep_run *runs;
    double *values; /* values of run i at [i * response_count] */
    size_t count, room;
    size_t response_count;
    struct pool hosts; /* names of hosts, one string for each */
    const char *host_names[64];
    size_t host_count;
    uint64_t failed;   /* runs that failed, also before a resumption */
    char failure[200]; /* why the last failed run failed */
};

int sweep_runs_add(struct sweep_runs *all, const struct sweep_run *run, struct err *e);
const char *sweep_host_name(struct sweep_runs *all, const char *name); /* NULL: no memory */

/* ---- sweep_log.c: the log on the disk of all runs ---- */

/*
 * Lines of text, each with its CRC-32C. Only the last line can be cut short by an interruption: it
 * is removed, and its run is done again. The file is locked while a sweep is under way.
 */
struct sweep_log {
    struct line_journal lines;
    char target[TARGET_IDENTITY_BYTES]; /* identity of the target of the runs
                                           (io/target/target_identity.h), or "" */
};

/* Creates a folder with the plan and an empty log; or, with `resume`, opens an existing log, whose
   runs go into `all`. Errors as sweep_run; ERR_TARGET: it cannot be written. */
int sweep_log_open(struct sweep_log *log, const struct sweep_request *request, uint32_t numbers,
                   struct sweep_runs *all, struct err *e);
int sweep_log_run(struct sweep_log *log, const struct sweep_run *run, size_t responses,
                  struct err *e);
int sweep_log_failure(struct sweep_log *log, const struct sweep_run *run, const char *why,
                      struct err *e);
int sweep_log_target(struct sweep_log *log, const char *identity, struct err *e);
void sweep_log_close(struct sweep_log *log);

/* ---- next_run.c: the next run ---- */

/* The configurations of the plan, followed by those that only controls run. */
struct sweep_list {
    struct sweep_configuration *configurations;
    size_t count;                          /* number of configurations of the plan */
    uint32_t controls[SWEEP_CONTROLS_MAX]; /* numbers of the control configurations */
    size_t control_count, number_count;
};

struct sweep_schedule {
    const struct sweep_plan *plan;
    const struct sweep_list *list;
    const struct sweep_runs *all;
    unsigned shard, shards;
    /* [configuration]: good runs; runs that failed since this process began */
    uint32_t *done, *failed;
    uint32_t *order; /* order of the configurations in the current pass */
    /* [configuration], if the number of repeats is open: its spread is known */
    bool *narrow;
    uint32_t pass, position;
    uint64_t regular;       /* good runs of configurations that are not controls */
    uint64_t controls_done; /* control runs, good or failed */
    bool ended_with_control;
};

struct sweep_pick {
    uint32_t configuration, block;
    bool control;
};

int sweep_schedule_make(struct sweep_schedule *s, struct err *e);
void sweep_schedule_free(struct sweep_schedule *s);
/* Picks the next run. Returns false if everything is done. */
bool sweep_schedule_next(struct sweep_schedule *s, struct sweep_pick *pick);
/* Takes the outcome of a run; a completed run must be in `all`. */
void sweep_schedule_take(struct sweep_schedule *s, const struct sweep_pick *pick, bool failed);
/* Returns the number of regular runs of this shard; if the number of repeats is open, the
   minimum. */
uint64_t sweep_schedule_total(const struct sweep_schedule *s);
/* Returns true if the interval of a standard deviation is as narrow as the plan requires. */
#define SWEEP_CONFIDENCE 0.95
bool sweep_deviation_is_narrow(const struct sweep_plan *plan, const struct deviation *d, size_t n);

/* ---- level_command.c: levels that a user's command sets ---- */

/*
 * The levels that the user's commands have set, and the process that unsets them if the sweep dies.
 */
struct level_commands {
    const struct sweep_plan *plan;
    const volatile sig_atomic_t *stop;
    int in_force[SWEEP_FACTORS_MAX]; /* level; -1: not set */
    pid_t running;                   /* process group of the command that is running; 0: none */
    /* socket to the process that runs the unset commands even if this one is killed; -1: no such
       process */
    int keeper;
};

/* level_commands_begin must be called before any thread exists. Errors: ERR_MACHINE.
   level_commands_set sets those levels of a configuration that are not set yet. It returns 1 if the
   user stopped it meanwhile. ERR_TARGET: a command failed, or took longer than the plan's
   command-timeout. */
int level_commands_begin(struct level_commands *l, const struct sweep_plan *plan,
                         const volatile sig_atomic_t *stop, struct err *e);
int level_commands_set(struct level_commands *l, const struct sweep_configuration *c,
                       struct err *e);
/* For each level that a command has set, runs the user's command that unsets it, even if some fail.
   Then ends the process that would have run these commands after a crash. */
int level_commands_end(struct level_commands *l, struct err *e);

/* ---- a sweep that runs, or has run ---- */

struct sweep {
    const struct sweep_plan *plan;
    struct sweep_list list;
    struct sweep_runs all;
    struct sweep_log log;
    struct sweep_schedule schedule;
    struct level_commands commands;
    const char *host;
    double began;
    unsigned shard, shards, failures_in_row;
    uint64_t failed_before; /* runs that failed before the resumption, and are run again now */
    uint64_t undecided;     /* runs that failed since then because they were undecided */
    /* number of runs that were left out because something disturbed them, and were begun again at
       once */
    uint64_t left_out;
    char left_out_by[200]; /* run and reason of the last one that was begun again */
    bool open_repeats;
    enum sweep_ending ending;
    char failure[240]; /* SWEEP_FAILED: why */
    enum err_code failure_code;
};

/* ---- plan_words.c: helpers for reading the lines of a plan ---- */

struct plan_reader {
    struct sweep_plan *plan;
    struct text_reader text;
    const struct option_row *options;
    struct sweep_factor *last; /* the factor to which the next set: and unset: belong */
    /* bit set of the keys that were read and may occur only once: bit i is for row i of the table
       of keys */
    unsigned seen;
    size_t response_line[SWEEP_RESPONSES_MAX], response_column[SWEEP_RESPONSES_MAX];
};

/* Returns the next word of the line, without its quotes, as a string of the plan; *at is where it
   begins. NULL: there is no word, or no memory. */
const char *plan_reader_word(struct plan_reader *r, const char **at);

/* Returns the factor with that name, or -1. */
int plan_factor_of(const struct sweep_plan *plan, const char *name);

/* Returns the option with that name or alias; NULL: there is none. */
const struct option_row *plan_option_of(const struct plan_reader *r, const char *name);
/* Returns -1 with an error if runs of a sweep may not have this option, or if it is a permission,
   which no file may give. */
int plan_refuse_option(struct plan_reader *r, const struct option_row *option, const char *at);
/* Returns the value of a level in the unit of runs.csv; NaN: the level is text. */
double plan_level_number(const struct option_row *option, const char *text);

/* ---- plan_factor.c ---- */

int plan_read_factor(struct plan_reader *r);

/* ---- plan_constraint.c ---- */

int plan_read_constraint(struct plan_reader *r);

/* ---- plan_response.c ---- */

int plan_read_response(struct plan_reader *r);
/* Resolves the names of responses. Called after all lines are read, when it is known whether a
   program is measured. */
int plan_resolve_responses(struct plan_reader *r);

#endif
