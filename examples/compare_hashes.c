/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of two hash functions is faster? The library does the rounds and the clock. */
#include <cupel.h>
#include <stdio.h>

static unsigned char page[4096];
static volatile uint32_t result;

static int fnv1a(void *context, const struct cupel_round *round)
{
    (void)context;
    for (uint64_t i = 0; i < round->work; i++) {
        uint32_t hash = 2166136261u;
        page[0] = (unsigned char)i; /* or the compiler hashes the same page once */
        for (size_t k = 0; k < sizeof page; k++)
            hash = (hash ^ page[k]) * 16777619u;
        result = hash;
    }
    return 0;
}

static int shift_add(void *context, const struct cupel_round *round)
{
    (void)context;
    for (uint64_t i = 0; i < round->work; i++) {
        uint32_t hash = 0;
        page[0] = (unsigned char)i;
        for (size_t k = 0; k < sizeof page; k++)
            hash += (hash << 5) + page[k];
        result = hash;
    }
    return 0;
}

int main(void)
{
    const cupel_round_function functions[] = {fnv1a, shift_add};
    const char *const names[] = {"fnv1a", "shift_add"};
    struct cupel_error error;
    for (int i = 0; i < 2; i++) {
        struct cupel_result r;
        struct cupel_session *s = cupel_session_new(&error);
        if (!s || cupel_set(s, "preset", "quick", &error) || cupel_set(s, "limit", "10s", &error) ||
            cupel_set(s, "min-time", "0.5s", &error) ||
            cupel_metric(s, "pages per second", CUPEL_TIMED | CUPEL_PROCESSOR_TIME, &error) < 0 ||
            cupel_measure(s, functions[i], NULL, &error) || cupel_result(s, 0, &r, &error)) {
            fprintf(stderr, "%s: %s\n", names[i], error.message);
            return error.code;
        }
        printf("%-10s %.4g pages/s, 95 %% interval %.4g to %.4g\n", names[i], r.mean, r.low,
               r.high);
        cupel_session_free(s);
    }
    return 0;
}
