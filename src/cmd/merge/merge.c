/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel merge: reports many threads, runs and hosts as one system. */
#include "many/merge/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file/file.h"
#include "base/span.h"
#include "base/units.h"
#include "cmd/column/column.h"
#include "cmd/column/trace_use.h"
#include "cmd/merge/internal.h"
#include "cmd/monitoring/metrics_file.h"
#include "cmd/monitoring/violation_command.h"
#include "cmd/monitoring/written_logs.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/run/session_options.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "facts/clause.h"
#include "facts/result.h"
#include "run/launch/start_instant.h"
#include "run/plan/plan.h"

/* Limits of --interval, in seconds. Each interval is divided into five slices, each a whole number
   of ns (fill_plan). */
#define INTERVAL_SECONDS_MIN 0.01
#define INTERVAL_SECONDS_MAX 86400
#define FOLLOW_INTERVAL_NS   1000000000u

struct merge_options {
    struct plan plan; /* must be the first member; its statistics are used */
    char by[128];
    struct follow_options follow;
    char start[64];
    char format[OUTPUT_FORMAT_MAX];
    bool full;
    char folder[1024];
    uint32_t hdr_unit; /* enum hdr_unit */
    bool certificate;
};

enum hdr_unit { HDR_UNIT_UNKNOWN, HDR_UNIT_NS, HDR_UNIT_US, HDR_UNIT_MS };

#define MERGE(member) OPTION_FIELD(struct merge_options, member)

/* clang-format off */
static const struct option_rule merge_rules[] = {
    NEEDS("for stale", "follow", "it is about records that grow"),
    NEEDS("on-violation", "sla", "it is run when a clause is violated"),
    EXCLUDES("certificate", "changepoint confidence", "a certificate is what cupel report makes of the sum"),
    {0},
};
/* clang-format on */

static const struct option_row merge_options[] = {
    {.section = "What is shown",
     .name = "interval",
     .argument = "TIME",
     .kind = OPTION_TIME,
     MERGE(plan.statistics.period_seconds),
     .min = INTERVAL_SECONDS_MIN,
     .max = INTERVAL_SECONDS_MAX,
     .value_words = "found, .1 s or longer, and rows of the whole time only",
     .help = "Rows of each interval of so long, which begin at multiples of it since 1970."},
    {.name = "by",
     .argument = "WHAT",
     .kind = OPTION_TEXT,
     MERGE(by),
     .words = WORDS_GROUPS,
     .value = "nothing",
     .help = "Rows of each host, job, op (operation), device or source (file) as well; of "
             "label:KEY those of each value of that --label, of none as -."},
    {.section = "While it is measured",
     .name = "follow",
     .kind = OPTION_FLAG,
     MERGE(follow.follow),
     .help = "Read records that still grow, and those that come later, and show the system as soon "
             "as all hosts are past an interval: on a terminal a screen, elsewhere a line for each "
             "(of 1 s, or --interval). The report follows when all have ended, or after Ctrl-C."},
    {.name = "for",
     .argument = "TIME",
     .kind = OPTION_TIME,
     MERGE(follow.for_seconds),
     .min = 0.1,
     .max = 1e8,
     .value_words = "until all records have ended",
     .help = "Follow for so long at most."},
    {.name = "stale",
     .argument = "TIME",
     .kind = OPTION_TIME,
     MERGE(follow.stale_seconds),
     .min = 1,
     .max = 86400,
     .value = "10s",
     .help = "A host whose record has not grown for so long is silent, and not waited for."},
    {.section = "What the logs do not state",
     .name = "start-at",
     .argument = "INSTANT",
     .kind = OPTION_TEXT,
     MERGE(start),
     .value_words = "they are taken to have begun at once",
     .help = "When logs began that count time from their start: 2026-11-24T08:00:00Z, or "
             "@1795507200 (seconds since 1970)."},
    {.name = "shift",
     .argument = "HOST=TIME",
     .kind = OPTION_LIST,
     .value_words = "none",
     .help = "Set a host's clock right: node7=-3h takes three hours off its instants. May be given "
             "for several hosts."},
    {.name = "hdr-unit",
     .argument = "UNIT",
     .kind = OPTION_CHOICE,
     MERGE(hdr_unit),
     .choices = OPTION_CHOICES({"ns", HDR_UNIT_NS}, {"us", HDR_UNIT_US}, {"ms", HDR_UNIT_MS}),
     .value_words = "what the log, its writer or its column of greatest values shows",
     .help =
         "The unit of values in logs of HdrHistogram and in histograms of Prometheus that do not "
         "state it. Programs that log us as if they were ns need it."},
    {.section = "How it is judged",
     .name = "changepoint",
     .value = "none",
     .help = "How the stable segment is found that rows are of: pelt or edm; none takes all of the "
             "time."},
    {.name = "confidence"},
    {.name = "sla",
     .section = "How it is judged",
     .help = "Limits of the whole system: read.p99<500us, iops>200k, errors=0; of intervals: "
             "read.p99<500us per 10s in 95%. The exit status is 0 when all pass, 1 when one fails, "
             "5 when one is undecided."},
    RESULT_FORMAT_OPTION(struct merge_options),
    OUTPUT_FULL_OPTION(struct merge_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     MERGE(folder),
     .value_words = "standard output only",
     .help = "Write the report and its tables into DIR as well, which is made and must not exist, "
             "and merged.cupel, which can be merged again."},
    CERTIFICATE_OPTION(MERGE(certificate)),
    WRITE_OPTION(""),
    OPTION_GROUP(PLAN_LABEL),
    METRICS_OPTION(MERGE(follow.metrics)),
    ON_VIOLATION_OPTION(MERGE(follow.on_violation),
                        "with --follow as soon as that is decided, and each time that the last "
                        "intervals begin to break a limit"),
    OPTION_RULES(merge_rules),
    {0},
};

