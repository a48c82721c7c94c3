/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processor prober on a server, a laptop, an ARM board, a virtual machine, and trees with
   garbage. */
#include "inventory_checks.h"

#include <time.h>

#include "hw/machine/cpu_list.h"

#define CPU "/sys/devices/system/cpu"

/* ---- a server with two sockets, 8 cores, 16 threads: cpu N and N + 8 share a core ---- */

static void server_processor(const struct tree *t, unsigned n)
{
    unsigned package = (n % 8) / 4, core = n % 8;
    char path[160];
#define PUT(file, ...)                                                                             \
    (snprintf(path, sizeof path, CPU "/cpu%u/" file, n), tree_filef(t, path, __VA_ARGS__))
    PUT("topology/physical_package_id", "%u\n", package);
    PUT("topology/package_cpus_list", package ? "4-7,12-15\n" : "0-3,8-11\n");
    PUT("topology/core_cpus_list", "%u,%u\n", core, core + 8);
    PUT("cpufreq/scaling_governor", "performance\n");
    PUT("cpufreq/scaling_cur_freq", "%u\n", 3200000 + 10000 * n);
    PUT("thermal_throttle/core_throttle_count", "%u\n", core);
    PUT("thermal_throttle/package_throttle_count", "%u\n", 10 + package);
}

static void build_server(const struct tree *t)
{
    for (unsigned n = 0; n < 16; n++)
        server_processor(t, n);
    tree_file(t, CPU "/online", "0-15\n");
    tree_file(t, CPU "/offline", "\n");
    tree_file(t, CPU "/smt/active", "1\n");
    tree_file(t, "/proc/cpuinfo",
              "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8480+\n"
              "microcode\t: 0x2b000590\ncpu MHz\t: 2000.000\nflags\t: fpu tsc\n\n"
              "processor\t: 1\nmodel name\t: another\n");
    tree_file(t, CPU "/cpu0/cpufreq/scaling_driver", "intel_pstate\n");
    tree_file(t, CPU "/cpu0/cpufreq/scaling_min_freq", "800000\n");
    tree_file(t, CPU "/cpu0/cpufreq/scaling_max_freq", "3800000\n");
    tree_file(t, CPU "/cpu0/cpufreq/cpuinfo_max_freq", "3800000\n");
    tree_file(t, CPU "/cpu0/cpufreq/base_frequency", "2000000\n");
    tree_file(t, CPU "/intel_pstate/no_turbo", "0\n");
    tree_file(t, CPU "/cpuidle/current_driver", "intel_idle\n");
    tree_file(t, CPU "/cpuidle/current_governor", "menu\n");
    const char *const states[] = {"POLL", "C1", "C1E ACPI", "C6"};
    const char *const latencies[] = {"0", "1", "2", "290"};
    for (unsigned i = 0; i < 4; i++) {
        char path[128];
        snprintf(path, sizeof path, CPU "/cpu0/cpuidle/state%u/name", i);
        tree_filef(t, path, "%s\n", states[i]);
        snprintf(path, sizeof path, CPU "/cpu0/cpuidle/state%u/latency", i);
        tree_filef(t, path, "%s\n", latencies[i]);
        snprintf(path, sizeof path, CPU "/cpu0/cpuidle/state%u/disable", i);
        tree_file(t, path, i == 3 ? "1\n" : "0\n");
    }
    tree_file(t, CPU "/vulnerabilities/meltdown", "Not affected\n");
    tree_file(t, CPU "/vulnerabilities/l1tf", "Not affected\n");
    tree_file(t, CPU "/vulnerabilities/spectre_v2",
              "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional\n");
    tree_file(t, "/sys/devices/system/node/node0/cpulist", "0-1,8-9\n");
    tree_file(t, "/sys/devices/system/node/node1/cpulist", "2-3,10-11\n");
    tree_file(t, "/sys/devices/system/node/node2/cpulist", "4-7,12-15\n");
    tree_file(t, "/sys/devices/system/node/node3/cpulist", "\n");
    tree_file(t, "/sys/devices/system/node/online", "0-3\n");
}

