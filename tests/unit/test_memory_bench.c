/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory measurements: the bytes that each kernel moves, on which processors, nodes and caches, and
   the amount. */
#include "check.h"

#include <stdlib.h>

#include "machine/memory/internal.h"
#include "run/loop/numa_node.h"
#include "tree.h"

enum { NUMBERS = 4 * MEMORY_KERNEL_NUMBERS };

static _Alignas(4096) double a[NUMBERS], b[NUMBERS], c[NUMBERS];

/* Every set of loops, down to the narrowest, stores exactly what STREAM's definitions say. */
static void test_kernels(void)
{
    size_t sets = 0;
    for (const struct memory_kernels *set; (set = memory_kernels_at(sets)) != NULL; sets++) {
        const struct {
            enum memory_kernel_name kernel;
            double plain, factor_c; /* a = plain (+ b where negative) + factor_c * c */
        } writes[] = {{MEMORY_WRITE, 3, 0},  {MEMORY_WRITE_PAST, 3, 0},
                      {MEMORY_COPY, -1, 0},  {MEMORY_COPY_PAST, -1, 0},
                      {MEMORY_TRIAD, -1, 3}, {MEMORY_TRIAD_PAST, -1, 3}};
        for (size_t i = 0; i < NUMBERS; i++) {
            a[i] = (double)i;
            b[i] = (double)(2 * i + 1);
            c[i] = (double)(i % 7);
        }
        CHECK_NEAR(set->run[MEMORY_READ](a, NULL, NULL, NUMBERS),
                   (double)NUMBERS * (NUMBERS - 1) / 2, 1e-12);
        for (size_t k = 0; k < sizeof writes / sizeof *writes; k++) {
            for (size_t i = 0; i < NUMBERS; i++)
                a[i] = -5;
            set->run[writes[k].kernel](a, b, c, NUMBERS - MEMORY_KERNEL_NUMBERS);
            size_t wrong = 0;
            for (size_t i = 0; i < NUMBERS - MEMORY_KERNEL_NUMBERS; i++)
                wrong += a[i] < (writes[k].plain < 0 ? b[i] : 3) + writes[k].factor_c * c[i] ||
                         a[i] > (writes[k].plain < 0 ? b[i] : 3) + writes[k].factor_c * c[i];
            for (size_t i = NUMBERS - MEMORY_KERNEL_NUMBERS; i < NUMBERS; i++)
                wrong += a[i] > -5 || a[i] < -5;
            CHECK_INT(wrong, 0);
        }
    }
    CHECK(sets >= 1 && memory_kernels_widest() == memory_kernels_at(sets - 1));
}

/* Fills in the places of processors 0 to count - 1 of a made-up machine. */
static void find_places(const struct tree *t, struct memory_places *p, size_t count)
{
    p->processor_count = count;
    for (size_t i = 0; i < count; i++)
        p->processors[i] = (struct spread_processor){(int)i, -1};
    numa_nodes_of(t->root.prefix, p->processors, count);
    memory_places_complete(t->root.prefix, p);
}

static void add_cache(const struct tree *t, int cpu, int index, const char *level, const char *size,
                      const char *shared)
{
    char path[128];
    const char *const names[] = {"level", "size", "shared_cpu_list"}, *const texts[] = {level, size,
                                                                                        shared};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index,
                 names[i]);
        tree_file(t, path, texts[i]);
    }
}

/* 512 processors on two sockets, and memory on CXL: nodes 0 and 3 have processors, node 5 has none.
   A cache that 32 processors share counts once. */
static void test_large(void)
{
    static struct memory_places p;
    struct tree t;
    tree_begin(&t);
    tree_file(&t, "/sys/devices/system/node/node0/cpulist", "0-127,256-383\n");
    tree_file(&t, "/sys/devices/system/node/node3/cpulist", "128-255,384-511\n");
    tree_file(&t, "/sys/devices/system/node/node5/cpulist", "\n");
    tree_file(&t, "/sys/devices/system/node/has_memory", "0,3,5\n");
    for (int cpu = 0; cpu < 512; cpu++) {
        char shared[32];
        const int first = cpu % 256 / 16 * 16;
        snprintf(shared, sizeof shared, "%d-%d,%d-%d\n", first, first + 15, first + 256,
                 first + 271);
        add_cache(&t, cpu, 0, "1\n", "48K\n", "0\n");
        add_cache(&t, cpu, 3, "3\n", "32768K\n", shared);
    }
    find_places(&t, &p, 512);
    CHECK_INT(p.near_count, 2);
    CHECK_INT(p.node_count, 3);
    CHECK_INT(p.nodes[0], 0);
    CHECK_INT(p.nodes[1], 3);
    CHECK_INT(p.nodes[2], 5);
    CHECK(p.cache_known);
    CHECK_INT(p.cache_bytes, (uint64_t)16 * 32 << 20);
    CHECK_INT(p.processors[255].cpu, 383); /* processors of a node are adjacent */
    CHECK_INT(p.processors[256].cpu, 128);
    tree_end(&t);
}

/* A container that shows neither nodes nor caches. */
static void test_nothing_known(void)
{
    static struct memory_places p;
    struct tree t;
    tree_begin(&t);
    find_places(&t, &p, 1);
    CHECK_INT(p.near_count, 1);
    CHECK_INT(p.node_count, 1);
    CHECK(!p.cache_known);
    tree_end(&t);
}

/* A round gives a value above 0 for each index, within what memory can do: a load takes more than a
   cycle, and less than a second. */
static void test_round(void)
{
    struct memory_bench *bench;
    struct err e = {0};
    double values[EXECUTION_INDICES_MAX];
    size_t count;
    char words[256];
    if (memory_bench_open(&bench, &e)) {
        CHECK_INT(e.code, ERR_MACHINE);
        CHECK(strstr(e.msg, "larger than the caches") != NULL);
        return;
    }
    const struct exec_index *indices = memory_bench_indices(bench, &count);
    CHECK(count >= 8);
    for (int round = 0; round < 2; round++)
        CHECK_INT(memory_bench_round(bench, values, &e), 0);
    for (size_t i = 0; i < count; i++) {
        const bool latency = !strcmp(indices[i].unit, "ns");
        CHECK(values[i] > (latency ? 0.3 : 0.001) && values[i] < (latency ? 1e9 : 1e5));
    }
    CHECK(strstr(memory_bench_words(bench, words, sizeof words), memory_kernels_widest()->name));
    memory_bench_close(bench);
}

int main(void)
{
    test_kernels();
    test_large();
    test_nothing_known();
    test_round();
    return check_result();
}
