/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scan of a record: every item is what was written and what record_read makes of it; also for a
   record that grows, is cut short or damaged. Longer than 500 lines because all tests use one
   record, which is made here. */
#include "check.h"
#include "fake_io.h"
#include "record_bytes.h"

#include "run/record/record.h"
#include "run/record/record_scan.h"

enum { BATCHES = 60, WALL = 1700000000 };

static struct arena arena, fresh;
static struct contents written, back;
static struct record_bytes whole;
static char path[300];

/* Sums of what a scan returned. */
struct sums {
    uint64_t items, hosts, clocks, stretches, plans, facts, rounds, ends, batches, jobs, notes,
        dones, timed;
    uint64_t slices, lost, wall_ns; /* wall_ns: of the last batch */
    uint64_t busy_ns;               /* of stretches */
    struct slice slice;
    struct interval_histogram latency[OPERATIONS];
};

static void add_histogram(struct interval_histogram *to, const struct sparse_histogram *h)
{
    uint64_t n = h->over;
    for (unsigned i = 0; i < h->used; i++) {
        CHECK(h->count[i] > 0 && (!i || h->bucket[i] > h->bucket[i - 1]));
        to->count[h->bucket[i]] += h->count[i];
        n += h->count[i];
    }
    CHECK_INT(h->n, n);
    to->over += h->over;
    to->min = h->min < to->min ? h->min : to->min;
    to->max = h->max > to->max ? h->max : to->max;
}

static void sums_clear(struct sums *s)
{
    memset(s, 0, sizeof *s);
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_clear(&s->latency[op]);
}

static const struct host_identity host = {
    .name = "store-7", .boot = {1, 2, 3, [15] = 255}, .boot_known = true};
static const struct clock_error clocks[] = {
    {WALL * UINT64_C(1000000000), 250000, "chrony"},
    {WALL * UINT64_C(1000000000) + 16000000000, CLOCK_ERROR_UNKNOWN, "adjtimex"},
};

static bool same_host(const struct host_identity *h)
{
    return h->boot_known && !memcmp(h->boot, host.boot, sizeof h->boot) &&
           !strcmp(h->name, host.name);
}

static bool same_clock(const struct clock_error *c, uint64_t number)
{
    const struct clock_error *other = &clocks[number];
    return c->wall_ns == other->wall_ns && c->error_ns == other->error_ns &&
           !strcmp(c->source, other->source);
}

static void take(struct sums *s, const struct record_item *item)
{
    const struct record_batch *b = item->batch;
    s->items++;
    s->plans += item->kind == RECORD_ITEM_PLAN && item->plan->write_share == 0.25;
    s->hosts += item->kind == RECORD_ITEM_HOST && same_host(item->host);
    s->clocks += item->kind == RECORD_ITEM_CLOCK && same_clock(item->clock, s->clocks);
    s->facts += item->kind == RECORD_ITEM_FACT && !strcmp(item->fact->value, "a disk");
    s->rounds += item->kind == RECORD_ITEM_ROUND_BEGIN;
    s->ends +=
        item->kind == RECORD_ITEM_ROUND_END && item->round->total.op[OPERATION_READ].ios == 7;
    s->notes += item->kind == RECORD_ITEM_NOTE && !strcmp(item->note->text, "a note");
    s->dones += item->kind == RECORD_ITEM_DONE && item->done->verdict == VERDICT_LIMIT;
    if (item->kind == RECORD_ITEM_JOB) {
        s->jobs++;
        CHECK_INT(item->job->begin_ns, (WALL + 1) * UINT64_C(1000000000));
        CHECK_INT(item->job->length_ns, 1000000000);
        CHECK_INT(item->job->latency[OPERATION_READ].n, 3);
    }
    if (item->kind != RECORD_ITEM_BATCH)
        return;
    s->batches++;
    s->timed += b->timing && b->timing->issue_error.n == 1;
    s->slices += b->slice_count * b->span;
    s->lost += b->lost_slices * b->span;
    s->wall_ns = b->begin_ns;
    s->stretches += b->stretch_count;
    for (unsigned i = 0; i < b->stretch_count; i++) {
        const struct record_stretch *stretch = &b->stretches[i];
        CHECK_INT(stretch->begin_ns, b->begin_ns + 1000 * i + 7);
        CHECK_INT(stretch->end_ns - stretch->begin_ns, i ? 500 : 300);
        s->busy_ns += stretch->busy_ns;
    }
    CHECK_INT(b->length_ns, INTERVAL_SLICES * b->slice_ns);
    CHECK_INT(b->slice_ns, 10000000 * b->span);
    for (unsigned i = 0; i < b->slice_count; i++)
        slice_add(&s->slice, &b->slices[i]);
    for (int op = 0; op < OPERATIONS; op++)
        add_histogram(&s->latency[op], &b->latency[op]);
}

