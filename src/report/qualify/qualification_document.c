/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a qualification's document: the first page, then every check and every measurement. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/html/chart.h"
#include "report/layout/number.h"
#include "report/layout/screen_fit.h"
#include "report/qualify/internal.h"

/* ---- checks ---- */

static void add_checks(const struct qualification *q, int device, struct document *out)
{
    bool open = false;
    for (size_t i = 0; i < q->check_count; i++)
        open |= q->checks[i].device == device && q->checks[i].grade == GRADE_UNDECIDED;
    const size_t grade_width = strlen(grade_name(open ? GRADE_UNDECIDED : GRADE_WARN)) + 2;
    for (size_t i = 0; i < q->check_count; i++) {
        const struct qualification_check *check = &q->checks[i];
        if (check->device != device)
            continue;
        struct qualification_check nameless = *check;
        char words[QUALIFICATION_WORDS];
        nameless.what[0] = '\0';
        qualification_check_words(&nameless, words, sizeof words);
        document_add(out, "  ");
        document_left(out, grade_name(check->grade), grade_width);
        document_left(out, check->what, 18);
        document_add(out, "  ");
        document_end_row_in_words(
            out, check->grade >= GRADE_WARN ? qualification_tone(check->grade) : TONE_PLAIN,
            words + strspn(words, " ,:"));
    }
}

/* ---- measurements ---- */

enum { DISKS_MAX = 64 };
enum { WIDTH_TITLE = 17, WIDTH_VALUE = 12, WIDTH_END = 10, WIDTH_ARM = 9 };

static void add_test_row(const struct result_row *row, struct document *out)
{
    const struct metric *metric = metric_of(row->metric);
    char value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], arm[NUMBER_BUFFER];
    struct number_scale scale = number_scale_of(metric->kind, row->value, row->low, row->high);
    if (isnan(row->value)) {
        char lead[40];
        snprintf(lead, sizeof lead, "    %-*s  ", WIDTH_TITLE, metric->title);
        document_paragraph(out, lead, TONE_PLAIN, row->note[0] ? row->note : "-");
        return;
    }
    document_add(out, "    ");
    document_left(out, metric->title, WIDTH_TITLE);
    document_right(out, number_scaled(value, sizeof value, &scale, row->value), WIDTH_VALUE);
    scale.suffix = "";
    document_right(out, number_scaled(low, sizeof low, &scale, row->low), WIDTH_END);
    document_right(out, number_scaled(high, sizeof high, &scale, row->high), WIDTH_END);
    document_right(out, number_arm(arm, sizeof arm, row->value, row->low, row->high), WIDTH_ARM);
    document_end_row(out);
}

static void add_test_titles(double confidence, struct document *out)
{
    char words[64];
    snprintf(words, sizeof words, "  with %g %% intervals", 100 * confidence);
    const struct layout_column titles[] = {{words, -(4 + WIDTH_TITLE)},
                                           {"value", WIDTH_VALUE},
                                           {"low", WIDTH_END},
                                           {"high", WIDTH_END},
                                           {"+-", WIDTH_ARM}};
    document_titles(out, titles, sizeof titles / sizeof *titles);
}

static void add_test(const struct qualification_test *t, struct document *out)
{
    struct text words = {0};
    char seconds[NUMBER_BUFFER], percent[NUMBER_BUFFER];
    if (!t->measured) {
        text_addf(&words, "not measured%s%s", t->failure[0] ? ": " : "", t->failure);
    } else {
        text_addf(&words, "%s, %s, %s, %s", t->workload, t->engine, verdict_name(t->verdict),
                  number_seconds(seconds, sizeof seconds, t->seconds));
        if (!isnan(t->efficiency))
            text_addf(&words, "; %s of what the data path lets through",
                      number_percent(percent, sizeof percent, t->efficiency));
    }
    char lead[40];
    snprintf(lead, sizeof lead, "  %s: ", t->name);
    document_paragraph_from(out, lead, TONE_PLAIN, &words);
    if (out->style.page && t->measured) /* on a page, each test has its own table */
        add_test_titles(t->iops.confidence, out);
    for (size_t i = 0; t->measured && i < QUALIFICATION_ROWS; i++)
        add_test_row(qualification_row(t, i), out);
}

