/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of requests with due times and of replays: golden output, and the text of each case. */
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/report.h"
#include "tests/unit/check.h"
#include "tests/unit/golden.h"
#include "tests/unit/page.h"
#include "tests/unit/timing_fixture.h"

static const struct report_style ascii = {.full = true, .width = 80};
static const struct report_style blocks = {.full = true, .unicode = true, .width = 80};
static struct timing_fixture f;

static void check_page(const char *golden)
{
    struct text page = {0};
    report_print(&result_report, &f.base.result, "text", &ascii, &page);
    page_check(&page);
    golden_check(golden, &page);
    text_free(&page);
}

static void check_pages(void)
{
    timing_fill(&f);
    check_page("report/open_loop.txt");
    timing_saturate(&f);
    check_page("report/saturated.txt");
    timing_fill(&f);
    timing_phases(&f);
    check_page("report/phases.txt");
    timing_fill(&f);
    timing_replay(&f);
    check_page("report/replay.txt");

    struct text page = {0};
    report_print(&result_report, &f.base.result, "text", &blocks, &page);
    page_check(&page);
    golden_check("report/replay_blocks.txt", &page);
    text_free(&page);
}

/* Checks that all the words are on the page, or none of them, with line breaks as blanks. NULL ends
   the list. */
static void check_words(bool there, const char *const words[])
{
    struct text page = {0};
    report_print(&result_report, &f.base.result, "text", &ascii, &page);
    page_check(&page);
    size_t kept = 0;
    for (size_t i = 0; i < page.length; i++) {
        char c = page.data[i] == '\n' ? ' ' : page.data[i];
        if (c != ' ' || kept == 0 || page.data[kept - 1] != ' ')
            page.data[kept++] = c;
    }
    page.data[kept] = '\0';
    for (; *words; words++)
        if (!check_that((strstr(page.data, *words) != NULL) == there, __FILE__, __LINE__, *words))
            fprintf(stderr, "%.600s\n", page.data);
    text_free(&page);
}

static void set(enum metric_id metric, double value)
{
    struct result *r = &f.base.result;
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].metric == metric)
            r->rows[i].value = value;
}

#define WORDS(...)    check_words(true, (const char *const[]){__VA_ARGS__, NULL})
#define NO_WORDS(...) check_words(false, (const char *const[]){__VA_ARGS__, NULL})

static void check_on_time(void)
{
    timing_fill(&f);
    WORDS("Issued on time: 98.9 % of 300000 requests within 10 us of their instant (median 312 "
          "ns, p99 11.2 us, worst 1.21 ms).");
    set(METRIC_ISSUED_10US, 0.9404);
    WORDS("Issued about on time: 94.0 % of 300000 requests within 10 us of their instant, 99.7 % "
          "within 50 us");
    set(METRIC_ISSUED_50US, 0.81);
    set(METRIC_ISSUED_100US, 0.9);
    WORDS("ISSUED LATE: 94.0 % of", ", 99.9993 % within 1 ms (");
    set(METRIC_ISSUED_1MS, 0.5);
    WORDS("ISSUED LATE: ", ", 50 % within 1 ms (");
    for (int id = METRIC_ISSUE_ERROR_P50; id <= METRIC_ISSUE_ERROR_MAX; id++)
        set((enum metric_id)id, NAN);
    WORDS("50 % within 1 ms. ");
}

/* Lateness is attributed to the target if it used every slot or could not keep up. */
static void check_whose_lateness(void)
{
    struct result *r = &f.base.result;
    timing_fill(&f);
    WORDS("worst 1.21 ms). The target kept up.");
    r->waited_share = 0.009;
    set(METRIC_ISSUED_10US, 0.5);
    set(METRIC_ISSUED_50US, 0.5);
    set(METRIC_ISSUED_100US, 0.5);
    WORDS("ISSUED LATE: ", "The target kept up.");
    NO_WORDS("every slot was in use", "The wait for the target is part of it.");
    r->waited_share = 0.42;
    WORDS("Issued late because the target was: 50 % of",
          "For 42 % of the time requests were due and every slot was in use.",
          "The wait for the target is part of it.");
    NO_WORDS("ISSUED LATE", "The target kept up.");

    timing_phases(&f);
    r->waited_share = NAN;
    r->saturated = false;
    WORDS(
        "Issued late because the target was: ",
        "The target did not keep up in phase 2 of 4 (5k-50k requests per second from 10.0 s on).");
    NO_WORDS("The target kept up.", "NOT KEPT UP");
    r->phases[1].kept_up = true;
    WORDS("ISSUED LATE: ", "The target kept up.");
}

/* The bounds for a target that is nearly always late make the longest line. */
static void check_bounds(void)
{
    timing_fill(&f);
    set(METRIC_ISSUED_1US, 0.00033);
    set(METRIC_ISSUED_10US, 0.00042);
    set(METRIC_ISSUED_50US, 0.00099);
    set(METRIC_ISSUED_100US, 0.00123);
    set(METRIC_ISSUED_1MS, 0.01234);
    WORDS("within 1 us 0.033 %, 10 us 0.042 %, 50 us 0.099 %, 100 us 0.12 %, 1 ms 1.2 %");
}

