/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and choices of a recording. */
#include "facts/application.h"

const char *application_op_name(enum application_op op)
{
    static const char *const names[APPLICATION_OPS] = {"read", "write", "flush", "discard", "all"};
    return names[op];
}

const struct application_level *application_main_level(const struct application *a)
{
    return a->of_program || a->device_count == 0 ? &a->calls : &a->devices[0];
}

double application_lost_share(const struct application *a)
{
    return a->lost ? (double)a->lost / (double)(a->events + a->lost) : 0;
}

bool application_rates_known(const struct application *a)
{
    double all = (double)a->events + (double)a->lost;
    return (double)a->lost <= APPLICATION_LOST_FEW + APPLICATION_LOST_SHARE_MAX * all;
}
