/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several sessions on the null backend: how a limit is divided among them, seeds, one result over
 * them, the same from the folder, and folders with damage at every byte of repeat.cupel.
 */
#include "run/session/running.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "many/repeat/internal.h"
#include "stat/estimate/session_spread.h"
#include "tree.h"

static struct sysroot machine;
static struct result live, loaded;

static struct plan plan_of(uint32_t sessions, double every)
{
    struct plan plan;
    plan_init(&plan);
    snprintf(plan.engine, sizeof plan.engine, "null");
    snprintf(plan.script, sizeof plan.script, "const:2ms");
    plan.iodepth = 16;
    plan.ending.minimum_seconds = 0.2;
    plan.statistics.minimum_subsessions = 2;
    plan.statistics.target_width = 0.9;
    plan.ending.limit_seconds = 6;
    plan.measure_overhead = false;
    plan.realtime = false;
    plan.watch.cost = 0;
    plan.repeat.sessions = sessions;
    plan.repeat.every_seconds = every;
    return plan;
}

static void check_limits(void)
{
    struct err e = {0};
    struct plan plan = plan_of(5, 0);
    CHECK_INT(repeat_plan(&plan, false, &e), 0);
    CHECK(plan.ending.limit_seconds == 6 && plan.repeat.limit_seconds <= 0);
    plan.ending.limit_seconds = 100;
    CHECK_INT(repeat_plan(&plan, true, &e), 0);
    CHECK_NEAR(plan.ending.limit_seconds, 20, 1e-12);
    CHECK_NEAR(plan.repeat.limit_seconds, 100, 1e-12);
    /* Spread over time, the last session has the time that is left after its start. */
    plan = plan_of(5, 20);
    plan.ending.limit_seconds = 90;
    CHECK_INT(repeat_plan(&plan, true, &e), 0);
    CHECK_NEAR(plan.ending.limit_seconds, 10, 1e-12);
    plan = plan_of(5, 20);
    plan.ending.limit_seconds = 80;
    CHECK_INT(repeat_plan(&plan, true, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    plan = plan_of(5, 0);
    plan.ending.limit_seconds = 0.9;
    CHECK_INT(repeat_plan(&plan, true, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);

    plan = plan_of(3, 1);
    plan.repeat.index = 3;
    CHECK_INT(plan_check(&plan, &e), -1);
    plan = plan_of(1, 1);
    CHECK_INT(plan_check(&plan, &e), -1);
    plan = plan_of(PLAN_SESSIONS_MAX + 1, 1);
    CHECK_INT(plan_check(&plan, &e), -1);
}

static void check_seeds(void)
{
    uint64_t seeds[PLAN_SESSIONS_MAX];
    CHECK(repeat_seed(7, 0) == 7);
    for (uint32_t i = 0; i < PLAN_SESSIONS_MAX; i++) {
        seeds[i] = repeat_seed(7, i);
        for (uint32_t k = 0; k < i; k++)
            if (seeds[k] == seeds[i])
                CHECK(false);
    }
    CHECK(repeat_seed(7, 3) == seeds[3] && repeat_seed(8, 3) != seeds[3]);
}

static void check_same(const struct result *a, const struct result *b)
{
    CHECK_INT(a->verdict, b->verdict);
    CHECK_INT(a->row_count, b->row_count);
    CHECK_INT(a->note_count, b->note_count);
    CHECK_STR(a->busy, b->busy);
    for (size_t i = 0; i < a->row_count && i < b->row_count; i++) {
        const struct result_row *x = &a->rows[i], *y = &b->rows[i];
        CHECK(x->metric == y->metric && !strcmp(x->op, y->op) && !strcmp(x->note, y->note));
        CHECK(!memcmp(&x->value, &y->value, 3 * sizeof x->value) || isnan(x->value) ||
              isnan(x->low));
    }
    CHECK_INT(a->repeat->session_count, b->repeat->session_count);
    for (size_t i = 0; i < a->repeat->session_count && i < b->repeat->session_count; i++) {
        const struct result_session *x = &a->repeat->sessions[i], *y = &b->repeat->sessions[i];
        CHECK(x->seed == y->seed && x->verdict == y->verdict && !strcmp(x->date, y->date));
        CHECK(!memcmp(&x->begin_seconds, &y->begin_seconds, 2 * sizeof x->seconds));
    }
}

static unsigned kept;
static int keep(void *context, const char *folder, struct result *r, struct err *e)
{
    struct stat st;
    kept += !stat(folder, &st) && r->row_count > 0;
    return context ? err_set(e, ERR_TARGET, "the disk is full") : 0;
}

/* Any byte of how it ended may be wrong: no false end is believed. */
static void check_damaged_end(const char *folder)
{
    char path[REPEAT_PATH], text[600];
    repeat_end_path(path, folder);
    FILE *file = fopen(path, "r+");
    CHECK(file != NULL);
    if (!file)
        return;
    size_t length = fread(text, 1, sizeof text, file);
    for (size_t i = 0; i < length; i += i < 80 ? 7 : 1) {
        struct repeat *repeat = NULL;
        struct err e = {0};
        char wrong = (char)(text[i] ^ 1);
        fseek(file, (long)i, SEEK_SET);
        fwrite(&wrong, 1, 1, file);
        fflush(file);
        CHECK_INT(repeat_load(&repeat, folder, &e), 0);
        if (repeat) {
            repeat_result(repeat, &loaded);
            CHECK_INT(loaded.verdict, VERDICT_CUT_SHORT);
            repeat_free(repeat);
        }
        fseek(file, (long)i, SEEK_SET);
        fwrite(&text[i], 1, 1, file);
        fflush(file);
    }
    fclose(file);
}

static void check_sessions(const struct tree *tree)
{
    static volatile sig_atomic_t stop;
    struct plan plan = plan_of(2, 0.5);
    char folder[TREE_PATH];
    struct repeat *repeat = NULL, *again = NULL;
    struct err e = {0};
    tree_folder(tree, "/kept");
    tree_path(tree, folder, "/kept");
    struct repeat_request request = {.plan = &plan,
                                     .root = &machine,
                                     .folder = folder,
                                     .stop = &stop,
                                     .keep = keep,
                                     .context = &plan};
    CHECK_INT(repeat_run(&repeat, &request, &e), 0);
    if (!repeat)
        return;
    repeat_result(repeat, &live);
    CHECK_INT(kept, 2);
    CHECK_INT(repeat_kept(repeat, &e), -1);
    CHECK_STR(e.msg, "the disk is full");
    const struct result_repeat *view = live.repeat;
    CHECK_INT(view->counted, 2);
    CHECK(view->sessions[1].begin_seconds >= 0.5 && view->spread_seconds > 0.5);
    /* The rows are computed from the sessions' own values. */
    const struct result_row *row = result_find(&live, METRIC_IOPS, "read");
    struct session_value v[2];
    for (size_t i = 0; i < 2; i++) {
        const struct result_row *own = view->sessions[i].rows;
        CHECK(own->metric == METRIC_IOPS);
        v[i] = (struct session_value){own->value, own->low, own->high, own->effective_n};
    }
    struct session_spread spread = session_spread_of(v, 2, plan.statistics.confidence);
    CHECK(row && row->n == 2 && check_is_near(row->value, spread.mean, 1e-12) &&
          check_is_near(row->high, spread.high, 1e-12));
    CHECK_INT(repeat_load(&again, folder, &e), 0);
    if (again) {
        repeat_result(again, &loaded);
        check_same(&live, &loaded);
        repeat_free(again);
        check_damaged_end(folder);
    }
    repeat_free(repeat);

    /* Sessions with a given length count like others. */
    struct plan timed = plan_of(2, 0);
    timed.ending.runtime_seconds = 0.3;
    request.plan = &timed;
    request.folder = NULL;
    CHECK_INT(repeat_run(&repeat, &request, &e), 0);
    repeat_result(repeat, &live);
    CHECK_INT(live.verdict, VERDICT_COMPLETE);
    CHECK_INT(live.repeat->counted, 2);
    repeat_free(repeat);
    request.plan = &plan;

    /* Stopped before the first session begins to measure: there is no result. */
    stop = SIGINT;
    request.folder = NULL;
    CHECK_INT(repeat_run(&repeat, &request, &e), 0);
    repeat_result(repeat, &live);
    CHECK_INT(live.verdict, VERDICT_INTERRUPTED);
    CHECK_INT(live.repeat->counted, 0);
    repeat_free(repeat);
    stop = 0;
    snprintf(plan.script, sizeof plan.script, "nonsense:1");
    CHECK_INT(repeat_run(&repeat, &request, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
}

int main(void)
{
    struct tree tree;
    struct err e;
    tree_begin(&tree);
    CHECK_INT(sysroot_open(&machine, NULL, &e), 0);
    check_limits();
    check_seeds();
    check_sessions(&tree);
    tree_end(&tree);
    return check_result();
}
