/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces in every format, written from a list of events: what tests, fuzzing and benches read.
 *
 * A sample says what its format keeps of an event (enum sample_keeps), so that a reader's events
 * can be compared with those that were written. Times are whole us and offsets whole sectors, which
 * all but one format can tell.
 */
#ifndef TESTS_UNIT_TRACE_SAMPLES_H
#define TESTS_UNIT_TRACE_SAMPLES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "source/trace/cupel_trace_write.h"
#include "source/trace/trace.h"

enum sample_keeps {
    SAMPLE_TIME = 1,
    SAMPLE_RESPONSE = 2,
    SAMPLE_PROCESS = 4,
    SAMPLE_DURABLE = 8,
    SAMPLE_FLUSH = 16, /* and discards; a format without them gets writes instead */
    SAMPLE_DEVICES = 32,
};

struct sample_format {
    const char *name;   /* of the sample */
    const char *format; /* a row of trace_format_names */
    unsigned keeps;
    unsigned records;       /* lines or records of an event */
    void (*begin)(FILE *f); /* may be NULL */
    void (*event)(FILE *f, const struct trace_event *event);
};

/* ---------------------------------------------------------------- events */

#define SAMPLE_BEGIN_NS      1577808000000000000u /* a day in 2020 */
#define SAMPLE_DEVICES_COUNT 3

/* The next event behind `event`; the first is behind zeros. */
static inline void sample_next(struct random *r, struct trace_event *event)
{
    static const uint32_t lengths[] = {512, 4096, 4096, 8192, 65536};
    uint64_t number = event->number + 1, time_ns = event->time_ns;
    *event = (struct trace_event){.number = number,
                                  .time_ns =
                                      number == 1 ? 0 : time_ns + 1000 * (1 + random_below(r, 400)),
                                  .offset = 512 * random_below(r, 1u << 24),
                                  .length = lengths[random_below(r, 5)],
                                  .response_ns = 1000 * (20 + random_below(r, 300)),
                                  .process = 100 + (uint32_t)random_below(r, 5),
                                  .device = (uint16_t)random_below(r, SAMPLE_DEVICES_COUNT)};
    uint64_t dice = random_below(r, 32);
    event->op = dice == 0   ? OPERATION_SYNC
                : dice == 1 ? OPERATION_TRIM
                : dice < 20 ? OPERATION_READ
                            : OPERATION_WRITE;
    if (event->op == OPERATION_SYNC)
        event->offset = event->length = 0;
    event->durable = event->op == OPERATION_WRITE && random_below(r, 4) == 0;
}

/* The event as this format can tell it. */
static inline void sample_fit(struct trace_event *event, unsigned keeps)
{
    if (!(keeps & SAMPLE_FLUSH) && event->op != OPERATION_READ) {
        event->op = OPERATION_WRITE;
        event->length = event->length ? event->length : 4096;
    }
    if (!(keeps & SAMPLE_DURABLE))
        event->durable = 0;
    if (!(keeps & SAMPLE_RESPONSE))
        event->response_ns = TRACE_UNKNOWN;
    if (!(keeps & SAMPLE_PROCESS))
        event->process = 0;
    if (!(keeps & SAMPLE_DEVICES))
        event->device = 0;
}

/* ---------------------------------------------------------------- text formats */

static inline void sample_msr(FILE *f, const struct trace_event *e)
{
    fprintf(f, "%" PRIu64 ",host,%u,%s,%" PRIu64 ",%u,%" PRIu64 "\n",
            128166372000000000u + e->time_ns / 100, e->device,
            e->op == OPERATION_READ ? "Read" : "Write", e->offset, e->length, e->response_ns / 100);
}

static inline void sample_alibaba(FILE *f, const struct trace_event *e)
{
    fprintf(f, "%u,%c,%" PRIu64 ",%u,%" PRIu64 "\n", e->device, e->op == OPERATION_READ ? 'R' : 'W',
            e->offset, e->length, (SAMPLE_BEGIN_NS + e->time_ns) / 1000);
}

static inline void sample_tencent(FILE *f, const struct trace_event *e)
{
    fprintf(f, "%" PRIu64 ",%" PRIu64 ",%u,%d,%u\n", (SAMPLE_BEGIN_NS + e->time_ns) / 1000000000,
            e->offset / 512, e->length / 512, e->op != OPERATION_READ, 1063u + e->device);
}

static inline void sample_spc(FILE *f, const struct trace_event *e)
{
    fprintf(f, "%u,%" PRIu64 ",%u,%c,%" PRIu64 ".%06" PRIu64 "\n", e->device, e->offset / 512,
            e->length, "rwRW"[2 * (e->number & 1) + (e->op != OPERATION_READ)],
            e -> time_ns / 1000000000, e -> time_ns % 1000000000 / 1000);
}

