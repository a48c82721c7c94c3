/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merged.cupel with a correct checksum around any content: it is refused with a reason, or its sums
   are consistent. */
#include <string.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "many/merge/internal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

static void check_sums(const struct merge *m)
{
    for (size_t i = 0; i < m->timeline.count; i++) {
        const struct timeline_interval *at = m->timeline.intervals[i];
        FUZZ_CHECK(!i || at->number > m->timeline.intervals[i - 1]->number,
                   "intervals out of order");
        for (int set = 0; set < TIMELINE_SETS; set++)
            for (size_t k = 0; k < at->sets[set].count; k++)
                FUZZ_CHECK(at->sets[set].at[k].begin < at->sets[set].at[k].end &&
                               (!k || at->sets[set].at[k].begin > at->sets[set].at[k - 1].end),
                           "stretches that are none");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[1 << 16];
    static struct result result;
    static const char *const inputs[] = {MEMORY_FILE};
    struct merge_plan plan = {.inputs = inputs, .input_count = 1};
    struct merge *m = NULL;
    struct err e = {0};
    if (size > sizeof file - 12)
        return 0;
    memcpy(file, "CUPELMRG", 8);
    memcpy(file + 8, data, size);
    store_le32(file + 8 + size, crc32c(0, file, 8 + size));
    memory_file_set(0, file, size + 12);
    plan_init(&plan.statistics);
    plan.statistics.statistics.changepoint = CHANGEPOINT_NONE;
    if (merge_run(&m, &plan, &e)) {
        FUZZ_CHECK(e.code && *e.msg, "a file refused without a reason");
        return 0;
    }
    check_sums(m);
    if (merge_result(m, &result, &e))
        FUZZ_CHECK(e.code && *e.msg, "a result refused without a reason");
    merge_free(m);
    return 0;
}