static void add_tests(const struct qualification_device *d, struct document *out)
{
    double confidence = NAN;
    for (size_t i = 0; i < d->test_count; i++)
        if (d->tests[i].measured)
            confidence = d->tests[i].iops.confidence;
    if (!isnan(confidence) && !out->style.page)
        add_test_titles(confidence, out);
    for (size_t i = 0; i < d->test_count; i++)
        add_test(&d->tests[i], out);
}

/* ---- a disk ---- */

static void add_part_words(struct text *words, const char *lead, const char *value)
{
    if (*value)
        text_addf(words, "%s%s%s", words->length ? ", " : "", lead, value);
}

/* Writes a capacity in powers of 1000, as drives are sold: "3.84 TB". */
static char *format_capacity(char *to, size_t size, uint64_t bytes)
{
    static const struct {
        double scale;
        const char *name;
    } units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {0, "bytes"}};
    size_t i = 0;
    while (units[i].scale > (double)bytes)
        i++;
    snprintf(to, size, "%.4g %s", (double)bytes / (units[i].scale > 0 ? units[i].scale : 1),
             units[i].name);
    return to;
}

static void add_device_section(const struct qualification *q, size_t device, struct document *out)
{
    const struct qualification_device *d = &q->devices[device];
    char heading[80];
    snprintf(heading, sizeof heading, "%.64s: ", d->name);
    document_heading_toned(out, heading, qualification_tone(d->grade), grade_name(d->grade));
    struct text words = {0};
    char size[UNITS_BUFFER], rate[UNITS_BUFFER];
    add_part_words(&words, "", d->model[0] ? d->model : "no model");
    add_part_words(&words, "", d->kind);
    add_part_words(&words, "", format_capacity(size, sizeof size, d->size));
    add_part_words(&words, "serial ", d->serial[0] ? d->serial : "not known");
    add_part_words(&words, "firmware ", d->firmware);
    add_part_words(&words, "", d->slot);
    if (!isnan(d->limit_read))
        text_addf(&words, ", its data path lets through %s of reads",
                  format_rate(rate, sizeof rate, d->limit_read));
    document_paragraph_from(out, "  ", TONE_PLAIN, &words);
    add_checks(q, (int)device, out);
    add_tests(d, out);
}

/* Draws the first page, cut to the lines of a screen. */
static void draw_screen(const void *what, size_t is_kept, const struct report_style *style,
                        struct text *out)
{
    qualification_print_screen(what, style, SCREEN_LINES, is_kept ? "qualification.txt" : "--full",
                               out);
}

/* Adds a figure with the bandwidth or the IOPS of all disks in one test, so that an unusual disk is
   seen even without expectations. */
static void add_rates(const struct qualification *q, const char *test, bool of_bandwidth,
                      const char *title, struct text *out)
{
    struct chart_row rows[DISKS_MAX];
    char words[DISKS_MAX][NUMBER_BUFFER];
    enum metric_kind kind = of_bandwidth ? METRIC_KIND_BYTE_RATE : METRIC_KIND_COUNT_RATE;
    size_t count = 0;
    for (size_t i = 0; i < q->device_count && count < DISKS_MAX; i++) {
        const struct qualification_test *t = qualification_test_of(&q->devices[i], test);
        if (!t || !t->measured)
            continue;
        const struct result_row *row = of_bandwidth ? &t->bandwidth : &t->iops;
        if (!isfinite(row->value))
            continue;
        number_value(words[count], sizeof *words, kind, row->value);
        rows[count] = (struct chart_row){.name = q->devices[i].name,
                                         .words = words[count],
                                         .low = isfinite(row->low) ? row->low : row->value,
                                         .value = row->value,
                                         .high = isfinite(row->high) ? row->high : row->value,
                                         .odd = q->devices[i].grade == GRADE_FAIL};
        count++;
    }
    chart_rows_add(out, &(struct chart_rows){.title = title,
                                             .words = "with intervals; red: the disk failed",
                                             .kind = kind,
                                             .rows = rows,
                                             .count = count});
}

