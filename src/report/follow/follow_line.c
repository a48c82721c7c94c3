/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An interval as one line, for logs and pipes. */
#include "report/follow/internal.h"

#include <stdio.h>
#include <time.h>

#include "report/follow/follow.h"
#include "report/layout/number.h"

char *follow_instant(char *to, size_t size, uint64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000u);
    unsigned milliseconds = (unsigned)(ns / 1000000u % 1000);
    struct tm utc;
    char date[24] = "", fraction[8] = "";
    if (gmtime_r(&seconds, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    if (milliseconds)
        snprintf(fraction, sizeof fraction, ".%03u", milliseconds);
    snprintf(to, size, "%s%sZ", date, fraction);
    return to;
}

void follow_add_hosts(const struct followed *f, struct text *out)
{
    static const struct {
        enum followed_state state;
        const char *words;
    } counts[] = {{FOLLOWED_STARTING, "starting"},
                  {FOLLOWED_SILENT, "silent"},
                  {FOLLOWED_REFUSED, "refused"},
                  {FOLLOWED_ENDED, "ended"}};
    if (f->records != f->hosts)
        text_addf(out, "%zu records of ", f->records);
    text_addf(out, "%zu host%s: %zu running", f->hosts, f->hosts == 1 ? "" : "s",
              f->in_state[FOLLOWED_RUNNING]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (f->in_state[counts[i].state])
            text_addf(out, ", %zu %s", f->in_state[counts[i].state], counts[i].words);
}

void follow_add_silent(const struct followed *f, struct text *out)
{
    char number[NUMBER_BUFFER];
    const size_t all = f->in_state[FOLLOWED_SILENT] + f->in_state[FOLLOWED_REFUSED];
    for (size_t i = 0; i < f->silent_count; i++) {
        const struct followed_host *h = &f->silent[i];
        text_addf(out, "%s%s", i ? ", " : "", h->name);
        if (h->state == FOLLOWED_SILENT)
            text_addf(out, " for %s", number_seconds(number, sizeof number, h->silent_seconds));
        else
            text_add(out, " (its record cannot be read)");
    }
    if (all > f->silent_count)
        text_addf(out, " and %zu more", all - f->silent_count);
}

static void add_value(struct text *out, const char *name, enum metric_kind kind, double value)
{
    char number[NUMBER_BUFFER];
    text_addf(out, "  %s %s", name, number_value(number, sizeof number, kind, value));
}

void follow_line(const struct followed *f, const struct followed_interval *i, struct text *out)
{
    char instant[40];
    text_addf(out, "%s", follow_instant(instant, sizeof instant, i->begin_ns));
    add_value(out, "IOPS", METRIC_KIND_COUNT_RATE, i->io_rate);
    add_value(out, "bandwidth", METRIC_KIND_BYTE_RATE, i->byte_rate);
    add_value(out, "p50", METRIC_KIND_TIME, i->p50);
    add_value(out, "p90", METRIC_KIND_TIME, i->p90);
    add_value(out, "p99", METRIC_KIND_TIME, i->p99);
    add_value(out, "p99.9", METRIC_KIND_TIME, i->p999);
    add_value(out, "max", METRIC_KIND_TIME, i->max);
    if (i->errors)
        text_addf(out, "  errors %llu", (unsigned long long)i->errors);
    text_add(out, "  ");
    follow_add_hosts(f, out);
    if (f->silent_count) {
        text_add(out, "; silent: ");
        follow_add_silent(f, out);
    }
    for (size_t k = 0; f->limits && k < f->limits->count; k++)
        if (f->of_limit[k].broken)
            text_addf(out, "; broken now: %s", f->limits->clause[k].text);
    text_add(out, "\n");
}
