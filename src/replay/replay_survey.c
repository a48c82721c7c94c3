/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Before a replay: what is in the trace, as far as it has to be known before the target is opened.
 */
#include "replay/internal.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { BATCH = 256 };

/* What a buffer holds; longer requests are split. */
enum { LARGEST_MIN = 64 << 10, LARGEST_MAX = 1 << 20 };

void replay_progress(struct replay *r, const struct trace *t)
{
    uint64_t total = trace_bytes_total(t);
    atomic_store(&r->progress, total ? (double)trace_bytes_read(t) / (double)total : NAN);
}

static void see_extent(struct replay_look *look, const struct trace_event *event)
{
    uint64_t *end = &look->end[event->level][event->device];
    if (event->offset + event->length > *end)
        *end = event->offset + event->length;
}

static void see(struct replay_look *look, const struct trace_event *event)
{
    bool moves = event->op == TRACE_READ || event->op == TRACE_WRITE;
    if (event->op == TRACE_WRITE || event->op == TRACE_FLUSH)
        look->writes[event->level]++;
    if (moves || event->op == TRACE_FLUSH)
        look->seen[event->level]++;
    if ((moves || event->op == TRACE_FLUSH) && !event->foreign)
        look->own[event->level]++;
    if (!moves)
        return;
    see_extent(look, event);
    if (event->length > look->largest[event->level])
        look->largest[event->level] = event->length;
}

/* Sizes are known of the devices that have come up. */
static void see_devices(struct replay_look *look, const struct trace *t)
{
    look->devices = trace_device_count(t);
    for (size_t i = 0; i < look->devices; i++)
        look->size[i] = trace_device(t, i)->size;
}

/* True: go on. The session may have seen enough meanwhile; events that come then are kept only. */
static bool add_batch(struct replay *r, int count)
{
    struct replay_look *look = &r->look;
    pthread_mutex_lock(&r->mutex);
    bool looked = r->looked;
    for (int i = 0; i < count && !looked; i++)
        see(look, &look->events[look->count + (size_t)i]);
    look->count += (size_t)count;
    if (!looked) {
        see_devices(look, r->trace);
    }
    look->whole = count == 0;
    pthread_mutex_unlock(&r->mutex);
    return !looked && count > 0 && look->count < REPLAY_AHEAD && !atomic_load(&r->stop);
}

static int look_at_begin(struct replay *r, struct err *e)
{
    struct replay_look *look = &r->look;
    int count;
    do {
        size_t room = REPLAY_AHEAD - look->count;
        count = trace_read(r->trace, look->events + look->count, room < BATCH ? room : BATCH, e);
        if (count < 0)
            return -1;
    } while (add_batch(r, count));
    return 0;
}

/* Something that can be read twice; a name that is none is the beginning of several files'. */
bool replay_is_file(const char *path)
{
    struct stat s;
    if (!strcmp(path, "-"))
        return false;
    return stat(path, &s) || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode);
}

static size_t devices_used(const struct replay_look *look, unsigned level)
{
    size_t used = 0;
    for (size_t i = 0; i < look->devices; i++)
        used += look->end[level][i] > 0;
    return used;
}

static bool sizes_told(const struct replay_look *look, unsigned level)
{
    for (size_t i = 0; i < look->devices; i++)
        if (look->end[level][i] > 0 && !look->size[i])
            return false;
    return true;
}

/* Do addresses depend on how far the devices of the trace reach? One device wraps without that. */
static bool mapping_asks(const struct replay *r)
{
    const struct replay_look *look = &r->look;
    if (r->plan.extent)
        return false;
    bool one = devices_used(look, TRACE_BLOCK) <= 1 && devices_used(look, TRACE_SYSCALL) <= 1;
    if (one && r->plan.mapping != MAP_SCALE)
        return false;
    return !sizes_told(look, TRACE_BLOCK) || !sizes_told(look, TRACE_SYSCALL);
}

/* The whole file once more, from its begin; what was seen already is seen again, which is no harm:
   only maxima and what there is at all are asked for. */
static int see_all(struct replay *r, struct err *e)
{
    struct trace_event events[BATCH];
    int count;
    while ((count = trace_read(r->again, events, BATCH, e)) > 0) {
        for (int i = 0; i < count; i++)
            see(&r->look, &events[i]);
        replay_progress(r, r->again);
        if (atomic_load(&r->stop))
            return 0;
    }
    see_devices(&r->look, r->again);
    r->look.all_seen = true;
    return count;
}

static int look_at_all(struct replay *r, struct err *e)
{
    if (replay_trace_open(&r->again, &r->plan, e))
        return -1;
    int status = see_all(r, e);
    trace_close(r->again);
    r->again = NULL;
    return status;
}

int replay_look_ahead(struct replay *r, struct err *e)
{
    if (look_at_begin(r, e))
        return -1;
    r->look.all_seen = r->look.whole;
    bool all = r->is_file && !r->look.whole && (r->plan.strict || mapping_asks(r));
    return all && !atomic_load(&r->stop) ? look_at_all(r, e) : 0;
}

int replay_trace_open(struct trace **t, const struct plan *plan, struct err *e)
{
    const char *const paths[] = {plan->trace};
    struct trace_options options = {.strict = plan->strict,
                                    .format = plan->trace_format[0] ? plan->trace_format : NULL};
    struct trace *opened = NULL;
    int status = trace_open(&opened, paths, 1, &options, e);
    *t = status ? NULL : opened;
    return status;
}

/* ---- what follows from it ---- */

static const char *const level_names[LEVELS] = {"block", "syscall"};

static int choose_level(struct replay *r, struct err *e)
{
    const struct replay_look *look = &r->look;
    const char *asked = r->plan.level;
    r->level = look->seen[TRACE_BLOCK] ? TRACE_BLOCK : TRACE_SYSCALL;
    for (unsigned level = 0; level < LEVELS; level++)
        if (!strcmp(asked, level_names[level]))
            r->level = level;
    if (look->seen[r->level])
        return 0;
    if (!look->seen[TRACE_BLOCK] && !look->seen[TRACE_SYSCALL])
        return err_set(e, ERR_USAGE, "%s: there is no read, write or flush in it%s", r->plan.trace,
                       look->all_seen ? "" : ", as far as it was looked at");
    return err_set(e, ERR_USAGE, "%s: --level %s: it holds events of the level %s only%s",
                   r->plan.trace, asked, level_names[!r->level],
                   look->all_seen ? "" : ", as far as it was looked at");
}

static uint32_t power_of_two_above(uint32_t length)
{
    uint32_t power = LARGEST_MIN;
    while (power < length && power < LARGEST_MAX)
        power *= 2;
    return power;
}

int replay_look_close(struct replay *r, struct err *e)
{
    if (choose_level(r, e))
        return -1;
    r->own_only = !r->plan.all_programs && r->look.own[r->level] > 0;
    r->largest = power_of_two_above(r->look.largest[r->level]);
    return 0;
}