/* Adds a figure with the share of its rate alone that each disk keeps under one load together. */
static void add_ratios(const struct sharing *s, enum sharing_load load, struct text *out)
{
    struct chart_row rows[SHARING_DRIVES];
    char words[SHARING_DRIVES][48], title[80];
    size_t count = 0;
    for (size_t i = 0; i < s->drive_count; i++) {
        const struct sharing_measured *m = &s->drives[i].load[load];
        if (!isfinite(m->ratio) || !isfinite(m->high))
            continue;
        sharing_ratio_words(m, words[count], sizeof *words);
        rows[count] = (struct chart_row){.name = s->drives[i].name,
                                         .words = words[count],
                                         .low = m->low,
                                         .value = m->ratio,
                                         .high = m->high,
                                         .odd = s->drives[i].loss[load] == SHARING_LOSES};
        count++;
    }
    snprintf(title, sizeof title, "All disks together over each alone: %s",
             sharing_load_words(load));
    chart_rows_add(out, &(struct chart_rows){.title = title,
                                             .words = "with intervals; red: it loses",
                                             .kind = METRIC_KIND_NUMBER,
                                             .reference = SHARING_KEPT,
                                             .rows = rows,
                                             .count = count});
}

/* Adds a figure of the power of all packages, or of the highest temperature, during --burn. */
static void add_heat(const struct heat_history *h, bool is_power, struct text *out)
{
    double seconds[HEAT_SAMPLES_MAX], values[HEAT_SAMPLES_MAX];
    for (size_t i = 0; i < h->count; i++) {
        seconds[i] = h->samples[i].seconds;
        values[i] = is_power ? h->samples[i].watts : h->samples[i].celsius;
    }
    struct chart c = {.title = is_power ? "Power of the processors under test"
                                        : "Temperature of the processors under test",
                      .x_label = "time",
                      .x_kind = METRIC_KIND_SECONDS,
                      .y_kind = METRIC_KIND_NUMBER,
                      .y_unit = is_power ? "W" : "C",
                      .x = seconds,
                      .count = h->count,
                      .lines = {{.name = is_power ? "power" : "temperature", .y = values}},
                      .line_count = 1};
    if (is_power && !isnan(h->watts_limit)) {
        c.limits[0] = (struct chart_limit){h->watts_limit, "limit"};
        c.limit_count = 1;
    }
    chart_add(out, &c);
}

/* Draws the figures of a page: the machine, power and temperature during --burn, what disks keep
   when all are busy, and the rates of all disks. */
static void qualification_charts(const void *what, size_t number, struct text *out)
{
    const struct qualification *q = what;
    (void)number;
    qualification_draw_machine(q, out);
    for (int is_power = 0; is_power < 2 && q->burn.count; is_power++)
        add_heat(&q->burn, is_power, out);
    for (int load = 0; q->sharing && load < SHARING_LOADS; load++)
        add_ratios(q->sharing, (enum sharing_load)load, out);
    add_rates(q, "read", true, "Sequential reads", out);
    add_rates(q, "randread", false, "Random reads", out);
}

void qualification_document(const void *what, struct document *out)
{
    const struct qualification *q = what;
    document_title(out, q->product[0] ? q->product : "Qualification");
    if (!out->style.full) {
        const bool is_kept = out->style.folder && *out->style.folder;
        out->style.narrow = true;
        document_figure(out, (struct figure){.text = draw_screen, .context = q, .number = is_kept});
        return;
    }
    qualification_add_page(q, SIZE_MAX, "", out);
    if (q->sharing) {
        qualification_add_sharing_details(q->sharing, out);
    } else if (q->device_count) {
        document_end_row(out);
        bool writes = false;
        struct text words = {0};
        for (size_t i = 0; i < q->device_count; i++)
            writes |= qualification_test_of(&q->devices[i], "write") ||
                      qualification_test_of(&q->devices[i], "randwrite");
        text_addf(
            &words,
            "read: sequential reads of 1 MiB. random, p99: random reads of 4 KiB. %seff.: read "
            "over what the data path lets through. temp: the most while measuring. none: "
            "not known, or not asked for.",
            writes ? "write, randwrite and the p99 after it: the same, written. " : "");
        document_paragraph_from(out, "", TONE_PLAIN, &words);
    }
    if (q->clauses) {
        char words[160];
        snprintf(
            words, sizeof words,
            "Clauses: %zu that are estimated, of all disks and tests; %g %% confidence that none "
            "of them is decided wrongly.",
            q->clauses, 100 * q->clause_confidence);
        document_paragraph(out, "", TONE_PLAIN, words);
    }
    bool machine = false;
    for (size_t i = 0; i < q->check_count; i++)
        machine = machine || q->checks[i].device < 0;
    if (machine) {
        document_heading(out, "The machine as a whole");
        add_checks(q, -1, out);
    }
    for (size_t i = 0; i < q->device_count; i++)
        add_device_section(q, i, out);
    document_part(out);
    document_figure(out, (struct figure){.page = qualification_charts, .context = q});
}
