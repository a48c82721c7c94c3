/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats and files of a qualification: one row each. */
#include "report/qualify/internal.h"
#include <stdint.h>
#include <string.h>

const struct qualification_sink qualification_sinks[] = {
    {"text", qualification_print_text},
    {"csv", qualification_print_csv},
    {"json", qualification_print_json},
    {NULL, NULL},
};

const struct qualification_sink *qualification_sink_find(const char *name)
{
    for (const struct qualification_sink *sink = qualification_sinks; sink->name; sink++)
        if (!strcmp(sink->name, name))
            return sink;
    return NULL;
}

static const struct report_style plain = {.colour = false, .unicode = false, .width = 80};

static void render_text(const struct qualification *q, struct text *out)
{
    qualification_print_text(q, &plain, out);
}

static void render_csv(const struct qualification *q, struct text *out)
{
    qualification_print_csv(q, &plain, out);
}

static void render_json(const struct qualification *q, struct text *out)
{
    qualification_print_json(q, &plain, out);
}

const struct qualification_file qualification_files[] = {
    {"qualification.txt", render_text},
    {"qualification.csv", render_csv},
    {"qualification.json", render_json},
    {NULL, NULL},
};

const struct result_row *qualification_row(const struct qualification_test *test, size_t i)
{
    const struct result_row *rows[QUALIFICATION_ROWS] = {&test->bandwidth, &test->iops,
                                                         &test->response_time, &test->p99};
    return rows[i];
}

const struct qualification_test *qualification_test_of(const struct qualification_device *device,
                                                       const char *name)
{
    for (size_t i = 0; i < device->test_count; i++)
        if (!strcmp(device->tests[i].name, name))
            return &device->tests[i];
    return NULL;
}
