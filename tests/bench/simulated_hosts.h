/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of hosts that never were: any number of them, fast, and with known sums.
 *
 * A few templates are written by run/record; the record of a host is a template with an identity, a
 * name, a boot and a clock of its own, and with the checksums that belong to them. All begin within
 * .4 s after SIMULATED_BEGIN_NS, and a batch is 1 s: its middle lies in the second of its number.
 */
#ifndef TESTS_BENCH_SIMULATED_HOSTS_H
#define TESTS_BENCH_SIMULATED_HOSTS_H

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "base/random.h"
#include "run/record/record.h"

#define SIMULATED_TEMPLATES  8u
#define SIMULATED_SECOND_NS  UINT64_C(1000000000)
#define SIMULATED_BEGIN_NS   (UINT64_C(1700000000) * SIMULATED_SECOND_NS)
#define SIMULATED_STRETCHES  20u /* a second, of half of the templates; of the others 1 */
#define SIMULATED_HEAD       24u
#define SIMULATED_CHUNK_HEAD 12u

struct simulated_hosts {
    struct simulated_record {
        unsigned char *bytes;
        size_t length;
    } templates[SIMULATED_TEMPLATES];
    unsigned char *copy; /* of the longest */
};

/* About 110 buckets in use: log-normal, with a median that wanders. */
static inline void simulated_latency(struct random *r, double median_ns, double ios,
                                     struct interval_histogram *to, uint64_t *n, uint64_t *sum)
{
    const double sigma = 0.2;
    size_t lowest = histogram_bucket((uint64_t)(median_ns * exp(-4 * sigma)));
    size_t highest = histogram_bucket((uint64_t)(median_ns * exp(4 * sigma)));
    for (size_t i = lowest; i <= highest; i++) {
        double begin = histogram_edge(i), end = histogram_edge(i + 1), middle = (begin + end) / 2;
        double x = log(middle / median_ns) / sigma;
        double share = exp(-x * x / 2) / (sigma * middle * sqrt(2 * M_PI)) * (end - begin);
        uint64_t count = (uint64_t)(ios * share + random_unit(r));
        if (!count)
            continue;
        to->count[i] = count;
        if (!*n)
            to->min = (uint64_t)begin;
        to->max = (uint64_t)end - 1;
        *n += count;
        *sum += (uint64_t)(middle * (double)count);
    }
}

/* What the template has in that second; a second call gives the same. */
static inline void simulated_batch(unsigned template, unsigned second, struct batch *batch,
                                   struct batch_stretch stretches[SIMULATED_STRETCHES])
{
    struct random r;
    random_seed(&r, template, second);
    batch_clear(batch);
    batch->slice_count = INTERVAL_SLICES;
    for (int op = 0; op < OPERATIONS; op++) {
        double median =
            (op == REQUEST_READ ? 8e4 : 2e5) * (1 + 0.3 * sin(second / 300.0 + template));
        uint64_t n = 0, sum = 0;
        simulated_latency(&r, median, op == REQUEST_READ ? 8000 : 4000, &batch->latency[op], &n,
                          &sum);
        for (unsigned i = 0; i < INTERVAL_SLICES; i++) {
            uint64_t ios = n / INTERVAL_SLICES + (i < n % INTERVAL_SLICES);
            batch->slices[i].op[op] = (struct slice_op){ios, ios * 4096, sum / n * ios, 0};
            batch->slices[i].asked_bytes += ios * 4096;
        }
    }
    batch->stretch_count = template % 2 ? SIMULATED_STRETCHES : 1;
    const uint64_t period = SIMULATED_SECOND_NS / batch->stretch_count;
    const uint64_t busy = template % 2 ? period * 3 / 5 : period;
    for (unsigned i = 0; i < batch->stretch_count; i++)
        stretches[i] = (struct batch_stretch){i * period, i * period + busy, busy};
    for (unsigned i = 0; i < INTERVAL_SLICES; i++)
        batch->slices[i].busy_ns = busy * batch->stretch_count / INTERVAL_SLICES;
    batch->stretches = stretches;
    batch->wall_ns = SIMULATED_BEGIN_NS + second * SIMULATED_SECOND_NS;
}

static inline int simulated_read(const char *path, struct simulated_record *to)
{
    struct stat st = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        return -1;
    to->length = (size_t)st.st_size;
    to->bytes = malloc(to->length);
    ssize_t got = to->bytes ? read(fd, to->bytes, to->length) : -1;
    close(fd);
    unlink(path);
    return got == st.st_size ? 0 : -1;
}