/* Parses a shift of a host's clock: "node7=-3h". */
static int parse_shift(const char *text, struct merge_shift *to, struct err *e)
{
    const char *equals = strrchr(text, '='), *time = equals ? equals + 1 : "";
    bool back = *time == '-';
    uint64_t ns;
    struct err why;
    if (!equals || equals == text || parse_time(time + (back || *time == '+'), &ns, &why) ||
        ns > (uint64_t)INT64_MAX / 2)
        return err_set(e, ERR_USAGE,
                       "--shift %.100s: a host and a time are expected, as in node7=-3h or "
                       "node7=+250ms",
                       text);
    char *host = strndup(text, (size_t)(equals - text));
    if (!host)
        return err_no_memory(e, "the name of a host");
    *to = (struct merge_shift){.host = host, .ns = back ? -(int64_t)ns : (int64_t)ns};
    return 0;
}

static const char *const groupings[] = {
    [MERGE_BY_NOTHING] = "nothing", [MERGE_BY_HOST] = "host",     [MERGE_BY_JOB] = "job",
    [MERGE_BY_OP] = "op",           [MERGE_BY_DEVICE] = "device", [MERGE_BY_SOURCE] = "source"};

/* Parses "host" and the like, or "label:KEY" with a valid key of a label. */
static int parse_by(const char *text, struct merge_plan *to, struct err *e)
{
    static const char mark[] = "label:";
    const size_t count = sizeof groupings / sizeof *groupings;
    char key_value[sizeof((struct merge_options *)0)->by + 2];
    struct labels as_given = {0};
    struct label label;
    size_t by = 0, at = 0;
    while (by < count && strcmp(text, groupings[by]) != 0)
        by++;
    to->by = by < count ? (enum merge_by)by : MERGE_BY_LABEL;
    if (by < count)
        return 0;
    if (strncmp(text, mark, strlen(mark)) != 0)
        return err_set(e, ERR_USAGE,
                       "--by %.127s: it must be one of nothing, host, job, op, device, source, "
                       "label:KEY",
                       text);
    snprintf(key_value, sizeof key_value, "%.*s=-", LABEL_KEY_MAX + 1, text + strlen(mark));
    if (strchr(text, '=') || labels_add(&as_given, key_value, e))
        return err_set(e, ERR_USAGE,
                       "--by %.127s: after label: the key of a --label is expected, as in "
                       "label:rack",
                       text);
    labels_next(&as_given, &at, &label);
    memcpy(to->by_label, label.key, sizeof to->by_label);
    return 0;
}

