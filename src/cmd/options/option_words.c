/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the sets of words that options accept, and the meanings of the placeholders in the help. */
#include "cmd/options/option_words.h"

#include <stdio.h>
#include <string.h>

#include "facts/result.h"
#include "source/generator/profile.h"
#include "source/trace/trace.h"
#include "stat/model/model.h"

/* Returns the name at `index` of a table, or NULL at its end. */
static const char *profile_at(size_t index)
{
    return profile_builtins[index].name;
}

static const char *trace_format_at(size_t index)
{
    return trace_format_names()[index];
}

static const char *metric_at(size_t index)
{
    return index < METRIC_COUNT ? metric_of((enum metric_id)index)->name : NULL;
}

static const char *method_at(size_t index)
{
    return model_methods[index] ? model_methods[index]->name : NULL;
}

/* Sets of words that options accept. A set consists of the words of a table (`at`), of `words`, or
   of both. tests/cli/completion.sh passes each word to the command. */
static const struct {
    const char *(*at)(size_t index);
    const char *words; /* each with a blank before it; they follow the words of `at` */
    bool goes_on;      /* more text may follow a word of this set: ':', ',' or a limit */
    const char *sentence;
} sets[WORDS_COUNT] = {
    [WORDS_PROFILES] = {.at = profile_at, .sentence = "Built in"},
    [WORDS_TRACE_FORMATS] = {.at = trace_format_at, .sentence = "One of"},
    [WORDS_METRICS] = {.at = metric_at},
    [WORDS_METHODS] = {.at = method_at, .words = " auto", .goes_on = true},
    [WORDS_CLAUSES] = {.words = " iops bandwidth bps mean p50 p90 p95 p99 p99.9 efficiency errors"
                                " read.iops read.bandwidth read.mean read.p50 read.p99 read.p99.9"
                                " write.iops write.bandwidth write.mean write.p50 write.p99"
                                " write.p99.9",
                       .goes_on = true},
    [WORDS_WIDTHS] = {.words = " iops: bandwidth: bps: mean: p50: p90: p95: p99: p99.9:",
                      .goes_on = true},
    [WORDS_ARRIVALS] = {.words = " uniform poisson normal pareto burst"},
    [WORDS_ADDRESSES] = {.words = " random zipf: pareto: hotspot: zoned: streams: stride: strips:"
                                  " sequence: walk:",
                         .goes_on = true},
    [WORDS_PAUSES] = {.words = " exponential: uniform:", .goes_on = true},
    [WORDS_NULL_SCRIPT] = {.words = " const: uniform: normal: lognormal: exp: ar1: bimodal: spike:"
                                    " ramp: queue: fail: short:",
                           .goes_on = true},
    [WORDS_PARSERS] = {.words = " fio fio-write sysbench pgbench redis-benchmark"},
    [WORDS_GROUPS] = {.words = " nothing host job op device source label:", .goes_on = true},
    [WORDS_INTERVAL_FILES] = {.words = " hdr= fio-hist= fio-json=", .goes_on = true},
    [WORDS_GOVERNORS] = {.words = " performance powersave schedutil ondemand conservative"
                                  " userspace"},
    [WORDS_SCHEDULERS] = {.words = " none mq-deadline kyber bfq"},
};

void option_add_words(const struct option_row *row, struct text *out)
{
    const char *(*at)(size_t) = sets[row->words].at;
    for (const struct option_choice *c = row->choices; c && c->name; c++)
        text_addf(out, " %s", c->name);
    if (row->kind == OPTION_SWITCH)
        text_add(out, " 0 1");
    for (size_t i = 0; at && at(i); i++)
        text_addf(out, " %s", at(i));
    if (sets[row->words].words)
        text_add(out, sets[row->words].words);
}

bool option_words_go_on(const struct option_row *row)
{
    return sets[row->words].goes_on;
}

void option_words_in_help(const struct option_row *row, struct text *out)
{
    const char *(*at)(size_t) = sets[row->words].at;
    if (!sets[row->words].sentence)
        return;
    text_addf(out, " %s ", sets[row->words].sentence);
    for (size_t i = 0; at(i); i++)
        text_addf(out, "%s%s", i ? ", " : "", at(i));
    text_add(out, ".");
}

enum value_kind value_kind(const char *typed)
{
    static const struct {
        const char *part;
        enum value_kind kind;
    } parts[] = {{"=", VALUE_OTHER},      {"://", VALUE_OTHER},        {"FILE", VALUE_FILES},
                 {"TARGET", VALUE_FILES}, {"TRACE", VALUE_FILES},      {"RECORD", VALUE_FILES},
                 {"PLAN", VALUE_FILES},   {"[C...]", VALUE_FILES},     {"DIR", VALUE_FOLDERS},
                 {"PATH", VALUE_FOLDERS}, {"COMMAND", VALUE_COMMANDS}, {"CMD", VALUE_PROGRAMS},
                 {"DISK", VALUE_DISKS},   {"DEV", VALUE_DISKS},        {"PID", VALUE_PROCESSES}};
    if (!typed || !*typed)
        return VALUE_NONE;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(typed, parts[i].part))
            return parts[i].kind;
    return VALUE_OTHER;
}
