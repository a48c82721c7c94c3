/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histories: which sessions are repetitions, the checks of predictions, and the answers. */
#include "check.h"
#include "history_session.h"
#include "run/history/history.h"

/* ---- the key ---- */

static void check_keys(void)
{
    static struct plan a, b;
    char one[HISTORY_KEY], other[HISTORY_KEY];
    plan_init(&a);
    plan_init(&b);
    /* Length, precision, seed and label do not matter: the workload is the same. */
    b.seed = 7;
    b.ending.limit_seconds = 5;
    b.ending.runtime_seconds = 3;
    b.statistics.target_width = 0.5;
    snprintf(b.statistics.preset, sizeof b.statistics.preset, "quick");
    b.history = true;
    b.destroy = true;
    CHECK(history_key(one, "disk 1", &a) && history_key(other, "disk 1", &b));
    CHECK_INT(strlen(one), HISTORY_KEY - 1);
    CHECK_STR(one, other);
    CHECK(history_key(other, "disk 2", &a) && strcmp(one, other) != 0);
    b.iodepth = 32;
    CHECK(history_key(other, "disk 1", &b) && strcmp(one, other) != 0);
    b.iodepth = a.iodepth;
    b.write_share = 0.5;
    CHECK(history_key(other, "disk 1", &b) && strcmp(one, other) != 0);
    b.write_share = a.write_share;
    snprintf(b.settings.scheduler, sizeof b.settings.scheduler, "none");
    CHECK(history_key(other, "disk 1", &b) && strcmp(one, other) != 0);
}

/* ---- predictions ---- */

static void check_one(double mean, double seconds, const char *busy, enum prediction_check expected)
{
    const struct history_session before = session_of(100);
    struct history_session next = session_of(mean);
    next.seconds = seconds;
    snprintf(next.busy, sizeof next.busy, "%s", busy);
    history_check(&before, &next);
    CHECK_INT(next.check, expected);
}

static void check_predictions(void)
{
    check_one(109.9, 10, "", PREDICTION_HELD);
    check_one(90.1, 10, "", PREDICTION_HELD);
    check_one(110.1, 10, "", PREDICTION_MISSED);
    /* A session of a quarter of the length varies more, by sqrt(2.5). */
    check_one(115.8, 2.5, "", PREDICTION_HELD);
    check_one(115.9, 2.5, "", PREDICTION_MISSED);
    check_one(108, 40, "", PREDICTION_MISSED); /* sqrt(5/8) */
    check_one(100, 41, "", PREDICTION_LEFT_OUT);
    check_one(100, 2.4, "", PREDICTION_LEFT_OUT);
    check_one(100, 10, "other programs", PREDICTION_LEFT_OUT);

    struct history_session before = session_of(100), next = session_of(100);
    snprintf(next.metric, sizeof next.metric, "response_time");
    history_check(&before, &next);
    CHECK_INT(next.check, PREDICTION_LEFT_OUT);
    before.next_low = NAN;
    history_check(&before, &next);
    CHECK_INT(next.check, PREDICTION_NONE);
}

/* 25 of 26 sessions are checked; the last 20 count, two of which missed. */
static void check_counts(void)
{
    struct history_session sessions[26];
    struct history h = {.sessions = sessions, .count = 26};
    struct history_before before;
    for (size_t i = 0; i < 26; i++)
        sessions[i] = session_of(i == 2 || i == 20 ? 120 : 100);
    history_judge(&h);
    CHECK_INT(h.predictions.checked, 20);
    CHECK_INT(h.predictions.held, 18); /* up to 120 and down again */
    history_before_write(&h, &before);
    CHECK_STR(before.count, "17 of 19 held, 50 s in a row"); /* the sessions after the miss */
    CHECK_STR(before.session,
              "2026-11-28T08:00:00Z iops read next=90 to 110 seconds=10 memory=0 busy=0");
    h.count = 0;
    history_judge(&h);
    history_before_write(&h, &before);
    CHECK_STR(before.session, "");
    CHECK_STR(before.differences, "");
}

