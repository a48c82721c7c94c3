/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ratios of simulated rounds, and the part that is named as the cause of what drives lose. */
#include "check.h"
#include "simulated.h"

#include "machine/qualify/shared/shared.h"

static struct sharing s;
static struct arena scratch;
static uint64_t state = 18;

/* Begins with eight drives of 100 bytes/s: one part for the first four, one for the last four, and
   one for all (the host). */
static void begin(double limit_a, double limit_b)
{
    char name[16];
    s = (struct sharing){
        .confidence = 0.95, .max_rounds = SHARING_ROUNDS, .block_size = {1 << 17, 4096}};
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "nvme%dn1", i);
        CHECK_INT(shared_add_drive(&s, name, i), 0);
    }
    s.part_count = 3;
    for (size_t p = 0; p < 3; p++) {
        struct sharing_part *part = &s.parts[p];
        *part = (struct sharing_part){.limit = p == 0   ? limit_a
                                               : p == 1 ? limit_b
                                                        : NAN,
                                      .host = p == 2,
                                      .count = p == 2 ? 8 : 4};
        for (size_t i = 0; i < 8; i++)
            part->member[i] = p == 2 || i / 4 == p;
    }
}

/* Makes rounds with noise and a drift of 1 % per round, in which drive i keeps the share keep[i].
 */
static void measure(enum sharing_load load, unsigned rounds, double noise, const double keep[],
                    double rate)
{
    s.rounds[load] = rounds;
    for (size_t i = 0; i < s.drive_count; i++)
        for (unsigned round = 0; round < rounds; round++) {
            double level = rate * (1 + 0.01 * round);
            s.alone[load][i][round] = level * (1 + noise * simulated_normal(&state));
            s.together[load][i][round] = level * keep[i] * (1 + noise * simulated_normal(&state));
        }
    shared_judge_ratios(&s, load, &scratch);
    shared_find_blame(&s, load);
}

static const double all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static const double first_four[8] = {.25, .25, .25, .25, 1, 1, 1, 1};
static const double half[8] = {.5, .5, .5, .5, .5, .5, .5, .5};

static void check_parts(enum sharing_blame a, enum sharing_blame b, enum sharing_blame host)
{
    CHECK_INT(s.parts[0].blame[SHARING_READ], a);
    CHECK_INT(s.parts[1].blame[SHARING_READ], b);
    CHECK_INT(s.parts[2].blame[SHARING_READ], host);
}

static void test_named(void)
{
    /* At its limit. */
    begin(100, 400);
    measure(SHARING_READ, 8, 0.005, first_four, 100);
    check_parts(SHARING_FULL, SHARING_FREE, SHARING_FREE);
    CHECK(shared_is_decided(&s, SHARING_READ));
    for (int i = 0; i < 8; i++) {
        CHECK_INT(s.drives[i].loss[SHARING_READ], i < 4 ? SHARING_LOSES : SHARING_KEEPS);
        CHECK_INT(s.drives[i].part[SHARING_READ], i < 4 ? 0 : -1);
        CHECK_INT(s.drives[i].loss[SHARING_RANDREAD], SHARING_NOT_MEASURED);
    }
    CHECK_NEAR(s.drives[0].load[SHARING_READ].ratio, 0.25, 0.02);
    CHECK_NEAR(s.parts[0].load[SHARING_READ].ratio, 0.25, 0.02);
    CHECK_NEAR(s.parts[0].used[SHARING_READ], 1, 0.05);

    /* Below every known limit: the part is named as one with unknown limit. */
    begin(7500, 400);
    measure(SHARING_READ, 8, 0.005, first_four, 100);
    check_parts(SHARING_UNKNOWN, SHARING_FREE, SHARING_FREE);
    begin(NAN, NAN);
    measure(SHARING_READ, 8, 0.005, first_four, 100);
    check_parts(SHARING_UNKNOWN, SHARING_FREE, SHARING_FREE);

    /* More passes through it than its limit: so that is not the limit. */
    begin(50, 400);
    measure(SHARING_READ, 8, 0.005, first_four, 100);
    check_parts(SHARING_UNKNOWN, SHARING_FREE, SHARING_FREE);
}

/* All drives of the machine lose: the part that all share is named, unless the parts below are at
   their limits. */
