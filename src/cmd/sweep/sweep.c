/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel sweep: measures many configurations, each one many times, for a map of variability. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file/file.h"
#include "base/invariant.h"
#include "base/span.h"
#include "base/units.h"
#include "cmd/column/column.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/run/session_options.h"
#include "cmd/sweep/internal.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "hw/prober.h"
#include "hw/sysroot/sysroot.h"
#include "many/sweep/plan.h"
#include "many/sweep/runners.h"
#include "report/sweep/sweep.h"
#include "run/plan/plan.h"
#include "run/watch/other_programs.h"

#define PLAN_MAX    ((size_t)1 << 20)
#define CHECKED_MAX 20000 /* number of configurations that are checked before the first run */
#define SHARDS_MAX  1000

struct sweep_options {
    struct sweep_permission permission;
    char shard[24];
    bool resume, same_target, keep_records, dry_run;
    double limit_seconds, timeout_seconds;
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024];
    struct labels labels;
};

#define SWEEP(member) OPTION_FIELD(struct sweep_options, member)

/* clang-format off */
static const struct option_rule sweep_rules[] = {
    NEEDS("resume keep-records", "output", "-o DIR is the folder of the sweep"),
    {0},
};
/* clang-format on */

static const struct option_row sweep_options[] = {
    {.section = "How it is run",
     .name = "resume",
     .kind = OPTION_FLAG,
     SWEEP(resume),
     .help = "Go on with the sweep of the same plan in the folder of -o: no run is lost, and none "
             "is done twice. Without such a folder it begins."},
    {.name = "shard",
     .argument = "I/N",
     .kind = OPTION_TEXT,
     SWEEP(shard),
     .value_words = "1/1",
     .help = "Run part I of N of the plan, so that N alike machines share it."},
    {.name = "limit",
     .argument = "TIME",
     .kind = OPTION_TIME,
     SWEEP(limit_seconds),
     .min = 0.1,
     .max = 1e8,
     .value_words = "none",
     .help = "Begin no run after this time; --resume goes on."},
    {.name = "timeout",
     .argument = "TIME",
     .kind = OPTION_TIME,
     SWEEP(timeout_seconds),
     .min = 0.1,
     .max = 1e8,
     .value_words = "none",
     .help = "Longest time of a run of an exec: program, which is killed then."},
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     SWEEP(dry_run),
     .help = "Read the plan, check every configuration, and print how many runs it takes and about "
             "how long."},
    {.section = "Safety",
     .name = "destroy",
     .kind = OPTION_FLAG,
     SWEEP(permission.destroy),
     .help = "Permit writing to the block device that is the plan's target, as of cupel run."},
    {.name = "destroy-serial",
     .argument = "SERIAL",
     .kind = OPTION_TEXT,
     SWEEP(permission.destroy_serial),
     .value_words = "nobody asks which disk it is",
     .help = "The same for the disk with this serial number alone."},
    {.name = "overwrite",
     .kind = OPTION_FLAG,
     SWEEP(permission.overwrite),
     .help = "Permit writing to a regular file that cupel did not make."},
    {.name = "allow-unseen",
     .kind = OPTION_FLAG,
     SWEEP(permission.allow_unseen),
     .help = "Write to the target all the same where it cannot be seen whether another program has "
             "it open for writing, as of cupel run."},
    {.name = "same-target",
     .kind = OPTION_FLAG,
     SWEEP(same_target),
     .help = "With --resume: the target is the one that the sweep was begun on, although it has "
             "another identity now, or nothing identifies it (a disk without a serial number)."},
    OUTPUT_PAGE_OPTION(struct sweep_options),
    {OPTION_LABEL(struct sweep_options, labels)},
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     SWEEP(folder),
     .value_words = "nothing is kept",
     .help = "Keep every run in DIR, which is made and must not exist, unless with --resume."},
    {.name = "keep-records",
     .kind = OPTION_FLAG,
     SWEEP(keep_records),
     .help = "Keep the record.cupel of every session too, in DIR/records."},
    OPTION_RULES(sweep_rules),
    {0},
};

/* ---- checks of the request ---- */

