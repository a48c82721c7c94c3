/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel run: measures a target until the interval is as narrow as requested. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cmd/monitoring/written_logs.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/run/internal.h"
#include "cmd/run/run_targets.h"
#include "cmd/run/session_options.h"
#include "cmd/terminal/signals.h"
#include "facts/result.h"
#include "fio/job/fio_job.h"
#include "hw/sysroot/sysroot.h"
#include "io/io.h"
#include "many/together/together.h"
#include "run/plan/plan.h"
#include "run/plan/plan_iozone_mode.h"
#include "run/session/session.h"
#include "run/verify/verify_reads.h"

/* ---- options ---- */

#define FIRST_LOOK_SECONDS 60
#define STRING_OF(x)       #x
#define STRING(x)          STRING_OF(x)
#define RUN(member)        OPTION_FIELD(struct run_options, member)

/* clang-format off */
static const struct option_rule run_rules[] = {
    NEEDS("rwmixread", "rw=rw rw=randrw", "the other patterns only read, write or trim"),
    NEEDS("percentage_random", "rw=randread rw=randwrite rw=randrw rw=randtrim rw=randtrimwrite",
          "the other patterns are sequential"),
    EXCLUDES("mode", "rw rwmixread percentage_random", "a mode says itself which requests there are"),
    EXCLUDES("profile", "rw rwmixread percentage_random", "a profile says that itself"),
    EXCLUDES("@action", "rw rwmixread percentage_random bs offset destroy destroy-serial overwrite "
             "allow-unwritten allow-unseen", "requests of this engine move no bytes"),
    NEEDS("files", "@action", "they are what these engines make, look at and remove"),
    EXCLUDES("net", "mode", "a mode is about a file"),
    NEEDS("spin", "find-rate @due-times", "it says how a worker waits until a request is due"),
    {0},
};
/* clang-format on */

const struct option_row run_option_rows[] = {
    {.section = "Workload",
     .name = "rw",
     .argument = "PATTERN",
     .kind = OPTION_CHOICE,
     RUN(rw),
     .value = "randread",
     .choices = OPTION_CHOICES({"read", RW_READ}, {"write", RW_WRITE}, {"randread", RW_RANDREAD},
                               {"randwrite", RW_RANDWRITE}, {"rw", RW_RW}, {"randrw", RW_RANDRW},
                               {"trim", RW_TRIM}, {"randtrim", RW_RANDTRIM},
                               {"trimwrite", RW_TRIMWRITE}, {"randtrimwrite", RW_RANDTRIMWRITE}),
     .help =
         "Sequential or random, reads, writes or both; or trims: discards of a block device, holes "
         "punched into a file. trimwrite trims a block, then writes it."},
    {.name = "rwmixread",
     .argument = "PERCENT",
     .kind = OPTION_UNSIGNED,
     RUN(rwmixread),
     .min = 0,
     .max = 100,
     .value = "50",
     .help = "Share of reads with --rw rw and randrw."},
    {.name = "percentage_random",
     .argument = "PERCENT",
     .kind = OPTION_UNSIGNED,
     RUN(percentage_random),
     .min = 0,
     .max = 100,
     .value = "100",
     .help = "Share of random offsets in a random pattern; the others go on sequentially."},
    OPTION_GROUP(PLAN_WORKLOAD),
    OPTION_GROUP(PLAN_REGION),
    OPTION_GROUP(PLAN_ZONES),
    OPTION_GROUP(PLAN_TIMING),
    OPTION_GROUP(PLAN_ENGINE),
    {.name = "net",
     .argument = "HOST[:PORT]",
     .kind = OPTION_TEXT,
     RUN(net),
     .value_words = "none",
     .help = "Measure the network to a host where cupel serve runs, in place of a TARGET: each "
             "request is bytes that it sends (read) or takes and acknowledges (write). One "
             "connection of TCP for each job."},
    MACHINE_OPTIONS(struct run_options),
    OPTION_GROUP(PLAN_DATA),
    OPTION_GROUP(PLAN_SAFETY),
    OPTION_GROUP(PLAN_STATISTICS),
    {.name = "min-time"},
    {.name = "limit",
     .help = "Longest time for the whole session; reached before the precision, the exit status is "
             "5 and the result holds what was reached. A first look, without any option about the "
             "statistics or the end, takes " STRING(FIRST_LOOK_SECONDS) " s at most."},
    OPTION_GROUP(PLAN_ENDING),
    OPTION_GROUP(PLAN_SLA),
    OPTION_GROUP(PLAN_FIND_RATE),
    OPTION_GROUP(PLAN_REPEAT),
    OPTION_GROUP(PLAN_MACHINE),
    OPTION_GROUP(PLAN_OWN_COST),
    OPTION_GROUP(PLAN_MONITOR),
    OPTION_GROUP(PLAN_EVIDENCE),
    {.name = "no-history",
     .kind = OPTION_FLAG,
     RUN(no_history),
     .help =
         "Leave this machine's history alone: neither check what the session before predicted, "
         "nor add this one (cupel report --history). CUPEL_NO_HISTORY in the environment does the "
         "same."},
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
    OPTION_RULES(run_rules),
    {.section = "Job files of fio",
     .name = "dry-run",
     .kind = OPTION_FLAG,
     RUN(dry_run),
     .help = "Print what the job file asks for as command lines of cupel, and do no I/O."},
    {.name = "section",
     .argument = "NAME[,NAME]",
     .kind = OPTION_TEXT,
     RUN(section),
     .value_words = "all",
     .help = "Only the sections of these names."},
    {.name = "lenient",
     .kind = OPTION_FLAG,
     RUN(lenient),
     .help = "Leave out what of the job file cannot be honoured, with a warning in the report. "
             "Without it such a file is refused."},
    {0},
};

