/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/cmd. */
#ifndef CUPEL_CMD_INTERNAL_H
#define CUPEL_CMD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "cmd/column/column.h"
#include "cmd/monitoring/violation.h"
#include "cmd/monitoring/written_logs.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output.h"
#include "facts/analysis.h"
#include "facts/clause.h"
#include "facts/comparison.h"
#include "facts/inventory.h"
#include "facts/result.h"
#include "hw/remote/remote_end.h"
#include "hw/sysroot/sysroot.h"
#include "io/io.h"
#include "many/compare/compare.h"
#include "many/sweep/plan.h"
#include "program/exec/exec.h"
#include "program/observe/recorder.h"
#include "report/path/path.h"
#include "run/launch/common_start.h"
#include "run/plan/plan.h"
#include "stat/estimate/estimate.h"
#include "stat/judge.h"

/* What a command does with a trace, for messages: "cupel replay", the path, " TARGET" and "issues
   its requests again". */
struct trace_use {
    const char *command, *rest, *words;
};

extern const struct trace_use replay_use, merge_use;

/* ---- restore.c: settings that killed sessions left changed ---- */

/* Prints one line on standard error when a session was killed together with its keeper, and left
   settings of this machine changed. It only looks into /run/cupel, which rarely exists. */
void restore_say_left(void);

/* ---- cupel probe ---- */

struct probe_options {
    char format[OUTPUT_FORMAT_MAX];
    bool all;
    double watch_seconds; /* interval; 0: look once */
    char sysroot[512];
    char capture[512];
    char pci_ids[512];
    char pci_dump[512];
    bool serials;
    bool no_commands;
    char remote[512], remote_target[256]; /* "": none */
};

extern const struct option_row probe_option_rows[];

/* ERR_USAGE: an option is wrong, or options exclude each other. */
int probe_options_read(const struct option_set *set, struct probe_options *o, struct err *e);

/* ---- sensor_history.c: sensors over the looks of probe --watch, and their slow shifts ---- */

struct sensor_history;

/* Makes a history for looks at this interval. Owner: sensor_history_free, also for NULL. */
int sensor_history_make(struct sensor_history **history, double seconds, struct err *e);
void sensor_history_free(struct sensor_history *h);

/* Adds the readings of one look. */
void sensor_history_add(struct sensor_history *h, const struct inventory *v);

/* Writes a line for each sensor that shifts: into a page, or on standard error, once for each. */
void sensor_history_lines(const struct sensor_history *h, struct text *out);
void sensor_history_notices(struct sensor_history *h);

/* ---- probe_paths.c: data paths of the targets of a command line, in the form of reports ---- */

struct probe_path; /* the arrays that a view points into */

struct probe_paths {
    struct path_view *views;
    struct probe_path *paths;
    size_t count;
};

/*
 * The path of each operand; nodes of files and remote storage are added to the inventory. With
 * `captured` the root is another machine's and an operand is a name or an absolute path there.
 * `remote` continues the paths that leave the machine; one of them has to.
 * ERR_USAGE: there is no such target; ERR_MACHINE: no memory. Owner, also after a failure:
 * probe_paths_free; a struct of zeros is empty.
 */
int probe_paths_find(struct probe_paths *p, const struct sysroot *root, bool captured,
                     const struct remote_end *remote, struct inventory *v,
                     const struct option_set *set, struct err *e);
void probe_paths_free(struct probe_paths *p);

/* ---- cupel merge --follow (merge_follow.c) ---- */

struct merge;
struct merge_plan;

struct follow_options {
    bool follow;
    double for_seconds;   /* 0: until all records have ended */
    double stale_seconds; /* a record that has not grown for this long is silent */
    char metrics[1024];   /* file written at every interval; or "" */
    char on_violation[VIOLATION_COMMAND_MAX];
};

/*
 * Show the system of records that grow, and run the command of clauses that fail, until they end, a
 * signal comes or the time is over: a screen or a line an interval. Then *m, which the caller
 * frees, holds all of them. ERR_USAGE, ERR_UNDECIDED: no reading has come; ERR_MACHINE.
 */
