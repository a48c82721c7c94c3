/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language of SLA limits and of precisions, and the position of its mistakes. */
#include "facts/clause.h"
#include "tests/unit/check.h"

static struct clauses all;
static struct err e;

static const struct clause *limit(const char *text)
{
    e = (struct err){0};
    if (clauses_parse_limits(&all, text, &e) != 0) {
        printf("%s: %s\n", text, e.msg);
        CHECK(!"parses");
    }
    return &all.clause[all.count ? all.count - 1 : 0];
}

static void test_limits(void)
{
    const struct clause *c = limit("read.p99<500us, iops > 200k,errors=0");
    CHECK_INT(all.count, 3);
    CHECK(c->subject == CLAUSE_ERRORS && c->relation == CLAUSE_EQUAL && c->limit == 0);
    c = &all.clause[0];
    CHECK(c->subject == CLAUSE_PERCENTILE && c->relation == CLAUSE_BELOW && !c->time);
    CHECK_NEAR(c->share, 0.99, 1e-12);
    CHECK_NEAR(c->limit, 500e3, 0);
    CHECK(strcmp(c->op, "read") == 0 && strcmp(c->text, "read.p99<500us") == 0);
    c = &all.clause[1];
    CHECK(c->subject == CLAUSE_IOPS && c->relation == CLAUSE_ABOVE && c->limit == 200e3);
    CHECK(!c->op[0] && strcmp(c->text, "iops>200k") == 0);

    c = limit("write.service.p99.9<2ms");
    CHECK(c->time == CLAUSE_SERVICE && strcmp(c->op, "write") == 0 && c->limit == 2e6);
    CHECK_NEAR(c->share, 0.999, 1e-12);
    c = limit("issue_error.p50<10us");
    CHECK(c->time == CLAUSE_ISSUE_ERROR && c->limit == 1e4);
    CHECK_NEAR(limit("bandwidth>1.5GiB/s")->limit, 1.5 * (1 << 30), 0);
    CHECK_NEAR(limit("bps>1M")->limit, 1e6, 0);
    CHECK_NEAR(limit("mean<1s")->limit, 1e9, 0);
    c = limit("errors<0.1%");
    CHECK(c->limit_is_share);
    CHECK_NEAR(c->limit, 0.001, 1e-12);
    CHECK(!limit("errors<5")->limit_is_share);
    limit("iops>100k, iops<200k"); /* a lower and an upper limit do not conflict */
    c = limit("write.max < 45ms");
    CHECK(clause_is_max(c) && clause_is_fact(c) && c->limit == 45e6);
    CHECK_STR(c->text, "write.max<45ms");
    c = limit("max<45ms per 1s in 99%");
    CHECK(clause_is_max(c) && !clause_is_fact(c));
    CHECK(!clause_is_max(limit("p99.999<45ms")));
}

/* Clauses per interval of wall-clock time, in a share of the intervals. */
static void test_periods(void)
{
    limit("read.p99 < 500us  per  10s in\t95% , iops>5");
    CHECK(all.clause[1].period_ns == 0);
    const struct clause *c = &all.clause[0];
    CHECK(c->period_ns == 10000000000u && c->limit == 500e3);
    CHECK_NEAR(c->period_share, 0.95, 1e-12);
    CHECK_STR(c->text, "read.p99<500us per 10s in 95%");
    struct clauses before = all;
    limit(before.clause[0].text); /* the kept text reads as the same clause */
    CHECK_STR(all.clause[0].text, before.clause[0].text);
    CHECK(limit("errors=0 per 200ms in 99.9%")->period_ns == 200000000u);
    CHECK(limit("bps>1M per 5m in 50%")->period_ns == 300000000000u);
    CHECK(limit("mean<1ms per 1.5s in 7%")->period_ns == 1500000000u);
    CHECK(limit("bandwidth>1MB/s per 24h in 7%")->period_ns == CLAUSE_PERIOD_NS_MAX);

    /* Three of five intervals below, and three of five above: impossible. */
    limit("iops<5 per 1s in 40%, iops>9 per 1s in 60%");
    limit("iops<5 per 1s in 60%, iops>9 per 2s in 60%");
    limit("iops<5 per 1s in 60%, iops>9");
    c = limit("read.efficiency>90%");
    CHECK(c->subject == CLAUSE_EFFICIENCY);
    CHECK_NEAR(c->limit, 0.9, 1e-12);
}

