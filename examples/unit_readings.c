/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A workload with unit readings: how long a byte takes through a pipe, timed for each byte. */
#include <cupel.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define UNITS 100

static double microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* A round of UNITS bytes. For each byte, metric 0 gets the time and metric 1 whether it was long (0
   or 1). */
static int bytes_through_pipe(void *context, const struct cupel_round *round)
{
    const int *ends = (const int *)context;
    double took[UNITS], is_long[UNITS];
    for (int i = 0; i < UNITS; i++) {
        char byte = 0;
        double begin = microseconds();
        if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
            return -1;
        took[i] = microseconds() - begin;
        is_long[i] = took[i] > 100;
    }
    return cupel_push(round->session, 0, took, UNITS, NULL) ||
           cupel_push(round->session, 1, is_long, UNITS, NULL);
}

int main(void)
{
    static const double shares[] = {0.5, 0.9, 0.99};
    struct cupel_error error;
    struct cupel_result r;
    int ends[2];
    struct cupel_session *s = cupel_session_new(&error);
    if (pipe(ends) || !s || cupel_set(s, "preset", "quick", &error) ||
        cupel_set(s, "limit", "2s", &error) || cupel_set(s, "min-time", "0.2s", &error) ||
        cupel_metric(s, "time through the pipe, us", CUPEL_LOWER_IS_BETTER, &error) != 0 ||
        cupel_metric(s, "longer than 100 us", CUPEL_PROPORTION | CUPEL_INFORMATIVE, &error) != 1)
        return CUPEL_MACHINE;
    if (cupel_measure(s, bytes_through_pipe, ends, &error))
        fprintf(stderr, "%s\n", error.message); /* the results so far are valid nevertheless */
    if (cupel_result(s, 0, &r, &error))
        return (int)error.code;
    printf("mean %.3f us, %.3f to %.3f, of %zu bytes\n", r.mean, r.low, r.high, r.readings);
    for (int i = 0; i < 3; i++) {
        struct cupel_percentile p;
        if (cupel_percentile(s, 0, shares[i], &p, &error))
            return (int)error.code;
        printf("p%g %.3f us, %.3f to %.3f %s\n", 100 * p.share, p.value, p.low, p.high, p.note);
    }
    if (cupel_result(s, 1, &r, &error))
        return (int)error.code;
    printf("longer than 100 us: %.3g %%, %.3g to %.3g %%\n", 100 * r.mean, 100 * r.low,
           100 * r.high);
    cupel_session_free(s);
    return 0;
}
