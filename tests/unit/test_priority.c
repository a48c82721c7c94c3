/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Priorities of requests: their words, the kinds that a workload has, how they are drawn, and what
 * two kinds beside each other are found to differ by.
 * Real-time: a thread that has it gets the class of its requests, too. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generator_fixture.h"
#include "run/loop/worker.h"
#include "run/result/internal.h"
#include "source/generator/workload_spec_text.h"

static struct err e;

#define RT(level) priority_value(PRIORITY_RT, (level), 0)
#define IDLE      priority_value(PRIORITY_IDLE, 0, 0)

static void check_words(void)
{
    char words[PRIORITY_WORDS];
    CHECK_STR(priority_words(0, words), "none");
    CHECK_STR(priority_words(RT(3), words), "rt/3");
    CHECK_STR(priority_words(priority_value(PRIORITY_BE, 0, 7), words), "be/0/7");
    CHECK_STR(priority_words(priority_value(PRIORITY_IDLE, 2, 0), words), "idle");
    CHECK_INT(priority_value(PRIORITY_BE, 4, 2), 2 << 13 | 2 << 3 | 4); /* the kernel's */
    CHECK_INT(priority_class_named("idle", 4), PRIORITY_IDLE);
    CHECK_INT(priority_class_named("1", 1), PRIORITY_RT);
    CHECK_INT(priority_class_named("4", 1), -1);
    CHECK_INT(priority_class_named("r", 1), -1);
}