static int read_shard(const char *text, unsigned *shard, unsigned *shards, struct err *e)
{
    uint64_t of = 1, part = 1;
    char first[24];
    const char *slash = strchr(text, '/');
    *shard = *shards = 1;
    if (!*text)
        return 0;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, "/"), text);
    if (!slash || parse_unsigned(first, &part, NULL) || parse_unsigned(slash + 1, &of, NULL) ||
        of < 1 || of > SHARDS_MAX || part < 1 || part > of)
        return err_set(e, ERR_USAGE,
                       "--shard %s: part I of N is expected, as in 1/3, up to %d parts", text,
                       SHARDS_MAX);
    *shard = (unsigned)part;
    *shards = (unsigned)of;
    return 0;
}

static int check_options(const struct sweep_options *o, const struct sweep_plan *plan,
                         struct err *e)
{
    if (o->keep_records && plan->exec)
        return err_set(e, ERR_USAGE, "--keep-records is for sessions of cupel's own I/O");
    if (o->timeout_seconds > 0 && !plan->exec)
        return err_set(e, ERR_USAGE, "--timeout is for a plan with exec:");
    return 0;
}

/* ---- runs ---- */

struct sweeping {
    const struct sweep_options *options;
    struct sweep_plan plan;
    struct run_options session; /* options of the next run */
    struct sysroot root;
    struct sweep_sessions sessions;
    struct sweep_programs programs;
    struct load_watch load; /* load from other programs during the sweep */
    bool target_is_new;
    /* duration of one run of each configuration, without set-up; NaN: not known */
    double measured_seconds;
    struct progress progress;
};

/* Time that the set-up of a run takes: looking at the machine, opening the target, starting and
   stopping workers. Measured with runs of 300 ms. */
#define SETUP_SECONDS 0.8

static int run_session(void *context, const struct sweep_configuration *c, uint64_t seed,
                       const char *record_path, struct sweep_outcome *outcome, struct err *e)
{
    struct sweeping *s = context;
    if (sweep_plan_session(&s->plan, c, &s->options->permission, &s->session, e))
        return -1;
    s->session.plan.seed = seed;
    labels_add_missing(&s->session.plan.labels, &s->options->labels);
    return sweep_session_run(&s->sessions, &s->session.plan, record_path, outcome, e);
}

static int run_program(void *context, const struct sweep_configuration *c, uint64_t seed,
                       const char *record_path, struct sweep_outcome *outcome, struct err *e)
{
    (void)seed;
    (void)record_path;
    struct sweeping *s = context;
    return sweep_program_run(&s->programs, c, outcome, e);
}

static void show_run(void *context, const struct sweep_progress *now)
{
    struct sweeping *s = context;
    const double limit = s->options->limit_seconds;
    const struct session_progress shown = {.stage = now->words,
                                           .elapsed_seconds = now->elapsed_seconds,
                                           .limit_seconds = limit > 0 ? limit : INFINITY,
                                           .done_share = NAN,
                                           .bytes_rate = NAN,
                                           .mean = NAN,
                                           .width_share = NAN,
                                           .target_share = NAN,
                                           .left_seconds = now->left_seconds,
                                           .rate = NAN};
    progress_show(&s->progress, &shown);
}

/* Checks the options of the configurations before a night of runs. Sets *largest to the session
   that needs the largest file. */
static int check_sessions(struct sweeping *s, const struct sweep_configuration list[], size_t count,
                          struct plan *largest, struct err *e)
{
    for (size_t i = 0; i < count && i < CHECKED_MAX; i++) {
        const struct plan *p = &s->session.plan;
        if (sweep_plan_session(&s->plan, &list[i], &s->options->permission, &s->session, e))
            return -1;
        s->measured_seconds +=
            p->ending.runtime_seconds > 0 ? p->ending.runtime_seconds : (double)NAN;
        if (!i || p->offset + p->size > largest->offset + largest->size)
            *largest = *p;
    }
    return 0;
}

static int prepare(struct sweeping *s, const volatile sig_atomic_t *stop, size_t *configurations,
                   struct err *e)
{
    struct sweep_configuration *list;
    struct plan *largest = calloc(1, sizeof *largest);
    if (!largest)
        return err_no_memory(e, "a plan");
    int status = sweep_design_make(&s->plan, &list, configurations, e);
    if (!status && !s->plan.exec) {
        status = check_sessions(s, list, *configurations, largest, e);
        s->target_is_new = !status && access(largest->target, F_OK) != 0;
        if (!status && !s->options->dry_run)
            status = sweep_target_prepare(largest, stop, e);
        if (!status && !s->options->dry_run && *largest->target)
            s->sessions.target = open(largest->target, O_PATH | O_CLOEXEC);
    }
    free(list);
    free(largest);
    return status;
}

