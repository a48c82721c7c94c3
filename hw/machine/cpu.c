/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the facts of all processors together: model, number, microcode, vulnerabilities, topology
   and idle states. Frequencies are in cpu_frequency.c. */
#include "hw/machine/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"
#include "tables/arm_cores.h"

#define CPUINFO "/proc/cpuinfo"

#define CORE(implementer, part, name) {implementer, part, name},

static void read_processors(struct cpu_survey *s)
{
    s->online_status = processors_online(s->root, &s->online);
    if (s->online_status == FACT_OK) {
        cpuinfo_read_first(s->root, &s->info);
        return;
    }
    cpuinfo_read(s->root, &s->info);
    s->online.count = s->info.count < PROCESSORS_MAX ? s->info.count : PROCESSORS_MAX;
    for (size_t i = 0; i < s->online.count; i++)
        s->online.numbers[i] = (unsigned short)i;
}

/* Returns true for a text such as "0x2b000590". */
static bool is_microcode_version(const char *text)
{
    size_t digits = strncmp(text, "0x", 2) ? 0 : strspn(text + 2, "0123456789abcdef");
    return digits && !text[2 + digits];
}

/* Replaces the numbers that ARM kernels show by the core's name, where it is known. */
static void name_core(struct cpuinfo *info)
{
    static const struct {
        unsigned long implementer, part;
        const char *name;
    } cores[] = {ARM_CORE_ROWS(CORE)};
    unsigned long implementer = strtoul(info->implementer, NULL, 16);
    unsigned long part = strtoul(info->part, NULL, 16);
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (cores[i].implementer == implementer && cores[i].part == part)
            snprintf(info->model, sizeof info->model, "%s", cores[i].name);
}

/* Adds a fact for each vulnerability that affects this processor, and the number of vulnerabilities
   that do not affect it. */
static void add_vulnerabilities(struct cpu_survey *s)
{
    static const char folder[] = CPU_FOLDER "/vulnerabilities";
    struct sysroot_names names;
    uint64_t unaffected = 0;
    enum fact_status status = sysroot_list(s->root, folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        char path[CPU_PATH], key[80], text[512];
        snprintf(path, sizeof path, "%s/%.64s", folder, names.names[i]);
        snprintf(key, sizeof key, "vulnerability_%.64s", names.names[i]);
        enum fact_status answer = sysroot_line(s->root, path, text, sizeof text);
        if (answer == FACT_OK && !strcmp(text, "Not affected"))
            unaffected++;
        else
            inventory_add(s->inventory, s->node, key, text, "", path, answer);
    }
    sysroot_names_free(&names);
    if (status == FACT_OK)
        inventory_add_number(s->inventory, s->node, "not_affected", unaffected, "", folder);
    else
        inventory_add(s->inventory, s->node, "not_affected", "", "", folder, status);
}

/* ---- topology: packages, cores and threads, NUMA nodes ---- */

#define NODE_FOLDER "/sys/devices/system/node"
#define NONE        (-1)

struct package {
    int node;
    size_t cores, threads;
    char numa[256];  /* list of its NUMA nodes, as in "0, 1" */
    size_t numa_end; /* number of the last NUMA node, plus 1 */
};

#define PACKAGES_MAX 256

/* State while processors are grouped. Each list is read once for all processors in it: one read for
   each package and each core. */
struct grouping {
    struct package packages[PACKAGES_MAX];
    size_t package_count, cores;
    /* status of the last list that could not be read */
    enum fact_status package_status, core_status;
    /* [processor number], its place in the list of online processors, or NONE */
    short position[PROCESSORS_MAX];
    short package[PROCESSORS_MAX]; /* [place in that list], index in `packages`, or NONE */
    bool in_core[PROCESSORS_MAX];  /* [processor number], its core is counted already */
    struct processors list;        /* the list that was read last */
    char text[4096];               /* text of the list in `list`, in the kernel's form */
    char source[CPU_PATH];         /* the file of that list */
    struct counter core_throttle, package_throttle;
};

static const struct attribute smt_rows[] = {
    {.key = "smt_active", .kind = ATTRIBUTE_YES_NO, .files = {"smt/active"}},
};

/* Reads a list of processors from the first of two files that exists; the second is its name in old
   kernels. */
