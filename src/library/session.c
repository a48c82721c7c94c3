/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the session of a program that uses the library: settings, metrics and their readings. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/version.h"
#include "library/internal.h"

#define READINGS_FIRST 1024

int cupel_header_version(void)
{
    return CUPEL_HEADER_VERSION;
}

const char *cupel_version_text(void)
{
    return cupel_version;
}

struct cupel_session *cupel_session_new(struct cupel_error *error)
{
    struct err e;
    struct cupel_session *s = calloc(1, sizeof *s);
    if (!s) {
        err_no_memory(&e, "a session");
        library_fail(error, &e);
        return NULL;
    }
    plan_init(&s->plan);
    return s;
}

void cupel_session_free(struct cupel_session *session)
{
    if (!session)
        return;
    for (size_t i = 0; i < session->metric_count; i++) {
        free(session->metrics[i].readings);
        free(session->metrics[i].limits);
    }
    work_session_free(&session->work);
    arena_free(&session->scratch);
    free(session);
}

/* ---- settings ---- */

static int set(struct plan *plan, const char *name, const char *value, struct err *e)
{
    const struct option_row *row = plan_field(name);
    if (!row || (row->group != PLAN_STATISTICS && row->group != PLAN_DURATION))
        return err_set(e, ERR_USAGE,
                       "\"%.40s\" is no setting of a session; preset, ci, confidence, min-samples, "
                       "changepoint, interval, autocorr, min-time and limit are",
                       name);
    if (option_store_value(row, value, plan, e))
        return err_context(e, "%s %.40s", name, value);
    if (plan_refuse_width(plan, e))
        return -1;
    if (plan->statistics.period_seconds > 0)
        return err_set(e, ERR_USAGE, "interval %.40s: a method is needed, spectral or pilot",
                       value);
    return row->offset == offsetof(struct plan, statistics.preset)
               ? plan_apply_preset(plan, value, e)
               : 0;
}

int cupel_set(struct cupel_session *session, const char *name, const char *value,
              struct cupel_error *error)
{
    struct err e;
    if (library_is_there(session, &e))
        return library_fail(error, &e);
    struct plan changed = session->plan;
    if (set(&changed, name, value, &e))
        return library_fail(error, &e);
    session->plan = changed;
    if (!strcmp(name, "min-samples"))
        session->fewest = changed.statistics.minimum_subsessions;
    else if (!strcmp(name, "preset"))
        session->fewest = 0;
    session->fitted = session->next_fit = 0;
    for (size_t i = 0; i < session->metric_count; i++)
        metric_forget(&session->metrics[i]);
    return 0;
}

/* ---- metrics ---- */

static int check_metric(const struct cupel_session *s, const char *name, unsigned flags,
                        struct err *e)
{
    const unsigned all = CUPEL_LOWER_IS_BETTER | CUPEL_HARMONIC | CUPEL_PROPORTION |
                         CUPEL_INFORMATIVE | CUPEL_TIMED | CUPEL_PROCESSOR_TIME;
    const unsigned rate = CUPEL_HARMONIC | CUPEL_TIMED;
    if (flags & ~all)
        return err_set(e, ERR_USAGE, "metric \"%.63s\": %#x is not one of its flags", name,
                       flags & ~all);
    if ((flags & CUPEL_PROPORTION) && (flags & rate))
        return err_set(e, ERR_USAGE,
                       "metric \"%.63s\": a proportion is neither a rate nor timed; leave "
                       "CUPEL_HARMONIC and CUPEL_TIMED out",
                       name);
    if ((flags & rate) == rate && (flags & CUPEL_LOWER_IS_BETTER))
        return err_set(e, ERR_USAGE,
                       "metric \"%.63s\": seconds per unit of work are no rate; leave "
                       "CUPEL_HARMONIC out",
                       name);
    if ((flags & (CUPEL_TIMED | CUPEL_PROCESSOR_TIME)) == CUPEL_PROCESSOR_TIME)
        return err_set(e, ERR_USAGE, "metric \"%.63s\": CUPEL_PROCESSOR_TIME needs CUPEL_TIMED",
                       name);
    if (strlen(name) >= sizeof s->metrics[0].name)
        return err_set(e, ERR_USAGE, "metric \"%.40s...\": a name has at most %zu bytes", name,
                       sizeof s->metrics[0].name - 1);
    if ((flags & CUPEL_TIMED) && library_has_range(s))
        return err_set(e, ERR_USAGE, LIBRARY_TIMED_WORK, name);
    if (s->metric_count == CUPEL_METRICS_MAX)
        return err_set(e, ERR_USAGE, "metric \"%.63s\": a session has at most %d", name,
                       CUPEL_METRICS_MAX);
    return 0;
}

