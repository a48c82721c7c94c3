/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value against its peers and Holm's adjustment: known numbers, computed with R (dist, qt, pt,
   p.adjust), and the edges. */
#include "stat/outlier/odd_ones.h"

#include "check.h"
#include "stat/basic/sort.h"

static void check_few(void)
{
    double x[] = {0.012, -0.021, 0.003, 0.034, -0.008, 0.017, -0.002, 0.009, -0.015, 0.026};
    double room[10];
    sort_values(x, 10, room);
    const struct outlier_peers peers = {x, 10, 0.004, (double)NAN, (double)NAN};
    CHECK_NEAR(robust_scale_of(x, 10, 10), 0.0207751892348, 1e-9);
    struct outlier o = outlier_of(0.19, 0.01, &peers, 10);
    CHECK_NEAR(o.excess, 0.184, 1e-12);
    CHECK_NEAR(o.low, 0.152303574051786, 1e-9);
    CHECK_NEAR(o.high, 2 * 0.184 - 0.152303574051786, 1e-9);
    CHECK_NEAR(o.p, 0.000133344007595017, 1e-8);
    /* A value among its own peers is left out: as if it were compared with the others. */
    double eleven[11];
    memcpy(eleven, x, sizeof x);
    eleven[10] = 0.19;
    const struct outlier_peers with = {eleven, 11, 0.004, (double)NAN, (double)NAN};
    o = outlier_of(0.19, 0.01, &with, 10);
    CHECK_NEAR(o.p, 0.000133344007595017, 1e-8);
    /* With a wide interval of its own it is less certain. */
    CHECK(outlier_of(0.19, 0.1, &peers, 10).p > 10 * o.p);
    /* A fast drive is never called slow. */
    CHECK(outlier_of(-0.5, 0.01, &peers, 10).p >= 1);
    const struct outlier_peers three = {x, 3, 0.004, (double)NAN, (double)NAN};
    CHECK(isnan(outlier_of(0.19, 0.01, &three, 3).p));
    CHECK(isnan(robust_scale_of(x, 1, 1)));
}

static void check_tail(void)
{
    double x[] = {-0.0125, 0.0037,  -0.0167, 0.0319,  0.0066,  -0.0164, 0.0097, 0.0148,
                  0.0115,  -0.0061, 0.0302,  0.0078,  -0.0124, -0.0443, 0.0225, -0.0009,
                  -0.0003, 0.0189,  0.0164,  0.0119,  0.0184,  0.0156,  0.0015, -0.0398,
                  0.0124,  -0.0011, -0.0031, -0.0294, -0.0096, 0.0084,  0.0272, -0.0021,
                  0.0078,  -0.0011, -0.0275, -0.0083, -0.0079, -0.0012, 0.022,  0.0153};
    double room[40];
    sort_values(x, 40, room);
    const struct outlier_peers peers = {x, 40, 0, (double)NAN, (double)NAN};
    CHECK_NEAR(robust_scale_of(x, 40, 40), 0.017660591189374, 1e-9);
    CHECK_NEAR(outlier_of(0.2, 0, &peers, 40).p, 3.12252901156892e-05, 1e-8);
    /* Peers that are all equal: any difference is certain. */
    for (size_t i = 0; i < 40; i++)
        x[i] = 1;
    struct outlier o = outlier_of(1.2, 0, &peers, 40);
    CHECK(o.p <= 0 && o.low > 0.19);
    CHECK(outlier_of(1, 0, &peers, 3).p >= 1);
}

static void check_holm(void)
{
    static const double p[] = {.01, .04, .03, .005, .5, .03};
    static const double expected[] = {.05, .12, .12, .03, .5, .12};
    double adjusted[6], room[12];
    holm_adjust(p, 6, adjusted, room);
    for (size_t i = 0; i < 6; i++)
        CHECK_NEAR(adjusted[i], expected[i], 1e-12);
    holm_adjust(p, 0, adjusted, room);
    CHECK_NEAR(adjusted[0], .05, 1e-12);
}

int main(void)
{
    check_few();
    check_tail();
    check_holm();
    return check_result();
}