static inline void sample_fiu(FILE *f, const struct trace_event *e)
{
    fprintf(f, "%" PRIu64 " %u %s %" PRIu64 " %u %c 8 %u 531e779aeb2d01f5d7ff3bd8b1c2ff70\n",
            89966104803400u + e->time_ns, e->process, e->number % 7 ? "syslogd" : "a b 7",
            e->offset / 512, e->length / 512, e->op == OPERATION_READ ? 'R' : 'W', 16 * e->device);
}

static inline void sample_iolog2_begin(FILE *f)
{
    fprintf(f, "fio version 2 iolog\n/data0 add\n/data1 add\n/data2 add\n/data0 open\n");
}

static const char *const sample_iolog_words[] = {"read", "write", "sync", "trim"};

static inline void sample_iolog2(FILE *f, const struct trace_event *e)
{
    fprintf(f, "/data%u %s %" PRIu64 " %u\n", e->device, sample_iolog_words[e->op], e->offset,
            e->length);
}

static inline void sample_iolog3_begin(FILE *f)
{
    fprintf(f, "fio version 3 iolog\n0 /data0 add\n0 /data0 open\n");
}

static inline void sample_iolog3(FILE *f, const struct trace_event *e)
{
    fprintf(f, "%" PRIu64 " /data%u %s %" PRIu64 " %u\n", e->time_ns / 1000, e->device,
            sample_iolog_words[e->op], e->offset, e->length);
}

/* ---------------------------------------------------------------- stages of the block layer */

static const struct {
    char letter;
    uint32_t action;
    uint64_t ns; /* behind the first stage */
} sample_stages[] = {{'Q', 1, 0}, {'G', 4, 10}, {'I', 12, 20}, {'D', 7, 30}, {'C', 8, 30}};
#define SAMPLE_STAGES 5

static inline uint64_t sample_stage_time(const struct trace_event *e, int stage)
{
    bool done = sample_stages[stage].letter == 'C';
    return 7000000 + e->time_ns + sample_stages[stage].ns + (done ? e->response_ns : 0);
}

static inline const char *sample_rwbs(const struct trace_event *e)
{
    return e->op == OPERATION_SYNC   ? "FN"
           : e->op == OPERATION_TRIM ? "D"
           : e->op == OPERATION_READ ? "RS"
           : e->durable              ? "WFS"
                                     : "WS";
}

static inline void sample_blkparse_line(FILE *f, const struct trace_event *e, int stage,
                                        bool commas)
{
    uint64_t ns = sample_stage_time(e, stage);
    const char letter = sample_stages[stage].letter;
    if (commas) {
        fprintf(f, "8,%u,0,%" PRIu64 ",%" PRIu64 ".%09" PRIu64 ",%u,%c,%s,%" PRIu64 ",%u\n",
                16u * e->device, 5 * e->number, ns / 1000000000, ns % 1000000000, e->process,
                letter, sample_rwbs(e), e->offset / 512, e->length / 512);
        return;
    }
    fprintf(f, "%3d,%-3u %2d %8" PRIu64 " %5d.%09d %5u  %c %3s ", 8, 16u * e->device, 0,
            5 * e->number, (int)(ns / 1000000000), (int)(ns % 1000000000), e->process, letter,
            sample_rwbs(e));
    if (e->length)
        fprintf(f, "%" PRIu64 " + %u ", e->offset / 512, e->length / 512);
    fprintf(f, letter == 'C' ? "[0]\n" : "[program]\n");
}

static inline void sample_blkparse(FILE *f, const struct trace_event *e)
{
    for (int stage = 0; stage < SAMPLE_STAGES; stage++)
        sample_blkparse_line(f, e, stage, false);
}

static inline void sample_blkparse_commas(FILE *f, const struct trace_event *e)
{
    for (int stage = 0; stage < SAMPLE_STAGES; stage++)
        sample_blkparse_line(f, e, stage, true);
}

/* struct blk_io_trace, number by number, in either byte order. */
struct sample_record {
    unsigned char bytes[48];
    size_t used;
    bool big;
};

static inline void sample_put(struct sample_record *r, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        r->bytes[r->used + (r->big ? bytes - 1 - i : i)] = (unsigned char)(value >> (8 * i));
    r->used += bytes;
}

static inline void sample_blktrace_record(FILE *f, const struct trace_event *e, int stage, bool big)
{
    struct sample_record r = {.big = big};
    uint32_t category = e->op == OPERATION_SYNC   ? 1 << 2 | 1 << 1
                        : e->op == OPERATION_TRIM ? 1 << 13 | 1 << 1
                        : e->op == OPERATION_READ ? 1 << 0
                                                  : 1 << 1;
    if (e->durable)
        category |= 1 << 15;
    sample_put(&r, 0x65617407, 4);
    sample_put(&r, (uint32_t)e->number, 4);
    sample_put(&r, sample_stage_time(e, stage), 8);
    sample_put(&r, e->offset / 512, 8);
    sample_put(&r, e->length, 4);
    sample_put(&r, sample_stages[stage].action | category << 16, 4);
    sample_put(&r, e->process, 4);
    sample_put(&r, 8u << 20 | 16u * e->device, 4);
    sample_put(&r, 0, 4); /* processor */
    sample_put(&r, 0, 2); /* error */
    sample_put(&r, 0, 2); /* what follows */
    fwrite(r.bytes, 1, sizeof r.bytes, f);
}

