/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports what disks share and how much they lose by that: a graph, tables for the first page,
 * every ratio with its interval, and a figure.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout/number.h"
#include "report/qualify/internal.h"

enum {
    NAME_WIDTH = 14,
    COUNT_WIDTH = 5,
    ALONE_WIDTH = 11,
    RATE_WIDTH = 10,
    KEEPS_WIDTH = 6,
    USED_WIDTH = 7
};

/* ---- the graph: derived from the sets of disks that go through each part ---- */

/* Returns true if part `q` is nearer to the memory than `p`: all disks of `p` also go through `q`.
   Of two parts with the same disks, the later one is nearer. */
static bool is_below(const struct sharing *s, size_t p, size_t q)
{
    for (size_t i = 0; i < s->drive_count; i++)
        if (s->parts[p].member[i] && !s->parts[q].member[i])
            return false;
    const size_t below = s->parts[p].count, above = s->parts[q].count;
    return below < above || (below == above && p < q);
}

static bool is_between(const struct sharing *s, size_t part, size_t below, size_t above)
{
    return part != below && part != above && is_below(s, below, part) && is_below(s, part, above);
}

static void link_parts(struct shared_graph *g, const struct sharing *s, size_t part)
{
    for (size_t above = 0; above < s->part_count; above++) {
        bool next = above != part && is_below(s, part, above);
        for (size_t k = 0; k < s->part_count && next; k++)
            next = !is_between(s, k, part, above);
        if (next)
            shared_graph_link(g, s->drive_count + part, s->drive_count + above);
    }
}

static void link_drive(struct shared_graph *g, const struct sharing *s, size_t drive)
{
    for (size_t part = 0; part < s->part_count; part++) {
        bool first = s->parts[part].member[drive];
        for (size_t k = 0; k < s->part_count && first; k++)
            first = k == part || !s->parts[k].member[drive] || !is_below(s, k, part);
        if (first)
            shared_graph_link(g, drive, s->drive_count + part);
    }
}

static void add_drive(struct shared_graph *g, const struct sharing_drive *d)
{
    const struct sharing_measured *m = &d->load[SHARING_READ];
    struct shared_node *node = shared_graph_add(g, d->name);
    if (!node)
        return;
    node->rates[0] = (struct shared_rate){"read", "alone", m->together, m->alone};
    node->mark = d->failure[0]                                ? "failed"
                 : d->loss[SHARING_READ] == SHARING_LOSES     ? "loses"
                 : d->loss[SHARING_READ] == SHARING_UNDECIDED ? "undecided"
                                                              : "";
    node->is_open = !d->failure[0] && d->loss[SHARING_READ] == SHARING_UNDECIDED;
}

static void add_part(struct shared_graph *g, const struct sharing_part *p)
{
    static const char *const marks[] = {[SHARING_FREE] = "",
                                        [SHARING_OPEN] = "undecided",
                                        [SHARING_UNKNOWN] = "limit unknown",
                                        [SHARING_FULL] = "oversubscribed"};
    const char *name = p->name[0] ? p->name : "not known", *title = node_kind_title(p->kind);
    struct shared_node *node = shared_graph_add(g, name);
    if (!node)
        return;
    node->kind = p->name[0] ? title : "";
    node->rates[0] = (struct shared_rate){"read", "", p->load[SHARING_READ].together,
                                          p->limit > 0 ? p->limit : (double)NAN};
    node->utilisation = p->used[SHARING_READ];
    node->mark = marks[p->blame[SHARING_READ]];
    node->is_open = p->blame[SHARING_READ] != SHARING_FULL;
}

/* Returns the graph of the disks and of what they share in sequential reads, or NULL when memory
   ran out. The caller frees it. */
static struct shared_graph *graph_of(const struct sharing *s)
{
    struct shared_graph *g = malloc(sizeof *g);
    if (!g)
        return NULL;
    *g = (struct shared_graph){0};
    for (size_t i = 0; i < s->drive_count; i++)
        add_drive(g, &s->drives[i]);
    g->target_count = g->node_count;
    for (size_t i = 0; i < s->part_count; i++)
        add_part(g, &s->parts[i]);
    for (size_t i = 0; i < s->drive_count; i++)
        link_drive(g, s, i);
    for (size_t i = 0; i < s->part_count; i++)
        link_parts(g, s, i);
    return g;
}

