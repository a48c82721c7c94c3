/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel report: prints a record again, in any format. Everything is computed again from the
   measurements. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file/file.h"
#include "base/file/record_file.h"
#include "certificate/issue/stored_result.h"
#include "cmd/column/trace_use.h"
#include "cmd/execution/rounds_output.h"
#include "cmd/internal.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/output/stored_certificate.h"
#include "cmd/run/run_targets.h"
#include "cmd/targets/several.h"
#include "cmd/terminal/progress_line.h"
#include "facts/clause.h"
#include "facts/comparison.h"
#include "facts/result.h"
#include "machine/accept/accept.h"
#include "program/exec/exec.h"
#include "report/accept/acceptance_report.h"
#include "report/exec/execution.h"
#include "report/history/history_report.h"
#include "run/plan/plan.h"
#include "source/trace/trace.h"
#include "stat/judge.h"

struct report_options {
    char format[OUTPUT_FORMAT_MAX];
    bool full;
    char folder[1024];
    char sla[sizeof((struct plan *)0)->ending.sla];
    bool certificate, verify, history;
    char allowed_signers[1024]; /* "": none */
};

/* clang-format off */
static const struct option_rule report_rules[] = {
    NEEDS("allowed-signers", "verify", "it says whose signatures are trusted"),
    EXCLUDES("history", "sla output certificate verify", "--history shows sessions over time"),
    EXCLUDES("verify", "sla output certificate full format!=text", "--verify makes no report"),
    {0},
};
/* clang-format on */

static const struct option_row report_options[] = {
    {.section = "Limits to judge",
     .name = "sla",
     .argument = "CLAUSES",
     .words = WORDS_CLAUSES,
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct report_options, sla),
     .value_words = "those of the session, if it had any",
     .help = "Judge the record of one session by these clauses, whichever it was measured with: "
             "'read.p99<500us, iops>200k'. The exit status is 0 when all pass, 1 when one fails, 5 "
             "when one is undecided."},
    {.section = "Sessions over time",
     .name = "history",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct report_options, history),
     .help =
         "List what cupel run measured on this machine, on TARGET or on all: is it still as fast "
         "as at first, how many predictions held, and the days on which the level changed. Of "
         "folders of results, the sessions in them."},
    RESULT_FORMAT_OPTION(struct report_options),
    OUTPUT_FULL_OPTION(struct report_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct report_options, folder),
     .value_words = "standard output only",
     .help = "Write the report and its tables into DIR as well, which is made and must not exist."},
    CERTIFICATE_OPTION(OPTION_FIELD(struct report_options, certificate)),
    {.section = "Signatures",
     .name = "verify",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct report_options, verify),
     .help = "Hold the certificate in RECORD's folder against its signature, the record against "
             "the certificate's checksum, and the certificate against the one that the record "
             "makes again. The exit status is 0 when all is as it was signed by a key of "
             "--allowed-signers, 1 when something was changed, 5 when the key is an unknown one."},
    {.name = "allowed-signers",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct report_options, allowed_signers),
     .value_words = "nobody is trusted",
     .help = "Whose keys are trusted: a file as ssh-keygen(1) describes it, ALLOWED SIGNERS."},
    OPTION_RULES(report_rules),
    {0},
};

/* Prints the report of a record of cupel exec. */
static int report_execution(const char *record, const struct report_options *o, struct err *e)
{
    static struct execution x;
    struct exec_session *session;
    if (o->certificate)
        return err_set(e, ERR_USAGE,
                       "%s: there are certificates of what cupel run, replay, qualify and merge "
                       "measured, and this is of cupel exec",
                       record);
    if (o->sla[0])
        return err_set(e, ERR_USAGE, "--sla judges records of cupel run, %s is one of cupel exec",
                       record);
    if (!report_has_format(&execution_report, o->format))
        return err_set(e, ERR_USAGE, "--format %s: a result of cupel exec has no such form",
                       o->format);
    if (exec_session_load(&session, record, e))
        return -1;
    exec_session_result(session, &x);
    const struct output_form form = {.format = o->format, .full = o->full, .folder = o->folder};
    int status = o->folder[0] && dir_make_new(o->folder, e) ? -1 : execution_output(&x, &form, e);
    if (!status)
        status = execution_status(&x, e);
    exec_session_free(session);
    return status;
}