static void server(void)
{
    struct machine m;
    machine_begin(&m);
    build_server(&m.tree);
    look_at_cpu(&m.probe);
    PARENT_IS(&m, "cpu", "machine");
    VALUE_IS(&m, "cpu", "model", "Intel(R) Xeon(R) Platinum 8480+", "");
    VALUE_IS(&m, "cpu", "online", "16", "");
    NO_FACT(&m, "cpu", "offline");
    VALUE_IS(&m, "cpu", "sockets", "2", "");
    VALUE_IS(&m, "cpu", "cores", "8", "");
    VALUE_IS(&m, "cpu", "smt_active", "yes", "");
    VALUE_IS(&m, "cpu", "microcode", "0x2b000590", "");
    VALUE_IS(&m, "cpu", "governor", "performance", "");
    VALUE_IS(&m, "cpu", "frequency_driver", "intel_pstate", "");
    VALUE_IS(&m, "cpu", "frequency_min", "800000000", "Hz");
    VALUE_IS(&m, "cpu", "frequency_max", "3800000000", "Hz");
    NO_FACT(&m, "cpu", "frequency_hardware_max");
    VALUE_IS(&m, "cpu", "frequency_base", "2000000000", "Hz");
    VALUE_IS(&m, "cpu", "frequency", "3275000000", "Hz"); /* 3.2 GHz + 10 MHz * mean of 0 .. 15 */
    VALUE_IS(&m, "cpu", "turbo", "yes", "");
    VALUE_IS(&m, "cpu", "idle_driver", "intel_idle", "");
    VALUE_IS(&m, "cpu", "idle_governor", "menu", "");
    VALUE_IS(&m, "cpu", "idle_states", "POLL C1 C1E_ACPI [C6]", "");
    VALUE_IS(&m, "cpu", "idle_latency", "POLL 0, C1 1, C1E_ACPI 2, C6 290", "us");
    VALUE_IS(&m, "cpu", "core_throttle_count", "28", "");    /* 0 + 1 + ... + 7, once per core */
    VALUE_IS(&m, "cpu", "package_throttle_count", "21", ""); /* 10 + 11 */
    VALUE_IS(&m, "cpu", "vulnerability_spectre_v2",
             "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional", "");
    NO_FACT(&m, "cpu", "vulnerability_meltdown");
    VALUE_IS(&m, "cpu", "not_affected", "2", "");

    PARENT_IS(&m, "package1", "cpu");
    VALUE_IS(&m, "package1", "model", "Intel(R) Xeon(R) Platinum 8480+", "");
    VALUE_IS(&m, "package1", "cpus", "4-7,12-15", "");
    VALUE_IS(&m, "package1", "cores", "4", "");
    VALUE_IS(&m, "package1", "threads", "8", "");
    VALUE_IS(&m, "package0", "numa_nodes", "0, 1", "");
    VALUE_IS(&m, "package1", "numa_nodes", "2", "");
    PARENT_IS(&m, "cpu3", "package0");
    PARENT_IS(&m, "cpu12", "package1");
    VALUE_IS(&m, "cpu12", "governor", "performance", "");
    VALUE_IS(&m, "cpu12", "frequency", "3320000000", "Hz");
    CHECK_STR(m.inventory.nodes[inventory_find(&m.inventory, "cpu12")].path, CPU "/cpu12");
    CHECK(inventory_find(&m.inventory, "cpu16") == INVENTORY_NONE);
    machine_end(&m);
}

/* ---- power limits: the lower one of two interfaces; zones that are not the package's do not count
   ---- */

static void power_zone(const struct tree *t, const char *zone, const char *name, const char *slow,
                       const char *fast)
{
    char path[160];
#define ZONE(file, text)                                                                           \
    (snprintf(path, sizeof path, "/sys/class/powercap/%s/" file, zone), tree_file(t, path, text))
    ZONE("name", name);
    ZONE("constraint_0_name", "long_term\n");
    ZONE("constraint_0_power_limit_uw", slow);
    ZONE("constraint_1_name", "short_term\n");
    ZONE("constraint_1_power_limit_uw", fast);
}

