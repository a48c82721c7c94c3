/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel report: a record again, in any format. Everything is computed anew from what was measured.
 */
#include "base/file.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "run/session.h"

struct report_options {
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024];
};

static const struct option_row report_options[] = {
    OUTPUT_FORMAT_OPTION(struct report_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct report_options, folder),
     .value_words = "standard output only",
     .help = "Write the report and its tables into DIR as well, which is made and must not exist."},
    {0},
};

static int print_and_keep(const struct result *result, const struct report_options *o,
                          struct err *e)
{
    if (o->folder[0] && dir_make_new(o->folder, e))
        return -1;
    if (output_result(result, o->format, e))
        return -1;
    if (o->folder[0] && output_folder(result, o->folder, e))
        return -1;
    return output_status(result, e);
}

static int run_report(const struct option_set *set, struct err *e)
{
    struct report_options o = {0};
    struct session *session = NULL;
    if (options_store_defaults(report_options, &o, e) || options_store(set, &o, e) ||
        session_load(&session, set->operands[0], e))
        return -1;
    struct result result = {0};
    session_result(session, &result);
    int status = print_and_keep(&result, &o, e);
    session_free(session);
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
            "to its last whole part.",
            NULL},
    .options = report_options,
    .examples = (const struct help_item[]){{"cupel report result/record.cupel", "As text."},
                                           {"cupel report result/record.cupel --format csv",
                                            "One line per metric."},
                                           {0}},
    .statuses = (const struct help_item[]){{"0", "The session was as precise as asked."},
                                           {"2", "Wrong options, no record, or one that is damaged "
                                                 "throughout."},
                                           {"4", "The session's target failed, or the output could "
                                                 "not be written."},
                                           {"5", "The session ended before it was as precise as "
                                                 "asked."},
                                           {"6", "Not enough memory."},
                                           {0}},
    .files =
        (const struct help_item[]){{"record.cupel", "The record, in the folder of run -o."}, {0}},
    .least_operands = 1,
    .most_operands = 1,
    .run = run_report,
};
