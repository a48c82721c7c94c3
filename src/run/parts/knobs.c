/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes settings of the machine that the user asked for, for the time of the run. */
#include "run/parts/knob_request.h"
#include "run/session/running.h"

#include <stdio.h>
#include <string.h>

static bool has_scheduler(const struct session *s, size_t part)
{
    return inventory_value(&s->contents.hardware, s->path.parts[part].node, "scheduler") != NULL;
}

/*
 * Lists the first devices with a scheduler on the path from the target: for a loop device, the
 * device itself and not the disk of its file; for an array, which has no scheduler, its members.
 * Each part is followed once, even if several paths lead to it.
 */
static size_t list_disks(const struct session *s, const char *disks[DATA_PATH_PARTS])
{
    /* the part lies below another device with a scheduler */
    bool reached[DATA_PATH_PARTS] = {false};
    const struct data_path *path = &s->path;
    size_t waiting[DATA_PATH_PARTS], count = 0;
    for (size_t i = 0; i < path->part_count; i++)
        if (has_scheduler(s, i))
            waiting[count++] = i;
    while (count) {
        size_t part = waiting[--count];
        for (size_t i = 0; i < path->edge_count; i++) {
            size_t next = (size_t)path->edges[i].to;
            if ((size_t)path->edges[i].from != part || reached[next])
                continue;
            reached[next] = true;
            /* devices with a scheduler are in `waiting` from the beginning */
            if (!has_scheduler(s, next))
                waiting[count++] = next;
        }
    }
    for (size_t i = 0; i < path->part_count; i++)
        if (has_scheduler(s, i) && !reached[i])
            disks[count++] = s->contents.hardware.nodes[path->parts[i].node].name;
    return count;
}

struct knob_request knob_request_of(const struct plan *plan)
{
    static const enum knob_switch turbo_switches[] = {
        [TURBO_UNCHANGED] = KNOB_LEFT, [TURBO_ON] = KNOB_ON, [TURBO_OFF] = KNOB_OFF};
    return (struct knob_request){
        .governor = plan->settings.governor[0] ? plan->settings.governor : NULL,
        .frequency_khz = (uint64_t)(plan->settings.frequency / 1000 + 0.5),
        .turbo = turbo_switches[plan->settings.turbo],
        .scheduler = plan->settings.scheduler[0] ? plan->settings.scheduler : NULL,
        .read_ahead_kb = plan->settings.read_ahead >> 10,
        .nr_requests = plan->settings.nr_requests,
        .cpu_idle_off = plan->settings.cpu_idle_off == 1};
}

const char *knob_request_of_disks(const struct knob_request *request)
{
    if (request->scheduler)
        return "--scheduler";
    if (request->nr_requests)
        return "--nr-requests";
    return request->read_ahead_kb ? "--read-ahead" : NULL;
}

/* Copies the names of a shared session's disks, because another session that runs at the same time
   changes their settings. Otherwise the names stay valid while the session exists. */
static void share_disks(struct session_shared *shared, const char *const disks[], size_t count)
{
    shared->disk_count = count < SESSION_DISKS ? count : SESSION_DISKS;
    for (size_t i = 0; i < shared->disk_count; i++)
        snprintf(shared->disks[i], sizeof shared->disks[i], "%s", disks[i]);
}

/* Lists the disks that these settings apply to, before they are changed. */
static int prepare(struct session *s, struct err *e)
{
    struct knobs *own = s->own[SESSION_PART_KNOBS];
    own->pipe = own->latency = -1;
    const char *disks[DATA_PATH_PARTS];
    struct knob_request request = knob_request_of(&s->contents.plan);
    const char *of_disks = knob_request_of_disks(&request);
    const size_t count = of_disks ? list_disks(s, disks) : 0;
    if (of_disks && !count)
        return err_set(e, ERR_MACHINE, "%s: %s lies on no device with a scheduler", of_disks,
                       s->target.path);
    if (s->meeting)
        share_disks(s->shared, disks, count);
    return 0;
}

/* Lists the disks of all members, each once: targets may be on one disk. */
static size_t list_disks_of_all(const struct meeting *m, const char *disks[SESSION_DISKS])
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct session_shared *of = m->members[i].shared;
        for (size_t k = 0; k < of->disk_count && count < SESSION_DISKS; k++) {
            bool known = false;
            for (size_t j = 0; j < count; j++)
                known |= !strcmp(disks[j], of->disks[k]);
            if (!known)
                disks[count++] = of->disks[k];
        }
    }
    return count;
}

/* Returns the settings that are changed for this session. */
static struct knobs *knobs_of(struct session *s)
{
    struct session_shared *of = s->meeting ? s->shared->settings_of : s->shared;
    return of ? &of->knobs : s->own[SESSION_PART_KNOBS];
}

/* Changes the settings. One of several members does it for all, once; the others wait for it. */
static int set_knobs(struct session *s, struct err *e)
{
    const char *disks[DATA_PATH_PARTS];
    struct knobs *knobs = knobs_of(s);
    struct knob_request request = knob_request_of(&s->contents.plan);
    request.disks = disks;
    if (s->meeting && s->shared != s->shared->settings_of)
        return session_meet_settings(s, e);
    if (s->meeting)
        request.disk_count = list_disks_of_all(s->meeting, disks);
    else if (knob_request_of_disks(&request))
        request.disk_count = list_disks(s, disks);
    if (!knobs->set && knobs_set(knobs, s->root, &request, e))
        return -1;
    return session_meet_settings(s, e);
}

static int begin(struct session *s, struct err *e)
{
    struct knobs *knobs = knobs_of(s);
    if (set_knobs(s, e))
        return -1;
    for (size_t i = 0; i < knobs->change_count; i++) {
        const struct knob_change *c = &knobs->changes[i];
        char value[160];
        snprintf(value, sizeof value, "%s, for the run; it was %s", c->after, c->before);
        facts_add(&s->contents.settings, "knob", c->path, value, "", c->path, FACT_OK);
    }
    return 0;
}

static void restore(struct session *s)
{
    struct err e = {0};
    if (s->shared) /* the settings stay in force for the next sessions */
        return;
    if (knobs_restore(s->own[SESSION_PART_KNOBS], &e))
        contents_note(&s->contents, true, "%s", e.msg);
}

static void end(struct session *s)
{
    restore(s);
    knobs_free(s->own[SESSION_PART_KNOBS]);
}

const struct session_part part_knobs = {.bytes = sizeof(struct knobs),
                                        .prepare = {[AT_MACHINE] = prepare, [AT_BEGIN] = begin},
                                        .after = restore,
                                        .end = end};