static inline void sample_blktrace(FILE *f, const struct trace_event *e)
{
    for (int stage = 0; stage < SAMPLE_STAGES; stage++)
        sample_blktrace_record(f, e, stage, false);
}

static inline void sample_blktrace_big(FILE *f, const struct trace_event *e)
{
    for (int stage = 0; stage < SAMPLE_STAGES; stage++)
        sample_blktrace_record(f, e, stage, true);
}

/* ---------------------------------------------------------------- all of them */

#define SAMPLE_BLOCK                                                                               \
    (SAMPLE_TIME | SAMPLE_RESPONSE | SAMPLE_PROCESS | SAMPLE_DURABLE | SAMPLE_FLUSH |              \
     SAMPLE_DEVICES)

/* cupel's own has no `event`: cupel_trace_write.h writes it. */
static const struct sample_format sample_formats[] = {
    {"cupel", "cupel", SAMPLE_BLOCK, 1, NULL, NULL},
    {"blktrace", "blktrace", SAMPLE_BLOCK, 5, NULL, sample_blktrace},
    {"blktrace, big endian", "blktrace", SAMPLE_BLOCK, 5, NULL, sample_blktrace_big},
    {"blkparse", "blkparse", SAMPLE_BLOCK, 5, NULL, sample_blkparse},
    {"blkparse, commas", "blkparse", SAMPLE_BLOCK, 5, NULL, sample_blkparse_commas},
    {"iolog 2", "iolog", SAMPLE_FLUSH | SAMPLE_DEVICES, 1, sample_iolog2_begin, sample_iolog2},
    {"iolog 3", "iolog", SAMPLE_TIME | SAMPLE_FLUSH | SAMPLE_DEVICES, 1, sample_iolog3_begin,
     sample_iolog3},
    {"msr", "msr", SAMPLE_TIME | SAMPLE_RESPONSE | SAMPLE_DEVICES, 1, NULL, sample_msr},
    {"alibaba", "alibaba", SAMPLE_TIME | SAMPLE_DEVICES, 1, NULL, sample_alibaba},
    {"tencent", "tencent", SAMPLE_DEVICES, 1, NULL, sample_tencent},
    {"spc", "spc", SAMPLE_TIME | SAMPLE_DEVICES, 1, NULL, sample_spc},
    {"fiu", "fiu", SAMPLE_TIME | SAMPLE_PROCESS | SAMPLE_DEVICES, 1, NULL, sample_fiu},
};
#define SAMPLE_FORMATS (sizeof sample_formats / sizeof *sample_formats)

static inline void sample_fail(const char *path)
{
    perror(path);
    exit(EXIT_FAILURE);
}

static inline void sample_write_cupel(const char *path, uint64_t events, uint64_t seed)
{
    struct trace_writer *w;
    struct err e;
    struct random r;
    struct trace_event event = {0};
    random_seed(&r, seed, 0);
    if (trace_writer_create(&w, path, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        exit(EXIT_FAILURE);
    }
    trace_writer_note(w, "a sample");
    for (uint16_t i = 0; i < SAMPLE_DEVICES_COUNT; i++) {
        char name[] = {'d', 'i', 's', 'k', (char)('0' + i), '\0'};
        trace_writer_device(w, i, name, (uint64_t)1 << 33);
    }
    for (uint64_t i = 0; i < events; i++) {
        sample_next(&r, &event);
        trace_writer_event(w, &event);
    }
    if (trace_writer_close(w, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        exit(EXIT_FAILURE);
    }
}

/* A trace of so many events, in order of time. `path` must not be there. */
static inline void sample_write(const struct sample_format *format, const char *path,
                                uint64_t events, uint64_t seed)
{
    if (!format->event) {
        sample_write_cupel(path, events, seed);
        return;
    }
    FILE *f = fopen(path, "wex");
    if (!f)
        sample_fail(path);
    if (format->begin)
        format->begin(f);
    struct random r;
    struct trace_event event = {0};
    random_seed(&r, seed, 0);
    for (uint64_t i = 0; i < events; i++) {
        sample_next(&r, &event);
        struct trace_event told = event;
        sample_fit(&told, format->keeps | SAMPLE_RESPONSE | SAMPLE_PROCESS);
        format->event(f, &told);
    }
    if (fclose(f))
        sample_fail(path);
}

#endif