static void test_widths(void)
{
    CHECK_INT(clauses_parse_widths(&all, "iops:5%,read.p99:10%, bps:2.5%", &e), 0);
    CHECK_INT(all.count, 3);
    CHECK(all.clause[1].relation == CLAUSE_WIDTH && all.clause[1].subject == CLAUSE_PERCENTILE);
    CHECK_NEAR(all.clause[2].limit, 0.025, 1e-12);
    /* half of it: +- is half a width, as in reports */
    CHECK_INT(clauses_parse_widths(&all, "iops:+-2.5%", &e), 0);
    CHECK_NEAR(all.clause[0].limit, 0.05, 1e-12);
    CHECK_INT(clauses_parse_widths(&all, "iops:+2.5%", &e), -1);
    CHECK(!all.clause[0].width_is_absolute);
    CHECK_INT(clauses_parse_widths(&all, "bandwidth:+-1MB/s,p99:50us,iops:2k", &e), 0);
    CHECK(all.clause[0].width_is_absolute && all.clause[2].width_is_absolute);
    CHECK_NEAR(all.clause[0].limit, 2e6, 1e-3);
    CHECK_NEAR(all.clause[1].limit, 50e3, 1e-6);
    /* a unit of another quantity */
    CHECK_INT(clauses_parse_widths(&all, "bandwidth:50us", &e), -1);
    CHECK_INT(clauses_parse_widths(&all, "iops:500", &e), -1); /* a share without % */
    CHECK_INT(clauses_parse_limits(&all, "p99<+-5us", &e), -1);
}

static void refused(bool widths, const char *text, const char *words)
{
    e = (struct err){0};
    int status =
        widths ? clauses_parse_widths(&all, text, &e) : clauses_parse_limits(&all, text, &e);
    CHECK_INT(status, -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!strstr(e.msg, words)) {
        printf("'%s': %s\n", text, e.msg);
        CHECK(!"the message says what is wrong");
    }
}

/* Clauses on a column: in its own unit, with any sign, and no subjects that only I/O has. */
static void test_numbers(void)
{
    static const char *const wrong[][2] = {
        {"iops>5", "at character 1, 'iops>5': a column of numbers has its mean, its maximum and "
                   "its percentiles, "
                   "as in p99<500"},
        {"mean<5, errors=0", "at character 9, 'errors=0': a column"},
        {"read.p99<500", "at character 1, 'read.p99<500': a column"},
        {"service.p99<500", "a column of numbers has"},
        {"bps>5", "a column of numbers has"},
        {"latency<5", "mean, max or a percentile comes here, as in p99<500"},
        {"max>5", "limited from above, as in max<500"},
        {"p99<500us",
         "at character 5, '500us': the numbers of a column have no unit, as in p99<500"},
        {"mean<5%", "have no unit, as in mean<200"},
        {"mean:5%", "< or > and a limit come here, as in mean<200"},
        {"p99=5", "< or >"},
        {"mean<-", "a number comes here"},
        {"mean<1e999", "a limit is finite"},
        {"mean>5,mean<4", "contradict"},
        {"mean>5 mean<9", "a comma comes between clauses, as in p99<500, mean<200"},
        {"p99<5 per 10s in 95%",
         "at character 7, 'per 10s in 95%': a column of numbers has no clock"},
    };
    CHECK_INT(clauses_parse_numbers(&all, "p99<500, mean>-2.5e3,p50 < 0", &e), 0);
    CHECK_INT(all.count, 3);
    CHECK(all.clause[0].subject == CLAUSE_PERCENTILE && all.clause[0].limit == 500);
    CHECK(all.clause[1].relation == CLAUSE_ABOVE && all.clause[1].limit == -2500);
    CHECK(all.clause[2].limit == 0 && strcmp(all.clause[2].text, "p50<0") == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        e = (struct err){0};
        CHECK_INT(clauses_parse_numbers(&all, wrong[i][0], &e), -1);
        if (!strstr(e.msg, wrong[i][1])) {
            printf("'%s': %s\n", wrong[i][0], e.msg);
            CHECK(!"the message says what is wrong");
        }
    }
}

