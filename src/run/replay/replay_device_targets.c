/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributes the devices of a trace to targets. */
#include "run/replay/replay_devices.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

enum { NOWHERE = -1, LEFT_OUT = -2 };

#define LEAVE_OUT "-"

struct assignment {
    struct replay_parts *parts;
    const struct replay_devices *devices;
    int target_of[TRACE_DEVICES_MAX]; /* index of a target, NOWHERE or LEFT_OUT */
    bool any_named;                   /* --map gave a device a target */
};

/* ---- descriptions ---- */

/* Writes the requests and bytes of a device, or its discards if it has nothing else. */
static void add_amount(struct text *out, const struct replay_device *of)
{
    char size[UNITS_BUFFER];
    if (of->requests || !of->discards)
        text_addf(out, "%llu request%s, %s", (unsigned long long)of->requests,
                  of->requests == 1 ? "" : "s", format_size(size, sizeof size, (double)of->bytes));
    else
        text_addf(out, "%llu discard%s", (unsigned long long)of->discards,
                  of->discards == 1 ? "" : "s");
}

/* Lists devices up to `room` bytes: "hm.0 (12 requests, 48 KiB), hm.1 (...)". */
static void add_devices(struct text *out, const struct assignment *a, size_t room)
{
    const struct replay_devices *d = a->devices;
    for (size_t i = 0; i < d->count; i++) {
        const size_t before = out->length;
        text_addf(out, "%s%s (", i ? ", " : "", d->device[i].name);
        add_amount(out, &d->device[i]);
        text_add(out, ")");
        if (out->failed || out->length <= room)
            continue;
        out->length = before;
        text_addf(out, " and %zu more", d->count - i);
        return;
    }
}

/* ---- --map DEV=TARGET ---- */

/* Compares the text with a device's name in the trace. 8:16 also matches the Linux device 8,16. */
static bool is_device(const char *name, const char *text, size_t length)
{
    if (strlen(name) != length)
        return false;
    const bool is_number = name[strspn(name, "0123456789,")] == '\0';
    for (size_t i = 0; i < length; i++)
        if (name[i] != (is_number && text[i] == ':' ? ',' : text[i]))
            return false;
    return true;
}

/* Finds the longest device name that the text begins with. File names may contain '='. */
static int find_device(const struct replay_devices *devices, const char *text, size_t *length)
{
    int found = NOWHERE;
    *length = strcspn(text, "=");
    for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '='))
        for (size_t i = 0; i < devices->count; i++)
            if (is_device(devices->device[i].name, text, (size_t)(at - text))) {
                found = (int)i;
                *length = (size_t)(at - text);
            }
    return found;
}

static int find_target(struct replay_parts *p, const char *name, struct err *e)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->target[i], name))
            return (int)i;
    if (p->count == REPLAY_PARTS_MAX)
        return err_set(e, ERR_USAGE, "at most %d targets at the same time", REPLAY_PARTS_MAX);
    p->target[p->count] = name;
    return (int)p->count++;
}

static int unknown_device(const struct assignment *a, const char *text, size_t length,
                          struct err *e)
{
    struct text words = {0};
    add_devices(&words, a, 280);
    err_set(e, ERR_USAGE, "--map %.60s: the trace has no device %.*s to replay; it has %s", text,
            (int)(length < 60 ? length : 60), text, words.data ? words.data : "none");
    text_free(&words);
    return -1;
}

static int map_device(struct assignment *a, const char *text, struct err *e)
{
    size_t length;
    const int device = find_device(a->devices, text, &length);
    if (device < 0)
        return unknown_device(a, text, length, e);
    const char *target = text + length + 1;
    if (a->target_of[device] != NOWHERE)
        return err_set(e, ERR_USAGE,
                       "--map %.100s: this device of the trace has its target already", text);
    if (!*target)
        return err_set(e, ERR_USAGE,
                       "--map %.100s: the target's name is empty; %.80s=" LEAVE_OUT
                       " leaves the device out",
                       text, a->devices->device[device].name);
    if (!strcmp(target, LEAVE_OUT)) {
        a->target_of[device] = LEFT_OUT;
        return 0;
    }
    if (!a->devices->device[device].requests)
        return err_set(e, ERR_USAGE,
                       "--map %.100s: this device of the trace has discards alone, which a replay "
                       "leaves out: %.80s=" LEAVE_OUT,
                       text, a->devices->device[device].name);
    const int number = find_target(a->parts, target, e);
    a->target_of[device] = number;
    a->any_named = true;
    return number < 0 ? -1 : 0;
}

/* ---- devices that --map does not name ---- */

static size_t targets_without(const struct assignment *a, bool free[REPLAY_PARTS_MAX])
{
    size_t count = 0;
    for (size_t t = 0; t < a->parts->count; t++) {
        free[t] = true;
        for (size_t i = 0; i < a->devices->count; i++)
            free[t] = free[t] && a->target_of[i] != (int)t;
        count += free[t];
    }
    return count;
}