/* A session's settings contain the previous session's prediction. */
static void check_result_of(double next_low, double next_high, double mean,
                            enum prediction_check expected, uint64_t held)
{
    static struct result r;
    struct history_session before = session_of(100);
    struct history h = {.sessions = &before, .count = 1};
    struct history_before words;
    before.next_low = next_low;
    before.next_high = next_high;
    history_before_write(&h, &words);
    r = (struct result){.verdict = VERDICT_MEASURED,
                        .headline = METRIC_IOPS,
                        .headline_op = "read",
                        .round_count = 1,
                        .rounds = {{.seconds = 10}},
                        .clauses = {{.text = "iops>5", .unseen = 10},
                                    {.text = "p99<1ms", .unseen = 10},
                                    {.text = "iops<500"}},
                        .clause_count = 3};
    result_add(&r, METRIC_IOPS, "read", mean);
    facts_add(&r.settings, HISTORY_NODE, HISTORY_BEFORE, words.session, "", "", FACT_OK);
    facts_add(&r.settings, HISTORY_NODE, HISTORY_COUNT, "4 of 5 held, 50 s in a row", "", "",
              FACT_OK);
    history_of_result(&r);
    CHECK_INT(r.history.check, expected);
    /* For a mean that was held, the level was observed during the earlier sessions, too. */
    const bool held_now = expected == PREDICTION_HELD;
    CHECK_NEAR(r.clauses[0].unseen, held_now ? 10 + 50.0 / 3 : 10, 1e-12);
    CHECK_INT(r.clauses[0].unseen_by, held_now ? UNSEEN_HISTORY : UNSEEN_SESSION);
    CHECK_NEAR(r.clauses[1].unseen, 10, 1e-12);
    CHECK(!(r.clauses[2].unseen > 0));
    CHECK_STR(r.history.date, before.date);
    CHECK_INT(r.history.count.held, held);
    const struct result_row *row = result_find(&r, METRIC_PREDICTIONS_HELD, "read");
    CHECK(row && (uint64_t)row->value == held && row->n == r.history.count.checked);
}

/* The variation between earlier sessions widens the prediction of the headline metric, and of
   bandwidth, which is the same number, but not that of response times. */
static void check_widened(void)
{
    static struct result r;
    struct history_session before = session_of(100);
    struct history h = {.sessions = &before, .count = 1};
    struct history_before words;
    history_before_write(&h, &words);
    r = (struct result){.verdict = VERDICT_MEASURED,
                        .headline = METRIC_IOPS,
                        .headline_op = "read",
                        .round_count = 1,
                        .rounds = {{.seconds = 10}}};
    static const enum metric_id metrics[] = {METRIC_IOPS, METRIC_BANDWIDTH, METRIC_RESPONSE_TIME};
    for (size_t i = 0; i < 3; i++) {
        struct result_row *row = result_add(&r, metrics[i], "read", 100);
        row->confidence = 0.95;
        result_set_prediction(row, i == 2 ? 96 : 97, 104);
    }
    facts_add(&r.settings, HISTORY_NODE, HISTORY_BEFORE, words.session, "", "", FACT_OK);
    facts_add(&r.settings, HISTORY_NODE, HISTORY_DIFFER, "variance=0.0004 pairs=12 degrees=8", "",
              "", FACT_OK);
    history_of_result(&r);
    const double half = 2.306004 * 2; /* t with 8 degrees of freedom */
    for (size_t i = 0; i < 2; i++) {
        CHECK_NEAR(r.rows[i].next_low, 100 - hypot(3, half), 1e-6);
        CHECK_NEAR(r.rows[i].next_high, 100 + hypot(4, half), 1e-6);
    }
    CHECK_NEAR(r.rows[2].next_low, 96, 0);
    CHECK_INT(r.history.differing, 12);
}