static void check_list(void)
{
    const struct request_kind some[] = {{4096, 0, REQUEST_WRITE},
                                        {4096, 0, REQUEST_READ},
                                        {0, RT(0), REQUEST_READ},
                                        {4096, IDLE, REQUEST_READ},
                                        {4096, RT(1), REQUEST_READ}};
    struct request_kinds kinds = {.count = 0}, again;
    char text[REQUEST_KINDS_TEXT];
    for (unsigned i = 0; i < 5; i++)
        CHECK(request_kinds_add(&kinds, &some[i]) && request_kinds_add(&kinds, &some[i]));
    CHECK_INT(kinds.count, 5);
    request_kinds_write(&kinds, text);
    CHECK_STR(text, "r0/8192,r4096/8193,r4096/24576,r4096/0,w4096/0");
    CHECK_INT(request_kinds_read(&again, text, &e), 0);
    char same[REQUEST_KINDS_TEXT];
    request_kinds_write(&again, same);
    CHECK_STR(same, text);
    CHECK_INT(request_kinds_find(&kinds, &some[1]), 3);

    static const char *const bad[] = {"x1/1", "r1", "r1/", "r1/65536", "r1/1;", "r", "r1/1,,r2/1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_INT(request_kinds_read(&again, bad[i], &e), -1);
    kinds.count = 0;
    for (unsigned i = 0; i < REQUEST_KINDS_MAX; i++)
        CHECK(request_kinds_add(&kinds, &(struct request_kind){.bytes = 16000000 + i}));
    CHECK(!request_kinds_add(&kinds, &(struct request_kind){.bytes = 1}));
    request_kinds_write(&kinds, text); /* the longest there is fits */
    CHECK(!request_kinds_read(&again, text, &e) && again.count == REQUEST_KINDS_MAX);
}

/* A list by command is stored as it always was, and read back. */
static void check_commands(void)
{
    static const struct request_kind some[] = {{0, 0, REQUEST_READ},
                                               {4096, 0, REQUEST_WRITE},
                                               {4096, 0, REQUEST_VERIFY},
                                               {4096, 0, REQUEST_WRITE_ZEROES},
                                               {4096, 0, REQUEST_WRITE_UNCORRECTABLE}};
    struct request_kinds kinds = {.by_command = true}, again;
    char text[REQUEST_KINDS_TEXT], words[PRIORITY_WORDS];
    for (unsigned i = 0; i < 5; i++)
        CHECK(request_kinds_add(&kinds, &some[i]) && request_kinds_add(&kinds, &some[i]));
    request_kinds_write(&kinds, text);
    CHECK_STR(text, "r0/0,w4096/57344,w4096/57345,w4096/57346,w4096/57347");
    CHECK(!request_kinds_read(&again, text, &e) && again.by_command && again.count == 5);
    CHECK(!memcmp(again.kind, kinds.kind, 5 * sizeof *kinds.kind));
    CHECK_STR(request_kind_words(&again, &again.kind[0], IDLE, words), "idle");
    CHECK_STR(request_kind_words(&again, &again.kind[1], 0, words), "zeroes");
    CHECK_STR(request_kind_words(&again, &again.kind[4], 0, words), "write");
    CHECK(!request_kinds_read(&again, "w0/57347", &e) && again.by_command);
    CHECK_INT(again.kind[0].command, REQUEST_WRITE);
    CHECK_INT(request_kinds_read(&again, "w0/57348", &e), -1); /* a mode of a newer version */
    CHECK(!request_kinds_read(&again, "w0/0", &e) && !again.by_command);

    for (unsigned i = 0; i < REQUEST_COMMANDS; i++) {
        const unsigned command = request_rows[i].command;
        const bool writes = request_operation(command) == OPERATION_WRITE;
        CHECK(request_row_of(command) == &request_rows[i]);
        CHECK(writes || request_rows[i].mode < 0);
        CHECK(!request_sends_data(command) || (writes && request_changes_data(command)));
    }
    CHECK(request_sends_data(REQUEST_WRITE_DURABLE) && !request_sends_data(REQUEST_WRITE_ZEROES));
    CHECK(request_changes_data(REQUEST_TRIM) && !request_changes_data(REQUEST_VERIFY));
}

/* The commands of writes are drawn in their shares, and reads stay reads. */
static void check_write_modes(void)
{
    struct stream_spec s = {.write_share = .5};
    CHECK_INT(write_modes_parse("write/60:zeroes/40:verify/0", &s, &e), 0);
    CHECK(s.split_count == 2 && s.by_command && s.splits[1].share == .4);
    CHECK(s.splits[0].kind.command == REQUEST_WRITE &&
          s.splits[1].kind.command == REQUEST_WRITE_ZEROES);
    CHECK_INT(write_modes_parse("fast", &s, &e), -1);
    CHECK(strstr(e.msg, "column 1: write, zeroes, uncor or verify is expected") != NULL);
    CHECK(!priorities_parse("any/20", RT(0), &s, &e) && !s.by_command);
}

static void check_splits(void)
{
    struct stream_spec s = {.write_share = .5};
    CHECK_INT(priorities_parse("64k/25/1/1:64k/75/idle/2:1m/0,1m/0", RT(0), &s, &e), 0);
    CHECK_INT(s.split_count, 2);
    CHECK(s.splits[0].kind.bytes == 65536 && s.splits[0].share == .25 &&
          s.splits[0].kind.priority == RT(1));
    CHECK(s.splits[1].kind.priority == priority_value(PRIORITY_IDLE, 2, 0) &&
          s.splits[1].kind.command == REQUEST_READ);
    CHECK_INT(priorities_parse("any/20", RT(0), &s, &e), 0);
    CHECK(s.split_count == 2 && s.splits[1].kind.command == REQUEST_WRITE &&
          !s.splits[1].kind.bytes);
    CHECK_INT(priorities_parse("any/20/be/0/3,", RT(0), &s, &e), 0);
    CHECK(s.split_count == 1 && priority_hint_of(s.splits[0].kind.priority) == 3);

    static const struct {
        const char *text, *column, *words;
    } bad[] = {{"64k", "column 1: ", "SIZE/PERCENT"},
               {"", "column 1: ", "a size"},
               {"64k/101", "column 5: ", "percentage"},
               {"64k/60:64k/50", "column 1: ", "more than 100 %"},
               {"64k/50:any/10", "column 1: ", "do not go together"},
               {"any/10/fast", "column 8: ", "a class"},
               {"any/10/rt/8", "column 11: ", "a level"},
               {"any/10/none/1", "column 8: ", "no level"},
               {"any/10/rt/0/8", "column 13: ", "a hint"},
               {"any/10/rt/0/1/1", "column 13: ", "a hint"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_INT(priorities_parse(bad[i].text, RT(0), &s, &e), -1);
        CHECK(strstr(e.msg, bad[i].column) != NULL);
        CHECK(strstr(e.msg, bad[i].words) != NULL);
    }
}

/* The kinds of a profile, as text. */
static const char *kinds_of(const char *profile)
{
    static char text[REQUEST_KINDS_TEXT];
    static struct workload_spec spec;
    CHECK_INT(profile_parse(&spec, "p", profile, strlen(profile), &e), 0);
    if (workload_spec_find_kinds(&spec, &e))
        return e.msg;
    request_kinds_write(&spec.kinds, text);
    return text;
}

static void check_kinds(void)
{
    CHECK_STR(kinds_of("[stream a]\nsize 4k/50:8k/50\n"), "");
    CHECK_STR(kinds_of("[stream a]\npriorities any/20\n"), "r4096/8192,r4096/0");
    CHECK_STR(kinds_of("[stream a]\npriorities any/100\n"), "r4096/8192");
    CHECK_STR(kinds_of("[stream a]\nsize 4k/50:8k/50\nwrite 50%\npriorities any/20,\n"),
              "r0/8192,r0/0,w0/0");
    CHECK_STR(kinds_of("[stream a]\nsize 64k/40:1m/60,1m\nwrite 50%\n"
                       "priorities 64k/25/1/1:64k/75/3/0,\n"),
              "r0/0,r65536/8193,r65536/24576,w1048576/0");
    CHECK_STR(kinds_of("[stream a]\npriority be/7\n[stream b]\nwrite 100%\nsize 8k\n"),
              "r4096/16391,w8192/0");
    CHECK_STR(kinds_of("[stream a]\nkind closed\npriority rt\n[stream t]\nkind transaction\n"
                       "step read random\nstep write random\n"),
              "r0/0,r4096/8192,w0/0");
    CHECK(strstr(kinds_of("[stream a]\npriorities 8k/10\n"), "no read has 8192 bytes") != NULL);
}

/* ---- drawing ---- */

struct drawn {
    uint64_t kinds[REQUEST_KINDS_MAX];
    uint64_t all, wrong_size, wrong_command;
    const struct request_kinds *list;
    uint64_t first_offsets[64];
};

static void note_kind(void *context, const struct generated_request *request, uint64_t now_ns)
{
    struct drawn *d = context;
    (void)now_ns;
    if (d->all < 64)
        d->first_offsets[d->all] = request->offset;
    d->all++;
    d->kinds[request->kind]++;
    d->wrong_command += d->list->count && request->command != d->list->kind[request->kind].command;
    d->wrong_size += request->kind > 0 && request->kind < 3 && request->length != 65536;
}

/* `modes`: the commands of its writes; "": Write. */
static void draw(const char *profile, const char *modes, struct drawn *d)
{
    static struct target_simulated t;
    struct generator_fixture *f = calloc(1, sizeof *f);
    const struct generators_setup setup = {
        .spec = &f->spec, .region = 1 << 28, .seed = 3, .copies = 1, .step = 1};
    CHECK_INT(profile_parse(&f->spec, "p", profile, strlen(profile), &e), 0);
    if (*modes)
        CHECK_INT(write_modes_parse(modes, &f->spec.streams[0], &e), 0);
    CHECK_INT(workload_spec_find_kinds(&f->spec, &e), 0);
    CHECK_INT(arena_init(&f->arena, generators_bytes(&setup), &e), 0);
    CHECK_INT(generators_init(&f->g, &setup, &f->arena, &e), 0);
    generators_begin(f->g);
    *d = (struct drawn){.list = &f->spec.kinds};
    t = (struct target_simulated){.g = f->g,
                                  .slots = 64,
                                  .min_ns = 20000,
                                  .spread_ns = 1000,
                                  .issued = note_kind,
                                  .context = d};
    target_run(&t, SECOND);
    fixture_close(f);
}

static void check_drawing(void)
{
    static struct drawn d, plain;
    draw("[stream a]\nkind closed\npriorities any/20/rt/0:any/30/idle\n", "", &d);
    CHECK(d.all > 40000);
    CHECK_NEAR((double)d.kinds[0] / (double)d.all, .2, .04);
    CHECK_NEAR((double)d.kinds[1] / (double)d.all, .3, .04);
    CHECK_NEAR((double)d.kinds[2] / (double)d.all, .5, .04);

    /* "r0/0,r65536/8193,r65536/24576": of each size its own shares, which leave nothing of it */
    draw("[stream a]\nkind closed\nsize 64k/40:1m/60\npriorities 64k/25/rt/1:64k/75/idle\n", "",
         &d);
    CHECK_NEAR((double)d.kinds[0] / (double)d.all, .6, .04);
    CHECK_NEAR((double)d.kinds[1] / (double)d.all, .1, .06);
    CHECK_NEAR((double)d.kinds[2] / (double)d.all, .3, .04);
    CHECK_INT(d.wrong_size, 0);

    /* Commands: reads stay reads, and writes have their shares. */
    draw("[stream a]\nkind closed\nwrite 50%\n", "write/30:zeroes/70", &d);
    CHECK_NEAR((double)d.kinds[0] / (double)d.all, .5, .04);
    CHECK_NEAR((double)d.kinds[1] / (double)d.all, .35, .04);
    CHECK_NEAR((double)d.kinds[2] / (double)d.all, .15, .04);
    CHECK_INT(d.wrong_command, 0);

    /* What all have is drawn for nothing: the requests are those of a workload without any. */
    draw("[stream a]\nkind closed\n", "", &plain);
    draw("[stream a]\nkind closed\npriority be/2\n", "", &d);
    CHECK(plain.kinds[0] == plain.all && d.kinds[0] == d.all);
    CHECK(!memcmp(plain.first_offsets, d.first_offsets, sizeof d.first_offsets));
}

/* ---- threads ---- */

enum { IOPRIO_WHO_PROCESS = 1, UID_NOBODY = 65534 };

struct thread_priority {
    uint16_t own, before, tried[2]; /* asked for; what ionice gave; 0: nothing */
    long after;
    int status;
};

static void *take_priority(void *context)
{
    struct thread_priority *t = context;
    struct sched_param realtime = {.sched_priority = 1};
    if (t->before)
        CHECK_INT(syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, (int)t->before), 0);
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &realtime); /* where it is permitted */
    t->status = io_priority_begin(t->own, t->tried, 2, &e);
    t->after = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);
    return NULL;
}

