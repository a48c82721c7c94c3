/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The content of a session's writes, if the plan asks for more than noise, and reading it back. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/units.h"
#include "run/session/internal.h"
#include "run/session/memory_need.h"
#include "run/verify/verify.h"

/* Returns true if blocks are noise, with no fixed parts. cupel recognises its own files by that
   noise. */
static bool leaves_noise(const struct plan *p)
{
    return !p->compress_percent && !p->buffer_pattern[0] && !p->zero_buffers && !p->verify;
}

/* Each session examines a named file anew: in --repeat, --find-rate and comparisons. */
int session_expect_recognised(const struct session *s, struct err *e)
{
    const struct plan *p = &s->contents.plan;
    struct stat st;
    bool alone = !s->shared || s->meeting;
    bool is_file = stat(p->target, &st) || S_ISREG(st.st_mode);
    if (alone || leaves_noise(p) || !is_file || p->overwrite)
        return 0;
    return err_set(e, ERR_USAGE,
                   "%s: the second session would find data in it that cupel does not know as its "
                   "own: name a folder, in which a scratch file is made, or add --overwrite",
                   p->target);
}

/* Returns a new salt, so that data repeat only within this session. */
static uint64_t new_salt(void)
{
    uint64_t salt;
    return getrandom(&salt, sizeof salt, 0) == (ssize_t)sizeof salt ? salt : clock_raw_ns();
}

int session_prepare_data(struct session *s, struct err *e)
{
    const struct plan *p = &s->contents.plan;
    struct data_pattern pattern;
    if (!plan_shapes_data(p))
        return 0;
    if (plan_pattern_of_data(p, &pattern, e))
        return -1;
    const uint32_t unit =
        plan_is_timed(p) ? workload_spec_granularity(&s->workload) : p->block_size;
    bool all_fixed = p->zero_buffers || (pattern.count && !p->compress_percent);
    s->content = (struct write_content){.fixed_percent = all_fixed ? 100 : p->compress_percent,
                                        .chunk = all_fixed ? 0 : p->compress_chunk,
                                        .unit = p->dedupe_percent ? unit : 0,
                                        .copy_percent = p->dedupe_percent,
                                        .salt = new_salt(),
                                        .workers = s->arranged.jobs};
    if (p->dedupe_mode == DEDUPE_WORKING_SET) {
        uint64_t units = s->region / 100 * p->dedupe_working_set / unit;
        s->content.working_set = units ? units : 1;
    }
    write_content_set_fixed(&s->content, pattern.bytes, pattern.count);
    return 0;
}

const struct write_content *session_content(const struct session *s)
{
    return plan_shapes_data(&s->contents.plan) ? &s->content : NULL;
}

void session_settings_of_data(struct session *s)
{
    const struct plan *p = &s->contents.plan;
    const struct write_content *c = session_content(s);
    const char *fixed = p->buffer_pattern[0] ? "the pattern" : "zeros";
    char words[160] = "", size[UNITS_BUFFER];
    size_t used = 0;
    if (!c)
        return;
    if (c->fixed_percent == 100 || !c->fixed_percent)
        used = (size_t)snprintf(words, sizeof words, "%s", c->fixed_percent ? fixed : "noise");
    else if (c->chunk)
        used = (size_t)snprintf(words, sizeof words, "%u %% of each %s are %s", c->fixed_percent,
                                format_size(size, sizeof size, c->chunk), fixed);
    else
        used = (size_t)snprintf(words, sizeof words, "%u %% of each block are %s", c->fixed_percent,
                                fixed);
    if (c->working_set)
        snprintf(words + used, sizeof words - used,
                 "; %u %% of the blocks of %s repeat one of the first %" PRIu64, c->copy_percent,
                 format_size(size, sizeof size, c->unit), c->working_set);
    else if (c->copy_percent)
        snprintf(words + used, sizeof words - used,
                 "; %u %% of the blocks of %s repeat the new one before", c->copy_percent,
                 format_size(size, sizeof size, c->unit));
    facts_add(&s->contents.settings, "target", "data of writes", words, "", "", FACT_OK);
}

/* ---- writes that are read back ---- */

static void show_reading(void *session, double share)
{
    session_show_share(session, "reading back what was written", share);
}

static int check_memory(const struct session *s, uint64_t bytes, struct err *e)
{
    char need[UNITS_BUFFER], have[UNITS_BUFFER];
    const struct memory_room room = memory_room_find("");
    if (bytes <= room.bytes)
        return 0;
    return err_set(e, ERR_MACHINE,
                   "%s: --verify keeps 4 bytes for each block that may be written, %s in all, and "
                   "%s are there (%s): measure a part of it (--size), or with larger blocks (--bs)",
                   s->target.path, format_size(need, sizeof need, (double)bytes),
                   format_size(have, sizeof have, (double)room.bytes), room.limit);
}

int session_prepare_verify(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    struct verify *v = &s->verify;
    v->target = &s->target;
    v->ops = s->ops;
    v->clock = &s->clock;
    v->arena = &s->arena;
    v->region = s->region;
    v->block = plan_is_timed(plan) && !plan_is_replay(plan)
                   ? workload_spec_granularity(&s->workload)
                   : plan->block_size;
    v->stop = s->stop;
    v->show = show_reading;
    v->context = s;
    return check_memory(s, verify_bytes(v), e) || verify_prepare(v, e) ? -1 : 0;
}

struct ledger *session_ledger(struct session *s)
{
    return s->contents.plan.write_share > 0 ? s->verify.ledger : NULL;
}

void session_verify(struct session *s)
{
    if (!s->group_started || !s->verify.ledger)
        return;
    if (!s->stuck)
        group_forget_waiting(&s->group);
    verify_read_back(&s->verify, s->stuck);
    s->progress.done_share = NAN;
}