static void power_limits(void)
{
    struct machine m;
    machine_begin(&m);
    build_server(&m.tree);
    tree_file(&m.tree, "/sys/class/powercap/intel-rapl/enabled", "1\n");
    power_zone(&m.tree, "intel-rapl:0", "package-0\n", "350000000\n", "420000000\n");
    power_zone(&m.tree, "intel-rapl:0:0", "dram\n", "1000000\n", "1000000\n");
    power_zone(&m.tree, "intel-rapl-mmio:0", "package-0\n", "125500000\n", "500000000\n");
    power_zone(&m.tree, "intel-rapl:1", "package-1\n", "many\n", "420000000\n");
    power_zone(&m.tree, "intel-rapl:2", "psys\n", "1000000\n", "1000000\n");
    power_zone(&m.tree, "intel-rapl:3", "package-7\n", "1000000\n", "1000000\n");
    tree_deny(&m.tree, "/sys/class/powercap/intel-rapl:1/constraint_1_power_limit_uw");
    look_at_cpu(&m.probe);
    VALUE_IS(&m, "package0", "power_limit_long_term", "125.5", "W");
    VALUE_IS(&m, "package0", "power_limit_short_term", "420", "W");
    STATUS_IS(&m, "package1", "power_limit_long_term", FACT_INVALID);
    STATUS_IS(&m, "package1", "power_limit_short_term", FACT_DENIED);
    NO_FACT(&m, "package0", "power_limit_peak_power");
    machine_end(&m);
}

/* ---- a laptop: mixed governors, turbo off, throttled, a processor offline, two kinds of cores */

static void laptop(void)
{
    struct machine m;
    machine_begin(&m);
    const struct tree *t = &m.tree;
    tree_file(t, CPU "/online", "0-2,4\n");
    tree_file(t, CPU "/offline", "3,5-7\n");
    const char *const governors[] = {"performance", "powersave", "performance", "", "performance"};
    for (unsigned n = 0; n < 5; n++) {
        char path[128];
        if (n == 3)
            continue;
#define LAPTOP(file, ...)                                                                          \
    (snprintf(path, sizeof path, CPU "/cpu%u/" file, n), tree_filef(t, path, __VA_ARGS__))
        LAPTOP("cpufreq/scaling_governor", "%s\n", governors[n]);
        LAPTOP("cpufreq/scaling_cur_freq", n == 4 ? "<unknown>\n" : "%u\n", 900000);
        LAPTOP("cpufreq/scaling_min_freq", n == 4 ? "400000\n" : "800000\n");
        LAPTOP("cpufreq/scaling_max_freq", n == 4 ? "3600000\n" : "4800000\n");
        LAPTOP("topology/core_siblings_list", "0-2,4\n");
        LAPTOP("topology/thread_siblings_list", n < 2 ? "0-1\n" : "%u\n", n);
        LAPTOP("thermal_throttle/core_throttle_count", n == 2 ? "oops\n" : "%u\n", 100 + n);
    }
    tree_file(t, CPU "/intel_pstate/no_turbo", "1\n");
    tree_file(t, CPU "/cpufreq/boost", "1\n"); /* only the driver's own switch counts */
    tree_file(t, CPU "/cpu0/cpufreq/energy_performance_preference", "balance_power\n");
    tree_file(t, CPU "/cpu0/acpi_cppc/nominal_freq", "2100\n");
    tree_file(t, CPU "/cpu0/cpufreq/cpuinfo_max_freq", "5000000\n");
    tree_file(t, CPU "/cpu0/microcode/version", "0x4123\n");
    look_at_cpu(&m.probe);
    STATUS_IS(&m, "cpu", "model", FACT_ABSENT);
    VALUE_IS(&m, "cpu", "online", "4", "");
    VALUE_IS(&m, "cpu", "offline", "3,5-7", "");
    VALUE_IS(&m, "cpu", "sockets", "1", "");
    VALUE_IS(&m, "cpu", "cores", "3", "");
    VALUE_IS(&m, "cpu", "governor", "performance on 3 of 4 processors", "");
    VALUE_IS(&m, "cpu1", "governor", "powersave", "");
    VALUE_IS(&m, "cpu", "frequency_min", "400000000", "Hz");
    VALUE_IS(&m, "cpu", "frequency_max", "4800000000", "Hz");
    VALUE_IS(&m, "cpu", "frequency_hardware_max", "5000000000", "Hz");
    VALUE_IS(&m, "cpu", "frequency_base", "2100000000", "Hz");
    VALUE_IS(&m, "cpu", "frequency", "900000000", "Hz");
    STATUS_IS(&m, "cpu4", "frequency", FACT_INVALID);
    VALUE_IS(&m, "cpu", "turbo", "no", "");
    VALUE_IS(&m, "cpu", "energy_performance_preference", "balance_power", "");
    VALUE_IS(&m, "cpu", "microcode", "0x4123", "");
    VALUE_IS(&m, "cpu", "core_throttle_count", "204", ""); /* 100 + 104 */
    NO_FACT(&m, "cpu", "package_throttle_count");
    PARENT_IS(&m, "cpu4", "package0"); /* without the kernel's number packages are counted */
    machine_end(&m);
}

