/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes patterns over free memory and reads them again. */
#include "machine/memory/memory_burn.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"
#include "base/units.h"
#include "machine/memory/internal.h"
#include "run/loop/numa_node.h"
#include "run/loop/placement.h"
#include "run/session/memory_need.h"

#define CHUNK        ((size_t)64 << 20)
#define MARGIN_MIN   ((uint64_t)256 << 20)
#define MARGIN_SHARE 8 /* 1 / MARGIN_SHARE of the memory stays free */

/* ---- patterns: the word at an address in a pass ---- */

typedef uint64_t pattern_word(const uint64_t *at, uint64_t pass);

static uint64_t own_address(const uint64_t *at, uint64_t pass)
{
    const uint64_t address = (uint64_t)(uintptr_t)at;
    return pass % 2 ? ~address : address;
}

static uint64_t walking_one(const uint64_t *at, uint64_t pass)
{
    return UINT64_C(1) << ((uintptr_t)at / sizeof *at + pass) % 64;
}

static uint64_t walking_zero(const uint64_t *at, uint64_t pass)
{
    return ~walking_one(at, pass);
}

static uint64_t random_word(const uint64_t *at, uint64_t pass)
{
    uint64_t state = (uint64_t)(uintptr_t)at ^ pass << 48;
    return random_splitmix64(&state);
}

static uint64_t alternating(const uint64_t *at, uint64_t pass)
{
    (void)at;
    return pass % 2 ? UINT64_C(0xaaaaaaaaaaaaaaaa) : UINT64_C(0x3333333333333333);
}

static const struct pattern {
    const char *name;
    pattern_word *word;
    bool inverts; /* moving inversion: reads and inverts each word upwards, then again downwards */
} patterns[] = {{"own address", own_address, false},
                {"walking one", walking_one, false},
                {"walking zero", walking_zero, false},
                {"random", random_word, false},
                {"moving inversion", alternating, true}};

/* ---- what is tested ---- */

struct burn {
    const struct memory_burn_request *request;
    struct memory_burn *result;
    uint64_t **chunks;
    size_t count, threads;
    const struct pattern *pattern;
    uint64_t pass;
    uint64_t end; /* clock_raw_ns */
    pthread_mutex_t lock;
};

struct burner {
    struct burn *burn;
    pthread_t thread;
    size_t number;
    int cpu;
};

static bool is_over(const struct burn *b)
{
    return clock_raw_ns() >= b->end || (b->request->stop && *b->request->stop);
}

/* Returns the address in the machine, from /proc/self/pagemap; 0: not permitted. */
static uint64_t physical_of(const void *address)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = (uint64_t)(uintptr_t)address;
    const uint64_t frame_bits = (UINT64_C(1) << 55) - 1;
    uint64_t entry = 0;
    const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (pread(fd, &entry, sizeof entry, (off_t)(at / page * sizeof entry)) != sizeof entry)
        entry = 0;
    close(fd);
    return entry & frame_bits ? (entry & frame_bits) * page + at % page : 0;
}

static int node_of(const void *address)
{
    int node = -1;
    return syscall(SYS_get_mempolicy, &node, NULL, 0, address, MPOL_F_NODE | MPOL_F_ADDR) ? -1
                                                                                          : node;
}

static void note_error(struct burn *b, const uint64_t *at, uint64_t expected, uint64_t found)
{
    struct memory_burn *r = b->result;
    pthread_mutex_lock(&b->lock);
    r->error_count++;
    if (r->kept < MEMORY_ERRORS_KEPT)
        r->errors[r->kept++] = (struct memory_error){.address = at,
                                                     .physical = physical_of(at),
                                                     .node = node_of(at),
                                                     .expected = expected,
                                                     .found = found,
                                                     .pattern = b->pattern->name};
    pthread_mutex_unlock(&b->lock);
}

static void check_word(struct burn *b, const uint64_t *at, uint64_t expected)
{
    const uint64_t found = *(const volatile uint64_t *)at;
    if (found != expected)
        note_error(b, at, expected, found);
}

static void report_written(struct burn *b, uint64_t *chunk)
{
    if (b->request->written)
        b->request->written(b->request->context, chunk, CHUNK);
}

/* Writes the pattern to the chunk and reads it again. A chunk is larger than the private caches of
   a processor, but a shared cache may still answer some of the reads. */
