/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text report: golden output for each verdict, and properties that hold for any result.
   Longer than 500 lines because every verdict is one fill of the same fixture. */
#include "cmd/output/output.h"
#include "report/document/document.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/report.h"
#include "tests/unit/check.h"
#include "tests/unit/golden.h"
#include "tests/unit/page.h"
#include "tests/unit/report_fixture.h"

static const struct report_style ascii = {.full = true, .width = 80},
                                 wide = {.full = true, .width = 400};
static const struct report_style blocks = {
    .full = true, .unicode = true, .colour = true, .width = 80};

static struct fixture f;

static void check_result_page(const char *name)
{
    struct text page = {0};
    report_print(&result_report, &f.result, "text", &ascii, &page);
    page_check(&page);
    golden_check(name, &page);
    text_free(&page);
}

static void check_verdicts(void)
{
    struct result *r = &f.result;
    fixture_fill(&f);
    check_result_page("report/precise.txt");

    r->verdict = VERDICT_LIMIT;
    r->target_width = 0.005;
    snprintf(r->phase, sizeof r->phase, "no_steady_state");
    for (size_t i = 0; i < 16; i++)
        f.changepoints[i] = 30 + 35 * i;
    r->series[0].changepoint_count = 16;
    r->series[0].stable_begin = 0;
    for (size_t i = 0; i < r->row_count; i++)
        result_set_prediction(&r->rows[i], NAN, NAN);
    check_result_page("report/limit.txt");

    fixture_fill(&f);
    snprintf(r->phase, sizeof r->phase, "slowdown");
    f.changepoints[0] = 420;
    r->series[0].stable_begin = 0;
    r->series[0].stable_end = 420;
    for (size_t i = 0; i < FIXTURE_SLICES; i++)
        f.iops[i] = (i < 420 ? 17942 : 7100) + 300 * fixture_noise(i);
    check_result_page("report/slowdown.txt");

    fixture_fill(&f);
    r->verdict = VERDICT_FAILED;
    snprintf(r->failure, sizeof r->failure,
             "read of 4 KiB at offset 1048576 failed: Input/output error (the kernel log may say "
             "more)");
    for (size_t i = 0; i < r->row_count; i++)
        result_set_prediction(&r->rows[i], NAN, NAN);
    check_result_page("report/failed.txt");

    fixture_fill(&f);
    r->verdict = VERDICT_CUT_SHORT;
    r->rows[0].low = -INFINITY;
    r->rows[0].high = INFINITY;
    result_set_prediction(&r->rows[0], -INFINITY, INFINITY);
    check_result_page("report/cut_short.txt");
}

/* Sessions that ended without their precision because the level changes: none is called precise. */
static void check_levels(void)
{
    static const struct {
        enum verdict verdict;
        enum level_state state;
        const char *name;
    } rows[] = {{VERDICT_BEST_POSSIBLE, LEVEL_HOLDS, "report/best_possible.txt"},
                {VERDICT_UNSETTLED, LEVEL_HOLDS, "report/unsettled.txt"},
                {VERDICT_NO_LEVEL, LEVEL_WANDERS, "report/no_level.txt"},
                {VERDICT_MOVES, LEVEL_MOVES, "report/moves.txt"},
                {VERDICT_CYCLES, LEVEL_CYCLES, "report/cycles.txt"}};
    static const struct report_style endless = {.full = true, .width = 4000};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text page = {0};
        struct result *r = &f.result;
        fixture_fill(&f);
        fixture_level(r, rows[i].verdict, rows[i].state);
        report_print(&result_report, r, "text", &endless, &page);
        CHECK(!strstr(page.data, "PRECISE: "));
        CHECK(strstr(page.data, "mean of this stretch of time") != NULL);
        text_free(&page);
        check_result_page(rows[i].name);
    }
}