/* ---- the command ---- */

#define OPEN_LOOP_IODEPTH 256

/* Sets the plan's pattern and shares from --rw, --rwmixread and --percentage_random. */
static void set_pattern(const struct run_options *o, struct plan *plan)
{
    static const bool randoms[] = {
        [RW_READ] = false,  [RW_RANDREAD] = true, [RW_RANDWRITE] = true,
        [RW_RANDRW] = true, [RW_RANDTRIM] = true, [RW_RANDTRIMWRITE] = true};
    const bool random = randoms[o->rw];
    bool mixed = o->rw == RW_RW || o->rw == RW_RANDRW;
    plan->pattern = random ? PATTERN_RANDOM : PATTERN_SEQUENTIAL;
    plan->random_share = random ? o->percentage_random / 100.0 : 0;
    plan->trims = o->rw == RW_TRIM || o->rw == RW_RANDTRIM ? TRIMS_ALONE
                  : o->rw >= RW_TRIM                       ? TRIMS_BEFORE_WRITES
                                                           : TRIMS_NONE;
    plan->write_share = o->rw == RW_READ || o->rw == RW_RANDREAD ? 0 : 1;
    if (mixed)
        plan->write_share = 1 - o->rwmixread / 100.0;
}

/* Lets a mode, or a backend whose requests move no bytes, set the pattern and other fields of the
   plan. */
static int set_requests(const struct option_set *set, struct plan *plan, struct err *e)
{
    const struct mode_given given = {.engine = options_given(set, "ioengine") != NULL,
                                     .direct = options_given(set, "direct") != NULL};
    const struct io_action *action = plan_action(plan);
    if (action && given.direct && plan->direct)
        return err_set(e, ERR_USAGE, "--ioengine %s: there is no direct I/O for %ss", plan->engine,
                       action->name);
    plan_take_mode(plan, given);
    plan_take_action(plan);
    return 0;
}

/* Makes the host of --net the target. This also sets the backend. */
static int set_net(const struct option_set *set, struct run_options *o, struct err *e)
{
    struct plan *plan = &o->plan;
    if (set->operand_count)
        return err_set(e, ERR_USAGE, "--net %.100s is the target: %.100s cannot be used with it",
                       o->net, set->operands[0]);
    if (options_given(set, "ioengine") && strcmp(plan->engine, io_tcp.name) != 0)
        return err_set(e, ERR_USAGE,
                       "--net has a backend of its own: --ioengine %s cannot be "
                       "used with it",
                       plan->engine);
    snprintf(plan->engine, sizeof plan->engine, "%s", io_tcp.name);
    return session_options_target(o->net, plan, e);
}