static void test_refused(void)
{
    static const char *const limits[][2] = {
        {"", "at character 1"},
        {"p99", "< or > and a limit come here, as in p99<500us"},
        {"p99<500", "a time needs a unit: ns, us, ms, s, as in p99<500us"},
        {"p99<-5us", "a limit is not negative"},
        {"p99<us", "a number comes here"},
        {"p99<0us", "a limit is above 0"},
        {"p0<5us", "between 0 and 100"},
        {"p100<5us", "between 0 and 100"},
        {"max>5us", "the longest is limited from above, as in max<45ms"},
        {"maxi<5us", "or a percentile comes here"},
        {"max<5", "a time needs a unit"},
        {"px<5us", "or a percentile comes here"},
        {"pinf<5us", "or a percentile comes here"},
        {"latency<5us", "or a percentile comes here"},
        {"iops>200k p99<5us", "at character 11, 'p99<5us': a comma"},
        {"iops>200k,", "at character 11"},
        {"iops>200k,,", "at character 11"},
        {"iops=5", "< or >"},
        {"iops:5%", "< or >"},
        {"iops>5x", "a rate is a number"},
        {"bandwidth>500", "a bandwidth needs a unit"},
        {"errors>0", "limited from above"},
        {"errors=3", "only errors=0"},
        {"errors<150%", "between 0 and 100 %"},
        {"errors<0", "fewer errors than none"},
        {"p99<1e30s", "nothing is measured for that long"},
        {"read.write.p99<5us", "at character 6"},
        {"service.issue_error.p99<5us", "at character 9"},
        {"service.iops>5", "service and issue_error have percentiles"},
        {"read.issue_error.p99<5us", "of all operations"},
        {"iops>200k, iops<100k", "at character 12: iops>200k and iops<100k contradict each other"},
        {"p99<nanus", "a number comes here"},
        {"p99<5us per 10s", "at character 16, '': in and a share of the intervals come here, as in "
                            "p99<500us per 10s in 95%"},
        {"p99<5us per 10s in 95", "at character 20, '95': a share of the intervals, above 0"},
        {"p99<5us per 10s in 100%", "at character 20, '100%': a share of the intervals"},
        {"p99<5us per 10s in 0%", "above 0 and below 100 %"},
        {"p99<5us per 10 in 95%", "at character 13, '10 in 95%': the length of an interval"},
        {"p99<5us per 150ms in 95%", "100ms or a multiple"},
        {"p99<5us per 50ms in 95%", "100ms or a multiple"},
        {"p99<5us per 25h in 95%", "up to 24h"},
        {"p99<5us per -10s in 95%", "the length of an interval"},
        {"p99<5us per", "a comma comes between clauses"},
        {"p99<5us in 95%", "at character 9, 'in 95%': a comma"},
        {"iops<5 per 1s in 60%, iops>9 per 1s in 60%", "contradict"},
        {"efficiency>90", "an efficiency is a share: 90%, as in read.efficiency>90%"},
        {"all.efficiency>90%", "each direction has its own limit"},
        {"read.efficiency>90% per 1s in 95%",
         "at character 21, 'per 1s in 95%': an efficiency is of the whole run"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        refused(false, limits[i][0], limits[i][1]);
    refused(true, "iops>5", "a colon and a width come here, as in iops:5%");
    refused(true, "iops:5", "a width is a share of the value");
    refused(true, "iops:0%", "above 0");
    refused(true, "errors:5%", "counted, not estimated");
    refused(true, "max:5%", "has no interval, as in p99.9:10%");
    refused(true, "efficiency:5%", "its width is that of bandwidth");
    refused(true, "p99:5% per 10s in 95%", "at character 8, 'per 10s in 95%': widths are of the");
    refused(false, "iops>1000000000000000000000000000000000000000000000", "at most 47 characters");
    char many[200];
    size_t length = 0;
    for (int i = 0; i < 17; i++)
        length += (size_t)snprintf(many + length, sizeof many - length, "%sp50<1s", i ? "," : "");
    refused(false, many, "no more than 16 clauses");
}

/* Within another text: the position is reported separately, and clauses are read one by one. */
static void test_within(void)
{
    static const struct {
        const char *text, *words;
        size_t at;
    } mistakes[] = {
        {"iops>5,  p99<3", "a time needs a unit", 13},
        {"p99<1ms 'x': y", "a comma comes between clauses", 8},
        {"iops>200k, iops<100k", "iops>200k and iops<100k contradict each other", 11},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        CHECK_INT(clauses_parse_limits(&all, mistakes[i].text, &e), -1);
        CHECK_INT(clauses_mistake_at(&e), mistakes[i].at);
        CHECK(strstr(e.msg, "at character") == NULL && strstr(e.msg, mistakes[i].words) != NULL);
    }
    struct clause above = *limit("iops>200k"), below = *limit("iops<100k");
    CHECK_INT(clauses_parse_limits(&all, "p99<1ms,errors=0,max<1s,errors<1%,iops>5", &e), 0);
    CHECK_INT(clauses_estimated(&all), 3);
    all.count = 0;
    CHECK_INT(clauses_add(&all, &above, &e), 0);
    CHECK_INT(clauses_add(&all, &below, &e), -1);
    CHECK_STR(e.msg, "iops>200k and iops<100k contradict each other");
    while (all.count < CLAUSES_MAX)
        CHECK_INT(clauses_add(&all, &above, &e), 0);
    CHECK_INT(clauses_add(&all, &above, &e), -1);
    CHECK_STR(e.msg, "there are more than 16 clauses");
}

int main(void)
{
    test_within();
    test_limits();
    test_periods();
    test_widths();
    test_numbers();
    test_refused();
    return check_result();
}
