/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the phase of a series in words. */
#include "report/layout/phase.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/layout/number.h"

#define CHANGEPOINTS_SHOWN 12

static void add_bytes_moved(const struct phase_view *v, size_t begin, size_t end, struct text *out)
{
    double bytes = 0;
    for (size_t i = begin; i < end; i++)
        if (isfinite(v->bandwidth[i]))
            bytes += v->bandwidth[i] * v->slice_seconds;
    char size[UNITS_BUFFER];
    text_addf(out, " (%s)", format_size(size, sizeof size, bytes));
}

/* Writes the length of the part from `begin` to before `end`: "1.2 s (21 MB)" or "60 readings". */
static void phase_add_length(const struct phase_view *v, size_t begin, size_t end, struct text *out)
{
    size_t length = end > begin ? end - begin : 0;
    if (v->slice_seconds <= 0) {
        text_addf(out, "%zu reading%s", length, length == 1 ? "" : "s");
        return;
    }
    char seconds[NUMBER_BUFFER];
    text_add(out, number_seconds(seconds, sizeof seconds, (double)length * v->slice_seconds));
    if (v->bandwidth)
        add_bytes_moved(v, begin, end, out);
}

/* Writes a position in the series: a time from its start, or the 0-based index of a reading. */
static void add_position(const struct phase_view *v, size_t position, struct text *out)
{
    char seconds[NUMBER_BUFFER];
    if (v->slice_seconds > 0)
        text_add(out, number_seconds(seconds, sizeof seconds, (double)position * v->slice_seconds));
    else
        text_addf(out, "reading %zu", position);
}

static void add_stretch(const struct phase_view *v, size_t begin, size_t end, struct text *out)
{
    text_add(out, "from ");
    add_position(v, begin, out);
    text_add(out, " to ");
    add_position(v, v->slice_seconds > 0 || end == 0 ? end : end - 1, out);
}

static void warmup_sentences(const struct phase_view *v, struct text *out)
{
    if (v->stable_begin == 0) {
        text_addf(out, "Still improving at the end: %s the first ",
                  v->no_level ? "the number is of" : "steady for");
        phase_add_length(v, 0, v->stable_end, out);
        text_add(out, "; the last ");
        phase_add_length(v, v->stable_end, v->count, out);
        text_add(out, " have a better level and were left out.");
        return;
    }
    text_add(out, "A warm-up of ");
    phase_add_length(v, 0, v->stable_begin, out);
    text_add(out, " was left out");
    /* The last change point in the warm-up: from it to the begin of the steady part, the level was
       still settling. */
    size_t begin = 0;
    for (size_t i = 0; i < v->changepoint_count && v->changepoints[i] <= v->stable_begin; i++)
        begin = v->changepoints[i];
    if (begin > 0 && begin != v->stable_begin) {
        text_add(out, ", the last ");
        phase_add_length(v, begin, v->stable_begin, out);
        text_add(out, " of it because the level was still settling");
    }
    if (v->no_level)
        text_add(out, "; the number is of the next ");
    else
        text_add(out, v->stable_end < v->count ? "; steady after it for "
                                               : "; steady after it to the end, ");
    if (v->stable_end < v->count) {
        phase_add_length(v, v->stable_begin, v->stable_end, out);
        text_add(out, ". The last ");
        phase_add_length(v, v->stable_end, v->count, out);
        text_add(out, " have another level and were left out too.");
    } else {
        phase_add_length(v, v->stable_begin, v->stable_end, out);
        text_add(out, ".");
    }
}

/* Describes a series with one level, and how thoroughly changes of the level were searched for. */
static void flat_sentences(const struct phase_view *v, struct text *out)
{
    bool single = v->slice_seconds <= 0 && v->count == 1;
    bool few = v->count < CHANGE_SEARCH_FULL_READINGS;
    switch (v->search) {
    case CHANGE_SEARCH_FULL:
        text_add(out, v->no_level ? "No step stands out: " : "Steady from start to end: ");
        break;
    case CHANGE_SEARCH_PLAIN:
        text_addf(out,
                  "No step and no trend is plain in %zu readings; smaller ones show from %d on: ",
                  v->count, CHANGE_SEARCH_FULL_READINGS);
        break;
    case CHANGE_SEARCH_NONE:
        if (few)
            text_addf(out, "%zu reading%s: too few to find a change of the level: ", v->count,
                      v->count == 1 ? "" : "s");
        else
            text_add(out, "No change of the level was looked for: ");
        break;
    }
    text_add(out, single ? "the " : "all ");
    phase_add_length(v, 0, v->count, out);
    text_add(out, single ? " counts." : " count.");
}

