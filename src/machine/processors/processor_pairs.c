/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses pairs of processors, and measures how long a cache line takes from one to the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/thread.h"
#include "machine/processors/internal.h"
#include "run/loop/numa_node.h"
#include "run/loop/placement.h"
#include "stat/basic/descriptive.h"

enum {
    CACHE_LEVELS = 8,
    LIST_MAX = 4096,         /* bytes of a list of processors */
    REPRESENTATIVES_MAX = 6, /* maximum number of groups that are measured: 15 pairs */
    BATCHES = 15,
    /* hand-overs of a batch; each is answered by one in the other direction */
    HAND_OVERS = 200,
    BATCH_NS_MAX = 200000000, /* a batch that takes longer is abandoned */
    PAIR_NS_MAX = 100000000   /* no batch of a pair begins after this time */
};

/* ---- which pairs ---- */

static bool cpu_line(const char *root, int cpu, const char *name, char *to)
{
    char path[PATH_MAX];
    return file_path(path, "%s/sys/devices/system/cpu/cpu%d/%s", root, cpu, name) &&
           file_first_line(path, to, LIST_MAX);
}

/* Reads the list of processors that share the last-level cache with this one. */
static bool cache_sharers(const char *root, int cpu, char *to)
{
    char name[64], text[LIST_MAX];
    long level = 0;
    to[0] = '\0';
    for (int index = 0; index < CACHE_LEVELS; index++) {
        snprintf(name, sizeof name, "cache/index%d/level", index);
        if (!cpu_line(root, cpu, name, text) || strtol(text, NULL, 10) <= level)
            continue;
        level = strtol(text, NULL, 10);
        snprintf(name, sizeof name, "cache/index%d/shared_cpu_list", index);
        if (!cpu_line(root, cpu, name, to))
            to[0] = '\0';
    }
    return to[0] != '\0';
}

static bool core_sharers(const char *root, int cpu, char *to)
{
    return cpu_line(root, cpu, "topology/core_cpus_list", to) ||
           cpu_line(root, cpu, "topology/thread_siblings_list", to);
}

/* Lists the first processor of each group. A processor whose group is not known is a group by
   itself. */
static size_t first_of_groups(const char *root, const struct spread_processor processors[],
                              size_t count, bool (*sharers)(const char *, int, char *),
                              int first[PROCESSORS_MEASURED_MAX])
{
    static const char *const alone = "";
    size_t groups = 0;
    for (size_t i = 0; i < count; i++) {
        char list[LIST_MAX];
        bool seen = false;
        const char *of = sharers(root, processors[i].cpu, list) ? list : alone;
        for (size_t k = 0; k < groups && !seen; k++)
            seen = numa_list_holds(of, first[k]);
        if (!seen)
            first[groups++] = processors[i].cpu;
    }
    return groups;
}

static void add_pair(struct processor_pair pairs[], size_t *count, int from, int to)
{
    if (*count < PROCESSOR_PAIRS_MAX)
        pairs[(*count)++] = (struct processor_pair){from, to};
}

size_t processor_pairs_choose(const char *root, const struct spread_processor processors[],
                              size_t count, struct processor_pair pairs[PROCESSOR_PAIRS_MAX],
                              bool *of_caches, bool *left_out)
{
    /* static is safe: the benches of a process run one after the other */
    static int first[PROCESSORS_MEASURED_MAX];
    size_t pair_count = 0;
    char list[LIST_MAX];
    if (count && core_sharers(root, processors[0].cpu, list))
        for (size_t i = 1; i < count && !pair_count; i++)
            if (numa_list_holds(list, processors[i].cpu))
                add_pair(pairs, &pair_count, processors[0].cpu, processors[i].cpu);
    size_t groups = first_of_groups(root, processors, count, cache_sharers, first);
    *of_caches = groups > 1;
    if (groups <= 1)
        groups = first_of_groups(root, processors, count, core_sharers, first);
    /* If there are many groups, some at even distances are taken, so that both sockets are among
       them. */
    *left_out = groups > REPRESENTATIVES_MAX;
    const size_t taken = *left_out ? REPRESENTATIVES_MAX : groups;
    for (size_t i = 0; i < taken; i++)
        for (size_t k = i + 1; k < taken; k++)
            add_pair(pairs, &pair_count, first[i * (groups - 1) / (taken - 1)],
                     first[k * (groups - 1) / (taken - 1)]);
    return pair_count;
}

/* ---- how long ---- */

/* The flag that is handed over has a cache line of its own. */
struct ball {
    _Alignas(128) atomic_uint turn; /* odd: it is the other side's turn */
    _Alignas(128) atomic_bool over;
    int cpu;
};

static void pin(int cpu)
{
    bool realtime;
    char note[80];
    placement_apply(cpu, false, &realtime, note, sizeof note);
}

/* Waits until `turn` is odd, and answers with the next even number, until `over` is set. */
static void *give_back(void *argument)
{
    struct ball *ball = argument;
    pin(ball->cpu);
    while (!atomic_load_explicit(&ball->over, memory_order_relaxed)) {
        const unsigned turn = atomic_load_explicit(&ball->turn, memory_order_acquire);
        if (turn % 2)
            atomic_store_explicit(&ball->turn, turn + 1, memory_order_release);
    }
    return NULL;
}

/* Hands the flag over and back HAND_OVERS times. Returns the time of one hand-over in ns; NAN: the
   batch took too long. */
static double batch(struct ball *ball)
{
    const uint64_t begin = clock_raw_ns();
    for (unsigned i = 0; i < HAND_OVERS; i++) {
        const unsigned turn = atomic_load_explicit(&ball->turn, memory_order_relaxed);
        atomic_store_explicit(&ball->turn, turn + 1, memory_order_release);
        unsigned spins = 0;
        while (atomic_load_explicit(&ball->turn, memory_order_acquire) != turn + 2)
            if (++spins % 1024 == 0 && clock_raw_ns() - begin > BATCH_NS_MAX)
                return NAN;
    }
    return (double)(clock_raw_ns() - begin) / (2 * HAND_OVERS);
}

struct side {
    struct ball ball;
    int cpu;
    double ns;
};

/* Hands over from the first processor, in a thread of its own, since the caller may run on any. */
static void *hand_over(void *argument)
{
    struct side *side = argument;
    double readings[BATCHES];
    size_t count = 0;
    const uint64_t begin = clock_raw_ns();
    pin(side->cpu);
    batch(&side->ball); /* not counted: the first batch waits until the other side has started */
    for (size_t i = 0; i < BATCHES && (!count || clock_raw_ns() - begin < PAIR_NS_MAX); i++) {
        readings[count] = batch(&side->ball);
        if (isnan(readings[count]))
            break;
        count++;
    }
    atomic_store(&side->ball.over, true);
    side->ns = count ? median_of(readings, count) : NAN;
    return NULL;
}

int processor_pair_latency(const struct processor_pair *pair, double *ns, struct err *e)
{
    struct side side = {.ball = {.cpu = pair->to}, .cpu = pair->from};
    pthread_t other, own;
    int error = thread_start(&other, 0, give_back, &side.ball);
    if (!error) {
        error = thread_start(&own, 0, hand_over, &side);
        if (!error)
            pthread_join(own, NULL);
        atomic_store(&side.ball.over, true);
        pthread_join(other, NULL);
    }
    *ns = side.ns;
    return error ? err_set(e, ERR_MACHINE, "a thread that hands over cache lines: %s",
                           strerror(error))
                 : 0;
}
