/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations in the language of clauses: mistakes with line and column, the clauses that a
   session gets, and the checks made from its result. */
#include "expectation_fixture.h"

static void check_mistakes(void)
{
    check_mistake("[test seek]\np99 < 1ms\n", "x:1:7: ", "as in [test randread]");
    check_mistake("[test read\np99 < 1ms\n", "x:1:11: ", "ends with ]");
    check_mistake("[test read]\n", "x:1:1: ", "p99 < 500us");
    check_mistake("[test]\nerrors=0\n[test all]\n", "x:3:1: ", "already, in line 1");
    check_mistake("[test read]\nerrors=0, p99 < 500\n", "x:2:17: ", "a time needs a unit");
    check_mistake("[test read]\n  p98765 < 1ms\n", "x:2:3: ", "between 0 and 100, as in p99<");
    check_mistake("[test read]\nlatency < 1ms\n", "x:2:1: ", "a percentile comes here");
    check_mistake("[test read]\np99 < 1ms,\n", "x:2:11: ", "a clause comes here");
    check_mistake("[test read]\np99 < 1ms per 10s\n",
                  "x:2:18: ", "in and a share of the intervals");
    check_mistake("[test read]\np99 < 1ms iops > 5\n", "x:2:11: ", "a comma comes between");
    check_mistake("[test read]\nerrors=0,  write.p99 < 1ms\n", "x:2:12: ", "does not write");
    check_mistake("[test write]\nread.p99 < 1ms\n", "x:2:1: ", "leave 'read.' out");
    check_mistake("[test]\nservice.p99 < 1ms\n", "x:2:1: ", "leave 'service.' out");
    check_mistake("[test]\np99 < 1ms\np99 > 2ms\n", "x:3:1: ", "contradict each other");
    check_mistake("[test]\np99.0000000000000000000000000000000000000000001 < 1ms\n",
                  "x:2:1: ", "at most 47 characters");
}

static void found_clause(struct qualification_test *t, const char *text, enum metric_kind kind,
                         double value, enum clause_verdict verdict)
{
    struct result_clause *c = &t->clauses[t->clause_count++];
    *c = (struct result_clause){
        .kind = kind, .value = value, .verdict = verdict, .more_seconds = verdict ? 0 : 40};
    snprintf(c->text, sizeof c->text, "%s", text);
}

