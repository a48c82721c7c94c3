/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the table of disks to the first page of a qualification: the worst disk first, and as many
   columns as fit. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/number.h"
#include "report/qualify/internal.h"

enum column {
    NAME,
    MODEL,
    LINK,
    READ,
    RANDOM,
    P99,
    WRITE,
    RANDOM_WRITE,
    WRITE_P99,
    EFFICIENCY,
    TEMPERATURE,
    GRADE,
    COLUMNS
};

enum { NAME_MAX_WIDTH = 12, NAME_MIN_WIDTH = 5, MODEL_MIN_WIDTH = 12, LINK_MAX_WIDTH = 13 };
enum { CELL_BYTES = 80 };

/* The columns. `width` 0: the contents determine the width. `test`: the column shows the member at
   offset `row` of that test, and is left out if no disk has the test. */
#define ROW_OF(member) offsetof(struct qualification_test, member)
static const struct {
    const char *title;
    size_t width;
    bool left;
    const char *test;
    size_t row;
    enum metric_kind kind;
    const char *unit;
} columns[COLUMNS] = {
    [NAME] = {"disk", 0, true},
    [MODEL] = {"model", 0, true},
    [LINK] = {"link", 0, true},
    [READ] = {"read", 9, false, "read", ROW_OF(bandwidth), METRIC_KIND_BYTE_RATE, ""},
    [RANDOM] = {"random", 10, false, "randread", ROW_OF(iops), METRIC_KIND_COUNT_RATE, " IOPS"},
    [P99] = {"p99", 7, false, "randread", ROW_OF(p99), METRIC_KIND_TIME, ""},
    [WRITE] = {"write", 9, false, "write", ROW_OF(bandwidth), METRIC_KIND_BYTE_RATE, ""},
    [RANDOM_WRITE] = {"randwrite", 10, false, "randwrite", ROW_OF(iops), METRIC_KIND_COUNT_RATE,
                      " IOPS"},
    [WRITE_P99] = {"p99", 7, false, "randwrite", ROW_OF(p99), METRIC_KIND_TIME, ""},
    [EFFICIENCY] = {"eff.", 5, false, "read"},
    [TEMPERATURE] = {"temp", 4},
    [GRADE] = {"", 0, true},
};

/* On a narrow page, the first of these columns that fit are kept. */
static const enum column by_importance[] = {NAME,        GRADE,        READ, RANDOM,
                                            WRITE,       RANDOM_WRITE, P99,  WRITE_P99,
                                            TEMPERATURE, MODEL,        LINK, EFFICIENCY};

/* Returns true if the column has something to show. If no disk has a test, the columns of read
   tests are kept. */
static bool is_used(const struct qualification *q, enum column c)
{
    bool any = false;
    for (size_t i = 0; i < q->device_count; i++) {
        any |= q->devices[i].test_count > 0;
        if (columns[c].test && qualification_test_of(&q->devices[i], columns[c].test))
            return true;
    }
    return !columns[c].test || (!any && c != WRITE && c != RANDOM_WRITE && c != WRITE_P99);
}

