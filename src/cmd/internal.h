/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/cmd share. */
#ifndef CUPEL_CMD_INTERNAL_H
#define CUPEL_CMD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output.h"
#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"
#include "io/io.h"
#include "observe/application.h"
#include "report/path/path.h"
#include "run/plan/plan.h"

/* ---- a column of numbers (column.c) ---- */

/*
 * A column of numbers out of a text file.
 *
 * The file holds one number a line, or a table whose fields are parted by tabs, semicolons, commas
 * or blanks: whichever of these, in this order, its first line holds. Fields may be quoted with
 * "..." as in RFC 4180, but hold no line break. Blank lines and lines that start with # are
 * skipped, CR LF and a UTF-8 byte order mark are accepted.
 *
 * The first line may be a header. A table needs a choice of its column; the first line is then a
 * header when the column was chosen by name, or when the field at the chosen number and all others
 * are no numbers. In a file with one column the first line is a header when it is text that does
 * not begin like a number. Text anywhere else, NaN and infinities are errors, as is an empty field.
 *
 * Owner: column_free. Reading takes 8 to 24 bytes of memory per number and does not go back in the
 * file, so pipes work. One thread at a time.
 */

struct column {
    double *values; /* `count` finite numbers, in the order of the file; at least one */
    size_t count;
    char name[64]; /* from the header, "" without one */
};

/*
 * Read the numbers of `path`; "-" is standard input. `wanted` is a column's number from 1 or its
 * name in the header, or NULL for the only column. ERR_USAGE with file, line and the text at fault,
 * or ERR_MACHINE when memory runs out; the column is then empty and holds no memory.
 */
int column_read(struct column *column, const char *path, const char *wanted, struct err *e);

void column_free(struct column *column);

/* ---- cupel probe ---- */

struct probe_options {
    char format[OUTPUT_FORMAT_MAX];
    bool all;
    double watch_seconds; /* 0: once */
    char sysroot[512];
    char capture[512];
    char pci_ids[512];
    char pci_dump[512];
    bool serials;
    bool no_commands;
};

extern const struct option_row probe_option_rows[];

/* ERR_USAGE: what the rows say, and options that exclude each other. */
int probe_options_read(const struct option_set *set, struct probe_options *o, struct err *e);

/* ---- probe_paths.c: the data paths of the targets of a command line, as reports take them ---- */

struct probe_path; /* the arrays that a view points into */

struct probe_paths {
    struct path_view *views;
    struct probe_path *paths;
    size_t count;
};

/*
 * The path of each operand; nodes of files and remote storage are added to the inventory. With
 * `captured` the root is another machine's and an operand is a name or an absolute path there.
 * ERR_USAGE: there is no such target; ERR_MACHINE: no memory. Owner, also after a failure:
 * probe_paths_free; a struct of zeros is empty.
 */
int probe_paths_find(struct probe_paths *p, const struct sysroot *root, bool captured,
                     struct inventory *v, const struct option_set *set, struct err *e);
void probe_paths_free(struct probe_paths *p);

/* ---- cupel qualify ---- */

#define QUALIFY_SERIALS_MAX 32

struct qualify_options {
    char preset[16];
    double limit_seconds;
    char expect[512];       /* "": none */
    char write_expect[512]; /* "": none */
    bool allow_unwritten;
    char destroy_serials[1024];                   /* as typed; cut at its commas */
    const char *serials[QUALIFY_SERIALS_MAX + 1]; /* of it, ended by NULL */
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024]; /* of -o, or "" */
};

extern const struct option_row qualify_option_rows[];

/* Defaults and options. ERR_USAGE. Points into itself: it must not be copied. */
int qualify_options_read(const struct option_set *set, struct qualify_options *o, struct err *e);

/* ---- cupel record ---- */

struct record_options {
    bool awake;
    struct application_plan plan;
    char trace[1024];
    char device[512];
    char report[1024];
    char format[OUTPUT_FORMAT_MAX];
};

extern const struct option_row record_option_rows[];

/* Options and the command after -- to a plan, which points into `o` and argv. ERR_USAGE. */
int record_options_read(const struct option_set *set, struct record_options *o, struct err *e);

/* ---- cupel run ---- */

/* Most options are the plan itself, the others are turned into it. */

enum rw { RW_READ, RW_WRITE, RW_RANDREAD, RW_RANDWRITE, RW_RW, RW_RANDRW };

struct run_options {
    struct plan plan;
    enum rw rw;
    uint32_t rwmixread;         /* percent */
    uint32_t percentage_random; /* percent */
    int clock_gettime;          /* --clock raw; as wide as a choice */
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024]; /* of -o, or "" */
    char sysroot[512];
};

extern const struct option_row run_option_rows[];

/* Defaults, preset, options and target to a checked plan. ERR_USAGE. */
int run_options_read(const struct option_set *set, struct run_options *o, struct err *e);

/* ---- cupel replay ---- */

/* The options of a session, and how the trace becomes requests. */

struct replay_options {
    struct run_options run; /* first: the shared rows fill it */
    char speed[24];
    bool open, closed;
};

