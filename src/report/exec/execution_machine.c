/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the part of the machine that limited the program, and the utilisation of each part. */
#include <math.h>
#include <stdio.h>

#include "report/document/document.h"
#include "report/exec/internal.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

enum { PARTS_SHOWN = 10, NAME_WIDTH = 24 };

/* Returns the disk with the highest utilisation. */
static const struct result_part *busiest_disk(const struct execution *x)
{
    const struct result_part *disk = NULL;
    for (size_t i = 0; i < x->part_count; i++)
        if (x->parts[i].under_test && (!disk || x->parts[i].utilisation > disk->utilisation))
            disk = &x->parts[i];
    return disk;
}

void execution_limits_text(const struct execution *x, struct document *out)
{
    const struct result_part *disk = busiest_disk(x);
    struct text words = {0};
    bool is_disk = false;
    for (size_t i = 0; i < x->part_count; i++) {
        const struct result_part *part = &x->parts[i];
        if (!part->bottleneck)
            continue;
        text_add(&words, words.length ? ", " : "");
        bottleneck_add_saturation(part, &words);
        text_add(&words, " (");
        bottleneck_add_use(part, &words);
        text_add(&words, " on average)");
        is_disk |= part->under_test;
    }
    if (words.length && disk && !is_disk) {
        text_addf(&words, "; not the disk %s, which was at ", disk->name);
        bottleneck_add_use(disk, &words);
    }
    if (words.length)
        document_paragraph_from(out, "BOTTLENECK: ", TONE_RED, &words);
}

/* Sorts the parts by utilisation, the highest first. Returns their number. */
static size_t order_parts(const struct execution *x, const struct result_part *parts[])
{
    size_t count = 0;
    for (size_t i = 0; i < x->part_count; i++) {
        size_t place = count++;
        for (; place > 0 && parts[place - 1]->utilisation < x->parts[i].utilisation; place--)
            parts[place] = parts[place - 1];
        parts[place] = &x->parts[i];
    }
    return count;
}

void execution_parts_text(const struct execution *x, struct document *out)
{
    const struct result_part *parts[EXECUTION_PARTS_MAX];
    size_t count = order_parts(x, parts);
    if (!count)
        return;
    document_heading(out, "Watched while it ran, how much was in use");
    for (size_t i = 0; i < count && i < PARTS_SHOWN; i++) {
        char peak[NUMBER_BUFFER];
        struct text words = {0};
        bottleneck_add_use(parts[i], &words);
        text_addf(&words, ", at most %s%s", number_percent(peak, sizeof peak, parts[i]->peak),
                  parts[i]->bottleneck ? ": a bottleneck" : "");
        document_add(out, "  ");
        document_left(out, parts[i]->name, NAME_WIDTH);
        document_add(out, " ");
        document_end_row_in_words_from(out, TONE_PLAIN, &words);
    }
    if (count > PARTS_SHOWN)
        document_line(out, "  and %zu more that were less in use", count - PARTS_SHOWN);
}