static void test_chunk(struct burn *b, uint64_t *chunk)
{
    const struct pattern *p = b->pattern;
    const size_t words = CHUNK / sizeof *chunk;
    volatile uint64_t *at = chunk;
    for (size_t i = 0; i < words; i++)
        at[i] = p->word(&chunk[i], b->pass);
    report_written(b, chunk);
    for (size_t i = 0; i < words; i++) {
        const uint64_t word = p->word(&chunk[i], b->pass);
        check_word(b, &chunk[i], word);
        if (p->inverts)
            at[i] = ~word;
    }
    if (!p->inverts)
        return;
    report_written(b, chunk);
    for (size_t i = words; i-- > 0;) {
        const uint64_t word = p->word(&chunk[i], b->pass);
        check_word(b, &chunk[i], ~word);
        at[i] = word;
    }
    report_written(b, chunk);
    for (size_t i = 0; i < words; i++)
        check_word(b, &chunk[i], p->word(&chunk[i], b->pass));
}

static void *burn_part(void *argument)
{
    struct burner *w = argument;
    struct burn *b = w->burn;
    bool realtime;
    char note[80];
    placement_apply(w->cpu, false, &realtime, note, sizeof note);
    for (size_t i = w->number; i < b->count && !is_over(b); i += b->threads)
        test_chunk(b, b->chunks[i]);
    return NULL;
}

static int test_pattern(struct burn *b, struct burner burners[], struct err *e)
{
    size_t started = 0;
    int error = 0;
    for (; started < b->threads && !error; started += !error)
        error = thread_start(&burners[started].thread, 0, burn_part, &burners[started]);
    for (size_t i = 0; i < started; i++)
        pthread_join(burners[i].thread, NULL);
    return error ? err_set(e, ERR_MACHINE, "a thread that tests memory cannot be started: %s",
                           strerror(error))
                 : 0;
}

/* ---- memory ---- */

static uint64_t margin_of(uint64_t room)
{
    const uint64_t share = room / MARGIN_SHARE;
    return share > MARGIN_MIN ? share : MARGIN_MIN;
}

/* Maps chunk after chunk, with all pages present, as long as the margin stays free. */
static void take_memory(struct burn *b, uint64_t margin)
{
    const uint64_t most = b->request->bytes_max ? b->request->bytes_max : UINT64_MAX;
    while ((b->count + 1) * CHUNK <= most && !is_over(b)) {
        const struct memory_room room = memory_room_find("");
        if (room.bytes < margin + CHUNK)
            return;
        uint64_t *chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (chunk == MAP_FAILED)
            return;
        uint64_t **more = realloc((void *)b->chunks, (b->count + 1) * sizeof *more);
        if (!more) {
            munmap(chunk, CHUNK);
            return;
        }
        b->chunks = more;
        b->chunks[b->count++] = chunk;
    }
}

/* Unmaps chunks while less than half of the margin is free. */
static void give_back(struct burn *b, uint64_t margin)
{
    while (b->count > 1 && memory_room_find("").bytes < margin / 2)
        munmap(b->chunks[--b->count], CHUNK);
}

static int run_passes(struct burn *b, struct burner burners[], uint64_t margin, struct err *e)
{
    for (b->pass = 0; !is_over(b); b->pass++) {
        for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !is_over(b); i++) {
            b->pattern = &patterns[i];
            give_back(b, margin);
            if (test_pattern(b, burners, e))
                return -1;
        }
        b->result->passes += !is_over(b);
    }
    return 0;
}

int memory_burn(const struct memory_burn_request *request, struct memory_burn *result,
                struct err *e)
{
    struct spread_processor processors[CPU_SETSIZE];
    struct burn b = {.request = request, .result = result};
    const struct memory_room room = memory_room_find("");
    const uint64_t margin = margin_of(room.bytes);
    char have[UNITS_BUFFER];
    *result = (struct memory_burn){0};
    if (room.bytes == UINT64_MAX)
        return err_set(e, ERR_MACHINE, "how much memory is free is not known: it is not tested");
    b.threads = numa_processors("", processors, CPU_SETSIZE);
    struct burner *burners = calloc(b.threads ? b.threads : 1, sizeof *burners);
    if (!burners)
        return err_no_memory(e, "the threads that test memory");
    pthread_mutex_init(&b.lock, NULL);
    for (size_t i = 0; i < b.threads; i++)
        burners[i] = (struct burner){.burn = &b, .number = i, .cpu = processors[i].cpu};
    struct edac_counts before, after;
    edac_counts_read(&before, request->root);
    b.end = clock_raw_ns() + (uint64_t)(request->seconds * 1e9);
    take_memory(&b, margin);
    result->bytes = b.count * CHUNK;
    int status = b.count && b.threads
                     ? run_passes(&b, burners, margin, e)
                     : err_set(e, ERR_MACHINE,
                               "no memory can be tested: %s are free (%s), and a part stays free",
                               format_size(have, sizeof have, (double)room.bytes), room.limit);
    edac_counts_read(&after, request->root);
    edac_counts_grown(&before, &after, result->modules, sizeof result->modules);
    result->stopped = request->stop && *request->stop;
    while (b.count)
        munmap(b.chunks[--b.count], CHUNK);
    free((void *)b.chunks);
    free(burners);
    return status;
}
