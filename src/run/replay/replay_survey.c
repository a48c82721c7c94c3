/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the properties of a trace that must be known before the target is opened. */
#include "run/replay/internal.h"
#include "run/replay/replay_devices.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { BATCH = 256 };

/* Limits of the buffer size; longer requests are split. */
enum { LARGEST_MIN = 64 << 10, LARGEST_MAX = 1 << 20 };

void replay_progress(struct replay *r, const struct trace *t)
{
    uint64_t total = trace_bytes_total(t);
    atomic_store(&r->progress, total ? (double)trace_bytes_read(t) / (double)total : NAN);
}

/* ---- the devices that are replayed ---- */

enum { UNSEEN, WANTED, UNWANTED };

bool replay_part_has(const char *part, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = part; *at;) {
        const size_t next = strcspn(at, "\t");
        if (next == length && !memcmp(at, name, length))
            return true;
        at += next + (at[next] == '\t');
    }
    return false;
}

size_t replay_keep_wanted(struct replay *r, const struct trace *t, struct trace_event events[],
                          size_t count)
{
    size_t kept = 0;
    if (!r->plan.replay.devices[0])
        return count;
    for (size_t i = 0; i < count; i++) {
        const uint16_t device = events[i].device;
        uint8_t *wanted = &r->device_wanted[device];
        if (*wanted == UNSEEN)
            *wanted = replay_part_has(r->plan.replay.devices, trace_device(t, device)->name)
                          ? WANTED
                          : UNWANTED;
        if (*wanted == WANTED)
            events[kept++] = events[i];
    }
    return kept;
}

/* ---- events seen ---- */

static void see(struct replay *r, const struct trace_event *event)
{
    struct replay_survey *s = &r->survey;
    unsigned level = event->level;
    const bool moves = event->op == OPERATION_READ || event->op == OPERATION_WRITE;
    const bool discards = event->op == OPERATION_TRIM && !r->no_discards;
    const bool counts = moves || discards || event->op == OPERATION_SYNC;
    s->writes[level] += counts && event->op != OPERATION_READ;
    s->discards[level] += discards;
    s->seen[level] += counts;
    s->own[level] += counts && !event->foreign;
    if (!moves && !discards)
        return;
    uint64_t *end = &s->end[level][event->device];
    if (event->offset + event->length > *end)
        *end = event->offset + event->length;
    if (moves && event->length > s->largest[level])
        s->largest[level] = event->length;
}

/* Copies the sizes of the devices that have appeared so far. */
static void see_devices(struct replay_survey *survey, const struct trace *t)
{
    survey->devices = trace_device_count(t);
    for (size_t i = 0; i < survey->devices; i++)
        survey->size[i] = trace_device(t, i)->size;
}

/* Returns true for a file that can be read twice, and for a name without a file, which is the
   beginning of several files' names. */
bool replay_is_file(const char *path)
{
    struct stat s;
    if (!strcmp(path, "-"))
        return false;
    return stat(path, &s) || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode);
}

/* Returns true if addresses depend on device extents that are not known. A single device wraps
   without its extent. */
static bool extents_missing(const struct replay *r)
{
    const struct replay_survey *s = &r->survey;
    size_t max_used = 0;
    bool unknown = false;
    for (unsigned level = 0; level < LEVELS; level++) {
        size_t used = 0;
        for (size_t i = 0; i < s->devices; i++) {
            used += s->end[level][i] > 0;
            unknown |= s->end[level][i] > 0 && !s->size[i];
        }
        max_used = used > max_used ? used : max_used;
    }
    return !r->plan.replay.extent && unknown &&
           (max_used > 1 || r->plan.replay.mapping == MAP_SCALE);
}

/* Reads the whole file once more from its begin. Events that were seen before count twice, which
   does no harm: only maxima, and whether there are any, are used. */
static int survey_all(struct replay *r, struct err *e)
{
    struct trace_event events[BATCH];
    int count;
    if (replay_trace_open(&r->again, &r->plan, e))
        return -1;
    while ((count = trace_read(r->again, events, BATCH, e)) > 0 && !atomic_load(&r->stop)) {
        const size_t kept = replay_keep_wanted(r, r->again, events, (size_t)count);
        for (size_t i = 0; i < kept; i++)
            see(r, &events[i]);
        replay_progress(r, r->again);
    }
    if (count <= 0) {
        see_devices(&r->survey, r->again);
        r->survey.all_seen = true;
    }
    trace_close(r->again);
    r->again = NULL;
    return count < 0 ? -1 : 0;
}

