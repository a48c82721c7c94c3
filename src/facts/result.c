/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contains the table of metrics, built from tables/metrics.h, and the functions that fill a
   result. */
#include "facts/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define METRIC_ENTRY(identifier, name, unit, kind, better, title, meaning)                         \
    [identifier] = {identifier, name,   unit, METRIC_KIND_##kind, METRIC_BETTER_##better,          \
                    title,      meaning},
static const struct metric metrics[METRIC_COUNT] = {METRIC_ROWS(METRIC_ENTRY)};

const struct metric *metric_of(enum metric_id id)
{
    return &metrics[id];
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {[VERDICT_PRECISE] = "precise",
                                        [VERDICT_LIMIT] = "limit",
                                        [VERDICT_INTERRUPTED] = "interrupted",
                                        [VERDICT_FAILED] = "failed",
                                        [VERDICT_CUT_SHORT] = "cut_short",
                                        [VERDICT_COMPLETE] = "complete",
                                        [VERDICT_SATURATED] = "saturated",
                                        [VERDICT_SUSPENDED] = "suspended",
                                        [VERDICT_DECIDED] = "decided",
                                        [VERDICT_MEASURED] = "measured",
                                        [VERDICT_DAMAGED] = "damaged",
                                        [VERDICT_UNCONFIRMED] = "unconfirmed",
                                        [VERDICT_BOTTLENECK] = "bottleneck",
                                        [VERDICT_MERGED] = "merged",
                                        [VERDICT_BEST_POSSIBLE] = "best_possible",
                                        [VERDICT_NO_LEVEL] = "no_level",
                                        [VERDICT_MOVES] = "moves",
                                        [VERDICT_CYCLES] = "cycles",
                                        [VERDICT_UNSETTLED] = "unsettled"};
    return names[verdict];
}

bool verdict_is_of_level(enum verdict verdict)
{
    return verdict == VERDICT_NO_LEVEL || verdict == VERDICT_MOVES || verdict == VERDICT_CYCLES;
}

bool verdict_is_imprecise(enum verdict verdict)
{
    return verdict == VERDICT_LIMIT || verdict == VERDICT_BEST_POSSIBLE ||
           verdict == VERDICT_UNSETTLED || verdict_is_of_level(verdict);
}

bool verdict_predicts_nothing(enum verdict verdict)
{
    return verdict == VERDICT_FAILED || verdict == VERDICT_DAMAGED || verdict == VERDICT_BOTTLENECK;
}

enum verdict verdict_of_level(enum verdict verdict, enum level_state level, bool held_back)
{
    if (!verdict_is_imprecise(verdict))
        return verdict;
    switch (level) {
    case LEVEL_MOVES:
        return VERDICT_MOVES;
    case LEVEL_WANDERS:
        return VERDICT_NO_LEVEL;
    case LEVEL_CYCLES:
        return VERDICT_CYCLES;
    case LEVEL_HOLDS:
    case LEVEL_STATES:
        break;
    }
    return verdict == VERDICT_LIMIT && held_back ? VERDICT_UNSETTLED : verdict;
}

const char *unseen_by_name(enum unseen_by by)
{
    static const char *const names[] = {[UNSEEN_SESSION] = "session",
                                        [UNSEEN_HISTORY] = "history",
                                        [UNSEEN_ASSUMED] = "assumption"};
    return names[by];
}

const char *clause_verdict_name(enum clause_verdict verdict)
{
    static const char *const names[] = {
        [CLAUSE_UNDECIDED] = "undecided", [CLAUSE_PASSED] = "pass", [CLAUSE_FAILED] = "fail"};
    return names[verdict];
}

const char *rate_verdict_name(enum rate_verdict verdict)
{
    static const char *const names[] = {[RATE_UNDECIDED] = "undecided",
                                        [RATE_HOLDS] = "holds",
                                        [RATE_FAILS] = "fails",
                                        [RATE_NOT_ISSUED] = "not issued"};
    return names[verdict];
}

const char *fidelity_measure_name(enum fidelity_measure measure)
{
    static const char *const names[FIDELITY_MEASURES] = {"", "ks", "earth_mover", "correlation"};
    return names[measure];
}

struct result_row *result_add(struct result *r, enum metric_id metric, const char *op, double value)
{
    /* returned when the table is full, so that the caller can write to it; its contents are never
       used */
    static _Thread_local struct result_row overflow;
    struct result_row *row = r->row_count < RESULT_ROWS_MAX ? &r->rows[r->row_count++] : &overflow;
    if (row == &overflow)
        result_note(r, true, "there is no room for the row of %s %s", metric_of(metric)->name, op);
    *row = (struct result_row){.metric = metric,
                               .value = value,
                               .low = NAN,
                               .high = NAN,
                               .next_low = NAN,
                               .next_high = NAN,
                               .confidence = NAN,
                               .effective_n = NAN};
    snprintf(row->op, sizeof row->op, "%s", op);
    return row;
}

const char result_backlog_words[] =
    "the target does not keep up with what falls due: response times are those of the backlog";

bool metric_is_response(enum metric_id metric)
{
    return metric_of(metric)->kind == METRIC_KIND_TIME && metric <= METRIC_LATENCY_MAX;
}

const char *result_title(const struct result *r, enum metric_id id)
{
    return id == METRIC_IOPS && r->rate_title[0] ? r->rate_title : metric_of(id)->title;
}

const char *result_op_word(const struct result *r, const char *op)
{
    return r->rate_title[0] || !strcmp(op, "all") ? "" : op;
}

