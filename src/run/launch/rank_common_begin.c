/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does what all sessions that begin and end together with other ranks need, whatever they measure.
 */
#include "run/launch/rank_common_begin.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "run/launch/start_instant.h"

/* A rank is also late if it was ready in time, but had no processor, so that its first round began
   this long after the instant. */
#define LATE_NS 100000000

int common_begin_open(struct common_begin *b, const struct common_start *start,
                      struct gathering **gathering, struct err *e)
{
    const struct gathering_request request = {.folder = start->folder,
                                              .launcher = &start->launcher,
                                              .timeout_seconds = start->timeout_seconds,
                                              .process_began_ns = start->process_began_ns};
    *gathering = NULL;
    b->instant_ns = start->at_ns;
    return start->at_ns ? 0 : gathering_open(gathering, &request, e);
}

int common_begin_look(struct common_begin *b, struct gathering *gathering, uint32_t *ready,
                      struct err *e)
{
    struct gathering_state state;
    if (gathering_look(gathering, &state, e))
        return -1;
    *ready = state.ready;
    if (!state.agreed && !state.late)
        return 0;
    b->instant_ns = state.instant_ns;
    b->late = state.late;
    gathering_missing(gathering, b->missing, sizeof b->missing);
    return 0;
}

static double seconds_until(const struct common_begin *b)
{
    return (double)(b->instant_ns - start_instant_now()) * 1e-9;
}

void common_begin_stage(const struct common_begin *b, const struct common_start *start,
                        uint32_t ready, char to[COMMON_BEGIN_STAGE])
{
    if (b->instant_ns)
        snprintf(to, COMMON_BEGIN_STAGE, "waiting for the common start in %.0f s",
                 ceil(seconds_until(b)));
    else if (start->launcher.rank == 0)
        snprintf(to, COMMON_BEGIN_STAGE,
                 "waiting for other ranks, %" PRIu32 " of %" PRIu32 " ready", ready,
                 start->launcher.size);
    else
        snprintf(to, COMMON_BEGIN_STAGE, "waiting for other ranks");
}

bool common_begin_set(struct common_begin *b, int64_t begun_ns)
{
    const bool was_late = b->late;
    b->begun_ns = begun_ns;
    b->late |= begun_ns - b->instant_ns > LATE_NS;
    return b->late && !was_late;
}

bool common_begin_may_end(struct common_begin *b, double now)
{
    if (!b->end)
        return true;
    if (!(b->enough_seconds > 0))
        b->enough_seconds = now;
    const bool all = common_end_reached(b->end);
    if (all && !(b->all_seconds > 0))
        b->all_seconds = now;
    return all;
}

/* ---- what reports say ---- */

char *common_begin_late_words(const struct common_begin *b, const char *who, const char *remedy,
                              char to[COMMON_BEGIN_WORDS])
{
    const double left = seconds_until(b);
    if (left > 0)
        snprintf(to, COMMON_BEGIN_WORDS,
                 "by this host's clock the common start is %.3g s away: the clocks of the hosts "
                 "differ; this rank began at once",
                 left);
    else
        snprintf(to, COMMON_BEGIN_WORDS,
                 "this %s is late: it was ready %.3g s after the common start, and began at once; "
                 "%s",
                 who, -left, remedy);
    return to;
}

char *common_begin_set_words(const struct common_begin *b, const char *who,
                             char to[COMMON_BEGIN_WORDS])
{
    snprintf(to, COMMON_BEGIN_WORDS,
             "this %s is late: its first round began %.3g s after the common start", who,
             (double)(b->begun_ns - b->instant_ns) * 1e-9);
    return to;
}

char *common_begin_missing_words(const struct common_begin *b, const struct common_start *start,
                                 char to[COMMON_BEGIN_WORDS])
{
    to[0] = '\0';
    if (b->missing[0] && !b->late)
        snprintf(to, COMMON_BEGIN_WORDS,
                 "the common start did not wait for all ranks: %s of %" PRIu32
                 " were not ready within %.3g s (--start-timeout)",
                 b->missing, start->launcher.size, start->timeout_seconds);
    return to;
}

const char *common_begin_remedy(const struct common_start *start)
{
    return start->folder[0] ? "make --start-timeout longer, or prepare its file before"
                            : "ask for a later start";
}

/* the function that receives facts, and its first argument */
struct facts_to {
    common_fact *add;
    void *context;
};

__attribute__((format(printf, 3, 4))) static void add_fact(const struct facts_to *to,
                                                           const char *key, const char *format, ...)
{
    char value[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    to->add(to->context, key, value);
}

void common_start_facts(const struct common_start *start, common_fact *add, void *context)
{
    const struct facts_to to = {add, context};
    char instant[START_INSTANT_TEXT];
    if (!start || !(launcher_is_of_many(&start->launcher) || start->at_ns || start->folder[0]))
        return;
    const struct launcher *l = &start->launcher;
    add_fact(&to, "launcher", "%s", l->name[0] ? l->name : "none");
    add_fact(&to, "rank", "%u", l->rank);
    if (l->size)
        add_fact(&to, "ranks", "%u", l->size);
    add_fact(&to, "rank's host", "%s", l->host);
    if (l->job[0])
        add_fact(&to, "launcher's job", "%s", l->job);
    if (start->at_ns)
        add_fact(&to, "start asked", "%s", start_instant_format(instant, start->at_ns));
    else if (common_start_waits(start))
        add_fact(&to, "start asked", "together, by %.120s", start->folder);
    else if (start->folder[0])
        add_fact(&to, "start asked", "together, and there is no other rank");
}

void common_begin_facts(const struct common_begin *b, common_fact *add, void *context)
{
    const struct facts_to to = {add, context};
    char instant[START_INSTANT_TEXT];
    if (!b->instant_ns)
        return;
    add_fact(&to, "common start", "%s", start_instant_format(instant, b->instant_ns));
    if (b->missing[0])
        add_fact(&to, "not waited for", "ranks %s", b->missing);
    if (!b->begun_ns)
        return;
    const double after = (double)(b->begun_ns - b->instant_ns);
    add_fact(&to, "first round", "%s", start_instant_format(instant, b->begun_ns));
    add_fact(&to, "first round after start", "%.9f s", after * 1e-9);
    add_fact(&to, "late", "%s", b->late ? "yes" : "no");
}

char *common_begin_close(struct common_begin *b, common_fact *add, void *context,
                         char to[COMMON_BEGIN_WORDS])
{
    const struct facts_to facts = {add, context};
    char lost[120];
    to[0] = '\0';
    if (!b->end)
        return to;
    if (b->all_seconds > 0)
        add_fact(&facts, "measured on for other ranks", "%.1f s",
                 b->all_seconds - b->enough_seconds);
    if (*common_end_lost(b->end, lost, sizeof lost))
        snprintf(to, COMMON_BEGIN_WORDS,
                 "ranks %s gave no sign of life any more: the others did not wait until they had "
                 "enough",
                 lost);
    common_end_close(b->end);
    b->end = NULL;
    return to;
}
