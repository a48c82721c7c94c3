/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a test to the journal and reads it back: one line for its shape, one for each sample, one
   for the long run, and one for its end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine/accept/pts.h"

#define BITS 64
_Static_assert(PTS_CELLS_MAX <= BITS, "a bit for every cell");

int pts_journal_shape(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                      struct err *e)
{
    char words[ACCEPT_QUOTED], left_out[ACCEPT_QUOTED], cache[ACCEPT_QUOTED];
    char prepared[ACCEPT_QUOTED], platform[ACCEPT_QUOTED];
    uint64_t cells = 0;
    for (unsigned i = 0; i < r->cell_count; i++)
        cells |= (uint64_t)r->cells[i].chosen << i;
    return accept_journal_add(
        j, disk, e, "pts-shape",
        "test=%s client=%d capacity=%llu range=%llu seconds=%.17g rounds=%u cells=%llu reduced=%d "
        "words=%s left_out=%s cache=%s prepared=%s platform=%s",
        r->name, r->client, (unsigned long long)r->capacity, (unsigned long long)r->range,
        r->cell_seconds, r->rounds_max, (unsigned long long)cells, r->reduced,
        accept_journal_quote(words, r->words), accept_journal_quote(left_out, r->left_out),
        accept_journal_quote(cache, r->cache), accept_journal_quote(prepared, r->prepared),
        accept_journal_quote(platform, r->platform));
}

/* Reads the shape of a test. Returns false if no test can have this shape. */
static bool read_shape(const struct accept_line *line, const struct pts_test *test,
                       struct pts_result *r)
{
    struct err unused;
    const struct pts_limits full = {.client = accept_line_count(line, "client") == 1,
                                    .capacity = accept_line_count(line, "capacity"),
                                    .seconds = INFINITY};
    if (pts_shape(r, test, &full, &unused))
        return false;
    uint64_t cells = accept_line_count(line, "cells");
    r->chosen = 0;
    for (unsigned i = 0; i < r->cell_count; i++) {
        r->cells[i].chosen = cells >> i & 1;
        r->chosen += r->cells[i].chosen;
    }
    r->range = accept_line_count(line, "range");
    r->cell_seconds = accept_line_number(line, "seconds");
    uint64_t rounds = accept_line_count(line, "rounds");
    r->rounds_max = rounds < test->rounds ? (unsigned)rounds : test->rounds;
    r->reduced = accept_line_count(line, "reduced") == 1;
    accept_line_text(line, "words", r->words, sizeof r->words);
    accept_line_text(line, "left_out", r->left_out, sizeof r->left_out);
    accept_line_text(line, "cache", r->cache, sizeof r->cache);
    accept_line_text(line, "prepared", r->prepared, sizeof r->prepared);
    accept_line_text(line, "platform", r->platform, sizeof r->platform);
    for (unsigned i = 0; i < PTS_PERCENTILES; i++)
        r->latency[i] = NAN;
    return r->chosen && r->rounds_max && r->cell_seconds > 0 && r->range && r->capacity;
}

int pts_journal_sample(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                       const struct pts_sample *s, struct err *e)
{
    return accept_journal_add(
        j, disk, e, "pts-sample",
        "test=%s round=%u cell=%u rate=%.17g bandwidth=%.17g mean=%.17g max=%.17g seconds=%.17g "
        "written=%.17g celsius=%.17g at=%.17g throttled=%d",
        r->name, s->round, s->cell, s->iops, s->bandwidth, s->mean_ns, s->max_ns, s->seconds,
        s->written, s->celsius, s->at, s->throttled);
}

/* Reads a sample. Samples are in the order of measurement; a line out of order is ignored. */
static void read_sample(const struct accept_line *line, struct pts_result *r)
{
    uint64_t round = accept_line_count(line, "round"), cell = accept_line_count(line, "cell");
    const struct pts_sample *last = r->sample_count ? &r->samples[r->sample_count - 1] : NULL;
    if (round >= r->rounds_max || cell >= r->cell_count || !r->cells[cell].chosen ||
        (last && (round < last->round || (round == last->round && cell <= last->cell))))
        return;
    struct pts_sample *s = &r->samples[r->sample_count++];
    *s = (struct pts_sample){.round = (unsigned)round,
                             .cell = (unsigned)cell,
                             .iops = accept_line_number(line, "rate"),
                             .bandwidth = accept_line_number(line, "bandwidth"),
                             .mean_ns = accept_line_number(line, "mean"),
                             .max_ns = accept_line_number(line, "max"),
                             .seconds = accept_line_number(line, "seconds"),
                             .written = accept_line_number(line, "written"),
                             .celsius = accept_line_number(line, "celsius"),
                             .at = accept_line_number(line, "at"),
                             .throttled = accept_line_count(line, "throttled") == 1};
}

int pts_journal_latency(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                        struct err *e)
{
    char values[PTS_PERCENTILES * 32];
    size_t used = 0;
    for (unsigned i = 0; i < PTS_PERCENTILES; i++)
        used +=
            (size_t)snprintf(values + used, sizeof values - used, " p%u=%.17g", i, r->latency[i]);
    return accept_journal_add(j, disk, e, "pts-latency", "test=%s seconds=%.17g ios=%.17g%s",
                              r->name, r->latency_seconds, r->latency_ios, values);
}

static void read_latency(const struct accept_line *line, struct pts_result *r)
{
    r->latency_seconds = accept_line_number(line, "seconds");
    r->latency_ios = accept_line_number(line, "ios");
    for (unsigned i = 0; i < PTS_PERCENTILES; i++) {
        char key[4] = {'p', (char)('0' + i)};
        r->latency[i] = accept_line_number(line, key);
    }
}

int pts_journal_end(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                    struct err *e)
{
    return accept_journal_add(j, disk, e, "pts-end", "test=%s end=%s", r->name,
                              pts_end_name(r->end));
}

static void read_end(const struct accept_line *line, struct pts_result *r)
{
    char name[24];
    accept_line_text(line, "end", name, sizeof name);
    for (enum pts_end end = PTS_STEADY; end <= PTS_WRITTEN; end++)
        if (!strcmp(name, pts_end_name(end)))
            r->end = end;
}

bool pts_journal_read(const struct accept_journal *j, unsigned disk, const struct pts_test *test,
                      struct pts_result *r)
{
    bool found = false;
    const struct accept_line *line;
    for (size_t i = 0; (line = accept_journal_line(j, i)); i++) {
        char name[sizeof r->name];
        if (line->disk != disk || strncmp(line->event, "pts-", 4) != 0 ||
            !accept_line_text(line, "test", name, sizeof name) || strcmp(name, test->name) != 0)
            continue;
        if (!strcmp(line->event, "pts-shape"))
            found = read_shape(line, test, r);
        else if (found && !strcmp(line->event, "pts-sample"))
            read_sample(line, r);
        else if (found && !strcmp(line->event, "pts-latency"))
            read_latency(line, r);
        else if (found && !strcmp(line->event, "pts-end"))
            read_end(line, r);
    }
    return found;
}
