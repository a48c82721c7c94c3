/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel accept: writes new drives completely, tests them, and judges them. */
#include "machine/accept/accept.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "cmd/internal.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "facts/result.h"
#include "hw/sysroot/sysroot.h"
#include "report/accept/acceptance_report.h"
#include "stat/judge.h"

/* ---- options ---- */

struct accept_options {
    struct serial_list serials;
    bool destroy, same_target, allow_unseen, dry_run, verify;
    char resume[1024];
    char stages[200], purge[16];
    uint32_t passes;
    bool client;
    double hours, cell_seconds;
    double verify_share;
    enum accept_at_once at_once;
    char format[OUTPUT_FORMAT_MAX];
    bool full;
    char folder[1024];
};

#define ACCEPT(member) OPTION_FIELD(struct accept_options, member)

/* clang-format off */
static const struct option_rule accept_rules[] = {
    EXCLUDES("resume", "output", "--resume has the folder already"),
    EXCLUDES("resume", "dry-run", "the work is under way"),
    EXCLUDES("verify", "dry-run destroy destroy-serial", "--verify writes nothing"),
    {0},
};
/* clang-format on */

static const struct option_row option_rows[] = {
    {.section = "Safety",
     .name = "destroy-serial",
     .argument = "SERIAL,...",
     .kind = OPTION_TEXT,
     ACCEPT(serials.text),
     .value_words = "no disk is written",
     .help = "The serial numbers of the disks: all that they hold is destroyed. A disk in use is "
             "not written all the same."},
    {.name = "destroy",
     .kind = OPTION_FLAG,
     ACCEPT(destroy),
     .help = "All that the disks hold is destroyed: the serial number of each is asked for on the "
             "terminal. A disk without one, as a loop device, needs nothing else."},
    {.name = "same-target",
     .kind = OPTION_FLAG,
     ACCEPT(same_target),
     .help = "With --resume: the disks are those that the work was begun on, although one has "
             "another identity now, or nothing identifies it."},
    {.name = "allow-unseen",
     .kind = OPTION_FLAG,
     ACCEPT(allow_unseen),
     .help = "Write the disks all the same where it cannot be seen whether another program has one "
             "open for writing, as in a container."},
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     ACCEPT(dry_run),
     .help = "Print what would be done and about how long it takes. Nothing is written."},

    {.section = "What is done",
     .name = "stages",
     .argument = "NAME,...",
     .kind = OPTION_TEXT,
     ACCEPT(stages),
     .value = ACCEPT_STAGES_USUAL,
     .help = "The stages, which run in an order of their own: " ACCEPT_STAGES_WORDS},
    {.name = "purge",
     .argument = "COMMAND",
     .kind = OPTION_TEXT,
     ACCEPT(purge),
     .choices = OPTION_CHOICES({"format", 0}, {"sanitize", 0}, {"crypto", 0}, {"secure-erase", 0}),
     .value_words = "the drives are not purged",
     .help =
         "Erase each drive first, by a command of its own that cannot be stopped: Format NVM, "
         "Sanitize by block or crypto erase (NVMe; SCSI and SAS: FORMAT UNIT, SANITIZE), or the "
         "secure erase of ATA, which sets the password cupel-purge until it is done."},
    {.name = "passes",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     ACCEPT(passes),
     .min = 1,
     .max = 100,
     .value = "2",
     .help = "How many times preconditioning writes all of a disk."},
    {.name = "verify",
     .kind = OPTION_FLAG,
     ACCEPT(verify),
     .help = "Only read back what an earlier call with the same -o has written, as after a power "
             "cycle, and name every sector that is not as it must be. Nothing is written."},
    {.name = "verify-share",
     .argument = "SHARE",
     .kind = OPTION_SHARE,
     ACCEPT(verify_share),
     .min = 1e-6,
     .max = 1,
     .value = "100%",
     .help = "How much of a disk is read back: less than all is a sample of at least 1024 blocks "
             "of 128 KiB, each drawn from a part of its own."},
    {.name = "resume",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     ACCEPT(resume),
     .value_words = "a new acceptance",
     .help = "Go on with what was cut off, by a power loss or a signal: DIR is that of -o and "
             "holds what is to be done. The same command with the same -o does it too."},

    {.name = "at-once",
     .argument = "WHICH",
     .kind = OPTION_CHOICE,
     ACCEPT(at_once),
     .choices = OPTION_CHOICES({"apart", ACCEPT_APART}, {"all", ACCEPT_ALL}, {"one", ACCEPT_ONE}),
     .value = "apart",
     .help = "Of several disks: all are written and read back at once; those that share a part of "
             "the machine which could slow them run the tests of the PTS in turns (apart), or all "
             "at once, as the result says (all); or one disk after the other (one)."},

    {.section = "Tests of SNIA's PTS",
     .name = "mode",
     .argument = "MODE",
     .kind = OPTION_CHOICE,
     ACCEPT(client),
     .choices = OPTION_CHOICES({"enterprise", false}, {"client", true}),
     .value = "enterprise",
     .help = "PTS-E tests all of a disk, 4 threads with 32 requests each; PTS-C three quarters of "
             "it, 2 threads with 16. The write cache stays as it is, and is reported."},
    {.name = "hours",
     .argument = "H",
     .kind = OPTION_RATE,
     ACCEPT(hours),
     .min = 0.01,
     .max = 10000,
     .value_words = "as long as they take",
     .help = "Time for all tests of a disk, with their preconditioning. Cells, seconds and rounds "
             "are reduced until they fit; what was reduced stands in the name of the test. The "
             "active range never is."},
    {.name = "cell-seconds",
     .argument = "TIME",
     .kind = OPTION_TIME,
     ACCEPT(cell_seconds),
     .min = 0.1,
     .max = 60,
     .value_words = "60 s, or as --hours permits",
     .help = "How long each cell is measured at most. Less than 60 s is a reduced test."},

    OUTPUT_PAGE_OPTION(struct accept_options),
    OUTPUT_FULL_OPTION(struct accept_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     ACCEPT(folder),
     .value_words = "needed, but for --dry-run and --resume",
     .help = "Keep the state of the work and the result in DIR, which is made. It may not lie on "
             "one of the disks."},
    OPTION_RULES(accept_rules),
    {0},
};