/* ---- output ---- */

static int write_folder(const struct sweep_result *r, const char *folder, struct err *e)
{
    static const char *const names[] = {"sweep.txt", "runs.csv", "sweep.json", "report.html", NULL};
    const struct report_style style = {.width = 80};
    struct text out = {0};
    if (output_report(&sweep_report, r, &style, names, folder, output_file_anew, e))
        return -1;
    sweep_print_configurations(r, &out);
    return output_file_anew(folder, "configurations.csv", &out, e);
}

static int status_of(const struct sweep_result *r, struct err *e)
{
    const enum err_code failed =
        r->failed_runs && r->undecided_runs == r->failed_runs ? ERR_UNDECIDED : ERR_TARGET;
    switch (r->ending) {
    case SWEEP_COMPLETE:
        return r->failed_runs ? err_set(e, failed, "%llu runs failed; the last one: %s",
                                        (unsigned long long)r->failed_runs, r->failure)
                              : ERR_NONE;
    case SWEEP_INTERRUPTED:
        return err_set(e, ERR_UNDECIDED, "stopped by a signal, after %zu runs", r->run_count);
    case SWEEP_LIMIT:
        return err_set(e, ERR_UNDECIDED, "the limit came first, after %zu runs (see --limit)",
                       r->run_count);
    case SWEEP_FAILED:
        return err_set(e, r->ended_undecided ? ERR_UNDECIDED : ERR_TARGET, "%s", r->failure);
    }
    INVARIANT_BROKEN("every ending of a sweep has a case");
}

static int print_and_keep(const struct sweeping *s, const struct sweep *sweep, const char *source,
                          struct err *e)
{
    const struct sweep_options *o = s->options;
    struct sweep_result r;
    struct report_style style = output_style();
    struct text out = {0};
    if (sweep_make_result(sweep, &r, e))
        return -1;
    r.labels = o->labels;
    probe_unseen(&s->root, r.unseen);
    r.others = load_watch_end(&s->load);
    others_words(&r.others, r.busy, sizeof r.busy);
    snprintf(r.source, sizeof r.source, "%.250s", source);
    int status = o->folder[0] ? write_folder(&r, o->folder, e) : 0;
    if (!status) {
        report_print(&sweep_report, &r, o->format, &style, &out);
        status = output_text(&out, e);
    }
    if (!status)
        status = status_of(&r, e);
    sweep_result_free(&r);
    return status;
}

/* ---- the command ---- */

/* Returns the number of control runs: one before the first run, one after every control_every runs,
   and one at the end. */
static double control_runs(const struct sweep_plan *plan, double runs)
{
    return plan->control_every ? ceil(runs / plan->control_every) + 1 : 0;
}

static int print_plan(const struct sweeping *s, size_t configurations, unsigned shards)
{
    const struct sweep_plan *plan = &s->plan;
    const double runs = (double)configurations * plan->repeats,
                 all = (runs + control_runs(plan, runs)) / shards,
                 seconds = all * (s->measured_seconds / (double)configurations + SETUP_SECONDS);
    char time[UNITS_BUFFER];
    printf("%zu configurations, %s%.0f runs\n", configurations,
           plan->sd_width > 0 ? "at least " : "", runs);
    if (plan->exec)
        printf("How long they take is not known: time one run of the command and multiply.\n");
    else if (isnan(seconds) || configurations > CHECKED_MAX)
        printf("How long they take is not known: not every run has a runtime.\n");
    else
        printf("They take about %s: %g s for each to set it up, besides its runtime%s%s\n",
               format_time_left(time, sizeof time, seconds), SETUP_SECONDS,
               plan->control_every ? ", control runs included" : "",
               plan->sd_width > 0 ? "; more where an SD needs more runs" : "");
    return ERR_NONE;
}