/* Prints the report of a folder of cupel accept. */
static int report_acceptance(const char *folder, const struct report_options *o, struct err *e)
{
    if (o->certificate || o->sla[0] || o->folder[0])
        return err_set(
            e, ERR_USAGE,
            "%s is of cupel accept: --sla, --output and --certificate cannot be used with it",
            folder);
    if (!report_has_format(&acceptance_report, o->format))
        return err_set(e, ERR_USAGE, "--format %s: a result of cupel accept has no such form",
                       o->format);
    return acceptance_output(folder, o->format, o->full, false, e);
}

static int print_and_keep(const struct result *result, const char *path,
                          const struct report_options *o, struct err *e)
{
    const struct output_certificate certificate = {.result = result, .path = path, .sla = o->sla};
    if (o->folder[0] && dir_make_new(o->folder, e))
        return -1;
    const struct output_form form = {.format = o->format, .full = o->full, .folder = o->folder};
    if (o->certificate ? output_certificate(&certificate, &form, e)
                       : output_result(result, &form, e))
        return -1;
    if (o->folder[0] && output_folder(result, o->folder, e))
        return -1;
    return output_status(result, e);
}

/* ---- operands other than records: a folder with stored text, or a trace ---- */

/* Prints the stored result in a folder of compare, qualify or sweep as it is, in the given format.
   Returns 0; 1 with ERR_USAGE if it could not be read; -1 if the folder has no such result. */
static int stored_text_print(const char *folder, const char *format, struct err *e)
{
    static const char *const names[] = {"comparison", "qualification", "sweep"};
    const char *ending = !strcmp(format, "text") ? "txt" : format;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[PATH_MAX], buffer[1 << 14];
        int length = snprintf(path, sizeof path, "%s/%s.%s", folder, names[i], ending);
        int fd = length < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t got;
        if (fd < 0)
            continue;
        while ((got = read(fd, buffer, sizeof buffer)) > 0)
            fwrite(buffer, 1, (size_t)got, stdout);
        if (got < 0)
            err_set(e, ERR_USAGE, "%s: %s", path, strerror(errno));
        close(fd);
        return got < 0;
    }
    return -1;
}

/* If a record was refused (ERR_USAGE) and the file is a trace, changes the error to say which
   commands read traces. */
static void stored_explain_trace(const char *path, struct err *e)
{
    struct trace *trace;
    struct err none = {0};
    if (e->code != ERR_USAGE || trace_open(&trace, &path, 1, &(struct trace_options){0}, &none))
        return;
    const struct trace_use *replay = &replay_use, *merge = &merge_use;
    err_set(e, ERR_USAGE, "%s is a trace (%s), not a record: %s %s%s %s, %s %s%s %s", path,
            trace_format_name(trace), replay->command, path, replay->rest, replay->words,
            merge->command, path, merge->rest, merge->words);
    trace_close(trace);
}

/* Prints sessions over time: those of this machine's history, or of several records. */
static int report_sessions(const struct option_set *set, const struct report_options *o,
                           struct err *e)
{
    if (!o->history && (o->sla[0] || o->folder[0] || o->certificate || o->verify))
        return err_set(e, ERR_USAGE,
                       "--sla, --output, --certificate and --verify need a single RECORD, and here "
                       "are %zu",
                       set->operand_count);
    if (!report_has_format(&history_report, o->format))
        return err_set(e, ERR_USAGE, "--format %s: a history has no such form", o->format);
    const struct output_form form = {.format = o->format, .full = o->full, .folder = ""};
    return report_history(set->operands, set->operand_count, o->history, &form, e);
}

/* Prints the report of a record, of a folder of run -o that contains one, or of a folder with
   several sessions. */
