/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handles zoned devices in a session: the zones of the region before and after, their limits, and
   the changes of their states. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "io/zone/zones.h"
#include "run/session/running.h"

enum { CONDITIONS = 16 };

struct zoned {
    struct zone_device device;
    struct zones zones; /* zones of the region; count 0: the session does not use zones */
};

static struct zoned *zoned_of(const struct session *s)
{
    return s->own[SESSION_PART_ZONES];
}

/* ---- refusals ---- */

static int check_borders(const struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct zone_device *d = &zoned_of(s)->device;
    char zone[UNITS_BUFFER], asked[UNITS_BUFFER];
    format_size(zone, sizeof zone, (double)d->zone_size);
    if (plan->zones.size && plan->zones.size != d->zone_size)
        return err_set(e, ERR_USAGE, "%s: --zonesize %s: its zones have %s", s->target.path,
                       format_size(asked, sizeof asked, (double)plan->zones.size), zone);
    if (plan->offset % d->zone_size)
        return err_set(e, ERR_USAGE, "%s: --offset %" PRIu64 " is not where a zone of %s begins",
                       s->target.path, plan->offset, zone);
    if (plan->size % d->zone_size && plan->offset + plan->size != s->target.size)
        return err_set(e, ERR_USAGE, "%s: --size %" PRIu64 " is no multiple of its zones of %s",
                       s->target.path, plan->size, zone);
    return 0;
}

static int check_zones(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct zones *z = &zoned_of(s)->zones;
    uint64_t smallest = UINT64_MAX;
    unsigned lost = 0;
    char capacity[UNITS_BUFFER], block[UNITS_BUFFER];
    for (unsigned i = 0; i < z->count; i++) {
        lost += zone_is_lost(&z->at[i]);
        if (z->at[i].capacity < smallest)
            smallest = z->at[i].capacity;
    }
    if (plan->block_size > smallest)
        return err_set(e, ERR_USAGE, "%s: --bs %s is larger than the capacity of a zone, %s",
                       s->target.path, format_size(block, sizeof block, plan->block_size),
                       format_size(capacity, sizeof capacity, (double)smallest));
    if (lost == z->count)
        return err_set(e, ERR_TARGET, "%s: all zones of the region are read-only or offline",
                       s->target.path);
    if (plan->write_share > 0 && plan->jobs > z->count - lost)
        return err_set(e, ERR_USAGE,
                       "%s: --numjobs %u: each job writes to a zone of its own, and the region has "
                       "%u",
                       s->target.path, plan->jobs, z->count - lost);
    if (lost)
        contents_note(&s->contents, true,
                      "%u of the region's %u zones are read-only or offline, and are left out",
                      lost, z->count);
    return 0;
}

static unsigned smaller_limit(unsigned a, unsigned b)
{
    return !a || (b && b < a) ? b : a;
}

/* Sets the limits. Zones outside of the region that are partly written count as well. */
static int set_limits(struct session *s, const struct zone all[], unsigned first, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct zone_device *d = &zoned_of(s)->device;
    struct zones *z = &zoned_of(s)->zones;
    unsigned opened = 0, active = 0;
    for (unsigned i = 0; i < d->zone_count; i++) {
        bool inside = i >= first && i < first + z->count;
        opened += !inside && all[i].condition == ZONE_EXPLICITLY_OPEN;
        active += !inside &&
                  (all[i].condition == ZONE_EXPLICITLY_OPEN ||
                   all[i].condition == ZONE_IMPLICITLY_OPEN || all[i].condition == ZONE_CLOSED);
    }
    z->active_count = active;
    z->active_limit = d->active_max;
    unsigned device = smaller_limit(d->open_max, d->active_max);
    if (plan->write_share <= 0)
        return 0;
    if (device && plan->zones.open_max > device)
        return err_set(e, ERR_USAGE,
                       "%s: --max_open_zones %u: the device permits %u that are written to",
                       s->target.path, plan->zones.open_max, device);
    bool none =
        (d->open_max && opened >= d->open_max) || (d->active_max && active >= d->active_max);
    unsigned left = smaller_limit(d->open_max ? d->open_max - (none ? 0 : opened) : 0,
                                  d->active_max ? d->active_max - (none ? 0 : active) : 0);
    z->open_limit = smaller_limit(plan->zones.open_max, left);
    if (none)
        return err_set(e, ERR_MACHINE,
                       "%s: zones outside of the region are open, as many as the device permits; "
                       "finish or reset them first",
                       s->target.path);
    if (z->open_limit && plan->jobs > z->open_limit)
        return err_set(e, ERR_USAGE,
                       "%s: --numjobs %u: each job writes to a zone of its own, and %u may be open "
                       "at a time",
                       s->target.path, plan->jobs, z->open_limit);
    return 0;
}