static void check_clauses(void)
{
    struct qualification_test *t = &f.devices[0].tests[1];
    const char *file = "[test randread]\np99 < 500us, iops > 200k\nerrors=0\n";
    found_clause(t, "p99<500us", METRIC_KIND_TIME, 97100, CLAUSE_PASSED);
    found_clause(t, "iops>200k", METRIC_KIND_COUNT_RATE, 150e3, CLAUSE_FAILED);
    found_clause(t, "errors=0", METRIC_KIND_COUNT, 0, CLAUSE_UNDECIDED);
    check_grade(file, "randread p99", GRADE_PASS, "");
    CHECK_STR(find_check("randread p99")->found, "97.1 us");
    CHECK_STR(find_check("randread p99")->expected, "below 500us");
    check_grade(file, "randread iops", GRADE_FAIL, "");
    CHECK_INT(qualification_status(&f.q), ERR_FAILED);
    check_grade(file, "randread errors", GRADE_UNDECIDED, "not decided: about 40 s more");
    check_grade("[test]\np99<500us", "randread p99", GRADE_PASS, "");
    CHECK(!find_check("expectation")); /* a section applies to this disk */
    check_grade("[test all nvme]\np99<500us", "read p99", GRADE_UNDECIDED, "not measured");
    CHECK_INT(qualification_status(&f.q), ERR_UNDECIDED);
    check_grade("[test write]\nerrors=0", "write errors", GRADE_NONE, "not asked for");
    check_grade("[test]\nwrite.p99<1ms", "randwrite write.p99", GRADE_NONE, "not asked for");
    CHECK(!find_check("read write.p99"));
    check_grade("[test all INTEL*]\nerrors=0\n", "disks", GRADE_FAIL, "line 1");

    /* A session that did not end well decides only errors; a busy machine is named. */
    t->verdict = VERDICT_INTERRUPTED;
    check_grade(file, "randread p99", GRADE_UNDECIDED, "the test was interrupted");
    check_grade(file, "randread iops", GRADE_UNDECIDED, "the test was interrupted");
    t->clauses[2].verdict = CLAUSE_FAILED;
    check_grade(file, "randread errors", GRADE_FAIL, "");
    t->verdict = VERDICT_DECIDED;
    snprintf(t->disturbed, sizeof t->disturbed, "other programs used 95 %% of the processors");
    check_grade(file, "randread p99", GRADE_PASS, "");
    check_grade(file, "randread iops", GRADE_FAIL, "other programs used 95 %");
    t->disturbed[0] = '\0';

    /* The longest request is a fact: it counts in an interrupted session as well, and is shown. */
    t->clause_count = 0;
    found_clause(t, "max<45ms", METRIC_KIND_TIME, 52e6, CLAUSE_FAILED);
    snprintf(t->clauses[0].first_over, sizeof t->clauses[0].first_over, "at 2.500 s, read of 4096");
    t->verdict = VERDICT_INTERRUPTED;
    check_grade("[test randread]\nmax < 45ms\n", "randread max", GRADE_FAIL, "at 2.500 s, read");
    t->verdict = VERDICT_PRECISE;
    t->clauses[0].verdict = CLAUSE_PASSED;
    t->clauses[0].first_over[0] = '\0';
    snprintf(t->clauses[0].note, sizeof t->clauses[0].note, "it promises nothing of the next");
    check_grade("[test randread]\nmax < 45ms\n", "randread max", GRADE_PASS, "promises nothing");
    t->clause_count = 0;
}

static void check_session_clauses(void)
{
    struct err e = {0};
    char text[64];
    struct expectation *x = parse("[test]\nerrors=0, read.p99<1ms\n[test randread nvme]\n"
                                  "p99 < 500us, errors = 0\n[test read sata]\nerrors=0");
    const struct qualification_device *d = &f.devices[0];
    CHECK_INT(expectation_clauses(x, d, "randread", text, sizeof text, &e), 0);
    CHECK_STR(text, "errors=0,read.p99<1ms,p99<500us");
    CHECK_INT(expectation_clauses(x, d, "write", text, sizeof text, &e), 0);
    CHECK_STR(text, "errors=0");
    CHECK_INT(expectation_clauses(x, d, "randread", text, 20, &e), -1);
    CHECK_STR(e.msg, "x, test randread of nvme0n1: its clauses have more than 19 characters");
    CHECK_INT(expectation_add_sla(&x, "p99 > 2ms", false, &e), 0);
    CHECK_INT(expectation_clauses(x, d, "randread", text, sizeof text, &e), -1);
    CHECK_STR(e.msg, "x and --sla, test randread of nvme0n1: p99<500us and p99>2ms contradict each "
                     "other");
    CHECK_INT(expectation_clauses(x, d, "read", text, sizeof text, &e), 0);
    CHECK_STR(text, "errors=0,read.p99<1ms,p99>2ms");
    expectation_free(x);

    x = NULL;
    CHECK_INT(expectation_add_sla(&x, "iops > 5, p99 < 3", false, &e), -1);
    CHECK(!strncmp(e.msg, "--sla: at character 17: a time needs a unit", 43));
    CHECK_INT(expectation_add_sla(&x, "write.p99<1ms", false, &e), -1);
    CHECK(strstr(e.msg, "--destroy-serial") != NULL);
    CHECK_INT(expectation_add_sla(&x, "write.p99<1ms", true, &e), 0);
    expectation_free(x);
}

int main(void)
{
    qualified_begin(&f);
    qualified_good_drive(&f, 0);
    check_mistakes();
    check_clauses();
    check_session_clauses();
    qualified_end(&f);
    return check_result();
}
