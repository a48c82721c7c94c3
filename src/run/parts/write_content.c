/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the content of a session's writes, if the plan asks for more than noise. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/units.h"
#include "run/parts/internal.h"

/* Returns true if blocks are noise, with no fixed parts. cupel recognises its own files by that
   noise. */
static bool leaves_noise(const struct plan *p)
{
    return !p->content.compress_percent && !p->content.pattern[0] && !p->content.zeros &&
           !p->verify;
}

/*
 * Checks that later sessions will recognise the content of the file as cupel's own, before anything
 * is written: in --repeat, --find-rate and comparisons each session examines a named file anew.
 */
static int expect_recognised(struct session *s, struct err *e)
{
    const struct plan *p = &s->contents.plan;
    const struct io_ops *asked = io_backend_by_name(p->engine);
    struct stat st;
    if (asked && !asked->needs_target)
        return 0;
    bool alone = !s->shared || s->meeting || s->shared->target_open;
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

static int prepare(struct session *s, struct err *e)
{
    const struct plan *p = &s->contents.plan;
    struct write_content *content = s->own[SESSION_PART_DATA];
    struct data_pattern pattern;
    if (!plan_shapes_data(p))
        return 0;
    if (plan_pattern_of_data(p, &pattern, e))
        return -1;
    const uint32_t unit =
        plan_is_timed(p) ? workload_spec_granularity(&s->workload) : p->block_size;
    bool all_fixed = p->content.zeros || (pattern.count && !p->content.compress_percent);
    *content =
        (struct write_content){.fixed_percent = all_fixed ? 100 : p->content.compress_percent,
                               .chunk = all_fixed ? 0 : p->content.compress_chunk,
                               .unit = p->content.dedupe_percent ? unit : 0,
                               .copy_percent = p->content.dedupe_percent,
                               .salt = new_salt(),
                               .workers = s->arranged.jobs};
    if (p->content.dedupe_mode == DEDUPE_WORKING_SET) {
        uint64_t units = s->region / 100 * p->content.dedupe_working_set / unit;
        content->working_set = units ? units : 1;
    }
    write_content_set_fixed(content, pattern.bytes, pattern.count);
    return 0;
}

const struct write_content *session_content(const struct session *s)
{
    return plan_shapes_data(&s->contents.plan) ? s->own[SESSION_PART_DATA] : NULL;
}

static void start(struct session *s)
{
    const struct plan *p = &s->contents.plan;
    const struct write_content *c = session_content(s);
    const char *fixed = p->content.pattern[0] ? "the pattern" : "zeros";
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
    session_setting(s, "target", "data of writes", "%s", words);
}

static const char *why_once(const struct session *s)
{
    return plan_shapes_data(&s->contents.plan) ? "what it writes would be the session's data again"
                                               : NULL;
}

static void set_up(struct session *s, struct group_setup *setup)
{
    setup->content = session_content(s);
}

const struct session_part part_data = {
    .bytes = sizeof(struct write_content),
    .prepare = {[AT_PLAN] = expect_recognised, [AT_MACHINE] = prepare},
    .set_up = set_up,
    .why_once = why_once,
    .on[ON_START] = start};