static enum fact_status read_group(const struct cpu_survey *s, struct grouping *g, unsigned number,
                                   const char *const files[2])
{
    enum fact_status status = FACT_ABSENT;
    for (size_t i = 0; i < 2 && status == FACT_ABSENT; i++)
        status =
            sysroot_line(s->root, cpu_path(g->source, number, files[i]), g->text, sizeof g->text);
    if (status == FACT_OK && (!processors_parse(g->text, &g->list) || !g->list.count))
        status = FACT_INVALID;
    return status;
}

/* Adds a node for the package of this processor. The package gets all processors in its list, and
   this one even if the list lacks it. */
static void add_package(struct cpu_survey *s, struct grouping *g, size_t first)
{
    static const char *const files[] = {"topology/package_cpus_list",
                                        "topology/core_siblings_list"};
    unsigned number = s->online.numbers[first];
    enum fact_status status = read_group(s, g, number, files);
    if (status != FACT_OK || g->package_count == PACKAGES_MAX) {
        g->package_status = status;
        return;
    }
    /* The kernel numbers packages; those without a number (-1) are counted instead. */
    char name[24], path[CPU_PATH];
    uint64_t kernel_number;
    cpu_path(path, number, "topology/physical_package_id");
    bool known = counter_read(s->root, path, &kernel_number) == FACT_OK && kernel_number < 100000;
    snprintf(name, sizeof name, "package%u",
             known ? (unsigned)kernel_number : (unsigned)g->package_count);
    short index = (short)g->package_count++;
    struct package *package = &g->packages[index];
    package->node = inventory_add_node(s->inventory, NODE_CPU_PACKAGE, name, NULL, s->node);
    g->package[first] = index;
    for (size_t i = 0; i < g->list.count; i++) {
        short position = g->position[g->list.numbers[i]];
        if (position != NONE && g->package[position] == NONE)
            g->package[position] = index;
    }
    if (*s->info.model)
        inventory_add(s->inventory, package->node, "model", s->info.model, "", "/proc/cpuinfo",
                      FACT_OK);
    inventory_add(s->inventory, package->node, "cpus", g->text, "", g->source, FACT_OK);
    cpu_path(path, number, "thermal_throttle/package_throttle_count");
    counter_add(&g->package_throttle, s->root, path);
}

static void add_processor(struct cpu_survey *s, struct grouping *g, size_t i)
{
    static const char *const files[] = {"topology/core_cpus_list", "topology/thread_siblings_list"};
    unsigned number = s->online.numbers[i];
    struct package *package = g->package[i] == NONE ? NULL : &g->packages[g->package[i]];
    char name[16], path[CPU_PATH];
    snprintf(name, sizeof name, "cpu%u", number);
    snprintf(path, sizeof path, CPU_FOLDER "/cpu%u", number);
    s->core[i] = inventory_add_node(s->inventory, NODE_CPU_CORE, name, path,
                                    package ? package->node : s->node);
    if (package)
        package->threads++;
    if (g->in_core[number])
        return;
    /* No processor of this core was read before, so the core's list is read now. */
    enum fact_status status = read_group(s, g, number, files);
    for (size_t other = 0; status == FACT_OK && other < g->list.count; other++)
        g->in_core[g->list.numbers[other]] = true;
    if (status != FACT_OK)
        g->core_status = status;
    /* Only Intel's processors have throttle counters: on other machines a single attempt to read
       one is enough. */
    if (!g->cores || g->core_throttle.trouble != FACT_ABSENT) {
        cpu_path(path, number, "thermal_throttle/core_throttle_count");
        counter_add(&g->core_throttle, s->root, path);
    }
    g->cores++;
    if (package)
        package->cores++;
}

static void note_numa_node(struct package *package, size_t which, const char *number)
{
    size_t length = strlen(package->numa);
    if (package->numa_end == which || length + strlen(number) + 3 > sizeof package->numa)
        return;
    package->numa_end = which;
    snprintf(package->numa + length, sizeof package->numa - length, "%s%s", length ? ", " : "",
             number);
}

static void add_total(struct cpu_survey *s, const char *key, size_t total, enum fact_status status,
                      const char *source)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", total);
    if (!total && status == FACT_OK)
        status = FACT_ABSENT; /* no processor was found at all */
    inventory_add(s->inventory, s->node, key, digits, "", source, status);
}

