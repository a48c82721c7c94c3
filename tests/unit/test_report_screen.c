/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report that fits on a screen: golden output, its height for every verdict and width, and the
   advice that it gives. */
#include "report/document/document.h"
#include "report/report.h"
#include "tests/unit/check.h"
#include "tests/unit/golden.h"
#include "tests/unit/page.h"
#include "tests/unit/timing_fixture.h"

enum { SCREEN_LINES = 22 };

static const struct report_style ascii = {.width = 80}, blocks = {.unicode = true, .width = 80};
static struct timing_fixture f;

static size_t lines_of(const struct text *page)
{
    size_t lines = 0;
    for (size_t i = 0; i < page->length; i++)
        lines += page->data[i] == '\n';
    return lines;
}

static void print(const struct report_style *style, struct text *page)
{
    report_print(&result_report, &f.base.result, "text", style, page);
}

static void check_screen(const char *golden)
{
    struct text page = {0};
    print(&ascii, &page);
    page_check(&page);
    CHECK(lines_of(&page) <= SCREEN_LINES);
    golden_check(golden, &page);
    text_free(&page);
}

static void check_words(const char *words)
{
    static const struct report_style wide = {.width = 200};
    struct text page = {0};
    print(&wide, &page);
    if (!check_that(strstr(page.data, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "%.900s\n", page.data);
    text_free(&page);
}

static void check_pages(void)
{
    struct result *r = &f.base.result;
    struct text page = {0};
    fixture_fill(&f.base);
    check_screen("report/screen_precise.txt");
    print(&blocks, &page);
    golden_check("report/screen_blocks.txt", &page);
    text_free(&page);
    r->verdict = VERDICT_LIMIT;
    r->target_width = 0.005;
    check_screen("report/screen_limit.txt");
    fixture_fill(&f.base);
    f.base.result.part_count = 0;
    fixture_level(r, VERDICT_BEST_POSSIBLE, LEVEL_HOLDS);
    check_screen("report/screen_best_possible.txt");
    fixture_level(r, VERDICT_UNSETTLED, LEVEL_HOLDS);
    check_screen("report/screen_unsettled.txt");
    fixture_level(r, VERDICT_MOVES, LEVEL_MOVES);
    check_screen("report/screen_moves.txt");
    timing_fill(&f);
    check_screen("report/screen_open_loop.txt");
    timing_saturate(&f);
    check_screen("report/screen_saturated.txt");
    timing_fill(&f);
    timing_replay(&f);
    check_screen("report/screen_replay.txt");
}

/* For any amount of content, and any width of the terminal. */
static void check_height(void)
{
    struct result *r = &f.base.result;
    for (int verdict = 0; verdict < VERDICTS; verdict++)
        for (int width = 0; width <= 220; width += 20) {
            struct text page = {0};
            timing_fill(&f);
            timing_phases(&f);
            if ((enum verdict)verdict == VERDICT_MERGED)
                continue; /* a merge's verdict, which needs sources */
            r->verdict = (enum verdict)verdict;
            snprintf(r->busy, sizeof r->busy, "other programs used 40 %% of the processors");
            for (size_t i = 0; i < 12; i++)
                result_note(r, true,
                            "warning %zu, which is longer than a line is wide, so that it "
                            "takes two of them, and three where they are short",
                            i);
            r->clause_count = 8;
            for (size_t i = 0; i < r->clause_count; i++) {
                r->clauses[i] = (struct result_clause){
                    .kind = METRIC_KIND_TIME, .value = 5e5, .limit = 1e6, .more_seconds = 40};
                snprintf(r->clauses[i].text, sizeof r->clauses[i].text, "read.p99<%zums", i + 1);
            }
            print(&(struct report_style){.width = width}, &page);
            CHECK(!page.failed);
            CHECK(lines_of(&page) <= SCREEN_LINES || (width > 0 && width < 60));
            text_free(&page);
        }
}

/* A larger terminal is used: the plot has its width, and histograms and percentiles over time are
   added if there is room. Everything on 80 x 24 is there as well. */
static void check_large(void)
{
    const struct report_style large = {.width = 132, .lines = 50}, usual = {.width = 132};
    struct text page = {0}, small = {0};
    timing_fill(&f);
    print(&large, &page);
    print(&usual, &small);
    CHECK(lines_of(&page) <= 48 && lines_of(&page) > 40);
    CHECK(lines_of(&small) <= SCREEN_LINES);
    CHECK(strstr(page.data, " histogram, read") != NULL);
    CHECK(strstr(small.data, " histogram") == NULL);
    size_t widest = 0;
    for (const char *line = page.data; *line; line += strcspn(line, "\n") + 1)
        widest = strcspn(line, "\n") > widest ? strcspn(line, "\n") : widest;
    CHECK(widest > 120 && widest <= 132);
    text_free(&page);
    text_free(&small);
    for (int lines = 1; lines < 60; lines += 7) {
        print(&(struct report_style){.width = 80, .lines = lines}, &page);
        CHECK(lines_of(&page) <= (size_t)(lines > 24 ? lines - 2 : SCREEN_LINES));
        text_free(&page);
    }
}

/* A page says once what other programs used and once to measure again; the full text has no advice.
 */
static void check_page_of_busy(void)
{
    static const struct report_style styles[] = {{.width = 200, .full = true, .page = true},
                                                 {.width = 200, .full = true}};
    static const char *const once[] = {"used 40 %", "measure again"};
    fixture_fill(&f.base);
    f.base.result.part_count = 0;
    snprintf(f.base.result.busy, sizeof f.base.result.busy,
             "other programs used 40 %% of the processors");
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        struct text page = {0};
        print(&styles[i], &page);
        for (size_t k = 0; k < sizeof once / sizeof *once; k++) {
            const char *first = strstr(page.data, once[k]);
            CHECK(first && !strstr(first + 1, once[k]));
        }
        text_free(&page);
    }
}

static void check_advice(void)
{
    struct result *r = &f.base.result;
    fixture_fill(&f.base);
    r->part_count = 0;
    check_words("It holds for these ");
    snprintf(r->busy, sizeof r->busy, "other programs used 40 %% of the processors");
    check_words("PRECISE ON A BUSY MACHINE: ");
    check_words("Stop other programs and measure again: other programs used 40 %");
    check_words("It holds for these ");
    fixture_fill(&f.base);
    r->part_count = 0;
    r->verdict = VERDICT_LIMIT;
    r->target_width = 0.005;
    check_words("+-0.41 %, +-0.25 % was asked for: about ");
    snprintf(r->phase, sizeof r->phase, "no_steady_state");
    check_words("No steady state: find out what changes");
    fixture_fill(&f.base);
    check_words("The disk was not the limit: ");
    timing_saturate(&f);
    f.base.result.part_count = 0;
    check_words("--find-rate CLAUSE finds the highest");
}

int main(void)
{
    check_pages();
    check_height();
    check_large();
    check_advice();
    check_page_of_busy();
    fixture_fill(&f.base);
    inventory_free(&f.base.hardware);
    return check_result();
}
