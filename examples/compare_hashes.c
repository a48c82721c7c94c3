/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out which of two hash functions is faster. The library runs rounds of both in turns, and
   times them. */
#include <cupel.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned char page[4096];
static volatile uint32_t result;

static int fnv1a(void *context, const struct cupel_round *round)
{
    (void)context;
    for (uint64_t i = 0; i < round->work; i++) {
        uint32_t hash = 2166136261u;
        /* different contents, or the compiler would hash the page only once */
        page[0] = (unsigned char)i;
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

static struct cupel_session *session_of(struct cupel_error *error)
{
    struct cupel_session *s = cupel_session_new(error);
    if (s && !cupel_set(s, "min-time", "0.2s", error) && !cupel_set(s, "limit", "20s", error) &&
        cupel_metric(s, "pages per second", CUPEL_TIMED | CUPEL_PROCESSOR_TIME, error) == 0)
        return s;
    fprintf(stderr, "%s\n", error->message);
    exit((int)error->code);
}

int main(void)
{
    static const char *const words[] = {"unknown", "fnv1a", "shift_add", "neither"};
    struct cupel_error error;
    struct cupel_comparison c;
    struct cupel_side first = {session_of(&error), 0, fnv1a, NULL};
    struct cupel_side second = {session_of(&error), 0, shift_add, NULL};
    if (cupel_compare_rounds(&first, &second, 0.01, &c, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return (int)error.code;
    }
    printf("faster: %s; fnv1a over shift_add %.3f, 95 %% interval %.3f to %.3f\n", words[c.order],
           c.ratio, c.low, c.high);
    cupel_session_free(first.session);
    cupel_session_free(second.session);
    return 0;
}
