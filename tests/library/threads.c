/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions in several threads at once, which give the same to the last bit as one after the other,
 * in a program with a locale of its own; and a hundred thousand that come and go.
 *
 *     ./threads [SESSIONS]
 */
#include <cupel.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4

struct answers {
    uint64_t seed;
    struct cupel_result result;
    struct cupel_percentile percentile;
    struct cupel_limit limits[2];
    struct cupel_speed speed;
    struct cupel_shift shift;
    int failed;
};

static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0; /* 2^53 */
}

static void *use_session(void *argument)
{
    struct answers *a = (struct answers *)argument;
    uint64_t state = a->seed;
    int enough = 0;
    struct cupel_session *s = cupel_session_new(NULL);
    a->failed = !s || cupel_set(s, "ci", "2.5%", NULL) || cupel_metric(s, "time", 0, NULL) ||
                cupel_set_limits(s, 0, "mean<100.75, p99.5<101.25", NULL) ||
                cupel_work_range(s, 1, 100000, 0.001, 0, NULL);
    while (!a->failed && !enough) {
        double x = 100 + next(&state);
        uint64_t work = cupel_next_work(s);
        double seconds = 0.002 + (double)work * 1e-4 * (1 + 0.01 * next(&state));
        a->failed |= cupel_push(s, 0, &x, 1, NULL) || cupel_push_round(s, work, seconds, NULL);
        enough = cupel_enough(s, NULL);
        a->failed |= enough < 0;
    }
    a->failed = a->failed || cupel_result(s, 0, &a->result, NULL) ||
                cupel_percentile(s, 0, 0.9, &a->percentile, NULL) ||
                cupel_limits(s, 0, a->limits, 2, NULL) != 2 || cupel_speed(s, &a->speed, NULL) ||
                cupel_slow_shift(s, 0, &a->shift, NULL);
    cupel_session_free(s);
    return NULL;
}

/* Everything that was computed, as numbers. */
static void numbers_of(const struct answers *a, double to[16])
{
    const double all[16] = {a->result.mean,      a->result.low,
                            a->result.high,      a->result.effective_n,
                            a->percentile.value, a->percentile.low,
                            a->percentile.high,  (double)a->limits[0].verdict,
                            a->limits[0].value,  (double)a->limits[1].verdict,
                            a->limits[1].value,  a->speed.low,
                            a->speed.high,       a->speed.setup,
                            a->shift.slope,      (double)a->result.readings};
    memcpy(to, all, sizeof all);
}

int main(int argc, char *argv[])
{
    static struct answers together[THREADS], alone[THREADS];
    pthread_t threads[THREADS];
    long sessions = argc > 1 ? atol(argv[1]) : 100000, i;
    setlocale(LC_ALL, "");
    for (i = 0; i < THREADS; i++) {
        together[i].seed = alone[i].seed = (uint64_t)i + 1;
        if (pthread_create(&threads[i], NULL, use_session, &together[i]))
            return 6;
    }
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < THREADS; i++) {
        double one[16], other[16];
        use_session(&alone[i]);
        numbers_of(&alone[i], one);
        numbers_of(&together[i], other);
        if (alone[i].failed || memcmp(one, other, sizeof one) != 0) {
            fprintf(stderr, "session %ld is another one beside others\n", i);
            return 1;
        }
    }
    for (i = 0; i < sessions; i++) {
        double readings[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        struct cupel_result r;
        struct cupel_session *s = cupel_session_new(NULL);
        if (!s || cupel_metric(s, "x", 0, NULL) || cupel_push(s, 0, readings, 10, NULL) ||
            cupel_result(s, 0, &r, NULL) || r.readings != 10)
            return 1;
        cupel_session_free(s);
    }
    printf("mean %.6g of %lu readings\n", alone[0].result.mean,
           (unsigned long)alone[0].result.readings);
    return 0;
}
