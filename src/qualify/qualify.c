/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A qualification from its beginning to its end: which disks, one after the other, and the verdict.
 */
#include "qualify/qualify.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "base/version.h"
#include "hw/prober.h"
#include "qualify/disks.h"
#include "qualify/judge_state.h"
#include "qualify/measure.h"
#include "qualify/note.h"

struct qualifier {
    struct qualification q;
    struct inventory hardware;
    struct result result;
    struct qualification_device devices[QUALIFICATION_DEVICES];
    struct qualification_check checks[QUALIFICATION_CHECKS];
    char paths[QUALIFICATION_DEVICES][256]; /* what is opened */
    bool writes[QUALIFICATION_DEVICES];     /* it may be destroyed */
};

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int look(const struct qualify_request *request, struct inventory *v, struct err *e)
{
    struct probe probe = {.root = request->root, .inventory = v, .commands = true, .serials = true};
    return probe_all(&probe, e);
}

/* ---- the machine ---- */

static const char *value_of_kind(const struct inventory *v, enum node_kind kind, const char *key)
{
    for (int node = 0; node < v->node_count; node++)
        if (v->nodes[node].kind == kind)
            return inventory_value(v, node, key);
    return NULL;
}

static void append(char *to, size_t size, const char *words)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s%s", used ? ", " : "", words);
}

/* "Dell Inc. PowerEdge R7625, 2 x AMD EPYC 9354 32-Core Processor, 756 GiB" */
static void describe_machine(struct qualification *q)
{
    const struct inventory *v = q->hardware;
    const char *product = value_of_kind(v, NODE_MACHINE, "product");
    const char *hypervisor = value_of_kind(v, NODE_MACHINE, "hypervisor");
    const char *model = value_of_kind(v, NODE_CPU, "model");
    const char *sockets = value_of_kind(v, NODE_CPU, "sockets");
    const char *memory = value_of_kind(v, NODE_MEMORY, "size");
    bool virtual = hypervisor && strcmp(hypervisor, "none") != 0;
    char words[120], bytes[UNITS_BUFFER], *to = q->machine;
    size_t size = sizeof q->machine;
    snprintf(q->product, sizeof q->product, "%s",
             product   ? product
             : virtual ? "virtual machine"
                       : "machine without a name");
    snprintf(to, size, "%s", q->product);
    if (model) {
        bool one = !sockets || !strcmp(sockets, "1");
        snprintf(words, sizeof words, "%.8s%s%.100s", one ? "" : sockets, one ? "" : " x ", model);
        append(to, size, words);
    }
    if (memory)
        append(to, size, format_size(bytes, sizeof bytes, strtod(memory, NULL)));
}

