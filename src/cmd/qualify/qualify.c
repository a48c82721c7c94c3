/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel qualify: checks whether this machine is what was paid for. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file/file.h"
#include "base/file/file_identity.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/qualify/internal.h"
#include "cmd/qualify/qualify_folder.h"
#include "cmd/run/launch_options.h"
#include "cmd/run/session_options.h"
#include "cmd/terminal/full_screen.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "facts/result.h"
#include "hw/sysroot/sysroot.h"
#include "machine/qualify/fleet.h"
#include "report/inventory/inventory.h"
#include "report/qualify/fleet.h"
#include "report/qualify/qualification.h"
#include "stat/judge.h"

#define EXIT_LINE_MAX ((size_t)QUALIFICATION_CHECKS * (QUALIFICATION_WORDS + 80))

/* ---- options ---- */

#define QUALIFY(member) OPTION_FIELD(struct qualify_options, member)

/* clang-format off */
static const struct option_rule qualify_rules[] = {
    EXCLUDES("together", "destroy-serial sla", "--together makes no tests that these are about"),
    EXCLUDES("fleet", "memory processors burn expect sla write-expect destroy-serial output certificate live", "--fleet compares reports that are there"),
    {0},
};
/* clang-format on */

const struct option_row qualify_option_rows[] = {
    {.section = "What is expected",
     .name = "expect",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     QUALIFY(expect),
     .value_words = "only what is wrong in any machine fails it",
     .help = "Hold the machine against FILE: how many disks, which links, sizes, bandwidth, IOPS "
             "and latencies it must have."},
    {.name = "sla",
     .argument = "CLAUSES",
     .words = WORDS_CLAUSES,
     .kind = OPTION_TEXT,
     QUALIFY(sla),
     .value_words = "none",
     .help = "Limits for every test of every disk: p99<5ms, errors=0. Each test goes on until all "
             "of its clauses have passed or failed at the confidence level, or until --limit. "
             "Clauses for some tests or disks stand in sections [test] of --expect. The language "
             "is that of cupel run."},
    {.name = "write-expect",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     QUALIFY(write_expect),
     .value_words = "none is written",
     .help = "Make FILE, which must not exist, from what was found here, with some room: for a "
             "machine that is known to be good. Look it through before others are held against "
             "it."},

    {.name = "fleet",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     QUALIFY(fleet),
     .value_words = "this machine is measured",
     .help = "Measure nothing: compare the drives of all machines whose folders of -o were "
             "collected in DIR with each other, and name those that are slower than their peers, "
             "and what else differs. Of several reports of a machine the newest counts."},

    {.section = "How it is measured",
     .name = "preset",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     QUALIFY(preset),
     .value = "normal",
     .choices = OPTION_CHOICES({"quick", 0}, {"normal", 0}, {"strict", 0}),
     .help = "How precise each measurement has to be; as in cupel run."},
    {.name = "limit",
     .argument = "TIME",
     .kind = OPTION_TIME,
     QUALIFY(limit_seconds),
     .min = 0.1,
     .max = 86400,
     .value = "60s",
     .help =
         "Longest time for each measurement of each disk. Reached before the precision, a warning "
         "says how wide the interval is; without a steady state it is undecided."},
    {.name = "together",
     .kind = OPTION_FLAG,
     QUALIFY(together),
     .help = "In place of the tests of each disk: every disk alone and all together, in turns, and "
             "the root port, switch, adapter, expander or socket by which they lose. Disks that "
             "share nothing are read at the same time. --limit is then for all rounds of a disk; "
             "how long it takes in all is shown first."},

    {.name = "memory",
     .kind = OPTION_FLAG,
     QUALIFY(memory),
     .help = "Measure the memory, too, as cupel run --memory does, and hold its bandwidth against "
             "80 % of what its modules let through, and against --expect."},
    {.name = "processors",
     .kind = OPTION_FLAG,
     QUALIFY(processors),
     .help = "Measure the processors, too, as cupel run --processors does: their clock under load "
             "against their base clock, the slowest one, throttling by heat and by power; and hold "
             "them against --expect."},
    {.name = "burn",
     .argument = "TIME",
     .kind = OPTION_TIME,
     QUALIFY(burn_seconds),
     .min = 0,
     .max = 7 * 86400,
     .value_words = "they are not tested",
     .help = "Test processors and memory for TIME, before the disks: for a quarter of it all "
             "processors compute the same, then patterns (own address, walking bits, "
             "random, moving inversion) are written over all free memory but an eighth and read "
             "again by all processors. An error is named by processor, node, address and module, "
             "as far as the kernel reports them. Power and temperatures are kept over time."},

    {.section = "Safety",
     .name = "allow-unwritten",
     .kind = OPTION_FLAG,
     QUALIFY(allow_unwritten),
     .help = "Measure disks all the same of which more than half reads as zeros: reads of what "
             "was never written need not reach the medium. It is a warning."},
    {.name = "destroy-serial",
     .argument = "SERIAL,...",
     .kind = OPTION_TEXT,
     QUALIFY(serials.text),
     .value_words = "no disk is written",
     .help = "Also measure writing, which destroys what they hold, on the disks with these serial "
             "numbers and on no other. A disk in use is not written all the same."},

    OUTPUT_PAGE_OPTION(struct qualify_options),
    OUTPUT_FULL_OPTION(struct qualify_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     QUALIFY(folder),
     .value_words = "nothing is kept",
     .help = "Keep the whole result in DIR, which is made and must not exist. " RANK_NAME_WORDS},
    LIVE_OPTION(QUALIFY(live)),
    CERTIFICATE_OPTION(QUALIFY(certificate)),
    {OPTION_LABEL(struct qualify_options, labels)},
    OPTION_RULES(qualify_rules),
    {0},
};