/* ---- ARM: implementer and part, clusters, no SMT, no microcode ---- */

static void arm(void)
{
    struct machine m;
    machine_begin(&m);
    tree_file(&m.tree, "/proc/cpuinfo",
              "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd\n"
              "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n\n"
              "processor\t: 1\n");
    tree_file(&m.tree, CPU "/online", "0-1\n");
    for (unsigned n = 0; n < 2; n++) {
        char path[128];
#define ARM(file, ...)                                                                             \
    (snprintf(path, sizeof path, CPU "/cpu%u/" file, n), tree_filef(&m.tree, path, __VA_ARGS__))
        ARM("topology/physical_package_id", "-1\n");
        ARM("topology/package_cpus_list", "0-1\n");
        ARM("topology/core_cpus_list", "%u\n", n);
        ARM("cpufreq/scaling_governor", "schedutil\n");
        ARM("cpufreq/scaling_cur_freq", n ? "1800000\n" : "600000\n");
        ARM("cpufreq/scaling_max_freq", n ? "2400000\n" : "1800000\n");
    }
    tree_file(&m.tree, CPU "/smt/active", "0\n");
    tree_file(&m.tree, CPU "/cpufreq/boost", "0\n");
    tree_file(&m.tree, CPU "/cpuidle/current_driver", "psci_idle\n");
    tree_file(&m.tree, CPU "/cpuidle/current_governor_ro", "menu\n");
    look_at_cpu(&m.probe);
    VALUE_IS(&m, "cpu", "model", "ARM Neoverse-N1", "");
    VALUE_IS(&m, "cpu", "sockets", "1", "");
    VALUE_IS(&m, "cpu", "cores", "2", "");
    VALUE_IS(&m, "cpu", "smt_active", "no", "");
    VALUE_IS(&m, "cpu", "governor", "schedutil", "");
    VALUE_IS(&m, "cpu", "frequency_max", "2400000000", "Hz");
    VALUE_IS(&m, "cpu", "frequency", "1200000000", "Hz");
    VALUE_IS(&m, "cpu", "turbo", "no", "");
    VALUE_IS(&m, "cpu", "idle_governor", "menu", "");
    NO_FACT(&m, "cpu", "microcode");
    NO_FACT(&m, "cpu", "frequency_min");
    NO_FACT(&m, "cpu", "idle_states");
    NO_FACT(&m, "cpu", "core_throttle_count");
    VALUE_IS(&m, "package0", "cpus", "0-1", "");
    VALUE_IS(&m, "package0", "model", "ARM Neoverse-N1", "");

    machine_forget(&m);
    tree_file(&m.tree, "/proc/cpuinfo",
              "processor\t: 0\nCPU implementer\t: 0x99\nCPU part\t: 0x1\n");
    look_at_cpu(&m.probe);
    VALUE_IS(&m, "cpu", "model", "ARM implementer 0x99 part 0x1", "");
    machine_end(&m);
}

/* ---- a virtual machine with only /proc/cpuinfo; a machine without any file ---- */

static void guest(void)
{
    struct machine m;
    machine_begin(&m);
    tree_file(&m.tree, "/proc/cpuinfo",
              "processor\t: 0\nmodel name\t: Common KVM processor\nmicrocode\t: 0x1\n"
              "cpu MHz\t\t: 2594.000\n\nprocessor\t: 1\nmodel name\t: Common KVM processor\n"
              "cpu MHz\t\t: 2596.000\n");
    look_at_cpu(&m.probe);
    VALUE_IS(&m, "cpu", "model", "Common KVM processor", "");
    VALUE_IS(&m, "cpu", "online", "2", "");
    VALUE_IS(&m, "cpu", "frequency", "2595000000", "Hz");
    VALUE_IS(&m, "cpu1", "frequency", "2596000000", "Hz");
    VALUE_IS(&m, "cpu", "microcode", "0x1", "");
    PARENT_IS(&m, "cpu1", "cpu");
    STATUS_IS(&m, "cpu", "governor", FACT_ABSENT);
    NO_FACT(&m, "cpu", "frequency_driver");
    STATUS_IS(&m, "cpu", "sockets", FACT_ABSENT);
    STATUS_IS(&m, "cpu", "cores", FACT_ABSENT);
    STATUS_IS(&m, "cpu", "smt_active", FACT_ABSENT);
    STATUS_IS(&m, "cpu", "idle_driver", FACT_ABSENT);
    STATUS_IS(&m, "cpu", "not_affected", FACT_ABSENT);

    machine_forget(&m);
    tree_remove(&m.tree, "/proc");
    look_at_cpu(&m.probe);
    STATUS_IS(&m, "cpu", "model", FACT_ABSENT);
    STATUS_IS(&m, "cpu", "online", FACT_ABSENT);
    STATUS_IS(&m, "cpu", "frequency", FACT_ABSENT);
    STATUS_IS(&m, "cpu", "cores", FACT_ABSENT);
    NO_FACT(&m, "cpu", "core_throttle_count");
    machine_end(&m);
}

