/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of a session, for every command that runs one: `cupel run` and `cupel replay`. Their
 * rows fill a struct run_options, which is the first member of each command's struct.
 */
#ifndef CUPEL_CMD_RUN_SESSION_OPTIONS_H
#define CUPEL_CMD_RUN_SESSION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cmd/monitoring/violation_command.h"
#include "cmd/monitoring/written_logs.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "run/launch/rank_common_start.h"
#include "run/plan/plan.h"

/* Most options are fields of the plan; the others are converted to fields of the plan. */

enum rw {
    RW_READ,
    RW_WRITE,
    RW_RANDREAD,
    RW_RANDWRITE,
    RW_RW,
    RW_RANDRW,
    RW_TRIM,
    RW_RANDTRIM,
    RW_TRIMWRITE,
    RW_RANDTRIMWRITE
};

/* The options of one rank among several (launch_options.h). */
struct launch_options {
    char start_at[64];         /* as typed; "": none */
    char start_together[1024]; /* "": none */
    double start_timeout;      /* seconds */
    struct common_start start; /* made from the three options above and the launcher's variables */
    bool rank_has_folder; /* the folder of this rank, made from a template; its parent folder is
                             created */
};

struct run_options {
    struct plan plan; /* must be the first member */
    enum rw rw;
    uint32_t rwmixread;         /* percent */
    uint32_t percentage_random; /* percent */
    char format[OUTPUT_FORMAT_MAX];
    bool full;
    char folder[1024];                        /* value of -o, expanded for this rank, or "" */
    char metrics[1024];                       /* "": none */
    char on_violation[VIOLATION_COMMAND_MAX]; /* "": none */
    char sysroot[512];
    struct launch_options launch;
    /* what earlier sections of a job file wrote; NULL: no job file */
    struct written_before *before;
    struct written_logs logs; /* values of --write */
    char net[256];            /* the host of --net, which is the target, or "" */
    bool memory, processors;  /* measured instead of a target */
    bool dry_run, lenient;    /* used only for fio's job files */
    /* names of the sections of a fio job file to run; "": all */
    char section[256];
    bool certificate;
    bool no_history;
    bool live;         /* show a full screen instead of the progress line */
    bool whole_report; /* --format was given: each rank prints more than one line */
};

extern const struct option_row run_option_rows[];

/* Converts defaults, preset, options and target into a checked plan. Fails with ERR_USAGE. */
int run_options_read(const struct option_set *set, struct run_options *o, struct err *e);

/* The options of cupel replay: those of a session, and how requests are made from the trace. */

struct replay_options {
    struct run_options run; /* must be the first member: the rows of a session fill it */
    char speed[24];
    bool open, closed;
    /* the trace's devices are divided among targets (run/replay/replay_devices.h) */
    bool shares_out;
};

extern const struct option_row replay_option_rows[];

/* Converts defaults, options, trace and target into a checked plan. Fails with ERR_USAGE. */
int replay_options_read(const struct option_set *set, struct replay_options *o, struct err *e);

/*
 * The functions and option rows that `cupel run` and `cupel replay` share. The rows fill a struct
 * run_options, which is the first member of each command's struct.
 */

/* Rules between these options, and between them and those of the plan. */
extern const struct option_rule session_rules[];

/* Sets the plan's target. Fails with ERR_USAGE. */
int session_options_target(const char *target, struct plan *plan, struct err *e);

/* Completes the plan from the options, and checks that no options exclude each other. Fails with
   ERR_USAGE. */
int session_options_check(const struct option_set *set, struct run_options *o, struct err *e);

/* Runs the session, prints its result and keeps it. Returns the exit status. */
int session_options_run(const struct run_options *o, struct err *e);

/* Sets *is_writing to true if the session may write its target. A replay does so if writes are
   allowed, a profile if one of its streams writes. Fails with ERR_USAGE. */
int session_options_writes(const struct run_options *o, bool *is_writing, struct err *e);

/* Fills in the effect of the session, for `foresee` of struct command. Fails with ERR_USAGE. */
int session_options_foresee(const struct run_options *o, struct command_effect *effect,
                            struct err *e);

#define SESSION_FIELD(member)        OPTION_FIELD(struct run_options, member)
#define SESSION_LAUNCH_FIELD(member) OPTION_FIELD(struct run_options, launch.member)

/* clang-format off */
#define SYSROOT_OPTION \
    {.name = "sysroot", \
     .argument = "DIR|FILE", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(sysroot), \
     .value_words = "this machine", \
     .help = "Read /sys and /proc below DIR, or out of a capture (cupel probe --capture)."}

#define FOLDER_OPTION \
    {.name = "output", \
     .letter = 'o', \
     .argument = "DIR", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(folder), \
     .value_words = "nothing is kept", \
     .help = "Keep the whole result in DIR, which is made and must not exist. " RANK_NAME_WORDS}

#define LIVE_OPTION(place) \
    {.name = "live", \
     .kind = OPTION_FLAG, \
     place, \
     .help = "Show throughput, percentiles, queue, path and clauses on a full screen while it " \
             "goes on. Needs a terminal on standard error."}

#define METRICS_OPTION(place) \
    {.name = "metrics", \
     .argument = "FILE", \
     .kind = OPTION_TEXT, \
     place, \
     .value_words = "none", \
     .help = "Write counters, histograms and the result into FILE as well, in Prometheus' text " \
             "format; it is replaced as a whole, as node_exporter's textfile collector needs it. " \
             "Any other file of that name is refused."}

#define ON_VIOLATION_OPTION(place, when) \
    {.name = "on-violation", \
     .argument = "CMD", \
     .kind = OPTION_TEXT, \
     place, \
     .value_words = "none", \
     .help = "Run CMD by the shell for each clause of --sla that fails, " when ", with CUPEL_CLAUSE, " \
             "CUPEL_VALUE, CUPEL_LIMIT, CUPEL_VERDICT and CUPEL_TIME in its environment; for 30 s " \
             "at most."}

/* Words in the help of each option -o. */
#define RANK_NAME_WORDS \
    "In it %h is the host, %r the rank, %n how many ranks there are, %p the process, %% a percent " \
    "sign; the folder above such a name is made as well."

/* `FIELD(member)` is the place of a member of struct launch_options. */
#define LAUNCH_OPTIONS(FIELD) \
    {.section = "One of many hosts (srun, mpirun, clush, pdsh, Ansible)", \
     .name = "start-at", \
     .argument = "TIME", \
     .kind = OPTION_TEXT, \
     FIELD(start_at), \
     .value_words = "at once", \
     .help = "Prepare, and begin the first measured round at this instant of the wall clock: " \
             "2026-11-24T08:00:00Z (or another offset), @SECONDS since 1970, or next:30s, the next " \
             "multiple of 30 s since 1970 that is 5 s away or more."}, \
    {.name = "start-together", \
     .argument = "DIR", \
     .kind = OPTION_TEXT, \
     FIELD(start_together), \
     .value_words = "at once", \
     .help = "Prepare, and begin with all other ranks, which agree on an instant by files in DIR, " \
             "a folder that all hosts share. A rank that is late begins at once, and says so."}, \
    {.name = "start-timeout", \
     .argument = "TIME", \
     .kind = OPTION_TIME, \
     FIELD(start_timeout), \
     .min = 1, \
     .max = 86400, \
     .value = "30s", \
     .help = "How long ranks that are ready wait for others (--start-together)."}

/* clang-format on */

#endif