static void check_verdicts(void)
{
    struct result *r = &f.base.result;
    timing_fill(&f);
    timing_saturate(&f);
    WORDS("NOT KEPT UP: 12.3k of 20k requests per second; the backlog grew by 7.70k per second; "
          "77012 were left at the end (at least; the oldest was due 6.26 s before the end).",
          "Response times grow with the length of the test; only the service time speaks for the "
          "target.",
          "Issued late because the target was: 4.9 % of", "20k/s", "7.70k/s", "12.3k/s");
    r->verdict = VERDICT_INTERRUPTED;
    WORDS("INTERRUPTED: ", "NOT KEPT UP: 12.3k of 20k requests per second; the backlog grew by");

    timing_fill(&f);
    timing_replay(&f);
    WORDS("COMPLETE: one pass of 60.2 s, 5.00k requests per second, 55.7 us read response time",
          "Measured once, from begin to end.", "Metrics of the pass");
    r->saturated = true;
    WORDS("Response times are those of this pass with its backlog; only the service time");
    NO_WORDS("Response times grow");
    r->saturated = false;
    r->goal = GOAL_PASS;
    r->verdict = VERDICT_INTERRUPTED;
    WORDS("A signal ended it: the workload was not at its end.");
    r->verdict = VERDICT_LIMIT;
    WORDS("The session limit came first: the workload was not at its end.");
    r->verdict = VERDICT_FAILED;
    WORDS("What was measured before the failure stands.");
    r->verdict = VERDICT_COMPLETE;
    r->row_count = 0;
    WORDS("COMPLETE: one pass, nothing was measured");
}

/* A result of a very short measurement. */
static void check_little(void)
{
    struct result *r = &f.base.result;
    timing_fill(&f);
    timing_replay(&f);
    memset(f.issue_error, 0, sizeof f.issue_error);
    for (size_t i = 0; i < FIXTURE_SLICES; i++)
        f.issued[0][i] = f.issued[1][i] = NAN;
    r->original[1].count = 1;
    r->series[2].count = 0;
    memset(f.original_counts, 0, sizeof f.original_counts);
    f.original_counts[0] = 1;
    WORDS("no samples", "no readings");
    for (size_t i = 0; i < FIXTURE_SLICES; i++)
        f.issued[0][i] = f.issued[1][i] = 0;
    r->original[0].count = r->series[1].count = 1;
    f.edges[0] = 0;
    f.edges[1] = 1;
    f.issue_error[0] = 5;
    r->issue_error.count = 1;
    WORDS("Issue error");
    r->histogram_count = r->original_count = r->series_count = 0;
    WORDS("Fidelity");
}

/* Files for which a result has no data stay empty. */
static void check_files(const char *name, const char *golden)
{
    for (const struct report_file *file = report_files; file->name; file++) {
        struct text out = {0};
        if (strcmp(file->name, name) != 0)
            continue;
        file->render(&f.base.result, &out);
        CHECK(golden ? out.length > 0 : out.length == 0);
        if (golden)
            golden_check(golden, &out);
        text_free(&out);
        return;
    }
    CHECK(false);
}

static void check_csv_and_json(void)
{
    timing_fill(&f);
    check_files("fidelity.csv", NULL);
    check_files("phases.csv", NULL);
    timing_phases(&f);
    f.base.result.issue_error.count = 4;
    check_files("issue_error.csv", "report/timing_issue_error.csv");
    check_files("phases.csv", "report/timing_phases.csv");
    fixture_fill(&f.base);
    check_files("issue_error.csv", NULL);

    timing_fill(&f);
    timing_replay(&f);
    struct result *r = &f.base.result;
    for (size_t i = 0; i < 3; i++)
        r->series[i].count = 5;
    r->original[0].count = r->original[1].count = 4;
    r->issue_error.count = r->histograms[0].count = r->original_histograms[0].count = 3;
    check_files("fidelity.csv", "report/timing_fidelity.csv");
    check_files("unit_readings.csv", "report/timing_unit_readings.csv");
    check_files("histogram.csv", "report/timing_histogram.csv");
    struct text out = {0};
    r->hardware = NULL;
    r->part_count = r->edge_count = r->timeline.count = r->timeline.gauge_count = 0;
    report_print(&result_report, r, "json", &ascii, &out);
    golden_check("report/replay.json", &out);
    text_free(&out);
}

static void check_shares(void)
{
    char to[NUMBER_BUFFER];
    CHECK_STR(number_share(to, sizeof to, 0.98932), "98.9 %");
    CHECK_STR(number_share(to, sizeof to, 0.9997), "99.97 %");
    CHECK_STR(number_share(to, sizeof to, 0.999999), "99.9999 %");
    CHECK_STR(number_share(to, sizeof to, 1 - 1e-9), "99.9999 %");
    CHECK_STR(number_share(to, sizeof to, 1), "100 %");
    CHECK_STR(number_share(to, sizeof to, 0.953), "95.3 %");
    CHECK_STR(number_share(to, sizeof to, 0.5), "50 %");
    CHECK_STR(number_share(to, sizeof to, 0), "0 %");
    CHECK_STR(number_share(to, sizeof to, NAN), "-");
}

int main(void)
{
    check_pages();
    check_on_time();
    check_whose_lateness();
    check_bounds();
    check_verdicts();
    check_little();
    check_csv_and_json();
    check_shares();
    fixture_fill(&f.base);
    inventory_free(&f.base.hardware);
    return check_result();
}