/* The limit came first although the interval is narrow enough: the true reason is reported. */
static void check_lacks(void)
{
    static const struct {
        struct result_lack lack;
        const char *words;
    } rows[] = {
        {{.kind = LACK_NOTHING}, "narrow enough. A longer"},
        {{.kind = LACK_TIME}, "but the minimum measuring time of 30 s (--min-time) was not over."},
        {{.kind = LACK_READINGS}, "but the minimum number of readings, 250, was not reached."},
        {{.kind = LACK_INDEPENDENT_READINGS, .effective_n = 23.9, .minimum_independent = 30},
         "but it rests on 23 of 30 independent readings (--min-samples)."},
        {{.kind = LACK_INDEPENDENT_READINGS,
          .of = "the read response time",
          .effective_n = 9,
          .minimum_independent = 30},
         "but the read response time rests on 9 of 30 independent readings"},
        {{.kind = LACK_WIDTH, .width = 0.104},
         "but with the allowance for stopping at a narrow one it is +-5.2 %."},
        {{.kind = LACK_WIDTH, .of = "the write response time", .width = 0.24},
         "but that of the write response time is +-12 %."},
        {{.kind = LACK_LASTING_LEVEL}, "but the target was at another level at the end."},
        {{.kind = LACK_SETTLED_LEVEL}, "but its slow movements in 57 s leave open whether its"}};
    struct result *r = &f.result;
    struct err e;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text page = {0};
        fixture_fill(&f);
        fixture_level(r, VERDICT_LIMIT, LEVEL_HOLDS);
        r->target_width = 0.1;
        r->minimum_seconds = 30;
        r->minimum_readings = 250;
        r->lack = rows[i].lack;
        report_print(&result_report, r, "text", &(struct report_style){.full = true, .width = 4000},
                     &page);
        if (!check_that(strstr(page.data, rows[i].words) != NULL, __FILE__, __LINE__,
                        rows[i].words))
            fprintf(stderr, "%.900s\n", page.data);
        text_free(&page);
        CHECK(output_status(r, &e) && e.code == ERR_UNDECIDED);
    }
}

/* When the interval is already narrow enough, the report does not say that precision takes longer,
   unless something is missing. */
static void check_price(void)
{
    struct text page = {0};
    struct result *r = &f.result;
    fixture_fill(&f);
    fixture_level(r, VERDICT_BEST_POSSIBLE, LEVEL_HOLDS);
    r->target_width = 0.1;
    r->lack = (struct result_lack){.kind = LACK_WIDTH, .width = 0.48};
    report_line(r, &page);
    CHECK(strstr(page.data, "(+-0.41 %); with the allowance for stopping at a narrow one it is "
                            "+-24 %; +-5 % would take about 9 h") != NULL);
    text_free(&page);
}

/* The limit came first while only the level's duration was undecided: complete if a preset asked
   for the precision. */
static void check_unsettled_status(void)
{
    struct result *r = &f.result;
    struct err e = {0};
    fixture_fill(&f);
    fixture_level(r, VERDICT_UNSETTLED, LEVEL_HOLDS);
    r->width_given = false;
    CHECK_INT(output_status(r, &e), 0);
    r->width_given = true;
    CHECK(output_status(r, &e) && e.code == ERR_UNDECIDED);
    CHECK(strstr(e.msg, "precise for this stretch of time only: its slow movements") != NULL);
}

/* A level that moves more slowly than the measured time: no cycle was seen, so none is counted. */
static void check_slow_level(void)
{
    struct text page = {0};
    fixture_fill(&f);
    fixture_level(&f.result, VERDICT_CYCLES, LEVEL_CYCLES);
    f.result.claim.cycle_readings = NAN;
    report_print(&result_report, &f.result, "text", &wide, &page);
    CHECK(!strncmp(page.data, "NO LEVEL YET over 57 s: ", 24));
    CHECK(strstr(page.data, "may show a level.") != NULL);
    CHECK(!strstr(page.data, "cycle") && !strstr(page.data, "should give"));
    text_free(&page);
}

