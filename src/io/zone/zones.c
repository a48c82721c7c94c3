/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the zone that is written next, and the offset in this zone: write pointers, limits of
   open zones, resets. */
#include "io/zone/zones.h"

#include "base/clock.h"

static bool is_full(const struct zones *z, const struct zone *zone)
{
    return zone->condition == ZONE_FULL || zone->written + z->block > zone->capacity;
}

static void open_zone(struct zones *z, unsigned i)
{
    struct zone *zone = &z->at[i];
    if (!zone->open) {
        zone->open = true;
        z->open[z->open_count++] = i;
        z->used++;
        if (z->open_count > z->open_most)
            z->open_most = z->open_count;
    }
    if (!zone->active) {
        zone->active = true;
        z->active_count++;
    }
}

static void close_zone(struct zones *z, unsigned i)
{
    struct zone *zone = &z->at[i];
    for (unsigned k = 0; k < z->open_count && zone->open; k++)
        if (z->open[k] == i) {
            z->open[k] = z->open[--z->open_count];
            zone->open = false;
        }
    if (zone->active) {
        zone->active = false;
        z->active_count--;
    }
}

void zones_init(struct zones *z)
{
    pthread_mutex_init(&z->lock, NULL);
    z->open_count = z->open_most = 0;
    z->written = z->since_reset = z->used = 0;
    for (unsigned i = 0; i < z->count; i++) {
        struct zone *zone = &z->at[i];
        zone->taken = zone->open = zone->active = false;
        if (zone->conventional)
            continue;
        z->written += zone->written;
        if (zone->condition != ZONE_IMPLICITLY_OPEN && zone->condition != ZONE_EXPLICITLY_OPEN &&
            zone->condition != ZONE_CLOSED)
            continue;
        zone->active = true;
        z->active_count++;
        /* Partly written zones are opened at once, so that they are written first. */
        if (!is_full(z, zone) && (!z->open_limit || z->open_count < z->open_limit))
            open_zone(z, i);
    }
    z->used = 0;
    z->open_most = 0;
}

/* ---- taking a zone ---- */

static bool can_take(const struct zones *z, unsigned i)
{
    const struct zone *zone = &z->at[i];
    if (zone->taken || zone_is_lost(zone) || zone->capacity < z->block)
        return false;
    if (zone->conventional || zone->open)
        return true;
    if (z->open_limit && z->open_count >= z->open_limit)
        return false;
    return zone->active || !z->active_limit || z->active_count < z->active_limit;
}

/* Returns the first zone from `first` on that can be taken, continuing at the region's beginning
   after its end; `count` when there is none. */
static unsigned find_zone(const struct zones *z, unsigned first)
{
    for (unsigned k = 0; k < z->count; k++) {
        unsigned i = first + k < z->count ? first + k : first + k - z->count;
        if (can_take(z, i))
            return i;
    }
    return z->count;
}

/* Returns a random zone of the region. If that zone cannot be taken, for instance because the limit
   of open zones is reached, returns one of the open zones; if none of these can be taken, any other
   zone; `count` if there is none. */
static unsigned draw_zone(const struct zones *z, struct random *r)
{
    unsigned drawn = (unsigned)random_below(r, z->count);
    if (can_take(z, drawn))
        return drawn;
    unsigned first = z->open_count ? (unsigned)random_below(r, z->open_count) : 0;
    for (unsigned k = 0; k < z->open_count; k++) {
        unsigned i = z->open[(first + k) % z->open_count];
        if (can_take(z, i))
            return i;
    }
    return find_zone(z, drawn);
}

/* Returns the offset of a block in a conventional zone, a multiple of the block size after the
   zone's start. */
static uint64_t place_in_conventional(struct zones *z, unsigned i, bool sequential,
                                      struct random *r)
{
    struct zone *zone = &z->at[i];
    uint64_t blocks = zone->capacity / z->block;
    if (!sequential)
        return zone->start + random_below(r, blocks) * z->block;
    if (zone->written + z->block > zone->capacity)
        zone->written = 0;
    return zone->start + zone->written;
}

static bool reset_is_due(struct zones *z, const struct zone *zone)
{
    if (is_full(z, zone))
        return true;
    if (z->threshold <= 0 ||
        (double)z->written < z->threshold * (double)z->zone_size * (double)z->count)
        return false;
    if (++z->since_reset < z->reset_every)
        return false;
    z->since_reset = 0;
    return zone->written > 0;
}

/* Resets or finishes a zone that the caller has taken. Called without the lock. */
static int act(struct zones *z, enum zone_action action, const struct zone *zone)
{
    struct zone_action_times *t = &z->times[action];
    uint64_t left = z->end - zone->start;
    uint64_t begin = clock_raw_ns();
    int error =
        z->ops->act(z->context, action, zone->start, left < z->zone_size ? left : z->zone_size);
    uint64_t took = clock_raw_ns() - begin;
    pthread_mutex_lock(&z->lock);
    t->failed += error != 0;
    t->error = t->error ? t->error : error;
    if (!error) {
        t->sum_ns += took;
        t->min_ns = !t->count || took < t->min_ns ? took : t->min_ns;
        t->max_ns = took > t->max_ns ? took : t->max_ns;
        t->count++;
    }
    pthread_mutex_unlock(&z->lock);
    return error;
}

