/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program's output, and an index as typed: the first byte chooses the reader; the first line is
   the index, the others are the output. */
#include <math.h>
#include <string.h>

#include "program/exec/internal.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { OUTPUT_MAX = 1 << 16 };
    struct exec_index index;
    struct err e = {0};
    char *text = malloc(size + 1);
    if (!text || size == 0) {
        free(text);
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    char *end = strchr(text, '\n'), *output = end ? end + 1 : text + size - 1;
    if (end)
        *end = '\0';
    if (exec_index_parse(text, &index, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "an index refused without a reason");
        free(text);
        return 0;
    }
    FUZZ_CHECK(index.name[0] && index.source[0], "an index without a name or a place");
    struct exec_program program = {
        .indices = &index, .index_count = 1, .duration_column = data[0] % 4 - 1};
    struct output o = {.data = output, .length = (size_t)(text + size - 1 - output)};
    struct reader_memory memory = {.columns = data[0] / 4 % 4};
    double value = 0, duration = 0;
    char why[240] = "";
    if (readings_take(&program, &o, &memory, &value, &duration, why, sizeof why))
        FUZZ_CHECK(isfinite(value) && isfinite(duration), "a reading that is no number");
    else
        FUZZ_CHECK(*why, "a round refused without a reason");
    free(text);
    return 0;
}
