/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "facts/prometheus_exposition.h"

#define FIRST_POWER 10

uint64_t exposed_bound_ns(size_t bound)
{
    const uint64_t half = UINT64_C(1) << (bound / 2 + FIRST_POWER - 1);
    return bound % 2 ? 3 * half : 2 * half;
}
