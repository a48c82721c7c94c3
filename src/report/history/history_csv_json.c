/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints histories as CSV (a line for each session) and as JSON. */
#include <string.h>

#include "facts/result.h"
#include "report/history/history_report.h"
#include "report/layout/fields.h"

static const char *unit_words(const void *session)
{
    const struct metric *metric = history_metric(session);
    return metric ? metric->unit : "";
}

static const char *check_words(const void *session)
{
    return prediction_check_name(((const struct history_session *)session)->check);
}

static const struct field session_fields[] = {
    FIELD_BOTH(history_session, date),
    FIELD_BOTH(history_session, metric),
    FIELD_BOTH(history_session, op),
    FIELD_WORDS(unit_words, "unit", "unit"),
    FIELD(history_session, mean, "value", "value"),
    FIELD(history_session, low, "ci_low", "ci_low"),
    FIELD(history_session, high, "ci_high", "ci_high"),
    FIELD_BOTH(history_session, confidence),
    FIELD_BOTH(history_session, seconds),
    FIELD_BOTH(history_session, next_low),
    FIELD_BOTH(history_session, next_high),
    FIELD_BOTH(history_session, memory),
    FIELD_BOTH(history_session, verdict),
    FIELD_WORDS(check_words, "check", "check"),
    FIELD_BOTH(history_session, predicted_low),
    FIELD_BOTH(history_session, predicted_high),
    FIELD_BOTH(history_session, level),
    FIELD_BOTH(history_session, busy),
    FIELD(history_session, version, "cupel", "cupel"),
    FIELD_LAST,
};

static void history_csv(const void *what, struct text *out)
{
    const struct histories *all = what;
    text_add(out, "target,workload");
    csv_add_names(out, session_fields);
    text_add(out, "\n");
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->rows[i].count; k++) {
            text_add_csv(out, all->rows[i].target);
            text_add(out, ",");
            text_add_csv(out, all->rows[i].workload);
            csv_add_fields(out, session_fields, &all->rows[i].sessions[k]);
            text_add(out, "\n");
        }
}

static const struct field level_fields[] = {
    FIELD(history_level, begin, NULL, "begin"),  FIELD(history_level, end, NULL, "end"),
    FIELD(history_level, mean, NULL, "value"),   FIELD(history_level, low, NULL, "ci_low"),
    FIELD(history_level, high, NULL, "ci_high"), FIELD_LAST,
};

static const char *answer_name(enum history_answer answer)
{
    static const char *const names[] = {[HISTORY_ONE] = "one_session",
                                        [HISTORY_SAME] = "same",
                                        [HISTORY_FASTER] = "faster",
                                        [HISTORY_SLOWER] = "slower",
                                        [HISTORY_OPEN] = "open"};
    return names[answer];
}

static const char *ground_name(enum history_ground ground)
{
    static const char *const names[] = {[GROUND_FIRST_SESSION] = "first_session",
                                        [GROUND_TREND] = "trend",
                                        [GROUND_LEVELS] = "levels",
                                        [GROUND_LAST_SESSION] = "last_session"};
    return names[ground];
}

static void history_json(const void *what, struct text *out)
{
    const struct histories *all = what;
    struct json j = json_report(out, "history");
    json_unsigned(&j, "unreadable", all->unreadable);
    json_begin_array(&j, "histories");
    for (size_t i = 0; i < all->count; i++) {
        const struct history *h = &all->rows[i];
        json_begin_object(&j, NULL);
        json_string(&j, "target", h->target);
        json_string(&j, "workload", h->workload);
        json_string(&j, "key", h->key);
        json_string(&j, "answer", answer_name(h->answer));
        json_string(&j, "ground", ground_name(h->ground));
        json_number(&j, "expected_low", h->expected_low);
        json_number(&j, "expected_high", h->expected_high);
        json_number(&j, "trend", h->trend);
        json_unsigned(&j, "predictions_checked", h->predictions.checked);
        json_unsigned(&j, "predictions_held", h->predictions.held);
        json_unsigned(&j, "predictions_left_out", h->predictions.left_out);
        json_unsigned(&j, "damaged_lines", h->damaged);
        json_records(&j, "levels", level_fields, h->levels, h->level_count, sizeof *h->levels);
        json_records(&j, "sessions", session_fields, h->sessions, h->count, sizeof *h->sessions);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

const struct report_kind history_report = {history_document, history_csv, history_json, NULL};
