/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variance, heat maps, rankings, drift and variation of configurations with known results. */
#include "check.h"

#include <unistd.h>

#include "stat/map/analysis.h"
#include "stat/map/candidates.h"

static char path[64];

/* y = 100 a + 10 b + m, in two campaigns, the second of which is 1.5 times as high; one cell is
   missing. */
static void put_table(void)
{
    static const int a[] = {1, 2, 4, 8}, b[] = {1, 3, 5};
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (!f)
        return;
    fputs("a,b,m,campaign,y\n", f);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                for (int m = 1; m <= 2; m++)
                    if (i != 3 || k != 2)
                        fprintf(f, "%d,%d,%s,day %d,%g\n", a[i], b[k], m == 1 ? "read" : "write",
                                c + 1, (100 * a[i] + 10 * b[k] + m) * (c ? 1.5 : 1));
    fclose(f);
}

static void read_table(struct configurations *c, const char *const factors[],
                       const char *const maps_by[])
{
    struct err e = {0};
    struct configurations_request request = {
        .factors = factors, .maps_by = maps_by, .response = "y", .seed = 1};
    CHECK_INT(configurations_read(c, path, &request, &e), 0);
    CHECK_STR(e.msg, "");
}

static int make_heat_map(struct heat_map *h, const struct configurations *c, const char *axes,
                         const char *at, const char *change, struct err *e)
{
    const struct heat_map_request request = {.axes = axes, .at = at, .change = change, .per = ""};
    return heat_map_make(h, c, &request, e);
}

/* Lines need one factor only, and responses may be divided by a factor. */
static void test_lines(void)
{
    struct configurations c;
    struct heat_map h;
    struct err e = {0};
    struct heat_map_request request = {
        .axes = "a", .one_axis = true, .at = "m=read,campaign=day 1", .change = "", .per = "a"};
    read_table(&c, (const char *const[]){"a", "b", "m", "campaign", NULL}, NULL);
    CHECK_INT(heat_map_make(&h, &c, &request, &e), 0);
    CHECK(h.width == 4 && h.height == 1 && !h.y[0] && h.x_numbers);
    for (size_t i = 0; i < 3; i++) /* of the last a, one b was not measured */
        CHECK_NEAR(h.value[i], 100 + 31.0 / (1 << i), 1e-9);
    heat_map_free(&h);
    request.axes = "m,b";
    request.at = "";
    CHECK_INT(heat_map_make(&h, &c, &request, &e), 0);
    CHECK(h.width == 2 && h.height == 3 && !h.x_numbers);
    heat_map_free(&h);
    request.per = "m";
    CHECK_INT(heat_map_make(&h, &c, &request, &e), -1);
    CHECK(strstr(e.msg, "--per m: a factor of numbers above 0"));
    request.per = "nothing";
    CHECK_INT(heat_map_make(&h, &c, &request, &e), -1);
    request.per = "";
    request.axes = "a,b,m";
    CHECK_INT(heat_map_make(&h, &c, &request, &e), -1);
    CHECK(strstr(e.msg, "one or two factors"));
    configurations_free(&c);
}

static void test_heat_map(void)
{
    struct configurations c;
    struct heat_map h;
    struct err e = {0};
    read_table(&c, (const char *const[]){"a", "b", "m", "campaign", NULL}, NULL);
    CHECK_INT(make_heat_map(&h, &c, "a,b", "m=read,campaign=day 1", "", &e), 0);
    CHECK(h.width == 4 && h.height == 3);
    CHECK_NEAR(h.value[0], 111, 1e-12);
    CHECK_NEAR(h.value[1 * 4 + 2], 431, 1e-12);
    CHECK(isnan(h.value[2 * 4 + 3]));
    CHECK_STR(h.where, "m = read, campaign = day 1");
    heat_map_free(&h);
    /* the mean over modes, and the increase in the second campaign: half */
    CHECK_INT(make_heat_map(&h, &c, "a,b", "", "campaign=day 1,day 2", &e), 0);
    CHECK_NEAR(h.value[0], 0.5 * 111.5, 1e-12);
    CHECK(h.is_change && isnan(h.value[2 * 4 + 3]));
    heat_map_free(&h);
    CHECK_INT(make_heat_map(&h, &c, "a,b", "m=append", "", &e), -1);
    CHECK(strstr(e.msg, "never measured"));
    CHECK_INT(make_heat_map(&h, &c, "a,a", "", "", &e), -1);
    CHECK_INT(make_heat_map(&h, &c, "a,z", "", "", &e), -1);
    CHECK(strstr(e.msg, "is no factor"));
    CHECK_INT(make_heat_map(&h, &c, "a", "", "", &e), -1);
    CHECK_INT(make_heat_map(&h, &c, "a,b", "", "campaign=day 1", &e), -1);
    CHECK_INT(make_heat_map(&h, &c, "a,b", "m", "", &e), -1);
    configurations_free(&c);
}

