/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `cupel exec`. */
#ifndef CUPEL_CMD_EXEC_EXEC_OPTIONS_H
#define CUPEL_CMD_EXEC_EXEC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/run/session_options.h"
#include "facts/execution.h"
#include "program/exec/exec.h"
#include "run/plan/plan.h"

#define EXEC_ENVIRONMENT_MAX 256

/* --parameter NAME=VALUE,VALUE...: each combination of values has its own session. */
struct exec_parameters {
    size_t count;
    struct {
        char name[32];
        const char *values; /* values as typed, joined by commas */
        size_t value_count;
    } list[EXECUTION_PARAMETERS_MAX];
    size_t combinations; /* product of the numbers of values; 1 if there are no parameters */
};

struct exec_options {
    struct plan plan; /* must be the first member; its statistics and duration are used */
    bool shell, serve, discard_output, full;
    double timeout_seconds, hook_seconds;
    char setup[1024], prepare[1024], cleanup[1024]; /* "": none */
    /* folder the program runs in; "": the current one */
    char directory[1024];
    char sysroot[512]; /* "": this machine */
    char exit_ok[256]; /* exit codes as typed: "0,2-4", "any" */
    uint32_t duration_column;
    bool wps;
    char work[48]; /* work amounts as typed: "500", "1k,1m" */
    double shortest_seconds;
    char durations_of[256]; /* work amounts as typed: "500,8k"; "": none */
    uint64_t rounds, warmup, failures, overhead_pairs;
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024];       /* value of -o, or "" */
    char unit_readings[512]; /* as typed; "": none */
    struct exec_index indices[EXECUTION_INDICES_MAX], unit_indices[UNIT_INDICES_MAX];
    const char *environment[EXEC_ENVIRONMENT_MAX + 1]; /* points into argv */
    struct launch_options launch;
    bool whole_report; /* --format was given: one line for each rank is not enough */
    struct exec_parameters parameters;
    struct exec_plan exec; /* the plan to run, which points into this struct and into argv */
};

extern const struct option_row exec_option_rows[];

/* Converts the options and the command after -- into a plan. Fails with ERR_USAGE. *o has pointers
   into itself, so it must not be copied. */
int exec_options_read(const struct option_set *set, struct exec_options *o, struct err *e);

#endif