int qualify_options_read(const struct option_set *set, struct qualify_options *o, struct err *e)
{
    *o = (struct qualify_options){0};
    if (options_store_defaults(qualify_option_rows, o, e) || options_store(set, o, e) ||
        (o->live && full_screen_check(e)) || serial_list_cut(&o->serials, e))
        return -1;
    return 0;
}

/* ---- the command ---- */

/* Prints a line at the begin of each measurement, which remains on the terminal. Progress is drawn
   below it, or on a full screen that covers it. */
static void show_stage(void *context, const char *text)
{
    struct progress *progress = context;
    if (progress->live)
        full_screen_leave();
    else
        progress_end(progress);
    fprintf(stderr, "%s\n", text);
    if (!progress->live)
        progress_begin(progress, "looking at the target");
}

/* ---- expectations ---- */

/* Checks that the file can be created and does not exist yet, before an hour of measuring. */
static int check_write_expect(const char *path, struct err *e)
{
    if (!*path)
        return 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_set(e, ERR_USAGE, "--write-expect %.200s: %s", path,
                       errno == EEXIST ? "it exists already" : strerror(errno));
    file_remove(fd, AT_FDCWD, path);
    close(fd);
    return 0;
}

static int write_expect(const struct qualification *q, const char *path, struct err *e)
{
    struct text out = {0};
    int status = 0;
    expectation_write(q, &out);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        status = err_set(e, ERR_TARGET, "--write-expect %.200s: %s", path, strerror(errno));
    else if (out.failed)
        status = err_no_memory(e, "the expectations in %.200s", path);
    else
        status = write_all(fd, out.data, out.length, path, e);
    if (fd >= 0 && !status && fsync(fd))
        status = err_set(e, ERR_TARGET, "%.200s: %s", path, strerror(errno));
    if (fd >= 0 && status)
        file_remove(fd, AT_FDCWD, path);
    if (fd >= 0)
        close(fd);
    text_free(&out);
    return status;
}

/* ---- the command ---- */

static int keep_result(void *context, const char *folder, const struct result *result,
                       struct err *e)
{
    (void)context;
    return folder ? output_folder(result, folder, e) : 0;
}

/*
 * Calls qualify() and writes the results to `folder`, which is created and must not exist before;
 * NULL: nothing is written. Sets `folder` and `keep` of the request; `so_far` is not called. Each
 * file is either complete or missing. Fails as qualify() does, and removes the folder again if it
 * is empty. On success, the caller owns *q (qualifier_free). If only the last files could not be
 * written, returns -1 with ERR_TARGET, and *q is set.
 */
static int qualify_into_folder(struct qualifier **q, const struct qualify_request *request,
                               const char *folder, struct err *e)
{
    struct qualify_request own = *request;
    *q = NULL;
    own.folder = folder;
    own.keep = keep_result;
    own.so_far = NULL;
    if (folder && dir_make_new(folder, e))
        return -1;
    if (qualify(q, &own, e)) {
        if (folder)
            rmdir(folder); /* removes it only if it is empty */
        return -1;
    }
    if (folder && qualify_write_files(qualifier_result(*q), folder, false, e))
        return -1;
    return qualifier_kept(*q, e);
}

