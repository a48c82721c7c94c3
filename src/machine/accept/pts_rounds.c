/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the rounds of a test, from where the journal stands. */
#include <math.h>
#include <stdbool.h>

#include "machine/accept/pts.h"

/* Returns the round and cell that follow the last sample. */
static struct pts_sample next_sample(const struct pts_result *r)
{
    struct pts_sample next = {.round = 0, .cell = 0};
    if (r->sample_count) {
        const struct pts_sample *last = &r->samples[r->sample_count - 1];
        next = (struct pts_sample){.round = last->round, .cell = last->cell + 1};
    }
    while (next.cell < r->cell_count && !r->cells[next.cell].chosen)
        next.cell++;
    if (next.cell == r->cell_count) {
        next.round++;
        for (next.cell = 0; !r->cells[next.cell].chosen; next.cell++)
            ;
    }
    return next;
}

static int measure_sample(struct pts_result *r, struct accept_journal *journal, unsigned disk,
                          const struct pts_measurer *m, struct err *e)
{
    struct pts_sample s = next_sample(r);
    if (m->cell(m->context, r, &r->cells[s.cell], &s, e))
        return -1;
    if (r->sample_count)
        s.written += r->samples[r->sample_count - 1].written;
    if (pts_journal_sample(journal, disk, r, &s, e))
        return -1;
    r->samples[r->sample_count++] = s;
    return 0;
}

static const struct pts_cell *first_tracked(const struct pts_result *r)
{
    const struct pts_cell *cell = r->cells;
    while (!cell->tracked)
        cell++;
    return cell;
}

static int measure_latency(struct pts_result *r, const struct pts_test *test,
                           struct accept_journal *journal, unsigned disk,
                           const struct pts_measurer *m, struct err *e)
{
    double seconds = pts_seconds(r, test, 0);
    if (!(seconds > 0) || r->latency_seconds > 0)
        return 0;
    if (m->latency(m->context, r, first_tracked(r), seconds, e))
        return -1;
    return pts_journal_latency(journal, disk, r, e);
}

int pts_rounds(struct pts_result *r, const struct pts_test *test, struct accept_journal *journal,
               unsigned disk, const struct pts_measurer *m, struct err *e)
{
    if (pts_judge(r, test, e))
        return -1;
    while (r->end == PTS_UNFINISHED)
        if (measure_sample(r, journal, disk, m, e) || pts_judge(r, test, e))
            return -1;
    return measure_latency(r, test, journal, disk, m, e);
}