int merge_follow(struct merge **m, const struct merge_plan *plan, const struct follow_options *o,
                 const char *format, struct violations *violations, struct err *e);

/* ---- cupel qualify ---- */

struct qualify_options {
    char preset[16];
    double limit_seconds;
    char fleet[1024];       /* the folder of --fleet, when nothing is measured; or "" */
    char expect[512];       /* "": none */
    char sla[256];          /* "": none */
    char write_expect[512]; /* "": none */
    bool together;
    bool allow_unwritten;
    struct serial_list serials;
    char format[OUTPUT_FORMAT_MAX];
    bool full;
    char folder[1024]; /* value of -o, or "" */
    bool live;         /* a full screen instead of the progress line */
    struct labels labels;
    bool certificate;
};

extern const struct option_row qualify_option_rows[];

/* Stores defaults and options. ERR_USAGE. *o points into itself: it must not be copied. */
int qualify_options_read(const struct option_set *set, struct qualify_options *o, struct err *e);

/* ---- cupel accept (accept.c) ---- */

/* Prints the result for the state in `folder`, and with `keeps` writes its files there. The exit
   status as an error: ERR_TARGET and so on for a drive that is not accepted. */
int acceptance_output(const char *folder, const char *format, bool full, bool keeps, struct err *e);

/* ---- cupel record ---- */

struct record_options {
    bool awake;
    struct recording_plan plan;
    char trace[1024];
    char processes[512];
    char cgroup[1024];
    char device[512];
    char report[1024];
    char format[OUTPUT_FORMAT_MAX];
    bool full;
};

extern const struct option_row record_option_rows[];

/* Turns options and the command after -- into a plan, which points into `o` and argv. ERR_USAGE. */
int record_options_read(const struct option_set *set, struct record_options *o, struct err *e);

/* ---- cupel run ---- */

/* Most options are fields of the plan; the others are converted into such fields. */

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

struct run_options {
    struct plan plan; /* first */
    enum rw rw;
    uint32_t rwmixread;         /* percent */
    uint32_t percentage_random; /* percent */
    char format[OUTPUT_FORMAT_MAX];
    bool full;
    char folder[1024];                        /* value of -o for this rank; or "" */
    char metrics[1024];                       /* "": none */
    char on_violation[VIOLATION_COMMAND_MAX]; /* "": none */
    char sysroot[512];
    char start_at[64];             /* as typed; "": none */
    char start_together[1024];     /* "": none */
    double start_timeout;          /* seconds */
    struct common_start start;     /* made from these and the launcher's variables */
    struct written_before *before; /* for sections of a job file; NULL: the session stands alone */
    bool rank_has_folder;          /* the folder of this rank, made from a template; its parent
                                      folder is created */
    struct written_logs logs;      /* the logs of --write */
    char net[256];                 /* far end of the network that is measured; or "" */
    bool dry_run, lenient;         /* for fio's job files */
    bool certificate;
    bool live;         /* a full screen instead of the progress line */
    bool whole_report; /* --format was given: one line for each rank is not enough */
};

extern const struct option_row run_option_rows[];

/* Turns defaults, preset, options and target into a checked plan. ERR_USAGE. */
int run_options_read(const struct option_set *set, struct run_options *o, struct err *e);

/* ---- several targets at the same time (run_targets.c) ---- */

/* Runs the plan of `o` on each target, or replays on each its part of the trace
   (plan.trace_devices; else NULL); returns the exit status. ERR_USAGE: an option is for a single
   target. */
int run_targets(const struct run_options *o, const char *const targets[], const char *const parts[],
                size_t count, struct err *e);

/* Runs several checked plans with their names: sections of a job file. Sections that only read may
   share one target. The first one's options decide what is printed and kept. */
int run_sections(const struct run_options o[], const char *const names[], size_t count,
                 struct err *e);

/* ERR_USAGE: an option is for a single target. */
int run_targets_check(const struct run_options *o, size_t count, struct err *e);

/* Prints the result in the folder of -o again. */
int run_targets_report(const char *folder, const struct output_form *form, struct err *e);

