/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints histories as a document: whether the disk is still as fast as at first, how many
 * predictions held, and each session with its interval on one axis, with the dates on which the
 * level changed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "facts/result.h"
#include "report/history/history_report.h"
#include "report/html/chart.h"
#include "report/layout/number.h"

enum {
    DATE_WIDTH = 16, /* 2026-11-28 18:13 */
    VALUE_WIDTH = 11,
    END_WIDTH = 9,
    AXIS_MIN = 10,
    NOTE_WIDTH = 11,
    SHOWN = 12, /* maximum of sessions on a screen */
    TARGET_WIDTH = 26,
    WORDS_WIDTH = 30
};

/* ---- numbers ---- */

const struct metric *history_metric(const struct history_session *s)
{
    for (int id = 0; id < METRIC_COUNT; id++)
        if (!strcmp(metric_of((enum metric_id)id)->name, s->metric))
            return metric_of((enum metric_id)id);
    return NULL;
}

static enum metric_kind kind_of(const struct history_session *s)
{
    const struct metric *metric = history_metric(s);
    return metric ? metric->kind : METRIC_KIND_NUMBER;
}

/* Adds a value with its title: "18.2k read IOPS". */
static void add_value(const struct history_session *s, double value, struct text *out)
{
    const struct metric *metric = history_metric(s);
    char number[NUMBER_BUFFER];
    struct number_scale scale = number_scale_of(kind_of(s), value, s->low, s->high);
    const bool is_rate = metric && metric->kind == METRIC_KIND_COUNT_RATE;
    text_addf(out, "%s%s%s%s%s", number_scaled(number, sizeof number, &scale, value),
              strcmp(s->op, "all") ? " " : "", strcmp(s->op, "all") ? s->op : "",
              is_rate ? " " : "", is_rate ? metric->title : "");
}

static void add_range(const struct history_session *s, double low, double high, struct text *out)
{
    char from[NUMBER_BUFFER], to[NUMBER_BUFFER];
    struct number_scale scale = number_scale_of(kind_of(s), s->mean, low, high), bare = scale;
    if (scale.suffix[0] == ' ')
        bare.suffix = "";
    text_addf(out, "%s to %s", number_scaled(from, sizeof from, &bare, low),
              number_scaled(to, sizeof to, &scale, high));
}

/* Writes the date of a session. If all sessions are of one day, the time of day is added. */
static const char *date_of(char to[DATE_WIDTH + 1], const struct history *h,
                           const struct history_session *s)
{
    const bool one_day = !strncmp(h->sessions[0].date, h->sessions[h->count - 1].date, 10);
    snprintf(to, DATE_WIDTH + 1, "%.*s", one_day && h->count > 1 ? DATE_WIDTH : 10, s->date);
    if (strlen(to) > 10)
        to[10] = ' ';
    return to;
}

static void add_change(double before, double after, struct text *out)
{
    text_addf(out, "%+.2g %%", 100 * (after / before - 1));
}

/* ---- the answer ---- */

static void add_ground(const struct history *h, struct text *out)
{
    const struct history_session *first = &h->sessions[0], *last = &h->sessions[h->count - 1];
    const struct history_level *level = h->level_count ? &h->levels[h->level_count - 1] : NULL;
    char date[DATE_WIDTH + 1];
    switch (h->ground) {
    case GROUND_FIRST_SESSION:
        add_value(last, last->mean, out);
        text_addf(out, " on %s, %s the ", date_of(date, h, last),
                  h->answer == HISTORY_SAME ? "inside" : "outside of");
        add_range(last, h->expected_low, h->expected_high, out);
        text_add(out, " that the first session predicted for a repetition");
        break;
    case GROUND_LAST_SESSION:
        add_value(last, last->mean, out);
        text_addf(out, " on %s, outside of the ", date_of(date, h, last));
        add_range(last, h->expected_low, h->expected_high, out);
        text_addf(out,
                  " of the %zu sessions before it (99 %%); two more sessions say whether that "
                  "is a new level",
                  level ? level->end - level->begin - 1 : 0);
        break;
    case GROUND_TREND:
        text_addf(out,
                  "it %s from session to session, by %.2g %% from the first to the last of %zu",
                  h->trend < 0 ? "falls" : "rises", 100 * fabs(h->trend / first->mean), h->count);
        break;
    case GROUND_LEVELS:
        add_value(last, level ? level->mean : last->mean, out);
        if (h->level_count < 2) {
            text_addf(out, ", and no change of the level in %zu sessions", h->count);
            break;
        }
        text_addf(out, " since %s, ", date_of(date, h, &h->sessions[level->begin]));
        add_value(first, h->levels[0].mean, out);
        text_add(out, " at first (");
        add_change(h->levels[0].mean, level->mean, out);
        text_add(out, ")");
        break;
    }
}

