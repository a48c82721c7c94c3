/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * program.cupel, the record of cupel exec: a session of rounds as text, one line for each thing
 * that happened, in order.
 *
 * Fields are separated by tabs; tabs, line ends and '%' inside are written %09, %0a, %25. The last
 * field is the CRC-32C of all lines up to there, its own tab included, so that a line that is
 * changed, missing or added breaks the chain from there on. A killed session leaves whole lines.
 *
 *   cupel exec 1
 *   set KEY VALUE
 *   command WORDS
 *   parameter NAME VALUE
 *   index NAME OP UNIT TYPE BETTER SCALE WIDTH SOURCE
 *   unit_index NAME OP UNIT TYPE BETTER SCALE WIDTH SOURCE
 *   round NUMBER BEGIN SECONDS USER SYSTEM RSS WORK WARMUP WHY OUTPUT VALUE...
 *         (a round that failed has no VALUE)
 *   units ROUND UNIT_INDEX MERGED VALUES    (of the round before, separated by blanks)
 *   part NAME KIND MEASURE ON_PATH BOTTLENECK UTILISATION PEAK SATURATED    (of the machine)
 *   launch KEY VALUE    (of one of many ranks)
 *   note TEXT
 *   end VERDICT FAILURE
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/durable/line_journal.h"
#include "base/file/file.h"
#include "base/file/record_file.h"
#include "base/invariant.h"
#include "base/text.h"
#include "program/exec/internal.h"

#define OUTPUTS "output.txt"

const struct exec_setting exec_settings[] = {
    {"changepoint", SETTING_INT, offsetof(struct exec_plan, config.changepoint)},
    {"interval", SETTING_INT, offsetof(struct exec_plan, config.estimate.method)},
    {"confidence", SETTING_DOUBLE, offsetof(struct exec_plan, config.estimate.confidence)},
    {"lag1_limit", SETTING_DOUBLE,
     offsetof(struct exec_plan, config.estimate.autocorrelation_limit)},
    {"width", SETTING_DOUBLE, offsetof(struct exec_plan, config.target_width)},
    {"min_independent", SETTING_SIZE, offsetof(struct exec_plan, config.minimum_subsessions)},
    {"min_rounds", SETTING_SIZE, offsetof(struct exec_plan, config.minimum_readings)},
    {"fewest_rounds", SETTING_SIZE, offsetof(struct exec_plan, fewest_rounds)},
    {"unit_rounds", SETTING_SIZE, offsetof(struct exec_plan, unit_rounds)},
    {"min_seconds", SETTING_DOUBLE, offsetof(struct exec_plan, minimum_seconds)},
    {"limit_seconds", SETTING_DOUBLE, offsetof(struct exec_plan, limit_seconds)},
    {"timeout_seconds", SETTING_DOUBLE, offsetof(struct exec_plan, program.timeout_seconds)},
    {"rounds", SETTING_COUNT, offsetof(struct exec_plan, rounds)},
    {"overhead_pairs", SETTING_COUNT, offsetof(struct exec_plan, overhead_pairs)},
    {"width_given", SETTING_FLAG, offsetof(struct exec_plan, width_given)},
    {"strict_bottleneck", SETTING_FLAG, offsetof(struct exec_plan, strict_bottleneck)},
    {"work_min", SETTING_DOUBLE, offsetof(struct exec_plan, work_range.min)},
    {"work_max", SETTING_DOUBLE, offsetof(struct exec_plan, work_range.max)},
    {"work_shortest", SETTING_DOUBLE, offsetof(struct exec_plan, work_range.shortest)},
    {"work_quick_seconds", SETTING_DOUBLE, offsetof(struct exec_plan, work_range.quick_seconds)},
    {"work_quick_rounds", SETTING_SIZE, offsetof(struct exec_plan, work_range.quick_rounds)},
    {"duration_of", SETTING_DOUBLE, offsetof(struct exec_plan, durations_of[0])},
    {"duration_of_2", SETTING_DOUBLE, offsetof(struct exec_plan, durations_of[1])},
    {"duration_of_3", SETTING_DOUBLE, offsetof(struct exec_plan, durations_of[2])},
    {"duration_of_4", SETTING_DOUBLE, offsetof(struct exec_plan, durations_of[3])},
    {"duration_of_5", SETTING_DOUBLE, offsetof(struct exec_plan, durations_of[4])},
    {"duration_of_6", SETTING_DOUBLE, offsetof(struct exec_plan, durations_of[5])},
    {"duration_of_7", SETTING_DOUBLE, offsetof(struct exec_plan, durations_of[6])},
    {"duration_of_8", SETTING_DOUBLE, offsetof(struct exec_plan, durations_of[7])},
    {0},
};