static void begin(struct qualifier *qualifier, const struct qualify_request *request)
{
    struct qualification *q = &qualifier->q;
    time_t now = time(NULL);
    struct tm utc;
    *q = (struct qualification){.devices = qualifier->devices,
                                .checks = qualifier->checks,
                                .hardware = &qualifier->hardware};
    if (gmtime_r(&now, &utc))
        strftime(q->date, sizeof q->date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    snprintf(q->preset, sizeof q->preset, "%s", request->preset);
    snprintf(q->version, sizeof q->version, "%s", cupel_version);
}

/* ---- the disks ---- */

static bool is_skipped(const struct qualify_request *request, const char *name)
{
    for (const char *const *skip = request->skip; skip && *skip; skip++)
        if (!strcmp(*skip, name))
            return true;
    return false;
}

static int add_disk(struct qualifier *qualifier, int node, const char *path, struct err *e)
{
    struct qualification *q = &qualifier->q;
    const char *name = qualifier->hardware.nodes[node].name;
    for (size_t i = 0; i < q->device_count; i++)
        if (!strcmp(q->devices[i].name, name))
            return 0; /* it was named twice */
    if (q->device_count == QUALIFICATION_DEVICES)
        return err_set(e, ERR_MACHINE, "there are more than %d disks; name those to look at",
                       QUALIFICATION_DEVICES);
    char *to = qualifier->paths[q->device_count];
    snprintf(to, sizeof *qualifier->paths, "%s%.200s", path ? "" : "/dev/", path ? path : name);
    for (char *c = to; !path && *c; c++) /* the kernel's way to write a '/' in a name */
        *c = *c == '!' ? '/' : *c;
    disk_describe(&qualifier->hardware, node, &q->devices[q->device_count++]);
    return 0;
}

static int add_named(struct qualifier *qualifier, const struct qualify_request *request,
                     struct err *e)
{
    for (size_t i = 0; i < request->name_count; i++) {
        const char *name = request->names[i];
        int node = INVENTORY_NONE;
        struct err missing = {0};
        if (!disk_find(&qualifier->hardware, request->root, name, &node, &missing)) {
            if (add_disk(qualifier, node, strchr(name, '/') ? name : NULL, e))
                return -1;
        } else if (!request->missing_fails) {
            return err_set(e, missing.code, "%s", missing.msg);
        } else {
            note_check(&qualifier->q, -1, GRADE_FAIL, "disk", "", "%s", missing.msg);
        }
    }
    return 0;
}

static int add_all(struct qualifier *qualifier, const struct qualify_request *request,
                   struct err *e)
{
    const struct inventory *v = &qualifier->hardware;
    for (int node = 0; node < v->node_count; node++)
        if (disk_is_own(v, node) && !is_skipped(request, v->nodes[node].name) &&
            add_disk(qualifier, node, NULL, e))
            return -1;
    return 0;
}

/* Is any disk of this machine left out by choice? Then how many there are cannot be judged. */
static bool leaves_out(const struct qualifier *qualifier, const struct qualify_request *request)
{
    const struct inventory *v = &qualifier->hardware;
    for (int node = 0; node < v->node_count; node++) {
        bool there = !disk_is_own(v, node) || is_skipped(request, v->nodes[node].name);
        for (size_t i = 0; i < qualifier->q.device_count && !there; i++)
            there = !strcmp(qualifier->q.devices[i].name, v->nodes[node].name);
        if (!there)
            return true;
    }
    return false;
}

/* A serial number is what somebody typed to say that a disk may be destroyed: it must mean one. */
static int mark_writes(struct qualifier *qualifier, const struct qualify_request *request,
                       struct err *e)
{
    const struct qualification *q = &qualifier->q;
    for (const char *const *s = request->destroy_serials; s && *s; s++) {
        const char *first = NULL;
        for (size_t i = 0; i < q->device_count; i++) {
            if (!**s || strcmp(q->devices[i].serial, *s) != 0)
                continue;
            if (first)
                return err_set(e, ERR_UNSAFE,
                               "%.60s is the serial number of %.60s and of %.60s: name the disk "
                               "that may be destroyed",
                               *s, first, q->devices[i].name);
            first = q->devices[i].name;
            qualifier->writes[i] = true;
        }
        if (!first)
            return err_set(e, ERR_USAGE,
                           "none of the disks to be measured has the serial number \"%.60s\"", *s);
    }
    return 0;
}

/* Without permission there is nothing to measure at all; any other trouble is a disk's own. */
static int check_permission(const struct qualifier *qualifier, struct err *e)
{
    for (size_t i = 0; i < qualifier->q.device_count; i++) {
        int fd = open(qualifier->paths[i], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
        else if (errno == EACCES || errno == EPERM)
            return err_set(e, ERR_MACHINE, "%s: permission denied; try as root",
                           qualifier->paths[i]);
    }
    return 0;
}

static int choose(struct qualifier *qualifier, const struct qualify_request *request, struct err *e)
{
    if (request->name_count ? add_named(qualifier, request, e) : add_all(qualifier, request, e))
        return -1;
    if (mark_writes(qualifier, request, e) || check_permission(qualifier, e))
        return -1;
    qualifier->q.chosen = leaves_out(qualifier, request);
    if (!qualifier->q.device_count)
        note_check(&qualifier->q, -1, GRADE_WARN, "disks", "none", "there is no disk to measure");
    return 0;
}

/* ---- all of it ---- */

static int measure(struct qualifier *qualifier, const struct qualify_request *request,
                   struct err *e)
{
    struct measuring m = {.request = request, .q = &qualifier->q, .result = &qualifier->result};
    for (size_t i = 0; i < qualifier->q.device_count; i++)
        m.count += measure_count(qualifier->writes[i]);
    for (size_t i = 0; i < qualifier->q.device_count; i++)
        if (measure_disk(&m, (int)i, qualifier->paths[i], qualifier->writes[i], e))
            return -1;
    return 0;
}

static void say_interrupted(struct qualification *q)
{
    size_t measured = 0, count = 0;
    char found[60];
    for (size_t i = 0; i < q->device_count; i++)
        for (size_t t = 0; t < q->devices[i].test_count; t++) {
            measured += q->devices[i].tests[t].measured;
            count++;
        }
    snprintf(found, sizeof found, "%zu of %zu measurements", measured, count);
    note_check(q, -1, GRADE_WARN, "interrupted", found, "the others were not made");
}

/* The same look at the machine again. */
static int look_again(struct qualifier *qualifier, const struct qualify_request *request,
                      struct err *e)
{
    struct inventory after = {0};
    int status = look(request, &after, e);
    if (!status)
        judge_changes(&qualifier->q, &after);
    inventory_free(&after);
    return status;
}

static int do_all(struct qualifier *qualifier, const struct qualify_request *request, struct err *e)
{
    struct qualification *q = &qualifier->q;
    double began = now_seconds();
    begin(qualifier, request);
    if (look(request, &qualifier->hardware, e))
        return -1;
    describe_machine(q);
    qualify_board_serial(request->root, q->board_serial, sizeof q->board_serial);
    if (choose(qualifier, request, e))
        return -1;
    judge_state(q);
    if (measure(qualifier, request, e) || look_again(qualifier, request, e))
        return -1;
    judge_temperatures(q);
    if (q->interrupted)
        say_interrupted(q);
    if (request->expectation)
        expectation_judge(request->expectation, q);
    q->seconds = now_seconds() - began;
    return 0;
}

int qualify(struct qualifier **qualifier, const struct qualify_request *request, struct err *e)
{
    struct plan plan;
    plan_init(&plan);
    *qualifier = NULL;
    if (plan_apply_preset(&plan, request->preset, e))
        return -1;
    struct qualifier *new = calloc(1, sizeof *new);
    if (!new)
        return err_set(e, ERR_MACHINE, "there is no memory left for a qualification");
    if (do_all(new, request, e)) {
        qualifier_free(new);
        return -1;
    }
    *qualifier = new;
    return 0;
}

const struct qualification *qualifier_result(const struct qualifier *qualifier)
{
    return &qualifier->q;
}

void qualifier_free(struct qualifier *qualifier)
{
    if (!qualifier)
        return;
    inventory_free(&qualifier->hardware);
    free(qualifier);
}
