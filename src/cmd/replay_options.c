/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option rows of `cupel replay`, and from them to the plan. */
#include "cmd/internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "cmd/options/statistics_options.h"

#define REPLAY(member) OPTION_FIELD(struct replay_options, member)

static_assert(offsetof(struct replay_options, run) == 0, "shared rows fill the struct's begin");

/* A replay goes on to the trace's end. */
#define LIMIT_MAX (30 * 86400.0)
#define SPEED_MAX 1e6

const struct option_row replay_option_rows[] = {
    {.section = "The trace",
     .name = "speed",
     .argument = "FACTOR",
     .kind = OPTION_TEXT,
     REPLAY(speed),
     .value = "1x",
     .help = "2x is twice as fast as the trace, .5 half as fast; asap issues every request as soon "
             "as there is room for it (--iodepth)."},
    {.name = "open",
     .kind = OPTION_FLAG,
     REPLAY(open),
     .help = "Keep the trace's times, whatever the target does: the default. Response times begin "
             "when a request is due."},
    {.name = "closed",
     .kind = OPTION_FLAG,
     REPLAY(closed),
     .help = "Keep dependencies: a request follows the completion of what its process had waited "
             "for, after the think time of the trace; what overlapped overlaps. A faster target "
             "is done sooner."},
    {.name = "map",
     .argument = "HOW",
     .kind = OPTION_CHOICE,
     REPLAY(run.plan.mapping),
     .value = "wrap",
     .choices = OPTION_CHOICES({"wrap", MAP_WRAP}, {"fold", MAP_FOLD}, {"scale", MAP_SCALE},
                               {"none", MAP_NONE}),
     .help = "Where the trace's addresses go: wrap takes those beyond the target modulo its size, "
             "each device of the trace in a share of its own; fold lays the devices one behind the "
             "other and takes the whole modulo the target's size; scale shrinks or stretches "
             "distances to the target's size; none leaves out what does not fit."},
    {.name = "extent",
     .argument = "SIZE",
     .kind = OPTION_SIZE,
     REPLAY(run.plan.extent),
     .value_words = "as the trace tells, or how far its events reach",
     .help = "Bytes of each device of the trace, for --map."},
    {.name = "allow-writes",
     .kind = OPTION_FLAG,
     REPLAY(run.plan.allow_writes),
     .help = "Issue writes and flushes as such, which changes the target: --destroy, "
             "--destroy-serial or --overwrite is needed as well. Without it writes are issued as "
             "reads."},
    {.name = "level",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     REPLAY(run.plan.level),
     .choices = OPTION_CHOICES({"block", 0}, {"syscall", 0}),
     .value_words = "what the trace holds, and block where it holds both",
     .help = "Of a trace of cupel record: requests to devices or system calls."},
    {.name = "all-programs",
     .kind = OPTION_FLAG,
     REPLAY(run.plan.all_programs),
     .help = "Of a trace of cupel record -- CMD: also the requests to devices that processes other "
             "than the program's handed in, as the kernel does with what it wrote into the page "
             "cache. Without it they are left out and counted."},
    {.name = "trace-format",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     REPLAY(run.plan.trace_format),
     .value_words = "by content",
     .help = "The format of the trace, where its content does not tell."},
    {.name = "strict",
     .kind = OPTION_FLAG,
     REPLAY(run.plan.strict),
     .help = "End at the first event that cannot be read. Without it such events are left out and "
             "counted. A file is looked at whole before anything is issued."},

    {.section = "Workload",
     .name = "iodepth",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     REPLAY(run.plan.iodepth),
     .least = 1,
     .most = IO_DEPTH_MAX,
     .value = "256",
     .help = "The most I/Os in flight per job; 1 with --ioengine sync and nvme."},
    {.name = "numjobs",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     REPLAY(run.plan.jobs),
     .least = 1,
     .most = PLAN_JOBS_MAX,
     .value = "1",
     .help = "Threads that share the requests out among them, in turn or by process (--closed)."},
    REGION_OPTIONS,
    SPIN_OPTION,

    ENGINE_OPTIONS,

    SAFETY_OPTIONS,

    REPEAT_OPTIONS,

    MACHINE_OPTIONS,
    {.name = "limit",
     .argument = "TIME",
     .kind = OPTION_TIME,
     REPLAY(run.plan.limit_seconds),
     .least = 0.1,
     .most = LIMIT_MAX,
     .value_words = "none: to the end of the trace",
     .help = "Longest time for the whole session; reached before the trace's end, the exit status "
             "is 5 and the result holds what was reached."},
    WATCH_OPTIONS,

    SETTINGS_OPTIONS,

    OUTPUT_FORMAT_OPTION(struct run_options),
    FOLDER_OPTION,
    {0},
};

/* "2x", ".5", "asap" */
static int set_speed(const char *text, struct plan *plan, struct err *e)
{
    size_t length = strlen(text);
    plan->speed = 0;
    if (!strcmp(text, "asap"))
        return 0;
    length -= length > 1 && text[length - 1] == 'x';
    if (number_parse(text, length, &plan->speed) == NUMBER_OK && plan->speed >= 1 / SPEED_MAX &&
        plan->speed <= SPEED_MAX)
        return 0;
    return err_set(e, ERR_USAGE, "--speed %s: it must be a factor above 0, as in 2x or .5, or asap",
                   text);
}

static int set_trace(const char *trace, struct plan *plan, struct err *e)
{
    if (!*trace)
        return err_set(e, ERR_USAGE, "the trace's name is empty");
    if (strlen(trace) >= sizeof plan->trace)
        return err_set(e, ERR_USAGE, "%.40s...: the trace's name is longer than %zu characters",
                       trace, sizeof plan->trace - 1);
    snprintf(plan->trace, sizeof plan->trace, "%s", trace);
    return 0;
}

/* What a replay is done to has to be said: the default of run, a file in this folder, is none. */
static int set_target(const struct option_set *set, struct plan *plan, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(plan->engine);
    if (set->operand_count > 1)
        return session_options_target(set->operands[1], plan, e);
    return ops && !ops->needs_target
               ? 0
               : err_set(e, ERR_USAGE,
                         "TARGET is missing; usage: cupel replay TRACE TARGET [options]");
}

static int check_together(const struct replay_options *o, struct err *e)
{
    const struct plan *plan = &o->run.plan;
    if (o->open && o->closed)
        return err_set(e, ERR_USAGE, "--open keeps times, --closed dependencies: one of them");
    const char *permits = plan->destroy             ? "destroy"
                          : plan->destroy_serial[0] ? "destroy-serial"
                          : plan->overwrite         ? "overwrite"
                                                    : NULL;
    if (permits && !plan->allow_writes)
        return err_set(e, ERR_USAGE,
                       "--%s permits writing, and without --allow-writes a replay only reads: "
                       "leave one out or give both",
                       permits);
    return 0;
}

int replay_options_read(const struct option_set *set, struct replay_options *o, struct err *e)
{
    *o = (struct replay_options){0};
    struct plan *plan = &o->run.plan;
    if (statistics_store(set, o, plan, e) || set_speed(o->speed, plan, e) ||
        set_trace(set->operands[0], plan, e) || set_target(set, plan, e) || check_together(o, e))
        return -1;
    plan->keep_order = o->closed;
    const struct io_ops *ops = io_backend_by_name(plan->engine);
    if (ops && ops->serial && !options_given(set, "iodepth"))
        plan->iodepth = 1;
    if (!options_given(set, "limit"))
        plan->limit_seconds = LIMIT_MAX;
    return session_options_check(set, &o->run, e);
}