/* Asks the device for the state of a zone after a failure. Called without the lock. */
static void look_again(struct zones *z, unsigned i)
{
    struct zone *zone = &z->at[i], seen = *zone;
    if (zone->conventional || z->ops->look(z->context, &seen))
        return;
    pthread_mutex_lock(&z->lock);
    z->written = z->written - zone->written + seen.written;
    zone->written = seen.written;
    zone->condition = seen.condition;
    if (zone_is_lost(zone) || is_full(z, zone))
        close_zone(z, i);
    pthread_mutex_unlock(&z->lock);
}

static void reset_zone(struct zones *z, unsigned i)
{
    struct zone *zone = &z->at[i];
    if (act(z, ZONE_RESET, zone)) {
        look_again(z, i);
        return;
    }
    pthread_mutex_lock(&z->lock);
    z->written -= zone->written;
    zone->written = 0;
    zone->condition = ZONE_EMPTY;
    pthread_mutex_unlock(&z->lock);
}

uint64_t zones_take(struct zones *z, struct zone_job *job, bool sequential, struct random *r)
{
    pthread_mutex_lock(&z->lock);
    unsigned i = sequential ? find_zone(z, job->next) : draw_zone(z, r);
    if (i == z->count) {
        pthread_mutex_unlock(&z->lock);
        return z->end;
    }
    struct zone *zone = &z->at[i];
    job->taken = job->next = i;
    job->has = job->wrote = zone->taken = true;
    if (zone->conventional) {
        uint64_t place = place_in_conventional(z, i, sequential, r);
        /* random writes of several jobs may go to the same conventional zone at the same time */
        zone->taken = sequential;
        job->has = sequential;
        pthread_mutex_unlock(&z->lock);
        return place;
    }
    bool resets = reset_is_due(z, zone);
    open_zone(z, i);
    pthread_mutex_unlock(&z->lock);
    if (resets)
        reset_zone(z, i);
    return zone->start + zone->written;
}

/* ---- giving a zone back ---- */

/* Finishes a zone in which less than a block is left, because it would otherwise stay open for
   ever. */
static void finish_zone(struct zones *z, unsigned i)
{
    struct zone *zone = &z->at[i];
    if (zone->written < zone->capacity && act(z, ZONE_FINISH, zone)) {
        look_again(z, i);
        return;
    }
    pthread_mutex_lock(&z->lock);
    z->written += zone->capacity - zone->written;
    zone->written = zone->capacity;
    zone->condition = ZONE_FULL;
    close_zone(z, i);
    pthread_mutex_unlock(&z->lock);
}

void zones_give_back(struct zones *z, struct zone_job *job, bool failed)
{
    unsigned i = job->taken;
    struct zone *zone = &z->at[i];
    if (!job->has)
        return;
    if (failed)
        look_again(z, i);
    pthread_mutex_lock(&z->lock);
    if (!failed) {
        zone->written += z->block;
        z->written += zone->conventional ? 0 : z->block;
        if (!zone->conventional)
            zone->condition = ZONE_IMPLICITLY_OPEN;
    }
    bool full = is_full(z, zone);
    pthread_mutex_unlock(&z->lock);
    if (full && zone->open && !zone->conventional)
        finish_zone(z, i);
    pthread_mutex_lock(&z->lock);
    zone->taken = false;
    if (full)
        job->next = i + 1 < z->count ? i + 1 : 0;
    pthread_mutex_unlock(&z->lock);
    job->has = false;
}

/* ---- reading ---- */

static uint64_t readable_blocks(const struct zones *z, const struct zone *zone)
{
    if (zone->condition == ZONE_OFFLINE)
        return 0;
    bool all = z->beyond || zone->conventional;
    return (all ? zone->capacity : zone->written) / z->block;
}

uint64_t zones_read_among_writes(struct zones *z, struct random *r)
{
    uint64_t at = ZONES_NOWHERE;
    unsigned first = (unsigned)random_below(r, z->count);
    pthread_mutex_lock(&z->lock);
    for (unsigned k = 0; k < z->count && at == ZONES_NOWHERE; k++) {
        const struct zone *zone = &z->at[(first + k) % z->count];
        uint64_t blocks = readable_blocks(z, zone);
        if (blocks)
            at = zone->start + random_below(r, blocks) * z->block;
    }
    pthread_mutex_unlock(&z->lock);
    return at;
}

uint64_t zones_count_readable(struct zones *z)
{
    z->blocks[0] = 0;
    for (unsigned i = 0; i < z->count; i++)
        z->blocks[i + 1] = z->blocks[i] + readable_blocks(z, &z->at[i]);
    return z->blocks[z->count];
}

uint64_t zones_readable(const struct zones *z, uint64_t block)
{
    unsigned low = 0, high = z->count; /* invariant: blocks[low] <= block < blocks[high] */
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        if (z->blocks[middle] <= block)
            low = middle;
        else
            high = middle;
    }
    return z->at[low].start + (block - z->blocks[low]) * z->block;
}
