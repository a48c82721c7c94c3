/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a certificate's part about a qualified machine: its disks, and everything that deviates or
   is undecided. */
#include <math.h>
#include <stdio.h>

#include "certificate/page/internal.h"
#include "report/layout/number.h"

/* Limit of the rows of disks, and of the rows of deviations, on a page for one sheet. */
enum { PAGE_ROWS_MAX = 10 };

static const char *grade_words(enum grade grade)
{
    static const char *const words[] = {[GRADE_NONE] = "not judged",
                                        [GRADE_PASS] = "passed",
                                        [GRADE_WARN] = "passed, with a warning",
                                        [GRADE_UNDECIDED] = "UNDECIDED",
                                        [GRADE_FAIL] = "NOT PASSED"};
    return words[grade];
}

static const char *known(const char *text)
{
    return text[0] ? text : "not known";
}

static void add_test(const struct qualification_test *t, struct text *to)
{
    char rate[NUMBER_BUFFER], arm[NUMBER_BUFFER];
    const struct result_row *row = &t->bandwidth;
    if (!t->measured || isnan(row->value))
        text_addf(to, "; %s not measured%s%s", t->name, t->failure[0] ? ": " : "", t->failure);
    else
        text_addf(to, "; %s: %s (%s)", t->workload,
                  number_value(rate, sizeof rate, METRIC_KIND_BYTE_RATE, row->value),
                  number_plus_minus(arm, sizeof arm, row->value, row->low, row->high));
}

static void write_device(const struct qualification_device *d, struct document *out)
{
    struct text words = {0};
    text_addf(&words, "%s; model %s, serial number %s, firmware %s, link %s", grade_words(d->grade),
              known(d->model), known(d->serial), known(d->firmware), known(d->link));
    for (size_t i = 0; i < d->test_count; i++)
        add_test(&d->tests[i], &words);
    certificate_add_row(out, d->name, layout_string(&words));
    out->failed |= words.failed;
    text_free(&words);
}

/* Writes a row for each disk. A page for one sheet shows only a few rows: the other disks, first of
   all those that passed, are listed by serial number in one row. */
static void write_devices(const struct qualification *q, struct document *out)
{
    const size_t rows = out->style.page ? PAGE_ROWS_MAX : QUALIFICATION_DEVICES;
    struct text others = {0};
    size_t written = 0;
    for (size_t i = 0; i < q->device_count; i++) {
        const struct qualification_device *d = &q->devices[i];
        if (q->device_count <= rows || (d->grade != GRADE_PASS && written < rows)) {
            write_device(d, out);
            written++;
            continue;
        }
        text_addf(&others, "%s%s %s",
                  others.length ? "; " : "passed, where nothing else is said: ", d->name,
                  known(d->serial));
        if (d->grade != GRADE_PASS)
            text_addf(&others, " %s", grade_words(d->grade));
    }
    if (others.length)
        certificate_add_row(out, written ? "other disks" : "disks", others.data);
    out->failed |= others.failed;
    text_free(&others);
}

static void write_checks(const struct qualification *q, struct document *out)
{
    const size_t rows = out->style.page ? PAGE_ROWS_MAX : QUALIFICATION_CHECKS;
    size_t count = 0, written = 0;
    for (size_t i = 0; i < q->check_count; i++)
        count += q->checks[i].grade >= GRADE_WARN;
    if (!count)
        return;
    document_heading(out, "Deviations, and what is open");
    for (size_t i = 0; i < q->check_count; i++) {
        const struct qualification_check *check = &q->checks[i];
        char words[QUALIFICATION_WORDS];
        if (check->grade >= GRADE_WARN && written++ < rows)
            certificate_row(out, grade_words(check->grade), "%s: %s",
                            qualification_check_of(q, check),
                            qualification_check_words(check, words, sizeof words));
    }
    count = q->dropped + (written > rows ? written - rows : 0);
    if (count)
        certificate_row(out, "and", "%zu deviations more", count);
}

void certificate_write_qualification(const struct qualification *q, struct document *out)
{
    char length[NUMBER_BUFFER];
    document_heading(out, "Limits");
    certificate_row(out, "expectations", "%s",
                    q->expectations[0] ? q->expectations : "what is wrong in any machine");
    if (q->clauses)
        certificate_row(out, "confidence",
                        "%.4g %% that none of the %zu limits of all tests is decided wrongly",
                        100 * q->clause_confidence, q->clauses);
    document_heading(out, "What was measured");
    write_devices(q, out);
    write_checks(q, out);
    document_heading(out, "Who, where and when");
    certificate_write_labels(&q->labels, out);
    certificate_write_date(q->date, out);
    certificate_row(out, "how long", "%s", number_seconds(length, sizeof length, q->seconds));
    certificate_row(out, "its clock", "not known whether it was right");
    certificate_row(out, "machine", "%s, serial number %s", known(q->machine),
                    known(q->board_serial));
    certificate_row(out, "preset", "%s", q->preset);
    certificate_row(out, "measured by", "cupel %s", q->version);
}