/* A column without a level says so first, with what was seen, and is not called precise. */
static void check_analysis_level(void)
{
    static double values[400];
    struct analysis a = fixture_analysis(values);
    struct text page = {0};
    a.asked = true;
    a.enough = false;
    a.claim.state = LEVEL_WANDERS;
    a.claim.readings = 400;
    a.claim.low = 80;
    a.claim.high = 120;
    report_print(&analysis_report, &a, "text", &wide, &page);
    CHECK(strstr(page.data, "LEVEL WANDERS over 400 readings: ") != NULL);
    CHECK(strstr(page.data, "ts level wanders") != NULL);
    CHECK(!strstr(page.data, "PRECISE: ") && !strstr(page.data, "expected to do"));
    text_free(&page);
    a.asked = false; /* it is not called steady without a request, either */
    report_print(&analysis_report, &a, "text", &wide, &page);
    CHECK(strstr(page.data, "LEVEL WANDERS over 400 readings: ") != NULL);
    CHECK(!strstr(page.data, "steady part") && !strstr(page.data, "; steady after it"));
    text_free(&page);
    a.claim = level_claim_unknown();
    a.phase = "no_steady_state";
    report_print(&analysis_report, &a, "text", &wide, &page);
    CHECK(strstr(page.data, "NO STEADY STATE: arithmetic mean") != NULL);
    CHECK(!strstr(page.data, "RESULT: "));
    text_free(&page);
}

/* If no precision was requested for the headline metric, none is missing. */
static void check_missed(enum verdict verdict, enum result_goal goal, const char *words)
{
    struct text page = {0};
    fixture_fill(&f);
    f.result.verdict = verdict;
    f.result.goal = goal;
    f.result.target_width = 0;
    report_print(&result_report, &f.result, "text", &wide, &page);
    CHECK(strstr(page.data, words) != NULL);
    CHECK(!strstr(page.data, "was asked for"));
    text_free(&page);
}

/* A session without a requested precision says what it was to reach. */
static void check_limit_reasons(void)
{
    check_missed(VERDICT_CUT_SHORT, GOAL_CLAUSES, "be read not every clause was decided.");
    check_missed(VERDICT_CUT_SHORT, GOAL_RUNTIME, "be read the time of --runtime was not over.");
    check_missed(VERDICT_INTERRUPTED, GOAL_WIDTHS, "ended it: not every width was reached.");
    check_missed(VERDICT_UNCONFIRMED, GOAL_CLAUSES, "it was not: not every clause was decided.");
}

/* All parts at their limit in one paragraph, the one with the longest time first; the first line
   names that one. */
static void check_bottlenecks(void)
{
    struct text page = {0};
    fixture_fill(&f);
    struct result *r = &f.result;
    r->parts[2].bottleneck = true;
    r->parts[2].saturated = 0.99;
    r->parts[5].bottleneck = true;
    r->parts[5].saturated = r->parts[6].saturated;
    report_print(&result_report, r, "text", &ascii, &page);
    page_check(&page);
    const char *first =
        strstr(page.data, "BOTTLENECK: 0000:41:00.0 was saturated 99 % of the time (");
    CHECK(first != NULL);
    CHECK(first && !strstr(first + 1, "BOTTLENECK: "));
    const char *second = first ? strstr(first, "cpu0 was saturated 94 %") : NULL;
    CHECK(second && strstr(second, "cpu1 was saturated 94 %") != NULL);
    const char *verdict = strstr(page.data, "disk: 0000:41:00.0 was");
    CHECK(verdict && verdict < first);
    text_free(&page);

    fixture_fill(&f);
    r->verdict = VERDICT_BOTTLENECK;
    snprintf(r->invalid, sizeof r->invalid, "not the disk: cpu1 was saturated 94 %% of the time");
    report_print(&result_report, r, "text", &ascii, &page);
    page_check(&page);
    CHECK(!strncmp(page.data, "NOT DECIDED: 17", 15));
    CHECK(strstr(page.data, "With --strict-bottleneck this is no valid") != NULL);
    text_free(&page);

    fixture_fill(&f);
    for (size_t i = 0; i < r->part_count; i++)
        r->parts[i].bottleneck = false;
    report_print(&result_report, r, "text", &ascii, &page);
    CHECK(!strstr(page.data, "BOTTLENECK") && !strstr(page.data, "not the disk"));
    text_free(&page);
}