extern const struct option_row replay_option_rows[];

/* Defaults, options, trace and target to a checked plan. ERR_USAGE. */
int replay_options_read(const struct option_set *set, struct replay_options *o, struct err *e);

/* ---- sessions (session_options.c) ---- */

/*
 * The option rows that every command has which runs a session: run and replay. They fill a struct
 * run_options, with which the struct of every such command begins.
 */

/* The target's name into the plan. ERR_USAGE. */
int session_options_target(const char *target, struct plan *plan, struct err *e);

/* The rest of the plan from the options, and whether they go together. ERR_USAGE. */
int session_options_check(const struct option_set *set, struct run_options *o, struct err *e);

/* Run the session, print its result and keep it; the exit status. */
int session_options_run(const struct run_options *o, struct err *e);

/* The effect that such a session would have, for `foresee` of struct command. ERR_USAGE. */
int session_options_foresee(const struct run_options *o, struct command_effect *effect,
                            struct err *e);

#define SESSION_FIELD(member) OPTION_FIELD(struct run_options, member)

/* clang-format off */
#define ON_OFF_AUTO OPTION_CHOICES({"auto", -1}, {"on", 1}, {"off", 0})

#define REGION_OPTIONS \
    {.name = "offset", \
     .argument = "SIZE", \
     .kind = OPTION_SIZE, \
     SESSION_FIELD(plan.offset), \
     .value = "0", \
     .help = "Where in the target the measured region begins."}, \
    {.name = "size", \
     .argument = "SIZE", \
     .kind = OPTION_SIZE, \
     SESSION_FIELD(plan.size), \
     .value_words = "to the end of the target; 1 GiB for a scratch file", \
     .help = "Bytes of the measured region, and of a file that has to be made."}, \
    {.name = "seed", \
     .argument = "N", \
     .kind = OPTION_UNSIGNED, \
     SESSION_FIELD(plan.seed), \
     .value = "1", \
     .help = "The same seed makes the same requests."}

#define SPIN_OPTION \
    {.name = "spin", \
     .argument = "WHEN", \
     .kind = OPTION_CHOICE, \
     SESSION_FIELD(plan.spin), \
     .value = "auto", \
     .choices = OPTION_CHOICES({"auto", SPIN_AUTO}, {"always", SPIN_ALWAYS}, {"never", SPIN_NEVER}), \
     .help = "How a worker waits for the next instant: auto sleeps until shortly before it and " \
             "spins the rest, always spins all the time, never only sleeps, which is late."}

#define ENGINE_CHOICE(ops, name) , {name, 0}
#define ENGINE_OPTIONS \
    {.section = "How I/O is issued", \
     .name = "ioengine", \
     .argument = "NAME", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(plan.engine), \
     .value = "auto", \
     .choices = \
         OPTION_CHOICES({"auto", 0} IO_BACKEND_ROWS(ENGINE_CHOICE)), \
     .help = "sync has one I/O at a time (pread, pwrite); uring is io_uring; nvme and nvme-uring " \
             "send NVMe commands past the block layer, one at a time and many; null issues none, " \
             "which measures cupel itself; auto takes the best that works and says which."}, \
    {.name = "direct", \
     .argument = "0|1", \
     .kind = OPTION_SWITCH, \
     SESSION_FIELD(plan.direct), \
     .value = "1", \
     .help = "Go past the page cache (O_DIRECT)."}, \
    {.name = "sqpoll", \
     .argument = "WHEN", \
     .kind = OPTION_CHOICE, \
     SESSION_FIELD(plan.sqpoll), \
     .value = "auto", \
     .choices = ON_OFF_AUTO, \
     .help = "io_uring: a kernel thread takes requests without a system call, on a CPU of its own " \
             "beside each worker's; auto is off."}, \
    {.name = "iopoll", \
     .argument = "WHEN", \
     .kind = OPTION_CHOICE, \
     SESSION_FIELD(plan.iopoll), \
     .value = "auto", \
     .choices = ON_OFF_AUTO, \
     .help = \
         "io_uring: ask the device for completions instead of waiting for interrupts; auto does " \
         "so where the device has poll queues."}, \
    {.name = "null-script", \
     .argument = "SCRIPT", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(plan.script), \
     .value_words = "no delays", \
     .help = "Delays that the null engine plays, to test the statistics with: parts that add up " \
             "(const:T, uniform:T,T, normal:T,T, lognormal:T,S, exp:T, ar1:T,T,PHI, bimodal:T,T,P, " \
             "spike:T,P, ramp:T,T, fail:P, short:P), joined by +; phases of them, each after its " \
             "duration and @, joined by a semicolon. So 0.5s@const:200us; const:90us+exp:10us is a " \
             "warm-up and a steady state."}

