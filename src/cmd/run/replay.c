/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel replay: issues the requests of a trace, each at its own time. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/number_parse.h"
#include "base/span.h"
#include "cmd/column/trace_use.h"
#include "cmd/monitoring/written_logs.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/run/run_targets.h"
#include "cmd/run/session_options.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "facts/result.h"
#include "io/io.h"
#include "many/together/together.h"
#include "run/plan/plan.h"
#include "run/replay/replay_devices.h"
#include "source/trace/trace.h"

/* ---- options ---- */

#define REPLAY(member) OPTION_FIELD(struct replay_options, member)

static_assert(REPLAY_PARTS_MAX == TOGETHER_MAX, "each part has a target");
static_assert(offsetof(struct replay_options, run) == 0, "shared rows fill the struct's begin");

#define SPEED_MAX 1e6

static const struct option_choice map_choices[] = {
    {"wrap", MAP_WRAP}, {"fold", MAP_FOLD}, {"scale", MAP_SCALE}, {"none", MAP_NONE}, {NULL, 0}};

static const struct option_rule replay_rules[] = {
    ONE_OF("open closed", "the one keeps times, the other dependencies"),
    NEEDS("destroy destroy-serial overwrite", "allow-writes", "without it a replay only reads"),
    {0},
};

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
     .help = "Keep the trace's times even if the target falls behind: the default. Response times "
             "begin "
             "when a request is due."},
    {.name = "closed",
     .kind = OPTION_FLAG,
     REPLAY(closed),
     .help = "Keep dependencies: a request follows the completion of what its process had waited "
             "for, after the think time of the trace; what overlapped overlaps. A faster target "
             "is done sooner."},
    {.name = "map",
     .argument = "HOW|DEV=TARGET",
     .kind = OPTION_LIST,
     .value_words = "wrap",
     .choices = map_choices,
     .help = "HOW addresses are mapped: wrap takes those beyond the target modulo its size, each "
             "device of the trace in a share of its own; fold lays the devices one after the "
             "other and takes the whole modulo the target's size; scale shrinks or stretches "
             "distances to the target's size; none leaves out what does not fit. DEV=TARGET, as "
             "often as needed, sends a device of the trace, by its name there, to a target of its "
             "own, and DEV=- leaves it out."},
    OPTION_GROUP(PLAN_TRACE),

    {.section = "Workload",
     .name = "iodepth",
     .value = "256",
     .help = "The most I/Os in flight per job; 1 with engines that have one at a time."},
    {.name = "numjobs",
     .help = "Threads that share the requests out among them, in turn or by process (--closed)."},
    OPTION_GROUP(PLAN_REGION),
    {.name = "spin"},
    OPTION_GROUP(PLAN_ENGINE),
    OPTION_GROUP(PLAN_SAFETY),
    OPTION_GROUP(PLAN_SLA),
    OPTION_GROUP(PLAN_REPEAT),
    OPTION_GROUP(PLAN_MACHINE),
    {.name = "limit",
     .value_words = "none: to the end of the trace",
     .help = "Longest time for the whole session; reached before the trace's end, the exit status "
             "is 5 and the result holds what was reached."},
    OPTION_GROUP(PLAN_MONITOR),
    OPTION_GROUP(PLAN_EVIDENCE),
    SYSROOT_OPTION,
    OPTION_GROUP(PLAN_SETTINGS),
    LAUNCH_OPTIONS(SESSION_LAUNCH_FIELD),
    RESULT_FORMAT_OPTION(struct run_options),
    OUTPUT_FULL_OPTION(struct run_options),
    FOLDER_OPTION,
    CERTIFICATE_OPTION(SESSION_FIELD(certificate)),
    OPTION_GROUP(PLAN_LABEL),
    LIVE_OPTION(SESSION_FIELD(live)),
    WRITE_OPTION(" It needs -o."),
    METRICS_OPTION(SESSION_FIELD(metrics)),
    ON_VIOLATION_OPTION(SESSION_FIELD(on_violation), "at the end"),
    OPTION_RULES(session_rules),
    OPTION_RULES(replay_rules),
    {0},
};

