/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the plan of cupel exec from its options. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/span.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/column/column.h"
#include "cmd/exec/exec_options.h"
#include "cmd/exec/internal.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/run/launch_options.h"
#include "hw/sysroot/sysroot.h"
#include "program/exec/exec.h"
#include "run/plan/plan.h"

/* Parameters: their values come from cupel exec's options, and every combination is measured. */

#define COMBINATIONS_MAX 1000

static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
            return false;
    return length > 0;
}

static size_t count_values(const char *values)
{
    size_t count = 1;
    for (; *values; values++)
        count += *values == ',';
    return count;
}

/* Returns one of the values, which are separated by commas; `number` counts from 0. */
static struct span value_at(const char *values, size_t number)
{
    for (; number > 0; number--)
        values += strcspn(values, ",") + 1;
    return (struct span){values, strcspn(values, ",")};
}

/* Returns true if two values are the same, or, with `as_folders`, have the same name as folders, in
   which '_' replaces '/'. */
static bool is_same(struct span a, struct span b, bool as_folders)
{
    bool same = a.length == b.length;
    for (size_t i = 0; i < a.length && same; i++) {
        bool alike = as_folders && strchr("/_", a.text[i]) && strchr("/_", b.text[i]);
        same = a.text[i] == b.text[i] || alike;
    }
    return same;
}

static int check_values(const char *text, const char *values, size_t count, bool as_folders,
                        struct err *e)
{
    for (const char *rest = values; count-- > 1; rest += strcspn(rest, ",") + 1) {
        struct span first = value_at(rest, 0), next = first;
        for (size_t i = 0; i < count; i++) {
            next = value_at(next.text + next.length + 1, 0);
            if (is_same(first, next, as_folders))
                return err_set(e, ERR_USAGE, "--parameter %.60s: %.*s and %.*s are the same%s",
                               text, (int)first.length, first.text, (int)next.length, next.text,
                               is_same(first, next, false) ? "" : " as names of folders in DIR");
        }
    }
    return 0;
}

static int read_parameter(const char *text, bool as_folders, struct exec_parameters *to,
                          struct err *e)
{
    size_t length = strcspn(text, "=");
    if (to->count == EXECUTION_PARAMETERS_MAX)
        return err_set(e, ERR_USAGE, "--parameter: %d of them are possible",
                       EXECUTION_PARAMETERS_MAX);
    if (!text[length] || !text[length + 1] || !is_name(text, length) ||
        length >= sizeof to->list[0].name)
        return err_set(e, ERR_USAGE, "--parameter %.60s: NAME=VALUE,VALUE is needed", text);
    for (size_t i = 0; i < to->count; i++)
        if (span_is((struct span){text, length}, to->list[i].name))
            return err_set(e, ERR_USAGE, "--parameter %.60s: there are two of that name", text);
    span_copy(to->list[to->count].name, (struct span){text, length});
    const char *values = text + length + 1;
    size_t count = count_values(values);
    for (size_t i = 0; i < count; i++) {
        struct span value = value_at(values, i);
        if (!value.length || value.length >= sizeof((struct execution_parameter *)0)->value)
            return err_set(e, ERR_USAGE, "--parameter %.60s: a value has 1 to %zu characters", text,
                           sizeof((struct execution_parameter *)0)->value - 1);
    }
    to->list[to->count].values = values;
    to->list[to->count++].value_count = count;
    to->combinations *= count < COMBINATIONS_MAX ? count : COMBINATIONS_MAX;
    if (to->combinations > COMBINATIONS_MAX)
        return err_set(e, ERR_USAGE, "--parameter: more than %d combinations", COMBINATIONS_MAX);
    return check_values(text, values, count, as_folders, e);
}

/* Reads all parameters. Fails with ERR_USAGE. */
static int exec_parameters_read(const struct option_set *set, struct exec_parameters *to,
                                struct err *e)
{
    int cursor = 0;
    to->combinations = 1;
    for (const char *text; (text = options_next(set, "parameter", &cursor)) != NULL;)
        if (read_parameter(text, options_given(set, "output"), to, e))
            return -1;
    return 0;
}