/* Each kind of target other than a disk has its own word. */
static void check_target_words(void)
{
    static const struct {
        enum node_kind kind;
        bool tested;
        const char *word;
    } targets[] = {{NODE_DISK, true, "disk"},         {NODE_REMOTE, true, "network"},
                   {NODE_NETWORK, true, "network"},   {NODE_REMOTE, false, "remote storage"},
                   {NODE_FILESYSTEM, false, "file"},  {NODE_CPU_CORE, true, "processor"},
                   {NODE_PCI_BRIDGE, false, "target"}};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct text page = {0};
        char words[64];
        fixture_fill(&f);
        struct result *r = &f.result;
        for (size_t k = 0; k < r->part_count; k++)
            r->parts[k].under_test = r->parts[k].on_path = false;
        r->parts[0].kind = targets[i].kind;
        r->parts[0].on_path = true;
        r->parts[0].under_test = targets[i].tested;
        CHECK_STR(result_target_word(r), targets[i].word);
        const struct result_part *bottleneck = result_bottleneck(r, NULL);
        CHECK(bottleneck != NULL && bottleneck != &r->parts[0]);
        report_print(&result_report, r, "text", &ascii, &page);
        snprintf(words, sizeof words, "not the %s", targets[i].word);
        CHECK(strstr(page.data, words) != NULL);
        CHECK(!strcmp(targets[i].word, "disk") == (strstr(page.data, "not the disk") != NULL));
        text_free(&page);
    }
}

/* However narrow the interval is, the first line says that the machine was busy. */
static void check_busy_machine(void)
{
    struct text page = {0};
    fixture_fill(&f);
    snprintf(f.result.busy, sizeof f.result.busy, "other programs used 40 %% of the processors");
    report_print(&result_report, &f.result, "text", &ascii, &page);
    page_check(&page);
    CHECK(!strncmp(page.data, "PRECISE ON A BUSY MACHINE: 17", 29));
    CHECK(strstr(page.data, "while other programs used") != NULL);
    CHECK(strstr(page.data, "measure again when it is idle") != NULL);
    text_free(&page);
    fixture_fill(&f);
    report_print(&result_report, &f.result, "text", &ascii, &page);
    CHECK(!strncmp(page.data, "PRECISE: 17", 11) && !strstr(page.data, "busy machine"));
    text_free(&page);
}

static void check_nothing_measured(void)
{
    fixture_fill(&f);
    f.result.verdict = VERDICT_INTERRUPTED;
    f.result.row_count = 0;
    f.result.series_count = 0;
    f.result.histogram_count = 0;
    f.result.round_count = 0;
    check_result_page("report/interrupted_at_once.txt");
}

static void check_colours_and_blocks(void)
{
    struct text page = {0};
    fixture_fill(&f);
    report_print(&result_report, &f.result, "text", &blocks, &page);
    golden_check("report/precise_blocks.txt", &page);
    text_free(&page);
}

