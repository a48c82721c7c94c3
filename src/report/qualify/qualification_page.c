/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the first page of a qualification: the verdict, a line for each disk, and the deviations. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/number.h"
#include "report/qualify/internal.h"

#define PAGE_LINES 24
/* DETAILS_LINES: minimum lines of a page that has details of the machine. DATE_LINES, DATE_WIDTH:
   minimum lines and width of a page that has the date of the measurement. */
#define DETAILS_LINES 20
#define DATE_LINES    12
#define DATE_WIDTH    60
#define NAME_WIDTH    30

/* ---- paragraphs ---- */

/* Adds words after a lead. If the lead fills most of a narrow page, the words begin on the next
   line. */
static void add_led(struct document *out, const char *lead, enum tone tone, const char *words)
{
    const size_t min_room = 12;
    if (layout_length(lead) + min_room <= layout_width(&out->style)) {
        document_paragraph(out, lead, tone, words);
        return;
    }
    document_paragraph(out, lead, tone, "");
    document_paragraph(out, " ", TONE_PLAIN, words);
}

/* ---- the verdict ---- */

static enum grade grade_of_machine(const struct qualification *q)
{
    enum grade worst = GRADE_NONE;
    for (size_t i = 0; i < q->check_count; i++)
        if (q->checks[i].device < 0 && q->checks[i].grade > worst)
            worst = q->checks[i].grade;
    return worst;
}

static size_t checks_none(const struct qualification *q, bool of_expectations, const char *what)
{
    size_t count = 0;
    for (size_t i = 0; i < q->check_count; i++) {
        const struct qualification_check *check = &q->checks[i];
        bool expected = check->expected[0] != '\0';
        count += check->grade == GRADE_NONE && expected == of_expectations &&
                 (!*what || !strcmp(check->what, what));
    }
    return count;
}

/* Adds the grade of the machine itself, if it is a deviation, then the number of
   disks of each grade. */
static void add_findings(const struct qualification *q, struct text *words)
{
    static const char *const machine[] = {[GRADE_WARN] = "a warning on the machine itself; ",
                                          [GRADE_UNDECIDED] = "the machine itself not decided; ",
                                          [GRADE_FAIL] = "the machine itself failed; "};
    enum grade of_machine = grade_of_machine(q);
    size_t counts[GRADE_FAIL + 1] = {0}, count = q->device_count;
    for (size_t i = 0; i < count; i++)
        counts[q->devices[i].grade]++;
    if (of_machine >= GRADE_WARN)
        text_add(words, machine[of_machine]);
    if (count == 0)
        text_add(words, "no disk");
    else if (counts[GRADE_NONE] + counts[GRADE_PASS] == count)
        text_addf(words, "%zu disk%s%s", count, count == 1 ? "" : "s",
                  q->expectations[0] ? " as expected" : ", nothing wrong was found");
    else {
        text_addf(words, "of %zu disk%s ", count, count == 1 ? "" : "s");
        qualification_add_counts(q, counts, words);
    }
}

static void add_verdict(const struct qualification *q, struct document *out)
{
    char lead[24];
    struct text words = {0};
    size_t unhealthy = checks_none(q, false, "health"), unjudged = checks_none(q, true, "");
    size_t unmeasured = 0;
    if (layout_width(&out->style) >= NAME_WIDTH)
        text_addf(&words, "%s%s%s: ", q->product, q->board_serial[0] ? ", serial " : "",
                  q->board_serial);
    if (q->interrupted)
        text_add(&words, "interrupted; ");
    add_findings(q, &words);
    size_t losing = 0;
    for (size_t i = 0; q->sharing && i < q->sharing->drive_count; i++)
        losing +=
            sharing_least(&q->sharing->drives[i], &(struct sharing_measured){0}) == SHARING_LOSES;
    if (losing)
        text_addf(&words, "; %zu lose%s when all are busy", losing, losing == 1 ? "s" : "");
    for (size_t i = 0; i < q->device_count && !q->sharing; i++)
        unmeasured += qualification_unmeasured(&q->devices[i]);
    if (unmeasured)
        text_addf(&words, "; %zu not measured", unmeasured);
    if (unjudged)
        text_addf(&words, "; %zu expectation%s not judged", unjudged, unjudged == 1 ? "" : "s");
    if (unhealthy)
        text_addf(&words, "; health of %zu not looked at", unhealthy);
    snprintf(lead, sizeof lead,
             "%s: ", q->grade == GRADE_NONE ? "NONE" : qualification_verdict_word(q->grade));
    add_led(out, lead, qualification_tone(q->grade), layout_string(&words));
    text_free(&words);
}

