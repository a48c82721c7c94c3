/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first page of a qualification: the verdict, a line for each disk, what deviates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/labels_shown.h"
#include "report/layout/number.h"
#include "report/qualify/internal.h"

#define PAGE_LINES     24
#define DEVIATIONS_MIN 3 /* lines, of however many disks */

enum tone qualification_tone(enum grade grade)
{
    static const enum tone tones[] = {[GRADE_NONE] = TONE_PLAIN,
                                      [GRADE_PASS] = TONE_GREEN,
                                      [GRADE_WARN] = TONE_YELLOW,
                                      [GRADE_UNDECIDED] = TONE_YELLOW,
                                      [GRADE_FAIL] = TONE_RED};
    return tones[grade];
}

/* ---- the verdict ---- */

static size_t deviations_of_machine(const struct qualification *q)
{
    size_t count = 0;
    for (size_t i = 0; i < q->check_count; i++)
        count += q->checks[i].device < 0 && q->checks[i].grade >= GRADE_WARN;
    return count;
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

static void add_verdict(const struct qualification *q, const struct report_style *style,
                        struct text *out)
{
    static const char *const leads[] = {[GRADE_NONE] = "NONE: ",
                                        [GRADE_PASS] = "PASS: ",
                                        [GRADE_WARN] = "WARN: ",
                                        [GRADE_UNDECIDED] = "NOT DECIDED: ",
                                        [GRADE_FAIL] = "FAIL: "};
    struct text words = {0};
    text_addf(&words, "%s%s%s: ", q->product, q->board_serial[0] ? ", serial " : "",
              q->board_serial);
    size_t count = q->device_count;
    size_t bad = qualification_count(q, GRADE_FAIL) + qualification_count(q, GRADE_UNDECIDED) +
                 qualification_count(q, GRADE_WARN);
    const char *plural = count == 1 ? "" : "s";
    if (q->interrupted)
        text_add(&words, "interrupted; ");
    if (!bad && !deviations_of_machine(q))
        text_addf(&words, "%zu disk%s%s", count, plural,
                  q->expectations[0] ? " as expected" : ", nothing wrong was found");
    else if (!bad)
        text_addf(&words, "the machine deviates, its %zu disk%s not", count,
                  count == 1 ? " does" : "s do");
    else
        text_addf(&words, "%zu of %zu disk%s deviate%s%s", bad, count, plural, bad == 1 ? "s" : "",
                  deviations_of_machine(q) ? ", and the machine" : "");
    size_t unhealthy = checks_none(q, false, "health"), unjudged = checks_none(q, true, "");
    size_t unmeasured = 0;
    for (size_t i = 0; i < q->device_count; i++)
        unmeasured += qualification_unmeasured(&q->devices[i]);
    if (unmeasured)
        text_addf(&words, "; %zu not measured", unmeasured);
    if (unjudged)
        text_addf(&words, "; %zu expectation%s not judged", unjudged, unjudged == 1 ? "" : "s");
    if (unhealthy)
        text_addf(&words, "; health of %zu not looked at", unhealthy);
    layout_paragraph(out, style, leads[q->grade], qualification_tone(q->grade),
                     layout_string(&words));
    text_free(&words);
}

/* The machine without its name, when and how it was measured. */
static void add_circumstances(const struct qualification *q, const struct report_style *style,
                              struct text *out)
{
    struct text words = {0};
    char seconds[NUMBER_BUFFER];
    size_t product = strlen(q->product);
    bool more =
        !strncmp(q->machine, q->product, product) && !strncmp(q->machine + product, ", ", 2);
    text_addf(&words, "%s%s%s, in %s; preset %s, cupel %s", more ? q->machine + product + 2 : "",
              more ? "; " : "", q->date, number_seconds(seconds, sizeof seconds, q->seconds),
              q->preset, q->version);
    if (q->expectations[0])
        text_addf(&words, "; held against %s", q->expectations);
    layout_paragraph(out, style, "", TONE_PLAIN, layout_string(&words));
    labels_print(&q->labels, style, out);
    text_free(&words);
}

/* ---- the table ---- */

struct columns {
    size_t name, model, link;
};

enum { WIDTH_RATE = 9, WIDTH_IOPS = 6, WIDTH_P99 = 7, WIDTH_SHARE = 5, WIDTH_TEMPERATURE = 4 };
enum { BLANKS_BETWEEN = 8 };

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static struct columns find_columns(const struct qualification *q, const struct report_style *style)
{
    const size_t longest_name = 12, longest_link = 13, min_model = 5;
    struct columns c = {.name = 4, .link = 4};
    size_t others =
        WIDTH_RATE + WIDTH_IOPS + WIDTH_P99 + WIDTH_SHARE + WIDTH_TEMPERATURE + BLANKS_BETWEEN;
    others +=
        strlen(grade_name(qualification_count(q, GRADE_UNDECIDED) ? GRADE_UNDECIDED : GRADE_WARN));
    size_t width = layout_width(style), model = min_model;
    for (size_t i = 0; i < q->device_count; i++) {
        c.name = larger(c.name, layout_length(q->devices[i].name));
        c.link = larger(c.link, layout_length(q->devices[i].link));
        model = larger(model, layout_length(q->devices[i].model));
    }
    c.name = c.name > longest_name ? longest_name : c.name;
    c.link = c.link > longest_link ? longest_link : c.link;
    others += c.name + c.link;
    c.model = width > others + min_model ? width - others : min_model;
    c.model = c.model > model ? model : c.model;
    return c;
}

static void add_cell(struct text *out, const char *words, size_t width)
{
    text_add(out, " ");
    layout_right(out, words, width);
}

static void add_short(struct text *out, const char *words, size_t width)
{
    char shown[80];
    layout_left(out, layout_shorten(shown, sizeof shown, *words ? words : "-", width), width);
}

static void add_value_cell(struct text *out, enum metric_kind kind, const struct result_row *row,
                           size_t width)
{
    char value[NUMBER_BUFFER] = "-";
    if (row && !isnan(row->value))
        number_value(value, sizeof value, kind, row->value);
    add_cell(out, value, width);
}

static void add_device_line(const struct qualification_device *d, const struct columns *c,
                            const struct report_style *style, struct text *out)
{
    const struct qualification_test *read = qualification_test_of(d, "read");
    const struct qualification_test *random = qualification_test_of(d, "randread");
    char words[NUMBER_BUFFER];
    add_short(out, d->name, c->name);
    text_add(out, " ");
    add_short(out, d->model, c->model);
    text_add(out, " ");
    add_short(out, d->link, c->link);
    add_value_cell(out, METRIC_KIND_BYTE_RATE, read ? &read->bandwidth : NULL, WIDTH_RATE);
    add_value_cell(out, METRIC_KIND_COUNT_RATE, random ? &random->iops : NULL, WIDTH_IOPS);
    add_value_cell(out, METRIC_KIND_TIME, random ? &random->p99 : NULL, WIDTH_P99);
    snprintf(words, sizeof words, "-");
    if (read && !isnan(read->efficiency))
        snprintf(words, sizeof words, "%.0f %%", 100 * read->efficiency);
    add_cell(out, words, WIDTH_SHARE);
    snprintf(words, sizeof words, "-");
    if (!isnan(d->temperature_max))
        snprintf(words, sizeof words, "%.0f C", d->temperature_max);
    add_cell(out, words, WIDTH_TEMPERATURE);
    text_add(out, " ");
    layout_tone(out, style, qualification_tone(d->grade));
    text_add(out, grade_name(d->grade));
    layout_tone(out, style, TONE_PLAIN);
    text_add(out, "\n");
}

static void add_table(const struct qualification *q, const struct report_style *style,
                      struct text *out)
{
    struct columns c = find_columns(q, style);
    if (!q->device_count)
        return;
    text_add(out, "\n");
    layout_tone(out, style, TONE_BOLD);
    layout_left(out, "disk", c.name + 1);
    layout_left(out, "model", c.model + 1);
    layout_left(out, "link", c.link);
    add_cell(out, "read", WIDTH_RATE);
    add_cell(out, "IOPS", WIDTH_IOPS);
    add_cell(out, "p99", WIDTH_P99);
    add_cell(out, "eff.", WIDTH_SHARE);
    add_cell(out, "temp", WIDTH_TEMPERATURE);
    layout_tone(out, style, TONE_PLAIN);
    text_add(out, "\n");
    for (size_t i = 0; i < q->device_count; i++)
        add_device_line(&q->devices[i], &c, style, out);
}

/* ---- what deviates ---- */

static size_t count_lines(const struct text *t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t->length; i++)
        lines += t->data[i] == '\n';
    return lines;
}