enum tone qualification_tone(enum grade grade)
{
    static const enum tone tones[] = {[GRADE_NONE] = TONE_PLAIN,
                                      [GRADE_PASS] = TONE_GREEN,
                                      [GRADE_WARN] = TONE_YELLOW,
                                      [GRADE_UNDECIDED] = TONE_YELLOW,
                                      [GRADE_FAIL] = TONE_RED};
    return tones[grade];
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Computes the width of each column; 0: it does not fit. The model's column gets spare width. */
static void find_widths(const struct qualification *q, size_t width, size_t widths[COLUMNS])
{
    size_t wanted[COLUMNS], used = 0, model = MODEL_MIN_WIDTH;
    for (size_t c = 0; c < COLUMNS; c++) {
        wanted[c] = larger(columns[c].width, strlen(columns[c].title));
        widths[c] = 0;
    }
    wanted[MODEL] = MODEL_MIN_WIDTH;
    for (size_t i = 0; i < q->device_count; i++) {
        const struct qualification_device *d = &q->devices[i];
        wanted[NAME] = larger(wanted[NAME], layout_length(d->name));
        wanted[LINK] = larger(wanted[LINK], layout_length(d->link));
        wanted[GRADE] = larger(wanted[GRADE], strlen(grade_name(d->grade)));
        model = larger(model, layout_length(d->model));
    }
    wanted[LINK] = smaller(wanted[LINK], LINK_MAX_WIDTH);
    wanted[NAME] = smaller(wanted[NAME], NAME_MAX_WIDTH);
    if (wanted[NAME] + 1 + wanted[GRADE] > width)
        wanted[NAME] = larger(width - wanted[GRADE] - 1, NAME_MIN_WIDTH);
    for (size_t i = 0; i < COLUMNS; i++) {
        enum column c = by_importance[i];
        size_t between = used > 0;
        if (!is_used(q, c) || used + between + wanted[c] > width)
            continue;
        widths[c] = wanted[c];
        used += between + wanted[c];
    }
    if (widths[MODEL] > 0)
        widths[MODEL] = smaller(model, widths[MODEL] + width - used);
}

static void add_cell(struct document *out, const size_t widths[COLUMNS], enum column c,
                     const char *words)
{
    char shown[CELL_BYTES];
    if (widths[c] == 0)
        return;
    if (c != NAME)
        document_add(out, " ");
    if (columns[c].left)
        document_left(out, layout_shorten(shown, sizeof shown, *words ? words : "-", widths[c]),
                      c == GRADE ? 0 : widths[c]);
    else
        document_right(out, words, widths[c]);
}

static void format_cell(char *to, size_t size, enum metric_kind kind, const struct result_row *row,
                        const char *unit)
{
    char value[NUMBER_BUFFER];
    snprintf(to, size, "-");
    if (row && !isnan(row->value))
        snprintf(to, size, "%s%s", number_value(value, sizeof value, kind, row->value), unit);
}

static void add_device_line(const struct qualification_device *d, const size_t widths[COLUMNS],
                            struct document *out)
{
    const struct qualification_test *read = qualification_test_of(d, "read");
    char words[CELL_BYTES];
    add_cell(out, widths, NAME, d->name);
    add_cell(out, widths, MODEL, d->model);
    add_cell(out, widths, LINK, d->link);
    for (enum column c = READ; c <= WRITE_P99; c++) {
        const struct qualification_test *t = qualification_test_of(d, columns[c].test);
        const void *row = t ? (const char *)t + columns[c].row : NULL;
        format_cell(words, sizeof words, columns[c].kind, row, columns[c].unit);
        add_cell(out, widths, c, words);
    }
    snprintf(words, sizeof words, "-");
    if (read && !isnan(read->efficiency))
        snprintf(words, sizeof words, "%.0f %%", 100 * read->efficiency);
    add_cell(out, widths, EFFICIENCY, words);
    snprintf(words, sizeof words, "-");
    if (!isnan(d->temperature_max))
        snprintf(words, sizeof words, "%.0f C", d->temperature_max);
    add_cell(out, widths, TEMPERATURE, words);
    document_tone(out, qualification_tone(d->grade));
    add_cell(out, widths, GRADE, grade_name(d->grade));
    document_tone(out, TONE_PLAIN);
    document_end_row(out);
}

static void add_titles(const size_t widths[COLUMNS], struct document *out)
{
    document_tone(out, TONE_BOLD);
    for (enum column c = NAME; c < GRADE; c++)
        add_cell(out, widths, c, columns[c].title);
    document_end_titles(out);
    document_tone(out, TONE_PLAIN);
}

/* Returns "as expected", or other words if there are no expectations. */
static const char *qualification_good_words(const struct qualification *q)
{
    return q->expectations[0] ? "as expected" : "with nothing wrong";
}

void qualification_add_counts(const struct qualification *q, const size_t counts[],
                              struct text *out)
{
    static const struct {
        enum grade grade;
        const char *one, *many;
    } words[] = {{GRADE_FAIL, "failed", "failed"},
                 {GRADE_UNDECIDED, "not decided", "not decided"},
                 {GRADE_WARN, "with a warning", "with warnings"}};
    const char *comma = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t count = counts[words[i].grade];
        if (count)
            text_addf(out, "%s%zu %s", comma, count, count == 1 ? words[i].one : words[i].many);
        comma = count ? ", " : comma;
    }
    size_t good = counts[GRADE_NONE] + counts[GRADE_PASS];
    if (good)
        text_addf(out, "%s%zu %s", comma, good, qualification_good_words(q));
}

static void add_others(const struct qualification *q, const size_t counts[], size_t count,
                       struct document *out)
{
    struct text words = {0};
    const char *plural = count == 1 ? "" : "s";
    if (counts[GRADE_NONE] + counts[GRADE_PASS] == count) {
        text_addf(&words, "%zu more disk%s %s", count, plural, qualification_good_words(q));
    } else {
        text_addf(&words, "%zu more disk%s: ", count, plural);
        qualification_add_counts(q, counts, &words);
    }
    document_paragraph_from(out, "and ", TONE_PLAIN, &words);
}

void qualification_add_table(const struct qualification *q, size_t max_rows, struct document *out)
{
    size_t widths[COLUMNS], shown = 0, counts[GRADE_FAIL + 1] = {0};
    if (!q->device_count)
        return;
    find_widths(q, layout_width(&out->style), widths);
    document_end_row(out);
    add_titles(widths, out);
    for (int grade = GRADE_FAIL; grade >= GRADE_NONE; grade--)
        for (size_t i = 0; i < q->device_count; i++) {
            if (q->devices[i].grade != (enum grade)grade)
                continue;
            if (shown < max_rows) {
                add_device_line(&q->devices[i], widths, out);
                shown++;
            } else {
                counts[grade]++;
            }
        }
    if (shown < q->device_count)
        add_others(q, counts, q->device_count - shown, out);
}
