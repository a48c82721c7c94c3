/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The option rows that every command has which runs a session: run and replay. They fill a struct
 * run_options, with which the struct of every such command begins.
 */
#ifndef CUPEL_CMD_SESSION_OPTIONS_H
#define CUPEL_CMD_SESSION_OPTIONS_H

#include "cmd/command.h"
#include "cmd/run_options.h"

/* The target's name into the plan. ERR_USAGE. */
int session_options_target(const char *target, struct plan *plan, struct err *e);

/* What follows from the options, and what does not go together. ERR_USAGE. */
int session_options_check(const struct option_set *set, struct run_options *o, struct err *e);

/* Run the session, print its result and keep it; the exit status. */
int session_options_run(const struct run_options *o, struct err *e);

/* What such a session would do, for `foresee` of struct command. ERR_USAGE. */
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

#define ENGINE_OPTIONS \
    {.section = "How I/O is issued", \
     .name = "ioengine", \
     .argument = "NAME", \
     .kind = OPTION_TEXT, \
     SESSION_FIELD(plan.engine), \
     .value = "auto", \
     .choices = \
         OPTION_CHOICES({"auto", 0}, {"sync", 0}, {"uring", 0}, {"nvme", 0}, {"nvme-uring", 0}, {"null", 0}), \
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
     .most = MONITOR_RATE_MOST, \
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
