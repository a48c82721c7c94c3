/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and choices of a recording. */
#include "base/application.h"

const char *application_op_name(enum application_op op)
{
    static const char *const names[APPLICATION_OPS] = {"read", "write", "flush", "discard", "all"};
    return names[op];
}

const struct application_level *application_main_level(const struct application *a)
{
    return a->of_program || a->device_count == 0 ? &a->calls : &a->devices[0];
}