/* Returns the line "FAIL: ..." of any length, which is printed at the exit. The caller frees it.
   Returns NULL when memory ran out. */
static char *qualify_exit_line(const struct qualification *q)
{
    char *line = malloc(EXIT_LINE_MAX);
    return line ? qualification_line(q, line, EXIT_LINE_MAX) : NULL;
}

static int report(const struct qualification *q, const struct qualify_options *o, struct err *e)
{
    const struct output_certificate certificate = {.qualification = q,
                                                   .path = o->folder[0] ? o->folder : NULL};
    struct report_style style = output_style();
    struct text out = {0};
    style.full = o->full;
    style.folder = o->folder;
    const struct output_form form = {.format = o->format, .full = o->full, .folder = o->folder};
    bool shown = o->certificate && (!strcmp(o->format, "text") || !strcmp(o->format, "html"));
    if (o->certificate && output_certificate(&certificate, &form, e))
        return -1;
    if (!shown)
        report_print(&qualification_report, q, o->format, &style, &out);
    if (output_text(&out, e))
        return -1;
    if (o->write_expect[0] && !q->interrupted && write_expect(q, o->write_expect, e))
        return -1;
    /* This line has all deviations, and may be longer than the message of an error. */
    char *line = qualify_exit_line(q);
    if (!line)
        return err_no_memory(e, "the exit line");
    if (q->grade >= GRADE_WARN) {
        fflush(stdout);
        fprintf(stderr, "cupel qualify: %s\n", line);
    }
    free(line);
    return (int)qualification_status(q);
}

static int measure(const struct option_set *set, const struct qualify_options *o,
                   const struct expectation *expectation, const struct sysroot *root,
                   struct qualifier **q, struct err *e)
{
    struct progress progress;
    const struct qualify_request request = {
        .root = root,
        .names = set->operands,
        .name_count = set->operand_count,
        .labels = o->labels,
        .preset = o->preset,
        .limit_seconds = o->limit_seconds,
        .together = o->together,
        .memory = o->memory,
        .processors = o->processors,
        .burn_seconds = o->burn_seconds,
        .allow_unwritten = o->allow_unwritten,
        .destroy_serials = o->serials.serials,
        .expectation = expectation,
        .stop = signals_install(),
        .overall = progress_overall,
        .observer = {.progress = progress_show,
                     .context = &progress,
                     .notice = progress_notice,
                     .live = o->live},
        .stage = show_stage,
        .context = &progress,
    };
    progress_begin(&progress, "looking at the machine");
    const struct report_style style = output_style();
    int status = o->live && progress_full_screen(&progress, &style, e) ? -1 : 0;
    if (!status)
        status = qualify_into_folder(q, &request, o->folder[0] ? o->folder : NULL, e);
    progress_end(&progress);
    return status;
}

/* Compares the collected reports of a fleet, without measuring. */
static int report_fleet(const struct option_set *set, const struct qualify_options *o,
                        struct err *e)
{
    struct fleet fleet = {0};
    struct text out = {0};
    struct report_style style = output_style();
    style.full = o->full;
    if (set->operand_count)
        return err_set(e, ERR_USAGE, "--fleet compares reports that are there, and takes no DISK");
    int status = fleet_read(&fleet, o->fleet, e) || fleet_judge(&fleet, e) ? -1 : 0;
    if (!status) {
        report_print(&fleet_report, &fleet, o->format, &style, &out);
        status = output_text(&out, e) ? -1 : (int)fleet_status(&fleet);
    }
    fleet_free(&fleet);
    return status;
}

static int run_qualify(const struct option_set *set, struct err *e)
{
    struct qualify_options o;
    struct sysroot root;
    struct expectation *expectation = NULL;
    struct qualifier *q = NULL;
    if (qualify_options_read(set, &o, e))
        return -1;
    if (o.fleet[0])
        return report_fleet(set, &o, e);
    if (output_certificate_check(o.certificate, o.format, o.folder, e) ||
        launch_output_name(o.folder, sizeof o.folder, e) || sysroot_open(&root, NULL, e) ||
        check_write_expect(o.write_expect, e) ||
        (o.expect[0] && expectation_read(&expectation, o.expect, e)))
        return -1;
    if (o.sla[0] && expectation_add_sla(&expectation, o.sla, o.serials.count > 0, e)) {
        expectation_free(expectation);
        return -1;
    }
    int status = measure(set, &o, expectation, &root, &q, e);
    if (!status)
        status = report(qualifier_result(q), &o, e);
    else if (q) /* measured, but some results could not be kept, as *e says */
        report(qualifier_result(q), &o, NULL);
    qualifier_free(q);
    expectation_free(expectation);
    return status;
}