static int run_report(const struct option_set *set, struct err *e)
{
    struct report_options o = {0};
    char record[PATH_MAX];
    const char *operand = set->operands[0];
    if (options_store_defaults(report_options, &o, e) || options_store(set, &o, e) ||
        output_certificate_check(o.certificate, o.format, o.folder, e))
        return -1;
    if (o.history || set->operand_count > 1)
        return report_sessions(set, &o, e);
    if (!set->operand_count)
        return err_set(e, ERR_USAGE, "RECORD is missing: see cupel report --help");
    if (o.verify)
        return stored_certificate_verify(operand, o.allowed_signers, e);
    bool folder = dir_exists(operand);
    bool found = record_file(record, operand);
    if (folder && accept_is_in(operand))
        return report_acceptance(operand, &o, e);
    if (folder && several_is_folder(operand) && !o.sla[0] && !o.folder[0] && !o.certificate)
        return run_targets_report(
            operand, &(struct output_form){.format = o.format, .full = o.full, .folder = operand},
            e);
    if (exec_is_record(record))
        return report_execution(record, &o, e);
    if (folder && !found && !o.sla[0] && !o.folder[0] && !o.certificate) {
        int kept = stored_text_print(operand, o.format, e);
        if (kept >= 0)
            return kept ? -1 : 0;
    }
    struct stored_result stored;
    struct progress progress;
    progress_begin(&progress, "reading the record");
    int status = stored_result_load(&stored, operand, o.sla, e);
    progress_end(&progress);
    if (status && !folder)
        stored_explain_trace(record, e);
    if (!status)
        status = print_and_keep(stored.result, operand, &o, e);
    stored_result_free(&stored);
    return status;
}

const struct command command_report = {
    .name = "report",
    .operands = "RECORD...|--history",
    .summary = "print the result of a kept session again",
    .description =
        (const char *const[]){
            "Reads the record.cupel that cupel run -o left and computes the whole result from it "
            "again. A record that has no end, because its session was killed, gives the result up "
            "to its last whole part (CUT SHORT). One that lacks parts, or whose parts were "
            "changed, moved, doubled or added, is read as far as it holds, and the verdict says "
            "DAMAGED.",
            "RECORD may be the folder of -o as well; of a repeated run (run --repeat) and of a "
            "search for a rate (run --find-rate) it is, and the result over all sessions is made "
            "anew from the record of each.",
            "With --sla the record of one session is judged by other clauses than it was measured "
            "with. The confidence level holds for one set of clauses: whoever asks until the "
            "answer "
            "pleases will be wrong more often.",
            "Of several records, and with --history of what this machine's history holds, it shows "
            "the sessions over time, each with its interval, whether the prediction of the one "
            "before held, and where the level changed. A change is a false alarm in at most 1 % of "
            "the histories without one; it takes 8 sessions or more to show.",
            NULL},
    .options = report_options,
    .examples =
        (const struct help_item[]){
            {"cupel report result/record.cupel", "As text."},
            {"cupel report result/record.cupel --format csv", "One line per metric."},
            {"cupel report result --sla 'p99<1ms'", "Was that kept?"},
            {"cupel report --history /dev/sdb", "Is it still as fast as on its first day?"},
            {"cupel report monday tuesday wednesday", "The sessions of these folders over time."},
            {"cupel report --verify result --allowed-signers signers",
             "Is it what one of them signed?"},
            {0}},
    .statuses =
        (const struct help_item[]){{"0", "The session was as precise as asked, or kept its SLA."},
                                   {"1", "A clause of --sla, or of the session's, fails; "
                                         "--verify: something was changed."},
                                   {"2", "Wrong options, no record, or one that cannot be "
                                         "what cupel wrote."},
                                   {"4", "The session's target failed, or the output could "
                                         "not be written."},
                                   {"5", "The session ended before it was as precise as "
                                         "asked, a clause is undecided, or the record is damaged "
                                         "or has no end; --verify: by an unknown key."},
                                   {"6", "Not enough memory."},
                                   {0}},
    .files = (const struct help_item[]){{"record.cupel", "The record, in the folder of run -o."},
                                        {"program.cupel", "That of exec -o."},
                                        {"merged.cupel", "The sum of cupel merge -o."},
                                        {"session-1/record.cupel, ..., repeat.cupel",
                                         "Those of a repeated run, and how it ended."},
                                        {0}},
    .max_operands = OPERANDS_MAX,
    .run = run_report,
    .foresee = command_only_reads,
};