/* ---- a record ---- */

/* Makes the busy time of the first slice, in two intervals, one of them with gaps. */
static void add_stretches(struct batch *batch, struct batch_stretch stretches[2])
{
    for (unsigned i = 0; i < batch->slice_count; i++)
        batch->slices[i].busy_ns = i ? 0 : 350;
    stretches[0] = (struct batch_stretch){7, 307, 300};
    stretches[1] = (struct batch_stretch){1007, 1507, 50};
    batch->stretches = stretches;
    batch->stretch_count = batch->slice_count ? 2 : 0;
}

static void write_batches(struct record_writer *w, struct contents *c, struct random *random)
{
    uint64_t wall_ns = (WALL + 1) * UINT64_C(1000000000);
    for (unsigned i = 0; i < BATCHES; i++) {
        struct batch batch = random_batch(random);
        batch.span = i % 3 == 2 ? 2 : 1;
        batch.wall_ns = wall_ns;
        struct interval_histogram *h = &batch.latency[OPERATION_READ];
        h->count[5] = UINT64_C(1) << (20 + i % 25); /* numbers of all lengths */
        h->min = h->min < 5 ? h->min : 5;
        h->max = h->max > 5 ? h->max : 5;
        struct batch_stretch stretches[2];
        if (i % 2)
            add_stretches(&batch, stretches);
        wall_ns += 50000000 * batch.span + (i == 10 ? 1234567 : 0);
        if (i == 20) {
            interval_timing_clear(c->batch_timing);
            c->batch_timing->issue_error.count[9]++;
            c->batch_timing->issue_error.min = c->batch_timing->issue_error.max = 9;
            batch.timing = c->batch_timing;
        }
        measurement_add(&c->measurement, &batch);
        record_batch(w, &batch);
    }
}

static void write_job(struct record_writer *w)
{
    static struct interval_histogram latency[OPERATIONS];
    struct job_histories jobs = {.count = 1, .open = latency};
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_clear(&latency[op]);
    latency[OPERATION_READ].count[80] = 3;
    latency[OPERATION_READ].min = latency[OPERATION_READ].max = 80;
    jobs.begin_ns = (WALL + 1) * UINT64_C(1000000000);
    jobs.end_ns = jobs.begin_ns + 1000000000;
    record_jobs(w, &jobs);
}

static void write_record(void)
{
    struct record_writer w;
    struct random random;
    struct err e = {0};
    struct contents *c = &written;
    struct measurement *m = &c->measurement;
    struct slice total = {.op = {{7, 7, 7, 7}}};
    random_seed(&random, 11, 0);
    CHECK_INT(contents_init(c, OPERATION_SET_ALL, true, &arena, &e), 0);
    plan_init(&c->plan);
    c->plan.write_share = 0.25;
    facts_add(&c->settings, "target", "target", "a disk", "", "", FACT_OK);
    unlink(path);
    CHECK_INT(record_create(&w, path, &arena, &e), 0);
    record_plan(&w, &c->plan);
    record_host(&w, &host);
    record_clock(&w, &clocks[0]);
    record_facts(&w, c);
    m->slice_seconds = 0.01;
    record_slice_length(&w, 0.01);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_INT(measurement_begin_round(m, i == 0, i, &e), 0);
        record_begin_round(&w, &m->rounds[i]);
        if (i)
            write_batches(&w, c, &random);
        if (i == 2)
            write_job(&w);
        measurement_end_round(m, 0.5, &total);
        record_end_round(&w, &m->rounds[i]);
    }
    record_clock(&w, &clocks[1]);
    contents_note(c, true, "a note");
    c->verdict = VERDICT_LIMIT;
    c->batch_timing = NULL;
    record_end(&w, c);
    record_close(&w);
    CHECK_INT(w.error.code, 0);
    CHECK(record_bytes_load(&whole, path));
}