void exec_parameters_pick(const struct exec_parameters *from, size_t combination,
                          struct execution_parameter to[EXECUTION_PARAMETERS_MAX])
{
    for (size_t i = from->count; i-- > 0;) {
        size_t number = combination % from->list[i].value_count;
        snprintf(to[i].name, sizeof to[i].name, "%s", from->list[i].name);
        span_copy(to[i].value, value_at(from->list[i].values, number));
        combination /= from->list[i].value_count;
    }
}

#define WORK_PLACE  "%WORK_AMOUNT%"
#define UNIT_COLUMN "unit:"

/*
 * The minimum numbers of rounds.
 *
 * Rounds are expensive, so a session has far fewer of them than `run` has time slices. If one round
 * in ten is slow, at least one of 30 rounds is slow with a probability of 96 %, of 10 rounds with
 * 65 %. No rule can account for events that did not occur. With --wps, a line is fitted to the
 * rounds, and the minimum is 60: if one round in twenty is slow, none of them is slow with a
 * probability of only 5 %, and long memory becomes visible.
 */
static const struct {
    const char *name;
    uint32_t rounds, work_rounds; /* minimum number of rounds; with --wps: work_rounds */
    uint32_t fewest;              /* minimum if --limit leaves no time for `rounds` */
    double seconds;
} exec_presets[] = {
    {"quick", 10, 10, 10, 1}, {"normal", 30, 60, 10, 3}, {"strict", 50, 100, 50, 10}};

static void apply_preset(const struct option_set *set, struct exec_options *o)
{
    struct plan *plan = &o->plan;
    for (size_t i = 0; i < sizeof exec_presets / sizeof *exec_presets; i++) {
        if (strcmp(plan->statistics.preset, exec_presets[i].name) != 0)
            continue;
        if (!options_given(set, "min-samples"))
            plan->statistics.minimum_subsessions =
                o->wps ? exec_presets[i].work_rounds : exec_presets[i].rounds;
        o->exec.fewest_rounds = options_given(set, "min-samples") ? 0 : exec_presets[i].fewest;
        if (!options_given(set, "min-time"))
            plan->ending.minimum_seconds = exec_presets[i].seconds;
    }
}

static int add_index(struct exec_options *o, const struct exec_index *index, struct err *e)
{
    size_t *count = &o->exec.program.index_count;
    const size_t most = EXECUTION_INDICES_MAX - UNIT_INDICES_MAX - 1;
    if (*count == most)
        return err_set(e, ERR_USAGE, "--pi: %zu of them are possible", most);
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(o->indices[i].name, index->name) && !strcmp(o->indices[i].op, index->op))
            return err_set(e, ERR_USAGE, "--pi %.60s: there are two of that name", index->name);
    o->indices[(*count)++] = *index;
    return 0;
}

/* Adds an index whose readings are in a column of --unit-readings. */
static int add_unit_index(struct exec_options *o, const struct exec_index *index, struct err *e)
{
    size_t *count = &o->exec.program.unit_index_count;
    const char *column = index->source + strlen(UNIT_COLUMN);
    if (*count == UNIT_INDICES_MAX)
        return err_set(e, ERR_USAGE, "--pi: %d of unit readings are possible", UNIT_INDICES_MAX);
    if (!*column || strspn(column, "0123456789") != strlen(column) || strlen(column) > 4)
        return err_set(e, ERR_USAGE, "--pi %.60s: " UNIT_COLUMN "N is a column, from 0",
                       index->name);
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(o->unit_indices[i].name, index->name))
            return err_set(e, ERR_USAGE, "--pi %.60s: there are two of that name", index->name);
    struct exec_index *to = &o->unit_indices[(*count)++];
    *to = *index;
    snprintf(to->source, sizeof to->source, "%s", column);
    return 0;
}