#define SAFETY_OPTIONS \
    {.section = "Safety", \
     .name = "destroy", \
     .kind = OPTION_FLAG, \
     SESSION_FIELD(plan.destroy), \
     .help = \
         "Permit writing to a block device, which destroys what it holds. It is refused all the " \
         "same while the device is in use."}, \
    {.name = "destroy-serial", \
     .argument = "SERIAL", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(plan.destroy_serial), \
     .value_words = "nobody asks which disk it is", \
     .help = \
         "The same as --destroy, with proof: the device that was opened must be the disk with " \
         "this serial number, or a partition of it, and no other disk may have the same."}, \
    {.name = "overwrite", \
     .kind = OPTION_FLAG, \
     SESSION_FIELD(plan.overwrite), \
     .help = "Permit writing to a regular file that cupel did not make."}, \
    {.name = "allow-unwritten", \
     .kind = OPTION_FLAG, \
     SESSION_FIELD(plan.allow_unwritten), \
     .help = "Measure a target all the same when it has holes or blocks that were never written; " \
             "the report says so."}

#define MACHINE_OPTIONS \
    {.section = "The machine", \
     .name = "cpus", \
     .argument = "LIST", \
     .kind = OPTION_PROCESSORS, \
     SESSION_FIELD(plan.cpus), \
     .value_words = "those this process may use", \
     .help = "Processors for the jobs, which are pinned to them in turn: 0-3,8."}, \
    {.name = "realtime", \
     .argument = "0|1", \
     .kind = OPTION_SWITCH, \
     SESSION_FIELD(plan.realtime), \
     .value = "1", \
     .help = "Ask for real-time priority; the report says when it was not permitted."}, \
    {.name = "clock", \
     .argument = "NAME", \
     .kind = OPTION_CHOICE, \
     SESSION_FIELD(clock_gettime), \
     .value = "auto", \
     .choices = OPTION_CHOICES({"auto", 0}, {"raw", 1}), \
     .help = "Time by the processor's cycle counter where it can be trusted (auto), or by " \
             "clock_gettime (raw)."}

#define WATCH_OPTIONS \
    {.name = "monitor-cost", \
     .argument = "SHARE", \
     .kind = OPTION_SHARE, \
     SESSION_FIELD(plan.monitor_cost), \
     .least = 0, \
     .most = 0.5, \
     .value = "1%", \
     .help = \
         "Watch the data path, the processors and sensors while measuring, as often as costs at " \
         "most this share; the rate is found in rounds of its own, where 5 % of --limit is enough " \
         "for " \
         "them. 0 watches nothing."}, \
    {.name = "monitor-rate", \
     .argument = "N", \
     .kind = OPTION_UNSIGNED, \
     SESSION_FIELD(plan.monitor_rate), \
     .least = 1, \
     .most = MONITOR_RATE_MAX, \
     .value_words = "found by what it costs", \
     .help = "Watch that many times a second, whatever it costs."}, \
    {.name = "sysroot", \
     .argument = "DIR|FILE", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(sysroot), \
     .value_words = "this machine", \
     .help = "Read /sys and /proc below DIR, or out of a capture (cupel probe --capture)."}

#define REPEAT_OPTIONS \
    {.section = "Several sessions, for a claim about the machine", \
     .name = "repeat", \
     .argument = "K", \
     .kind = OPTION_UNSIGNED, \
     SESSION_FIELD(plan.repeat.sessions), \
     .least = 2, \
     .most = PLAN_SESSIONS_MAX, \
     .value_words = "one session", \
     .help = "Run K independent sessions and make one interval over them, with what lies between " \
             "sessions and within them. The interval of one session is of that stretch of time: " \
             "levels of real devices wander from one session to the next. 5 or more are best. " \
             "--limit is then for all of them together, if it is given."}, \
    {.name = "every", \
     .argument = "TIME", \
     .kind = OPTION_TIME, \
     SESSION_FIELD(plan.repeat.every_seconds), \
     .least = 0, \
     .most = 30 * 86400, \
     .value = "0", \
     .help = "Time from the start of a session of --repeat to the start of the next; one that takes " \
             "longer is followed at once. 0: one after the other, which share the weather of " \
             "that one stretch of time."}

#define SETTINGS_OPTIONS \
    {.section = "Settings changed for the time of the run, then restored", \
     .name = "governor", \
     .argument = "NAME", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(plan.governor), \
     .value_words = "left alone", \
     .help = "Frequency governor of all processors, such as performance."}, \
    {.name = "scheduler", \
     .argument = "NAME", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(plan.scheduler), \
     .value_words = "left alone", \
     .help = \
         "I/O scheduler of the disks that the target lies on, or of the loop device that it is: " \
         "none."}, \
    {.name = "cpu-idle", \
     .argument = "off", \
     .kind = OPTION_CHOICE, \
     SESSION_FIELD(plan.cpu_idle_off), \
     .value = "on", \
     .choices = OPTION_CHOICES({"on", 0}, {"off", 1}), \
     .help = "off keeps all processors from sleeping, which costs wake-up time."}

#define FOLDER_OPTION \
    {.name = "output", \
     .letter = 'o', \
     .argument = "DIR", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(folder), \
     .value_words = "nothing is kept", \
     .help = "Keep the whole result in DIR, which is made and must not exist."}

/* clang-format on */

#endif
