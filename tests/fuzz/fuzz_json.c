/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON texts: every value is found again by its path and lies in the text; a text that is one value
   from begin to end has no fault anywhere. */
#include "base/json/json_read.h"
#include "tests/fuzz/fuzz.h"

#define DEPTH_MAX 64

static bool lies_in(struct span s, struct span text)
{
    return s.length == 0 || (s.text >= text.text && s.text + s.length <= text.text + text.length);
}

/* Values below this one; whether each level is free of faults. */
static void walk(struct span value, bool sound, int depth)
{
    struct span name = {0}, below = {0};
    struct json_walk w = json_walk_of(value);
    while (depth < DEPTH_MAX && json_next(&w, &name, &below)) {
        FUZZ_CHECK(lies_in(name, value) && lies_in(below, value), "a value outside of its text");
        walk(below, sound, depth + 1);
    }
    FUZZ_CHECK(!sound || !w.broken || depth > 0, "a fault in what was one value");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = {(const char *)data, size}, value = {0}, after = text, name, found = {0};
    while (json_first(after, &value, &after)) {
        FUZZ_CHECK(lies_in(value, text) && lies_in(after, text), "a value outside of its text");
        walk(value, false, 0);
    }
    walk(text, json_is_value(text), 0);
    struct json_walk w = json_walk_of(text);
    if (w.close == '}' && json_next(&w, &name, &value) && name.length > 0)
        FUZZ_CHECK(json_find(text, name, &found) != JSON_ABSENT, "its first member is not found");
    return 0;
}
