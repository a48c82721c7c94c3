/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processors share a core, which cores a package, and which NUMA nodes a package has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/machine/internal.h"
#include "hw/sysroot/attribute.h"

#define NODE_FOLDER "/sys/devices/system/node"
#define NONE        (-1)

struct package {
    int node;
    size_t cores, threads;
    char numa[256];  /* "0, 1" */
    size_t numa_end; /* number of its last NUMA node, plus 1 */
};

#define PACKAGES_MAX 256

/* Each list is read once for all processors in it: one read for each package and each core. */
struct grouping {
    struct package packages[PACKAGES_MAX];
    size_t package_count, cores;
    enum fact_status package_status, core_status; /* the last problem in reading them */
    short position[PROCESSORS_MAX]; /* by number: index in the list of online processors, or NONE */
    short package[PROCESSORS_MAX];  /* by position: index in `packages`, or NONE */
    bool in_core[PROCESSORS_MAX];   /* by number: its core is counted already */
    struct processors list;         /* the list that is read */
    char text[4096];                /* the list in the kernel's form */
    char source[CPU_PATH];          /* the file of that list */
    struct counter core_throttle, package_throttle;
};

static const struct attribute smt_rows[] = {
    {.key = "smt_active", .kind = ATTRIBUTE_YES_NO, .files = {"smt/active"}},
};

/* Reads the list of processors from the first existing one of two files; the second is its name in
   old kernels. */
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

/* ---- packages ---- */

/* Adds a node for the package of this processor, which gets all processors in its list, and this
   one even if the list lacks it. */
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
    /* The package's number is the kernel's; packages without one (-1) are counted. */
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

/* ---- cores and threads ---- */

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
    /* It is the first processor that is read of its core. */
    enum fact_status status = read_group(s, g, number, files);
    for (size_t other = 0; status == FACT_OK && other < g->list.count; other++)
        g->in_core[g->list.numbers[other]] = true;
    if (status != FACT_OK)
        g->core_status = status;
    /* Only Intel's processors have such counters: on other machines one attempt is enough. */
    if (!g->cores || g->core_throttle.trouble != FACT_ABSENT) {
        cpu_path(path, number, "thermal_throttle/core_throttle_count");
        counter_add(&g->core_throttle, s->root, path);
    }
    g->cores++;
    if (package)
        package->cores++;
}

/* ---- NUMA nodes ---- */

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

void cpu_topology_add(struct cpu_survey *s)
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
