/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the real capacity of a drive that wraps around, from a set of misdirected sectors. */
#include "io/stamp/stamp.h"

enum {
    MIN_DISTANCES = 4,
    MAX_PAIRED = 64, /* number of distances that are compared in pairs */
    MUCH_LARGER = 64,
    /* in sectors; the chance that four numbers have such a large common divisor is 10^-10 */
    MIN_WRAP = 2048,
};

static uint64_t magnitude(int64_t distance)
{
    return distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static size_t divided(const int64_t *distances, size_t count, uint64_t by)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += magnitude(distances[i]) % by == 0;
    return n;
}

/* Computes the largest common divisor of each pair of distances. Returns the largest of these
   divisors that divides at least `enough` distances. `*most` becomes the largest number of
   distances that any of the divisors divides. */
static uint64_t largest(const int64_t *distances, size_t count, size_t enough, size_t *most)
{
    uint64_t wrap = 0;
    size_t paired = count < MAX_PAIRED ? count : MAX_PAIRED;
    *most = 0;
    for (size_t i = 0; i < paired; i++)
        for (size_t j = 0; j <= i; j++) {
            uint64_t divisor = common_divisor(magnitude(distances[i]), magnitude(distances[j]));
            if (divisor < MIN_WRAP || divisor == wrap)
                continue;
            size_t n = divided(distances, count, divisor);
            *most = n > *most ? n : *most;
            wrap = n >= enough && divisor > wrap ? divisor : wrap;
        }
    return wrap;
}

/*
 * At least one pair of wrapped distances has the capacity as its largest common divisor, and the
 * capacity normally divides the most distances. By chance, a small divisor of the capacity may
 * divide a few more distances: if a much larger number divides nearly as many, that number is the
 * capacity.
 */
uint64_t stamp_wrap(const int64_t *distances, size_t count)
{
    size_t most, unused;
    largest(distances, count, count, &most);
    if (most < MIN_DISTANCES || most <= count / 2)
        return 0;
    uint64_t wrap = largest(distances, count, most, &unused);
    uint64_t larger = largest(distances, count, most - most / 8, &unused);
    return larger / wrap >= MUCH_LARGER ? larger : wrap;
}