/* ---- before ---- */

/* Returns text such as "3 empty, 1 full". */
static const char *count_conditions(const struct zone at[], unsigned n, char *to, size_t size)
{
    unsigned count[CONDITIONS] = {0};
    size_t used = 0;
    *to = '\0';
    for (unsigned i = 0; i < n; i++)
        count[at[i].condition == ZONE_EXPLICITLY_OPEN ? ZONE_IMPLICITLY_OPEN
                                                      : at[i].condition % CONDITIONS]++;
    for (unsigned c = 0; c < CONDITIONS; c++)
        if (count[c] && used + 32 < size)
            used += (size_t)snprintf(to + used, size - used, "%s%u %s", used ? ", " : "", count[c],
                                     zone_condition_name((enum zone_condition)c));
    return to;
}

static void add_facts_before(struct session *s)
{
    const struct zones *z = &zoned_of(s)->zones;
    const struct zone_device *d = &zoned_of(s)->device;
    char size[UNITS_BUFFER], capacity[UNITS_BUFFER], words[160];
    session_setting(s, "zones", "zones",
                    "%u of %u, from zone %" PRIu64 " on, of %s with a capacity of %s", z->count,
                    d->zone_count, s->contents.plan.offset / d->zone_size,
                    format_size(size, sizeof size, (double)d->zone_size),
                    format_size(capacity, sizeof capacity, (double)z->at[0].capacity));
    session_setting(s, "zones", "before", "%s",
                    count_conditions(z->at, z->count, words, sizeof words));
    if (d->open_max || d->active_max)
        session_setting(s, "zones", "limits of the device", "%u open, %u active (0: none)",
                        d->open_max, d->active_max);
}

static int take_region(struct session *s, const struct zone all[], struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct zone_device *d = &zoned_of(s)->device;
    struct zones *z = &zoned_of(s)->zones;
    uint64_t end = plan->offset + s->region;
    unsigned first = (unsigned)(plan->offset / d->zone_size);
    unsigned count = (unsigned)((end + d->zone_size - 1) / d->zone_size) - first;
    *z = (struct zones){.zone_size = d->zone_size,
                        .end = s->target.size,
                        .block = plan->block_size,
                        .threshold = plan->zones.reset_threshold,
                        .beyond = plan->zones.read_beyond_wp,
                        .ops = &zone_device_ops,
                        .context = &zoned_of(s)->device};
    if (plan->zones.reset_frequency > 0)
        z->reset_every = (uint64_t)(1 / plan->zones.reset_frequency);
    z->at = calloc(count, sizeof *z->at);
    z->open = calloc(count, sizeof *z->open);
    z->blocks = calloc((size_t)count + 1, sizeof *z->blocks);
    if (!z->at || !z->open || !z->blocks)
        return err_no_memory(e, "%u zones", count);
    z->count = count;
    memcpy(z->at, all + first, count * sizeof *z->at);
    if (check_zones(s, e) || set_limits(s, all, first, e))
        return -1;
    zones_init(z);
    if (plan->write_share <= 0 && zones_count_readable(z) < plan->jobs)
        return err_set(e, ERR_TARGET,
                       "%s: nothing of the region's zones is written that could be read: write "
                       "them first, or say --read_beyond_wp 1",
                       s->target.path);
    return 0;
}

