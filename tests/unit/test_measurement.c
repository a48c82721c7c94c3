/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurement in a fixed amount of memory: folding (merging slices) loses nothing, and a record
   restores the same measurement. */
#include "check.h"
#include "fake_io.h"

#include <unistd.h>

#include "run/record/record.h"

static struct arena arena;

/* Sums of everything that was added. */
struct fed {
    struct slice slices;
    struct interval_histogram latency[OPERATIONS];
    uint64_t original, lost;
};

static void feed(struct measurement *m, struct fed *fed, const struct batch *batch)
{
    measurement_add(m, batch);
    for (unsigned i = 0; i < batch->slice_count; i++)
        slice_add(&fed->slices, &batch->slices[i]);
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_add(&fed->latency[op], &batch->latency[op]);
    fed->original += (uint64_t)batch->slice_count * batch->span;
    fed->lost += batch->lost_slices * batch->span;
}

static bool same_slice(const struct slice *a, const struct slice *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void check_slices(const struct measurement *m, const struct fed *fed)
{
    struct slice sum = m->partial;
    for (size_t i = 0; i < m->slice_count; i++)
        slice_add(&sum, &m->slices[i]);
    CHECK(same_slice(&sum, &fed->slices));
    CHECK(m->slice_count <= MEASUREMENT_SLICES);
    CHECK_INT(m->original_slices, fed->original);
    CHECK_INT((m->slice_count << m->slice_fold) + m->partial_count, fed->original);
    CHECK(m->partial_count < 1u << m->slice_fold);
    CHECK_INT(m->lost_slices, fed->lost);
}

static void check_stretches(const struct measurement *m, const struct fed *fed)
{
    static struct interval_histogram latency[OPERATIONS];
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_clear(&latency[op]);
    uint64_t at = 0;
    size_t n = m->stretch_count + (m->open_count > 0);
    CHECK(m->stretch_count < MEASUREMENT_STRETCHES);
    for (size_t i = 0; i < n; i++) {
        const struct stretch *s = i < m->stretch_count ? &m->stretches[i] : m->open_stretch;
        CHECK_INT(s->begin, at);
        CHECK(s->end >= s->begin);
        at = s->end;
        for (int op = 0; op < OPERATIONS; op++)
            interval_histogram_add(&latency[op], s->latency[op]);
    }
    CHECK_INT(at, fed->original);
    CHECK(memcmp(latency, fed->latency, sizeof latency) == 0);
    for (int op = 0; op < OPERATIONS; op++)
        CHECK_INT(histogram_ios(&latency[op]), fed->slices.op[op].ios);
}

/* An hour of slices of 10 ms, some of them 20 or 50 ms long if there is room. Checked now and then,
   and at every fold. */
static void check_long_feed(void)
{
    static struct measurement m;
    static struct fed fed;
    struct random random;
    struct err e;
    random_seed(&random, 11, 0);
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_clear(&fed.latency[op]);
    size_t mark = arena_mark(&arena);
    CHECK_INT(measurement_init(&m, OPERATION_SET_ALL, false, &arena), 0);
    CHECK(arena_mark(&arena) - mark <= measurement_bytes(OPERATION_SET_ALL, false));
    size_t used = arena_mark(&arena);
    m.slice_seconds = 0.01;
    CHECK_INT(measurement_begin_round(&m, false, 0, &e), 0);

    unsigned folds = 0, checked = 0;
    for (unsigned i = 0; fed.original < 360000; i++) {
        static const unsigned spans[] = {1, 1, 1, 2, 5};
        struct batch batch = random_batch(&random);
        unsigned span = spans[random_below(&random, 5)];
        batch.span = span <= 1u << m.slice_fold ? span : 1;
        unsigned before = m.slice_fold + m.stretch_fold;
        feed(&m, &fed, &batch);
        bool folded = m.slice_fold + m.stretch_fold != before;
        folds += folded;
        if (folded || i % 5000 == 0) {
            check_slices(&m, &fed);
            check_stretches(&m, &fed);
            checked++;
        }
    }
    check_slices(&m, &fed);
    check_stretches(&m, &fed);
    CHECK_INT(m.slice_fold, 6); /* 2^6 is the first factor with which 360000 slices fit into 8192 */
    CHECK(folds >= 12 && checked > 30);
    CHECK_NEAR(measurement_slice_seconds(&m), 0.64, 1e-12);
    CHECK_NEAR(m.rounds[0].seconds, (double)fed.original * 0.01, 1e-9);
    CHECK(same_slice(&m.rounds[0].total, &fed.slices));
    CHECK_INT(arena_mark(&arena), used);
    arena_reset(&arena, mark);
}

static void check_rounds(void)
{
    static struct measurement m;
    struct err e = {0};
    size_t mark = arena_mark(&arena);
    CHECK_INT(measurement_init(&m, OPERATION_SET_ALL, false, &arena), 0);
    m.slice_seconds = 0.5;
    struct batch batch = {.timing = NULL};
    batch_clear(&batch);
    batch.slice_count = 3;
    batch.slices[1].op[OPERATION_READ].ios = 7;
    CHECK_INT(measurement_begin_round(&m, false, 1.5, &e), 0);
    measurement_add(&m, &batch);
    CHECK(!m.rounds[0].ended);
    CHECK_NEAR(m.rounds[0].seconds, 1.5, 1e-12); /* known even if the record is cut off */
    CHECK_INT(m.rounds[0].total.op[OPERATION_READ].ios, 7);
    struct slice total = {.op = {{9, 10, 11, 12}}};
    measurement_end_round(&m, 2.25, &total);
    CHECK(m.rounds[0].ended && m.rounds[0].seconds == 2.25 && m.rounds[0].begin_seconds == 1.5);
    CHECK(same_slice(&m.rounds[0].total, &total));
    for (int i = 1; i < RESULT_ROUNDS_MAX; i++)
        CHECK_INT(measurement_begin_round(&m, true, i, &e), 0);
    CHECK_INT(measurement_begin_round(&m, true, 9, &e), -1);
    CHECK_INT(e.code, ERR_UNDECIDED);
    CHECK_INT(m.round_count, RESULT_ROUNDS_MAX);
    arena_reset(&arena, mark);
}

/* Compares everything except pointers. */
static void check_same(const struct measurement *a, const struct measurement *b)
{
    CHECK(a->slice_seconds == b->slice_seconds);
    CHECK_INT(a->slice_fold, b->slice_fold);
    CHECK_INT(a->slice_count, b->slice_count);
    CHECK(memcmp(a->slices, b->slices, MEASUREMENT_SLICES * sizeof *a->slices) == 0);
    CHECK(same_slice(&a->partial, &b->partial));
    CHECK_INT(a->partial_count, b->partial_count);
    CHECK_INT(a->original_slices, b->original_slices);
    CHECK_INT(a->stretch_fold, b->stretch_fold);
    CHECK_INT(a->stretch_count, b->stretch_count);
    for (size_t i = 0; i < a->stretch_count; i++) {
        const struct stretch *x = &a->stretches[i], *y = &b->stretches[i];
        CHECK(x->begin == y->begin && x->end == y->end);
        CHECK(same_histograms(x->latency, y->latency));
    }
    CHECK(a->open_stretch->begin == b->open_stretch->begin);
    CHECK(same_histograms(a->open_stretch->latency, b->open_stretch->latency));
    CHECK_INT(a->open_count, b->open_count);
    CHECK_INT(a->round_count, b->round_count);
    for (size_t i = 0; i < a->round_count; i++) {
        const struct round *x = &a->rounds[i], *y = &b->rounds[i];
        CHECK(x->trial == y->trial && x->ended == y->ended);
        CHECK(x->begin_seconds == y->begin_seconds && x->seconds == y->seconds);
        CHECK(memcmp(x->total.op, y->total.op, sizeof x->total.op) == 0);
    }
    CHECK_INT(a->lost_slices, b->lost_slices);
}

/* Feed both a measurement and a record, as the session does; the record must give the same back. */
/* Only the operations in use have memory; the others are empty. */
static void check_operations(unsigned operations)
{
    static struct measurement m;
    const size_t mark = arena_mark(&arena);
    const size_t bytes = measurement_bytes(operations, true);
    struct random random;
    struct err e;
    random_seed(&random, 5, 0);
    CHECK_INT(measurement_init(&m, operations, true, &arena), 0);
    CHECK(arena_mark(&arena) - mark <= bytes);
    CHECK(bytes < measurement_bytes(OPERATION_SET_ALL, true));
    CHECK_INT(measurement_bytes(operations | 1u << OPERATIONS, true), bytes);
    m.slice_seconds = 0.01;
    CHECK_INT(measurement_begin_round(&m, false, 0, &e), 0);
    for (unsigned i = 0; i < 3 * MEASUREMENT_STRETCHES; i++) {
        struct batch batch = random_batch(&random);
        batch.wall_ns = UINT64_C(1700000000000000000) + i * UINT64_C(1000000000);
        for (int op = 0; op < OPERATIONS; op++)
            if (!operation_set_has(operations, op))
                interval_histogram_clear(&batch.latency[op]);
        measurement_add(&m, &batch);
    }
    for (int op = 0; op < OPERATIONS; op++) {
        uint64_t ios = 0;
        for (size_t i = 0; i < measurement_stretches(&m); i++)
            ios += histogram_ios(measurement_stretch(&m, i)->latency[op]);
        for (size_t i = 0; i < m.history.count; i++)
            ios += histogram_ios(m.history.periods[i].latency[op]);
        CHECK(operation_set_has(operations, op) || ios == 0);
        CHECK(op == REQUEST_FLUSH || !operation_set_has(operations, op) || ios > 0);
    }
    arena_reset(&arena, mark);
}

static void check_record(unsigned rounds, unsigned batches)
{
    static struct contents live, loaded;
    struct record_writer writer;
    struct random random;
    struct err e = {0};
    char path[300];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/measurement.%d", folder ? folder : "/tmp", (int)getpid());
    unlink(path);
    random_seed(&random, rounds, 3);
    size_t mark = arena_mark(&arena);
    CHECK_INT(contents_init(&live, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&live.plan);
    CHECK_INT(record_create(&writer, path, &arena, &e), 0);
    record_plan(&writer, &live.plan);
    live.measurement.slice_seconds = 0.02;
    record_slice_length(&writer, 0.02);
    for (unsigned r = 0; r < rounds; r++) {
        struct measurement *m = &live.measurement;
        double begin = (double)(r * 1000000007ull) * 1e-9; /* whole nanoseconds, as a clock gives */
        CHECK_INT(measurement_begin_round(m, r == 0, begin, &e), 0);
        record_begin_round(&writer, &m->rounds[r]);
        for (unsigned i = 0; r > 0 && i < batches; i++) {
            struct batch batch = random_batch(&random);
            measurement_add(m, &batch);
            record_batch(&writer, &batch);
        }
        if (r + 1 == rounds)
            break; /* the last round has no end */
        struct slice total = m->rounds[r].total;
        measurement_end_round(m, (double)random_below(&random, 5000000000u) * 1e-9, &total);
        record_end_round(&writer, &m->rounds[r]);
    }
    record_close(&writer);
    CHECK_INT(writer.error.code, 0);
    CHECK_INT(contents_init(&loaded, OPERATION_SET_ALL, false, &arena, &e), 0);
    CHECK_INT(record_read(&loaded, path, &e), 0);
    check_same(&live.measurement, &loaded.measurement);
    CHECK(!loaded.ended && loaded.verdict == VERDICT_CUT_SHORT);
    unlink(path);
    arena_reset(&arena, mark);
}

int main(void)
{
    struct err e;
    CHECK_INT(
        arena_init(&arena, 2 * contents_bytes(OPERATION_SET_ALL, false) + RECORD_BUFFER + 4096, &e),
        0);
    check_long_feed();
    check_rounds();
    check_record(1, 0);
    check_operations(1u << REQUEST_READ);
    check_operations(1u << REQUEST_WRITE | 1u << REQUEST_FLUSH);
    check_record(3, 40);
    check_record(8, 3000);
    arena_free(&arena);
    return check_result();
}
