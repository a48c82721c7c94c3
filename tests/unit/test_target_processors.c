/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processors for the workers of several targets, and the nodes of processors in a fixture tree. */
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/loop/numa_node.h"

#define TARGETS 4

static struct spread_processor machine[16];
static unsigned uses[16];
static int cpus[TARGETS][16];
static struct spread_target targets[TARGETS];

/* Makes processors 0.. on nodes in turn, per_node on each. */
static void two_nodes(int per_node)
{
    for (int i = 0; i < 2 * per_node; i++)
        machine[i] = (struct spread_processor){i, i / per_node};
}

static void spread(size_t processors, size_t count, const int nodes[], unsigned workers)
{
    for (size_t i = 0; i < count; i++)
        targets[i] = (struct spread_target){.node = nodes[i], .workers = workers, .cpus = cpus[i]};
    processor_spread(machine, uses, processors, targets, count);
}

static void test_near(void)
{
    two_nodes(4);
    spread(8, 2, (const int[]){1, 0}, 3);
    for (int w = 0; w < 3; w++) {
        CHECK(cpus[0][w] >= 4);
        CHECK(cpus[1][w] >= 1 && cpus[1][w] < 4); /* 0 is left to the collector's thread */
    }
    CHECK_INT(targets[0].distant + targets[1].distant, 0);
    CHECK(!targets[0].shares && !targets[1].shares);
}

/* No target moves to another node to leave the first processor to the collector. */
static void test_first_processor(void)
{
    two_nodes(2);
    spread(4, 1, (const int[]){0}, 2);
    CHECK_INT(cpus[0][0], 1);
    CHECK_INT(cpus[0][1], 0);
    CHECK_INT(targets[0].distant, 0);
    CHECK(!targets[0].shares);
    spread(4, 1, (const int[]){-1}, 3);
    CHECK_INT(cpus[0][0] + cpus[0][1] + cpus[0][2], 1 + 2 + 3);
}

static void test_distant(void)
{
    two_nodes(2);
    spread(4, 1, (const int[]){1}, 3);
    CHECK_INT(cpus[0][0], 2);
    CHECK_INT(cpus[0][1], 3);
    CHECK_INT(cpus[0][2], 1); /* unused, and therefore better than a nearer one in use */
    CHECK_INT(targets[0].distant, 1);
    CHECK(!targets[0].shares);
}

static void test_shared(void)
{
    two_nodes(1);
    spread(2, 3, (const int[]){0, 1, -1}, 1);
    CHECK_INT(cpus[0][0], 0); /* none is left over, so 0 is used as well */
    CHECK_INT(cpus[1][0], 1);
    CHECK(targets[2].shares);
    CHECK(targets[0].shares != targets[1].shares);
}

/* A target without a preferred node takes no processor from one with a preference. */
static void test_undemanding(void)
{
    two_nodes(2);
    spread(4, 3, (const int[]){-1, 1, 1}, 1);
    CHECK_INT(cpus[1][0] + cpus[2][0], 5);
    CHECK_INT(cpus[0][0], 1);
}

/* 24 targets on two processors: 12 on each. */
static void test_many(void)
{
    static struct spread_target many[24];
    static int one[24];
    unsigned on_first = 0;
    two_nodes(1);
    for (size_t i = 0; i < 24; i++)
        many[i] = (struct spread_target){.node = -1, .workers = 1, .cpus = &one[i]};
    processor_spread(machine, uses, 2, many, 24);
    for (size_t i = 0; i < 24; i++)
        on_first += one[i] == 0;
    CHECK_INT(on_first, 12);
}

static void put(const char *folder, int node, const char *list)
{
    char path[300];
    snprintf(path, sizeof path, "%s/sys/devices/system/node/node%d", folder, node);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/sys/devices/system/node/node%d/cpulist", folder, node);
    FILE *file = fopen(path, "w");
    if (check_that(file != NULL, __FILE__, __LINE__, path))
        fprintf(file, "%s\n", list), fclose(file);
}

static void take_away(const char *folder, int node)
{
    char path[300];
    snprintf(path, sizeof path, "%s/sys/devices/system/node/node%d/cpulist", folder, node);
    unlink(path);
    snprintf(path, sizeof path, "%s/sys/devices/system/node/node%d", folder, node);
    rmdir(path);
}

static void test_nodes(void)
{
    char folder[] = "/tmp/cupel-test-nodes-XXXXXX", path[300];
    static const char *const parts[] = {"/sys", "/sys/devices", "/sys/devices/system",
                                        "/sys/devices/system/node"};
    if (!check_that(mkdtemp(folder) != NULL, __FILE__, __LINE__, "begun"))
        return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        mkdir(path, 0700);
    }
    put(folder, 0, "0-1,8");
    put(folder, 3, "2-7");
    struct spread_processor list[] = {{0, -1}, {2, -1}, {8, -1}, {9, -1}};
    CHECK(!numa_is_divided(list, 4));
    numa_nodes_of(folder, list, 4);
    CHECK_INT(list[0].node, 0);
    CHECK_INT(list[1].node, 3);
    CHECK_INT(list[2].node, 0);
    CHECK_INT(list[3].node, -1);
    CHECK(numa_is_divided(list, 4));
    CHECK(numa_node_exists(folder, 0) && numa_node_exists(folder, 3));
    CHECK(!numa_node_exists(folder, 1) && !numa_node_exists(folder, 64));
    CHECK(!numa_list_nodes(folder, path, sizeof path));
    CHECK(numa_free_bytes(folder, 1) == UINT64_MAX); /* not known */
    snprintf(path, sizeof path, "%s/sys/devices/system/node/node0/meminfo", folder);
    FILE *f = fopen(path, "w");
    CHECK(f &&
          fputs("Node 0 MemTotal:   900 kB\nNode 0 MemFree:     10 kB\n"
                "Node 0 Inactive:    70 kB\nNode 0 Inactive(file):  5 kB\n",
                f) >= 0 &&
          !fclose(f));
    CHECK_INT(numa_free_bytes(folder, 1), 15 * 1024);
    unlink(path);
    take_away(folder, 0);
    take_away(folder, 3);
    for (size_t i = sizeof parts / sizeof *parts; i-- > 0;) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        CHECK_INT(rmdir(path), 0);
    }
    CHECK_INT(rmdir(folder), 0);
}

static void test_list(void)
{
    CHECK(numa_list_holds("0-3,8", 0) && numa_list_holds("0-3,8", 3) &&
          numa_list_holds("0-3,8", 8));
    CHECK(!numa_list_holds("0-3,8", 4) && !numa_list_holds("", 0) && !numa_list_holds("x", 0));
    CHECK(!numa_list_holds("1,", 0) && !numa_list_holds("3 4", 4));
}

int main(void)
{
    test_near();
    test_first_processor();
    test_distant();
    test_shared();
    test_undemanding();
    test_many();
    test_nodes();
    test_list();
    return check_result();
}