static int run_plan(struct sweeping *s, const char *source, struct err *e)
{
    const struct sweep_options *o = s->options;
    const volatile sig_atomic_t *stop = signals_install();
    const struct sweep_runner runner = {s->plan.exec ? run_program : run_session, s};
    struct sweep_request request = {.plan = &s->plan,
                                    .runner = &runner,
                                    .folder = o->folder[0] ? o->folder : NULL,
                                    .resume = o->resume,
                                    .keep_records = o->keep_records,
                                    .may_destroy = o->permission.destroy ||
                                                   o->permission.overwrite ||
                                                   o->permission.destroy_serial[0],
                                    .same_target = o->same_target,
                                    .limit_seconds = o->limit_seconds,
                                    .stop = stop,
                                    .progress = show_run,
                                    .context = s};
    struct sweep *sweep = NULL;
    size_t configurations = 0;
    s->sessions = (struct sweep_sessions){&s->plan, &s->root, stop, -1};
    s->programs = (struct sweep_programs){&s->plan, &s->root, stop, o->timeout_seconds};
    if (check_options(o, &s->plan, e) || read_shard(o->shard, &request.shard, &request.shards, e) ||
        sysroot_open(&s->root, NULL, e) || prepare(s, stop, &configurations, e))
        return -1;
    if (o->dry_run)
        return print_plan(s, configurations, request.shards);
    request.target = s->sessions.target;
    request.target_name = s->plan.target;
    request.target_is_new = s->target_is_new;
    progress_begin(&s->progress, "reading the plan");
    load_watch_begin(&s->load, &s->root);
    int status = sweep_run(&sweep, &request, e);
    if (s->sessions.target >= 0)
        close(s->sessions.target);
    progress_end(&s->progress);
    if (!status)
        status = print_and_keep(s, sweep, source, e);
    sweep_free(sweep);
    return status;
}

static int run_sweep(const struct option_set *set, struct err *e)
{
    static struct option_row rows[OPTIONS_MAX + 1];
    struct sweep_options o = {.format = ""};
    char *text;
    size_t length;
    if (options_store_defaults(set->rows, &o, e) || options_store(set, &o, e) ||
        file_read_all(set->operands[0], PLAN_MAX, &text, &length, e))
        return -1;
    struct sweeping *s = calloc(1, sizeof *s);
    int status = s ? 0 : err_no_memory(e, "a sweep");
    if (s) {
        s->options = &o;
        status = sweep_plan_read(&s->plan, set->operands[0], (struct span){text, length},
                                 options_expand(run_option_rows, rows), e);
        if (!status)
            status = run_plan(s, set->operands[0], e);
        sweep_plan_free(&s->plan);
    }
    free(s);
    free(text);
    return status;
}

const struct command command_sweep = {
    .name = "sweep",
    .operands = "PLAN",
    .summary = "measure many configurations, and how much each varies",
    .description =
        (const char *const[]){
            "PLAN is a text file: factors with their levels, constraints, responses, and how often "
            "everything is run. A factor is an option of cupel run by its name (threads, "
            "file-size, "
            "record and mode are understood too), or anything that a command of yours sets. "
            "Responses are metrics of cupel run, or, with exec:, what a program prints.",
            "Every pass runs all configurations in a random order of its own, so that a drift of "
            "the machine falls on all alike; control runs between them show the drift. Every run "
            "is "
            "kept: DIR/runs.csv has a row for each, which cupel predict makes a map of.",
            "A sweep that was interrupted in any way goes on with --resume. Permission to destroy "
            "data stands on the command line, never in a plan.",
            NULL},
    .options = sweep_options,
    .examples =
        (const struct help_item[]){
            {"cupel sweep plan.txt -o map", "Measure the plan; the runs go into the folder map."},
            {"cupel sweep plan.txt -o map --resume", "Go on after Ctrl-C or a power cut."},
            {"cupel sweep plan.txt --dry-run", "How many runs is that?"},
            {"cupel sweep plan.txt -o part --shard 2/3", "The second of three machines."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Every run of the plan is done."},
            {"2", "Wrong options or a plan that cannot be read: the message has line and column."},
            {"3",
             "Refused, because data could be lost, or another sweep is at work in the folder."},
            {"4", "Runs or a command of the plan failed, or a file could not be written."},
            {"5",
             "A signal or --limit came first; --resume goes on. Or the target did not keep up with "
             "what fell due in every run that failed."},
            {"6", "This machine, kernel or permission cannot do it."},
            {0}},
    .files = (const struct help_item[]){{"DIR/runs.csv", "A row for each run."},
                                        {"DIR/configurations.csv",
                                         "Mean and SD, with its interval, of each configuration."},
                                        {"DIR/sweep.txt, sweep.json", "The report."},
                                        {"DIR/sweep.log, plan.txt", "What --resume goes on from."},
                                        {0}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_sweep,
};