static void add_answer(const struct history *h, struct document *out)
{
    const struct history_session *first = &h->sessions[0];
    static const struct {
        const char *words;
        enum tone tone;
    } answers[] = {[HISTORY_ONE] = {"ONE SESSION: ", TONE_PLAIN},
                   [HISTORY_SAME] = {"AS FAST AS ON %s: ", TONE_GREEN},
                   [HISTORY_FASTER] = {"FASTER THAN ON %s: ", TONE_YELLOW},
                   [HISTORY_SLOWER] = {"SLOWER THAN ON %s: ", TONE_RED},
                   [HISTORY_OPEN] = {"NOT COMPARED: ", TONE_YELLOW}};
    char lead[48], date[DATE_WIDTH + 1];
    struct text words = {0};
    if (h->answer == HISTORY_ONE || h->answer == HISTORY_OPEN)
        snprintf(lead, sizeof lead, "%s", answers[h->answer].words);
    else
        snprintf(lead, sizeof lead,
                 h->answer == HISTORY_SAME     ? "AS FAST AS ON %s: "
                 : h->answer == HISTORY_FASTER ? "FASTER THAN ON %s: "
                                               : "SLOWER THAN ON %s: ",
                 date_of(date, h, first));
    if (h->answer == HISTORY_ONE) {
        add_value(first, first->mean, &words);
        text_addf(&words, " on %.10s", first->date);
        if (isfinite(first->next_low)) {
            text_add(&words, "; a repetition should give ");
            add_range(first, first->next_low, first->next_high, &words);
        }
    } else if (h->answer == HISTORY_OPEN) {
        text_add(&words, "the first session and the last one are no repetitions of one another: "
                         "their lengths, their metrics or the load of other programs differ, or "
                         "the first one predicts nothing");
    } else {
        add_ground(h, &words);
        if (h->level_count ? h->of_busy : h->sessions[h->count - 1].busy[0] != '\0')
            text_add(&words, "; other programs used the machine in these sessions, and the number "
                             "is not of the disk alone");
    }
    document_paragraph_from(out, lead, answers[h->answer].tone, &words);
}

