/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Made-up machines for the tests of qualifications: NVMe drives with links, health and sensors in
 * an inventory built by hand, and measurements as a session would leave them.
 */
#ifndef TESTS_UNIT_QUALIFICATION_FIXTURE_H
#define TESTS_UNIT_QUALIFICATION_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "facts/qualification.h"
#include "machine/qualify/disk_selection.h"
#include "machine/qualify/expectation.h"
#include "machine/qualify/internal.h"

struct qualified {
    struct qualification q;
    struct inventory hardware;
    struct qualification_device devices[QUALIFICATION_DEVICES];
    struct qualification_check checks[QUALIFICATION_CHECKS];
};

static inline void fact_add(struct inventory *v, int node, const char *key, const char *value)
{
    inventory_add(v, node, key, value, "", "fixture", FACT_OK);
}

static inline void qualified_begin(struct qualified *f)
{
    *f = (struct qualified){0};
    struct inventory *v = &f->hardware;
    f->q = (struct qualification){
        .devices = f->devices, .checks = f->checks, .hardware = v, .seconds = 1443.2};
    int machine = inventory_add_node(v, NODE_MACHINE, "machine", NULL, INVENTORY_NONE);
    fact_add(v, machine, "product", "Dell Inc. PowerEdge R7625");
    fact_add(v, machine, "serial", "SN0000001");
    int board = inventory_add_node(v, NODE_BOARD, "board", NULL, machine);
    fact_add(v, board, "bios_version", "1.6.10");
    int cpu = inventory_add_node(v, NODE_CPU, "cpu", NULL, machine);
    fact_add(v, cpu, "model", "AMD EPYC 9354 32-Core Processor");
    fact_add(v, cpu, "sockets", "2");
    fact_add(v, cpu, "cores", "64");
    fact_add(v, cpu, "online", "128");
    int memory = inventory_add_node(v, NODE_MEMORY, "memory", NULL, machine);
    inventory_add(v, memory, "size", "811247964160", "bytes", "fixture", FACT_OK);
    snprintf(f->q.product, sizeof f->q.product, "Dell Inc. PowerEdge R7625");
    snprintf(f->q.machine, sizeof f->q.machine,
             "Dell Inc. PowerEdge R7625, 2 x AMD EPYC 9354 32-Core Processor, 756 GiB");
    snprintf(f->q.board_serial, sizeof f->q.board_serial, "SN0000001");
    snprintf(f->q.date, sizeof f->q.date, "2026-11-20 17:02:11 UTC");
    snprintf(f->q.preset, sizeof f->q.preset, "normal");
    snprintf(f->q.version, sizeof f->q.version, "0.1.0");
}

static inline void qualified_end(struct qualified *f)
{
    inventory_free(&f->hardware);
}

/* Adds the parts of an NVMe drive to the inventory and returns the disk's node. `link` is the
   negotiated link, of at most 16.0 GT/s x4. */
static inline int qualified_add_nvme(struct qualified *f, int number, const char *link)
{
    struct inventory *v = &f->hardware;
    char name[64], path[128];
    snprintf(name, sizeof name, "0000:%02x:00.0", 0x41 + number);
    snprintf(path, sizeof path, "/sys/devices/pci0000:40/%s", name);
    int pci = inventory_add_node(v, NODE_PCI_DEVICE, name, path, 0);
    bool degraded = strcmp(link, "16.0 GT/s x4") != 0;
    fact_add(v, pci, "capable", "16.0 GT/s x4");
    fact_add(v, pci, "negotiated", link);
    fact_add(v, pci, "degraded", degraded ? "yes" : "no");
    if (degraded)
        fact_add(v, pci, "degraded_reason", "it trained at a lower speed");
    snprintf(name, sizeof name, "%d", 20 + number);
    fact_add(v, pci, "slot", name);

    snprintf(name, sizeof name, "nvme%d", number);
    int nvme = inventory_add_node(v, NODE_NVME, name, NULL, pci);
    fact_add(v, nvme, "model", "SAMSUNG MZWLR7T6HBLA-00007");
    fact_add(v, nvme, "firmware", "EPK9CB5Q");
    fact_add(v, nvme, "state", "live");
    fact_add(v, nvme, "health", "good");
    fact_add(v, nvme, "percentage_used", "0");
    fact_add(v, nvme, "available_spare", "100");
    fact_add(v, nvme, "media_errors", "0");
    inventory_add(v, nvme, "temperature", "38", "C", "fixture", FACT_OK);
    inventory_add(v, nvme, "temperature_warning", "70", "C", "fixture", FACT_OK);

    snprintf(name, sizeof name, "nvme%dn1", number);
    int disk = inventory_add_node(v, NODE_DISK, name, NULL, nvme);
    fact_add(v, disk, "bus", "nvme");
    inventory_add(v, disk, "size", "7681501126656", "bytes", "fixture", FACT_OK);
    snprintf(name, sizeof name, "S6EXAMPLE%05d", number);
    fact_add(v, disk, "serial", name);
    return disk;
}