/* Adds the stage "purge" if --purge gives a command and --stages does not name the stage. */
static int add_purge(struct accept_options *o, struct err *e)
{
    char named[sizeof o->stages];
    bool is_named = !strncmp(o->stages, "purge", 5) || strstr(o->stages, ",purge");
    if (is_named && !o->purge[0])
        return err_set(e, ERR_USAGE, "--stages purge: --purge says by which command");
    if (!o->purge[0] || is_named)
        return 0;
    snprintf(named, sizeof named, "%s", o->stages);
    snprintf(o->stages, sizeof o->stages, "purge,%.190s", named);
    return 0;
}

/* Reads the options. *o has pointers into itself, so it must not be copied. */
static int read_options(const struct option_set *set, struct accept_options *o, struct err *e)
{
    *o = (struct accept_options){0};
    if (options_store_defaults(option_rows, o, e) || options_store(set, o, e) ||
        serial_list_cut(&o->serials, e) || accept_stages_check(o->stages, e) || add_purge(o, e))
        return -1;
    if (!set->operand_count && !o->resume[0])
        return err_set(e, ERR_USAGE, "DISK is missing; usage: cupel accept DISK... [options]");
    if (!o->resume[0] && !o->folder[0] && !o->dry_run)
        return err_set(e, ERR_USAGE,
                       "-o DIR is missing: it keeps the state by which the work goes on after a "
                       "power loss");
    static const char *const of_the_work[] = {"stages", "purge",        "passes",       "mode",
                                              "hours",  "cell-seconds", "verify-share", "at-once"};
    for (size_t i = 0; i < sizeof of_the_work / sizeof *of_the_work && o->resume[0]; i++)
        if (options_given(set, of_the_work[i]) && !o->verify)
            return err_set(e, ERR_USAGE,
                           "--%s and --resume exclude each other: the work goes on as it was begun",
                           of_the_work[i]);
    return 0;
}

/* ---- the command ---- */

/* Asks for a drive's serial number at the terminal. Returns false without asking if there is no
   terminal, or if nothing was typed. */
static bool ask_serial(void *context, const char *disk, char *typed, size_t size)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return false;
    progress_end(context);
    fprintf(stderr, "All that %s holds will be destroyed. Its serial number: ", disk);
    if (!fgets(typed, (int)size, stdin))
        return false;
    typed[strcspn(typed, "\r\n")] = '\0';
    return typed[0];
}

static void show_stage(void *context, const char *words)
{
    struct progress *progress = context;
    progress_end(progress);
    fprintf(stderr, "%s\n", words);
    progress_begin(progress, "looking at the drive");
}

/* Writes the result in all formats as files of the folder, replacing earlier ones. */
static int keep(const struct acceptance *a, const char *folder, struct err *e)
{
    static const char *const names[] = {"acceptance.txt", "acceptance.csv", "acceptance.json",
                                        "report.html", NULL};
    const struct report_style style = {.width = 80, .full = true};
    struct text out = {0};
    if (output_report(&acceptance_report, a, &style, names, folder, output_file_anew, e))
        return -1;
    acceptance_pts_csv(a, &out);
    return output_file_anew(folder, "pts.csv", &out, e);
}

