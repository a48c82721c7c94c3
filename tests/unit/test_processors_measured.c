/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured processors: the pairs between which cache lines are handed over; clocks, power and
   throttling of made-up machines; and readings of this one. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/processors/internal.h"
#include "run/plan/plan.h"
#include "tree.h"

static struct spread_processor list[PROCESSORS_MEASURED_MAX];
static struct processor_pair pairs[PROCESSOR_PAIRS_MAX];

static void add_file(const struct tree *t, int cpu, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
    tree_file(t, path, text);
}

static size_t choose(const struct tree *t, size_t count, bool *of_caches, bool *left_out)
{
    for (size_t i = 0; i < count; i++)
        list[i] = (struct spread_processor){(int)i, 0};
    return processor_pairs_choose(t->root.prefix, list, count, pairs, of_caches, left_out);
}

/* 512 processors: threads n and n + 256 are one core, 16 cores share a cache. The map has six of
   the 16 caches, including the first and the last. */
static void test_large(void)
{
    struct tree t;
    char text[64];
    bool of_caches, left_out;
    tree_begin(&t);
    for (int cpu = 0; cpu < 512; cpu++) {
        const int core = cpu % 256, cache = core / 16 * 16;
        snprintf(text, sizeof text, "%d,%d\n", core, core + 256);
        add_file(&t, cpu, "topology/core_cpus_list", text);
        add_file(&t, cpu, "cache/index0/level", "1\n");
        add_file(&t, cpu, "cache/index0/shared_cpu_list", text);
        snprintf(text, sizeof text, "%d-%d,%d-%d\n", cache, cache + 15, cache + 256, cache + 271);
        add_file(&t, cpu, "cache/index3/level", "3\n");
        add_file(&t, cpu, "cache/index3/shared_cpu_list", text);
    }
    CHECK_INT(choose(&t, 512, &of_caches, &left_out), 16);
    CHECK(of_caches && left_out);
    CHECK(pairs[0].from == 0 && pairs[0].to == 256);
    CHECK(pairs[1].from == 0 && pairs[1].to == 48);
    CHECK(pairs[5].from == 0 && pairs[5].to == 240);
    CHECK(pairs[15].from == 192 && pairs[15].to == 240);
    tree_end(&t);
}

/* One cache: each core is paired with each other one. Without topology each processor is a core;
   with one processor, or none, there is no pair. */
static void test_small(void)
{
    struct tree t;
    bool of_caches, left_out;
    tree_begin(&t);
    for (int cpu = 0; cpu < 3; cpu++) {
        add_file(&t, cpu, "cache/index2/level", "2\n");
        add_file(&t, cpu, "cache/index2/shared_cpu_list", "0-2\n");
    }
    CHECK_INT(choose(&t, 3, &of_caches, &left_out), 3);
    CHECK(!of_caches && !left_out);
    CHECK(pairs[2].from == 1 && pairs[2].to == 2);
    CHECK_INT(choose(&t, 1, &of_caches, &left_out), 0);
    CHECK_INT(choose(&t, 0, &of_caches, &left_out), 0);
    tree_end(&t);
    tree_begin(&t);
    CHECK_INT(choose(&t, 4, &of_caches, &left_out), 6);
    CHECK(of_caches && !left_out);
    tree_end(&t);
}

static void test_clocks(void)
{
    struct tree t;
    tree_begin(&t);
    add_file(&t, 3, "cpufreq/base_frequency", "2400000\n");
    add_file(&t, 3, "cpufreq/cpuinfo_max_freq", "3900000\n");
    add_file(&t, 4, "acpi_cppc/nominal_freq", "2600\n");
    struct processor_clocks c = processor_clocks_read(t.root.prefix, 3);
    CHECK_NEAR(c.base, 2.4e9, 1e-9);
    CHECK_NEAR(c.turbo, 3.9e9, 1e-9);
    CHECK_STR(c.base_of, "cpufreq");
    c = processor_clocks_read(t.root.prefix, 4);
    CHECK_NEAR(c.base, 2.6e9, 1e-9);
    CHECK(isnan(c.turbo));
    c = processor_clocks_read(t.root.prefix, 5);
    CHECK(isnan(c.base) && isnan(c.turbo));
    CHECK_STR(c.base_of, "");
    tree_end(&t);
}

static void set_energy(const struct tree *t, const char *first, const char *second)
{
    static const char *const names[] = {"intel-rapl:0", "intel-rapl:1", "intel-rapl-mmio:0",
                                        "intel-rapl:0:0"};
    const char *const energies[] = {first, second, "5\n", "7\n"};
    for (size_t i = 0; i < 4; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/class/powercap/%s/name", names[i]);
        tree_file(t, path, i == 3 ? "core\n" : i == 1 ? "package-1\n" : "package-0\n");
        snprintf(path, sizeof path, "/sys/class/powercap/%s/energy_uj", names[i]);
        tree_file(t, path, energies[i]);
        snprintf(path, sizeof path, "/sys/class/powercap/%s/max_energy_range_uj", names[i]);
        tree_file(t, path, "1000000000\n");
        snprintf(path, sizeof path, "/sys/class/powercap/%s/constraint_0_name", names[i]);
        tree_file(t, path, "long_term\n");
        snprintf(path, sizeof path, "/sys/class/powercap/%s/constraint_0_power_limit_uw", names[i]);
        tree_file(t, path, "205000000\n");
    }
}