int run_options_read(const struct option_set *set, struct run_options *o, struct err *e)
{
    *o = (struct run_options){0};
    if (plan_options_store(set, &o->plan, e))
        return -1;
    set_pattern(o, &o->plan);
    if (set_requests(set, &o->plan, e))
        return -1;
    const char *off = getenv("CUPEL_NO_HISTORY");
    o->plan.history = !o->no_history && !(off && *off);
    if (o->dry_run || o->lenient || o->section[0])
        return err_set(e, ERR_USAGE, "--%s needs a job file of fio: cupel run JOB.fio",
                       o->dry_run   ? "dry-run"
                       : o->lenient ? "lenient"
                                    : "section");
    if (set->operand_count && session_options_target(set->operands[0], &o->plan, e))
        return -1;
    if (o->net[0] && set_net(set, o, e))
        return -1;
    /* In an open loop the rate does not depend on the iodepth. The default is so large that slots
       are free at almost any rate. */
    bool searches = o->plan.ending.find_rate[0];
    bool open = o->plan.rate_iops > 0 || o->plan.phases[0] || o->plan.profile[0] || searches;
    const struct io_ops *ops = io_backend_by_name(o->plan.engine);
    if (open && !(ops && ops->serial) && !options_given(set, "iodepth"))
        o->plan.iodepth = OPEN_LOOP_IODEPTH;
    return session_options_check(set, o, e);
}

/* ---- sections of a fio job file ---- */

static int read_section(const struct fio_job_session *s, struct run_options *o, struct err *e)
{
    static struct option_set set;
    if (options_scan(&set, run_option_rows, s->words, s->word_count, e) ||
        run_options_read(&set, o, e))
        return -1;
    snprintf(o->plan.section, sizeof o->plan.section, "%s", s->name);
    snprintf(o->plan.left_out, sizeof o->plan.left_out, "%s", s->left_out);
    if (s->folder[0])
        snprintf(o->folder, sizeof o->folder, "%s", s->folder);
    if (s->serial[0])
        snprintf(o->plan.destroy_serial, sizeof o->plan.destroy_serial, "%s", s->serial);
    return s->at_once > 1 ? run_targets_check(o, s->at_once, e) : 0;
}

static int check_section(const struct fio_job_session *s, bool *writes, char permitted[1024],
                         struct err *e)
{
    static struct run_options o;
    if (read_section(s, &o, e) || session_options_writes(&o, writes, e))
        return -1;
    const struct plan *p = &o.plan;
    bool permits = p->destroy || p->overwrite || p->destroy_serial[0];
    if (permitted)
        snprintf(permitted, sizeof p->target, "%s", permits ? p->target : "");
    return 0;
}

/* Makes the same checks as the session will when it opens its target, because that may be hours
   later. */
static int may_write_section(const struct fio_job_session *s, struct err *e)
{
    static struct run_options o;
    bool writes;
    if (read_section(s, &o, e) || session_options_writes(&o, &writes, e))
        return -1;
    return writes ? session_may_write(&o.plan, e) : 0;
}

/* The folders of the steps that were measured, for the common report. */
static struct {
    struct text paths; /* each ended by '\0' */
    size_t count;
} steps;

static int run_step(const struct fio_job_session s[], size_t count, struct err *e)
{
    static struct written_before *before; /* what earlier steps of the job file wrote */
    struct run_options *o = calloc(count, sizeof *o);
    const char *names[TOGETHER_MAX];
    int status = 0;
    before = before ? before : written_before_new();
    if (!o)
        return err_no_memory(e, "%zu sessions", count);
    for (size_t i = 0; i < count && !status; i++) {
        status = read_section(&s[i], &o[i], e);
        names[i] = s[i].folder_name;
        o[i].before = before;
    }
    if (!status && s->number == 1 && s->of > 1)
        output_join_begin(o->format);
    if (!status && s->number > 1 && !strcmp(o->format, "text"))
        putchar('\n');
    if (!status)
        status = count > 1 ? run_sections(o, names, count, e) : session_options_run(o, e);
    if (s->folder[0]) {
        text_add_bytes(&steps.paths, o->folder, strlen(o->folder) + 1);
        steps.count++;
    }
    free(o);
    return status;
}

static int run_job_file(const struct option_set *set, struct err *e)
{
    const struct fio_job_runner runner = {.stop = signals_install(),
                                          .check = check_section,
                                          .may_write = may_write_section,
                                          .run = run_step};
    struct err why = {0};
    int status = fio_job_run(set, &runner, e);
    output_join_end();
    if (steps.count &&
        output_join_folders(options_given(set, "output"), steps.paths.data, steps.count, &why)) {
        if (!status)
            *e = why;
        status = -1;
    }
    text_free(&steps.paths);
    return status;
}

