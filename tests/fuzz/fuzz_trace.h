/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzing of the readers of traces: valid traces of every format, some gzipped, are damaged at
 * random, cut, mixed with each other, and read to their end. It must not crash, hang or leak; what
 * comes must make sense, and what is counted must add up.
 *
 * It runs in a child, so that the parent can say which seed and round ended it. The same seed and
 * round do the same again.
 */
#ifndef TESTS_FUZZ_FUZZ_TRACE_H
#define TESTS_FUZZ_FUZZ_TRACE_H

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/trace_samples.h"

#define FUZZ_TRACE_HANGS_SECONDS 60
#define FUZZ_TRACE_BYTES         (1u << 20)
#define FUZZ_TRACE_SIZES         3 /* of each format, one of them compressed */

static const unsigned fuzz_trace_events[FUZZ_TRACE_SIZES] = {3, 700, 300};

struct fuzz_trace_base {
    const struct sample_format *format;
    bool compressed;
    uint64_t events;
    size_t length;
    unsigned char *bytes;
};

#define FUZZ_TRACE_BASES (SAMPLE_FORMATS * FUZZ_TRACE_SIZES)

struct fuzz_trace {
    struct fuzz_trace_base base[FUZZ_TRACE_BASES];
    unsigned char bytes[2 * FUZZ_TRACE_BYTES]; /* the damaged trace */
    size_t length;
    int file; /* in memory, and its path */
    char path[64];
    bool only_flipped; /* bytes were changed, none added or removed */
    uint64_t changes;
};

struct fuzz_trace_progress {
    uint64_t round, events;
    char what[64];
};

static inline double fuzz_trace_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void fuzz_trace_fail(const char *what)
{
    fprintf(stderr, "fuzz: %s\n", what);
    _exit(EXIT_FAILURE);
}

/* ---------------------------------------------------------------- valid traces */

static inline void fuzz_trace_make(struct fuzz_trace_base *base, const struct sample_format *format,
                                   size_t size)
{
    char path[] = "/tmp/cupel-fuzz.XXXXXX", command[128];
    if (mkstemp(path) < 0)
        sample_fail(path);
    unlink(path);
    base->format = format;
    base->events = fuzz_trace_events[size];
    base->compressed = size == FUZZ_TRACE_SIZES - 1;
    base->bytes = malloc(FUZZ_TRACE_BYTES);
    sample_write(format, path, base->events, size);
    snprintf(command, sizeof command, base->compressed ? "gzip -n <%s" : "cat <%s", path);
    FILE *f = popen(command, "r");
    if (!f || !base->bytes)
        sample_fail(path);
    base->length = fread(base->bytes, 1, FUZZ_TRACE_BYTES, f);
    if (pclose(f) != 0)
        sample_fail(command);
    unlink(path);
}

static inline struct fuzz_trace *fuzz_trace_begin(void)
{
    struct fuzz_trace *z = calloc(1, sizeof *z);
    z->file = memfd_create("trace", MFD_CLOEXEC);
    if (z->file < 0)
        sample_fail("a file in memory");
    snprintf(z->path, sizeof z->path, "/proc/self/fd/%d", z->file);
    for (size_t i = 0; i < FUZZ_TRACE_BASES; i++)
        fuzz_trace_make(&z->base[i], &sample_formats[i / FUZZ_TRACE_SIZES], i % FUZZ_TRACE_SIZES);
    return z;
}

static inline void fuzz_trace_end(struct fuzz_trace *z)
{
    for (size_t i = 0; i < FUZZ_TRACE_BASES; i++)
        free(z->base[i].bytes);
    close(z->file);
    free(z);
}

/* ---------------------------------------------------------------- damage */

static const char *const fuzz_trace_words[] = {
    "",
    "\n",
    "\n\n",
    "0",
    "-1",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "9223372036854775807",
    ",",
    " ",
    "\t",
    ",,,,,,,,",
    "R",
    "Write",
    "wait",
    "#",
    "\r\n",
    "nan",
    "1e9",
    "\xff\xfe",
    "fio version 2 iolog\n",
    "CPU0 (8,0):\n",
    "128166372003061629,hm,1,Read,0,4096,1\n",
    "8,0 1 2 0.000001 697 C W 223490 + 8 [-5]\n",
};

static inline void fuzz_trace_remove(struct fuzz_trace *z, size_t at, size_t length)
{
    memmove(z->bytes + at, z->bytes + at + length, z->length - at - length);
    z->length -= length;
}

static inline void fuzz_trace_insert(struct fuzz_trace *z, size_t at, const void *bytes,
                                     size_t length)
{
    if (z->length + length > sizeof z->bytes)
        return;
    memmove(z->bytes + at + length, z->bytes + at, z->length - at);
    memcpy(z->bytes + at, bytes, length);
    z->length += length;
}