static void test_all_lose(void)
{
    begin(7500, 7500);
    measure(SHARING_READ, 8, 0.005, half, 100);
    check_parts(SHARING_FREE, SHARING_FREE, SHARING_UNKNOWN);
    begin(200, 200);
    measure(SHARING_READ, 8, 0.005, half, 100);
    check_parts(SHARING_FULL, SHARING_FULL, SHARING_FREE);
    begin(200, NAN);
    measure(SHARING_READ, 8, 0.005, half, 100);
    CHECK_INT(s.parts[0].blame[SHARING_READ], SHARING_FULL);
    CHECK_INT(s.drives[0].part[SHARING_READ], 0);
    CHECK_INT(s.drives[7].part[SHARING_READ], 2);
}

static void test_mixed(void)
{
    /* A drive below its fair share of the part keeps its rate: the part is named all the same. */
    begin(NAN, NAN);
    static const double keep[8] = {.25, .25, .25, 1, 1, 1, 1, 1};
    s.rounds[SHARING_READ] = 6;
    for (size_t i = 0; i < 8; i++)
        for (unsigned round = 0; round < 6; round++) {
            double rate = i == 3 ? 10 : 100;
            s.alone[SHARING_READ][i][round] = rate * (1 + 0.003 * (round % 3));
            s.together[SHARING_READ][i][round] = rate * keep[i] * (1 + 0.004 * (round % 2));
        }
    shared_judge_ratios(&s, SHARING_READ, &scratch);
    shared_find_blame(&s, SHARING_READ);
    check_parts(SHARING_UNKNOWN, SHARING_FREE, SHARING_FREE);
    CHECK_INT(s.drives[3].loss[SHARING_READ], SHARING_KEEPS);

    /* One drive loses while its neighbours keep everything: no part explains that. */
    static const double one[8] = {.5, 1, 1, 1, 1, 1, 1, 1};
    begin(NAN, NAN);
    measure(SHARING_READ, 8, 0.005, one, 100);
    check_parts(SHARING_FREE, SHARING_FREE, SHARING_FREE);
    CHECK_INT(s.drives[0].loss[SHARING_READ], SHARING_LOSES);
    CHECK_INT(s.drives[0].part[SHARING_READ], -1);
}

static void test_undecided(void)
{
    static const double near[8] = {.95, .95, .95, .95, 1, 1, 1, 1};
    begin(100, 400);
    measure(SHARING_READ, 6, 0.03, near, 100);
    CHECK(!shared_is_decided(&s, SHARING_READ));
    CHECK_INT(s.drives[0].loss[SHARING_READ], SHARING_UNDECIDED);
    CHECK_INT(s.parts[0].blame[SHARING_READ], SHARING_OPEN);
    /* A single round proves nothing. */
    begin(100, 400);
    measure(SHARING_READ, 1, 0, all, 100);
    CHECK(!shared_is_decided(&s, SHARING_READ));
    CHECK_INT(s.drives[0].loss[SHARING_READ], SHARING_NOT_MEASURED);
    /* A drive that failed is left out. */
    begin(100, 400);
    snprintf(s.drives[0].failure, sizeof s.drives[0].failure, "gone");
    measure(SHARING_READ, 8, 0.005, first_four, 100);
    CHECK(shared_is_decided(&s, SHARING_READ));
    CHECK_INT(s.drives[0].loss[SHARING_READ], SHARING_NOT_MEASURED);
    CHECK_INT(s.drives[1].part[SHARING_READ], 0);
}

/* Sums with much noise: their interval reaches the limit, but the measured value does not. */
static void test_wide(void)
{
    begin(160, 400);
    s.rounds[SHARING_READ] = 8;
    for (size_t i = 0; i < 8; i++)
        for (unsigned round = 0; round < 8; round++) {
            s.alone[SHARING_READ][i][round] = 100;
            s.together[SHARING_READ][i][round] = i >= 4 ? 100 : round % 2 ? 40 : 10;
        }
    shared_judge_ratios(&s, SHARING_READ, &scratch);
    shared_find_blame(&s, SHARING_READ);
    const double sum = s.parts[0].load[SHARING_READ].together;
    CHECK(sum < SHARED_FULL * 160 && 2 * sum - s.parts[0].together_low[SHARING_READ] > 160);
    CHECK_INT(s.drives[0].loss[SHARING_READ], SHARING_LOSES);
    check_parts(SHARING_UNKNOWN, SHARING_FREE, SHARING_FREE);
}

