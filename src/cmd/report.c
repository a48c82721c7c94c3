/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel report: a record again, in any format. Everything is computed anew from what was measured.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/internal.h"
#include "cmd/options/command.h"
#include "cmd/output.h"
#include "cmd/terminal/progress.h"
#include "merge/merge.h"
#include "run/session/find_rate.h"
#include "run/session/repeat.h"
#include "run/session/session.h"

struct report_options {
    char format[OUTPUT_FORMAT_MAX];
    bool full;
    char folder[1024];
    char sla[sizeof((struct plan *)0)->sla];
};

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
    RESULT_FORMAT_OPTION(struct report_options),
    OUTPUT_FULL_OPTION(struct report_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct report_options, folder),
     .value_words = "standard output only",
     .help = "Write the report and its tables into DIR as well, which is made and must not exist."},
    {0},
};

/* The record of cupel exec. */
static int report_execution(const char *record, const struct report_options *o, struct err *e)
{
    static struct execution x;
    struct exec_session *session;
    if (o->sla[0])
        return err_set(e, ERR_USAGE, "--sla judges records of cupel run, %s is one of cupel exec",
                       record);
    if (exec_session_load(&session, record, e))
        return -1;
    exec_session_result(session, &x);
    int status = o->folder[0] && dir_make_new(o->folder, e)
                     ? -1
                     : execution_output(&x, o->format, o->folder, e);
    if (!status)
        status = execution_status(&x, e);
    exec_session_free(session);
    return status;
}

static int print_and_keep(const struct result *result, const struct report_options *o,
                          struct err *e)
{
    if (o->folder[0] && dir_make_new(o->folder, e))
        return -1;
    const struct output_form form = {.format = o->format, .full = o->full, .folder = o->folder};
    if (output_result(result, &form, e))
        return -1;
    if (o->folder[0] && output_folder(result, o->folder, e))
        return -1;
    return output_status(result, e);
}

/* merged.cupel, or the folder of merge -o. */
static bool is_merge(const char *path)
{
    char mark[8] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is = fd >= 0 && read(fd, mark, sizeof mark) == sizeof mark &&
              !memcmp(mark, MERGED_FILE_MARK, sizeof mark);
    if (fd >= 0)
        close(fd);
    return is;
}

static int report_merge(const char *path, const struct report_options *o, struct result *r,
                        struct err *e)
{
    struct merge_plan plan = {.inputs = &path, .input_count = 1};
    struct merge *m;
    plan_init(&plan.statistics);
    plan.statistics.changepoint = CHANGEPOINT_NONE;
    snprintf(plan.statistics.sla, sizeof plan.statistics.sla, "%s", o->sla);
    if (plan_check_ending(&plan.statistics, e) || merge_run(&m, &plan, e))
        return -1;
    int status = merge_result(m, r, e) || print_and_keep(r, o, e) ? -1 : 0;
    merge_free(m);
    return status;
}

/* A folder of exec --parameter or of qualify, which holds a folder for each measurement, is no
   result by itself: name the first by name. */
static int check_folder(const char *folder, struct err *e)
{
    char first[NAME_MAX + 1] = "";
    size_t count = 0;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL) {
        char record[PATH_MAX];
        int length = snprintf(record, sizeof record, "%s/%s/record.cupel", folder, entry->d_name);
        if (entry->d_name[0] == '.' || length >= (int)sizeof record || access(record, F_OK))
            continue;
        if (count++ == 0 || strcmp(entry->d_name, first) < 0)
            snprintf(first, sizeof first, "%s", entry->d_name);
    }
    if (dir)
        closedir(dir);
    return count == 0 ? 0
                      : err_set(e, ERR_USAGE,
                                "%s holds the results of %zu measurements, each in a folder of its "
                                "own: cupel report %s/%s shows the first",
                                folder, count, folder, first);
}

/* A record, or the folder of run -o that holds one, or those of several sessions. */
static int run_report(const struct option_set *set, struct err *e)
{
    struct report_options o = {0};
    struct stat st;
    char record[PATH_MAX];
    const char *operand = set->operands[0];
    if (options_store_defaults(report_options, &o, e) || options_store(set, &o, e))
        return -1;
    bool folder = !stat(operand, &st) && S_ISDIR(st.st_mode);
    snprintf(record, sizeof record, "%s%s", operand, folder ? "/record.cupel" : "");
    if (exec_is_record(record))
        return report_execution(record, &o, e);
    char merged[PATH_MAX];
    snprintf(merged, sizeof merged, "%s%s", operand, folder ? "/merged.cupel" : "");
    bool searched = folder && find_rate_is_folder(operand);
    bool repeated = folder && repeat_is_folder(operand);
    bool sum = is_merge(merged);
    if (folder && !searched && !repeated && !sum && access(record, F_OK) &&
        check_folder(operand, e))
        return -1;
    struct result *result = calloc(1, sizeof *result);
    if (!result)
        return err_set(e, ERR_MACHINE, "there is no memory left for a result");
    if (sum) {
        int status = report_merge(merged, &o, result, e);
        free(result);
        return status;
    }
    struct repeat *repeat = NULL;
    struct find_rate *search = NULL;
    struct session *session = NULL;
    if ((searched || repeated) && o.sla[0]) {
        free(result);
        return err_set(e, ERR_USAGE,
                       "--sla judges one session, %s holds several: cupel report %s/%s --sla "
                       "'%s'",
                       operand, operand, searched ? "rate-001" : "session-1", o.sla);
    }
    struct progress progress;
    progress_begin(&progress, "reading the record");
    int status = searched   ? find_rate_load(&search, operand, e)
                 : repeated ? repeat_load(&repeat, operand, e)
                            : session_load_for(&session, record, o.sla, e);
    if (!status && o.sla[0])
        status = session_judge_by(session, o.sla, e);
    if (!status && searched)
        find_rate_result(search, result);
    else if (!status && repeated)
        repeat_result(repeat, result);
    else if (!status)
        session_result(session, result);
    progress_end(&progress);
    if (!status)
        status = print_and_keep(result, &o, e);
    find_rate_free(search);
    repeat_free(repeat);
    session_free(session);
    free(result);
    return status;
}

const struct command command_report = {
    .name = "report",
    .operands = "RECORD",
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
            NULL},
    .options = report_options,
    .examples =
        (const struct help_item[]){
            {"cupel report result/record.cupel", "As text."},
            {"cupel report result/record.cupel --format csv", "One line per metric."},
            {"cupel report result --sla 'p99<1ms'", "Was that kept?"},
            {0}},
    .statuses =
        (const struct help_item[]){{"0", "The session was as precise as asked, or kept its SLA."},
                                   {"1", "A clause of --sla, or of the session's, fails."},
                                   {"2", "Wrong options, no record, or one that cannot be "
                                         "what cupel wrote."},
                                   {"4", "The session's target failed, or the output could "
                                         "not be written."},
                                   {"5", "The session ended before it was as precise as "
                                         "asked, a clause is undecided, or the record is damaged "
                                         "or has no end."},
                                   {"6", "Not enough memory."},
                                   {0}},
    .files = (const struct help_item[]){{"record.cupel", "The record, in the folder of run -o."},
                                        {"merged.cupel", "The sum of cupel merge -o."},
                                        {"session-1/record.cupel, ..., repeat.cupel",
                                         "Those of a repeated run, and how it ended."},
                                        {0}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_report,
    .foresee = command_only_reads,
};