static void check_thread(struct thread_priority t, uint16_t expected)
{
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, take_priority, &t), 0);
    pthread_join(thread, NULL);
    CHECK_INT(t.status, 0);
    CHECK_INT(t.after, expected);
}

static void check_threads(void)
{
    const uint16_t be1 = priority_value(PRIORITY_BE, 1, 0);
    const int nice = getpriority(PRIO_PROCESS, 0);
    const uint16_t ordinary = priority_value(PRIORITY_BE, (unsigned)(nice + 20) / 5, 0);
    check_thread((struct thread_priority){.tried = {be1, IDLE}}, ordinary);
    check_thread((struct thread_priority){.tried = {be1}, .own = IDLE}, IDLE);
    check_thread((struct thread_priority){.tried = {IDLE}, .before = be1}, be1);

    pid_t child = fork();
    if (!child) { /* without permission there is no class rt, and the message says why */
        if (!geteuid() && setuid(UID_NOBODY))
            _exit(2);
        int refused = io_priority_begin(RT(0), NULL, 0, &e);
        _exit(refused && e.code == ERR_MACHINE && strstr(e.msg, "CAP_SYS_NICE") ? 0 : 1);
    }
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

/* ---- the comparison ---- */

static struct contents c;
static struct arena arena;
static struct batch batch;

static void count(unsigned kind, uint64_t ns)
{
    struct kind_latency *to = &batch.kinds[kind];
    size_t bucket = histogram_bucket(ns);
    to->latency_ns += ns;
    to->latency.count[bucket]++;
    to->latency.min = ns < to->latency.min ? ns : to->latency.min;
    to->latency.max = ns > to->latency.max ? ns : to->latency.max;
}

/* `batches` of 40 requests, a fifth of them of kind 0, which takes `factor` times as long. The
   level wanders, for both alike: it is autocorrelated. */
static void measure(unsigned batches, double factor, struct random *r)
{
    double level = 0;
    size_t mark = arena_mark(&arena);
    CHECK_INT(contents_init(&c, OPERATION_SET_ALL, true, &arena, &e), 0);
    struct plan plan;
    plan_init(&plan);
    snprintf(plan.kinds, sizeof plan.kinds, "r4096/8192,r4096/0");
    plan.block_size = 4096;
    contents_set_plan(&c, &plan);
    c.measurement.slice_seconds = .01;
    CHECK_INT(measurement_begin_round(&c.measurement, false, 0, &e), 0);
    struct kind_latency kinds[2];
    batch = (struct batch){.kinds = kinds, .kind_count = 2};
    for (unsigned i = 0; i < batches; i++) {
        batch_clear(&batch);
        batch.slice_count = INTERVAL_SLICES;
        level = .9 * level + .2 * (random_unit(r) - .5);
        for (unsigned k = 0; k < 40; k++) {
            double ns = 100000 * exp(level) * -log(1 - random_unit(r));
            unsigned kind = k % 5 > 0;
            count(kind, (uint64_t)(kind ? ns : ns * factor) + 1);
            batch.slices[k % INTERVAL_SLICES].op[OPERATION_READ].ios++;
        }
        measurement_add(&c.measurement, &batch);
    }
    arena_reset(&arena, mark);
}

/* `memory`: d of the long memory of all reads. */
static void rows_of(struct result *r, double memory)
{
    static struct judged j;
    j.response_time[OPERATION_READ].memory = memory;
    *r = (struct result){.verdict = VERDICT_MEASURED};
    j.headline.stable_end = c.measurement.slice_count;
    priority_rows(&c, &j, r);
}

static void check_comparison(void)
{
    static struct result r;
    struct random random;
    unsigned covered = 0, covered_p99 = 0, runs = 25;
    double width = 0, width_with_memory = 0;
    random_seed(&random, 21, 0);
    CHECK_INT(arena_init(&arena, contents_bytes(OPERATION_SET_ALL, true), &e), 0);
    for (unsigned i = 0; i < runs; i++) {
        measure(300, .5, &random); /* stretches fold */
        rows_of(&r, .3);
        width_with_memory += r.priorities[1].p50.high - r.priorities[1].p50.low;
        rows_of(&r, 0);
        width += r.priorities[1].p50.high - r.priorities[1].p50.low;
        contents_free(&c);
        CHECK_INT(r.priority_count, 2);
        const struct result_percentile *mean = &r.priorities[0].mean_ratio;
        const struct result_percentile *tail = &r.priorities[0].p99_ratio;
        covered += mean->low <= .5 && mean->high >= .5;
        covered_p99 += tail->low <= .5 && tail->high >= .5;
        CHECK(mean->high - mean->low < .2);
    }
    CHECK(width_with_memory > 1.02 * width); /* memory that is plausible counts */
    CHECK(covered >= 21);
    CHECK(covered_p99 >= 22);
    const struct result_priority *high = &r.priorities[0], *rest = &r.priorities[1];
    CHECK_STR(high->priority, "rt/0");
    CHECK_STR(high->than, "none");
    CHECK_STR(rest->than, "");
    CHECK_STR(rest->op, "read");
    CHECK_INT(high->n, 300 * 8);
    CHECK_INT(rest->n, 300 * 32);
    CHECK_NEAR(high->share, .2, 1e-9);
    CHECK(high->mean.low < high->mean.value && high->mean.value < high->mean.high);
    CHECK(high->p50.value < high->p99.value && high->p99.value < high->p999.value);
    CHECK(isnan(rest->mean_ratio.value) && rest->bytes == 4096);

    measure(1, .5, &random); /* too little for an interval */
    rows_of(&r, 0);
    contents_free(&c);
    CHECK(r.priority_count == 2 && isfinite(r.priorities[0].mean_ratio.value));
    CHECK(isnan(r.priorities[0].mean_ratio.low) && isnan(r.priorities[0].mean.high));
    arena_free(&arena);
}

int main(void)
{
    check_words();
    check_list();
    check_commands();
    check_write_modes();
    check_splits();
    check_kinds();
    check_drawing();
    check_threads();
    check_comparison();
    return check_result();
}