/* Which deviations to print: of each disk the gravest one with its place, or the others; brief: the
   reason is left out where a finding stands. */
struct deviations {
    bool gravest, brief;
    size_t max_lines;
};

/* The gravest check of a device (-1: of the machine), the first of several. */
static size_t gravest(const struct qualification *q, int device)
{
    size_t best = q->check_count;
    for (size_t i = 0; i < q->check_count; i++)
        if (q->checks[i].device == device &&
            (best == q->check_count || q->checks[i].grade > q->checks[best].grade))
            best = i;
    return best;
}

/* As long as there is room for one more line after each; *left counts the others. */
static void add_deviations(const struct qualification *q, enum grade grade,
                           const struct deviations *how, const struct report_style *style,
                           size_t *left, struct text *out)
{
    for (size_t i = 0; i < q->check_count; i++) {
        struct qualification_check check = q->checks[i];
        char words[QUALIFICATION_WORDS], lead[16];
        struct text whole = {0}, one = {0};
        if (check.grade != grade || (gravest(q, check.device) == i) != how->gravest)
            continue;
        snprintf(lead, sizeof lead, "%s ", grade_name(check.grade));
        text_add(&whole, qualification_check_of(q, &check));
        if (how->brief && check.found[0])
            check.note[0] = '\0';
        if (how->gravest && check.device >= 0) {
            /* The person who pulls the disk cannot see the kernel's name of it. */
            const struct qualification_device *d = &q->devices[check.device];
            if (d->slot[0] || d->serial[0])
                text_addf(&whole, " (%s%s%s)", d->slot, d->slot[0] && d->serial[0] ? ", " : "",
                          d->serial);
        }
        text_addf(&whole, ": %s", qualification_check_words(&check, words, sizeof words));
        layout_paragraph(&one, style, lead, qualification_tone(check.grade), layout_string(&whole));
        text_free(&whole);
        if (*left || count_lines(out) + count_lines(&one) + 1 > how->max_lines)
            ++*left;
        else
            text_add_bytes(out, one.data, one.length);
        out->failed |= one.failed;
        text_free(&one);
    }
}