/* Adds a description of the machine without its name, and when and how it was measured. */
static void add_circumstances(const struct qualification *q, size_t max_lines, struct document *out)
{
    struct text words = {0};
    char seconds[NUMBER_BUFFER];
    size_t product = strlen(q->product);
    bool more = max_lines >= DETAILS_LINES && !strncmp(q->machine, q->product, product) &&
                !strncmp(q->machine + product, ", ", 2);
    if (max_lines < (layout_width(&out->style) < DATE_WIDTH ? PAGE_LINES : DATE_LINES))
        return;
    text_addf(&words, "%s%s%s, in %s; preset %s, cupel %s", more ? q->machine + product + 2 : "",
              more ? "; " : "", q->date, number_seconds(seconds, sizeof seconds, q->seconds),
              q->preset, q->version);
    if (q->expectations[0])
        text_addf(&words, "; held against %s", q->expectations);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
    document_labels(out, &q->labels);
}

/* ---- deviations ---- */

/* Which deviations are printed. gravest: true: only the most severe one of each disk, with the
   disk's place; false: all others. brief: reasons are left out where a check says what was
   found. */
struct deviations {
    bool gravest, brief;
    size_t max_lines;
};

/* Returns the index of the first of the most severe checks of a device (-1: of the machine). */
static size_t gravest(const struct qualification *q, int device)
{
    size_t best = q->check_count;
    for (size_t i = 0; i < q->check_count; i++)
        if (q->checks[i].device == device &&
            (best == q->check_count || q->checks[i].grade > q->checks[best].grade))
            best = i;
    return best;
}

/* Adds deviations while each one leaves room for one more line, and counts the others in *left.
   `begin` is the index of the first block of deviations. */
static void add_deviations(const struct qualification *q, enum grade grade,
                           const struct deviations *how, size_t begin, size_t *left,
                           struct document *out)
{
    for (size_t i = 0; i < q->check_count; i++) {
        struct qualification_check check = q->checks[i];
        char words[QUALIFICATION_WORDS], lead[16];
        struct text whole = {0};
        if (check.grade != grade || (gravest(q, check.device) == i) != how->gravest)
            continue;
        snprintf(lead, sizeof lead, "%s ", grade_name(check.grade));
        text_add(&whole, qualification_check_of(q, &check));
        if (how->brief && check.found[0])
            check.note[0] = '\0';
        if (layout_width(&out->style) < NAME_WIDTH)
            check.expected[0] = '\0';
        else if (how->gravest && check.device >= 0) {
            /* A person who pulls the disk cannot see the kernel's name for it, but its slot and
               serial number. */
            const struct qualification_device *d = &q->devices[check.device];
            if (d->slot[0] || d->serial[0])
                text_addf(&whole, " (%s%s%s)", d->slot, d->slot[0] && d->serial[0] ? ", " : "",
                          d->serial);
        }
        text_addf(&whole, ": %s", qualification_check_words(&check, words, sizeof words));
        const size_t before = out->count;
        add_led(out, lead, qualification_tone(check.grade), layout_string(&whole));
        out->failed |= whole.failed;
        text_free(&whole);
        if (how->max_lines < SIZE_MAX && (*left || document_lines(out, begin) >= how->max_lines)) {
            document_cut(out, before);
            ++*left;
        }
    }
}

/* Adds the most severe deviation of each disk first, so that as many disks as possible have a line.
   Returns the number of deviations that do not fit. */
static size_t add_gravest_first(const struct qualification *q, bool brief, size_t max_lines,
                                struct document *out)
{
    static const enum grade grades[] = {GRADE_FAIL, GRADE_UNDECIDED, GRADE_WARN};
    const size_t begin = out->count;
    size_t left = 0;
    for (size_t i = 0; i < 6; i++) {
        const struct deviations how = {i < 3, brief, max_lines};
        add_deviations(q, grades[i % 3], &how, begin, &left, out);
    }
    return left;
}

/* Adds deviations in at most `max_lines` lines. If they do not fit, reasons are left out. */
static void add_all_deviations(const struct qualification *q, size_t max_lines, const char *rest,
                               struct document *out)
{
    const size_t begin = out->count;
    size_t left = 0;
    add_gravest_first(q, false, SIZE_MAX, out);
    if (document_lines(out, begin) + (q->dropped > 0) > max_lines) {
        document_cut(out, begin);
        left = add_gravest_first(q, true, max_lines, out);
    }
    left += q->dropped;
    if (left) {
        char words[80];
        snprintf(words, sizeof words, "%s%zu more: %s", out->count > begin ? "and " : "", left,
                 rest);
        document_paragraph(out, "", TONE_PLAIN, words);
    }
}