static void add_counts(const struct history *h, struct document *out)
{
    struct text words = {0};
    if (h->predictions.checked == 1)
        text_addf(&words, "The last prediction for this disk %s",
                  h->predictions.held ? "held" : "did not hold");
    else if (h->predictions.checked)
        text_addf(&words, "Of the last %llu predictions for this disk %llu held",
                  (unsigned long long)h->predictions.checked,
                  (unsigned long long)h->predictions.held);
    if (h->predictions.left_out)
        text_addf(&words, "%s%llu left out: no repetition%s of the session before",
                  words.length ? "; " : "", (unsigned long long)h->predictions.left_out,
                  h->predictions.left_out == 1 ? "" : "s");
    if (h->count < h->needed)
        text_addf(&words, "%sChanges of the level are looked for from %zu sessions on",
                  words.length ? ". " : "", h->needed);
    if (h->damaged)
        text_addf(&words, ". %zu damaged line%s of the history left out", h->damaged,
                  h->damaged == 1 ? "" : "s");
    if (words.length)
        text_add(&words, ".");
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

/* ---- the sessions on one axis ---- */

struct axis {
    double low, high;
    size_t width;
};

static struct axis axis_of(const struct history *h, size_t begin, const struct report_style *style)
{
    const size_t taken = 2 + DATE_WIDTH + VALUE_WIDTH + 2 * END_WIDTH + NOTE_WIDTH + 4;
    const size_t width = layout_width(style);
    struct axis axis = {INFINITY, -INFINITY, width > taken + AXIS_MIN ? width - taken : AXIS_MIN};
    for (size_t i = begin; i < h->count; i++) {
        const struct history_session *s = &h->sessions[i];
        axis.low = fmin(axis.low, isfinite(s->low) ? s->low : s->mean);
        axis.high = fmax(axis.high, isfinite(s->high) ? s->high : s->mean);
    }
    return axis;
}

static size_t place(const struct axis *axis, double value)
{
    const double share = (value - axis->low) / (axis->high - axis->low);
    const double at = axis->high > axis->low ? share * (double)(axis->width - 1) : 0;
    return (size_t)fmin(fmax(round(at), 0), (double)(axis->width - 1));
}

/* Draws the interval as a line with the mean on it: " |---o---| ". */
static void draw_interval(const struct history_session *s, const struct axis *axis,
                          struct document *out)
{
    char line[200];
    const size_t width = axis->width < sizeof line ? axis->width : sizeof line - 1;
    memset(line, ' ', width);
    line[width] = '\0';
    /* a file may contain anything */
    if (isfinite(s->low) && isfinite(s->high) && s->low <= s->high) {
        const size_t from = place(axis, s->low), to = place(axis, s->high);
        memset(line + from, '-', to - from + 1);
        line[from] = line[to] = '|';
    }
    line[place(axis, s->mean)] = 'o';
    document_left(out, line, axis->width);
}

static void add_session(const struct history_session *s, const struct axis *axis,
                        struct document *out)
{
    char date[sizeof s->date], cell[NUMBER_BUFFER];
    snprintf(date, sizeof date, "%.*s", DATE_WIDTH, s->date);
    if (strlen(date) > 10)
        date[10] = ' ';
    document_add(out, "  ");
    document_left(out, date, DATE_WIDTH);
    document_interval(out, kind_of(s), (const double[]){s->mean, s->low, s->high}, VALUE_WIDTH,
                      END_WIDTH);
    document_add(out, "  ");
    if (!out->style.page) { /* a page has a figure instead */
        draw_interval(s, axis, out);
        document_add(out, "  ");
    }
    document_tone(out, s->check == PREDICTION_MISSED ? TONE_YELLOW : TONE_PLAIN);
    snprintf(cell, sizeof cell, "%s%s%s", prediction_check_name(s->check),
             s->check != PREDICTION_NONE && s->busy[0] ? ", " : "", s->busy[0] ? "busy" : "");
    document_left(out, cell, 0);
    document_end_row(out);
}

static void add_cut(const struct history *h, size_t level, struct document *out)
{
    const struct history_level *before = &h->levels[level - 1], *after = &h->levels[level];
    char from[DATE_WIDTH + 1], to[DATE_WIDTH + 1];
    struct text words = {0};
    add_value(&h->sessions[after->begin], before->mean, &words);
    text_add(&words, " to ");
    add_value(&h->sessions[after->begin], after->mean, &words);
    text_add(&words, " (");
    add_change(before->mean, after->mean, &words);
    text_addf(&words, "), between %s and %s", date_of(from, h, &h->sessions[after->begin - 1]),
              date_of(to, h, &h->sessions[after->begin]));
    document_paragraph_from(out, "  -- the level changed: ", TONE_YELLOW, &words);
}

static void add_sessions(const struct history *h, struct document *out)
{
    const bool all = out->style.full || out->style.page;
    const size_t begin = !all && h->count > SHOWN ? h->count - SHOWN : 0;
    const struct axis axis = axis_of(h, begin, &out->style);
    const struct layout_column titles[] = {{"", 2},
                                           {"began (UTC)", -DATE_WIDTH},
                                           {"value", VALUE_WIDTH},
                                           {"low", END_WIDTH},
                                           {"high", END_WIDTH},
                                           {"", 2 + (out->style.page ? 0 : (int)axis.width + 2)},
                                           {"prediction", -NOTE_WIDTH}};
    if (begin)
        document_line(out, "  %zu earlier sessions (--full shows them)", begin);
    document_titles(out, titles, sizeof titles / sizeof *titles);
    for (size_t i = begin; i < h->count; i++) {
        if (i > begin && h->sessions[i].level != h->sessions[i - 1].level)
            add_cut(h, h->sessions[i].level, out);
        add_session(&h->sessions[i], &axis, out);
    }
}

/* ---- the figure of a page ---- */

/* Returns an ISO 8601 date in UTC as seconds since 1970; NaN if it is none. */
static double instant_of(const char *date)
{
    struct tm tm = {0};
    const char *end = strptime(date, "%Y-%m-%dT%H:%M:%S", &tm);
    return end ? (double)timegm(&tm) : (double)NAN;
}

static void draw_page(const void *what, size_t number, struct text *out)
{
    const struct history *h = &((const struct histories *)what)->rows[number];
    const size_t n = h->count;
    double *values = malloc(4 * n * sizeof *values);
    struct chart_mark marks[HISTORY_LEVELS_MAX];
    struct chart chart = {.title = "Sessions over time",
                          .words = "each with its own interval; marks: the level changed",
                          .x_label = "since the first session",
                          .x_kind = METRIC_KIND_SECONDS,
                          .y_kind = kind_of(&h->sessions[0]),
                          .marks = marks,
                          .line_count = 1};
    if (!values) {
        out->failed = true;
        return;
    }
    double *x = values, *y = x + n, *low = y + n, *high = low + n;
    const double begin = instant_of(h->sessions[0].date);
    for (size_t i = 0; i < n; i++) {
        const struct history_session *s = &h->sessions[i];
        const double seconds = instant_of(s->date) - begin;
        /* An axis must ascend, even if the machine's clock was set back. */
        x[i] = isfinite(seconds) && (!i || seconds > x[i - 1]) ? seconds : i ? x[i - 1] + 0.1 : 0;
        y[i] = s->mean;
        low[i] = isfinite(s->low) ? s->low : s->mean;
        high[i] = isfinite(s->high) ? s->high : s->mean;
    }
    for (size_t i = 1; i < h->level_count; i++) {
        const size_t at = h->levels[i].begin;
        marks[chart.mark_count++] =
            (struct chart_mark){(x[at - 1] + x[at]) / 2, h->sessions[at].date};
    }
    chart.x = x;
    chart.count = n;
    chart.lines[0] =
        (struct chart_line){.name = h->sessions[0].metric, .y = y, .low = low, .high = high};
    chart_add(out, &chart);
    free(values);
}

/* ---- the whole document ---- */

static void add_history(const struct histories *all, size_t number, struct document *out)
{
    const struct history *h = &all->rows[number];
    add_answer(h, out);
    add_counts(h, out);
    document_line(out, "%s on %s", h->workload, h->target);
    document_figure(out, (struct figure){.page = draw_page, .context = all, .number = number});
    add_sessions(h, out);
}

/* Adds a table with one line for each history, for reports on many of them. */
static void add_list(const struct histories *all, struct document *out)
{
    static const char *const answers[] = {[HISTORY_ONE] = "-",
                                          [HISTORY_SAME] = "as fast as at first",
                                          [HISTORY_FASTER] = "faster",
                                          [HISTORY_SLOWER] = "SLOWER",
                                          [HISTORY_OPEN] = "not compared"};
    static const struct layout_column titles[] = {
        {"target", -TARGET_WIDTH},       {"", 1}, {"workload", -WORDS_WIDTH}, {"n", 4}, {"", 2},
        {"since the first session", -20}};
    document_titles(out, titles, sizeof titles / sizeof *titles);
    for (size_t i = 0; i < all->count; i++) {
        const struct history *h = &all->rows[i];
        char cell[200];
        document_left(out, layout_shorten(cell, sizeof cell, h->target, TARGET_WIDTH),
                      TARGET_WIDTH + 1);
        document_left(out, layout_shorten(cell, sizeof cell, h->workload, WORDS_WIDTH),
                      WORDS_WIDTH);
        snprintf(cell, sizeof cell, "%zu", h->count);
        document_right(out, cell, 4);
        document_add(out, "  ");
        document_tone(out, h->answer == HISTORY_SLOWER ? TONE_RED : TONE_PLAIN);
        document_left(out, answers[h->answer], 0);
        document_end_row(out);
    }
}

void history_document(const void *what, struct document *out)
{
    const struct histories *all = what;
    document_title(out, all->count == 1 ? all->rows[0].target : "Histories");
    if (all->count > 1)
        add_list(all, out);
    const bool each = all->count == 1 || out->style.full || out->style.page;
    for (size_t i = 0; i < all->count && each; i++) {
        if (all->count > 1)
            document_heading(out, all->rows[i].target);
        add_history(all, i, out);
    }
    if (all->unreadable)
        document_line(out,
                      all->of_machine ? "%zu file%s could not be read."
                                      : "%zu record%s could not be read, or measured no mean.",
                      all->unreadable, all->unreadable == 1 ? "" : "s");
}