/* Hostile names and values appear on the page without terminal controls or line breaks. */
static void check_hostile_strings(void)
{
    struct text page = {0};
    struct result *r = &f.result;
    fixture_fill(&f);
    memset(r->target, 'x', sizeof r->target - 1);
    memcpy(r->target, "/mnt/\033[31m\n\xc2\x9b\xff\xc3", 15);
    char value[200] = "", part[64] = "";
    memset(value, 'y', sizeof value - 1);
    memset(part, 'p', sizeof part - 1);
    inventory_add(&f.hardware, 0, value, "\033[2J and more", "", "", FACT_OK);
    inventory_add(&f.hardware, inventory_find(&f.hardware, "cpu"), value, "", "", "", FACT_ABSENT);
    memcpy(r->parts[1].name, part, sizeof part);
    snprintf(r->parts[6].name, sizeof r->parts[6].name, "\033]0;x\a");
    memset(r->events[0].text, 'e', sizeof r->events[0].text - 1);
    memset(r->timeline.gauges[0].node, 'g', sizeof r->timeline.gauges[0].node - 1);
    snprintf(r->rows[1].note, sizeof r->rows[1].note,
             "a note that is rather long: it stands below its row and is wrapped there, and ends "
             "with a \a bell");
    snprintf(r->rows[11].note, sizeof r->rows[11].note, "%s",
             "not enough samples: 36,880 independent ones are needed and there are 9,120");
    r->rows[5].value = 1e9;
    r->rows[0].n = 123456789012345;
    report_print(&result_report, r, "text", &ascii, &page);
    page_check(&page);
    CHECK(strstr(page.data, "/mnt/?[31m????") != NULL);
    CHECK(strstr(page.data, "a note that is rather long") != NULL);
    text_free(&page);
}