static inline int simulated_template(const char *folder, unsigned template, unsigned seconds,
                                     struct simulated_record *to)
{
    static struct contents c;
    static struct batch batch;
    struct batch_stretch stretches[SIMULATED_STRETCHES];
    struct host_identity host = {.name = "host-00000", .boot_known = true};
    const struct clock_error clock = {SIMULATED_BEGIN_NS, 1000000, "chrony"};
    struct round round = {.ended = true, .seconds = seconds};
    struct record_writer w;
    struct arena arena;
    struct err e;
    char path[1200];
    snprintf(path, sizeof path, "%s/template.%u", folder, template);
    if (arena_init(&arena, 1 << 20, &e) || record_create(&w, path, &arena, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return -1;
    }
    plan_init(&c.plan);
    c.verdict = VERDICT_LIMIT;
    c.block_layer.iops.value = NAN;
    memset(host.boot, (int)template + 1, sizeof host.boot);
    record_plan(&w, &c.plan);
    record_host(&w, &host);
    record_clock(&w, &clock);
    record_slice_length(&w, (double)SIMULATED_SECOND_NS * 1e-9 / INTERVAL_SLICES);
    record_begin_round(&w, &round);
    for (unsigned second = 0; second < seconds; second++) {
        simulated_batch(template, second, &batch, stretches);
        record_batch(&w, &batch);
        for (unsigned i = 0; i < INTERVAL_SLICES; i++)
            slice_add(&round.total, &batch.slices[i]);
    }
    record_end_round(&w, &round);
    record_end(&w, &c);
    record_close(&w);
    arena_free(&arena);
    return w.error.code ? -1 : simulated_read(path, to);
}

/* The folder is there. -1 with a message on standard error. To be freed in any case. */
static inline int simulated_hosts_init(struct simulated_hosts *s, const char *folder,
                                       unsigned seconds)
{
    size_t longest = 0;
    *s = (struct simulated_hosts){.copy = NULL};
    for (unsigned i = 0; i < SIMULATED_TEMPLATES; i++) {
        if (simulated_template(folder, i, seconds, &s->templates[i])) {
            fprintf(stderr, "%s: no template of a record: %s\n", folder, strerror(errno));
            return -1;
        }
        longest = s->templates[i].length > longest ? s->templates[i].length : longest;
    }
    s->copy = malloc(longest);
    return s->copy ? 0 : -1;
}

static inline void simulated_hosts_free(struct simulated_hosts *s)
{
    for (unsigned i = 0; i < SIMULATED_TEMPLATES; i++)
        free(s->templates[i].bytes);
    free(s->copy);
}

/* A LEB128 number becomes larger, and stays as long as it is. */
static inline void simulated_shift(unsigned char *at, uint64_t shift)
{
    uint64_t v = 0;
    unsigned bytes = 0;
    do
        v |= (uint64_t)(at[bytes] & 0x7f) << (7 * bytes);
    while (at[bytes++] & 0x80);
    v += shift;
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)((v >> (7 * i) & 0x7f) | (i + 1 < bytes ? 0x80 : 0));
}

static inline uint64_t simulated_shift_ns(unsigned number)
{
    return (10 + number % 390) * UINT64_C(1000000); /* more than the error of the clocks */
}

/* Make the copy of a template the record of a host. */
static inline void simulated_change(unsigned char *bytes, size_t length, unsigned number)
{
    struct random r;
    random_seed(&r, number, 77);
    store_le32(bytes + 12, (uint32_t)random_u64(&r));
    store_le32(bytes + 16, number);
    const uint32_t seed = crc32c(0, bytes, SIMULATED_HEAD - 4);
    store_le32(bytes + 20, seed);
    uint32_t all = 0;
    for (unsigned char *at = bytes + SIMULATED_HEAD; at < bytes + length;) {
        unsigned char *payload = at + SIMULATED_CHUNK_HEAD;
        unsigned char *end = payload + load_le32(at + 4);
        if (!memcmp(at, "HOST", 4)) {
            char digits[16];
            snprintf(digits, sizeof digits, "%05u", number % 100000);
            memcpy(payload + 5, digits, 5);
            store_le32(end - 4, number);
        } else if (!memcmp(at, "WHEN", 4)) {
            simulated_shift(payload, simulated_shift_ns(number));
        } else if (!memcmp(at, "LAST", 4)) {
            unsigned char *chunks = payload;
            while (*chunks++ & 0x80)
                ;
            store_le32(chunks, all);
        }
        store_le32(end, crc32c(seed, at, (size_t)(end - at)));
        all = crc32c(all, end, 4);
        at = end + 4;
    }
}

/* The record of that host, into FOLDER/h00017/record.cupel; its bytes, 0: errno says why not. */
static inline size_t simulated_hosts_write(struct simulated_hosts *s, const char *folder,
                                           unsigned number)
{
    const struct simulated_record *from = &s->templates[number % SIMULATED_TEMPLATES];
    char path[1200];
    memcpy(s->copy, from->bytes, from->length);
    simulated_change(s->copy, from->length, number);
    snprintf(path, sizeof path, "%s/h%05u", folder, number);
    if (mkdir(path, 0777))
        return 0;
    snprintf(path, sizeof path, "%s/h%05u/record.cupel", folder, number);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return 0;
    ssize_t done = write(fd, s->copy, from->length);
    return close(fd) == 0 && done == (ssize_t)from->length ? from->length : 0;
}

static inline void simulated_hosts_remove(const char *folder, unsigned from, unsigned to)
{
    char path[1200];
    for (unsigned i = from; i < to; i++) {
        snprintf(path, sizeof path, "%s/h%05u/record.cupel", folder, i);
        unlink(path);
        snprintf(path, sizeof path, "%s/h%05u", folder, i);
        rmdir(path);
    }
}

#endif
