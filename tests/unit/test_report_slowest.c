/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section on the slowest requests states how many rows and stalls it leaves out. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/run/sections.h"
#include "run/result/internal.h"
#include "tests/unit/page.h"

#define MS UINT64_C(1000000)

static struct contents *c;
static struct result *r;

/* Returns the section for `count` requests, each in a stall of its own. */
static struct text section_of(size_t count)
{
    const struct report_style style = {.full = true};
    struct text out = {0};
    memset(c, 0, sizeof *c);
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < count; i++)
        c->slow[c->slow_count++] = (struct result_slow){
            .op = "read", .job = 1, .begin_ns = i * 1000 * MS, .latency_ns = (100 - i) * MS};
    summary_add_slowest(r, c);
    PRINT_DOCUMENT(&style, &out, section_slowest(r, &d));
    CHECK(!out.failed && out.data);
    return out;
}

static void check_words(size_t count, const char *stalls, const char *rows)
{
    struct text page = section_of(count);
    const char *text = page.data ? page.data : "";
    CHECK(stalls ? strstr(text, stalls) != NULL : !strstr(text, "not listed"));
    CHECK(rows ? strstr(text, rows) != NULL : !strstr(text, "more rows"));
    text_free(&page);
}

/* The first request over the limit of max<..., which need not be the slowest. */
static void check_first_over(void)
{
    const struct report_style style = {.width = 80};
    struct text out = {0};
    memset(c, 0, sizeof *c);
    memset(r, 0, sizeof *r);
    c->slow[c->slow_count++] = (struct result_slow){.op = "write",
                                                    .job = 2,
                                                    .length = 4096,
                                                    .offset = 8192,
                                                    .begin_ns = 9000 * MS,
                                                    .latency_ns = 70 * MS};
    c->slow[c->slow_count++] = (struct result_slow){.op = "read",
                                                    .job = 3,
                                                    .length = 4096,
                                                    .offset = 12288,
                                                    .begin_ns = 2500 * MS,
                                                    .latency_ns = 50 * MS};
    c->slow[c->slow_count++] =
        (struct result_slow){.op = "read", .job = 1, .begin_ns = 1000 * MS, .latency_ns = 40 * MS};
    static const char *const texts[] = {"max<45ms", "write.max<45ms", "max<80ms", "p99<45ms"};
    for (size_t i = 0; i < 4; i++) {
        struct result_clause *to = &r->clauses[r->clause_count++];
        *to = (struct result_clause){.kind = METRIC_KIND_TIME,
                                     .verdict = i == 2 ? CLAUSE_PASSED : CLAUSE_FAILED};
        snprintf(to->text, sizeof to->text, "%s", texts[i]);
    }
    summary_add_slowest(r, c);
    CHECK_STR(r->clauses[0].first_over,
              "at 2.500 s, read of 4096 bytes at byte 12288, job 3: 50 ms; 2 over the limit. "
              "Meanwhile: the machine was not watched");
    CHECK(strstr(r->clauses[1].first_over, "at 9.000 s, write of 4096 bytes at byte 8192, job 2"));
    CHECK(strstr(r->clauses[1].first_over, "; 1 over the limit"));
    CHECK_STR(r->clauses[2].first_over, "");
    CHECK_STR(r->clauses[3].first_over, "");
    PRINT_DOCUMENT(&style, &out, section_clauses(r, &d));
    CHECK(out.data && strstr(out.data, "first over it: at 2.500 s, read of"));
    text_free(&out);
}

int main(void)
{
    c = calloc(1, sizeof *c);
    r = calloc(1, sizeof *r);
    CHECK(c && r);
    if (!c || !r)
        return check_result();
    check_words(RESULT_STALLS_MAX, NULL, NULL);
    check_words(RESULT_STALLS_MAX + 1,
                "  1 of the 9 slowest requests waited in shorter stalls, not listed\n",
                "  1 more row: the record and worst.csv of -o have it\n");
    check_words(RESULT_SLOW_MAX,
                "  56 of the 64 slowest requests waited in shorter stalls, not listed\n",
                "  56 more rows: the record and worst.csv of -o have them\n");
    check_first_over();
    free(c);
    free(r);
    return check_result();
}