static double setting_get(const struct exec_setting *row, const struct exec_plan *plan)
{
    const void *at = (const char *)plan + row->offset;
    switch (row->kind) {
    case SETTING_DOUBLE:
        return *(const double *)at;
    case SETTING_SIZE:
        return (double)*(const size_t *)at;
    case SETTING_COUNT:
        return (double)*(const uint64_t *)at;
    case SETTING_INT:
        return *(const int *)at;
    case SETTING_FLAG:
        return *(const bool *)at;
    }
    INVARIANT_BROKEN("every kind of setting has a case");
}

const struct line_form exec_record_form = {.separator = "", .chained = true};

struct exec_record {
    struct line_journal lines;
    int outputs;      /* descriptor of output.txt: the end of what each round printed */
    struct text line; /* the line that is being written */
};

static void field_text(struct exec_record *r, const char *value)
{
    for (const char *c = value ? value : ""; *c; c++)
        if (*c == '\t' || *c == '\n' || *c == '\r' || *c == '%')
            text_addf(&r->line, "%%%02x", (unsigned)(unsigned char)*c);
        else
            text_add_bytes(&r->line, c, 1);
    text_add(&r->line, "\t");
}

static void field_number(struct exec_record *r, double value)
{
    text_add_number(&r->line, value);
    text_add(&r->line, "\t");
}

static int end_line(struct exec_record *r, struct err *e)
{
    int status = r->line.failed
                     ? err_no_memory(e, "a line of %s", r->lines.path)
                     : line_journal_add(&r->lines, (struct span){r->line.data, r->line.length}, e);
    r->line.length = 0;
    return status;
}

static int write_index(struct exec_record *r, const char *kind, const struct exec_index *index,
                       struct err *e)
{
    field_text(r, kind);
    field_text(r, index->name);
    field_text(r, index->op);
    field_text(r, index->unit);
    field_number(r, (double)index->type);
    field_number(r, (double)index->better);
    field_number(r, index->scale);
    field_number(r, index->target_width);
    field_text(r, index->source);
    if (index->absolute_width > 0)
        field_number(r, index->absolute_width);
    return end_line(r, e);
}

/* Writes the settings. The journal remembers its first failure, so the status of the last line
   shows whether all lines were written. */
static int write_plan(struct exec_record *r, const struct exec_session *s, struct err *e)
{
    const struct exec_plan *plan = &s->plan;
    text_add(&r->line, EXEC_RECORD_MARK);
    end_line(r, e);
    for (const struct exec_setting *row = exec_settings; row->key; row++) {
        field_text(r, "set");
        field_text(r, row->key);
        field_number(r, setting_get(row, plan));
        end_line(r, e);
    }
    field_text(r, "command");
    field_text(r, plan->command);
    end_line(r, e);
    field_text(r, "date");
    field_text(r, plan->date);
    int status = end_line(r, e);
    struct label label;
    for (size_t at = 0; labels_next(&plan->labels, &at, &label);) {
        field_text(r, "label");
        field_text(r, label.key);
        field_text(r, label.value);
        status = end_line(r, e);
    }
    for (size_t i = 0; i < plan->program.parameter_count; i++) {
        field_text(r, "parameter");
        field_text(r, plan->program.parameters[i].name);
        field_text(r, plan->program.parameters[i].value);
        status = end_line(r, e);
    }
    for (size_t i = 0; i < s->units.index_count; i++)
        status = write_index(r, "unit_index", &s->units.indices[i], e);
    for (size_t i = 0; i < s->index_count; i++)
        status = write_index(r, "index", &s->indices[i], e);
    return status;
}