int acceptance_output(const char *folder, const char *format, bool full, bool keeps, struct err *e)
{
    struct acceptance a;
    struct report_style style = output_style();
    struct text out = {0};
    if (accept_read(&a, folder, e))
        return -1;
    style.full = full;
    report_print(&acceptance_report, &a, format, &style, &out);
    int status = output_text(&out, e);
    if (!status && keeps)
        status = keep(&a, folder, e);
    if (!status && acceptance_status(&a, e))
        status = -1;
    acceptance_free(&a);
    return status;
}

static int work(const struct option_set *set, const struct accept_options *o,
                const struct sysroot *root, const char *folder, struct err *e)
{
    struct progress progress;
    const struct session_observer observer = {
        .progress = progress_show, .context = &progress, .notice = progress_notice};
    const struct accept_request request = {
        .root = root,
        .names = set->operands,
        .name_count = set->operand_count,
        .serials = o->serials.serials,
        .destroy = o->destroy,
        .allow_unseen = o->allow_unseen,
        .same_target = o->same_target,
        .folder = folder,
        .resume = !o->dry_run && (o->resume[0] || accept_is_in(folder)),
        .stages = o->stages,
        .purge = o->purge,
        .passes = o->passes,
        .client = o->client,
        .hours = o->hours,
        .cell_seconds = o->cell_seconds,
        .verify_share = o->verify_share,
        .at_once = o->at_once,
        .stop = signals_install(),
        .observer = &observer,
        .stage = show_stage,
        .overall = progress_overall,
        .ask = ask_serial,
        .context = &progress,
    };
    if (o->dry_run) {
        struct text out = {0};
        int status = accept_plan_words(&request, &out, e);
        if (status)
            text_free(&out);
        return status ? -1 : output_text(&out, e);
    }
    progress_begin(&progress, "looking at the machine");
    int status = o->verify ? accept_verify(&request, e) : accept_run(&request, e);
    progress_end(&progress);
    return status;
}

static int run_accept(const struct option_set *set, struct err *e)
{
    struct accept_options o;
    struct sysroot root;
    if (read_options(set, &o, e) || sysroot_open(&root, NULL, e))
        return -1;
    const char *folder = o.resume[0] ? o.resume : o.folder;
    if (work(set, &o, &root, folder, e))
        return -1;
    return o.dry_run ? 0 : acceptance_output(folder, o.format, o.full, true, e);
}

static int foresee_accept(const struct option_set *set, struct command_effect *effect,
                          struct err *e)
{
    struct accept_options o;
    if (read_options(set, &o, e))
        return -1;
    effect->writes = !o.dry_run && !o.verify;
    return command_effect_serials(effect, &o.serials, e);
}

const struct command command_accept = {
    .name = "accept",
    .operands = "[DISK...]",
    .summary = "write new drives from end to end, and judge them",
    .description =
        (const char *const[]){
            "Takes new drives into service: writes all of each in order, twice, shows the "
            "throughput against what was written (a cache that is full, garbage collection, "
            "throttling), compares SMART values and error counters before and after, and says "
            "whether the drive is accepted. Everything that a drive holds is destroyed.",
            "DISK is a name, a path or a serial number. A drive that has a serial number is "
            "written only when that number was given by --destroy-serial, or is typed on the "
            "terminal with --destroy, and never while a filesystem, swap or anything else uses "
            "it.",
            "What was done is kept in DIR/accept.state, line by line. After a power loss, a signal "
            "or kill -9 the same command, or cupel accept --resume DIR, goes on from the last "
            "place that was flushed to the drive, when the drive is the same one: by its serial "
            "number, model and size.",
            NULL},
    .options = option_rows,
    .examples =
        (const struct help_item[]){
            {"cupel accept nvme0n1 --dry-run", "What would be done, and for how long."},
            {"cupel accept nvme0n1 --destroy -o new-drive",
             "Ask for its serial number, and do it."},
            {"cupel accept --resume new-drive", "Go on after a power loss."},
            {"cupel accept nvme0n1 --verify -o new-drive",
             "Read back what was written, after a power cycle."},
            {"cupel report new-drive --full", "The result again, at length."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Every drive is accepted."},
            {"2", "Wrong options, a DISK that is not there, or a state that cannot be read."},
            {"3",
             "Refused: a drive is in use, its serial number was not given, two names are of one "
             "drive, or it is another one than that of the state."},
            {"4", "A drive failed: it is gone, does not answer, cannot be written, became too hot, "
                  "or has new errors; or DIR is full."},
            {"5", "It has not come to its end: a signal came. The same command goes on."},
            {"6", "Not permitted, or the machine or drive cannot do it."},
            {0}},
    .files =
        (const struct help_item[]){{"DIR/accept.state", "What was done: by it the work goes on."},
                                   {"DIR/acceptance.txt, .csv, .json", "The result."},
                                   {"DIR/report.html", "The same as a page."},
                                   {0}},
    .max_operands = OPERANDS_MAX,
    .run = run_accept,
    .foresee = foresee_accept,
};
