/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives the names of operations and subjects of a recording, and computes its figures. */
#include "facts/recording.h"

const char *recording_op_name(enum recording_op op)
{
    static const char *const names[RECORDING_OPS] = {"read", "write", "flush", "discard", "all"};
    return names[op];
}

const char *recording_subject_name(enum recording_subject subject)
{
    static const char *const names[RECORDING_SUBJECTS] = {"program", "process", "cgroup", "all",
                                                          "device"};
    return names[subject];
}

bool recording_has_calls(const struct recording *a)
{
    return a->subject != RECORDING_DEVICE;
}

const struct recording_level *recording_main_level(const struct recording *a)
{
    return recording_has_calls(a) || a->device_count == 0 ? &a->calls : &a->devices[0];
}

double recording_lost_share(const struct recording *a)
{
    return a->lost ? (double)a->lost / (double)(a->events + a->lost) : 0;
}

bool recording_rates_known(const struct recording *a)
{
    double all = (double)a->events + (double)a->lost;
    return (double)a->lost <= RECORDING_LOST_FEW + RECORDING_LOST_SHARE_MAX * all;
}