/* The gravest of each disk first, so that as many disks as possible have a line. Returns the number
   of deviations that found no room. */
static size_t add_all_deviations(const struct qualification *q, bool brief,
                                 const struct report_style *style, size_t max_lines,
                                 struct text *out)
{
    const struct deviations first = {true, brief, max_lines}, others = {false, brief, max_lines};
    size_t left = 0;
    add_deviations(q, GRADE_FAIL, &first, style, &left, out);
    add_deviations(q, GRADE_UNDECIDED, &first, style, &left, out);
    add_deviations(q, GRADE_WARN, &first, style, &left, out);
    add_deviations(q, GRADE_FAIL, &others, style, &left, out);
    add_deviations(q, GRADE_UNDECIDED, &others, style, &left, out);
    add_deviations(q, GRADE_WARN, &others, style, &left, out);
    return left;
}

void qualification_add_page(const struct qualification *q, const struct report_style *style,
                            size_t max_lines, struct text *out)
{
    struct text deviations = {0};
    size_t before = count_lines(out);
    add_verdict(q, style, out);
    add_circumstances(q, style, out);
    add_table(q, style, out);
    if (q->grade < GRADE_WARN)
        return;
    size_t used = count_lines(out) - before + 1;
    size_t room = max_lines > used + DEVIATIONS_MIN ? max_lines - used : DEVIATIONS_MIN;
    size_t left = add_all_deviations(q, false, style, room, &deviations);
    if (left) {
        text_free(&deviations);
        left = add_all_deviations(q, true, style, room, &deviations);
    }
    text_add(out, "\n");
    text_add(out, layout_string(&deviations));
    left += q->dropped;
    if (left)
        text_addf(out, "%s%zu more: see the details\n", deviations.length ? "and " : "", left);
    out->failed |= deviations.failed;
    text_free(&deviations);
}

void qualification_print_page(const struct qualification *q, const struct report_style *style,
                              struct text *out)
{
    qualification_add_page(q, style, PAGE_LINES, out);
}
