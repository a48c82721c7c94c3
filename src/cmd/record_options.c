/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option rows of `cupel record`, and what goes together. */
#include "cmd/internal.h"

#include <string.h>

#define RECORD(member) OPTION_FIELD(struct record_options, member)

const struct option_row record_option_rows[] = {
    {.section = "What is recorded",
     .name = "device",
     .argument = "DEV",
     .kind = OPTION_TEXT,
     RECORD(device),
     .value_words = "the program behind --",
     .help = "Record what reaches a block device, whoever it comes from, in place of a program."},
    {.name = "for",
     .argument = "TIME",
     .kind = OPTION_TIME,
     RECORD(plan.seconds),
     .least = 0.001,
     .most = 30 * 86400,
     .value_words = "until Ctrl-C",
     .help = "How long a device is recorded."},
    {.name = "buffer",
     .argument = "SIZE",
     .kind = OPTION_SIZE,
     RECORD(plan.buffer_bytes),
     .least = 64 << 10,
     .most = APPLICATION_BUFFER_MAX,
     .value_words = "4 MiB, less on machines with many processors and little memory",
     .help = "Memory for events of each processor, a power of two. Events that find it full are "
             "lost, and counted."},

    {.name = "awake",
     .argument = "0|1",
     .kind = OPTION_SWITCH,
     RECORD(awake),
     .value = "1",
     .help =
         "Keep the processors awake with threads that run where nobody else wants to: Linux may "
         "not tell what completes while a processor sleeps. With 0 such events are lost, and "
         "counted."},

    {.section = "Output",
     .name = "output",
     .letter = 'o',
     .argument = "TRACE",
     .kind = OPTION_TEXT,
     RECORD(trace),
     .value_words = "no trace is kept",
     .help = "Keep every I/O in the file TRACE, which must not exist, for cupel replay. - is "
             "standard output, and then --report says where the report goes."},
    {.name = "report",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     RECORD(report),
     .value_words = "standard output",
     .help = "Write the report into FILE, which must not exist, and leave standard output to the "
             "program. Otherwise the program's standard output goes to standard error."},
    {.name = "format",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     RECORD(format),
     .value = "text",
     .choices = OPTION_CHOICES({"text", 0}, {"csv", 0}, {"json", 0}),
     .help = "Form of the report."},
    {0},
};

static int check_source(const struct option_set *set, const struct record_options *o, struct err *e)
{
    bool program = set->behind_count > 0;
    if (set->operand_count > set->behind_count)
        return err_set(e, ERR_USAGE, "%.60s: the program stands behind --: cupel record -- %.60s",
                       set->operands[0], set->operands[0]);
    if (program && o->device[0])
        return err_set(e, ERR_USAGE, "either a program behind -- or --device, not both");
    if (!program && !o->device[0])
        return err_set(e, ERR_USAGE,
                       "nothing to record: give a program behind --, or --device DEV");
    if (program && !set->behind[0][0])
        return err_set(e, ERR_USAGE, "the program's name is empty");
    if (program && options_given(set, "for"))
        return err_set(e, ERR_USAGE, "--for goes with --device; a program is recorded to its end");
    return 0;
}

int record_options_read(const struct option_set *set, struct record_options *o, struct err *e)
{
    *o = (struct record_options){0};
    if (options_store_defaults(record_option_rows, o, e) || options_store(set, o, e) ||
        check_source(set, o, e))
        return -1;
    if (!strcmp(o->trace, "-") && !o->report[0])
        return err_set(e, ERR_USAGE,
                       "-o -: the trace takes standard output, so --report FILE must say where the "
                       "report goes");
    if (o->plan.buffer_bytes & (o->plan.buffer_bytes - 1))
        return err_set(e, ERR_USAGE, "--buffer: a power of two is needed: 1m, 2m, 4m");
    o->plan.command = set->behind_count > 0 ? set->behind : NULL;
    o->plan.let_sleep = !o->awake;
    o->plan.device = o->device;
    o->plan.trace = o->trace[0] ? o->trace : NULL;
    o->plan.output_to_errors = !o->report[0] || !strcmp(o->trace, "-");
    return 0;
}