/* ---- the parts of the machine ---- */

/* Adds a line for each part of the machine: its verdict, and what to exchange or what was found. */
static void add_parts(const struct qualification *q, struct document *out)
{
    enum { NAME = 12, WORD = 13 };
    const size_t room = layout_width(&out->style) - NAME - WORD;
    document_end_row(out);
    for (enum qualification_part part = 0; part < QUALIFICATION_PARTS; part++) {
        const struct qualification_part_verdict v = qualification_part_judge(q, part);
        const bool cut = layout_length(v.words) > room && !out->style.page;
        char name[NAME + 1], words[sizeof v.words + 4], more[sizeof words + WORD];
        snprintf(words, sizeof words, "%.*s%s", cut ? (int)room - 3 : (int)sizeof v.words, v.words,
                 cut ? "..." : "");
        snprintf(name, sizeof name, "%-*s", NAME, qualification_part_name(part));
        const char *word = qualification_verdict_word(v.grade);
        snprintf(more, sizeof more, "%*s%s", WORD - (int)strlen(word), "", words);
        document_line_toned(out, name, qualification_tone(v.grade), word, more);
    }
}

/* ---- the page ---- */

/* Returns the number of lines that all deviations take, with the empty line before them. */
static size_t lines_of_deviations(const struct qualification *q, struct document *out)
{
    const size_t begin = out->count;
    if (q->grade >= GRADE_WARN)
        add_all_deviations(q, SIZE_MAX, "", out);
    const size_t lines = document_lines(out, begin);
    document_cut(out, begin);
    return lines ? lines + 1 : 0;
}

/* Returns the number of disks that the table shows when `room` lines are left. All disks are shown
   if the deviations then fit as well. Otherwise up to half of these lines are kept for deviations,
   or two thirds on a narrow page, where each deviation takes more lines. */
static size_t rows_of_table(const struct qualification *q, struct document *out, size_t room)
{
    const size_t beside_rows = 3; /* an empty line, the titles, and the number of disks left out */
    size_t deviations = lines_of_deviations(q, out);
    size_t kept = layout_width(&out->style) < DATE_WIDTH ? room - room / 3 : room / 2;
    kept = deviations < kept ? deviations : kept;
    if (q->device_count + beside_rows - 1 + deviations <= room)
        return q->device_count;
    return room > kept + beside_rows ? room - kept - beside_rows : 0;
}

void qualification_add_page(const struct qualification *q, size_t max_lines, const char *rest,
                            struct document *out)
{
    const size_t begin = out->count;
    add_verdict(q, out);
    add_circumstances(q, max_lines, out);
    /* With --together, the screen has room only for the table of what disks share, not for that of
       the parts. */
    if (max_lines >= DETAILS_LINES && layout_width(&out->style) >= DATE_WIDTH &&
        (!q->sharing || out->style.page))
        add_parts(q, out);
    size_t used = document_lines(out, begin);
    size_t room = max_lines > used ? max_lines - used : 0;
    if (q->sharing) {
        size_t deviations = lines_of_deviations(q, out);
        size_t kept = deviations < room / 2 ? deviations : room / 2;
        qualification_add_sharing(q->sharing, room - kept, out);
    } else {
        size_t rows = rows_of_table(q, out, room);
        if (rows > 0)
            qualification_add_table(q, rows, out);
    }
    used = document_lines(out, begin);
    if (q->grade >= GRADE_WARN && max_lines > used + 1) {
        document_end_row(out);
        add_all_deviations(q, max_lines - used - 1, rest, out);
    }
}

/* Cuts the page to `max_lines` lines. The last line becomes "...". */
static void cut_lines(struct text *out, size_t begin, size_t max_lines)
{
    size_t lines = 0, last = begin;
    for (size_t i = begin; i < out->length; i++) {
        lines += out->data[i] == '\n';
        if (out->data[i] == '\n' && lines + 1 == max_lines)
            last = i + 1;
    }
    if (lines <= max_lines || out->failed)
        return;
    out->length = last;
    out->data[last] = '\0';
    text_add(out, "...\n");
}

void qualification_print_screen(const struct qualification *q, const struct report_style *style,
                                size_t max_lines, const char *rest, struct text *out)
{
    const size_t begin = out->length;
    struct document page = document_for(style);
    qualification_add_page(q, max_lines, rest, &page);
    document_print_text(&page, out);
    document_free(&page);
    cut_lines(out, begin, max_lines);
}