/* ---- the figure and the tables ---- */

/* Draws the graph as a figure of a page. */
static void qualification_chart_sharing(const void *what, size_t number, struct text *out)
{
    struct shared_graph *g = graph_of(what);
    (void)number;
    out->failed |= !g;
    if (g)
        shared_graph_draw(g,
                          "disks at the left, the memory at the right, read all at once; two "
                          "frames: oversubscribed, or what loses; dashed: not decided",
                          out);
    free(g);
}

static const enum metric_kind rate_kinds[SHARING_LOADS] = {METRIC_KIND_BYTE_RATE,
                                                           METRIC_KIND_COUNT_RATE};

static void add_rate(struct document *out, enum sharing_load load, double rate, size_t width)
{
    char words[NUMBER_BUFFER];
    document_right(out, number_value(words, sizeof words, rate_kinds[load], rate), width);
}

static void add_measured(struct document *out, enum sharing_load load,
                         const struct sharing_measured *m)
{
    char keeps[16] = "-";
    add_rate(out, load, m->alone, ALONE_WIDTH);
    add_rate(out, load, m->together, RATE_WIDTH);
    if (!isnan(m->ratio))
        snprintf(keeps, sizeof keeps, "%.2f", m->ratio);
    document_right(out, keeps, KEEPS_WIDTH);
}

static void add_name(struct document *out, const char *name, size_t width)
{
    char shown[80];
    document_left(out, layout_shorten(shown, sizeof shown, *name ? name : "not known", width - 1),
                  width);
}

/* ---- parts ---- */

static enum sharing_blame worst_blame(const struct sharing_part *part)
{
    enum sharing_blame read = part->blame[SHARING_READ], random = part->blame[SHARING_RANDREAD];
    return read > random ? read : random;
}

static void add_part_row(const struct sharing_part *part, enum sharing_load load,
                         enum sharing_blame blame, struct document *out)
{
    static const enum tone tones[] = {[SHARING_FREE] = TONE_PLAIN,
                                      [SHARING_OPEN] = TONE_YELLOW,
                                      [SHARING_UNKNOWN] = TONE_YELLOW,
                                      [SHARING_FULL] = TONE_YELLOW};
    static const char *const words[] = {[SHARING_FREE] = "nothing lost",
                                        [SHARING_OPEN] = "undecided",
                                        [SHARING_UNKNOWN] = "limit unknown",
                                        [SHARING_FULL] = "oversubscribed"};
    char count[24], used[NUMBER_BUFFER];
    add_name(out, part->name, NAME_WIDTH);
    snprintf(count, sizeof count, "%zu", part->count);
    document_right(out, count, COUNT_WIDTH);
    add_measured(out, load, &part->load[load]);
    document_right(out,
                   number_value(used, sizeof used, METRIC_KIND_BYTE_RATE,
                                part->limit > 0 ? part->limit : (double)NAN),
                   RATE_WIDTH);
    document_right(out, number_percent(used, sizeof used, part->used[load]), USED_WIDTH);
    document_tone(out, tones[blame]);
    document_add(out, "  ");
    document_left(out, words[blame], 0);
    document_tone(out, TONE_PLAIN);
    document_end_row(out);
}

static void add_part_titles(enum sharing_load load, struct document *out)
{
    const char *alone = load == SHARING_READ ? "read alone" : "rand alone";
    const struct layout_column titles[] = {
        {"shared part", -NAME_WIDTH}, {"disks", COUNT_WIDTH}, {alone, ALONE_WIDTH},
        {"together", RATE_WIDTH},     {"keeps", KEEPS_WIDTH}, {"limit", RATE_WIDTH},
        {"used", USED_WIDTH},
    };
    document_titles(out, titles, sizeof titles / sizeof *titles);
}