/* Part of a trace, maybe of another format, within. */
static inline void fuzz_trace_mix(struct fuzz_trace *z, struct random *r, size_t at)
{
    const struct fuzz_trace_base *other = &z->base[random_below(r, FUZZ_TRACE_BASES)];
    size_t begin = random_below(r, other->length), length = other->length - begin;
    fuzz_trace_insert(z, at, other->bytes + begin, 1 + random_below(r, length));
}

static inline void fuzz_trace_damage(struct fuzz_trace *z, struct random *r)
{
    size_t at = random_below(r, z->length + 1), left = z->length - at;
    uint64_t choice = random_below(r, 16);
    z->changes++;
    if (left && choice < 8) {
        unsigned char *byte = &z->bytes[at];
        unsigned flipped = *byte ^ 1u << random_below(r, 8);
        *byte = (unsigned char)(choice < 4 ? flipped : random_u64(r));
        return;
    }
    z->only_flipped = false;
    if (choice < 11) {
        const size_t words = sizeof fuzz_trace_words / sizeof *fuzz_trace_words;
        const char *word = fuzz_trace_words[random_below(r, words)];
        fuzz_trace_insert(z, at, word, strlen(word));
    } else if (choice == 11) {
        fuzz_trace_remove(z, at, random_below(r, left + 1));
    } else if (choice == 12) {
        fuzz_trace_remove(z, at, left < 10 ? left : random_below(r, 10));
    } else if (choice == 13) {
        fuzz_trace_mix(z, r, at);
    } else if (choice == 14) { /* the same twice */
        static unsigned char again[FUZZ_TRACE_BYTES];
        size_t length = random_below(r, (left < sizeof again ? left : sizeof again) + 1);
        memcpy(again, z->bytes + at, length);
        fuzz_trace_insert(z, at, again, length);
    } else {
        z->length = at;
    }
}

/* ---------------------------------------------------------------- reading */

static inline void fuzz_trace_check_event(const struct trace *t, const struct trace_event *e,
                                          uint64_t *before_ns)
{
    if (e->time_ns < *before_ns)
        fuzz_trace_fail("time goes back");
    if (e->length == 0 && e->op != TRACE_FLUSH)
        fuzz_trace_fail("an event without a length");
    if (e->offset > (uint64_t)INT64_MAX || e->offset + e->length > (uint64_t)INT64_MAX)
        fuzz_trace_fail("an event out of range");
    if (e->device >= trace_device_count(t) || e->op >= TRACE_OPS || e->number == 0)
        fuzz_trace_fail("an event that makes no sense");
    if (trace_device(t, e->device)->end < e->offset + e->length)
        fuzz_trace_fail("a device that ends too early");
    *before_ns = e->time_ns;
}

static inline uint64_t fuzz_trace_left_out(const struct trace *t)
{
    uint64_t sum = 0;
    for (int i = 0; i < TRACE_SKIPS; i++) {
        const struct trace_skips *skips = trace_skipped(t, (enum trace_skip)i);
        sum += i == TRACE_SKIP_REORDERED ? 0 : skips->count;
        bool told = *skips->first_words && *skips->first_file && skips->first_number;
        if ((skips->count > 0) != told)
            fuzz_trace_fail("a reason without a place");
    }
    return sum;
}

/* Lines that are no comments. *header: the first has no digits and may name columns. */
static inline uint64_t fuzz_trace_lines(const struct fuzz_trace *z, bool *header)
{
    uint64_t lines = 0;
    const unsigned char *p = z->bytes, *end = p + z->length;
    for (uint64_t number = 1; p < end; number++) {
        const unsigned char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        size_t length = (size_t)(stop - p) - (stop < end && stop > p && stop[-1] == '\r');
        bool digits = false;
        for (size_t i = 0; i < length; i++)
            digits = digits || (p[i] >= '0' && p[i] <= '9');
        lines += length > 0 && (*p != '#' || length > 4096);
        if (number == 1)
            *header = !digits && length > 0 && *p != '#';
        p = stop + 1;
    }
    return lines;
}