/* A drive that fails after a round has no rates from then on: nothing of that round is kept. */
static void test_failed_later(void)
{
    begin(100, 400);
    measure(SHARING_READ, 8, 0.005, first_four, 100);
    CHECK_INT(s.drives[0].loss[SHARING_READ], SHARING_LOSES);
    snprintf(s.drives[0].failure, sizeof s.drives[0].failure, "gone");
    for (unsigned round = 0; round < 8; round++)
        s.alone[SHARING_READ][0][round] = s.together[SHARING_READ][0][round] = NAN;
    shared_judge_ratios(&s, SHARING_READ, &scratch);
    shared_find_blame(&s, SHARING_READ);
    CHECK_INT(s.drives[0].loss[SHARING_READ], SHARING_NOT_MEASURED);
    CHECK(isnan(s.drives[0].load[SHARING_READ].ratio));
    CHECK_INT(s.drives[0].part[SHARING_READ], -1);
    CHECK_NEAR(s.parts[0].load[SHARING_READ].together, 75, 0.1);
    CHECK_NEAR(s.parts[2].load[SHARING_READ].ratio, 4.75 / 7, 0.02);
    CHECK_INT(s.drives[1].loss[SHARING_READ], SHARING_LOSES);
    CHECK_INT(s.drives[1].part[SHARING_READ], 0);

    /* It was the last but one, and its rounds no longer count. */
    s.rounds[SHARING_READ] = 0;
    shared_judge_ratios(&s, SHARING_READ, &scratch);
    shared_find_blame(&s, SHARING_READ);
    CHECK_INT(s.drives[1].loss[SHARING_READ], SHARING_NOT_MEASURED);
    CHECK(isnan(s.parts[0].used[SHARING_READ]));
    check_parts(SHARING_FREE, SHARING_FREE, SHARING_FREE);
}

/*
 * Judged as often as in the schedule: among machines in which no drive loses anything, at most one
 * in twenty may name one, and most are decided in time.
 */
static void test_false_alarms(void)
{
    unsigned alarms = 0, open = 0;
    const unsigned machines = 100;
    for (unsigned m = 0; m < machines; m++) {
        begin(100, 400);
        double at_limit[8];
        for (int i = 0; i < 8; i++)
            at_limit[i] = SHARING_KEPT + 1e-9; /* the largest loss that still counts as none */
        bool wrong = false;
        for (unsigned rounds = SHARING_MIN_ROUNDS; rounds <= SHARING_ROUNDS; rounds++) {
            for (size_t i = 0; i < 8; i++)
                for (unsigned r = rounds == SHARING_MIN_ROUNDS ? 0 : rounds - 1; r < rounds; r++) {
                    s.alone[0][i][r] = 100 + 2 * simulated_normal(&state);
                    s.together[0][i][r] = at_limit[i] * (100 + 2 * simulated_normal(&state));
                }
            s.rounds[SHARING_READ] = rounds;
            if (!shared_is_look(&s, rounds))
                continue;
            shared_judge_ratios(&s, SHARING_READ, &scratch);
            for (size_t i = 0; i < 8; i++)
                wrong |= s.drives[i].loss[SHARING_READ] == SHARING_LOSES;
        }
        alarms += wrong;
        /* and with nothing lost at all */
        begin(100, 400);
        measure(SHARING_READ, SHARING_ROUNDS, 0.01, all, 100);
        open += !shared_is_decided(&s, SHARING_READ);
    }
    printf("false alarms %u, undecided %u of %u machines\n", alarms, open, machines);
    CHECK(alarms <= machines / 20);
    CHECK(open <= machines / 20);
}

int main(void)
{
    struct err e = {0};
    if (arena_init(&scratch, shared_scratch_bytes(), &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return EXIT_FAILURE;
    }
    test_named();
    test_all_lose();
    test_mixed();
    test_undecided();
    test_wide();
    test_failed_later();
    test_false_alarms();
    arena_free(&scratch);
    return check_result();
}