/* Parses the speed: "2x", ".5" or "asap". */
static int set_speed(const char *text, struct plan *plan, struct err *e)
{
    size_t length = strlen(text);
    plan->replay.speed = 0;
    if (!strcmp(text, "asap"))
        return 0;
    length -= length > 1 && text[length - 1] == 'x';
    if (number_parse(text, length, &plan->replay.speed) == NUMBER_OK &&
        plan->replay.speed >= 1 / SPEED_MAX && plan->replay.speed <= SPEED_MAX)
        return 0;
    return err_set(e, ERR_USAGE, "--speed %s: it must be a factor above 0, as in 2x or .5, or asap",
                   text);
}

/* Returns true if a --map is DEVICE=TARGET. Other values map addresses. */
static bool names_device(const char *map)
{
    return strchr(map, '=') != NULL;
}

/* Lists the first `max` options --map DEVICE=TARGET. Returns the number of all. */
static size_t device_maps(const struct option_set *set, const char *maps[], size_t max)
{
    size_t count = 0;
    int cursor = 0;
    for (const char *text; (text = options_next(set, "map", &cursor)) != NULL;)
        if (names_device(text) && count++ < max)
            maps[count - 1] = text;
    return count;
}

/* Stores the --map options that map addresses, so that the last one is used. */
static int set_mapping(const struct option_set *set, struct plan *plan, struct err *e)
{
    int cursor = 0;
    for (const char *text; (text = options_next(set, "map", &cursor)) != NULL;)
        if (!names_device(text) && option_store_text(plan_field("map"), text, plan, e))
            return -1;
    return 0;
}

int replay_options_read(const struct option_set *set, struct replay_options *o, struct err *e)
{
    *o = (struct replay_options){0};
    struct plan *plan = &o->run.plan;
    const char *trace = set->operands[0];
    if (plan_options_store(set, plan, e) || set_speed(o->speed, plan, e) ||
        set_mapping(set, plan, e))
        return -1;
    o->shares_out = set->operand_count > 2 || device_maps(set, NULL, 0) > 0;
    if (!*trace)
        return err_set(e, ERR_USAGE, "the trace's name is empty");
    if (strlen(trace) >= sizeof plan->replay.trace)
        return err_set(e, ERR_USAGE, "%.40s...: the trace's name is longer than %zu characters",
                       trace, sizeof plan->replay.trace - 1);
    snprintf(plan->replay.trace, sizeof plan->replay.trace, "%s", trace);
    /* A target must be named: the default target of cupel run, a file in the current folder, is not
       used. */
    if (set->operand_count > 1 && session_options_target(set->operands[1], plan, e))
        return -1;
    const struct io_ops *ops = io_backend_by_name(plan->engine);
    if (set->operand_count <= 1 && !o->shares_out && !(ops && !ops->needs_target))
        return err_set(e, ERR_USAGE,
                       "TARGET is missing; usage: cupel replay TRACE TARGET [options]");
    plan->replay.keep_order = o->closed;
    if (ops && ops->serial && !options_given(set, "iodepth"))
        plan->iodepth = 1;
    if (!options_given(set, "limit"))
        plan->ending.limit_seconds = plan_field("limit")->max; /* up to the end of the trace */
    return session_options_check(set, &o->run, e);
}

/* ---- the command ---- */

static void show_look(void *context, double share)
{
    progress_words(context, "looking through the trace", share);
}

/* Reads the whole trace to find its devices, before any target is opened. */
static int look_at_devices(struct replay_devices *devices, const struct plan *plan, struct err *e)
{
    struct progress progress;
    const struct replay_watch watch = {signals_install(), show_look, &progress};
    progress_begin(&progress, "looking through the trace");
    const int status = replay_devices_find(devices, plan, &watch, e);
    progress_end(&progress);
    return status;
}

struct spared {
    const char *const *targets;
    size_t count;
};

static int spare_file(void *context, const char *file, struct err *e)
{
    const struct spared *s = context;
    for (size_t i = 0; i < s->count; i++)
        if (together_distinct("", (const char *const[]){file, s->targets[i]}, 2, true, e))
            return -1;
    return 0;
}