/* ---- cupel replay ---- */

/* The options of a session, and how requests are made from the trace. */

struct replay_options {
    struct run_options run; /* must be first: the shared rows fill it */
    char speed[24];
    bool open, closed;
    bool shares_out; /* divides the devices of the trace among targets (run/replay/replay_devices.h)
                      */
};

extern const struct option_row replay_option_rows[];

/* Turns defaults, options, trace and target into a checked plan. ERR_USAGE. */
int replay_options_read(const struct option_set *set, struct replay_options *o, struct err *e);

/* ---- cupel exec ---- */

#define EXEC_ENVIRONMENT_MAX 256

/* --parameter NAME=VALUE,VALUE...: a session for each combination of values. */
struct exec_parameters {
    size_t count;
    struct {
        char name[32];
        const char *values; /* as typed, joined by commas */
        size_t value_count;
    } list[EXECUTION_PARAMETERS_MAX];
    size_t combinations; /* 1 without parameters */
};

struct exec_options {
    struct plan plan; /* must be first; for its statistics and duration */
    bool shell, serve, discard_output;
    double timeout_seconds, hook_seconds;
    char setup[1024], prepare[1024], cleanup[1024]; /* "": none */
    char directory[1024];                           /* "": this one */
    char sysroot[512];                              /* "": this machine */
    char exit_ok[256];                              /* as typed: "0,2-4", "any" */
    uint32_t duration_column;
    bool wps;
    char work[48]; /* as typed: "500", "1k,1m" */
    double shortest_seconds;
    uint64_t rounds, warmup, failures, overhead_pairs;
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024];       /* value of -o, or "" */
    char unit_readings[512]; /* as typed; "": none */
    struct exec_index indices[EXECUTION_INDICES_MAX], unit_indices[UNIT_INDICES_MAX];
    const char *environment[EXEC_ENVIRONMENT_MAX + 1]; /* points into argv */
    struct exec_parameters parameters;
    struct exec_plan exec; /* the plan to run; points into this struct and argv */
};

extern const struct option_row exec_option_rows[];

/* Turns options and the command after -- into a plan. ERR_USAGE. *o points into itself: it must not
   be copied. */
int exec_options_read(const struct option_set *set, struct exec_options *o, struct err *e);

/* exec_parameters.c: reads all parameters; and the values of one combination. ERR_USAGE. */
int exec_parameters_read(const struct option_set *set, struct exec_parameters *to, struct err *e);
void exec_parameters_pick(const struct exec_parameters *from, size_t combination,
                          struct execution_parameter to[EXECUTION_PARAMETERS_MAX]);

/* Reads variables for the program, "NAME=VALUE"; and exit codes, "0,2-4" or "any". ERR_USAGE. */
int exec_environment_read(const struct option_set *set, struct exec_options *o, struct err *e);
int exec_exit_codes_parse(const char *text, bool ok[256], struct err *e);

/* exec_output.c: runs the plan, prints the result and keeps it; returns the exit status. */
int exec_options_run(const struct exec_options *o, struct err *e);

/* Prints a result in a format and, with a folder, writes its files. ERR_MACHINE, ERR_TARGET. */
int execution_output(const struct execution *x, const char *format, const char *folder,
                     struct err *e);

/* Returns exit status 0 for a precise result, else -1 with the reason why it is not precise. */
int execution_status(const struct execution *x, struct err *e);

/* ---- cupel compare ---- */

struct compare_options {
    struct plan plan; /* must be first; for its confidence, change points, limit and seed */
    char metric[64];
    char column[64];
    bool lower_is_better;
    bool once, paired, independent, correlate;
    double margin;
    char expect[120];
    double round_seconds; /* 0: chosen during the set-up */
    double target_width;  /* 0: any width */
    bool fixed_order;
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024];
};

/* compare_plans.c: does an alternative begin with a command that makes rounds, and contain
   blanks? */
bool compare_plan_is(const char *text);
/* ERR_USAGE: repeated rounds would trim space that is already free, since a file of cupel's own is
   filled only once. */
