/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file of components (--graph). A message has the line and the column of something that is there;
 * what is read without one can be watched: it has a limit or a counter, and times that end.
 */
#include <math.h>
#include <string.h>

#include "hw/component/internal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_place.h"

/* The bytes after the file, as a counter's text: a number or a reason, never both. */
static void find_number(const struct component *c, const char *text, size_t size)
{
    static char copy[4096];
    char why[160] = "";
    double number = NAN;
    size_t length = size < sizeof copy ? size : sizeof copy - 1;
    memcpy(copy, text, length);
    copy[length] = '\0';
    bool found = component_number(c, copy, &number, why, sizeof why);
    FUZZ_CHECK(found ? !why[0] && !isnan(number) : why[0], "no number, and no reason");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct components all;
    const char *text = (const char *)data;
    struct err e = {0};
    if (components_parse(&all, "graph", (struct span){text, size}, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && place_is_there("graph", text, size, e.msg),
                   "a file refused without a place that is there");
        return 0;
    }
    FUZZ_CHECK(all.count > 0 && all.count <= COMPONENTS_MAX, "no components, or too many");
    for (size_t i = 0; i < all.count; i++) {
        const struct component *c = &all.list[i];
        FUZZ_CHECK(c->name[0] && (c->source[0] || (c->limit > 0 && c->bytes)),
                   "a component of which nothing could be watched");
        FUZZ_CHECK(c->every_seconds >= 0.1 && c->timeout_seconds > 0 && c->scale > 0 && c->column,
                   "a component that is read all the time, or never");
        find_number(c, text, size);
    }
    return 0;
}
