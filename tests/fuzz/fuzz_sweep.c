/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan of a sweep. A message has the line and the column of something that is there; what is
 * read without one makes configurations that meet its constraints, and its canonical lines are the
 * same plan again.
 */
#include <string.h>

#include "base/err.h"
#include "base/span.h"
#include "cmd/options/options.h"
#include "cmd/run/session_options.h"
#include "many/sweep/plan.h"
#include "run/plan/plan.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_place.h"

#define GRID_MAX 20000 /* larger grids are not enumerated here */

static struct option_row rows[OPTIONS_MAX + 1];
static struct sweep_plan plan, again;

static void check_design(void)
{
    struct sweep_configuration *list;
    struct err e = {0};
    char words[200];
    size_t count = 0;
    if (plan.grid > GRID_MAX || plan.design_size > GRID_MAX / 20)
        return;
    if (sweep_design_make(&plan, &list, &count, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a design refused without a reason");
        return;
    }
    FUZZ_CHECK(count > 0, "a design without a configuration");
    for (size_t i = 0; i < count; i++) {
        FUZZ_CHECK(sweep_is_allowed(&plan, &list[i]), "a configuration against a constraint");
        sweep_configuration_words(&plan, &list[i], words, sizeof words);
        FUZZ_CHECK(strlen(words) < sizeof words, "words that do not fit");
    }
    free(list);
}

static void check_canonical(void)
{
    struct err e = {0};
    const struct span text = {plan.canonical.data, plan.canonical.length};
    FUZZ_CHECK(sweep_plan_read(&again, "again", text, rows, &e) == 0,
               "the canonical lines are refused");
    FUZZ_CHECK(again.canonical.length == text.length &&
                   !memcmp(again.canonical.data, text.text, text.length),
               "the canonical lines have others");
    sweep_plan_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    const char *text = (const char *)data;
    if (!rows[0].name)
        options_expand(run_option_rows, rows);
    if (sweep_plan_read(&plan, "plan", (struct span){text, size}, rows, &e) == 0) {
        check_design();
        check_canonical();
    } else {
        FUZZ_CHECK(e.code == ERR_USAGE && place_is_there("plan", text, size, e.msg),
                   "a plan refused without a place that is there");
    }
    sweep_plan_free(&plan);
    return 0;
}