/* Adds the disk to the qualification's devices. */
static inline struct qualification_device *qualified_device(struct qualified *f, int disk)
{
    struct qualification_device *d = &f->devices[f->q.device_count++];
    disk_describe(&f->hardware, disk, d);
    d->limit_read = 7.5e9;
    return d;
}

static inline struct result_row qualified_row(enum metric_id metric, double value, double arm)
{
    struct result_row row = {.metric = metric,
                             .op = "read",
                             .value = value,
                             .low = value - arm,
                             .high = value + arm,
                             .confidence = 0.95,
                             .n = 1200,
                             .effective_n = 400,
                             .next_low = NAN,
                             .next_high = NAN};
    return row;
}

/* Adds a test with this rate of blocks. */
static inline struct qualification_test *qualified_test(struct qualification_device *d,
                                                        const char *name, double block, double iops,
                                                        double arm, double p99)
{
    struct qualification_test *t = &d->tests[d->test_count++];
    *t = (struct qualification_test){
        .measured = true,
        .verdict = VERDICT_PRECISE,
        .bandwidth = qualified_row(METRIC_BANDWIDTH, iops * block, arm * block),
        .iops = qualified_row(METRIC_IOPS, iops, arm),
        .response_time = qualified_row(METRIC_RESPONSE_TIME, p99 / 2, p99 / 100),
        .p50 = qualified_row(METRIC_LATENCY_P50, p99 / 3, p99 / 150),
        .p99 = qualified_row(METRIC_LATENCY_P99, p99, p99 / 50),
        .efficiency = iops * block / 7.5e9,
        .seconds = 31.4};
    snprintf(t->name, sizeof t->name, "%s", name);
    snprintf(t->workload, sizeof t->workload, "%s %s, 1 job", name,
             block > 5000 ? "1 MiB, iodepth 8" : "4 KiB, iodepth 32");
    snprintf(t->engine, sizeof t->engine, "nvme-uring");
    return t;
}

/* Adds the passed checks that a session adds for a test that went well. */
static inline void qualified_pass(struct qualified *f, int device, const char *what,
                                  const char *found)
{
    struct qualification_check *check = qualification_add(&f->q, device, GRADE_PASS, what);
    if (check)
        snprintf(check->found, sizeof check->found, "%s", found);
}

/* Adds a good drive: 6.93 GB/s, 1.05M IOPS, slightly warmer after the measurement. */
static inline struct qualification_device *qualified_good_drive(struct qualified *f, int number)
{
    struct qualification_device *d =
        qualified_device(f, qualified_add_nvme(f, number, "16.0 GT/s x4"));
    qualified_test(d, "read", 1 << 20, 6609 + number, 21, 1410000);
    qualified_test(d, "randread", 4096, 1048000 - 1000.0 * number, 9300, 97100);
    d->temperature_max = 58 + number % 3;
    return d;
}

/* Adds a node below the machine that may be a disk. */
static inline int qualified_add_disk(struct qualified *f, const char *name, enum node_kind kind,
                                     const char *size, const char *transport)
{
    int node = inventory_add_node(&f->hardware, kind, name, NULL, 0);
    fact_add(&f->hardware, node, "size", size);
    if (*transport)
        fact_add(&f->hardware, node, "transport", transport);
    return node;
}

/* Returns the first check of that name, or NULL. */
static inline const struct qualification_check *qualified_find(const struct qualification *q,
                                                               int device, const char *what)
{
    for (size_t i = 0; i < q->check_count; i++)
        if (q->checks[i].device == device && !strcmp(q->checks[i].what, what))
            return &q->checks[i];
    return NULL;
}

static inline void qualified_expect(const struct qualification *q, int device, const char *what,
                                    enum grade grade, const char *found, const char *note)
{
    const struct qualification_check *check = qualified_find(q, device, what);
    if (!check_that(check != NULL, __FILE__, __LINE__, what))
        return;
    CHECK_STR(grade_name(check->grade), grade_name(grade));
    if (!strstr(check->found, found))
        CHECK_STR(check->found, found);
    if (!strstr(check->note, note))
        CHECK_STR(check->note, note);
}

#endif