/* ---- checks ---- */

static enum record_scan_state scan_all(struct sums *s, struct record_damage *damage, struct err *e)
{
    struct record_scan *scan;
    struct record_item item;
    enum record_scan_state state;
    sums_clear(s);
    *e = (struct err){0};
    if (record_scan_open(&scan, path, false, e))
        return RECORD_SCAN_FAILED;
    while ((state = record_scan_next(scan, &item, e)) == RECORD_SCAN_ITEM)
        take(s, &item);
    CHECK_INT(record_scan_next(scan, &item, e), state); /* and so it stays */
    *damage = record_scan_damage(scan);
    record_scan_close(scan);
    return state;
}

static void read_back(struct err *e)
{
    *e = (struct err){0};
    contents_free(&back);
    arena_free(&fresh);
    CHECK_INT(arena_init_untouched(&fresh, contents_bytes(OPERATION_SET_ALL, true) + 4096, e), 0);
    CHECK_INT(contents_init(&back, OPERATION_SET_ALL, true, &fresh, e), 0);
    record_read(&back, path, e);
}

/* The worst reading of a clock counts: the largest bound, or "unknown" if any reading had none. */
static void check_worst_clock(void)
{
    static struct contents c;
    const struct clock_error better = {1, 2000, "chrony"}, worse = {2, 9000, "adjtimex"};
    CHECK_INT(c.clock.source[0], 0);
    contents_clock(&c, &better);
    contents_clock(&c, &worse);
    contents_clock(&c, &better);
    CHECK_INT(c.clock.error_ns, 9000);
    CHECK_STR(c.clock.source, "adjtimex");
    contents_clock(&c, &clocks[1]);
    contents_clock(&c, &worse);
    CHECK_INT(c.clock.error_ns, CLOCK_ERROR_UNKNOWN);
}

/* Checks that all batches together equal record_read's measurement. */
static void check_like_read(const struct sums *s)
{
    CHECK_INT(back.clock.error_ns, CLOCK_ERROR_UNKNOWN);
    CHECK_STR(back.clock.source, clocks[1].source);
    const struct measurement *m = &back.measurement;
    static struct interval_histogram latency[OPERATIONS];
    struct slice slice = {0};
    CHECK_INT(s->slices, m->original_slices);
    CHECK_INT(s->lost, m->lost_slices);
    for (size_t i = 0; i < m->slice_count; i++)
        slice_add(&slice, &m->slices[i]);
    CHECK(m->slice_fold == 0 && memcmp(&slice, &s->slice, sizeof slice) == 0);
    for (int op = 0; op < OPERATIONS; op++) {
        interval_histogram_clear(&latency[op]);
        for (size_t i = 0; i < measurement_stretches(m); i++)
            interval_histogram_add(&latency[op], measurement_stretch(m, i)->latency[op]);
        CHECK(memcmp(&latency[op], &s->latency[op], sizeof latency[op]) == 0);
    }
}

static void check_items(void)
{
    static struct sums s;
    struct record_damage d;
    struct err e;
    CHECK(bytes_store(path, whole.bytes, whole.size));
    CHECK_INT(scan_all(&s, &d, &e), RECORD_SCAN_END);
    CHECK_INT(s.plans, 1);
    CHECK_INT(s.facts, 1);
    CHECK_INT(s.hosts, 1);
    CHECK_INT(s.clocks, 2);
    CHECK(s.stretches > 60 && s.stretches % 2 == 0);
    CHECK_INT(s.busy_ns, s.stretches / 2 * 350);
    CHECK_INT(s.rounds, 3);
    CHECK_INT(s.ends, 3);
    CHECK_INT(s.batches, 2 * BATCHES);
    CHECK_INT(s.timed, 2);
    CHECK_INT(s.jobs, 1);
    CHECK_INT(s.notes, 1);
    CHECK_INT(s.dones, 1);
    CHECK(d.ended && !d.left_out && !d.missing && !d.misplaced && !d.rest);
    /* batch 0 of a round, then 20 of two lengths, with a pause after the eleventh */
    uint64_t last_ns = (WALL + 1) * UINT64_C(1000000000) + 1234567;
    for (unsigned i = 0; i + 1 < BATCHES; i++)
        last_ns += i % 3 == 2 ? 100000000 : 50000000;
    CHECK_INT(s.wall_ns, last_ns);
    read_back(&e);
    CHECK_INT(e.code, 0);
    check_like_read(&s);
}