void result_set_interval(struct result_row *row, double low, double high)
{
    const size_t used = strlen(row->note);
    row->low = fmax(low, 0);
    row->high = high;
    if (low < 0)
        snprintf(row->note + used, sizeof row->note - used, "%slower end cut at 0",
                 used ? "; " : "");
}

void result_set_prediction(struct result_row *row, double low, double high)
{
    const bool is_known = isfinite(low) && isfinite(high);
    row->next_low = is_known ? fmax(low, 0) : NAN;
    row->next_high = is_known ? high : NAN;
}

bool result_is_predicted(const struct result_row *row)
{
    return isfinite(row->next_low) && isfinite(row->next_high);
}

struct result_note *result_notes_next(struct result_note notes[], size_t max, size_t *count,
                                      size_t *left_out)
{
    if (*count < max)
        return &notes[(*count)++];
    *left_out += *left_out ? 1 : 2; /* this sentence takes the place of the last note */
    notes[max - 1].warning = true;
    snprintf(notes[max - 1].text, sizeof notes->text, "%zu more notes: there is no room for them",
             *left_out);
    return NULL;
}

void result_notes_add(struct result_note notes[], size_t max, size_t *count, size_t *left_out,
                      bool warning, const char *format, va_list arguments)
{
    struct result_note *note = result_notes_next(notes, max, count, left_out);
    if (!note)
        return;
    note->warning = warning;
    vsnprintf(note->text, sizeof note->text, format, arguments);
}

void result_note(struct result *r, bool warning, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result_notes_add(r->notes, RESULT_NOTES_MAX, &r->note_count, &r->notes_left_out, warning,
                     format, arguments);
    va_end(arguments);
}

const struct result_part *result_bottleneck(const struct result *r, const struct result_part *last)
{
    const struct result_part *next = NULL;
    for (const struct result_part *part = r->parts; part < r->parts + r->part_count; part++) {
        bool after = !last || part->saturated < last->saturated ||
                     (part > last && !(part->saturated > last->saturated));
        if (part->bottleneck && after && (!next || part->saturated > next->saturated))
            next = part;
    }
    return next;
}

static const struct result_row *find_row(const struct result_row rows[], size_t count,
                                         enum metric_id metric, const char *op)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].metric == metric && !strcmp(rows[i].op, op))
            return &rows[i];
    return NULL;
}

const struct result_row *result_find(const struct result *r, enum metric_id metric, const char *op)
{
    return find_row(r->rows, r->row_count, metric, op);
}

const struct result_row *result_session_find(const struct result_session *s, enum metric_id metric,
                                             const char *op)
{
    return find_row(s->rows, s->row_count, metric, op);
}

const char *result_missed(const struct result *r)
{
    static const char *const words[] = {[GOAL_PRECISION] = "the precision was not reached",
                                        [GOAL_WIDTHS] = "not every width was reached",
                                        [GOAL_CLAUSES] = "not every clause was decided",
                                        [GOAL_RUNTIME] = "the time of --runtime was not over",
                                        [GOAL_PASS] = "the workload was not at its end",
                                        [GOAL_MERGED] = ""};
    return words[r->goal];
}

const char *result_lack_words(const struct result *r, char *to, size_t size)
{
    const struct result_lack *lack = &r->lack;
    char time[UNITS_BUFFER];
    *to = '\0';
    switch (lack->kind) {
    case LACK_TIME:
        snprintf(to, size, "the minimum measuring time of %s (--min-time) was not over",
                 format_time(time, sizeof time, r->minimum_seconds * 1e9));
        break;
    case LACK_READINGS:
        snprintf(to, size, "the minimum number of readings, %llu, was not reached",
                 (unsigned long long)r->minimum_readings);
        break;
    case LACK_INDEPENDENT_READINGS:
        snprintf(to, size, "%s rests on %.0f of %.0f independent readings (--min-samples)",
                 *lack->of ? lack->of : "it", floor(lack->effective_n), lack->minimum_independent);
        break;
    case LACK_WIDTH:
        if (*lack->of)
            snprintf(to, size, "that of %s is +-%.3g %%", lack->of, 50 * lack->width);
        else
            snprintf(to, size, "with the allowance for stopping at a narrow one it is +-%.3g %%",
                     50 * lack->width);
        break;
    case LACK_LASTING_LEVEL:
        snprintf(to, size, "the target was at another level at the end");
        break;
    case LACK_SETTLED_LEVEL:
        level_doubt_words(to, size, &r->claim);
        break;
    case LACK_NOTHING:
        break;
    }
    return to;
}

const char *result_target_word(const struct result *r)
{
    static const struct {
        enum node_kind kind;
        bool tested; /* true: the part must be under test; false: it must be on the path */
        const char *word;
    } words[] = {{NODE_DISK, true, "disk"},          {NODE_MEMORY_DISK, true, "disk in memory"},
                 {NODE_LOOP, true, "loop device"},   {NODE_NETWORK, true, "network"},
                 {NODE_BOND, true, "network"},       {NODE_REMOTE, true, "network"},
                 {NODE_CPU_CORE, true, "processor"}, {NODE_REMOTE, false, "remote storage"},
                 {NODE_FILESYSTEM, false, "file"}};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (size_t i = 0; i < r->part_count; i++)
            if (r->parts[i].kind == words[w].kind &&
                (words[w].tested ? r->parts[i].under_test : r->parts[i].on_path))
                return words[w].word;
    return "target";
}
