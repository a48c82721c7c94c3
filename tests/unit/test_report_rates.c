/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search for a rate in every format: golden output of one that found its answer, and the first
   lines of other outcomes. */
#include "page.h"
#include "report/document/document.h"
#include "report/report.h"
#include "tests/unit/golden.h"
#include "tests/unit/report_fixture.h"

enum { PROBES = 6 };

static struct fixture f;
static struct result_probe probes[PROBES];
static struct result_rates rates;
static const struct report_style ascii = {.full = true, .width = 80},
                                 wide = {.full = true, .width = 400};

static void fill_probe(size_t i, double rate, enum rate_verdict verdict, double value, double arm)
{
    struct result_probe *p = &probes[i];
    bool piles_up = verdict == RATE_NOT_ISSUED || isnan(arm);
    *p = (struct result_probe){.number = i + 1,
                               .rate = rate,
                               .iops = piles_up ? 0.93 * rate : rate,
                               .response_ns = 0.3 * value,
                               .backlog = piles_up ? 0.07 * rate * 8 : 0,
                               .backlog_growth = piles_up ? 0.07 * rate : 0,
                               .seconds = 2.5 + (double)i,
                               .confidence = 0.995,
                               .verdict = verdict,
                               .ended = piles_up                    ? VERDICT_SATURATED
                                        : verdict == RATE_UNDECIDED ? VERDICT_LIMIT
                                                                    : VERDICT_DECIDED,
                               .clause = {.kind = METRIC_KIND_TIME, .value = value, .limit = 1e6},
                               .low = value - arm,
                               .high = value + arm};
    snprintf(p->clause.text, sizeof p->clause.text, "read.p99<1ms");
    p->clause.verdict = verdict == RATE_HOLDS   ? CLAUSE_PASSED
                        : verdict == RATE_FAILS ? CLAUSE_FAILED
                                                : CLAUSE_UNDECIDED;
}

/* Makes a search that found its answer with five probes, not in the order of their rates. */
static void fill(void)
{
    struct result *r = &f.result;
    fixture_fill(&f);
    fill_probe(0, 35000, RATE_HOLDS, 412e3, 31e3);
    fill_probe(1, 46500, RATE_FAILS, 9.3e6, NAN);
    fill_probe(2, 42250, RATE_HOLDS, 861e3, 44e3);
    fill_probe(3, 44100, RATE_UNDECIDED, 998e3, 80e3);
    fill_probe(4, 45000, RATE_FAILS, 1.31e6, 122e3);
    fill_probe(5, 60000, RATE_NOT_ISSUED, 4e5, NAN);
    rates = (struct result_rates){.probes = probes,
                                  .count = PROBES - 1,
                                  .clauses = "errors=0, read.p99<1ms",
                                  .holds = 42250,
                                  .fails = 45000,
                                  .ceiling = INFINITY,
                                  .estimate = 44020,
                                  .width = 0.063,
                                  .asked = 0.1,
                                  .confidence = 0.95,
                                  .saturation = 50000,
                                  .narrow = true};
    r->rates = &rates;
    r->verdict = VERDICT_DECIDED;
    r->series_count = r->histogram_count = r->round_count = r->part_count = r->edge_count = 0;
    r->event_count = r->period_count = r->note_count = 0;
    r->timeline = (struct result_timeline){0};
    r->settings = (struct facts){0};
    r->hardware = NULL;
    struct result_row *row = result_add(r, METRIC_HIGHEST_RATE, "all", rates.estimate);
    row->low = rates.holds;
    row->high = rates.fails;
    row->confidence = rates.confidence;
    row->n = rates.count;
    snprintf(row->note, sizeof row->note, "%s", rates.clauses);
}