/* Reads the indices of --parse, then those of --pi. */
static int read_indices(const struct option_set *set, struct exec_options *o, struct err *e)
{
    int cursor = 0;
    for (const char *name; (name = options_next(set, "parse", &cursor)) != NULL;) {
        const struct exec_parser *parser = exec_parser_find(name);
        if (!parser)
            return err_set(e, ERR_USAGE,
                           "--parse %.40s: fio, fio-write, sysbench, pgbench and redis-benchmark "
                           "are known",
                           name);
        o->exec.program.parser = parser;
        for (const struct exec_index *index = parser->indices; index->name[0]; index++)
            if (add_index(o, index, e))
                return -1;
    }
    cursor = 0;
    for (const char *text; (text = options_next(set, "pi", &cursor)) != NULL;) {
        struct exec_index index;
        if (exec_index_parse(text, &index, e))
            return -1;
        bool of_units = !strncmp(index.source, UNIT_COLUMN, strlen(UNIT_COLUMN));
        if (of_units ? add_unit_index(o, &index, e) : add_index(o, &index, e))
            return -1;
    }
    o->exec.program.indices = o->indices;
    if (o->wps && o->exec.program.index_count)
        return err_set(e, ERR_USAGE,
                       "--pi %.40s: --wps measures durations; beside it a --pi reads "
                       "--unit-readings (" UNIT_COLUMN "N)",
                       o->indices[0].name);
    return 0;
}

/* Sets where unit readings come from. Without a --pi for them, the first column is read. */
static int read_units(struct exec_options *o, struct err *e)
{
    struct exec_program *p = &o->exec.program;
    if (!o->unit_readings[0])
        return p->unit_index_count
                   ? err_set(e, ERR_USAGE, "--pi %.40s: " UNIT_COLUMN "N is of --unit-readings",
                             o->unit_indices[0].name)
                   : 0;
    if (!p->unit_index_count)
        o->unit_indices[p->unit_index_count++] =
            (struct exec_index){.name = "unit_reading",
                                .op = "all",
                                .source = "0",
                                .scale = 1,
                                .better = METRIC_BETTER_HIGHER};
    p->unit_readings = o->unit_readings;
    p->unit_indices = o->unit_indices;
    return 0;
}

static int check_command(const struct option_set *set, struct err *e)
{
    if (set->operand_count > set->after_dashes_count)
        return err_set(e, ERR_USAGE, "%.60s: the program stands after --: cupel exec -- %.60s",
                       set->operands[0], set->operands[0]);
    if (!set->after_dashes_count)
        return err_set(e, ERR_USAGE, "nothing to run: give a program after --");
    if (!set->after_dashes[0][0])
        return err_set(e, ERR_USAGE, "the program's name is empty");
    return 0;
}

