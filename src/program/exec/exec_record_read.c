/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the record of a session of rounds as far as its chain of checksums is valid, and judges it
   anew. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/number_parse.h"
#include "program/exec/internal.h"

#define BYTES_MAX (1u << 30)

enum { FIELDS_MAX = EXECUTION_INDICES_MAX + 16 };

bool exec_is_record(const char *path)
{
    return file_has_mark(path, EXEC_RECORD_MARK);
}

static void setting_put(const struct exec_setting *row, struct exec_plan *plan, double value)
{
    void *at = (char *)plan + row->offset;
    if (row->kind == SETTING_DOUBLE)
        *(double *)at = value;
    else if (row->kind == SETTING_SIZE)
        *(size_t *)at = (size_t)value;
    else if (row->kind == SETTING_COUNT)
        *(uint64_t *)at = (uint64_t)value;
    else if (row->kind == SETTING_FLAG)
        *(bool *)at = value > 0;
    else
        *(int *)at = (int)value;
}

struct line {
    char *fields[FIELDS_MAX];
    size_t count;
};

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void unescape(char *text)
{
    char *to = text;
    for (; *text; text++) {
        int high = *text == '%' ? hex_digit(text[1]) : -1;
        int low = high >= 0 ? hex_digit(text[2]) : -1;
        if (low > 0 || high > 0) {
            *to++ = (char)(high * 16 + low);
            text += 2;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
}

/* Takes the next whole line, whose last field is ended by a tab. The reader reads `data`, in which
   the fields become strings. */
static bool next_line(struct line_reader *reader, char *data, struct line *line)
{
    struct span text;
    if (!line_next(reader, &text) || !text.length || text.text[text.length - 1] != '\t')
        return false;
    char *field = data + (text.text - data), *end = field + text.length;
    line->count = 0;
    do {
        char *tab = memchr(field, '\t', (size_t)(end - field));
        *tab = '\0';
        unescape(field);
        line->fields[line->count++] = field;
        field = tab + 1;
    } while (field < end && line->count < FIELDS_MAX);
    return true;
}

static bool number_at(const struct line *line, size_t field, double *value)
{
    *value = 0;
    return field < line->count &&
           number_parse(line->fields[field], strlen(line->fields[field]), value) == NUMBER_OK;
}

static bool whole_at(const struct line *line, size_t field, double max, double *value)
{
    return number_at(line, field, value) && *value >= 0 && *value <= max;
}

static bool read_setting(const struct line *line, struct exec_plan *plan)
{
    double value;
    for (const struct exec_setting *row = exec_settings; row->key; row++)
        if (line->count == 3 && !strcmp(line->fields[1], row->key) &&
            whole_at(line, 2, 1e15, &value)) {
            setting_put(row, plan, value);
            return true;
        }
    return false;
}

static bool read_parameter(const struct line *line, struct exec_session *s)
{
    if (line->count != 3 || s->parameter_count == EXECUTION_PARAMETERS_MAX)
        return false;
    struct execution_parameter *parameter = &s->parameters[s->parameter_count++];
    snprintf(parameter->name, sizeof parameter->name, "%s", line->fields[1]);
    snprintf(parameter->value, sizeof parameter->value, "%s", line->fields[2]);
    return true;
}

static bool read_label(const struct line *line, struct exec_plan *plan)
{
    char text[LABEL_KEY_MAX + LABEL_VALUE_MAX + 2];
    struct err why;
    if (line->count != 3 || strlen(line->fields[1]) > LABEL_KEY_MAX ||
        strlen(line->fields[2]) > LABEL_VALUE_MAX)
        return false;
    snprintf(text, sizeof text, "%s=%s", line->fields[1], line->fields[2]);
    return !labels_add(&plan->labels, text, &why);
}

static bool read_index(const struct line *line, struct exec_index *index)
{
    double type, better;
    if (line->count < 9 || line->count > 10 ||
        (line->count == 10 && !whole_at(line, 9, 1e60, &index->absolute_width)) ||
        !whole_at(line, 4, INDEX_DURATION, &type) ||
        !whole_at(line, 5, METRIC_BETTER_NEITHER, &better) || !number_at(line, 6, &index->scale) ||
        !whole_at(line, 7, 1, &index->target_width))
        return false;
    snprintf(index->name, sizeof index->name, "%s", line->fields[1]);
    snprintf(index->op, sizeof index->op, "%s", line->fields[2]);
    snprintf(index->unit, sizeof index->unit, "%s", line->fields[3]);
    snprintf(index->source, sizeof index->source, "%s", line->fields[8]);
    index->type = (enum index_type)(int)type;
    index->better = (enum metric_better)(int)better;
    return true;
}

static bool add_index(const struct line *line, struct exec_session *s)
{
    struct unit_session *u = &s->units;
    if (!strcmp(line->fields[0], "unit_index"))
        return u->index_count < UNIT_INDICES_MAX && read_index(line, &u->indices[u->index_count]) &&
               ++u->index_count;
    if (s->index_count == EXECUTION_INDICES_MAX || !read_index(line, &s->indices[s->index_count]))
        return false;
    s->series.index_count = ++s->index_count;
    s->output_indices = s->index_count - 1;
    return true;
}

/* Returns true if the head suffices for judging the session. */
static bool head_holds(const struct exec_session *s)
{
    const struct judge_config *c = &s->plan.config;
    const struct work_limits *w = &s->plan.work_range;
    bool varies = w->min >= 1 && w->max > w->min && w->quick_seconds > 0 && w->quick_rounds >= 2;
    if (w->max > 0 && (!varies || s->index_count != WORK_INDICES + 1))
        return false;
    for (size_t i = 0; i < WORK_DURATIONS_MAX; i++)
        if (s->plan.durations_of[i] < 0 || s->plan.durations_of[i] > 1e16)
            return false;
    return s->index_count > 0 && c->estimate.confidence > 0 && c->estimate.confidence < 1 &&
           (int)c->changepoint <= CHANGEPOINT_NONE && (int)c->estimate.method <= INTERVAL_PILOT;
}

static bool read_units(const struct line *line, struct exec_session *s, struct err *e)
{
    double round, index, merged, largest = 1u << 30;
    if (!s->units.index_count || !head_holds(s) || line->count != 5 ||
        !whole_at(line, 1, 1e15, &round) ||
        !whole_at(line, 2, (double)s->units.index_count - 1, &index) ||
        !whole_at(line, 3, largest, &merged) || merged < 1)
        return false;
    double *values = malloc(UNIT_KEPT_MAX * sizeof *values);
    if (!values)
        return err_no_memory(e, "unit readings") == 0;
    struct execution_units units = {.round = (uint64_t)round,
                                    .index = (size_t)index,
                                    .values = values,
                                    .merged = (size_t)merged};
    const bool ratio = s->units.indices[units.index].type == INDEX_RATIO;
    bool holds = true;
    for (char *at = line->fields[4]; *at && holds; at += *at == ' ') {
        size_t length = strcspn(at, " ");
        holds = units.n < UNIT_KEPT_MAX &&
                reading_parse(at, length, &values[units.n]) == NUMBER_OK &&
                (!ratio || values[units.n] > 0);
        units.n++;
        at += length;
    }
    holds = holds && units.n > 0 && !unit_session_add(&s->units, &s->plan.config, &units, e);
    free(values);
    return holds;
}

static bool read_round(const struct line *line, struct exec_session *s, struct err *e)
{
    enum { FIRST_VALUE = 11 };
    struct execution_round round = {.io_blocks = NAN};
    double number, rss, flags, values[EXECUTION_INDICES_MAX];
    if (line->count < FIRST_VALUE || !whole_at(line, 1, 1e15, &number) ||
        !number_at(line, 2, &round.begin_seconds) || !number_at(line, 3, &round.seconds) ||
        !number_at(line, 4, &round.user_seconds) || !number_at(line, 5, &round.system_seconds) ||
        !whole_at(line, 6, 1e18, &rss) || !number_at(line, 7, &round.work) ||
        !whole_at(line, 8, ROUND_WARMUP | ROUND_LEFT_OUT, &flags))
        return false;
    round.number = (uint64_t)number;
    round.max_rss = (uint64_t)rss;
    round.warmup = (unsigned)flags & ROUND_WARMUP;
    round.why = line->fields[9][0] ? line->fields[9] : NULL;
    round.left_out = round.why && (unsigned)flags & ROUND_LEFT_OUT;
    round.output = round.why ? line->fields[10] : NULL;
    for (size_t i = 0; i < s->index_count && !round.why; i++)
        if (!number_at(line, FIRST_VALUE + i, &values[i]) ||
            (s->indices[i].type == INDEX_RATIO && !(values[i] > 0)))
            return false;
    return exec_session_add(s, &round, values, e) == 0;
}

/* Reads a part of the machine that was watched. */
static bool read_part(const struct line *line, struct program_watch_result *machine)
{
    struct result_part part = {.limit_read = NAN, .limit_write = NAN};
    double on_path, bottleneck;
    if (line->count != 9 || !whole_at(line, 4, 1, &on_path) || !whole_at(line, 5, 1, &bottleneck) ||
        !whole_at(line, 6, 1e6, &part.utilisation) || !whole_at(line, 7, 1e6, &part.peak) ||
        !whole_at(line, 8, 1, &part.saturated))
        return false;
    snprintf(part.name, sizeof part.name, "%s", line->fields[1]);
    snprintf(part.measure, sizeof part.measure, "%s", line->fields[3]);
    part.kind = node_kind_of(line->fields[2]);
    part.on_path = on_path > 0;
    part.bottleneck = bottleneck > 0;
    part.under_test = part.kind == NODE_DISK || part.kind == NODE_MEMORY_DISK;
    part.used_read = part.used_write = NAN;
    struct result_part *to = program_watch_part(machine);
    if (to)
        *to = part;
    return true;
}

static bool read_others(const struct line *line, struct result_others *others)
{
    return line->count == 3 && number_at(line, 1, &others->processors) &&
           number_at(line, 2, &others->stolen);
}

static bool read_note(const struct line *line, struct program_watch_result *machine)
{
    if (line->count != 2)
        return false;
    program_watch_note(machine, "%s", line->fields[1]);
    return true;
}

static bool read_cost(const struct line *line, struct execution_cost *cost)
{
    double pairs;
    if (line->count != 5 || !whole_at(line, 1, 1e9, &pairs))
        return false;
    cost->pairs = (size_t)pairs;
    return number_at(line, 2, &cost->value) && number_at(line, 3, &cost->low) &&
           number_at(line, 4, &cost->high);
}

static bool read_end(const struct line *line, struct exec_session *s)
{
    double verdict;
    if (line->count != 3 || !whole_at(line, 1, VERDICT_LAST_OF_SESSION, &verdict))
        return false;
    s->verdict = (enum verdict)(int)verdict;
    snprintf(s->failure, sizeof s->failure, "%s", line->fields[2]);
    return true;
}

static bool read_line(const struct line *line, struct exec_session *s, struct err *e)
{
    const char *kind = line->fields[0];
    bool head = s->series.round_count == 0;
    if (!strcmp(kind, "set"))
        return head && read_setting(line, &s->plan);
    if (!strcmp(kind, "command") && head && line->count == 2) {
        snprintf(s->plan.command, sizeof s->plan.command, "%s", line->fields[1]);
        return true;
    }
    if (!strcmp(kind, "parameter"))
        return head && read_parameter(line, s);
    if (!strcmp(kind, "date") && head && line->count == 2) {
        snprintf(s->plan.date, sizeof s->plan.date, "%s", line->fields[1]);
        return true;
    }
    if (!strcmp(kind, "label"))
        return head && read_label(line, &s->plan);
    if (!strcmp(kind, "index") || !strcmp(kind, "unit_index"))
        return head && add_index(line, s);
    if (!strcmp(kind, "units"))
        return read_units(line, s, e);
    if (!strcmp(kind, "round")) {
        if (head && exec_session_varies_work(s))
            work_indices_begin(s);
        return s->index_count > 0 && read_round(line, s, e);
    }
    if (!strcmp(kind, "part"))
        return read_part(line, &s->machine);
    if (!strcmp(kind, "others"))
        return read_others(line, &s->machine.others);
    if (!strcmp(kind, "note"))
        return read_note(line, &s->machine);
    if (!strcmp(kind, "launch") && line->count == 3) {
        exec_session_launch_fact(s, line->fields[1], line->fields[2]);
        return true;
    }
    if (!strcmp(kind, "overhead"))
        return read_cost(line, &s->own_cost);
    return !strcmp(kind, "end") && read_end(line, s);
}

/* Reads lines as far as they are valid. */
static void read_lines(struct exec_session *s, char *data, size_t length, struct err *e)
{
    struct line_reader reader = {.form = &exec_record_form, .rest = {data, length}};
    struct line line;
    bool holds = next_line(&reader, data, &line), ended = false; /* the mark */
    s->verdict = VERDICT_CUT_SHORT;
    while (holds && !ended && next_line(&reader, data, &line)) {
        ended = !strcmp(line.fields[0], "end");
        holds = read_line(&line, s, e);
    }
    program_watch_note_parts(&s->machine);
    s->damaged = !holds || reader.rest.length;
    /* A process that is killed leaves at most part of a line. */
    if (s->damaged && (ended || !line_rest_is_torn(&reader)))
        s->verdict = VERDICT_DAMAGED;
}

int exec_session_load(struct exec_session **session, const char *path, struct err *e)
{
    char *data = NULL;
    size_t length = 0;
    *session = NULL;
    if (file_read_kind(path, EXEC_RECORD_MARK, "a record of cupel exec", BYTES_MAX, &data, &length,
                       e))
        return -1;
    struct exec_session *s = calloc(1, sizeof *s);
    int status = s ? 0 : err_no_memory(e, "a session");
    if (s) {
        struct err unread = {0};
        s->machine.others = OTHERS_UNKNOWN; /* older records do not state the load of others */
        read_lines(s, data, length, &unread);
        s->plan.config.stopping = !s->plan.rounds;
        if (unread.code == ERR_MACHINE) {
            *e = unread;
            status = -1;
        } else if (!head_holds(s)) {
            status = err_set(e, ERR_USAGE, "%s: the head of the record is damaged", path);
        } else if (s->series.count > 0) {
            status = exec_session_judge(s, e);
        }
        if (!status && s->verdict == VERDICT_PRECISE && !exec_session_is_precise(s))
            s->verdict = VERDICT_UNCONFIRMED;
        if (!status && s->verdict == VERDICT_BEST_POSSIBLE &&
            (exec_session_is_precise(s) || !exec_session_is_out_of_reach(s)))
            s->verdict = VERDICT_UNCONFIRMED;
    }
    free(data);
    if (status)
        exec_session_free(s);
    else
        *session = s;
    return status;
}
