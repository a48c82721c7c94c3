/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures work per second of a program that has no readings within a round: how fast numbers are
 * sorted in heaps of 1,000. The set-up of each round, a table of 16 MiB, is left out.
 */
#include <cupel.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAP  1000
#define TABLE ((size_t)2 << 20)

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Does one round: sets up the table, then sorts round->work heaps. */
static int sort_heaps(void *context, const struct cupel_round *round)
{
    uint64_t *table = (uint64_t *)malloc(TABLE * sizeof *table), heap[HEAP], x = 1;
    (void)context;
    if (!table)
        return -1;
    for (size_t i = 0; i < TABLE; i++)
        table[i] = x = x * 6364136223846793005u + 1442695040888963407u;
    for (uint64_t i = 0; i < round->work; i++) {
        for (size_t k = 0; k < HEAP; k++)
            heap[k] = table[(i * HEAP + k) % TABLE];
        qsort(heap, HEAP, sizeof *heap, compare);
    }
    free(table);
    return 0;
}

int main(void)
{
    struct cupel_error error;
    struct cupel_speed v;
    struct cupel_session *s = cupel_session_new(&error);
    if (!s || cupel_set(s, "min-samples", "20", &error) || cupel_set(s, "limit", "20s", &error) ||
        cupel_set(s, "min-time", "0", &error) ||
        cupel_work_range(s, 1, 10000, 0.002, CUPEL_PROCESSOR_TIME, &error))
        return CUPEL_MACHINE;
    if (cupel_measure(s, sort_heaps, NULL, &error))
        fprintf(stderr, "%s\n", error.message); /* the results so far are valid nevertheless */
    if (cupel_speed(s, &v, &error))
        return (int)error.code;
    printf("%.6g heaps a second, %.6g to %.6g; set-up %.3g s, %.3g to %.3g; %zu rounds %s\n",
           v.speed, v.low, v.high, v.setup, v.setup_low, v.setup_high, v.rounds, v.note);
    cupel_session_free(s);
    return v.bounded ? 0 : CUPEL_UNDECIDED;
}
