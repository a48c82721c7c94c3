/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the odd one out among drives of one model in this machine, without an expectation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine/qualify/fleet.h"
#include "machine/qualify/internal.h"

static int device_of(const struct qualification *q, const struct fleet_disk *d)
{
    for (size_t i = 0; i < q->device_count; i++)
        if (!strcmp(q->devices[i].name, d->name))
            return (int)i;
    return -1;
}

static void note_slow(struct qualification *q, const struct fleet *f, const struct fleet_slow *s)
{
    char found[120], row[64];
    bool is_time =
        s->row >= 0 && metric_of(fleet_rows[s->row].metric)->better == METRIC_BETTER_LOWER;
    snprintf(found, sizeof found, "%s %.1f %% %s (%.1f to %.1f) than %zu peers",
             fleet_row_name(s->row, row, sizeof row), 100 * s->share, is_time ? "longer" : "lower",
             100 * s->low, 100 * s->high, s->peers);
    note_replaceable(q, device_of(q, &f->disks[s->disk]), GRADE_WARN, "odd one out", found, "%s",
                     s->cause[0] ? s->cause : "nothing else differs from the peers");
}

/* If the intervals of the only two drives of a model lie apart, the drives differ, but nobody knows
   which one is odd. */
static void note_pair(struct qualification *q, const struct fleet *f, size_t first, size_t second,
                      size_t row)
{
    const struct fleet_value *a = &f->disks[first].values[row], *b = &f->disks[second].values[row];
    bool lower = a->value < b->value;
    const struct fleet_value *low = lower ? a : b, *high = lower ? b : a;
    char found[120], name[64];
    if (!(low->high < high->low) || !(low->value <= (1 - fleet_rows[row].threshold) * high->value))
        return;
    snprintf(found, sizeof found, "%s of %.30s is %.1f %% below that of %.30s",
             fleet_row_name((int)row, name, sizeof name), f->disks[lower ? first : second].name,
             100 * (1 - low->value / high->value), f->disks[lower ? second : first].name);
    note_check(q, -1, GRADE_NONE, "drives differ", found,
               "two of a model: which of them is the odd one cannot be said");
}

static void note_few(struct qualification *q, const struct fleet *f)
{
    for (size_t row = 0; row < FLEET_ROWS; row++)
        for (size_t i = 0; i < f->disk_count; i++) {
            size_t alike = 0, other = i;
            bool first = !isnan(f->disks[i].values[row].value);
            for (size_t k = 0; first && k < f->disk_count; k++) {
                bool same =
                    f->disks[k].values[row].conditions == f->disks[i].values[row].conditions;
                first = !same || k >= i;
                alike += same;
                other = same ? k : other;
            }
            if (first && alike == 2)
                note_pair(q, f, i, other, row);
            else if (first && !row && (alike == 3 || alike == 4))
                note_check(q, -1, GRADE_NONE, "odd one out", "too few peers",
                           "%zu drives like %s: five are needed", alike, f->disks[i].name);
        }
}

int judge_peers(struct qualification *q, struct err *e)
{
    struct fleet f = {0};
    fleet_add_qualification(&f, q);
    int status = f.failed ? err_no_memory(e, "comparing the drives") : fleet_judge(&f, e);
    if (!status) {
        for (size_t i = 0; i < f.slow_count; i++)
            note_slow(q, &f, &f.slow[i]);
        note_few(q, &f);
    }
    fleet_free(&f);
    return status;
}