static inline void fuzz_trace_check_sum(const struct fuzz_trace *z,
                                        const struct fuzz_trace_base *base, const struct trace *t)
{
    static const char *const in_columns[] = {"MSR Cambridge CSV", "Alibaba 2020 CSV",
                                             "Tencent CBS CSV", "SPC/UMass", "FIU"};
    bool header = false, columns = false,
         gzipped = z->length > 2 && memcmp(z->bytes, "\x1f\x8b\x08", 3) == 0;
    uint64_t sum = trace_events_read(t) + fuzz_trace_left_out(t);
    const char *name = trace_format_name(t);
    for (size_t i = 0; i < sizeof in_columns / sizeof *in_columns; i++)
        columns = columns || strcmp(name, in_columns[i]) == 0;
    if (columns && !gzipped) {
        uint64_t lines = fuzz_trace_lines(z, &header);
        if (sum != lines && sum != lines - header)
            fuzz_trace_fail("lines are neither given out nor counted");
    }
    /* Where the end is found, it tells how many there were. */
    if (strcmp(name, "cupel trace") == 0 && !base->compressed && z->only_flipped &&
        trace_skipped(t, TRACE_SKIP_TRUNCATED)->count == 0 &&
        (sum < base->events || sum > base->events + z->changes))
        fuzz_trace_fail("events are neither given out nor counted");
    if (z->changes == 0 && (trace_events_read(t) != base->events || sum != base->events))
        fuzz_trace_fail("a valid trace is not read whole");
}

/* Returns how many events came. */
static inline uint64_t fuzz_trace_read(const struct fuzz_trace *z,
                                       const struct fuzz_trace_base *base, struct random *r)
{
    static struct trace_event events[128];
    struct trace *t;
    struct err e = {0};
    const char *path = z->path;
    struct trace_options options = {.strict = random_below(r, 4) == 0};
    if (random_below(r, 8) == 0)
        options.format = base->format->format;
    if (trace_open(&t, &path, 1, &options, &e)) {
        if (z->changes == 0 || e.code != ERR_USAGE || !*e.msg)
            fuzz_trace_fail("a trace is refused without reason");
        return 0;
    }
    uint64_t before_ns = 0, given = 0;
    int n;
    while ((n = trace_read(t, events, 1 + random_below(r, 128), &e)) > 0) {
        for (int i = 0; i < n; i++)
            fuzz_trace_check_event(t, &events[i], &before_ns);
        given += (uint64_t)n;
    }
    if (trace_read(t, events, 1, &e) != n || given != trace_events_read(t))
        fuzz_trace_fail("the end is not the end");
    if (n < 0 && (!options.strict || e.code != ERR_USAGE))
        fuzz_trace_fail("an error without reason");
    if (n == 0 && options.strict && fuzz_trace_left_out(t))
        fuzz_trace_fail("strict reading went on");
    if (n == 0)
        fuzz_trace_check_sum(z, base, t);
    trace_close(t);
    return given;
}

static inline void fuzz_trace_round(struct fuzz_trace *z, struct random *r,
                                    struct fuzz_trace_progress *progress)
{
    const struct fuzz_trace_base *base = &z->base[random_below(r, FUZZ_TRACE_BASES)];
    snprintf(progress->what, sizeof progress->what, "%s, %u events%s", base->format->name,
             (unsigned)base->events, base->compressed ? ", gzipped" : "");
    memcpy(z->bytes, base->bytes, base->length);
    z->length = base->length;
    z->only_flipped = true;
    z->changes = 0;
    for (uint64_t i = random_below(r, 6); i > 0; i--)
        fuzz_trace_damage(z, r);
    if (ftruncate(z->file, 0) || pwrite(z->file, z->bytes, z->length, 0) != (ssize_t)z->length)
        sample_fail(z->path);
    progress->events += fuzz_trace_read(z, base, r);
}

/* Rounds from `first` on for `seconds`, or one when they are 0. 0 when nothing went wrong; else it
   was told on stderr. */
static inline int fuzz_trace(double seconds, uint64_t seed, uint64_t first)
{
    struct fuzz_trace_progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        sample_fail("shared memory");
    progress->round = first;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct fuzz_trace *z = fuzz_trace_begin();
        double begin = fuzz_trace_seconds();
        do {
            struct random r;
            random_seed(&r, seed, progress->round);
            alarm(FUZZ_TRACE_HANGS_SECONDS);
            fuzz_trace_round(z, &r, progress);
            progress->round++;
        } while (fuzz_trace_seconds() - begin < seconds);
        alarm(0);
        fuzz_trace_end(z);
        exit(EXIT_SUCCESS);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        sample_fail("the child");
    bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    uint64_t rounds = progress->round - first;
    if (failed)
        fprintf(stderr, "fuzz: seed %" PRIu64 ", round %" PRIu64 " (%s): %s %d\n", seed,
                progress->round, progress->what, WIFSIGNALED(status) ? "signal" : "exit status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    else
        printf("seed %" PRIu64 ": %" PRIu64 " rounds, %" PRIu64 " events\n", seed, rounds,
               progress->events);
    if (!failed && rounds > 20 && progress->events < rounds) {
        fprintf(stderr, "fuzz: the rounds read almost nothing: they test nothing\n");
        failed = true;
    }
    munmap(progress, sizeof *progress);
    return failed ? -1 : 0;
}

#endif