static void check_formats(void)
{
    static const struct {
        const char *format;
        const struct report_style *style;
        const char *golden;
    } cases[] = {{"text", &ascii, "report/rates.txt"},
                 {"csv", &ascii, "report/rates_summary.csv"},
                 {"json", &ascii, "report/rates.json"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text page = {0};
        fill();
        report_print(&result_report, &f.result, cases[i].format, cases[i].style, &page);
        if (!strcmp(cases[i].format, "text"))
            page_check(&page);
        golden_check(cases[i].golden, &page);
        text_free(&page);
    }
}

/* Files of -o DIR that belong to a single session are not written. */
static void check_file(void)
{
    bool found = false;
    for (const struct report_file *file = report_files; file->name; file++) {
        struct text csv = {0};
        if (strcmp(file->name, "rates.csv") != 0)
            continue;
        fill();
        rates.count = PROBES;
        CHECK(!file->of_one_session);
        file->render(&f.result, &csv);
        golden_check("report/rates.csv", &csv);
        text_free(&csv);
        f.result.rates = NULL;
        file->render(&f.result, &csv);
        CHECK_INT(csv.length, 0);
        text_free(&csv);
        found = true;
    }
    CHECK(found);
}

static void check_words(const char *words)
{
    struct text page = {0};
    report_print(&result_report, &f.result, "text", &ascii, &page);
    page_check(&page);
    text_free(&page);
    report_print(&result_report, &f.result, "text", &wide, &page);
    if (!check_that(strstr(page.data, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "    got %.400s\n", page.data);
    text_free(&page);
}

static void check_ends(void)
{
    fill(); /* not as narrow as requested */
    f.result.verdict = VERDICT_LIMIT;
    rates.narrow = false;
    rates.asked = 0.05;
    check_words("NOT DECIDED: errors=0, read.p99<1ms holds at 42.2k/s, fails at 45k/s, at 95 % "
                "confidence for both together");
    check_words(
        "The answer lies between them, +-3.1 %; +-2.5 % (--ci) was asked for: a longer --limit");
    check_words("The fitted curve meets the limit at 44.0k/s. Without a");

    fill(); /* fails even at the lowest rate */
    rates = (struct result_rates){.probes = &probes[1],
                                  .count = 1,
                                  .clauses = "p50<50us",
                                  .fails = 500,
                                  .ceiling = INFINITY,
                                  .estimate = NAN,
                                  .width = INFINITY,
                                  .asked = 0.1,
                                  .confidence = 0.95,
                                  .saturation = 50000,
                                  .none = true};
    check_words("HOLDS AT NO RATE: p50<50us fails at 500/s, at 95 % confidence");
    check_words("1 % of what the target completes without a rate.");
    check_words("The probe at the lowest rate that was tried");

    fill(); /* this machine cannot issue more */
    for (size_t i = 0; i < PROBES - 1; i++)
        fill_probe(i, 30000 + 5400 * (double)i, RATE_HOLDS, 5e5, 2e4);
    rates.count = PROBES;
    rates.fails = INFINITY;
    rates.ceiling = 60000;
    rates.holds = 51600;
    rates.estimate = NAN;
    rates.narrow = false;
    rates.machine = true;
    check_words("HIGHEST RATE: errors=0, read.p99<1ms holds at 51.6k/s, at 95 % confidence; this "
                "machine cannot issue 60k/s");
    check_words("the target's own limit is above it");

    fill(); /* nothing is known yet */
    f.result.verdict = VERDICT_INTERRUPTED;
    rates.count = 0;
    rates.holds = 0;
    rates.fails = rates.width = INFINITY;
    rates.estimate = NAN;
    rates.narrow = false;
    check_words("INTERRUPTED: errors=0, read.p99<1ms is not decided at any rate");
    check_words("A signal ended the search.");
    check_words("The session without a rate");

    fill(); /* the target failed */
    f.result.verdict = VERDICT_FAILED;
    rates.narrow = false;
    snprintf(f.result.failure, sizeof f.result.failure, "probe 3 at 42.2k/s: the target hangs");
    check_words("FAILED: errors=0, read.p99<1ms holds at");
    check_words("probe 3 at 42.2k/s: the target hangs.");
}

int main(void)
{
    check_formats();
    check_file();
    check_ends();
    return check_result();
}