/* Refuses other operands with a job file, because the job file names its targets. */
static int check_operands(const struct option_set *set, struct err *e)
{
    for (size_t i = 0; i < set->operand_count && set->operand_count > 1; i++)
        if (i < OPERANDS_MAX && fio_job_is(set->operands[i]))
            return err_set(e, ERR_USAGE, "%.200s: a job file of fio's is run alone",
                           set->operands[i]);
    return 0;
}

/* Sets a short limit if no option is about the precision or the duration. So a first measurement on
   a busy machine does not take ten minutes. */
static void limit_first_look(const struct option_set *set, struct plan *plan)
{
    bool is_first = !plan_is_one_pass(plan);
    for (const struct option_row *row = plan_fields(); row->key; row++)
        if (row->group >= PLAN_STATISTICS && row->group <= PLAN_REPEAT && row->name &&
            options_given(set, row->name))
            is_first = false;
    if (is_first)
        plan->ending.limit_seconds = FIRST_LOOK_SECONDS;
}

static int run_run(const struct option_set *set, struct err *e)
{
    struct run_options o;
    if (options_given(set, "memory") || options_given(set, "processors"))
        return run_machine(set, e);
    if (check_operands(set, e))
        return -1;
    if (set->operand_count && fio_job_is(set->operands[0]))
        return run_job_file(set, e);
    if (run_options_read(set, &o, e))
        return -1;
    limit_first_look(set, &o.plan);
    return set->operand_count > 1 ? run_targets(&o, set->operands, NULL, set->operand_count, e)
                                  : session_options_run(&o, e);
}

/* If `words` is a command line of fio, changes the error to show the equivalent command line of
   cupel. */
static void explain_run(char *const words[], int count, struct err *e)
{
    struct text line = {0}, notes = {0};
    struct err why;
    bool is_fio = fio_command_line(words, count, &line, &notes, &why);
    for (const char *p = notes.data; p && *p; p += strcspn(p, "\n") + 1)
        fprintf(stderr, "# %.*s\n", (int)strcspn(p, "\n"), p);
    if (is_fio && !line.length)
        err_set(e, ERR_USAGE, "this is a command line of fio's, and cupel cannot do all of it: %s",
                why.msg);
    else if (is_fio && line.length < sizeof e->msg - 80)
        err_set(e, ERR_USAGE, "this is a command line of fio's; cupel's is: %s", line.data);
    text_free(&line);
    text_free(&notes);
}

static int foresee_run(const struct option_set *set, struct command_effect *effect, struct err *e)
{
    struct run_options o;
    if (options_given(set, "memory") || options_given(set, "processors"))
        return command_only_reads(set, effect, e);
    if (set->operand_count > 1)
        return err_set(e, ERR_USAGE, "several targets are measured by hand only: name one");
    if (set->operand_count && fio_job_is(set->operands[0]))
        return err_set(e, ERR_USAGE,
                       "%.200s: a job file is run by hand only: name what it measures",
                       set->operands[0]);
    return run_options_read(set, &o, e) ? -1 : session_options_foresee(&o, effect, e);
}