/* Refuses targets that are files of the trace, as writing would destroy what has not been read
   yet. */
static int spare_trace(const struct plan *plan, const char *const targets[], size_t count,
                       struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(plan->engine);
    if (!plan->replay.allow_writes || (ops && !ops->needs_target))
        return 0;
    struct spared spared = {targets, count};
    return trace_files(plan->replay.trace, spare_file, &spared, e);
}

/* Runs a single part, or several parts at the same time. */
static int run_parts(struct run_options *o, const struct replay_parts *p, struct err *e)
{
    const char *devices[REPLAY_PARTS_MAX];
    for (size_t i = 0; i < p->count; i++)
        devices[i] = p->devices[i];
    if (p->count > 1)
        return run_targets(o, p->target, devices, p->count, e);
    snprintf(o->plan.replay.devices, sizeof o->plan.replay.devices, "%s", p->devices[0]);
    return p->target[0] != o->plan.target && session_options_target(p->target[0], &o->plan, e)
               ? -1
               : session_options_run(o, e);
}

static void print_parts(const struct replay_parts *p, const struct replay_devices *devices)
{
    struct text lines = {0};
    replay_parts_describe(p, devices, &lines);
    fputs(lines.data ? lines.data : "", stderr);
    text_free(&lines);
}

/* Sets what is the same for all parts: when the trace begins, and the level of its events (block
   layer or system calls). */
static void plan_parts(struct plan *plan, const struct replay_parts *p,
                       const struct replay_devices *devices)
{
    static const char *const levels[] = {[TRACE_BLOCK] = "block", [TRACE_SYSCALL] = "syscall"};
    snprintf(plan->replay.level, sizeof plan->replay.level, "%s", levels[devices->level]);
    snprintf(plan->replay.left_out, sizeof plan->replay.left_out, "%s", p->left_out);
    plan->replay.begin_ns = p->begin_ns;
    plan->replay.own = devices->own_only;
}

static int share_out(struct replay_parts *p, struct replay_devices *devices,
                     const struct option_set *set, const struct run_options *o, struct err *e)
{
    const char *maps[TRACE_DEVICES_MAX];
    const struct replay_wishes wishes = {.targets = set->operands + 1,
                                         .target_count = set->operand_count - 1,
                                         .maps = maps,
                                         .map_count = device_maps(set, maps, TRACE_DEVICES_MAX)};
    if (wishes.map_count > TRACE_DEVICES_MAX)
        return err_set(e, ERR_USAGE, "--map: a trace has at most %d devices", TRACE_DEVICES_MAX);
    if (wishes.target_count > 1 && run_targets_check(o, wishes.target_count, e))
        return -1;
    if (look_at_devices(devices, &o->plan, e) || replay_parts_assign(p, devices, &wishes, e))
        return -1;
    if (p->count == 1 && wishes.target_count)
        /* o->plan.target is the name of this target with its templates expanded for this rank */
        p->target[0] = o->plan.target;
    return 0;
}

static int run_shared_out(const struct option_set *set, struct run_options *o, struct err *e)
{
    struct replay_devices *devices = calloc(1, sizeof *devices);
    struct replay_parts *p = calloc(1, sizeof *p);
    int status = -1;
    if (!devices || !p)
        err_no_memory(e, "the parts of a trace");
    else if (!share_out(p, devices, set, o, e) &&
             (p->count == 1 || !run_targets_check(o, p->count, e)) &&
             !spare_trace(&o->plan, p->target, p->count, e)) {
        print_parts(p, devices);
        plan_parts(&o->plan, p, devices);
        status = run_parts(o, p, e);
    }
    free(devices);
    free(p);
    return status;
}

static int run_replay(const struct option_set *set, struct err *e)
{
    struct replay_options o;
    if (replay_options_read(set, &o, e))
        return -1;
    if (o.shares_out)
        return run_shared_out(set, &o.run, e);
    const char *const target[] = {o.run.plan.target};
    return spare_trace(&o.run.plan, target, 1, e) ? -1 : session_options_run(&o.run, e);
}

