/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables that `predict` reads: the first byte chooses factors and response. */
#include "stat/map/design.h"
#include "stat/map/prediction.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include <math.h>

static const char *const names[][3] = {{"a", NULL}, {"a", "b", NULL}, {"b", NULL}, {NULL}};

static void check_places(const struct configurations *c)
{
    struct places p;
    struct err e = {0};
    if (places_unmeasured(&p, c, &e))
        return;
    for (size_t i = 0; i < p.count * p.column_count; i++)
        FUZZ_CHECK(p.cells[i] != NULL, "a place without a level");
    places_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const responses[] = {"y", "sd", "p99", "mean"};
    if (size == 0)
        return 0;
    struct configurations c;
    struct err e = {0};
    struct configurations_request request = {.factors = names[data[0] % 3],
                                             .maps_by = names[data[0] & 4 ? 3 : 2],
                                             .response = responses[data[0] >> 4 & 3],
                                             .value = data[0] & 8 ? "y" : NULL};
    memory_file_set(0, data + 1, size - 1);
    if (configurations_read(&c, MEMORY_FILE, &request, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a table refused without a reason");
        FUZZ_CHECK(c.level == NULL && c.n == 0, "configurations that are not empty");
        return 0;
    }
    FUZZ_CHECK(c.n > 0 && c.n <= size && c.map_count > 0, "more configurations than bytes");
    for (size_t i = 0; i < c.n; i++) {
        FUZZ_CHECK(isfinite(c.value[i]), "a response that is no number");
        FUZZ_CHECK(c.map[i] < c.map_count, "a map that does not exist");
        for (size_t f = 0; f < c.stride; f++)
            FUZZ_CHECK(c.level[i * c.stride + f] < c.factors[f].level_count, "no such level");
    }
    check_places(&c);
    configurations_free(&c);
    return 0;
}
