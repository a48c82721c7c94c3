/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data paths as text: paths that branch and join, unknown parts, and watched parts where there is
   no path. */
#include "report/path/internal.h"
#include "report/run/sections.h"
#include "tests/unit/check.h"
#include "tests/unit/page.h"
#include "tests/unit/path_fixture.h"
#include "tests/unit/report_fixture.h"

static const struct report_style ascii = {.full = true, .width = 80};

#define OK(key, value, unit)                                                                       \
    {                                                                                              \
        key, value, unit, FACT_OK                                                                  \
    }

static struct path_view path_view_of_fixture(void)
{
    return (struct path_view){.target = "target",
                              .parts = path_fixture.parts,
                              .part_count = path_fixture.part_count,
                              .edges = path_fixture.edges,
                              .edge_count = path_fixture.edge_count,
                              .limit_read = NAN,
                              .limit_write = NAN,
                              .limiting_read = -1,
                              .limiting_write = -1};
}

static void check_path_holds(const struct path_view *path, const char *words)
{
    struct text page = {0};
    PRINT_DOCUMENT(&ascii, &page, path_print(path, &d));
    page_check(&page);
    if (!check_that(strstr(page.data, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "%s", page.data);
    text_free(&page);
}

/* A disk that two controllers on different sockets reach; then with impossible edges. */
static void check_paths(void)
{
    path_fixture = (struct result){0};
    unsigned disk = path_fixture_part("nvme0n1", NODE_DISK, NAN, NAN);
    for (int i = 0; i < 2; i++) {
        unsigned card =
            path_fixture_part(i ? "0000:b1:00.0" : "0000:01:00.0", NODE_PCI_DEVICE, 1e9, 1e9);
        unsigned node = path_fixture_part(i ? "node1" : "node0", NODE_NUMA, NAN, NAN);
        path_fixture_edge(disk, card);
        path_fixture_edge(card, node);
    }
    struct path_view path = path_view_of_fixture();
    check_path_holds(&path, "  |- 0000:01:00.0  PCI device");
    check_path_holds(&path, "  |  node0  NUMA node");
    check_path_holds(&path, "  `- 0000:b1:00.0  PCI device");
    check_path_holds(&path, "No limit of any part is known. Something between");
    struct inventory v = {0};
    fixture_node(&v, NODE_PCI_DEVICE, "0000:01:00.0", INVENTORY_NONE,
                 FIXTURE_FACTS(OK("device_name", "Samsung PM1733", ""), OK("slot", "21", ""),
                               OK("negotiated", "16.0 GT/s x2", ""),
                               OK("capable", "16.0 GT/s x4", ""), OK("degraded", "yes", "")));
    path.inventory = &v;
    check_path_holds(&path, "\n  |    Samsung PM1733, slot 21, 16.0 GT/s x2, DEGRADED, can "
                            "16.0 GT/s x4\n");
    inventory_free(&v);
    path.inventory = NULL;
    CHECK_INT(path_above(&path, 1), 0);
    CHECK_INT(path_above(&path, 0), -1);

    path_fixture_edge(4, 0);    /* a circle */
    path_fixture_edge(9999, 0); /* from nowhere */
    path.edge_count = path_fixture.edge_count;
    check_path_holds(&path, "-> nvme0n1, above");
}

/* A file on the disk of a virtual machine, whose PCI function is emulated. */
static void check_unknown_limit(void)
{
    path_fixture = (struct result){0};
    unsigned file = path_fixture_part("/", NODE_FILESYSTEM, NAN, NAN);
    unsigned disk = path_fixture_part("vda", NODE_DISK, NAN, NAN);
    unsigned card = path_fixture_part("0000:00:04.0", NODE_PCI_DEVICE, NAN, NAN);
    path_fixture_edge(file, disk);
    path_fixture_edge(disk, card);
    struct inventory v = {0};
    fixture_node(&v, NODE_DISK, "vda", INVENTORY_NONE, FIXTURE_FACTS(OK("bus", "virtio", "")));
    struct path_view path = path_view_of_fixture();
    check_path_holds(&path, "  The limit of vda, a disk, is not known, nor that of the path.\n");
    path.inventory = &v;
    check_path_holds(&path, "  The limit of vda, a virtio disk, is not known, nor that of the");
    path.limit_read = path.limit_write = 1e9;
    check_path_holds(&path, " of writes. The\n  limit of vda, a virtio disk, is not known.\n");
    path.complete = true;
    check_path_holds(&path, "1 GB/s of writes.\n");
    path.limit_read = path.limit_write = NAN;
    check_path_holds(&path, "  No limit of any part is known.\n");
    inventory_free(&v);
}

/* Which part has no known limit: the second one of an array's members. */
static void check_unlimited(void)
{
    static struct path_graph graph;
    path_fixture = (struct result){0};
    unsigned md = path_fixture_part("md0", NODE_RAID, NAN, NAN);
    for (int i = 0; i < 2; i++) {
        unsigned disk = path_fixture_part(i ? "sdb" : "sda", NODE_DISK, NAN, NAN);
        unsigned port = path_fixture_part(i ? "ata2" : "ata1", NODE_ATA_PORT, i ? NAN : 5e8, 5e8);
        path_fixture_edge(md, disk);
        path_fixture_edge(disk, port);
    }
    struct path_view path = path_view_of_fixture();
    path_graph_make(&graph, &path);
    CHECK_INT(path_graph_unlimited(&graph), 3);
    path_fixture.parts[4].limit_read = 5e8;
    CHECK_INT(path_graph_unlimited(&graph), -1);
    path_fixture_edge(4, 3); /* a circle gives no limit */
    path_fixture.parts[4].limit_read = NAN;
    path.edge_count = path_fixture.edge_count;
    CHECK_INT(path_graph_unlimited(&graph), 3);
}

/* A run on a target without a path: the busy core is not part of one. */
static void check_beside_alone(void)
{
    struct text page = {0};
    path_fixture = (struct result){0};
    struct result_part *core =
        &path_fixture.parts[path_fixture_part("cpu1", NODE_CPU_CORE, NAN, NAN)];
    core->on_path = false;
    core->under_test = true;
    core->utilisation = 0.97;
    core->peak = 0.99;
    core->used_read = core->used_write = NAN;
    snprintf(core->measure, sizeof core->measure, "processor time");
    PRINT_DOCUMENT(&ascii, &page, section_path(&path_fixture, &d));
    page_check(&page);
    CHECK_STR(page.data, "\nWatched beside the target, how much was in use\n"
                         "  cpu1                     97 % of its processor time, at most 99 %\n");
    text_free(&page);

    core->utilisation = NAN; /* without a value there is no heading */
    PRINT_DOCUMENT(&ascii, &page, section_path(&path_fixture, &d));
    CHECK_INT(page.length, 0);
    text_free(&page);
}

/* A kind too long for its column is on a line of its own, in full. */
static void check_long_kinds(void)
{
    path_fixture = (struct result){0};
    unsigned disk = path_fixture_part("zram1", NODE_MEMORY_DISK, 1e9, 1e9);
    path_fixture.parts[disk].under_test = true;
    struct path_view path = path_view_of_fixture();
    path.measured = true;
    check_path_holds(&path, "  zram1         ");
    check_path_holds(&path, "\n    disk in memory under test\n");
    snprintf(path_fixture.parts[disk].name, sizeof path_fixture.parts[disk].name,
             "/a/name/that/is/much/longer/than/there/is/room/for");
    check_path_holds(&path, "  /a/name/.../there/is/room/for ");
    check_path_holds(&path, "\n    disk in memory under test\n");
    snprintf(path_fixture.parts[disk].name, sizeof path_fixture.parts[disk].name, "sda");
    path_fixture.parts[disk].kind = NODE_DISK;
    check_path_holds(&path, "  sda  disk under test  ");
}

int main(void)
{
    check_paths();
    check_unknown_limit();
    check_unlimited();
    check_beside_alone();
    check_long_kinds();
    return check_result();
}
