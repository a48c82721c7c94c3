/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV and the files of `-o DIR`: golden output, and each row has as many fields as its header. The
   files of requests with due times are in test_report_timing.c. */
#include "report/document/document.h"
#include "report/report.h"
#include "tests/unit/check.h"
#include "tests/unit/golden.h"
#include "tests/unit/report_fixture.h"

static struct fixture f;
static const struct report_style style = {.full = true, .width = 80};

/* Counts the fields of the CSV line at *p, and moves *p to the next line. */
static size_t count_fields(const char **p)
{
    size_t fields = 1;
    bool quoted = false;
    for (; **p && (quoted || **p != '\n'); (*p)++) {
        if (**p == '"')
            quoted = !quoted;
        else if (**p == ',' && !quoted)
            fields++;
    }
    *p += **p == '\n';
    return fields;
}

static void check_rectangular(const struct text *csv)
{
    const char *p = csv->data;
    CHECK(p != NULL);
    if (!p)
        return;
    CHECK(csv->data[csv->length - 1] == '\n');
    size_t columns = count_fields(&p), faults = 0, rows = 0;
    while (*p) {
        faults += count_fields(&p) != columns;
        rows++;
    }
    CHECK_INT(faults, 0);
    CHECK(rows > 0);
}

static void check_summary(void)
{
    struct text csv = {0};
    fixture_fill(&f);
    fixture_label(&f.result);
    snprintf(f.result.rows[2].note, sizeof f.result.rows[2].note, "a \"quoted\", note");
    report_print(&result_report, &f.result, "csv", &style, &csv);
    check_rectangular(&csv);
    CHECK(!strncmp(csv.data,
                   "metric,op,unit,value,ci_low,ci_high,confidence,n,effective_n,note,next_low,"
                   "next_high,target,rw,bs,iodepth,numjobs,label,date\n",
                   125));
    CHECK(strstr(csv.data, "\nlat_p99.99,read,ns,,,,,1055008,9120,not enough samples,") != NULL);
    CHECK(strstr(csv.data, ",\"a \"\"quoted\"\", note\",") != NULL);
    golden_check("report/summary.csv", &csv);
    text_free(&csv);
}

static void check_files(void)
{
    size_t count = 0, empty = 0;
    fixture_fill(&f);
    for (const struct report_file *file = report_files; file->name; file++, count++) {
        struct text text = {0};
        char golden[64];
        file->render(&f.result, &text);
        CHECK(!text.failed);
        if (text.length == 0) {
            empty++;
            continue;
        }
        if (strstr(file->name, ".csv"))
            check_rectangular(&text);
        /* report.txt and summary.csv are compared separately, as output on stdout; the HTML page
           has the content of report.txt (test_html_page). */
        snprintf(golden, sizeof golden, "report/files_%s", file->name);
        if (strcmp(file->name, "report.txt") != 0 && strcmp(file->name, "summary.csv") != 0 &&
            strcmp(file->name, "report.html") != 0)
            golden_check(golden, &text);
        text_free(&text);
    }
    CHECK_INT(count, 22);
    CHECK_INT(empty, 11);
}

/* Series of unequal length leave fields empty; the stable column follows the headline. */
static void check_unequal_series(void)
{
    struct text csv = {0};
    fixture_fill(&f);
    f.result.series[0].count = 2;
    f.result.series[0].stable_begin = 1;
    f.result.series[0].stable_end = 2;
    f.result.series[1].count = 3;
    f.iops[0] = 10;
    f.iops[1] = NAN;
    f.bandwidth[0] = f.bandwidth[1] = f.bandwidth[2] = 0.5;
    for (const struct report_file *file = report_files; file->name; file++)
        if (!strcmp(file->name, "unit_readings.csv"))
            file->render(&f.result, &csv);
    CHECK_STR(csv.data, "time_s,iops,bandwidth,stable\n0,10,0.5,0\n0.1,,0.5,1\n0.2,,0.5,0\n");
    text_free(&csv);
}

static void check_analysis(void)
{
    static double values[400];
    struct text csv = {0};
    struct analysis a = fixture_analysis(values);
    report_print(&analysis_report, &a, "csv", &style, &csv);
    check_rectangular(&csv);
    golden_check("report/analysis.csv", &csv);
    text_free(&csv);
    fixture_analysis_clauses(&a);
    report_print(&analysis_report, &a, "csv", &style, &csv);
    check_rectangular(&csv);
    golden_check("report/analysis_clauses.csv", &csv);
    text_free(&csv);

    a.changepoint_count = 0;
    a.low = -INFINITY;
    a.high = INFINITY;
    a.harmonic_mean = NAN;
    report_print(&analysis_report, &a, "csv", &style, &csv);
    CHECK(strstr(csv.data, "\nci_low,-inf\nci_high,inf\n") != NULL);
    CHECK(strstr(csv.data, "\nchangepoints,\nphase,warmup\n") != NULL);
    CHECK(strstr(csv.data, "\nharmonic_mean,\n") != NULL);
    text_free(&csv);
}

int main(void)
{
    check_summary();
    check_files();
    check_unequal_series();
    check_analysis();
    return check_result();
}