int replay_survey_ahead(struct replay *r, struct err *e)
{
    struct replay_survey *s = &r->survey;
    for (bool more = true; more;) {
        size_t room = REPLAY_AHEAD - s->count;
        int count = trace_read(r->trace, s->events + s->count, room < BATCH ? room : BATCH, e);
        if (count < 0)
            return -1;
        const size_t kept = replay_keep_wanted(r, r->trace, s->events + s->count, (size_t)count);
        pthread_mutex_lock(&r->mutex);
        /*
         * The session may have seen enough in the meantime: later events are kept but not surveyed.
         */
        bool surveyed = r->surveyed;
        for (size_t i = 0; i < kept && !surveyed; i++)
            see(r, &s->events[s->count + i]);
        s->count += kept;
        if (!surveyed)
            see_devices(s, r->trace);
        s->whole = count == 0;
        pthread_mutex_unlock(&r->mutex);
        /* if few of the events are replayed, the reader may be far ahead of the events that were
           kept */
        if (kept < (size_t)count)
            replay_progress(r, r->trace);
        more = !surveyed && count > 0 && s->count < REPLAY_AHEAD && !atomic_load(&r->stop);
    }
    s->all_seen = s->whole;
    /* For a part of a trace, the whole trace was read when the parts were made. */
    const bool unread = r->plan.replay.strict && !r->plan.replay.devices[0];
    bool all = r->is_file && !s->whole && (unread || extents_missing(r));
    return all && !atomic_load(&r->stop) ? survey_all(r, e) : 0;
}

int replay_trace_open(struct trace **t, const struct plan *plan, struct err *e)
{
    const char *const paths[] = {plan->replay.trace};
    struct trace_options options = {.strict = plan->replay.strict,
                                    .format = plan->replay.format[0] ? plan->replay.format : NULL,
                                    .columns =
                                        plan->replay.columns[0] ? plan->replay.columns : NULL};
    struct trace *opened = NULL;
    int status = trace_open(&opened, paths, 1, &options, e);
    *t = status ? NULL : opened;
    return status;
}

/* Says that the trace has nothing to issue, and names an event that could not be read. */
static int has_nothing(const struct plan *plan, const struct trace *t, const char *range,
                       struct err *e)
{
    for (enum trace_skip reason = 0; t && reason < TRACE_SKIPS; reason++) {
        const struct trace_skips *skipped = trace_skipped(t, reason);
        if (skipped->count)
            return err_set(e, ERR_USAGE,
                           "%s: there is no read, write or flush in it%s; event %llu %s (%s)",
                           plan->replay.trace, range, (unsigned long long)skipped->first_number,
                           trace_skip_words(reason), skipped->first_words);
    }
    return err_set(e, ERR_USAGE, "%s: there is no read, write or flush in it%s", plan->replay.trace,
                   range);
}

int replay_choose_level(unsigned *level, const struct plan *plan, const uint64_t seen[LEVELS],
                        const struct trace *t, const char *range, struct err *e)
{
    static const char *const names[LEVELS] = {"block", "syscall"};
    *level = seen[TRACE_BLOCK] ? TRACE_BLOCK : TRACE_SYSCALL;
    for (unsigned i = 0; i < LEVELS; i++)
        if (!strcmp(plan->replay.level, names[i]))
            *level = i;
    if (!seen[TRACE_BLOCK] && !seen[TRACE_SYSCALL])
        return has_nothing(plan, t, range, e);
    if (!seen[*level])
        return err_set(e, ERR_USAGE, "%s: --level %s: it holds events of the level %s only%s",
                       plan->replay.trace, plan->replay.level, names[!*level], range);
    return 0;
}

int replay_survey_conclude(struct replay *r, struct err *e)
{
    const struct replay_survey *survey = &r->survey;
    const char *range = survey->all_seen ? "" : ", as far as it was looked at";
    /* events that could not be read are named only if all of the trace was read ahead: otherwise
       the reader's thread may be using it */
    const struct trace *whole = survey->whole ? r->trace : NULL;
    if (replay_choose_level(&r->level, &r->plan, survey->seen, whole, range, e))
        return -1;
    r->own_only = r->plan.replay.devices[0]
                      ? r->plan.replay.own
                      : !r->plan.replay.all_programs && survey->own[r->level] > 0;
    r->largest = LARGEST_MIN;
    while (r->largest < survey->largest[r->level] && r->largest < LARGEST_MAX)
        r->largest *= 2;
    return 0;
}
