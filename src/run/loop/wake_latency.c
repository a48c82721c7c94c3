/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last sleeps of a thread, and percentiles of their lateness. */
#include "run/loop/internal.h"

#include <math.h>
#include <string.h>

void wake_latency_add(struct wake_latency *w, uint64_t late_ns)
{
    w->late_ns[w->count++ % WAKE_SAMPLES] = late_ns < UINT32_MAX ? (uint32_t)late_ns : UINT32_MAX;
}

uint64_t wake_latency_percentile(const struct wake_latency *w, double share)
{
    uint32_t sorted[WAKE_SAMPLES] = {0};
    unsigned n = w->count < WAKE_SAMPLES ? (unsigned)w->count : WAKE_SAMPLES;
    if (!n)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned at = i;
        for (; at && sorted[at - 1] > w->late_ns[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = w->late_ns[i];
    }
    unsigned rank = (unsigned)ceil(share * n);
    return sorted[rank < 1 ? 0 : rank > n ? n - 1 : rank - 1];
}

uint64_t wake_latency_pre_spin(const struct wake_latency *w)
{
    uint64_t usual = wake_latency_percentile(w, .5) * 4,
             nearly_all = wake_latency_percentile(w, .97) * 2;
    uint64_t ns = (nearly_all < usual ? nearly_all : usual) + PRE_SPIN_MIN_NS;
    return ns < PRE_SPIN_MAX_NS ? ns : PRE_SPIN_MAX_NS;
}