/* Creates output.txt and the record, neither of which may exist. */
static int make_files(struct exec_record *r, const char *folder, struct err *e)
{
    char outputs[PATH_MAX];
    if (!file_path(outputs, "%s/" OUTPUTS, folder) ||
        !file_path(r->lines.path, "%s/" PROGRAM_FILE, folder))
        return err_set(e, ERR_USAGE, "%.200s: the folder's name is too long", folder);
    r->outputs = open(outputs, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (r->outputs >= 0 && !line_journal_open(&r->lines, true))
        return 0;
    return err_set(e, ERR_TARGET, "%.300s cannot be made: %s",
                   r->outputs < 0 ? outputs : r->lines.path, strerror(errno));
}

int exec_record_begin(struct exec_record **record, const struct exec_session *s, struct err *e)
{
    struct exec_record *r = calloc(1, sizeof *r);
    *record = r;
    if (!r)
        return err_no_memory(e, "a record");
    *r = (struct exec_record){.lines = {.form = &exec_record_form, .fd = -1}, .outputs = -1};
    return make_files(r, s->plan.folder, e) || write_plan(r, s, e) ? -1 : 0;
}

/* Writes "round 12: exit code 1", and the round's output. */
static int write_output(struct exec_record *r, const struct execution_round *round,
                        const char *output, struct err *e)
{
    text_addf(&r->line, "---- round %llu%s%s\n%s", (unsigned long long)round->number,
              round->why ? ": " : "", round->why ? round->why : "", output ? output : "");
    int status =
        r->line.failed ? 0 : write_all(r->outputs, r->line.data, r->line.length, OUTPUTS, e);
    r->line.length = 0;
    return status;
}

int exec_record_round(struct exec_record *r, const struct execution_round *round,
                      const char *output, const double values[], size_t count, struct err *e)
{
    if (((output && *output) || round->why) && write_output(r, round, output, e))
        return -1;
    field_text(r, "round");
    field_number(r, (double)round->number);
    field_number(r, round->begin_seconds);
    field_number(r, round->seconds);
    field_number(r, round->user_seconds);
    field_number(r, round->system_seconds);
    field_number(r, (double)round->max_rss);
    field_number(r, round->work);
    field_number(r, (round->warmup ? ROUND_WARMUP : 0) | (round->left_out ? ROUND_LEFT_OUT : 0));
    field_text(r, round->why);
    field_text(r, round->output);
    for (size_t i = 0; i < count && !round->why; i++)
        field_number(r, values[i]);
    return end_line(r, e);
}

int exec_record_units(struct exec_record *r, const struct execution_units *units, struct err *e)
{
    field_text(r, "units");
    field_number(r, (double)units->round);
    field_number(r, (double)units->index);
    field_number(r, (double)units->merged);
    for (size_t i = 0; i < units->n; i++) {
        text_add(&r->line, i ? " " : "");
        text_add_number(&r->line, units->values[i]);
    }
    text_add(&r->line, "\t");
    return end_line(r, e);
}

static int put_machine(struct exec_record *r, const struct program_watch_result *machine,
                       struct err *e)
{
    int status = 0;
    if (!isnan(machine->others.processors)) {
        field_text(r, "others");
        field_number(r, machine->others.processors);
        field_number(r, isnan(machine->others.stolen) ? 0 : machine->others.stolen);
        status = end_line(r, e);
    }
    for (size_t i = 0; i < machine->part_count && !status; i++) {
        const struct result_part *part = &machine->parts[i];
        field_text(r, "part");
        field_text(r, part->name);
        field_text(r, node_kind_name(part->kind));
        field_text(r, part->measure);
        field_number(r, part->on_path);
        field_number(r, part->bottleneck);
        field_number(r, part->utilisation);
        field_number(r, part->peak);
        field_number(r, part->saturated);
        status = end_line(r, e);
    }
    for (size_t i = 0; i < machine->note_count && !status; i++) {
        field_text(r, "note");
        field_text(r, machine->notes[i].text);
        status = end_line(r, e);
    }
    return status;
}

int exec_record_cost(struct exec_record *r, const struct execution_cost *cost, struct err *e)
{
    field_text(r, "overhead");
    field_number(r, (double)cost->pairs);
    field_number(r, cost->value);
    field_number(r, cost->low);
    field_number(r, cost->high);
    return end_line(r, e);
}

void exec_record_launch_fact(struct exec_record *r, const char *key, const char *value)
{
    struct err ignored;
    field_text(r, "launch");
    field_text(r, key);
    field_text(r, value);
    (void)end_line(r, &ignored);
}

int exec_record_end(struct exec_record *r, const struct program_watch_result *machine,
                    enum verdict verdict, const char *failure, struct err *e)
{
    int status = 0;
    if (!r)
        return 0;
    const int lost = machine ? put_machine(r, machine, e) : 0;
    if (r->lines.fd >= 0) {
        field_text(r, "end");
        field_number(r, (double)verdict);
        field_text(r, failure);
        status = end_line(r, e);
    }
    if (r->outputs >= 0)
        close(r->outputs);
    line_journal_close(&r->lines);
    text_free(&r->line);
    free(r);
    return lost ? lost : status;
}
