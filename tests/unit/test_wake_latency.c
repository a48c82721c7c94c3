/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How late sleeps end, and the pre-spin computed from that. */
#include "check.h"
#include "run/loop/internal.h"

int main(void)
{
    struct wake_latency w = {0};
    CHECK_INT(wake_latency_percentile(&w, .5), 0);
    CHECK_INT(wake_latency_pre_spin(&w), PRE_SPIN_MIN_NS);
    CHECK(!wake_latency_is_news(&w));

    for (unsigned i = 100; i; i--)
        wake_latency_add(&w, i * 100);
    CHECK_INT(wake_latency_percentile(&w, 0), 100);
    CHECK_INT(wake_latency_percentile(&w, .5), 5000);
    CHECK_INT(wake_latency_percentile(&w, .97), 9700);
    CHECK_INT(wake_latency_percentile(&w, 1), 10000);
    CHECK_INT(wake_latency_pre_spin(&w), 2 * 9700 + PRE_SPIN_MIN_NS);
    CHECK(wake_latency_is_news(&w));
    CHECK(!wake_latency_is_news(&w));

    /* Only the last WAKE_SAMPLES count; a few disturbed ones do not matter. */
    for (unsigned i = 0; i < WAKE_SAMPLES; i++)
        wake_latency_add(&w, i < 3 ? 9000000 : 40000);
    CHECK_INT(wake_latency_percentile(&w, .5), 40000);
    CHECK_INT(wake_latency_percentile(&w, 1), 9000000);
    CHECK_INT(wake_latency_pre_spin(&w), 100000);

    /* However many were disturbed, it stays proportional to the others. */
    for (unsigned i = 0; i < WAKE_SAMPLES; i++)
        wake_latency_add(&w, i % 4 ? 30000 : 5000000);
    CHECK_INT(wake_latency_pre_spin(&w), 4 * 30000 + PRE_SPIN_MIN_NS);
    CHECK(wake_latency_is_news(&w));

    /* Bounded on any machine. */
    for (unsigned i = 0; i < WAKE_SAMPLES; i++)
        wake_latency_add(&w, UINT64_MAX);
    CHECK_INT(wake_latency_percentile(&w, .5), UINT32_MAX);
    CHECK_INT(wake_latency_pre_spin(&w), PRE_SPIN_MAX_NS);
    return check_result();
}