static void check_results(void)
{
    static struct result r;
    check_widened();
    check_result_of(90, 110, 105, PREDICTION_HELD, 5);
    check_result_of(0, 110, 105, PREDICTION_HELD, 5);
    check_result_of(90.125, 110.25, 111, PREDICTION_MISSED, 4);
    check_result_of(NAN, NAN, 111, PREDICTION_NONE, 4);
    /* Sessions that cannot be repeated are in no history. */
    struct history_session s;
    r = (struct result){.verdict = VERDICT_INTERRUPTED,
                        .headline = METRIC_IOPS,
                        .headline_op = "read",
                        .round_count = 1,
                        .rounds = {{.seconds = 10}}};
    result_add(&r, METRIC_IOPS, "read", 100);
    CHECK(!history_session_of(&r, &s));
    r.verdict = VERDICT_LIMIT;
    CHECK(history_session_of(&r, &s));
    r.rows[0].value = 0;
    CHECK(!history_session_of(&r, &s));
}

/* ---- answers ---- */

static void check_answer(const double means[], size_t n, enum history_answer answer,
                         enum history_ground ground)
{
    struct history_session sessions[32];
    struct history h = {.sessions = sessions, .count = n};
    for (size_t i = 0; i < n; i++)
        sessions[i] = session_of(means[i]);
    history_judge(&h);
    CHECK_INT(h.answer, answer);
    CHECK_INT(h.ground, ground);
}

static void check_answers(void)
{
    static const double same[] = {100, 104, 98, 101, 97, 103, 99, 102, 100,
                                  96,  103, 99, 101, 98, 102, 97, 100, 104};
    double moved[18];
    check_answer(same, 1, HISTORY_ONE, GROUND_FIRST_SESSION);
    check_answer(same, 2, HISTORY_SAME, GROUND_FIRST_SESSION);
    check_answer((const double[]){100, 80}, 2, HISTORY_SLOWER, GROUND_FIRST_SESSION);
    check_answer((const double[]){100, 80, 100, 130}, 4, HISTORY_FASTER, GROUND_FIRST_SESSION);
    check_answer(same, 18, HISTORY_SAME, GROUND_LEVELS);
    for (size_t i = 0; i < 18; i++)
        moved[i] = same[i] - (i < 10 ? 0 : 40);
    check_answer(moved, 18, HISTORY_SLOWER, GROUND_LEVELS);
    check_answer(moved, 11, HISTORY_SLOWER, GROUND_LAST_SESSION); /* the first of a new level */
    for (size_t i = 0; i < 18; i++)
        moved[i] = 1000 - 20 * (double)i + same[i] / 50;
    check_answer(moved, 18, HISTORY_SLOWER, GROUND_TREND);

    /* Sessions beside other programs count only if there are hardly any others. */
    struct history_session sessions[18];
    struct history h = {.sessions = sessions, .count = 18};
    for (size_t i = 0; i < 18; i++) {
        sessions[i] = session_of(same[i] - (i % 2 ? 0 : 40));
        snprintf(sessions[i].busy, sizeof sessions[i].busy, "%s", i % 2 ? "" : "others");
    }
    history_judge(&h);
    CHECK_INT(h.answer, HISTORY_SAME);
    CHECK(!h.of_busy);
    for (size_t i = 0; i < 18; i++) {
        sessions[i] = session_of(same[i] - (i < 10 ? 0 : 40));
        snprintf(sessions[i].busy, sizeof sessions[i].busy, "others");
    }
    history_judge(&h);
    CHECK_INT(h.answer, HISTORY_SLOWER);
    CHECK(h.of_busy);

    for (size_t i = 0; i < 18; i++) {
        sessions[i] = session_of(same[i] + (i < 10 ? 0 : 40));
        snprintf(sessions[i].metric, sizeof sessions[i].metric, "response_time");
    }
    history_judge(&h);
    CHECK_INT(h.answer, HISTORY_SLOWER); /* a longer response time */
    CHECK_INT(h.level_count, 2);
    CHECK_INT(h.levels[1].begin, 10);
    CHECK_INT(sessions[9].level, 0);
    CHECK_INT(sessions[10].level, 1);
}

int main(void)
{
    check_keys();
    check_predictions();
    check_counts();
    check_results();
    check_answers();
    return check_result();
}