/* Every byte arrives alone, and the scan pauses now and then: no item comes early, twice, or not at
   all. */
static void check_growing(void)
{
    static struct sums s, all;
    struct record_scan *scan;
    struct record_item item;
    struct record_damage d;
    enum record_scan_state state = RECORD_SCAN_WAIT;
    struct err e = {0};
    CHECK_INT(scan_all(&all, &d, &e), RECORD_SCAN_END);
    sums_clear(&s);
    FILE *file = fopen(path, "wb");
    CHECK_INT(record_scan_open(&scan, path, true, &e), 0);
    CHECK_INT(record_scan_next(scan, &item, &e), RECORD_SCAN_WAIT);
    size_t size = whole.size < 40000 ? whole.size : 40000;
    for (size_t i = 0; i < whole.size && file && scan; i += i < size ? 1 : whole.size - size) {
        CHECK_INT(state, RECORD_SCAN_WAIT);
        CHECK(fwrite(whole.bytes + i, 1, i < size ? 1 : whole.size - size, file) > 0);
        fflush(file);
        while ((state = record_scan_next(scan, &item, &e)) == RECORD_SCAN_ITEM)
            take(&s, &item);
        if (i % 5 == 2)
            record_scan_rest(scan);
    }
    CHECK_INT(state, RECORD_SCAN_END);
    CHECK_INT(s.items, all.items);
    CHECK(memcmp(&s, &all, sizeof s) == 0);
    record_scan_close(scan);
    if (file)
        fclose(file);
}

/* Read while copies are made under its name: a longer copy continues, an incomplete one waits, a
   missing one waits, another record is refused. */
static void check_copies(void)
{
    static struct sums s, all;
    struct record_scan *scan;
    struct record_item item;
    struct record_damage d;
    enum record_scan_state state;
    struct err e = {0};
    const size_t lengths[] = {whole.size / 2, 0, 10, 1000, whole.size};
    CHECK_INT(scan_all(&all, &d, &e), RECORD_SCAN_END);
    sums_clear(&s);
    CHECK(bytes_store(path, whole.bytes, whole.size / 3));
    CHECK_INT(record_scan_open(&scan, path, true, &e), 0);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        while ((state = record_scan_next(scan, &item, &e)) == RECORD_SCAN_ITEM)
            take(&s, &item);
        CHECK_INT(state, RECORD_SCAN_WAIT);
        record_scan_rest(scan);
        CHECK_INT(remove(path), 0);
        CHECK_INT(record_scan_next(scan, &item, &e), RECORD_SCAN_WAIT);
        CHECK(bytes_store(path, whole.bytes, lengths[i]));
    }
    while ((state = record_scan_next(scan, &item, &e)) == RECORD_SCAN_ITEM)
        take(&s, &item);
    CHECK_INT(state, RECORD_SCAN_END);
    CHECK(memcmp(&s, &all, sizeof s) == 0);
    record_scan_close(scan);

    static struct record_bytes other;
    other = whole;
    other.bytes[13] ^= 1;
    CHECK(bytes_store(path, whole.bytes, whole.size / 3));
    CHECK_INT(record_scan_open(&scan, path, true, &e), 0);
    while ((state = record_scan_next(scan, &item, &e)) == RECORD_SCAN_ITEM)
        continue;
    record_scan_rest(scan);
    CHECK(bytes_store(path, other.bytes, other.size));
    CHECK_INT(record_scan_next(scan, &item, &e), RECORD_SCAN_FAILED);
    CHECK(strstr(e.msg, "another record") != NULL);
    record_scan_close(scan);
    CHECK(bytes_store(path, whole.bytes, whole.size));
}

/* A session killed in the middle of a chunk: its reader waits until it is told that the session has
   ended. */
static void check_killed(void)
{
    struct record_scan *scan;
    struct record_item item;
    struct err e = {0};
    enum record_scan_state state;
    unsigned items = 0;
    CHECK(bytes_store(path, whole.bytes, whole.size / 2));
    CHECK_INT(record_scan_open(&scan, path, true, &e), 0);
    while ((state = record_scan_next(scan, &item, &e)) == RECORD_SCAN_ITEM)
        items++;
    CHECK(items > 10);
    CHECK_INT(state, RECORD_SCAN_WAIT);
    record_scan_stop_waiting(scan);
    CHECK_INT(record_scan_next(scan, &item, &e), RECORD_SCAN_END);
    CHECK(!record_scan_damage(scan).ended && record_scan_damage(scan).rest > 0);
    record_scan_close(scan);
}