static enum mean_kind kind_of(unsigned flags)
{
    if (flags & CUPEL_PROPORTION)
        return MEAN_PROPORTION;
    bool rate = (flags & CUPEL_TIMED) && !(flags & CUPEL_LOWER_IS_BETTER);
    return rate || (flags & CUPEL_HARMONIC) ? MEAN_HARMONIC : MEAN_ARITHMETIC;
}

int cupel_metric(struct cupel_session *session, const char *name, unsigned flags,
                 struct cupel_error *error)
{
    struct err e;
    if (library_is_there(session, &e) || check_metric(session, name, flags, &e))
        return library_fail(error, &e);
    struct library_metric *m = &session->metrics[session->metric_count];
    *m = (struct library_metric){.flags = flags, .kind = kind_of(flags)};
    snprintf(m->name, sizeof m->name, "%s", name);
    return (int)session->metric_count++;
}

/* ---- readings ---- */

int cupel_set_width(struct cupel_session *session, int metric, double width,
                    struct cupel_error *error)
{
    struct err e;
    struct library_metric *m = library_metric_of(session, metric, &e);
    if (!m)
        return library_fail(error, &e);
    if (!(width >= 0 && isfinite(width))) {
        err_set(&e, ERR_USAGE, "metric \"%s\": a width of %g; it is 0 or more, in its unit",
                m->name, width);
        return library_fail(error, &e);
    }
    m->width = width;
    metric_forget(m);
    return 0;
}

int64_t cupel_readings(struct cupel_session *session, int metric, double to[], size_t capacity,
                       struct cupel_error *error)
{
    struct err e;
    const struct library_metric *m = library_metric_of(session, metric, &e);
    if (!m)
        return library_fail(error, &e);
    const size_t count = m->count < capacity ? m->count : capacity;
    if (count)
        memcpy(to, m->readings, count * sizeof *to);
    return (int64_t)m->count;
}

static int make_room(struct library_metric *m, size_t readings, struct err *e)
{
    if (readings <= m->capacity)
        return 0;
    double *more =
        readings <= SIZE_MAX / sizeof *more ? realloc(m->readings, readings * sizeof *more) : NULL;
    if (!more)
        return err_no_memory(e, "%zu readings of metric \"%s\"", readings, m->name);
    m->readings = more;
    m->capacity = readings;
    return 0;
}

int metric_append(struct library_metric *m, const double readings[], size_t count, struct err *e)
{
    size_t needed = m->count + count, twice = m->capacity ? 2 * m->capacity : READINGS_FIRST;
    if (needed > m->capacity && make_room(m, needed > twice ? needed : twice, e))
        return -1;
    if (count)
        memcpy(m->readings + m->count, readings, count * sizeof *readings);
    m->count = needed;
    return 0;
}

int cupel_reserve(struct cupel_session *session, size_t readings, struct cupel_error *error)
{
    struct err e;
    if (library_is_there(session, &e) || library_scratch(session, readings, &e))
        return library_fail(error, &e);
    for (size_t i = 0; i < session->metric_count; i++)
        if (make_room(&session->metrics[i], readings, &e))
            return library_fail(error, &e);
    return 0;
}

static int check_reading(const struct library_metric *m, double x, struct err *e)
{
    if (!isfinite(x))
        return err_set(e, ERR_USAGE, "metric \"%s\": a reading of %g; readings are finite", m->name,
                       x);
    if (!reading_fits(x))
        return err_set(e, ERR_USAGE,
                       "metric \"%s\": a reading of %g is too large: readings are of at most 1e60",
                       m->name, x);
    if (m->kind == MEAN_HARMONIC && !(x > 0))
        return err_set(e, ERR_USAGE, "metric \"%s\": a reading of %g; rates are above 0", m->name,
                       x);
    if (m->kind == MEAN_PROPORTION && x != 0 && x != 1)
        return err_set(e, ERR_USAGE,
                       "metric \"%s\": a reading of %g; those of a proportion are 0 or 1", m->name,
                       x);
    return 0;
}

int cupel_push(struct cupel_session *session, int metric, const double readings[], size_t count,
               struct cupel_error *error)
{
    struct err e;
    struct library_metric *m = library_metric_of(session, metric, &e);
    if (!m)
        return library_fail(error, &e);
    for (size_t i = 0; i < count; i++)
        if (check_reading(m, readings[i], &e))
            return library_fail(error, &e);
    if (!session->trial && metric_append(m, readings, count, &e))
        return library_fail(error, &e);
    return 0;
}
