/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several targets at the same time on the null backend with scripted delays: they begin at one
 * instant, keep their load until the last one has ended, and one that fails or hangs ends alone.
 *
 * Slow: whole sessions.
 */
#include "check.h"

#include <sched.h>
#include <unistd.h>

#include "many/together/together.h"

#define COUNT 3

static struct sysroot root;
static struct plan plans[COUNT];
static const struct plan *plan_list[COUNT];
static struct session *sessions[COUNT];
static struct result result;
static char paths[COUNT][80];
static const char *path_list[COUNT];

struct seen {
    volatile sig_atomic_t stop;
    size_t rounds[COUNT], loaded[COUNT];
    size_t stop_at;        /* looks at rounds; 0: never */
    bool stop_when_loaded; /* when the first and the last one have measured everything */
};

static void on_progress(void *context, size_t target, const struct session_progress *p)
{
    struct seen *seen = context;
    seen->rounds[target] += !strncmp(p->stage, "round", 5);
    seen->loaded[target] += !strncmp(p->stage, "loaded", 6);
    seen->stop |= seen->stop_at && seen->rounds[target] >= seen->stop_at;
    seen->stop |= seen->stop_when_loaded && seen->loaded[0] && seen->loaded[COUNT - 1];
}

static void set_plan(size_t i, const char *script, double runtime)
{
    struct plan *plan = &plans[i];
    plan_init(plan);
    snprintf(plan->engine, sizeof plan->engine, "null");
    snprintf(plan->script, sizeof plan->script, "%s", script);
    plan->ending.runtime_seconds = runtime;
    plan->ending.limit_seconds = 20;
    plan->measure_overhead = plan->realtime = false;
    plan->watch.cost = 0;
    plan_list[i] = plan;
    snprintf(paths[i], sizeof paths[i], "/tmp/cupel-test-together-%d-%zu", (int)getpid(), i);
    path_list[i] = paths[i];
    unlink(paths[i]);
}

static char one_processor[16];

static void use_one_processor(struct plan *plan)
{
    cpu_set_t allowed;
    size_t cpu = 0;
    CHECK_INT(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    while (!CPU_ISSET(cpu, &allowed))
        cpu++;
    plan->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
    plan->cpus_given = true;
    snprintf(one_processor, sizeof one_processor, "%zu", cpu);
}

static int run(struct seen *seen, struct err *e)
{
    const struct together_observer observer = {.progress = on_progress, .context = seen};
    const struct together_request request = {.count = COUNT,
                                             .plans = plan_list,
                                             .record_paths = path_list,
                                             .root = &root,
                                             .stop = &seen->stop,
                                             .observer = &observer};
    return together_run(sessions, &request, e);
}

static const char *setting_of(const struct result *r, const char *key)
{
    for (size_t i = 0; i < r->settings.count; i++)
        if (!strcmp(r->settings.rows[i].key, key))
            return r->settings.rows[i].value;
    return "";
}

static bool has_note(const struct result *r, const char *words)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (strstr(r->notes[i].text, words))
            return true;
    return false;
}

static void end(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        session_free(sessions[i]);
        unlink(paths[i]);
    }
}

static void test_one_instant(void)
{
    struct seen seen = {0};
    struct err e = {0};
    char start[40] = "";
    for (size_t i = 0; i < COUNT; i++)
        set_plan(i, "const:2ms", i ? 0.5 : 1.5);
    if (!check_that(!run(&seen, &e), __FILE__, __LINE__, "begun"))
        return;
    for (size_t i = 0; i < COUNT; i++) {
        session_result(sessions[i], &result);
        CHECK_INT(result.verdict, VERDICT_MEASURED);
        if (i == 0)
            snprintf(start, sizeof start, "%s", setting_of(&result, "common start"));
        CHECK(*start != '\0');
        CHECK_STR(setting_of(&result, "common start"), start);
        CHECK(*setting_of(&result, "first round after start") != '\0');
        CHECK_INT(access(paths[i], F_OK), 0);
    }
    CHECK(!seen.loaded[0] && seen.loaded[1] && seen.loaded[2]);
    end();
}

