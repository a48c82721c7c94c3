/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a whole qualification: chooses the disks, measures them one after the other, and judges. */
#include "machine/qualify/qualify.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/machine/permission.h"
#include "base/units.h"
#include "base/version.h"
#include "facts/machine_unseen.h"
#include "hw/prober.h"
#include "machine/qualify/disk_selection.h"
#include "machine/qualify/internal.h"
#include "machine/qualify/measure_disk.h"

struct qualifier {
    struct qualification q;
    struct inventory hardware;
    struct result result;
    struct sharing *sharing; /* NULL if disks are measured one after the other */
    struct qualification_device devices[QUALIFICATION_DEVICES];
    struct qualification_check checks[QUALIFICATION_CHECKS];
    struct disk_identity disks[QUALIFICATION_DEVICES];
    bool writes[QUALIFICATION_DEVICES]; /* the device may be destroyed */
    double began;
    struct err keep_error; /* the first failure to keep a measurement; .code 0: none */
};

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

/* Writes "Dell Inc. PowerEdge R7625, 2 x AMD EPYC 9354 32-Core Processor, 756 GiB". */
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

/* ---- the disks ---- */

static bool is_skipped(const struct qualify_request *request, const char *name)
{
    for (const char *const *skip = request->skip; skip && *skip; skip++)
        if (!strcmp(*skip, name))
            return true;
    return false;
}

/* Returns the device that is already this disk, under the same name or over another path; or -1. */
static int same_device(const struct qualifier *qualifier, const struct sysroot *root, int node)
{
    const struct inventory *v = &qualifier->hardware;
    for (size_t i = 0; i < qualifier->q.device_count; i++) {
        int other = inventory_find(v, qualifier->q.devices[i].name);
        if (other != INVENTORY_NONE && disk_is_same(v, root, node, other))
            return (int)i;
    }
    return -1;
}

static void add_disk(struct qualifier *qualifier, const struct sysroot *root, int node,
                     const char *path)
{
    struct qualification *q = &qualifier->q;
    char to[256];
    const char *name = qualifier->hardware.nodes[node].name;
    int same = same_device(qualifier, root, node);
    if (same >= 0) {
        /* A disk that two cables lead to is measured once and counts once. */
        bool noted = !strcmp(q->devices[same].name, name);
        for (size_t i = 0; i < q->check_count; i++)
            noted |= q->checks[i].device == same && !strcmp(q->checks[i].found, name);
        if (!noted)
            note_check(q, same, GRADE_NONE, "other path", name,
                       "the same disk once more, by its world wide name: measured once");
        return;
    }
    if (q->device_count == QUALIFICATION_DEVICES) {
        note_check(q, -1, GRADE_FAIL, "disk", name,
                   "not measured: there are more than %d disks; the others are measured when they "
                   "are named",
                   QUALIFICATION_DEVICES);
        return;
    }
    snprintf(to, sizeof to, "%s%.200s", path ? "" : "/dev/", path ? path : name);
    for (char *c = to; !path && *c; c++) /* the kernel writes '!' for a '/' in a name */
        *c = *c == '!' ? '/' : *c;
    disk_identity_take(&qualifier->disks[q->device_count], root, to);
    disk_describe(&qualifier->hardware, node, &q->devices[q->device_count++]);
}

/* Marks the disks that may be written. A serial number that the user typed permits that one disk is
   destroyed, so no other disk of the machine may have this serial number. A disk with two paths is
   refused, too, because it cannot be seen whether it is in use over the other path. */
static int mark_writes(struct qualifier *qualifier, const struct qualify_request *request,
                       struct err *e)
{
    const struct qualification *q = &qualifier->q;
    for (const char *const *s = request->destroy_serials; s && *s; s++) {
        const char *first = NULL, *other = NULL;
        for (size_t i = 0; i < q->device_count; i++) {
            if (!**s || strcmp(q->devices[i].serial, *s) != 0)
                continue;
            other =
                first ? first : disk_other_of_serial(&qualifier->hardware, *s, q->devices[i].name);
            first = q->devices[i].name;
            qualifier->writes[i] = true;
            if (other)
                return err_set(e, ERR_UNSAFE,
                               "%.60s is the serial number of %.60s and of %.60s: it does not say "
                               "which of them may be destroyed",
                               *s, first, other);
        }
        if (!first)
            return err_set(e, ERR_USAGE,
                           "none of the disks to be measured has the serial number \"%.60s\"", *s);
    }
    return 0;
}

