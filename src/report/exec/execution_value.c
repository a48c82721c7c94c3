/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats values of an index, and computes the resources that rounds used. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/exec/internal.h"

char *execution_title(const struct execution_index *index, char *to, size_t size)
{
    bool all = !strcmp(index->op, "all");
    snprintf(to, size, "%s%s%.47s", all ? "" : index->op, all ? "" : " ", index->name);
    return to;
}

struct execution_shown execution_shown_of(const struct execution_index *index)
{
    const double value = isfinite(index->value) ? index->value : index->low;
    static const struct {
        const char *unit;
        double factor;
        enum metric_kind kind;
    } known[] = {{"s", 1e9, METRIC_KIND_TIME},
                 {"ms", 1e6, METRIC_KIND_TIME},
                 {"us", 1e3, METRIC_KIND_TIME},
                 {"ns", 1, METRIC_KIND_TIME},
                 {"B/s", 1, METRIC_KIND_BYTE_RATE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double factor = known[i].factor;
        if (!strcmp(index->unit, known[i].unit))
            return (struct execution_shown){number_scale_of(known[i].kind, value * factor,
                                                            index->low * factor,
                                                            index->high * factor),
                                            factor, ""};
    }
    bool rate = !strcmp(index->unit, "1/s");
    return (struct execution_shown){
        rate ? number_scale_of(METRIC_KIND_COUNT_RATE, value, index->low, index->high)
             : number_scale_plain(value, index->low, index->high),
        1, index->unit};
}

char *execution_show(char *to, size_t size, const struct execution_shown *shown, double value)
{
    return number_scaled(to, size, &shown->scale, value * shown->factor);
}

void execution_add_value(struct text *out, const struct execution_shown *shown, double value)
{
    char number[NUMBER_BUFFER];
    text_add(out, execution_show(number, sizeof number, shown, value));
    if (*shown->unit && strcmp(shown->unit, "1") != 0 && isfinite(value))
        text_addf(out, " %s", shown->unit);
}

struct execution_usage execution_usage_of(const struct execution *x)
{
    struct execution_usage u = {0};
    for (size_t i = 0; i < x->round_count; i++) {
        const struct execution_round *round = &x->rounds[i];
        if (round->why || round->warmup)
            continue;
        u.user_seconds += round->user_seconds;
        u.system_seconds += round->system_seconds;
        u.max_rss = fmax(u.max_rss, (double)round->max_rss);
        u.rounds++;
    }
    if (u.rounds) {
        u.user_seconds /= (double)u.rounds;
        u.system_seconds /= (double)u.rounds;
    }
    return u;
}
