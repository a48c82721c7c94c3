/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan in a record: a plan that was read is written, read again, and described. */
#include <string.h>

#include "run/plan/plan.h"
#include "tests/fuzz/fuzz.h"

static struct plan plan, again;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    if (plan_read(&plan, (const char *)data, size, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a plan refused without a reason");
        return 0;
    }
    static struct workload_spec spec;
    struct text lines = {0};
    char words[200];
    plan_describe(&plan, words, sizeof words);
    plan_write(&plan, &lines);
    FUZZ_CHECK(lines.failed || plan_read(&again, lines.data, lines.length, &e) == 0,
               "a plan that is not read back");
    text_free(&lines);
    if (plan_is_timed(&plan) && !plan_is_replay(&plan) && !plan.profile[0])
        (void)plan_workload(&plan, &spec, &e);
    return 0;
}
