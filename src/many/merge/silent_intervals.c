/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds intervals in which sources measured but no I/O was under way: a stall, or idleness. */
#include "many/merge/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"

/* A longer table of empty intervals helps nobody. */
#define SILENT_MAX 100000

static bool was_measured(const struct merge *m, uint64_t begin_ns, uint64_t end_ns)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].begin_ns < end_ns && m->sources[i].end_ns > begin_ns)
            return true;
    return false;
}

static struct result_period *add_silent(struct result_merged *to, size_t *room)
{
    return array_grow(&to->silent, sizeof *to->silent, to->silent_count, room)
               ? &to->silent[to->silent_count++]
               : NULL;
}

/* Finds the silent intervals between one period of an operation and its next. */
int find_silent(const struct merge *m, const struct result *r, uint64_t first_ns,
                struct result_merged *to, struct err *e)
{
    size_t room = 0;
    for (size_t i = 0; i + 1 < r->period_count; i++) {
        const struct result_period *a = &r->periods[i], *b = a + 1;
        const uint64_t length_ns = (uint64_t)(a->seconds * 1e9 + 0.5);
        if (strcmp(a->op, b->op) != 0 || strcmp(a->job, b->job) != 0 || !length_ns)
            continue;
        uint64_t at_ns = first_ns + (uint64_t)(a->begin_seconds * 1e9 + 0.5) + length_ns;
        uint64_t end_ns = first_ns + (uint64_t)(b->begin_seconds * 1e9 + 0.5);
        for (; at_ns + length_ns / 2 < end_ns && to->silent_count < SILENT_MAX;
             at_ns += length_ns) {
            if (!was_measured(m, at_ns, at_ns + length_ns))
                continue;
            struct result_period *silent = add_silent(to, &room);
            if (!silent)
                return err_no_memory(e, "intervals");
            *silent = (struct result_period){.begin_seconds = (double)(at_ns - first_ns) * 1e-9,
                                             .seconds = a->seconds,
                                             .covered = a->seconds};
            snprintf(silent->op, sizeof silent->op, "%s", a->op);
            snprintf(silent->job, sizeof silent->job, "%s", a->job);
            format_instant(silent->begin, sizeof silent->begin, at_ns);
        }
    }
    return 0;
}