static void unsteady_sentences(const struct phase_view *v, struct text *out)
{
    if (v->changepoint_count == 0) {
        text_add(out, "No steady state: the level moves from start to end. The number is the mean "
                      "of everything and stands for no level.");
        return;
    }
    text_addf(out, "No steady state: %zu change point%s, and no part between them is longer than ",
              v->changepoint_count, v->changepoint_count == 1 ? "" : "s");
    struct phase_view time_only = *v;
    time_only.bandwidth = NULL;
    text_add(out, "half of ");
    phase_add_length(&time_only, 0, v->count, out);
    text_add(out, ". ");
    if (v->stable_begin == 0 && v->stable_end == v->count) {
        text_add(out, "The number is the mean of everything and stands for no level.");
    } else {
        text_add(out, "The number is of the longest part, ");
        add_stretch(v, v->stable_begin, v->stable_end, out);
        text_add(out, ".");
    }
}

/* Adds the dips within the steady part. Change points there come in pairs, the begin and end of a
   dip (stat/change/segment.h). */
static void add_dips(const struct phase_view *v, struct text *out)
{
    size_t first = 0;
    while (first < v->changepoint_count && v->changepoints[first] <= v->stable_begin)
        first++;
    for (size_t i = first; i + 1 < v->changepoint_count && v->changepoints[i + 1] < v->stable_end;
         i += 2) {
        text_add(out, i == first ? " It was at another level " : ", and ");
        add_stretch(v, v->changepoints[i], v->changepoints[i + 1], out);
    }
    if (first + 1 < v->changepoint_count && v->changepoints[first + 1] < v->stable_end)
        text_add(out, "; that counts too, since it may come back.");
}

void phase_sentences(const struct phase_view *v, struct text *out)
{
    bool whole = v->stable_begin == 0 && v->stable_end == v->count;
    if (v->count == 0)
        return;
    if (!strcmp(v->phase, "no_steady_state")) {
        unsteady_sentences(v, out);
        return;
    }
    if (!strcmp(v->phase, "warmup")) {
        warmup_sentences(v, out);
    } else if (!strcmp(v->phase, "slowdown")) {
        bool before = v->stable_end < v->count;
        text_add(out,
                 v->slice_seconds > 0 ? "It slowed down after " : "The level got worse after ");
        phase_add_length(v, 0, before ? v->stable_end : v->stable_begin, out);
        text_addf(out, ". The number is of the %spart %s", v->no_level ? "" : "steady ",
                  before ? "before that, " : "since then, ");
        add_stretch(v, v->stable_begin, v->stable_end, out);
        text_add(out, "; the rest was left out.");
    } else if (!strcmp(v->phase, "flat") && whole) {
        flat_sentences(v, out);
    } else if (!strcmp(v->phase, "flat")) {
        text_add(out, v->no_level ? "The number is of the part " : "Steady ");
        add_stretch(v, v->stable_begin, v->stable_end, out);
        text_add(out, "; the rest was left out.");
    }
    add_dips(v, out);
}

void phase_changepoints(const struct phase_view *v, struct text *out)
{
    if (v->changepoint_count == 0)
        return;
    text_add(out, v->changepoint_count == 1 ? "Change point at " : "Change points at ");
    for (size_t i = 0; i < v->changepoint_count && i < CHANGEPOINTS_SHOWN; i++) {
        if (i > 0)
            text_add(out, ", ");
        add_position(v, v->changepoints[i], out);
        if (v->bandwidth)
            add_bytes_moved(v, 0, v->changepoints[i], out);
    }
    if (v->changepoint_count > CHANGEPOINTS_SHOWN)
        text_addf(out, " and %zu more", v->changepoint_count - CHANGEPOINTS_SHOWN);
    text_add(out, ".");
}