/* Refuses a disk without permission if it was named, or if there is nothing else to measure.
   Otherwise its tests are undecided, like those of any disk with trouble. */
static int refuse_forbidden(const struct qualifier *qualifier,
                            const struct qualify_request *request, struct err *e)
{
    const size_t count = qualifier->q.device_count;
    const bool others = request->memory || request->processors || request->burn_seconds > 0;
    char remedy[PERMISSION_BYTES];
    const char *forbidden = NULL;
    size_t permitted = 0;
    for (size_t i = 0; i < count; i++) {
        const char *path = qualifier->disks[i].path;
        int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        permitted += fd >= 0;
        if (fd >= 0)
            close(fd);
        else if (!forbidden && (errno == EACCES || errno == EPERM))
            forbidden = path;
    }
    if (!forbidden || (!request->name_count && (permitted || others)))
        return 0;
    return err_set(e, ERR_MACHINE, "%s: permission denied; %s", forbidden,
                   permission_remedy(forbidden, remedy));
}

static int choose(struct qualifier *qualifier, const struct qualify_request *request, struct err *e)
{
    const struct inventory *v = &qualifier->hardware;
    char words[UNSEEN_BYTES];
    if (!request->name_count) {
        for (int node = 0; node < v->node_count; node++)
            if (disk_is_own(v, node) && !is_skipped(request, v->nodes[node].name))
                add_disk(qualifier, request->root, node, NULL);
    }
    for (size_t i = 0; i < request->name_count; i++) {
        const char *name = request->names[i];
        int node = INVENTORY_NONE;
        struct err missing = {0};
        if (!disk_find(v, request->root, name, &node, &missing))
            add_disk(qualifier, request->root, node, strchr(name, '/') ? name : NULL);
        else if (!request->missing_fails)
            return err_set(e, missing.code, "%s", missing.msg);
        else
            note_check(&qualifier->q, -1, GRADE_FAIL, "disk", "", "%s", missing.msg);
    }
    if (mark_writes(qualifier, request, e))
        return -1;
    if (refuse_forbidden(qualifier, request, e))
        return -1;
    /* If the user left out a disk of this machine, the number of disks cannot be judged. */
    for (int node = 0; node < v->node_count; node++)
        if (disk_is_own(v, node) && !is_skipped(request, v->nodes[node].name) &&
            same_device(qualifier, request->root, node) < 0)
            qualifier->q.chosen = true;
    if (!qualifier->q.device_count && unseen(v, UNSEEN_DEVICES))
        note_check(&qualifier->q, -1, GRADE_UNDECIDED, "disks", "not known",
                   "no disk can be found: %s", unseen_words(v, UNSEEN_DEVICES, words));
    else if (!qualifier->q.device_count)
        note_check(&qualifier->q, -1, GRADE_FAIL, "disks", "none", "there is no disk to measure");
    return 0;
}

/* ---- the whole qualification ---- */

static void pass_so_far(struct qualifier *qualifier, const struct qualify_request *request)
{
    qualifier->q.seconds = seconds_of_clock(CLOCK_MONOTONIC) - qualifier->began;
    if (request->so_far)
        request->so_far(request->context, &qualifier->q);
}

/* Finds sections that contradict each other for a disk of this machine, before anything is
   measured, and counts the clauses that share the chance of a wrong verdict. */
static int count_clauses(struct qualifier *qualifier, const struct qualify_request *request,
                         struct err *e)
{
    struct qualification *q = &qualifier->q;
    struct plan plan; /* provides the confidence, which no preset changes */
    char text[sizeof plan.ending.sla];
    plan_init(&plan);
    q->clause_confidence = plan.statistics.confidence;
    for (size_t i = 0; request->expectation && i < q->device_count; i++)
        for (const char *const *test = expectation_tests; *test; test++) {
            if (expectation_clauses(request->expectation, &q->devices[i], *test, text, sizeof text,
                                    e))
                return -1;
            if (qualifier->writes[i] || !strstr(*test, "write"))
                q->clauses += measure_clauses(text);
        }
    return 0;
}