static void test_one_fails(void)
{
    struct seen seen = {0};
    struct err e = {0};
    set_plan(0, "const:2ms", 3);
    set_plan(1, "2s@const:2ms; const:2ms+fail:1", 3);
    set_plan(2, "const:2ms", 3);
    if (!check_that(!run(&seen, &e), __FILE__, __LINE__, "begun"))
        return;
    for (size_t i = 0; i < COUNT; i++) {
        session_result(sessions[i], &result);
        CHECK_INT(result.verdict, i == 1 ? VERDICT_FAILED : VERDICT_MEASURED);
        CHECK_INT(has_note(&result, "without its load"), i != 1);
    }
    end();
}

/* It has measured everything, and fails while the others still need its load. */
static void test_kept_load_fails(void)
{
    struct seen seen = {0};
    struct err e = {0};
    set_plan(0, "const:2ms", 8);
    set_plan(1, "6s@const:2ms; const:2ms+fail:1", 0.5);
    set_plan(2, "const:2ms", 8);
    if (!check_that(!run(&seen, &e), __FILE__, __LINE__, "begun"))
        return;
    CHECK(seen.loaded[1] > 0);
    for (size_t i = 0; i < COUNT; i++) {
        session_result(sessions[i], &result);
        CHECK_INT(result.verdict, i == 1 ? VERDICT_FAILED : VERDICT_MEASURED);
        CHECK_INT(has_note(&result, "without its load"), i != 1);
    }
    end();
}

static void test_one_cannot_begin(void)
{
    struct seen seen = {0};
    struct err e = {0};
    for (size_t i = 0; i < COUNT; i++)
        set_plan(i, "const:2ms", 1);
    snprintf(plans[2].engine, sizeof plans[2].engine, "sync");
    snprintf(plans[2].target, sizeof plans[2].target, "/nonexistent/file");
    CHECK_INT(run(&seen, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "/nonexistent") != NULL);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(sessions[i] == NULL);
        CHECK(access(paths[i], F_OK) != 0);
        CHECK_INT(seen.rounds[i], 0);
    }
}

static void test_stopped(void)
{
    struct seen seen = {.stop_at = 2};
    struct err e = {0};
    for (size_t i = 0; i < COUNT; i++)
        set_plan(i, "const:2ms", 10);
    if (!check_that(!run(&seen, &e), __FILE__, __LINE__, "begun"))
        return;
    for (size_t i = 0; i < COUNT; i++) {
        session_result(sessions[i], &result);
        CHECK_INT(result.verdict, VERDICT_INTERRUPTED);
    }
    end();
}

/* Requests with due times on one processor: one thread issues those of all targets. The other
   targets measure everything, and the one that does not answer is named. */
static void test_one_hangs(void)
{
    struct seen seen = {.stop_when_loaded = true};
    struct err e = {0};
    for (size_t i = 0; i < COUNT; i++) {
        set_plan(i, i == 1 ? "1s@const:2ms; const:4000s" : "const:2ms", i == 1 ? 2 : .5);
        plans[i].rate_iops = 100;
        plans[i].iodepth = 4;
        use_one_processor(&plans[i]);
    }
    if (!check_that(!run(&seen, &e), __FILE__, __LINE__, "begun"))
        return;
    for (size_t i = 0; i < COUNT; i++) {
        session_result(sessions[i], &result);
        /* On a busy machine requests are late, as with a slow target. */
        if (i != 1 && result.verdict != VERDICT_SATURATED)
            CHECK_INT(result.verdict, VERDICT_MEASURED);
        CHECK_INT(result.verdict == VERDICT_FAILED, i == 1);
        CHECK_INT(strstr(result.failure, "the target hangs") != NULL, i == 1);
        CHECK_STR(setting_of(&result, "pinned to CPU"), one_processor);
    }
    end();
}

int main(void)
{
    test_one_instant();
    test_one_fails();
    test_kept_load_fails();
    test_one_cannot_begin();
    test_stopped();
    test_one_hangs();
    return check_result();
}