static int foresee_replay(const struct option_set *set, struct command_effect *effect,
                          struct err *e)
{
    struct replay_options o;
    if (replay_options_read(set, &o, e))
        return -1;
    if (o.shares_out)
        return err_set(e, ERR_USAGE,
                       "a trace is shared out among targets by hand only: name one target");
    return session_options_foresee(&o.run, effect, e);
}

const struct trace_use replay_use = {"cupel replay", " TARGET", "issues its requests again"};

const struct command command_replay = {
    .name = "replay",
    .operands = "TRACE [TARGET...]",
    .summary = "issue the requests of a trace at their own times",
    .description =
        (const char *const[]){
            "Issues the requests of TRACE to TARGET once, from begin to end, each at the instant "
            "that the trace says, and reports how well that was kept, what the target made of it, "
            "and original and replay side by side.",
            "TRACE is a trace of blktrace (binary, also the files of all processors, by their "
            "folder or what their names begin with), the text of blkparse, an iolog of fio, MSR "
            "Cambridge (SNIA), SPC (UMass), Alibaba, Tencent or FIU text, or what cupel record "
            "wrote; - is standard input. Which one it is, and gzip, is found by content. Of any "
            "other table --columns says what its columns are. A trace may be larger than memory.",
            "TARGET is what it is for cupel run: a regular file, a block device, or a folder for a "
            "scratch file. It may be left out with --ioengine null only.",
            "Several TARGETs have the devices of the trace shared out among them: one each, in the "
            "order in which the trace has them, or as --map DEV=TARGET says. All are checked "
            "before any is written, begin at one instant and keep the clock of the one trace; each "
            "has a result, and there is one for all. Every device needs a target, or --map DEV=-.",
            "A replay only reads, and issues writes as reads, unless --allow-writes is given. Then "
            "a block device needs --destroy or --destroy-serial and a file that cupel did not make "
            "--overwrite, as with cupel run. Discards are issued with writes, and a target that "
            "takes none is refused; --skip-discards leaves them out.",
            "Events that cannot be read are left out, counted and named; with --strict they end "
            "the replay.",
            NULL},
    .options = replay_option_rows,
    .examples =
        (const struct help_item[]){
            {"cupel replay mds_0.csv.gz /dev/sdb", "At its own times, read only, on a disk."},
            {"cupel replay sda /dev/sdb --allow-writes --destroy --speed 2x",
             "The files sda.blktrace.0, .1 ... in half the time, with its writes."},
            {"cupel replay app.trace test.dat --closed --map scale",
             "Dependencies kept; addresses scaled to the file's size."},
            {"cupel replay ten.blktrace /dev/sd[b-k] --map 8,16=/dev/sdk -o result",
             "Ten disks of a trace on ten here, and the disk 8,16 of it on the last one."},
            {"cupel replay a.csv sdb --columns time=1,op=3,offset=5,len=6,unit=s",
             "A table of which the columns are named."},
            {"zstd -dc big.csv.zst | cupel replay - /dev/sdb --speed asap --iodepth 32",
             "From a pipe, as fast as the disk goes with 32 in flight."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Replayed to the trace's end."},
            {"2", "Wrong options, a trace that cannot be read, or a target that does not exist."},
            {"3", "Refused, because data could be lost or nothing would be measured."},
            {"4", "The target failed or filled up, or the result could not be written."},
            {"5", "The limit or a signal came before the end, or much of what fell due was never "
                  "issued; what was measured is printed."},
            {"6", "This machine, kernel or permission cannot do it."},
            {0}},
    .files =
        (const struct help_item[]){
            {"DIR/record.cupel", "Everything that was measured; cupel report reads it."},
            {"DIR/report.txt", "The report as text."},
            {"DIR/summary.csv, unit_readings.csv, ...", "The same as tables."},
            {0}},
    .min_operands = 1,
    .max_operands = 1 + TOGETHER_MAX,
    .run = run_replay,
    .foresee = foresee_replay,
};