static void check_odd_series(void)
{
    static const double gaps[] = {1, NAN, INFINITY, 3}, zeros[] = {0, 0, 0}, nothing[] = {NAN},
                        extremes[] = {-1e308, 1e308};
    static const struct {
        const double *values;
        size_t count;
    } cases[] = {{gaps, 4}, {zeros, 3}, {nothing, 1}, {extremes, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text page = {0};
        fixture_fill(&f);
        f.result.series[0].values = cases[i].values;
        f.result.series[0].count = cases[i].count;
        f.result.series[0].stable_begin = 0;
        f.result.series[0].stable_end = cases[i].count;
        f.result.series[0].changepoint_count = 0;
        report_print(&result_report, &f.result, "text", &ascii, &page);
        page_check(&page);
        CHECK((strstr(page.data, "no readings") != NULL) == (cases[i].values == nothing));
        text_free(&page);
    }
}

static void check_analysis_page(const struct analysis *a, const char *name)
{
    struct text page = {0};
    report_print(&analysis_report, a, "text", &ascii, &page);
    page_check(&page);
    golden_check(name, &page);
    text_free(&page);
}

static void check_analyses(void)
{
    static double values[400];
    struct analysis a = fixture_analysis(values);
    check_analysis_page(&a, "report/analysis.txt");
    a.asked = false;
    check_analysis_page(&a, "report/analysis_not_asked.txt");
    a.asked = true;

    a.column = "latency";
    a.source = "-";
    a.enough = false;
    a.target_width = 0.002;
    a.required_n = 3140.2;
    check_analysis_page(&a, "report/analysis_wide.txt");

    a = fixture_analysis(values);
    a.enough = false;
    a.n = 3;
    a.stable_begin = 0;
    a.stable_end = 3;
    a.changepoint_count = 0;
    a.phase = "flat";
    a.search = CHANGE_SEARCH_NONE;
    a.search_name = "none";
    a.low = -INFINITY;
    a.high = INFINITY;
    a.next_low = a.next_high = NAN;
    a.required_n = NAN;
    a.effective_n = 3;
    check_analysis_page(&a, "report/analysis_short.txt");

    a = fixture_analysis(values);
    fixture_analysis_clauses(&a);
    check_analysis_page(&a, "report/analysis_clauses.txt");
}

static void check_interval_digits(double value, double low, double high, const char *expected)
{
    char v[NUMBER_BUFFER], l[NUMBER_BUFFER], h[NUMBER_BUFFER], all[3 * NUMBER_BUFFER];
    struct number_scale scale = number_scale_of(METRIC_KIND_COUNT_RATE, value, low, high);
    snprintf(all, sizeof all, "%s %s %s", number_scaled(v, sizeof v, &scale, value),
             number_scaled(l, sizeof l, &scale, low), number_scaled(h, sizeof h, &scale, high));
    CHECK_STR(all, expected);
}

static void check_numbers(void)
{
    char to[NUMBER_BUFFER];
    check_interval_digits(17942.31, 17868, 18016, "17.942k 17.868k 18.016k");
    check_interval_digits(17942.31, 16000, 20000, "17.9k 16.0k 20.0k");
    check_interval_digits(152.4, 152.1, 152.7, "152.40 152.10 152.70");
    check_interval_digits(1234567, 1234567, 1234567, "1.23M 1.23M 1.23M");
    check_interval_digits(0, 0, 0, "0 0 0");
    check_interval_digits(NAN, NAN, NAN, "- - -");
    check_interval_digits(5, -INFINITY, INFINITY, "5.00 unbounded unbounded");
    CHECK_STR(number_percent(to, sizeof to, 0.00824), "0.82 %");
    CHECK_STR(number_percent(to, sizeof to, 0.016), "1.6 %");
    CHECK_STR(number_percent(to, sizeof to, 1.4), "140 %");
    CHECK_STR(number_percent(to, sizeof to, 1e-9), "<0.001 %");
    CHECK_STR(number_percent(to, sizeof to, 30007.1235536903), ">999 %");
    CHECK_STR(number_plus_minus(to, sizeof to, 100, 99, 102), "+-1.5 %");
    CHECK_STR(number_plus_minus(to, sizeof to, 100, NAN, NAN), "-");
    CHECK_STR(number_plus_minus(to, sizeof to, -10, -109, 89), "+-990 %");
    CHECK_STR(number_plus_minus(to, sizeof to, 10, 0, 9000), "+- over 10 times the value");
    CHECK_STR(number_precision(to, sizeof to, 900), "+- over 10 times the value");
    CHECK_STR(number_arm(to, sizeof to, 10, 0, 9000), ">10x");
    CHECK_STR(number_arm_signed(to, sizeof to, 10, 0, 9000), ">10x");
    CHECK_STR(number_arm_signed(to, sizeof to, 100, NAN, NAN), "-");
    CHECK_STR(number_seconds(to, sizeof to, 0.35), "350 ms");
    CHECK_STR(number_seconds(to, sizeof to, 12.34), "12.3 s");
    CHECK_STR(number_seconds(to, sizeof to, 250), "4 min 10 s");
    CHECK_STR(number_seconds(to, sizeof to, 9000), "2 h 30 min");
    CHECK_STR(number_plain(to, sizeof to, 1.5e-7), "1.500e-07");
    CHECK_STR(number_plain(to, sizeof to, -1234.56), "-1235");
}

static void check_layout(void)
{
    char to[64];
    struct text page = {0};
    CHECK_STR(layout_shorten(to, sizeof to, "/a/short/path", 20), "/a/short/path");
    CHECK_STR(layout_shorten(to, sizeof to, "/a/path/that/is/longer/than/that.bin", 20),
              "/a/pa...han/that.bin");
    layout_paragraph(&page, &(struct report_style){.width = 60}, "lead: ", TONE_PLAIN,
                     "words that fill the line until a number with its unit: 12 ms comes");
    CHECK_STR(page.data, "lead: words that fill the line until a number with its unit:\n"
                         "      12 ms comes\n");
    text_free(&page);
}

int main(void)
{
    check_verdicts();
    check_levels();
    check_slow_level();
    check_lacks();
    check_unsettled_status();
    check_price();
    check_analysis_level();
    check_limit_reasons();
    check_nothing_measured();
    check_bottlenecks();
    check_target_words();
    check_busy_machine();
    check_colours_and_blocks();
    check_hostile_strings();
    check_odd_series();
    check_analyses();
    check_numbers();
    check_layout();
    CHECK(!report_has_format(&result_report, "xml"));
    return check_result();
}