static int fill_times(const struct option_set *set, const struct merge_options *o,
                      struct merge_plan *to, struct merge_shift shifts[MERGE_SHIFTS_MAX],
                      struct err *e)
{
    int cursor = 0;
    int64_t start = 0;
    if (o->start[0] && !strncmp(o->start, "next:", 5))
        return err_set(e, ERR_USAGE, "--start-at %s: these logs have begun already", o->start);
    if (o->start[0] && start_instant_parse(o->start, 0, &start, e))
        return -1;
    to->start_ns = (uint64_t)start;
    to->shifts = shifts;
    for (const char *text; (text = options_next(set, "shift", &cursor)) != NULL;) {
        if (to->shift_count == MERGE_SHIFTS_MAX)
            return err_set(e, ERR_USAGE, "--shift: at most %d hosts", MERGE_SHIFTS_MAX);
        if (parse_shift(text, &shifts[to->shift_count], e))
            return -1;
        to->shift_count++;
    }
    return 0;
}

static const uint64_t hdr_units_ns[] = {
    [HDR_UNIT_UNKNOWN] = 0, [HDR_UNIT_NS] = 1, [HDR_UNIT_US] = 1000, [HDR_UNIT_MS] = 1000000};

/* Checks the clauses before anything is read, as if all operations occurred. Which ones occur is
   known only after reading. */
static int check_clauses(const struct plan *statistics, struct err *e)
{
    struct plan any = *statistics;
    any.write_share = 0.5;
    any.trims = TRIMS_BEFORE_WRITES;
    any.fdatasync = 1;
    return plan_check_ending(&any, e);
}

static int fill_plan(const struct option_set *set, const struct merge_options *o,
                     struct merge_plan *to, struct err *e)
{
    *to = (struct merge_plan){.inputs = set->operands,
                              .input_count = set->operand_count,
                              .interval_ns =
                                  (uint64_t)llround(o->plan.statistics.period_seconds * 1e9),
                              .hdr_unit_ns = hdr_units_ns[o->hdr_unit],
                              .statistics = o->plan};
    if (parse_by(o->by, to, e))
        return -1;
    if (to->interval_ns % 5)
        return err_set(e, ERR_USAGE, "--interval %g s: it has no whole number of ns in a fifth",
                       o->plan.statistics.period_seconds);
    if (output_certificate_check(o->certificate, o->format, o->folder, e))
        return -1;
    if (o->follow.follow && !to->interval_ns)
        to->interval_ns = FOLLOW_INTERVAL_NS;
    to->statistics.ending.limit_seconds =
        plan_field("limit")->max; /* no limit, as the measurement is over */
    return metrics_check(o->follow.metrics, e) || check_clauses(&to->statistics, e) ? -1 : 0;
}

static int print_and_keep(struct merge *m, const struct merge_options *o, enum merge_by by,
                          struct violations *violations, struct err *e)
{
    struct result *r = calloc(1, sizeof *r);
    if (!r)
        return err_no_memory(e, "a result");
    int status = merge_result(m, r, e);
    if (!status && by != MERGE_BY_NOTHING && o->plan.statistics.period_seconds > 0)
        status = merge_group_intervals(m, e);
    if (!status && o->folder[0])
        status = dir_make_new(o->folder, e);
    if (!status && o->folder[0])
        status = merge_keep(m, o->folder, e);
    const struct output_form form = {.format = o->format, .full = o->full, .folder = o->folder};
    const struct output_certificate certificate = {
        .result = r, .path = o->folder[0] ? o->folder : NULL, .sla = o->plan.ending.sla};
    if (!status && o->folder[0])
        status = output_folder(r, o->folder, e); /* the certificate lists these files */
    if (!status)
        status = o->certificate ? output_certificate(&certificate, &form, e)
                                : output_result(r, &form, e);
    if (!status)
        status = metrics_write_merge(m, by, NULL, r, o->follow.metrics, e);
    if (!status)
        violations_end(violations, r->clauses, r->clause_count);
    if (!status)
        status = output_clauses_status(r->clauses, r->clause_count, false, e);
    free(r);
    return status;
}

struct reading {
    struct progress progress;
    bool again; /* true: the second pass, which merges again for groups; it shows no progress */
    const volatile sig_atomic_t *stop;
};

static bool show_reading(void *context, const struct merge_progress *now)
{
    struct reading *r = context;
    char stage[80];
    snprintf(stage, sizeof stage, "file %zu of %zu", now->files_done, now->file_count);
    const double share = now->bytes > 0 ? now->bytes_done / now->bytes : 1;
    const double elapsed = progress_seconds(&r->progress);
    const struct session_progress line = {.stage = stage,
                                          .bytes_rate = NAN,
                                          .elapsed_seconds = elapsed,
                                          .limit_seconds = INFINITY,
                                          .done_share = share,
                                          .mean = NAN,
                                          .rate = NAN,
                                          .left_seconds =
                                              share > 0 ? elapsed * (1 / share - 1) : NAN};
    if (!r->again)
        progress_show(&r->progress, &line);
    return !*r->stop;
}