/* Adds a table of parts. They are sorted by enum sharing_blame, the highest first, then by the
   number of their disks. Returns the number of lines. */
static size_t add_parts(const struct sharing *s, enum sharing_load load, bool both, size_t max_rows,
                        struct document *out)
{
    size_t rows = 0;
    if (!s->part_count || !max_rows)
        return 0;
    document_end_row(out);
    add_part_titles(load, out);
    for (int blame = SHARING_FULL; blame >= SHARING_FREE; blame--)
        for (size_t p = 0; p < s->part_count && rows < max_rows; p++) {
            const struct sharing_part *part = &s->parts[p];
            enum sharing_blame worst = both ? worst_blame(part) : part->blame[load];
            if (worst != (enum sharing_blame)blame)
                continue;
            add_part_row(part, load, worst, out);
            rows++;
        }
    return rows + 2;
}

/* ---- drives ---- */

static void add_drive_row(const struct sharing *s, const struct sharing_drive *d,
                          struct document *out)
{
    struct sharing_measured least;
    enum sharing_loss loss = sharing_least(d, &least);
    int part = d->part[SHARING_READ] >= 0 ? d->part[SHARING_READ] : d->part[SHARING_RANDREAD];
    const char *words = d->failure[0]                        ? "failed"
                        : loss == SHARING_LOSES && part >= 0 ? s->parts[part].name
                                                             : sharing_loss_name(loss);
    add_name(out, d->name, NAME_WIDTH - 3);
    for (int load = 0; load < SHARING_LOADS; load++)
        add_measured(out, (enum sharing_load)load, &d->load[load]);
    document_tone(out, d->failure[0] ? TONE_RED : loss > SHARING_KEEPS ? TONE_YELLOW : TONE_PLAIN);
    document_add(out, "  ");
    document_left(out, *words ? words : "not known", 0);
    document_tone(out, TONE_PLAIN);
    document_end_row(out);
}

/* Returns the drive that keeps the smallest share of its throughput, among those that are not shown
   yet. Failed drives come first. */
static const struct sharing_drive *next_worst(const struct sharing *s, const bool shown[])
{
    const struct sharing_drive *worst = NULL;
    double least = 0;
    for (size_t i = 0; i < s->drive_count; i++) {
        struct sharing_measured m;
        sharing_least(&s->drives[i], &m);
        double keeps = s->drives[i].failure[0] ? -1 : isnan(m.ratio) ? INFINITY : m.ratio;
        if (shown[i] || (worst && keeps >= least))
            continue;
        worst = &s->drives[i];
        least = keeps;
    }
    return worst;
}

static void add_drives(const struct sharing *s, size_t max_rows, struct document *out)
{
    static const struct layout_column titles[] = {
        {"disk", -(NAME_WIDTH - 3)}, {"read alone", ALONE_WIDTH},
        {"together", RATE_WIDTH},    {"keeps", KEEPS_WIDTH},
        {"rand alone", ALONE_WIDTH}, {"together", RATE_WIDTH},
        {"keeps", KEEPS_WIDTH},      {"loses by", 10},
    };
    bool shown[SHARING_DRIVES] = {false};
    size_t rows = 0;
    if (!s->drive_count || !max_rows)
        return;
    if (s->drive_count == max_rows + 1) /* the last disk fits in place of "and 1 more" */
        max_rows++;
    document_end_row(out);
    document_titles(out, titles, sizeof titles / sizeof *titles);
    for (const struct sharing_drive *d; rows < max_rows && (d = next_worst(s, shown)); rows++) {
        shown[d - s->drives] = true;
        add_drive_row(s, d, out);
    }
    if (rows < s->drive_count) {
        char words[80];
        snprintf(words, sizeof words, "and %zu more disks that keep no less",
                 s->drive_count - rows);
        document_paragraph(out, "", TONE_PLAIN, words);
    }
}

