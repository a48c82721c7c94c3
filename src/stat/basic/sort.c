/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts integer keys with a radix sort, from the lowest byte up. The order of the keys is that of
   the values. */
#include "stat/basic/sort.h"

#include <stdint.h>
#include <string.h>

enum { KEY_BYTES = sizeof(uint64_t), DIGITS = 256, FEW = 64 };

static const uint64_t sign = (uint64_t)1 << 63;

/* Turns a double into an integer of the same order: all bits are inverted if the value is negative,
   otherwise the sign bit alone. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static size_t digit_of(double value, int place)
{
    return (size_t)(key_of(value) >> (8 * place)) % DIGITS;
}

static void sort_few(double x[], size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double value = x[i];
        size_t at = i;
        for (; at > 0 && x[at - 1] > value; at--)
            x[at] = x[at - 1];
        x[at] = value;
    }
}

/* Replaces each digit's count by the index at which values with this digit begin. */
static void places_of_counts(size_t place[DIGITS])
{
    size_t begin = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t count = place[digit];
        place[digit] = begin;
        begin += count;
    }
}

void sort_values(double x[], size_t n, double room[])
{
    size_t place[KEY_BYTES][DIGITS] = {0};
    double *from = x, *to = room;
    if (n <= FEW) {
        sort_few(x, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (int byte = 0; byte < KEY_BYTES; byte++)
            place[byte][digit_of(x[i], byte)]++;
    for (int byte = 0; byte < KEY_BYTES; byte++) {
        /* skips this byte when all keys have the same value in it */
        if (place[byte][digit_of(from[0], byte)] == n)
            continue;
        places_of_counts(place[byte]);
        for (size_t i = 0; i < n; i++)
            to[place[byte][digit_of(from[i], byte)]++] = from[i];
        double *other = from;
        from = to;
        to = other;
    }
    if (from != x)
        memcpy(x, from, n * sizeof *x);
}

size_t sorted_at_most(const double x[], size_t n, double value)
{
    size_t begin = 0;
    while (begin < n) {
        size_t middle = begin + (n - begin) / 2;
        if (x[middle] <= value)
            begin = middle + 1;
        else
            n = middle;
    }
    return begin;
}

size_t sorted_below(const double x[], size_t n, double value)
{
    size_t begin = 0;
    while (begin < n) {
        size_t middle = begin + (n - begin) / 2;
        if (x[middle] < value)
            begin = middle + 1;
        else
            n = middle;
    }
    return begin;
}
