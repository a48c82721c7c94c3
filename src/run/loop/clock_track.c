/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts ticks to ns by a line through readings of both clocks, bent by small corrections. */
#include "run/loop/internal.h"

#define BRACKETS 5

/* Readings that are further apart are not used, because an interrupt came between them. */
#define WITHIN_MAX_NS 1000u

#define LOOK_FIRST_NS 20000000u
#define LOOK_MAX_NS   1000000000u

/* An error of the line is corrected over this time. It is longer than the time between two readings
   of the clocks, which may be late. Otherwise an error would be corrected twice. */
#define MAKE_UP_NS 2000000000u

/* A correction bends the line by no more than this share, so that time never goes back. */
#define BEND_MAX 0.001

static void set_slope(struct clock_track *t, double ns_per_tick)
{
    t->ns_per_tick = (uint64_t)(ns_per_tick * 0x1p32 + 0.5);
    t->ticks_per_ns = (uint64_t)(0x1p32 / ns_per_tick + 0.5);
}

void clock_track_init(struct clock_track *t, const struct clock *clock)
{
    *t = (struct clock_track){.clock = clock, .rate = 1e9 / clock->hertz};
    set_slope(t, t->rate);
}

/* Reads both clocks at one instant. Returns half of the time that the reading took. */
static uint64_t read_both(const struct clock *clock, uint64_t *ticks, uint64_t *ns)
{
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < BRACKETS; i++) {
        uint64_t before = clock_raw_ns();
        uint64_t at = clock_ticks(clock);
        uint64_t took = clock_raw_ns() - before;
        if (took < tightest) {
            tightest = took;
            *ticks = at;
            *ns = before + took / 2;
        }
    }
    return tightest / 2;
}

static void learn_rate(struct clock_track *t, uint64_t ticks, uint64_t raw_ns)
{
    const struct clock *clock = t->clock;
    if (clock->counter && ticks > clock->origin_ticks && raw_ns > clock->origin_ns)
        t->rate = (double)(raw_ns - clock->origin_ns) / (double)(ticks - clock->origin_ticks);
}

void clock_track_begin(struct clock_track *t, uint64_t zero_ticks, int64_t offset_ticks)
{
    uint64_t ticks = 0, raw_ns = 0;
    uint64_t within = read_both(t->clock, &ticks, &raw_ns);
    if (within <= WITHIN_MAX_NS)
        learn_rate(t, ticks, raw_ns);
    int64_t since = (int64_t)(ticks - (uint64_t)offset_ticks - zero_ticks);
    t->zero_raw_ns = raw_ns - (uint64_t)(int64_t)((double)since * t->rate);
    t->base_ticks = zero_ticks;
    t->base_ns = 0;
    t->error_ns = 0;
    t->look_every = LOOK_FIRST_NS;
    t->next_look = zero_ticks + (uint64_t)(LOOK_FIRST_NS / t->rate);
    set_slope(t, t->rate);
}

void clock_track_correct(struct clock_track *t, uint64_t ticks, int64_t offset_ticks,
                         uint64_t raw_ns, uint64_t within_ns)
{
    uint64_t here = ticks - (uint64_t)offset_ticks;
    t->next_look = here + (uint64_t)((double)t->look_every / t->rate);
    if (within_ns > WITHIN_MAX_NS || here <= t->base_ticks)
        return;
    learn_rate(t, ticks, raw_ns);
    uint64_t line_ns = clock_track_ns(t, here);
    t->error_ns = (int64_t)(raw_ns - t->zero_raw_ns - line_ns);
    if (t->look_every < LOOK_MAX_NS)
        t->look_every *= 2;
    double bend = (double)t->error_ns / MAKE_UP_NS;
    if (bend > BEND_MAX)
        bend = BEND_MAX;
    if (bend < -BEND_MAX)
        bend = -BEND_MAX;
    t->base_ticks = here;
    t->base_ns = line_ns;
    set_slope(t, t->rate * (1 + bend));
    t->next_look = here + (uint64_t)((double)t->look_every / t->rate);
}

void clock_track_look(struct clock_track *t, int64_t offset_ticks)
{
    uint64_t ticks = 0, raw_ns = 0;
    uint64_t within = read_both(t->clock, &ticks, &raw_ns);
    clock_track_correct(t, ticks, offset_ticks, raw_ns, within);
}

double clock_track_drift_ppm(const struct clock_track *t)
{
    return (t->rate * t->clock->hertz * 1e-9 - 1) * 1e6;
}