/* Reads the zones, and refuses impossible plans. */
static int open_zones(struct session *s, struct err *e)
{
    struct zone_device *d = &zoned_of(s)->device;
    const struct target *t = &s->target;
    if (!s->contents.plan.zones.on)
        return 0;
    if (t->kind != TARGET_BLOCK_DEVICE)
        return err_set(e, ERR_USAGE,
                       "%s: --zonemode zbd needs a zoned block device, as /dev/nvme0n2", t->path);
    if (zone_device_open(d, t->fd, t->device, t->path, e) || check_borders(s, e))
        return -1;
    struct zone *all = calloc(d->zone_count, sizeof *all);
    int failed = !all ? err_no_memory(e, "%u zones", d->zone_count)
                      : zone_device_report(d, 0, d->zone_count, all, e) || take_region(s, all, e);
    free(all);
    if (failed)
        return -1;
    add_facts_before(s);
    return 0;
}

/* ---- after ---- */

static void add_times(struct session *s, enum zone_action action, const char *key)
{
    const struct zone_action_times *t = &zoned_of(s)->zones.times[action];
    char mean[UNITS_BUFFER], low[UNITS_BUFFER], high[UNITS_BUFFER];
    if (t->count)
        session_setting(s, "zones", key, "%" PRIu64 ", %s each (%s to %s), in no write's latency",
                        t->count,
                        format_time(mean, sizeof mean, (double)t->sum_ns / (double)t->count),
                        format_time(low, sizeof low, (double)t->min_ns),
                        format_time(high, sizeof high, (double)t->max_ns));
    if (t->failed)
        contents_note(&s->contents, true, "%s: %" PRIu64 " failed: %s", key, t->failed,
                      strerror(t->error));
}

/* Compares the device's write pointers with what was written. Zones that were only read must not
   have changed. */
static void compare_write_pointers(struct session *s, const struct zone now[])
{
    const struct zones *z = &zoned_of(s)->zones;
    unsigned differ = 0, first = 0;
    for (unsigned i = 0; i < z->count; i++) {
        if (z->at[i].conventional || zone_is_lost(&now[i]) || now[i].written == z->at[i].written)
            continue;
        first = differ++ ? first : i;
    }
    if (!differ)
        session_setting(s, "zones", "write pointers", "where what was written ends, in all zones");
    else
        contents_note(
            &s->contents, true,
            "%u zones are not written as far as this run wrote them, first that at %" PRIu64
            ": its write pointer is %" PRIu64 " bytes into it, and %" PRIu64
            " were written: another program wrote to the device, or it lost writes",
            differ, z->at[first].start, now[first].written, z->at[first].written);
}

static void after(struct session *s)
{
    struct zones *z = &zoned_of(s)->zones;
    const struct zone_device *d = &zoned_of(s)->device;
    struct err e = {0};
    char words[160];
    if (!z->count)
        return;
    struct zone *now = calloc(z->count, sizeof *now);
    if (!now ||
        zone_device_report(d, (unsigned)(z->at[0].start / d->zone_size), z->count, now, &e)) {
        contents_note(&s->contents, true, "zones afterwards: %s", now ? e.msg : "no memory");
        free(now);
        return;
    }
    session_setting(s, "zones", "after", "%s",
                    count_conditions(now, z->count, words, sizeof words));
    if (s->contents.plan.write_share > 0) {
        session_setting(s, "zones", "opened", "%" PRIu64 " zones, at most %u at a time", z->used,
                        z->open_most);
        add_times(s, ZONE_RESET, "zone resets");
        add_times(s, ZONE_FINISH, "zones finished");
        compare_write_pointers(s, now);
    }
    free(now);
}

static void ask(const struct session *s, struct target_request *request)
{
    request->zones = s->contents.plan.zones.on;
}

static const char *why_once(const struct session *s)
{
    return s->contents.plan.zones.on ? "zones are written where their write pointers are, once"
                                     : NULL;
}

static void set_up(struct session *s, struct group_setup *setup)
{
    struct zones *z = &zoned_of(s)->zones;
    setup->zones = z->count ? z : NULL;
}

static void end(struct session *s)
{
    struct zones *z = &zoned_of(s)->zones;
    free(z->at);
    free(z->open);
    free(z->blocks);
}

const struct session_part part_zones = {.bytes = sizeof(struct zoned),
                                        .prepare[AT_TARGET] = open_zones,
                                        .ask = ask,
                                        .set_up = set_up,
                                        .why_once = why_once,
                                        .of_workers = true,
                                        .after = after,
                                        .end = end};
