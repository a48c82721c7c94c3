/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of options: a whole text each, and an error that has the column. */
#include "generator/workload_spec_text.h"

#include "generator/internal.h"
#include <string.h>

static int say(const struct fault *fault, struct err *e)
{
    return err_set(e, ERR_USAGE, "column %zu: %s", fault->column, fault->message);
}

int arrival_parse(const char *text, struct arrival_spec *arrival, struct err *e)
{
    struct fault fault;
    struct words w = words_of(span_of(text), &fault);
    return words_arrival(&w, arrival) ? say(&fault, e) : 0;
}

int phases_parse(const char *text, struct phases *phases, struct err *e)
{
    struct fault fault;
    struct words w = words_of(span_of(text), &fault);
    return words_phases(&w, phases) ? say(&fault, e) : 0;
}

int duration_parse(const char *text, struct duration_spec *duration, struct err *e)
{
    struct fault fault;
    struct words w = words_of(span_of(text), &fault);
    return words_duration(&w, duration) ? say(&fault, e) : 0;
}

int address_parse(const char *text, struct address_spec *address, struct err *e)
{
    struct fault fault;
    struct words w = words_of(span_of(text), &fault);
    if (words_address(&w, address))
        return say(&fault, e);
    if (address->kind == ADDRESS_SAME)
        return err_set(e, ERR_USAGE, "column 1: same is possible in transactions of profiles only");
    return 0;
}

int sizes_parse(const char *text, struct size_spec sizes[SIZES_MAX], unsigned *count, struct err *e)
{
    struct fault fault;
    struct words w = words_of(span_of(text), &fault);
    return words_sizes(&w, sizes, count) ? say(&fault, e) : 0;
}