static void test_ranking(void)
{
    struct configurations c;
    struct map_ranking r;
    struct err e = {0};
    read_table(&c, (const char *const[]){"a", "b", "m", NULL}, NULL);
    CHECK_INT(ranking_make(&r, &c, "a", 0.95, &e), 0);
    CHECK(r.logarithmic && r.blocked);
    CHECK_INT(r.count, 4);
    CHECK_STR(r.ranks[0].level, "1");
    CHECK_STR(r.ranks[3].level, "8");
    /* complete blocks are those of b = 1 and b = 3, in two modes */
    CHECK_INT(r.ranks[3].count, 4);
    for (size_t i = 0; i < r.count; i++)
        CHECK(r.ranks[i].low <= r.ranks[i].value && r.ranks[i].value <= r.ranks[i].high);
    CHECK(r.ranks[0].high < r.ranks[1].low);
    ranking_free(&r);
    CHECK_INT(ranking_make(&r, &c, "campaign", 0.95, &e), -1);
    configurations_free(&c);
}

static void test_drift(void)
{
    struct configurations c;
    struct map_drift d;
    struct err e = {0};
    read_table(&c, (const char *const[]){"a", "b", "m", NULL},
               (const char *const[]){"campaign", NULL});
    CHECK_INT(drift_make(&d, &c, 0.95, &e), 0);
    CHECK_INT(d.count, 1);
    CHECK_STR(d.first, "day 1");
    CHECK_INT(d.campaigns[0].common, 22);
    CHECK_NEAR(d.campaigns[0].ratio, 1.5, 1e-12);
    CHECK_NEAR(d.campaigns[0].low, 1.5, 1e-9);
    drift_free(&d);
    configurations_free(&c);
}

static void test_variance(void)
{
    struct configurations c;
    struct variance_analysis v;
    struct err e = {0};
    read_table(&c, (const char *const[]){"a", "b", "m", NULL}, NULL);
    CHECK_INT(variance_make(&v, &c, true, false, 0.95, &e), 0);
    CHECK_INT(v.observations, 44); /* rows, two campaigns of each configuration */
    CHECK_INT(v.configurations, 22);
    CHECK_INT(v.row_count, 2 * 6 + 2);
    CHECK_INT(v.level_count, 4 + 3 + 2);
    CHECK_STR(v.rows[3].term, "a:b");
    double sum = v.rows[12].ss; /* type I adds up */
    for (size_t i = 0; i < 6; i++)
        sum += v.rows[i].ss;
    CHECK_NEAR(sum, v.rows[13].ss, 1e-9);
    variance_free(&v);
    configurations_free(&c);
}

static void test_scatter(void)
{
    struct configurations c;
    struct map_scatter s;
    struct candidates candidates;
    struct text notes = {0};
    struct err e = {0};
    read_table(&c, (const char *const[]){"a", "b", "m", NULL}, NULL);
    CHECK_INT(candidates_parse(&candidates, &c, "lr", SCALE_RAW, 0, 1, &notes, &e), 0);
    CHECK_INT(scatter_make(&s, &c, &candidates, 1, NULL, &e), 0);
    CHECK_INT(s.count, c.n);
    for (size_t i = 0; i < s.count; i++) /* a plane: linear regression is exact */
        CHECK_NEAR(s.predicted[i], s.measured[i], 1e-9);
    scatter_free(&s);
    text_free(&notes);
    configurations_free(&c);
}

int main(void)
{
    snprintf(path, sizeof path, "map-analysis-%ld.csv", (long)getpid());
    put_table();
    test_heat_map();
    test_lines();
    test_ranking();
    test_drift();
    test_variance();
    test_scatter();
    remove(path);
    return check_result();
}
