/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Golden output: compares a text with a file of tests/golden and shows the first line that differs.
 * CUPEL_GOLDEN_WRITE=1 rewrites the files: look at the difference before you commit it.
 */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/unit/check.h"

static inline bool golden_read(const char *path, struct text *to)
{
    char buffer[4096];
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        text_add_bytes(to, buffer, n);
    fclose(f);
    return true;
}

static inline void golden_write(const char *path, const struct text *actual)
{
    FILE *f = fopen(path, "w");
    if (!f || fwrite(actual->data, 1, actual->length, f) != actual->length || fclose(f) != 0)
        check_that(false, path, 0, "the golden file can be written");
}

static inline void golden_show_difference(const char *path, const char *actual,
                                          const char *expected)
{
    size_t at = 0, line = 1, begin = 0;
    while (actual[at] && actual[at] == expected[at]) {
        if (actual[at++] == '\n') {
            line++;
            begin = at;
        }
    }
    fprintf(stderr, "%s:%zu:\n    got      %.*s\n    expected %.*s\n", path, line,
            (int)strcspn(actual + begin, "\n"), actual + begin,
            (int)strcspn(expected + begin, "\n"), expected + begin);
}

/* Compares `actual` with tests/golden/<name>; frees nothing. */
static inline void golden_check(const char *name, const struct text *actual)
{
    char path[256];
    snprintf(path, sizeof path, "tests/golden/%s", name);
    CHECK(!actual->failed);
    CHECK(actual->data != NULL);
    if (!actual->data)
        return;
    if (getenv("CUPEL_GOLDEN_WRITE")) {
        golden_write(path, actual);
        return;
    }
    struct text expected = {0};
    bool found = golden_read(path, &expected);
    bool same = found && expected.length == actual->length &&
                (actual->length == 0 || !memcmp(expected.data, actual->data, actual->length));
    if (!check_that(same, path, 0,
                    found ? "the output is as before" : "the golden file is there") &&
        found)
        golden_show_difference(path, actual->data, expected.data ? expected.data : "");
    text_free(&expected);
}

#endif
