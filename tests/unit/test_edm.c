/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EDM compared with its definition, computed slowly, and with results of Pilot's functions. */
#include "stat/change/internal.h"

#include "stat/basic/descriptive.h"
#include "stat/change/changepoint.h"
#include "stat/change/segment.h"
#include "tests/unit/cases.h"
#include "tests/unit/simulated.h"

#define COUNT_MAX 120

static struct arena arena;

static double median(const double x[], size_t begin, size_t end)
{
    double copy[COUNT_MAX];
    memcpy(copy, x + begin, (end - begin) * sizeof copy[0]);
    return median_of(copy, end - begin);
}

static double growth(int degree, size_t cuts)
{
    return degree == 1 ? 1 : degree == 2 ? 2 * (double)cuts + 1 : 0;
}

struct setting {
    size_t delta;
    double percent;
    int degree;
};

/* The recursion of the definition, without optimisation. */
static size_t slow_edm(const double x[], size_t n, const struct setting *s, size_t out[])
{
    double score[COUNT_MAX + 1] = {0};
    size_t last[COUNT_MAX + 1] = {0}, number[COUNT_MAX + 1] = {0}, count = 0;
    for (size_t end = 2 * s->delta; end <= n; end++) {
        for (size_t t = s->delta; t + s->delta <= end; t++) {
            double whole = (double)(end - last[t]);
            double weight = (double)((t - last[t]) * (end - t)) / (whole * whole);
            double step = median(x, last[t], t) - median(x, t, end);
            double tried = score[t] + weight * (step * step);
            if (tried > score[end]) {
                score[end] = tried;
                last[end] = t;
                number[end] = number[t] + 1;
            }
        }
        size_t cut = last[end];
        if (cut != 0 &&
            score[end] - score[cut] < s->percent * growth(s->degree, number[cut]) * score[cut]) {
            number[end] = number[cut];
            score[end] = score[cut];
            last[end] = last[cut];
        }
    }
    for (size_t at = last[n]; at > 0; at = last[at])
        out[count++] = at;
    return count;
}

static void follows_the_definition(void)
{
    uint64_t seed = 3;
    for (int run = 0; run < 200; run++) {
        double x[COUNT_MAX];
        size_t n = 1 + simulated_bits(&seed) % COUNT_MAX, cuts[COUNT_MAX], slow[COUNT_MAX];
        bool whole_numbers = run % 3 == 0; /* many ties */
        for (size_t i = 0; i < n; i++) {
            x[i] = simulated_normal(&seed) + (i > 50 ? 2 : 0);
            x[i] = whole_numbers ? round(2 * x[i]) : x[i];
        }
        size_t delta = 1 + simulated_bits(&seed) % 20;
        struct setting percent = {delta, 0.25, run % 4};
        size_t expected = slow_edm(x, n, &percent, slow);
        size_t count = edm_percent(x, n, delta, 0.25, run % 4, cuts, COUNT_MAX, &arena);
        CHECK_INT(count, expected);
        for (size_t i = 0; i < count && count == expected; i++)
            CHECK_INT(cuts[i], slow[expected - 1 - i]);
    }
}

/* Reads the numbers after "name=" in the line, up to the next tab. */
static size_t reference(const char *line, const char *name, size_t out[], size_t capacity)
{
    const char *at = strstr(line, name);
    size_t count = 0;
    if (!check_that(at != NULL, name, 0, "the column is there"))
        return 0;
    at += strlen(name);
    while (count < capacity && *at >= '0' && *at <= '9') {
        char *end;
        out[count++] = strtoul(at, &end, 10);
        at = *end == ',' ? end + 1 : end;
    }
    return count;
}

static void check_column(const char *line, const char *name, const size_t cuts[], size_t count)
{
    size_t expected[CASE_VALUES] = {0};
    size_t expected_count = reference(line, name, expected, CASE_VALUES);
    CHECK_INT(count, expected_count);
    for (size_t i = 0; i < count && i < expected_count; i++)
        CHECK_INT(cuts[i], expected[i]);
}

/* Pilot's verdict: rc=32 when no segment dominates. */
static void check_dominant(const char *line, const struct cases *c)
{
    size_t cuts[CASE_VALUES];
    size_t count = changepoint_find(CHANGEPOINT_EDM, c->x, c->n, cuts, CASE_VALUES, &arena);
    struct segment_verdict v = segment_judge(c->x, c->n, cuts, count, true);
    char text[64];
    if (v.phase == PHASE_NO_STEADY_STATE)
        snprintf(text, sizeof text, "dominant=rc=32 begin=0 end=0");
    else
        snprintf(text, sizeof text, "dominant=rc=0 begin=%zu end=%zu", v.begin, v.end);
    CHECK(strstr(line, text) != NULL);
}

static void check_line(const char *line, struct cases *c)
{
    static const struct {
        const char *name;
        size_t delta;
        int degree;
    } percent[] = {
        {"EDMpercent(30,.25,1)=", 30, 1},
        {"EDMpercent(24,.25,1)=", 24, 1},
        {"EDMpercent(30,.25,0)=", 30, 0},
        {"EDMpercent(30,.25,2)=", 30, 2},
    };
    size_t cuts[CASE_VALUES], count;
    for (size_t i = 0; i < sizeof percent / sizeof percent[0]; i++) {
        count = edm_percent(c->x, c->n, percent[i].delta, 0.25, percent[i].degree, cuts,
                            CASE_VALUES, &arena);
        check_column(line, percent[i].name, cuts, count);
    }
    check_dominant(line, c);
}

static void agrees_with_pilot(void)
{
    static struct cases c;
    const char *folder = cases_elsewhere();
    char path[600], line[1024];
    if (!folder || !cases_open(&c, folder))
        return;
    snprintf(path, sizeof path, "%s/edm_reference.tsv", folder);
    FILE *f = fopen(path, "r");
    size_t lines = 0;
    check_that(f != NULL, path, 0, "the file can be opened");
    if (!f)
        return;
    while (fgets(line, sizeof line, f)) {
        struct expected_row row = {0};
        const char *at = line;
        cases_copy_field(row.name, sizeof row.name, &at);
        if (cases_load(&c, &row))
            check_line(line, &c);
        lines++;
    }
    fclose(f);
    fclose(c.rows);
    CHECK(lines >= 5);
}

int main(void)
{
    struct err e;
    CHECK_INT(arena_init(&arena, edm_scratch_bytes(CASE_READINGS), &e), 0);
    follows_the_definition();
    agrees_with_pilot();
    CHECK_INT(arena.used, 0);
    arena_free(&arena);
    return check_result();
}