/* Adds sockets, cores, smt_active; nodes "packageN" with cores, threads, cpus, numa_nodes; nodes
   "cpuN"; throttle counts. It needs two reads for each core. */
static void cpu_topology_add(struct cpu_survey *s)
{
    struct grouping *g = calloc(1, sizeof *g);
    if (!g) {
        s->inventory->failed = true;
        return;
    }
    for (size_t i = 0; i < PROCESSORS_MAX; i++)
        g->position[i] = g->package[i] = NONE;
    for (size_t i = 0; i < s->online.count; i++)
        g->position[s->online.numbers[i]] = (short)i;
    for (size_t i = 0; i < s->online.count; i++)
        if (g->package[i] == NONE && g->package_status == FACT_OK)
            add_package(s, g, i);
    for (size_t i = 0; i < s->online.count; i++)
        add_processor(s, g, i);
    struct sysroot_names names;
    sysroot_list(s->root, NODE_FOLDER, &names);
    for (size_t n = 0; n < names.count; n++) {
        const char *name = names.names[n];
        if (strncmp(name, "node", 4) != 0 || strspn(name + 4, "0123456789") != strlen(name + 4))
            continue;
        snprintf(g->source, sizeof g->source, NODE_FOLDER "/%.64s/cpulist", name);
        processors_read(s->root, g->source, &g->list);
        for (size_t i = 0; i < g->list.count; i++) {
            short position = g->position[g->list.numbers[i]];
            if (position != NONE && g->package[position] != NONE)
                note_numa_node(&g->packages[g->package[position]], n + 1, name + 4);
        }
    }
    sysroot_names_free(&names);
    add_total(s, "sockets", g->package_count, g->package_status,
              CPU_FOLDER "/cpu*/topology/package_cpus_list");
    add_total(s, "cores", g->cores, g->core_status, CPU_FOLDER "/cpu*/topology/core_cpus_list");
    attributes_add(s->root, s->inventory, s->node, CPU_FOLDER, smt_rows, ATTRIBUTE_COUNT(smt_rows));
    counter_fact(&g->core_throttle, s->inventory, s->node, "core_throttle_count",
                 CPU_FOLDER "/cpu*/thermal_throttle/core_throttle_count", true);
    counter_fact(&g->package_throttle, s->inventory, s->node, "package_throttle_count",
                 CPU_FOLDER "/cpu*/thermal_throttle/package_throttle_count", true);
    for (size_t i = 0; i < g->package_count; i++) {
        const struct package *package = &g->packages[i];
        inventory_add_number(s->inventory, package->node, "cores", package->cores, "",
                             CPU_FOLDER "/cpu*/topology/core_cpus_list");
        inventory_add_number(s->inventory, package->node, "threads", package->threads, "",
                             CPU_FOLDER "/cpu*/topology/package_cpus_list");
        if (*package->numa)
            inventory_add(s->inventory, package->node, "numa_nodes", package->numa, "",
                          NODE_FOLDER "/node*/cpulist", FACT_OK);
    }
    free(g);
}

/* ---- idle states ---- */

#define STATES_TEXT 256

static const struct attribute idle_rows[] = {
    {.key = "idle_driver", .files = {"current_driver"}},
    {.key = "idle_governor",
     .files = {"current_governor", "current_governor_ro"},
     .optional = true},
};

struct idle_states {
    char names[STATES_TEXT];     /* names of the states: "POLL C1 [C6]"; brackets: disabled */
    char latencies[STATES_TEXT]; /* exit latencies, as in "POLL 0, C1 2, C6 133" */
    /* FACT_OK: all states show their name and latency; otherwise why not */
    enum fact_status trouble;
};

static void append_state(char *text, const char *between, const char *more)
{
    size_t length = strlen(text);
    snprintf(text + length, STATES_TEXT - length, "%s%s", length ? between : "", more);
}