const struct command command_run = {
    .name = "run",
    .operands = "[TARGET...]",
    .summary = "measure a file, a folder or a block device",
    .description =
        (const char *const[]){
            "Issues I/O to TARGET in rounds until the confidence interval of the mean IOPS is as "
            "narrow as asked (--preset, --ci), or until --limit. Warm-up is found and left out, "
            "autocorrelation is accounted for, and the machine's state stands beside the result.",
            "TARGET is a regular file, a block device, or a folder. In a folder a scratch file of "
            "1 GiB, or of --size, is made, filled, measured and removed. Without TARGET the folder "
            "is the current one.",
            "Several TARGETs are measured at the same time: they begin at one instant, and each "
            "stays "
            "under load until the last one is measured. There is a result for each and one for "
            "all, "
            "and of the parts that their data paths share how much of each was used. Two names of "
            "one disk are refused. One target that fails ends alone.",
            "A TARGET whose name ends in .fio is a job file of fio's: its sections are measured "
            "one after the other or at the same time, as the file says, with the other options "
            "here after those of the file. It permits nothing: what writes to a device or to a "
            "file that is "
            "there needs --destroy or --overwrite here as always.",
            "Reading opens the target for reading only. Writing to a block device needs --destroy, "
            "or --destroy-serial with the disk's serial number, and is refused while anything uses "
            "the device. A file that cupel did not make is "
            "written only with --overwrite. A file with holes or blocks that were never written is "
            "refused, because reading them measures nothing.",
            "The interval of one session promises the mean of that stretch of time on this "
            "machine, and no more may be claimed of the target. \"A repetition should give\" "
            "promises the next session of the same length, at 95 %: run it again to check that. "
            "Levels of real devices wander from one day to the next; for a claim about the "
            "machine, --repeat and --every spread several sessions over time and make one interval "
            "over them.",
            "Sizes are written 512, 4k, 1m, 2g (powers of 1024), times 500us, 10ms, 2s, 5m, 1h, "
            "shares 5% or 0.05. Standard output carries the result only. Ctrl-C ends the session "
            "with what was measured so far.",
            NULL},
    .options = run_option_rows,
    .examples =
        (const struct help_item[]){
            {"cupel run", "Random reads of 4 KiB, one at a time, on this folder's disk."},
            {"cupel run /dev/sdb --iodepth 32 --ci 5%",
             "A whole disk, read only, until the interval is within 5 % of the mean."},
            {"cupel run test.dat --size 4g --rw randrw --rwmixread 70 --format csv",
             "A mix on a file of 4 GiB, which is made if it is not there; as CSV."},
            {"cupel run /dev/nvme1n1 --rw write --destroy-serial S6EUNA0R500123",
             "Writes over that disk, and over no other that may have its name by now."},
            {"cupel run test.dat --size 64m --mode reread --direct 0 --runtime 5s",
             "IOzone's re-read: out of the page cache."},
            {"cupel run /dev/nvme*n1 --runtime 60s -o result",
             "All of them at the same time: a result each, one for all, and what they share."},
            {"cupel run --memory", "The memory in place of a disk."},
            {"cupel run --processors", "The processors in place of a disk."},
            {"cupel run nightly.fio --dry-run",
             "What a job file of fio's would measure, as command lines."},
            {"cupel run --preset quick -o result", "A quick look, kept in the folder result."},
            {"cupel run /dev/sdb --find-rate 'read.p99<1ms'",
             "The highest rate of random reads at which 99 % of them take less than 1 ms."},
            {"cupel run /dev/sdb --repeat 5 --every 10m -o result",
             "Five sessions over 40 minutes, and one interval over them."},
            {"srun -N 4 cupel run /data --start-together /nfs/meet -o /nfs/run1/%h-%r",
             "Four hosts at once; mpirun, clush, pdsh and Ansible do it as well."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Measured, and as precise as asked; with --repeat every session, and the "
                  "interval over them."},
            {"2", "Wrong options, or a target that does not exist."},
            {"3", "Refused, because data could be lost or nothing would be measured."},
            {"4", "The target failed or filled up, or the result could not be written."},
            {"5",
             "The limit or a signal came before the precision, or the target did not keep up with "
             "what fell due; what was measured is printed."},
            {"6", "This machine, kernel or permission cannot do it."},
            {0}},
    .files =
        (const struct help_item[]){
            {"DIR/record.cupel", "Everything that was measured; cupel report reads it, also when "
                                 "the session was killed."},
            {"DIR/NAME/record.cupel, ..., DIR/merged.cupel",
             "With several targets: each by its name, and the sum."},
            {"DIR/rate-001/record.cupel, ..., DIR/rates.csv",
             "With --find-rate: each session, and the curve of latency against rate."},
            {"DIR/session-1/record.cupel, ...", "With --repeat: each session; cupel report DIR "
                                                "reads them."},
            {"DIR/report.txt", "The report as text."},
            {"DIR/summary.csv, rounds.csv, unit_readings.csv, ...", "The same as tables."},
            {"/sys, /proc", "Read for what the machine is; with --sysroot another machine's."},
            {0}},
    .max_operands = OPERANDS_MAX,
    .beginnings =
        (const struct help_item[]){
            {"cupel run", "random reads of 4 KiB on this folder's disk"},
            {"cupel run FILE --iodepth 32", "the same on a file or block device, 32 at a time"},
            {0}},
    .run = run_run,
    .explain = explain_run,
    .foresee = foresee_run,
};
