/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fleet as a document: the verdict, then the slow drives and machines with their causes, then the
   reports that were left out. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/screen_fit.h"
#include "report/qualify/internal.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Returns the name by which a person finds the machine: the serial number, else the folder of the
   report. */
static const char *name_of(const struct fleet_machine *m)
{
    return m->serial[0] ? m->serial : m->folder;
}

void fleet_add_slow_words(const struct fleet *f, const struct fleet_slow *s, struct text *out)
{
    char row[64];
    const struct fleet_disk *d = &f->disks[s->disk];
    bool is_time =
        s->row >= 0 && metric_of(fleet_rows[s->row].metric)->better == METRIC_BETTER_LOWER;
    text_add(out, name_of(&f->machines[s->machine]));
    if (s->whole_machine)
        text_addf(out, ": its %zu drives together:", s->drives);
    else
        text_addf(out, " %s%s%s (%s):", d->slot, d->slot[0] ? " " : "",
                  d->serial[0] ? d->serial : "without a serial number", d->name);
    text_addf(out, " %s %.1f %% %s (%.1f to %.1f) than %zu %s",
              fleet_row_name(s->row, row, sizeof row), 100 * s->share, is_time ? "longer" : "lower",
              100 * s->low, 100 * s->high, s->peers, s->whole_machine ? "machines" : "peers");
    text_addf(out, ": %s", s->cause[0] ? s->cause : "nothing else differs from the peers");
}

static void add_verdict(const struct fleet *f, struct document *out)
{
    struct text words = {0};
    size_t machines = 0, drives = 0;
    for (size_t i = 0; i < f->slow_count; i++)
        *(f->slow[i].whole_machine ? &machines : &drives) += 1;
    bool undecided = fleet_is_undecided(f);
    const char *lead = f->slow_count ? "SLOW: " : undecided ? "NOT DECIDED: " : "PASS: ";
    enum tone tone = f->slow_count ? TONE_RED : undecided ? TONE_YELLOW : TONE_GREEN;
    if (machines)
        text_addf(&words, "%zu machine%s as a whole", machines, plural(machines));
    if (drives)
        text_addf(&words, "%s%zu drive%s", machines ? " and " : "", drives, plural(drives));
    if (f->slow_count)
        text_addf(&words, " slower than the peers, of");
    else
        text_add(&words,
                 f->hidden ? "no drive can be named, of" : "no drive is slower than its peers, of");
    text_addf(&words, " %zu drive%s in %zu machine%s", f->disk_count, plural(f->disk_count),
              f->machine_count, plural(f->machine_count));
    if (f->hidden)
        text_addf(&words,
                  "; %zu drives lie far below the rest, too many to be odd ones: two levels, or a "
                  "slow group",
                  f->hidden);
    if (f->fallen)
        text_addf(&words, "; of %zu drive%s no test stands: it failed or was interrupted",
                  f->fallen, plural(f->fallen));
    if (f->unread)
        text_addf(&words, "; %zu report%s could not be read", f->unread, plural(f->unread));
    document_paragraph_from(out, lead, tone, &words);
}

static void add_circumstances(const struct fleet *f, struct document *out)
{
    struct text words = {0};
    const char *first = "", *last = "", *version = "";
    bool versions = false;
    for (size_t i = 0; i < f->machine_count; i++) {
        const struct fleet_machine *m = &f->machines[i];
        first = !*first || strcmp(m->date, first) < 0 ? m->date : first;
        last = strcmp(m->date, last) > 0 ? m->date : last;
        versions |= *version && strcmp(version, m->version) != 0;
        version = m->version;
    }
    text_addf(&words, "%zu drives judged", f->judged);
    if (f->few)
        text_addf(&words, ", %zu not: fewer than 4 peers of their model that were measured alike",
                  f->few);
    if (f->unmeasured)
        text_addf(&words, ", %zu without a result that stands", f->unmeasured);
    if (f->levels)
        text_addf(
            &words,
            ", %zu are slow with more than a third of their group: that is two groups, not an "
            "odd one",
            f->levels);
    text_addf(&words, "; reports of %.10s to %.10s, %s %s", first, last,
              versions ? "of several versions of cupel, the last" : "cupel", version);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

/* States the smallest difference that a pass excludes. */
static void add_power(const struct fleet *f, struct document *out)
{
    struct text words = {0};
    char name[64];
    for (size_t i = 0; i < f->power_count; i++)
        text_addf(&words, "%s%s %.1f %%", i ? ", " : "",
                  fleet_row_name(f->power[i].row, name, sizeof name), 100 * f->power[i].share);
    if (words.length)
        text_addf(&words,
                  ": a drive slower by so much is named with a probability of %.0f %%; less may be "
                  "unseen",
                  100 * f->power[0].confidence);
    if (words.length)
        document_paragraph_from(out, "Could be found: ", TONE_PLAIN, &words);
}

/* Adds a paragraph if there is room for it and one more line; otherwise counts it. */
static void add_item(const char *lead, enum tone tone, const char *words, size_t max_lines,
                     size_t *left, struct document *out)
{
    const size_t before = out->count;
    document_paragraph(out, lead, tone, words);
    if (max_lines < SIZE_MAX && (*left || document_lines(out, 0) >= max_lines)) {
        document_cut(out, before);
        ++*left;
    }
}

static void add_page(const struct fleet *f, size_t max_lines, struct document *out)
{
    size_t left = 0;
    add_verdict(f, out);
    add_circumstances(f, out);
    add_power(f, out);
    if (f->slow_count + f->note_count)
        document_end_row(out);
    for (size_t i = 0; i < f->slow_count; i++) {
        struct text words = {0};
        fleet_add_slow_words(f, &f->slow[i], &words);
        add_item("slow ", TONE_RED, layout_string(&words), max_lines, &left, out);
        out->failed |= words.failed;
        text_free(&words);
    }
    for (size_t i = 0; i < 2 * f->note_count; i++) { /* first the reports that could not be read */
        const struct fleet_note *note = &f->notes[i % f->note_count];
        char words[520];
        snprintf(words, sizeof words, "%s: %s", note->folder, note->words);
        if (note->unread == (i < f->note_count))
            add_item(note->unread ? "unread " : "note ", note->unread ? TONE_YELLOW : TONE_PLAIN,
                     words, max_lines, &left, out);
    }
    if (left)
        document_line(out, "and %zu more: --full", left);
}

void fleet_document(const void *what, struct document *out)
{
    const struct fleet *f = what;
    document_title(out, "Fleet");
    out->plain = true;
    add_page(f, out->style.full ? SIZE_MAX : SCREEN_LINES, out);
    if (out->style.full) {
        document_end_row(out);
        document_paragraph(
            out, "", TONE_PLAIN,
            "Peers are drives of one model and size that were measured alike. Of fleets whose "
            "drives differ as normal values do, or a little more widely, at most 5 of 100 have any "
            "wrong name. Intervals are of 95 %. A rate lower by less than 5 % or a "
            "p99 longer by less than 25 % is not named.");
    }
}