/* Reads one of the folders "state0", "state1" ... of idle states. */
static void read_state(const struct cpu_survey *s, const char *folder, struct idle_states *all)
{
    char path[CPU_PATH], name[24], shown[64];
    uint64_t disabled, microseconds;
    snprintf(path, sizeof path, "%s/name", folder);
    enum fact_status status = sysroot_line(s->root, path, name, sizeof name);
    if (status != FACT_OK || !*name) {
        all->trouble = status == FACT_OK ? FACT_INVALID : status;
        return;
    }
    for (char *blank = strchr(name, ' '); blank; blank = strchr(blank, ' '))
        *blank = '_'; /* a blank in a name would separate two names */
    snprintf(path, sizeof path, "%s/disable", folder);
    bool off = counter_read(s->root, path, &disabled) == FACT_OK && disabled;
    snprintf(shown, sizeof shown, off ? "[%s]" : "%s", name);
    append_state(all->names, " ", shown);

    snprintf(path, sizeof path, "%s/latency", folder);
    status = counter_read(s->root, path, &microseconds);
    if (status != FACT_OK) {
        all->trouble = status;
        return;
    }
    snprintf(shown, sizeof shown, "%s %llu", name, (unsigned long long)microseconds);
    append_state(all->latencies, ", ", shown);
}

/* Adds the driver, governor, states and exit latencies of the first processor. */
static void cpu_idle_add(struct cpu_survey *s)
{
    char folder[CPU_PATH], state[CPU_PATH - 16];
    struct sysroot_names names;
    struct idle_states all = {0};
    attributes_add(s->root, s->inventory, s->node, CPU_FOLDER "/cpuidle", idle_rows,
                   ATTRIBUTE_COUNT(idle_rows));
    cpu_path(folder, s->online.count ? s->online.numbers[0] : 0, "cpuidle");
    enum fact_status status = sysroot_list(s->root, folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        if (strncmp(names.names[i], "state", 5) != 0)
            continue;
        snprintf(state, sizeof state, "%.80s/%.24s", folder, names.names[i]);
        read_state(s, state, &all);
    }
    sysroot_names_free(&names);
    if (status == FACT_ABSENT || (status == FACT_OK && !*all.names && all.trouble == FACT_OK))
        return;
    if (status == FACT_OK)
        status = *all.names ? FACT_OK : all.trouble;
    inventory_add(s->inventory, s->node, "idle_states", all.names, "", folder, status);
    if (status == FACT_OK)
        inventory_add(s->inventory, s->node, "idle_latency", all.latencies, "us", folder,
                      *all.latencies ? FACT_OK : all.trouble);
}

void look_at_cpu(struct probe *p)
{
    struct cpu_survey *s = calloc(1, sizeof *s);
    if (!s) {
        p->inventory->failed = true;
        return;
    }
    struct sysroot near;
    sysroot_near_open(&near, p->root, CPU_FOLDER);
    s->root = &near;
    s->inventory = p->inventory;
    s->node = inventory_add_node(p->inventory, NODE_CPU, "cpu", CPU_FOLDER, probe_top(p));
    read_processors(s);
    if (*s->info.implementer)
        name_core(&s->info);
    enum fact_status status = s->info.status;
    if (status == FACT_OK && !*s->info.model)
        status = FACT_ABSENT;
    inventory_add(s->inventory, s->node, "model", s->info.model, "", CPUINFO, status);
    static const char offline[] = CPU_FOLDER "/offline";
    char list[1024];
    if (s->online.count)
        inventory_add_number(s->inventory, s->node, "online", s->online.count, "",
                             s->online_status == FACT_OK ? PROCESSORS_ONLINE_FILE : CPUINFO);
    else
        inventory_add(s->inventory, s->node, "online", "", "", PROCESSORS_ONLINE_FILE,
                      s->online_status);
    if (sysroot_line(s->root, offline, list, sizeof list) == FACT_OK && *list)
        inventory_add(s->inventory, s->node, "offline", list, "", offline, FACT_OK);
    /* ARM processors have no microcode. */
    char path[CPU_PATH], version[32];
    cpu_path(path, s->online.count ? s->online.numbers[0] : 0, "microcode/version");
    status = sysroot_line(s->root, path, version, sizeof version);
    if (status == FACT_ABSENT && *s->info.microcode) {
        snprintf(version, sizeof version, "%s", s->info.microcode);
        snprintf(path, sizeof path, "%s", CPUINFO);
        status = FACT_OK;
    }
    if (status == FACT_OK && !is_microcode_version(version))
        status = FACT_INVALID;
    if (status != FACT_ABSENT)
        inventory_add(s->inventory, s->node, "microcode", version, "", path, status);
    cpu_topology_add(s);
    cpu_frequency_add(s);
    cpu_idle_add(s);
    add_vulnerabilities(s);
    power_add_limits(p);
    sysroot_near_close(&near);
    free(s);
}