/* Damaged anywhere: the scan uses, reports and judges the same as record_read. */
static void check_damage(void)
{
    static struct record_bytes changed;
    static struct sums s;
    struct record_damage d;
    struct err e, of_read;
    for (size_t at = RECORD_HEAD + chunk_bytes(&whole, RECORD_HEAD); at < whole.size;
         at += 1 + at % 499) {
        memcpy(changed.bytes, whole.bytes, whole.size);
        changed.bytes[at] ^= 0x40;
        CHECK(bytes_store(path, changed.bytes, whole.size));
        enum record_scan_state state = scan_all(&s, &d, &e);
        read_back(&of_read);
        CHECK_INT(state == RECORD_SCAN_FAILED, of_read.code != 0);
        if (state == RECORD_SCAN_FAILED)
            continue;
        CHECK(d.left_out || d.rest);
        check_like_read(&s);
    }
}

/* Chunks with correct checksums whose content no session can have measured. */
static void check_impossible(void)
{
    static struct record_bytes changed;
    static struct sums s;
    struct record_damage d;
    struct err e;
    unsigned char slice_length[10], round[2] = {0, 0}, batch[64] = {0}, *to = batch;
    struct {
        uint64_t min, max, step, count;
    } rows[] = {{5, 5, 6, 1},
                {5, 5, 6, 0},
                {6, 5, 6, 1},
                {5, 9, 6, 1},
                {4, 4, 6, 1},
                {5, 5, 2369, 1},
                {5, 5, 6, UINT64_C(1) << 50}};
    put_leb128(slice_length, 10000000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        to = batch;
        *to++ = 0; /* slices */
        *to++ = 0; /* lost */
        to = put_leb128(to, rows[i].min);
        to = put_leb128(to, rows[i].max);
        *to++ = 0;
        to = put_leb128(to, rows[i].step);
        to = put_leb128(to, rows[i].count);
        *to++ = 0;
        to = put_leb128(to, UINT64_MAX);
        memset(to, 0, 3);
        to += 3;
        record_bytes_begin(&changed, 2);
        record_bytes_copy(&changed, &whole, RECORD_HEAD); /* the plan */
        record_bytes_add(&changed, "SLEN", slice_length, 4);
        record_bytes_add(&changed, "RBEG", round, sizeof round);
        record_bytes_add(&changed, "BTCH", batch, (size_t)(to - batch));
        CHECK(bytes_store(path, changed.bytes, changed.size));
        CHECK_INT(scan_all(&s, &d, &e), i ? RECORD_SCAN_FAILED : RECORD_SCAN_END);
        CHECK_INT(e.code, i ? ERR_USAGE : 0);
        CHECK(!i || strstr(e.msg, "its chunk BTCH"));
        struct err of_read;
        read_back(&of_read);
        CHECK_STR(e.msg, of_read.msg);
    }
}

/* The same for other kinds of chunks: a payload with a correct checksum, and whether it is
   possible. */