static int foresee_qualify(const struct option_set *set, struct command_effect *effect,
                           struct err *e)
{
    struct qualify_options o;
    if (qualify_options_read(set, &o, e))
        return -1;
    effect->writes = o.serials.count > 0;
    return command_effect_serials(effect, &o.serials, e);
}

const struct command command_qualify = {
    .name = "qualify",
    .operands = "[DISK...]",
    .summary = "judge whether this machine is what was paid for",
    .description =
        (const char *const[]){
            "Looks at the machine, measures sequential and random reads of every disk, one disk "
            "after the other, and judges: links below what both ends can, health, heat and "
            "throttling, errors, and with --expect everything a site wants of its machines. One "
            "page with pass, warn, undecided or fail for each disk, then the details.",
            "DISK is the name, path or serial number of a disk; without any, all disks are "
            "measured. Loop devices and volumes are measured when they are named. Reading opens "
            "them read-only; disks with mounted filesystems are read as well.",
            "The file of --expect has sections [machine] and [disk KIND] or [disk MODEL] with "
            "lines "
            "such as: count = 12; link >= 16.0 GT/s x4; read bandwidth >= 6.5 GB/s warn >= 6.8 "
            "GB/s; randread p99 <= 500us; and sections [test NAME] with clauses as in --sla. "
            "--write-expect makes one to begin with, and cupel help "
            "expect.txt lists all that may stand in it.",
            "A value with an interval passes when all of the interval is on the right side, and "
            "fails when all of it is on the wrong side. In between it is undecided, as is what was "
            "expected and could not be found out: exit status 5, unless something failed. A "
            "machine without a disk fails.",
            NULL},
    .options = qualify_option_rows,
    .examples =
        (const struct help_item[]){
            {"cupel qualify", "All disks of this machine."},
            {"cupel qualify nvme0n1 --preset quick", "A quick look at one disk."},
            {"cupel qualify --sla 'p99<5ms, errors=0' --limit 5m",
             "Decide that for every test of every disk, within 5 minutes each."},
            {"cupel qualify --together", "What disks lose when all are busy, and which part of the "
                                         "machine it is."},
            {"cupel qualify --write-expect r7625.expect", "On the machine that is known to be "
                                                          "good, and then on each of the others:"},
            {"cupel qualify --fleet reports", "The odd ones out of a rack whose folders of -o were "
                                              "collected in the folder reports."},
            {"cupel qualify --expect r7625.expect -o report",
             "Hold it against that, and keep everything in the folder report."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Everything passed, or there are warnings only, which are on standard error."},
            {"1", "Something failed; the last line of standard error names every deviation. With "
                  "--fleet: a drive or a machine is slower than its peers."},
            {"2",
             "Wrong options, a DISK or a serial number of --destroy-serial that is not there, or a "
             "FILE of --expect with a mistake."},
            {"3", "A serial number of --destroy-serial that several disks of this machine have."},
            {"4", "The result could not be kept as asked; what was found is printed all the same."},
            {"5",
             "Something is undecided: a measurement without a steady state or that was not made, "
             "an "
             "expectation whose limit lies inside the interval or whose value is not known; or a "
             "signal came. What was measured is printed. With --fleet: a report could not be read, "
             "or no drive has peers enough."},
            {"6", "Not permitted, or not enough memory."},
            {0}},
    .files =
        (const struct help_item[]){
            {"DIR/qualification.txt, .csv, .json", "The page, the checks and measurements."},
            {"DIR/machine.json", "What the machine is."},
            {"DIR/DISK-TEST/", "Of each measurement what cupel run -o keeps."},
            {"/sys, /proc", "Read for what the machine is."},
            {0}},
    .max_operands = OPERANDS_MAX,
    .beginnings =
        (const struct help_item[]){
            {"cupel qualify", "every disk: is the machine what was paid for?"}, {0}},
    .run = run_qualify,
    .foresee = foresee_qualify,
};