static int counts_differ(const struct assignment *a, size_t devices, size_t targets, struct err *e)
{
    size_t first = 0;
    struct text words = {0};
    while (first + 1 < a->devices->count && a->target_of[first] != NOWHERE)
        first++;
    const char *name = a->devices->device[first].name;
    add_devices(&words, a, 180);
    err_set(e, ERR_USAGE,
            "%zu device%s of the trace %s no target, and %zu target%s no device; the trace has %s; "
            "say --map '%.40s=TARGET', or --map '%.40s=" LEAVE_OUT "' to leave one out",
            devices, devices == 1 ? "" : "s", devices == 1 ? "has" : "have", targets,
            targets == 1 ? " has" : "s have", words.data ? words.data : "none", name, name);
    text_free(&words);
    return -1;
}

static int share_out_rest(struct assignment *a, struct err *e)
{
    bool free[REPLAY_PARTS_MAX];
    const size_t targets = targets_without(a, free);
    size_t devices = 0, next = 0;
    for (size_t i = 0; i < a->devices->count; i++) {
        if (!a->devices->device[i].requests)
            a->target_of[i] = LEFT_OUT;
        devices += a->target_of[i] == NOWHERE;
    }
    const bool has_all = a->parts->count == 1 && !a->any_named && devices > 0;
    if (devices != targets && !has_all)
        return counts_differ(a, devices, targets, e);
    for (size_t i = 0; i < a->devices->count; i++) {
        if (a->target_of[i] != NOWHERE)
            continue;
        while (!has_all && !free[next])
            next++;
        a->target_of[i] = (int)next;
        next += !has_all;
    }
    return a->parts->count
               ? 0
               : err_set(e, ERR_USAGE, "every device of the trace is left out: there is no target");
}

/* ---- all devices ---- */

/* Describes the devices left out: "2 devices, 12 requests, 48 KiB: hm.3, hm.4". The end may be cut
   off. */
static void describe_left_out(const struct assignment *a)
{
    struct text words = {0}, names = {0};
    struct replay_device all = {0};
    size_t count = 0;
    for (size_t i = 0; i < a->devices->count; i++) {
        const struct replay_device *d = &a->devices->device[i];
        if (a->target_of[i] != LEFT_OUT)
            continue;
        text_addf(&names, "%s%s", count++ ? ", " : "", d->name);
        all.requests += d->requests;
        all.bytes += d->bytes;
        all.discards += d->discards;
    }
    if (count) {
        text_addf(&words, "%zu device%s, ", count, count == 1 ? "" : "s");
        add_amount(&words, &all);
        if (all.requests && all.discards)
            text_addf(&words, ", %llu discard%s", (unsigned long long)all.discards,
                      all.discards == 1 ? "" : "s");
        snprintf(a->parts->left_out, sizeof a->parts->left_out, "%s: %s",
                 words.data ? words.data : "", names.data ? names.data : "");
    }
    text_free(&words);
    text_free(&names);
}

static int write_down(const struct assignment *a, struct err *e)
{
    struct replay_parts *p = a->parts;
    for (size_t i = 0; i < a->devices->count; i++) {
        const struct replay_device *d = &a->devices->device[i];
        if (a->target_of[i] == LEFT_OUT)
            continue;
        char *names = p->devices[a->target_of[i]];
        const size_t length = strlen(names), room = sizeof *p->devices - length;
        if ((size_t)snprintf(names + length, room, "%s%s", length ? "\t" : "", d->name) >= room)
            return err_set(e, ERR_USAGE,
                           "%.200s: the names of the devices that go to it are longer than %zu "
                           "characters: give some of them another target",
                           p->target[a->target_of[i]], sizeof *p->devices - 1);
        p->begin_ns = d->first_ns < p->begin_ns ? d->first_ns : p->begin_ns;
    }
    describe_left_out(a);
    return 0;
}

static int take_targets(struct replay_parts *p, const struct replay_wishes *wishes, struct err *e)
{
    for (size_t i = 0; i < wishes->target_count; i++) {
        const int number = find_target(p, wishes->targets[i], e);
        if (number < 0)
            return -1;
        if ((size_t)number < i)
            return err_set(e, ERR_USAGE,
                           "%.200s is given twice: name it once, and say with --map which devices "
                           "of the trace go to it",
                           wishes->targets[i]);
    }
    return 0;
}

int replay_parts_assign(struct replay_parts *p, const struct replay_devices *devices,
                        const struct replay_wishes *wishes, struct err *e)
{
    struct assignment a = {.parts = p, .devices = devices};
    memset(p, 0, sizeof *p);
    p->begin_ns = UINT64_MAX;
    for (size_t i = 0; i < devices->count; i++)
        a.target_of[i] = NOWHERE;
    if (take_targets(p, wishes, e))
        return -1;
    for (size_t i = 0; i < wishes->map_count; i++)
        if (map_device(&a, wishes->maps[i], e))
            return -1;
    return share_out_rest(&a, e) || write_down(&a, e) ? -1 : 0;
}

void replay_parts_describe(const struct replay_parts *p, const struct replay_devices *devices,
                           struct text *out)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < devices->count; k++) {
            const struct replay_device *d = &devices->device[k];
            if (!replay_part_has(p->devices[i], d->name))
                continue;
            text_addf(out, "%s goes to %s: ", d->name, p->target[i]);
            add_amount(out, d);
            text_add(out, "\n");
        }
    if (p->left_out[0])
        text_addf(out, "left out: %s\n", p->left_out);
}
