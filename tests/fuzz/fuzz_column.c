/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers that cupel analyze reads; the first byte chooses a column. */
#include "base/err.h"
#include "cmd/column/column.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const wanted[] = {NULL,         "1",  "2",   "x",   "0",        "latency",
                                         "4294967297", "-1", "x/y", "2-1", "a.b/(x-y)"};
    static const char *const where[] = {NULL, "x=1", "2>1", "a!=*b"};
    if (size == 0)
        return 0;
    struct column column;
    struct err e = {0};
    memory_file_set(0, data + 1, size - 1);
    const struct column_request request = {
        .column = wanted[data[0] % (sizeof wanted / sizeof *wanted)],
        .where = where[data[0] / 16 % (sizeof where / sizeof *where)]};
    if (column_read(&column, MEMORY_FILE, &request, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "numbers refused without a reason");
        FUZZ_CHECK(column.values == NULL && column.count == 0, "a column that is not empty");
        return 0;
    }
    FUZZ_CHECK(column.count > 0 && column.count <= size, "more numbers than bytes");
    for (size_t i = 0; i < column.count; i++)
        FUZZ_CHECK(isfinite(column.values[i]), "a value that is no number");
    column_free(&column);
    return 0;
}