/* ---- values that no kernel writes, and missing files ---- */

static void garbage(void)
{
    struct machine m;
    machine_begin(&m);
    const struct tree *t = &m.tree;
    tree_bytes(t, "/proc/cpuinfo", "\0\xff:\xff\0\n", 6);
    tree_file(t, CPU "/online", "0-99999999\n");
    tree_file(t, CPU "/smt/active", "2\n");
    tree_file(t, CPU "/vulnerabilities", "a file where a folder belongs\n");
    look_at_cpu(&m.probe);
    STATUS_IS(&m, "cpu", "model", FACT_ABSENT);
    STATUS_IS(&m, "cpu", "online", FACT_INVALID);
    STATUS_IS(&m, "cpu", "smt_active", FACT_INVALID);
    STATUS_IS(&m, "cpu", "not_affected", FACT_INVALID);

    machine_forget(&m);
    tree_file(t, CPU "/online", "0,1\n");
    tree_file(t, CPU "/cpu0/topology/package_cpus_list", "5-8191\n");
    tree_file(t, CPU "/cpu1/topology/package_cpus_list", "0-8191\n");
    tree_file(t, CPU "/cpu0/topology/physical_package_id", "0\n");
    tree_file(t, CPU "/cpu1/topology/physical_package_id", "0\n");
    tree_file(t, CPU "/cpu0/topology/core_cpus_list", "8192\n");
    tree_file(t, CPU "/cpu1/topology/core_cpus_list", "1-0\n");
    tree_file(t, CPU "/cpu0/cpufreq/scaling_governor", "\n");
    tree_file(t, CPU "/cpu0/cpufreq/scaling_min_freq", "-800000\n");
    tree_file(t, CPU "/cpu0/cpufreq/scaling_max_freq", "18446744073709551615\n");
    tree_file(t, CPU "/cpu0/cpufreq/scaling_cur_freq", "0\n");
    tree_file(t, CPU "/cpu0/thermal_throttle/core_throttle_count", "0x10\n");
    tree_file(t, CPU "/cpu0/cpuidle/state0/name", "POLL\n");
    tree_file(t, CPU "/cpu0/cpuidle/state1/name", "\n");
    tree_file(t, CPU "/cpufreq/boost", "7\n");
    tree_file(t, CPU "/cpu0/microcode/version", "\x1b[2J\n");
    look_at_cpu(&m.probe);
    VALUE_IS(&m, "cpu", "online", "2", "");
    VALUE_IS(&m, "cpu", "sockets", "2", "");
    PARENT_IS(&m, "cpu0", "package0");
    PARENT_IS(&m, "cpu1", "package0#2");
    STATUS_IS(&m, "cpu", "cores", FACT_INVALID);
    STATUS_IS(&m, "cpu", "governor", FACT_INVALID);
    STATUS_IS(&m, "cpu", "frequency_min", FACT_INVALID);
    STATUS_IS(&m, "cpu", "frequency_max", FACT_INVALID);
    STATUS_IS(&m, "cpu", "frequency", FACT_INVALID);
    STATUS_IS(&m, "cpu", "turbo", FACT_INVALID);
    STATUS_IS(&m, "cpu", "microcode", FACT_INVALID);
    STATUS_IS(&m, "cpu", "core_throttle_count", FACT_INVALID);
    VALUE_IS(&m, "cpu", "idle_states", "POLL", "");
    STATUS_IS(&m, "cpu", "idle_latency", FACT_INVALID);
    machine_end(&m);
}