/* Two packages, one of whose counters restarts; sensors of drives and boards do not count. */
static void test_heat(void)
{
    struct tree t;
    struct processor_heat before, after;
    tree_begin(&t);
    processor_heat_read(t.root.prefix, &before);
    CHECK_INT(before.packages, 0);
    CHECK(isnan(before.celsius) && !before.counts_heat && !before.counts_power);
    CHECK(isnan(processor_watts(&before, &before, 1)) && isnan(processor_watts_limit(&before)));
    set_energy(&t, "100000000\n", "900000000\n");
    tree_file(&t, "/sys/class/hwmon/hwmon0/name", "nvme\n");
    tree_file(&t, "/sys/class/hwmon/hwmon0/temp1_input", "99000\n");
    tree_file(&t, "/sys/class/hwmon/hwmon1/name", "coretemp\n");
    tree_file(&t, "/sys/class/hwmon/hwmon1/temp2_input", "71000\n");
    tree_file(&t, "/sys/class/hwmon/hwmon1/temp1_input", "83000\n");
    add_file(&t, 0, "thermal_throttle/core_throttle_count", "3\n");
    add_file(&t, 1, "thermal_throttle/package_throttle_count", "4\n");
    add_file(&t, 1, "thermal_throttle/package_power_limit_count", "11\n");
    processor_heat_read(t.root.prefix, &before);
    CHECK_INT(before.packages, 2);
    CHECK_NEAR(before.celsius, 83, 1e-9);
    CHECK_INT(before.throttled_by_heat, 7);
    CHECK_INT(before.throttled_by_power, 11);
    CHECK_NEAR(processor_watts_limit(&before), 410, 1e-9);
    set_energy(&t, "300000000\n", "100000000\n");
    processor_heat_read(t.root.prefix, &after);
    CHECK_NEAR(processor_watts(&before, &after, 2), 200, 1e-9); /* 200 J and 200 J */
    tree_end(&t);
}

/* The watch of a made-up machine has at least its last sample, whose power is the mean. */
static void test_watch(void)
{
    struct tree t;
    static struct heat_history h;
    tree_begin(&t);
    set_energy(&t, "100000000\n", "900000000\n");
    add_file(&t, 0, "thermal_throttle/core_throttle_count", "3\n");
    struct heat_watch *w = heat_watch_begin(t.root.prefix, &h);
    CHECK(w != NULL);
    set_energy(&t, "100000001\n", "900000000\n");
    add_file(&t, 0, "thermal_throttle/core_throttle_count", "9\n");
    heat_watch_end(w);
    CHECK(h.count >= 1 && h.watts > 0 && isnan(h.celsius));
    CHECK_NEAR(h.watts_limit, 410, 1e-9);
    CHECK(h.counts && h.by_heat == 6 && h.by_power == 0);
    heat_watch_end(NULL);
    tree_end(&t);
}

/* A chain of twice the length takes twice as long, and a unit of load has its stated size. */
static void test_this_machine(void)
{
    struct processor_bench *bench;
    struct exec_plan plan;
    struct plan of;
    struct err e = {0};
    double values[PROCESSOR_INDICES_MAX];
    plan_init(&of);
    CHECK_INT(processor_bench_open(&bench, &e), 0);
    processor_bench_plan(bench, &of, &plan);
    CHECK(strstr(plan.command, load_words()) && strstr(plan.command, "at once"));
    CHECK_STR(plan.program.indices[0].name, "clock");
    CHECK_INT(processor_bench_round(bench, values, &e), 0);
    CHECK(values[0] > 0.2 && values[0] < 12);                   /* GHz */
    CHECK(values[1] > 0.05 * values[0] * (double)bench->count); /* GFLOP/s */
    CHECK(values[1] < 128 * values[0] * (double)bench->count);
    if (bench->count > 1) {
        CHECK_STR(plan.program.indices[2].name, "clock_slowest");
        CHECK(values[2] > 0.2 && values[2] < 12);
        CHECK(bench->pair_count > 0 && values[3] > 1 && values[3] < 1e6); /* ns */
    }
    processor_bench_close(bench);
}

static double spoiled(double *sum)
{
    static atomic_uint pieces;
    load_piece(sum);
    *sum += atomic_fetch_add(&pieces, 1) == 40 ? 1e-12 : 0;
    return 0;
}

/* Every processor computes the same result; a single wrong one is found. */
static void test_burn(void)
{
    struct processor_burn result;
    struct err e = {0};
    const volatile sig_atomic_t go = 0, stop = 1;
    CHECK_INT(processor_burn(0.2, &go, &result, &e), 0);
    CHECK(result.pieces > 20 && result.wrong == 0 && result.kept == 0);
    CHECK_INT(processor_burn_with(spoiled, 0.2, &go, &result, &e), 0);
    CHECK(result.pieces > 60);
    CHECK_INT(result.wrong, 1);
    CHECK_INT(result.kept, 1);
    CHECK_INT(processor_burn(100, &stop, &result, &e), 0);
    CHECK(result.pieces >= 1);
}

int main(void)
{
    test_large();
    test_small();
    test_clocks();
    test_heat();
    test_watch();
    test_this_machine();
    test_burn();
    return check_result();
}
