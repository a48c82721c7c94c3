/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Predictions that include the variation between sessions, by simulation with known truth: each
 * session has an error that its own interval includes, and an effect that it does not.
 */
#include <math.h>

#include "history_session.h"
#include "run/history/history.h"
#include "simulated.h"
#include "tests/unit/check.h"

#define SESSIONS  40
#define HISTORIES 300
#define OWN_ERROR 0.01

struct outcome {
    int held, checked, own_held;
    double width; /* sum of the half widths, relative to those of the sessions' own predictions */
};

static struct history_session measured(double effect, double own_error, uint64_t *state)
{
    const double mean =
        1000 * (1 + effect * simulated_normal(state) + own_error * simulated_normal(state));
    struct history_session s = session_of(mean);
    s.low = mean * (1 - 1.96 * own_error);
    s.high = mean * (1 + 1.96 * own_error);
    s.next_low = mean * (1 - 1.96 * M_SQRT2 * own_error);
    s.next_high = mean * (1 + 1.96 * M_SQRT2 * own_error);
    return s;
}

/* Simulates sessions one after the other; each predicts from the variation of those before it. */
static void simulate(double effect, struct outcome *o, uint64_t *state)
{
    struct history_session sessions[SESSIONS];
    struct history h = {.sessions = sessions};
    for (size_t i = 0; i < SESSIONS; i++) {
        sessions[i] = measured(effect, OWN_ERROR, state);
        struct history_session *now = &sessions[i];
        if (i > BETWEEN_SESSIONS_MIN) {
            const struct history_session *before = &sessions[i - 1];
            o->checked++;
            o->held += now->mean >= before->next_low && now->mean <= before->next_high;
            o->own_held +=
                fabs(now->mean - before->mean) <= 1.96 * M_SQRT2 * OWN_ERROR * before->mean;
        }
        h.count = i;
        history_judge(&h);
        const struct between_sessions b = between_sessions_of(&h);
        const double own = now->next_high - now->mean,
                     half = hypot(own, between_sessions_half(&b, 0.95) * now->mean);
        now->next_low = now->mean - half;
        now->next_high = now->mean + half;
        if (i > BETWEEN_SESSIONS_MIN)
            o->width += half / own;
    }
}

static void check_effect(double effect, double min_held, double max_width)
{
    struct outcome o = {0};
    uint64_t state = 5;
    for (int run = 0; run < HISTORIES; run++)
        simulate(effect, &o, &state);
    printf("effects of %.1f %%: %.3f hold (%.3f of the sessions' own), width %.2f times\n",
           100 * effect, (double)o.held / o.checked, (double)o.own_held / o.checked,
           o.width / o.checked);
    CHECK((double)o.held / o.checked >= min_held);
    CHECK(o.width / o.checked <= max_width);
}

static void check_pairs(void)
{
    struct history_session sessions[12];
    struct history h = {.sessions = sessions, .count = 12};
    for (size_t i = 0; i < 12; i++)
        sessions[i] = session_of(i % 2 ? 130 : 100);
    sessions[5].seconds = 1000; /* differs from both neighbours in length */
    history_judge(&h);
    struct between_sessions b = between_sessions_of(&h);
    CHECK_INT(b.pairs, 9);
    CHECK(sqrt(b.variance) > 0.2 && sqrt(b.variance) < 0.3);
    CHECK(between_sessions_half(&b, 0.95) > 1.96 * sqrt(b.variance));
    /* If sessions vary by ten times the requested half width, they must last 100 times as long. */
    const double half = 1.96 * sqrt(b.variance) / 10;
    CHECK_NEAR(between_sessions_seconds(&b, half, 0.95), 100 * b.seconds, 0.1 * b.seconds);
    CHECK_NEAR(b.seconds, sessions[0].seconds, 1e-9);
    b.pairs = BETWEEN_SESSIONS_MIN - 1;
    CHECK_NEAR(between_sessions_seconds(&b, half, 0.95), 0, 0);

    for (size_t i = 0; i < 12; i++)
        sessions[i] = session_of(100);
    history_judge(&h);
    b = between_sessions_of(&h);
    CHECK_INT(b.pairs, 11);
    CHECK_NEAR(b.variance, 0, 0); /* less variation than the intervals already include */
    h.count = BETWEEN_SESSIONS_MIN;
    for (size_t i = 0; i < 4; i++)
        sessions[i] = session_of(i % 2 ? 130 : 100);
    history_judge(&h);
    b = between_sessions_of(&h);
    CHECK_NEAR(between_sessions_half(&b, 0.95), 0, 0);
}

int main(void)
{
    check_pairs();
    check_effect(0, 0.945, 1.35);
    check_effect(0.01, 0.93, 2);
    check_effect(0.03, 0.93, 5);
    return check_result();
}