void qualification_add_sharing(const struct sharing *s, size_t max_lines, struct document *out)
{
    /* an empty line, the titles, and the number of disks left out */
    const size_t around_drives = 3;
    const size_t few = 3;
    bool all = s->part_count + s->drive_count + 2 + around_drives <= max_lines;
    size_t used = add_parts(s, SHARING_READ, true, all ? SIZE_MAX : few, out);
    size_t room = max_lines > used + around_drives ? max_lines - used - around_drives : 0;
    add_drives(s, room, out);
}

/* ---- details ---- */

static void add_load_words(const struct sharing *s, const struct sharing_drive *d,
                           enum sharing_load load, struct document *out)
{
    const struct sharing_measured *m = &d->load[load];
    char lead[40];
    struct text words = {0};
    snprintf(lead, sizeof lead, "  %-11s  ", d->name);
    text_addf(&words, "%s: ", sharing_load_words(load));
    if (d->loss[load] == SHARING_NOT_MEASURED) {
        text_addf(&words, "not measured%s%s", d->failure[0] ? ": " : "", d->failure);
    } else {
        char alone[NUMBER_BUFFER], together[NUMBER_BUFFER], ratio[64];
        text_addf(&words, "%s alone, %s together, keeps %s",
                  number_value(alone, sizeof alone, rate_kinds[load], m->alone),
                  number_value(together, sizeof together, rate_kinds[load], m->together),
                  sharing_ratio_words(m, ratio, sizeof ratio));
        if (d->part[load] >= 0)
            text_addf(&words, "; loses by %s", s->parts[d->part[load]].words);
        else
            text_addf(&words, "; %s", sharing_loss_name(d->loss[load]));
    }
    document_paragraph_from(out, lead, TONE_PLAIN, &words);
}

static void draw_graph(const void *what, size_t number, const struct report_style *style,
                       struct text *out)
{
    struct shared_graph *g = graph_of(what);
    (void)number;
    out->failed = out->failed || !g;
    if (g && g->edge_count) {
        shared_graph_print(g, style, out);
        text_add(out, "\n");
    }
    free(g);
}

void qualification_add_sharing_details(const struct sharing *s, struct document *out)
{
    struct text words = {0};
    document_heading(out, "Alone and together");
    text_addf(
        &words,
        "Sequential reads of 128 KiB, iodepth %u, and random reads of 4 KiB, iodepth %u: %u "
        "and %u rounds of %.3g s for each measurement, in which every disk was read alone (up "
        "to %u at a time that share nothing) and all together, in turns. keeps: the mean "
        "together over the mean alone; below %.2f it loses. All intervals together hold at "
        "%g %% confidence. used: what went through the part together, of its limit.",
        s->iodepth[SHARING_READ], s->iodepth[SHARING_RANDREAD], s->rounds[SHARING_READ],
        s->rounds[SHARING_RANDREAD], s->round_seconds, s->groups, SHARING_KEPT,
        100 * s->confidence);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
    add_parts(s, SHARING_RANDREAD, false, SIZE_MAX, out);
    document_end_row(out);
    document_figure(
        out,
        (struct figure){.text = draw_graph, .page = qualification_chart_sharing, .context = s});
    for (size_t p = 0; p < s->part_count; p++) {
        const struct sharing_part *part = &s->parts[p];
        char lead[40];
        snprintf(lead, sizeof lead, "  %-14.24s  ", *part->name ? part->name : "not known");
        text_addf(&words, "%s: read %s, random read %s; ", part->words,
                  sharing_blame_name(part->blame[SHARING_READ]),
                  sharing_blame_name(part->blame[SHARING_RANDREAD]));
        const char *comma = "";
        for (size_t i = 0; i < s->drive_count; i++)
            if (part->member[i]) {
                text_addf(&words, "%s%s", comma, s->drives[i].name);
                comma = ", ";
            }
        document_paragraph_from(out, lead, TONE_PLAIN, &words);
    }
    document_end_row(out);
    for (size_t i = 0; i < s->drive_count; i++)
        for (int load = 0; load < SHARING_LOADS; load++)
            add_load_words(s, &s->drives[i], (enum sharing_load)load, out);
}