static int measure(struct qualifier *qualifier, const struct qualify_request *request,
                   struct err *e)
{
    struct measuring m = {.request = request, .q = &qualifier->q, .result = &qualifier->result};
    measure_plan(&m, qualifier->writes, qualifier->q.device_count);
    pass_so_far(qualifier, request);
    for (size_t i = 0; i < qualifier->q.device_count; i++) {
        if (measure_disk(&m, (int)i, &qualifier->disks[i], qualifier->writes[i], e))
            return -1;
        pass_so_far(qualifier, request);
    }
    /* A measurement counts even if it could not be kept. */
    if (m.unkept) {
        char found[60];
        snprintf(found, sizeof found, "%zu of %zu measurements not kept", m.unkept, m.count);
        note_check(&qualifier->q, -1, GRADE_WARN, "report", found, "%s", m.keep_error.msg);
        qualifier->keep_error = m.keep_error;
        qualifier->keep_error.code = ERR_TARGET;
    }
    return 0;
}

static void note_interrupted(struct qualification *q)
{
    size_t ended = 0, broken_off = 0, count = 0;
    char found[60];
    for (size_t i = 0; i < q->device_count; i++)
        for (size_t t = 0; t < q->devices[i].test_count; t++) {
            const struct qualification_test *test = &q->devices[i].tests[t];
            bool off = test->workload[0] && test->verdict == VERDICT_INTERRUPTED;
            broken_off += off;
            ended += test->measured && !off;
            count++;
        }
    snprintf(found, sizeof found, "%zu of %zu measurements ended", ended, count);
    note_check(q, -1, GRADE_UNDECIDED, "interrupted", found, "%zu broken off, %zu not made",
               broken_off, count - ended - broken_off);
}

static int do_all(struct qualifier *qualifier, const struct qualify_request *request, struct err *e)
{
    struct qualification *q = &qualifier->q;
    qualifier->began = seconds_of_clock(CLOCK_MONOTONIC);
    time_t now = time(NULL);
    struct tm utc;
    *q = (struct qualification){.devices = qualifier->devices,
                                .checks = qualifier->checks,
                                .memory = {.bandwidth = {NAN, NAN, NAN, NAN},
                                           .latency = {NAN, NAN, NAN, NAN},
                                           .limit = NAN},
                                .processors = {.clock = {NAN, NAN, NAN, NAN},
                                               .slowest = {NAN, NAN, NAN, NAN},
                                               .rate = {NAN, NAN, NAN, NAN},
                                               .base = NAN,
                                               .turbo = NAN},
                                .hardware = &qualifier->hardware,
                                .sharing = qualifier->sharing};
    if (gmtime_r(&now, &utc))
        strftime(q->date, sizeof q->date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    q->labels = request->labels;
    snprintf(q->preset, sizeof q->preset, "%s", request->preset);
    snprintf(q->version, sizeof q->version, "%s", cupel_version);
    if (look(request, &qualifier->hardware, e))
        return -1;
    describe_machine(q);
    qualify_board_serial(request->root, q->board_serial, sizeof q->board_serial);
    if (choose(qualifier, request, e) || count_clauses(qualifier, request, e))
        return -1;
    judge_state(q);
    if (request->burn_seconds > 0)
        measure_burn(q, request);
    if ((request->processors && measure_processors(q, request, e)) ||
        (request->memory && measure_memory(q, request, e)))
        return -1;
    if (request->together ? measure_shared(q, &qualifier->hardware, qualifier->sharing,
                                           qualifier->disks, request, e)
                          : measure(qualifier, request, e))
        return -1;
    struct inventory after = {0};
    int status = look(request, &after, e);
    if (!status)
        judge_changes(q, &after);
    inventory_free(&after);
    if (status)
        return -1;
    judge_temperatures(q);
    if (judge_peers(q, e))
        return -1;
    if (q->interrupted && !request->together)
        note_interrupted(q);
    if (request->expectation)
        expectation_judge(request->expectation, q);
    q->seconds = seconds_of_clock(CLOCK_MONOTONIC) - qualifier->began;
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
    if (new && request->together && !(new->sharing = calloc(1, sizeof *new->sharing))) {
        free(new);
        new = NULL;
    }
    if (!new)
        return err_no_memory(e, "a qualification");
    if (do_all(new, request, e)) {
        qualifier_free(new);
        return -1;
    }
    *qualifier = new;
    return 0;
}

int qualifier_kept(const struct qualifier *qualifier, struct err *e)
{
    const struct err *why = &qualifier->keep_error;
    return why->code ? err_set(e, why->code, "%s", why->msg) : 0;
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
    free(qualifier->sharing);
    free(qualifier);
}