static void denied(void)
{
    struct machine m;
    machine_begin(&m);
    build_server(&m.tree);
    for (unsigned n = 0; n < 16; n++) {
        char path[128];
        snprintf(path, sizeof path, CPU "/cpu%u/cpufreq/scaling_governor", n);
        tree_deny(&m.tree, path);
    }
    tree_deny(&m.tree, CPU "/cpu3/cpufreq/scaling_cur_freq");
    tree_deny(&m.tree, CPU "/vulnerabilities/spectre_v2");
    tree_deny(&m.tree, "/proc/cpuinfo");
    look_at_cpu(&m.probe);
    STATUS_IS(&m, "cpu", "governor", FACT_DENIED);
    STATUS_IS(&m, "cpu7", "governor", FACT_DENIED);
    STATUS_IS(&m, "cpu3", "frequency", FACT_DENIED);
    STATUS_IS(&m, "cpu", "vulnerability_spectre_v2", FACT_DENIED);
    STATUS_IS(&m, "cpu", "model", FACT_DENIED);
    VALUE_IS(&m, "cpu", "frequency", "3278000000", "Hz"); /* 3.2 GHz + 10 MHz * (120 - 3) / 15 */
    machine_end(&m);
}

/* ---- lists of processors ---- */

static void list_is(const char *text, bool valid, size_t count, unsigned last)
{
    static struct processors list;
    CHECK(processors_parse(text, &list) == valid);
    CHECK_INT(list.count, count);
    if (count)
        CHECK_INT(list.numbers[count - 1], last);
}

static void lists(void)
{
    list_is("", true, 0, 0);
    list_is("0", true, 1, 0);
    list_is("0-3,8", true, 5, 8);
    list_is("0-8191", true, 8192, 8191);
    list_is("8192", false, 0, 0);
    list_is("0-8191,0", false, 0, 0);
    list_is("3-1", false, 0, 0);
    list_is("0,0", false, 0, 0);
    list_is("4-7,0-3", false, 0, 0);
    list_is("1,", false, 0, 0);
    list_is(",1", false, 0, 0);
    list_is("1 2", false, 0, 0);
    list_is("-1", false, 0, 0);
    list_is("99999999999999999999999", false, 0, 0);
}

/* ---- a large machine is cheap: three reads per processor ---- */

static void count_look(void *context, const char *path)
{
    (void)path;
    ++*(unsigned *)context;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void large(void)
{
    enum { THREADS = 256 };
    struct machine m;
    machine_begin(&m);
    tree_filef(&m.tree, CPU "/online", "0-%d\n", THREADS - 1);
    for (int n = 0; n < THREADS; n++) {
        char path[128];
        int core = n % (THREADS / 2), package = core / (THREADS / 4);
#define LARGE(file, ...)                                                                           \
    (snprintf(path, sizeof path, CPU "/cpu%d/" file, n), tree_filef(&m.tree, path, __VA_ARGS__))
        LARGE("topology/physical_package_id", "%d\n", package);
        LARGE("topology/package_cpus_list", package ? "64-127,192-255\n" : "0-63,128-191\n");
        LARGE("topology/core_cpus_list", "%d,%d\n", core, core + THREADS / 2);
        LARGE("cpufreq/scaling_governor", "performance\n");
        LARGE("cpufreq/scaling_cur_freq", "3000000\n");
        LARGE("thermal_throttle/core_throttle_count", "1\n");
    }
    unsigned looks = 0;
    struct sysroot_watcher watcher = {.saw = count_look, .context = &looks};
    m.tree.root.watcher = &watcher;
    double begin = seconds_now();
    look_at_cpu(&m.probe);
    printf("%d processors: %u reads, %.2f ms\n", THREADS, looks, 1e3 * (seconds_now() - begin));
    VALUE_IS(&m, "cpu", "cores", "128", "");
    VALUE_IS(&m, "cpu", "core_throttle_count", "128", "");
    CHECK(looks <= 3 * THREADS + 50); /* two per thread, and two per core of two threads */
    m.tree.root.watcher = NULL;
    machine_end(&m);
}

int main(void)
{
    server();
    power_limits();
    laptop();
    arm();
    guest();
    garbage();
    denied();
    lists();
    large();
    return check_result();
}