struct payload_row {
    const char *type;
    size_t length;
    const unsigned char *bytes;
    bool is_possible;
};
#define BYTES(...)                                                                                 \
    sizeof((const unsigned char[]){__VA_ARGS__}), (const unsigned char[])                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void check_impossible_payloads(void)
{
    static unsigned char long_name[HOST_NAME_BYTES + 1 + HOST_BOOT_BYTES];
    memset(long_name, 'h', HOST_NAME_BYTES);
    const struct payload_row rows[] = {
        {"HOST", BYTES('h', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), true},
        {"HOST", BYTES('h', 0, 1, 2), false},
        {"HOST", BYTES('h', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), false},
        {"HOST", sizeof long_name, long_name, false},
        {"HOST", sizeof long_name - 1, long_name + 1, true},
        {"CLCK", BYTES(5, 1, 'x', 0), true},
        {"CLCK", BYTES(5, 1, 'x'), false},
        {"CLCK", BYTES(255, 255, 255, 255, 255, 255, 255, 255, 127, 1, 0),
         false}, /* the year 2262 */
        {"BUSY", BYTES(1, 0, 5, 0), true},
        {"BUSY", BYTES(2, 0, 5, 0, 0, 5, 4), true},
        {"BUSY", BYTES(1, 0, 5, 5), false}, /* never busy */
        {"BUSY", BYTES(1, 0, 5, 6), false}, /* less than never */
        {"BUSY", BYTES(1, 0, 0, 0), false},
        {"BUSY", BYTES(2, 0, 5, 0), false},
        {"BUSY", BYTES(129, 2), false}, /* 257 of them */
    };
    static struct record_bytes changed;
    static struct sums s;
    struct record_damage d;
    struct err e, of_read;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        record_bytes_begin(&changed, 2);
        record_bytes_copy(&changed, &whole, RECORD_HEAD);
        record_bytes_add(&changed, rows[i].type, rows[i].bytes, rows[i].length);
        CHECK(bytes_store(path, changed.bytes, changed.size));
        enum record_scan_state state = scan_all(&s, &d, &e);
        read_back(&of_read);
        if (!check_that(state == (rows[i].is_possible ? RECORD_SCAN_END : RECORD_SCAN_FAILED),
                        __FILE__, __LINE__, rows[i].type))
            fprintf(stderr, "    row %zu: %s\n", i, e.msg);
        CHECK_STR(e.msg, of_read.msg);
    }
}

/* Busy intervals that do not fit their batch, whose busy time is 350 ns. */
static void check_other_stretches(void)
{
    static struct record_bytes changed;
    static struct sums s;
    static const unsigned char other[] = {1, 0, 94, 1}, *const payload = other;
    struct record_damage d;
    struct err e;
    bool is_changed = false;
    memcpy(changed.bytes, whole.bytes, RECORD_HEAD);
    changed.size = RECORD_HEAD;
    changed.number = 0;
    for (size_t at = RECORD_HEAD; at < whole.size; at += chunk_bytes(&whole, at)) {
        bool change = !is_changed && !memcmp(whole.bytes + at, "BUSY", 4);
        is_changed |= change;
        if (change)
            record_bytes_add(&changed, "BUSY", payload, sizeof other);
        else if (memcmp(whole.bytes + at, "LAST", 4) != 0)
            record_bytes_copy(&changed, &whole, at);
    }
    record_bytes_end(&changed);
    CHECK(is_changed && bytes_store(path, changed.bytes, changed.size));
    CHECK_INT(scan_all(&s, &d, &e), RECORD_SCAN_FAILED);
    CHECK(strstr(e.msg, "time in flight is not that of its slices"));
    read_back(&e);
    CHECK(strstr(e.msg, "time in flight is not that of its slices"));
}

static void check_no_record(void)
{
    struct record_scan *scan;
    struct record_item item;
    struct err e = {0};
    CHECK_INT(record_scan_open(&scan, "/nowhere/at/all", true, &e), -1);
    CHECK(e.code == ERR_USAGE && !scan);
    CHECK(bytes_store(path, (const unsigned char *)"CUPELRXX", 8));
    for (int grows = 0; grows < 2; grows++) {
        CHECK_INT(record_scan_open(&scan, path, grows, &e), 0);
        CHECK_INT(record_scan_next(scan, &item, &e), RECORD_SCAN_FAILED);
        CHECK(strstr(e.msg, "not a cupel record"));
        CHECK_INT(record_scan_next(scan, &item, &e), RECORD_SCAN_FAILED);
        record_scan_close(scan);
    }
    CHECK_INT(record_scan_open(&scan, "/", true, &e), 0);
    CHECK_INT(record_scan_next(scan, &item, &e), RECORD_SCAN_FAILED);
    record_scan_close(scan);
    record_scan_close(NULL);
}

int main(void)
{
    struct err e = {0};
    test_path(path, sizeof path, "record_scan");
    CHECK_INT(
        arena_init(&arena, contents_bytes(OPERATION_SET_ALL, true) + RECORD_BUFFER + 65536, &e), 0);
    write_record();
    check_worst_clock();
    check_items();
    check_growing();
    check_copies();
    check_killed();
    check_damage();
    check_impossible();
    check_impossible_payloads();
    check_other_stretches();
    check_no_record();
    unlink(path);
    contents_free(&written);
    contents_free(&back);
    arena_free(&arena);
    arena_free(&fresh);
    return check_result();
}