/* Checks that the folder can be created, before records are followed for hours. */
static int try_folder(const char *folder, struct err *e)
{
    if (!folder[0])
        return 0;
    if (dir_make_new(folder, e))
        return -1;
    rmdir(folder);
    return 0;
}

/* Reads all records before anything is written, so that a signal during this time leaves no
   files. */
static int read_all(struct merge **m, struct merge_plan *plan, struct reading *reading,
                    const struct merge_options *o, struct violations *violations, struct err *e)
{
    if (o->follow.follow)
        return try_folder(o->folder, e)
                   ? -1
                   : merge_follow(m, plan, &o->follow, o->format, violations, e);
    reading->stop = signals_install();
    plan->progress = show_reading;
    plan->progress_context = reading;
    progress_begin(&reading->progress, "reading the files");
    int status = merge_run(m, plan, e);
    progress_end(&reading->progress);
    reading->again = true;
    return status;
}

static int run_merge(const struct option_set *set, struct err *e)
{
    static struct merge_options o; /* too large for a stack, as is `shifts` */
    struct violations violations = {.command = o.follow.on_violation,
                                    .ends_with = signals_end_with};
    static struct merge_shift shifts[MERGE_SHIFTS_MAX];
    struct merge_plan plan = {.shift_count = 0};
    struct reading reading = {.again = false};
    struct written_logs logs;
    struct merge *m = NULL;
    int status = plan_options_store(set, &o.plan, e) || fill_plan(set, &o, &plan, e) ||
                         fill_times(set, &o, &plan, shifts, e) ||
                         written_logs_read(&logs, set, e) ||
                         read_all(&m, &plan, &reading, &o, &violations, e)
                     ? -1
                     : written_logs_of_merge(&logs, m, e);
    if (!status)
        status = print_and_keep(m, &o, plan.by, &violations, e);
    merge_free(m);
    for (size_t i = 0; i < plan.shift_count; i++)
        free(shifts[i].host);
    return status;
}

const struct trace_use merge_use = {"cupel merge", "", "adds up what cupel record wrote"};

const struct command command_merge = {
    .name = "merge",
    .operands = "FILE|DIR...",
    .summary = "many threads, runs and hosts as one system",
    .description =
        (const char *const[]){
            "Reads records of cupel run, folders of -o, traces of cupel record, results of cupel "
            "merge, fio's clat_hist, lat and clat logs and JSON+, HdrHistogram logs, histograms of "
            "bcc's biolatency and of Prometheus, and latencies of blktrace's btt. Their histograms "
            "are added up, "
            "interval by interval of absolute time, so that the percentiles are those of the whole "
            "system; the averages of the hosts' percentiles, which are no percentiles, stand "
            "beside them.",
            "BPS is over the union of the time in which any host had I/O in flight. Its interval "
            "is what the hosts' clocks may be off, as their records say.",
            "A run that is given twice counts once. A record that breaks off counts as far as it "
            "goes. The order of FILEs changes nothing.",
            NULL},
    .options = merge_options,
    .examples =
        (const struct help_item[]){
            {"cupel merge /shared/run1", "All records in a folder, as one system."},
            {"cupel merge node*/record.cupel --interval 1s --format csv",
             "Percentiles of every second."},
            {"cupel merge *_clat_hist.*.log --by job", "fio's histogram logs."},
            {"cupel merge /shared/run1 --by label:rack", "Racks, by cupel run --label rack=..."},
            {"cupel merge --follow /shared/run1", "The same while it is measured."},
            {"cupel merge /shared/run1 --sla 'read.p99<1ms'", "Did all of it together keep that?"},
            {"cupel merge node*/record.cupel --write hdr=all.hlog", "For other programs."},
            {0}},
    .statuses =
        (const struct help_item[]){{"0", "Done; every clause of --sla passes."},
                                   {"1", "A clause of --sla fails."},
                                   {"2", "Wrong options, or a file that cannot be merged: the "
                                         "message names it."},
                                   {"4", "The output could not be written."},
                                   {"5", "A clause of --sla is undecided, or a signal came before "
                                         "all was read."},
                                   {"6", "Not enough memory."},
                                   {0}},
    .min_operands = 1,
    .max_operands = OPERANDS_MAX,
    .run = run_merge,
    .foresee = command_only_reads,
};