int compare_plan_check_trims(const struct plan *p, struct err *e);
/* Reads the plans among the alternatives, runs their rounds and judges. ERR_USAGE. */
int compare_plans_run(struct comparison *c, struct compare_alternative alternatives[], size_t count,
                      const struct compare_config *config, const struct compare_options *o,
                      struct err *e);

/* ---- cupel sweep (sweep_plan.c: makes a session's plan from a sweep's plan) ---- */

/* What the command line permits to destroy; the file of a plan permits nothing. */
struct sweep_permission {
    bool destroy, overwrite, allow_unseen;
    char destroy_serial[128]; /* "": none */
};

/* ERR_USAGE: the options exclude each other once the configuration's levels are set. */
int sweep_plan_session(const struct sweep_plan *plan, const struct sweep_configuration *c,
                       const struct sweep_permission *permission, struct run_options *to,
                       struct err *e);

/* ---- sessions (session_options.c) ---- */

/*
 * The option rows that every command has which runs a session: run and replay. They fill a struct
 * run_options, with which the struct of every such command begins.
 */

/* The rules between these options and those of the plan. */
extern const struct option_rule session_rules[];

/* The target's name into the plan. ERR_USAGE. */
int session_options_target(const char *target, struct plan *plan, struct err *e);

/* Completes the plan from the options, and checks that they do not exclude each other.
   ERR_USAGE. */
int session_options_check(const struct option_set *set, struct run_options *o, struct err *e);

/* Runs the session, prints its result and keeps it; returns the exit status. */
int session_options_run(const struct run_options *o, struct err *e);

/* States the effect of such a session, for `foresee` of struct command. ERR_USAGE. */
int session_options_foresee(const struct run_options *o, struct command_effect *effect,
                            struct err *e);

#define SESSION_FIELD(member) OPTION_FIELD(struct run_options, member)

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

/* Words in the help of every -o. */
#define RANK_NAME_WORDS \
    "In it %h is the host, %r the rank, %n how many ranks there are, %p the process, %% a percent " \
    "sign; the folder above such a name is made as well."

#define LAUNCH_OPTIONS \
    {.section = "One of many hosts (srun, mpirun, clush, pdsh, Ansible)", \
     .name = "start-at", \
     .argument = "TIME", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(start_at), \
     .value_words = "at once", \
     .help = "Prepare, and begin the first measured round at this instant of the wall clock: " \
             "2026-11-24T08:00:00Z (or another offset), @SECONDS since 1970, or next:30s, the next " \
             "multiple of 30 s since 1970 that is 5 s away or more."}, \
    {.name = "start-together", \
     .argument = "DIR", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(start_together), \
     .value_words = "at once", \
     .help = "Prepare, and begin with all other ranks, which agree on an instant by files in DIR, " \
             "a folder that all hosts share. A rank that is late begins at once, and says so."}, \
    {.name = "start-timeout", \
     .argument = "TIME", \
     .kind = OPTION_TIME, \
     SESSION_FIELD(start_timeout), \
     .min = 1, \
     .max = 86400, \
     .value = "30s", \
     .help = "How long ranks that are ready wait for others (--start-together)."}

/* clang-format on */

/* ---- one of many ranks (launch_options.c) ---- */

/* Handles the launcher's variables, a seed for each rank, the common start, and templates in -o and
   TARGET. ERR_USAGE; ERR_UNSAFE: a template names something that would be destroyed. */
int launch_options_check(const struct option_set *set, struct run_options *o, struct err *e);

/* Handles -o alone, for a command without the rest: the name for this rank, and its parent folder,
   which is created. ERR_USAGE. */
int launch_output_name(char *name, size_t size, struct err *e);

/* Creates the folders above -o and of --start-together, before anything is opened. ERR_USAGE. */
int launch_options_prepare(const struct run_options *o, struct err *e);

/* Puts the rank and the host before a message when there are several ranks. Always returns -1. */
int launch_error(const struct run_options *o, struct err *e);

/* Prints the result as one line, since many ranks share one standard output. ERR_MACHINE. */
int launch_print_line(const struct result *result, const struct run_options *o, struct err *e);

#endif
