/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast a record is scanned, in MB of the file a second of processor time: an hour in batches of
 * a second, each with about 100 buckets in use, as the record of a host that joins thousands of
 * others. Beside reading it as a session's, and beside read() of the same bytes alone.
 *
 *   record_scan FOLDER      the record is made in FOLDER, and removed
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "figure.h"
#include "run/record/record.h"
#include "run/record/record_scan.h"

#define BATCHES      3600u
#define IOS          20000u
#define PAIRS        15
#define SCANS        8 /* of a pair */
#define MB_PER_S_MIN 1000.0

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Latencies around 100 us with a tail to 1 ms; every batch has others. */
static void fill(struct batch *b, struct random *r, uint64_t wall_ns)
{
    batch_clear(b);
    b->slice_count = INTERVAL_SLICES;
    b->wall_ns = wall_ns;
    struct interval_histogram *h = &b->latency[OPERATION_READ];
    for (unsigned i = 0; i < IOS; i++) {
        double x = 0;
        for (int k = 0; k < 4; k++)
            x += (double)random_below(r, 1000) / 1000 - 0.5;
        uint64_t ns = (uint64_t)(100e3 * (1 + 0.35 * x)) +
                      (random_below(r, 2000) ? 0 : random_below(r, 900000));
        struct slice_op *op = &b->slices[i % INTERVAL_SLICES].op[OPERATION_READ];
        h->count[histogram_bucket(ns)]++;
        h->min = ns < h->min ? ns : h->min;
        h->max = ns > h->max ? ns : h->max;
        op->ios++;
        op->bytes += 4096;
        op->latency_ns += ns;
    }
    for (unsigned i = 0; i < INTERVAL_SLICES; i++) {
        b->slices[i].asked_bytes = b->slices[i].op[OPERATION_READ].bytes;
        b->slices[i].busy_ns = 200000000;
    }
}

static int write_record(const char *path)
{
    static struct batch batch;
    static const struct batch_stretch whole = {0, 1000000000, 1000000000};
    struct record_writer w;
    struct arena arena;
    struct plan plan;
    struct random r;
    struct err e;
    struct round round = {.trial = false};
    random_seed(&r, 1, 0);
    plan_init(&plan);
    unlink(path);
    if (arena_init(&arena, RECORD_BUFFER + 4096, &e) || record_create(&w, path, &arena, &e)) {
        fprintf(stderr, "record_scan: %s\n", e.msg);
        return -1;
    }
    record_plan(&w, &plan);
    record_slice_length(&w, 0.2);
    record_begin_round(&w, &round);
    for (unsigned i = 0; i < BATCHES; i++) {
        fill(&batch, &r, (1700000000 + i) * UINT64_C(1000000000));
        batch.stretches = &whole;
        batch.stretch_count = 1;
        record_batch(&w, &batch);
    }
    record_close(&w);
    arena_free(&arena);
    return w.error.code ? -1 : 0;
}

static uint64_t sink, buckets;

/* The sums that a reader of many records makes. */
static int scan(const char *path)
{
    static uint64_t count[HISTOGRAM_BUCKETS];
    struct record_scan *s;
    struct record_item item;
    struct err e;
    enum record_scan_state state;
    unsigned batches = 0;
    buckets = 0;
    if (record_scan_open(&s, path, false, &e))
        return -1;
    while ((state = record_scan_next(s, &item, &e)) == RECORD_SCAN_ITEM) {
        if (item.kind != RECORD_ITEM_BATCH)
            continue;
        const struct sparse_histogram *h = &item.batch->latency[OPERATION_READ];
        for (unsigned i = 0; i < h->used; i++)
            count[h->bucket[i]] += h->count[i];
        buckets += h->used;
        batches++;
    }
    record_scan_close(s);
    sink += count[100];
    return state == RECORD_SCAN_END && batches == BATCHES ? 0 : -1;
}

static int read_as_session(const char *path)
{
    static struct contents c;
    struct arena arena;
    struct err e;
    int status =
        arena_init_untouched(&arena, contents_bytes(OPERATION_SET_ALL, false) + 4096, &e) ||
        contents_init(&c, OPERATION_SET_ALL, false, &arena, &e) || record_read(&c, path, &e);
    contents_free(&c);
    arena_free(&arena);
    return status ? -1 : 0;
}

static int read_alone(const char *path)
{
    static unsigned char buffer[256 << 10];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;
    while ((got = read(fd, buffer, sizeof buffer)) > 0)
        sink += buffer[0];
    return close(fd) || got ? -1 : 0;
}

/* MB/s of one way to read it. */
static double rate(int (*way)(const char *), const char *path, double mb, int times)
{
    double begin = cpu_seconds();
    for (int i = 0; i < times; i++)
        if (way(path))
            return NAN;
    return mb * times / (cpu_seconds() - begin);
}

int main(int argc, char **argv)
{
    double ours[PAIRS], session[PAIRS], alone[PAIRS], limit[PAIRS];
    char path[1024];
    struct stat s;
    if (argc != 2)
        return EXIT_FAILURE;
    snprintf(path, sizeof path, "%s/scanned.cupel", argv[1]);
    if (write_record(path) || stat(path, &s) || scan(path) || read_as_session(path))
        return EXIT_FAILURE;
    double mb = (double)s.st_size * 1e-6;
    for (int i = 0; i < PAIRS; i++) {
        ours[i] = rate(scan, path, mb, SCANS);
        session[i] = rate(read_as_session, path, mb, 1);
        alone[i] = rate(read_alone, path, mb, SCANS);
        limit[i] = MB_PER_S_MIN;
    }
    unlink(path);
    fprintf(stderr, "record_scan: %.0f bytes and %.0f buckets a batch\n", mb * 1e6 / BATCHES,
            (double)buckets / BATCHES);
    struct figure f = {"record scan", "MB/s", 0, "target", FIGURE_AT_LEAST, 1};
    figure_pairs(&f, ours, limit, PAIRS);
    f.relation = FIGURE_NO_TARGET;
    f.reference = "read as a session";
    figure_pairs(&f, ours, session, PAIRS);
    f.reference = "read() alone";
    figure_pairs(&f, ours, alone, PAIRS);
    return EXIT_SUCCESS;
}