/* Writes the command in one line, cut to `size`. */
static void describe_command(char *const *words, char *to, size_t size)
{
    struct text line = {0};
    for (size_t i = 0; words[i]; i++)
        text_addf(&line, "%s%s", i ? " " : "", words[i]);
    span_printable(to, size, span_of(line.data ? line.data : ""));
    text_free(&line);
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static int read_durations_of(struct exec_options *o, struct err *e)
{
    char amounts[sizeof o->durations_of];
    size_t count = 0;
    snprintf(amounts, sizeof amounts, "%s", o->durations_of);
    for (char *rest = amounts, *amount = strsep(&rest, ","); *o->durations_of && amount;
         amount = strsep(&rest, ",")) {
        uint64_t work;
        if (parse_size(amount, &work, e))
            return -1;
        if (work < 1 || work > (uint64_t)1 << 53 || count == WORK_DURATIONS_MAX)
            return err_set(e, ERR_USAGE,
                           "--duration-of %s: 1 to %d amounts of 1 or more are needed",
                           o->durations_of, WORK_DURATIONS_MAX);
        o->exec.durations_of[count++] = (double)work;
    }
    return 0;
}

static int read_work(const struct option_set *set, struct exec_options *o, struct err *e)
{
    char first[sizeof o->work];
    const char *comma = strchr(o->work, ',');
    size_t length = comma ? (size_t)(comma - o->work) : strlen(o->work);
    uint64_t min = 0, max = 0;
    snprintf(first, sizeof first, "%.*s", (int)length, o->work);
    if (parse_size(first, &min, e) || (comma && parse_size(comma + 1, &max, e)))
        return -1;
    const uint64_t most = (uint64_t)1 << 53;
    if (min > most || max > most || (comma ? max < 2 || min >= max : min == 0))
        return err_set(e, ERR_USAGE,
                       "-w %s: an amount of 1 or more, or MIN,MAX with MIN below MAX, is needed",
                       o->work);
    if (o->wps && !comma)
        return err_set(e, ERR_USAGE, "--wps needs the range of work amounts: -w MIN,MAX");
    if (comma && !o->wps && !o->unit_readings[0])
        return err_set(e, ERR_USAGE,
                       "-w %s: a range of work amounts needs --wps or --unit-readings", o->work);
    o->exec.work = comma && !min ? 1 : (double)min;
    o->exec.max_work = comma ? (double)max : o->exec.work;
    if (!comma)
        return 0;
    bool varies = strstr(o->prepare, WORK_PLACE) != NULL;
    for (size_t i = 0; i < set->after_dashes_count; i++)
        varies |= strstr(set->after_dashes[i], WORK_PLACE) != NULL;
    if (!varies)
        return err_set(e, ERR_USAGE, "%s varies %s, and CMD does not have it",
                       o->wps ? "--wps" : "-w MIN,MAX", WORK_PLACE);
    if (!o->wps)
        return 0;
    o->exec.work_range = (struct work_limits){.min = o->exec.work,
                                              .max = (double)max,
                                              .shortest = o->shortest_seconds,
                                              .quick_seconds = WORK_QUICK_SECONDS,
                                              .quick_rounds = WORK_QUICK_ROUNDS};
    return read_durations_of(o, e);
}

static void make_plan(const struct option_set *set, struct exec_options *o)
{
    struct exec_plan *p = &o->exec;
    const struct plan *plan = &o->plan;
    p->program.command = (const char *const *)set->after_dashes;
    p->program.shell = o->shell;
    p->program.serve = o->serve;
    p->program.setup = or_null(o->setup);
    p->program.prepare = or_null(o->prepare);
    p->program.cleanup = or_null(o->cleanup);
    p->program.directory = or_null(o->directory);
    p->program.timeout_seconds = o->timeout_seconds;
    p->program.hook_seconds = o->hook_seconds;
    p->program.discard_output = o->discard_output;
    p->program.duration_column = options_given(set, "duration-col") ? (int)o->duration_column : -1;
    p->config = plan_judge_config(plan, false);
    p->config.minimum_readings = plan->statistics.minimum_subsessions;
    p->unit_rounds = options_given(set, "min-samples") ? plan->statistics.minimum_subsessions : 1;
    p->minimum_seconds = plan->ending.minimum_seconds;
    p->limit_seconds = plan->ending.limit_seconds;
    p->width_given = options_given(set, "ci") != NULL;
    for (size_t i = 0; i < p->program.index_count; i++)
        p->width_given |= o->indices[i].target_width > 0;
    p->rounds = o->rounds;
    p->warmup = o->warmup;
    p->overhead_pairs = o->overhead_pairs;
    p->failures = o->failures;
    p->monitor_cost = plan->watch.cost;
    p->graph = or_null(plan->watch.graph);
    p->remote = or_null(plan->watch.remote);
    p->remote_target = or_null(plan->watch.remote_target);
    p->sysroot = or_null(o->sysroot);
    p->strict_bottleneck = plan->watch.strict_bottleneck;
    p->labels = plan->labels;
    p->start = &o->launch.start;
    describe_command(set->after_dashes, p->command, sizeof p->command);
}

static int exec_exit_codes_parse(const char *text, bool ok[256], struct err *e)
{
    if (!strcmp(text, "any")) {
        memset(ok, true, 256 * sizeof *ok);
        return 0;
    }
    for (const char *rest = text;; rest++) {
        char *end;
        unsigned long first = strtoul(rest, &end, 10), last = first;
        bool is_number = rest[0] >= '0' && rest[0] <= '9';
        if (is_number && *end == '-' && end[1] >= '0' && end[1] <= '9')
            last = strtoul(end + 1, &end, 10);
        if (!is_number || last < first || last > 255 || (*end && *end != ','))
            return err_set(e, ERR_USAGE,
                           "--ok-exit %.60s: exit codes from 0 to 255 are needed, as in 0,2-4, or "
                           "any",
                           text);
        for (unsigned long code = first; code <= last; code++)
            ok[code] = true;
        rest = end;
        if (!*rest)
            return 0;
    }
}

/* Reads the variables "NAME=VALUE" for the program. Fails with ERR_USAGE. */
static int exec_environment_read(const struct option_set *set, struct exec_options *o,
                                 struct err *e)
{
    int cursor = 0;
    size_t count = 0;
    for (const char *text; (text = options_next(set, "env", &cursor)) != NULL; count++) {
        if (count == EXEC_ENVIRONMENT_MAX)
            return err_set(e, ERR_USAGE, "--env: %d of them are possible", EXEC_ENVIRONMENT_MAX);
        if (text[0] == '=' || !strchr(text, '='))
            return err_set(e, ERR_USAGE, "--env %.60s: NAME=VALUE is needed", text);
        o->environment[count] = text;
    }
    o->exec.program.environment = o->environment;
    return 0;
}

/* Converts a width in the unit `own` to `unit`. Returns 0 if the two units are of different
   quantities. */
static double width_in(const char *unit, double width, const char *own)
{
    const struct column_unit *from = column_unit_of(span_of(own)),
                             *to = column_unit_of(span_of(unit));
    if (from && to && from->quantity == to->quantity)
        return width * from->scale / to->scale;
    return strcmp(unit, own) ? 0 : width;
}

/* Applies the absolute width of --ci, such as "2ms", to every index whose unit is of the same
   quantity and that has no width yet. If there is no such index, the width is left in the plan, and
   the plan's check refuses it. */
static void take_width(struct exec_options *o)
{
    struct exec_program *p = &o->exec.program;
    char *text = o->plan.statistics.absolute_width, *own;
    const bool half = !strncmp(text, "+-", 2);
    const double width = strtod(text + 2 * half, &own) * (1 + half);
    double found = 0;
    if (!text[0] || !(width > 0))
        return;
    for (size_t i = 0; i < p->index_count + p->unit_index_count; i++) {
        struct exec_index *index =
            i < p->index_count ? &o->indices[i] : &o->unit_indices[i - p->index_count];
        if (index->target_width == 0 && index->type != INDEX_PROPORTION)
            index->absolute_width = width_in(index->unit, width, own);
        found = fmax(found, index->absolute_width);
    }
    if (!p->index_count && !p->unit_index_count && !o->wps)
        found = o->exec.duration_width = width_in("s", width, own);
    if (found > 0)
        text[0] = '\0';
}

int exec_options_read(const struct option_set *set, struct exec_options *o, struct err *e)
{
    *o = (struct exec_options){0};
    if (plan_options_store(set, &o->plan, e) || check_command(set, e) || read_indices(set, o, e) ||
        read_units(o, e) || exec_environment_read(set, o, e) || read_work(set, o, e) ||
        exec_parameters_read(set, &o->parameters, e) ||
        exec_exit_codes_parse(o->exit_ok, o->exec.program.exit_ok, e))
        return -1;
    if (o->plan.statistics.period_seconds > 0)
        return err_set(e, ERR_USAGE,
                       "--interval %g s: rounds have no intervals of time; give a "
                       "method, as in --interval pilot",
                       o->plan.statistics.period_seconds);
    bool reads = o->exec.program.index_count || options_given(set, "duration-col");
    if (o->discard_output && reads)
        return err_set(e, ERR_USAGE,
                       "--discard-output: --pi and --duration-col read what is printed");
    take_width(o);
    if (plan_check_rules(&o->plan, e))
        return -1;
    o->whole_report = options_given(set, "format") != NULL;
    if (launch_options_read(set, &o->launch, o->folder, sizeof o->folder, e))
        return -1;
    apply_preset(set, o);
    make_plan(set, o);
    return 0;
}
