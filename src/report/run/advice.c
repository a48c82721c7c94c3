/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the one thing to do about a result, in a sentence or two: an answer to its most severe
   problem. */
#include <math.h>
#include <string.h>

#include "facts/result.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

/* The computed time is multiplied by this, because the needed time depends on chance. */
#define TIME_RESERVE 1.2
/* Repeating a measurement is only suggested if the new one is at least this many times as long. */
#define LONGER 4
/* A longer measurement than this is not suggested. */
#define HOPELESS_SECONDS (30 * 86400.0)

/* Round values for --limit. */
struct limit_choice {
    double seconds;
    const char *typed;
};

static const struct limit_choice *limit_of(double seconds)
{
    static const struct limit_choice choices[] = {{60, "1m"},   {120, "2m"},   {300, "5m"},
                                                  {600, "10m"}, {1800, "30m"}, {3600, "1h"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (seconds <= choices[i].seconds)
            return &choices[i];
    return NULL;
}

static double relative_width(const struct result_row *row)
{
    return row && row->value != 0 ? (row->high - row->low) / fabs(row->value) : NAN;
}

/* Returns the time in which a session is expected to reach the requested width. */
static double needed_seconds(const struct result *r, double width, double elapsed)
{
    const struct level_claim *c = &r->claim;
    const double judged = c->needed_readings * c->reading_seconds;
    if (isfinite(judged) && judged > 0)
        return TIME_RESERVE * fmax(judged, elapsed);
    return TIME_RESERVE * elapsed * pow(width / r->target_width, 2);
}

/* Adds how much longer to measure: "about 9 min would do (--limit 10m)", "--limit 10m would give
   about +-7 %". */
static void add_longer(const struct result *r, double width, double elapsed, struct text *out)
{
    const double needed = needed_seconds(r, width, elapsed);
    const struct limit_choice *enough = limit_of(needed), *longer = limit_of(LONGER * elapsed);
    char words[NUMBER_BUFFER];
    if (needed > HOPELESS_SECONDS)
        text_add(out, ": more time would hardly narrow it");
    else if (enough || !longer)
        text_addf(out, ": about %s would do (--limit%s%s)",
                  number_seconds(words, sizeof words, needed), enough ? " " : "",
                  enough ? enough->typed : "");
    else
        text_addf(out, ": --limit %s would give about %s", longer->typed,
                  number_precision(words, sizeof words,
                                   width * pow(elapsed / longer->seconds, 0.5 - r->claim.memory)));
}

/* Adds the reached and the requested precision: "+-18 %, +-5 % was asked for: about 9 min would do
   (--limit 10m)". */
static void add_precision(const struct result *r, const struct result_row *row, struct text *out)
{
    char reached[NUMBER_BUFFER], asked[NUMBER_ASKED];
    const double width = relative_width(row);
    const struct result_row *elapsed = elapsed_row(r);
    number_asked(asked, sizeof asked, r->target_width, r->width_given);
    if (!isfinite(width)) {
        text_addf(out, "Too few readings for an interval, %s was asked for (--limit)", asked);
        return;
    }
    text_addf(out, "%s, %s was asked for", number_precision(reached, sizeof reached, width), asked);
    if (elapsed && elapsed->value > 0 && width > r->target_width)
        add_longer(r, width, elapsed->value, out);
    else
        text_add(out, " (--limit)");
}

static const struct result_clause *clause_with(const struct result *r, enum clause_verdict verdict)
{
    for (size_t i = 0; i < r->clause_count; i++)
        if (!r->clauses[i].is_width && r->clauses[i].verdict == verdict)
            return &r->clauses[i];
    return NULL;
}

static void add_open_clause(const struct result_clause *c, struct text *out)
{
    char seconds[NUMBER_BUFFER];
    if (isfinite(c->more_seconds) && c->more_seconds > 0)
        text_addf(out, "About %s more would decide %s (--limit, --runtime).",
                  number_seconds(seconds, sizeof seconds, c->more_seconds), c->text);
    else
        text_addf(out, "%s is too close to its limit to be decided soon.", c->text);
}

static void add_missing(const struct result *r, const struct result_row *row, struct text *out)
{
    if (!strcmp(r->phase, "no_steady_state"))
        text_add(out,
                 "No steady state: find out what changes (the plot, --full), or measure longer "
                 "(--limit).");
    else if (r->target_width > 0 && !(relative_width(row) <= r->target_width)) {
        add_precision(r, row, out);
        text_add(out, ".");
    } else if (r->target_width > 0) {
        char lack[RESULT_LACK_WORDS];
        result_lack_words(r, lack, sizeof lack);
        text_addf(out, "Narrow enough%s%s: a longer --limit would decide it.",
                  *lack ? ", but " : "", lack);
    } else
        text_addf(out, "The time limit came first: %s (--limit).", result_missed(r));
}

/* Adds advice on a bottleneck or on other programs, which matter more than precision because they
   changed the number. Returns false if there were none. */
static bool add_disturbance(const struct result *r, bool full, struct text *out)
{
    const struct result_part *bottleneck = result_bottleneck(r, NULL);
    char share[NUMBER_BUFFER];
    const char *target = result_target_word(r);
    if (bottleneck) {
        text_addf(out,
                  "The %s was not the limit: %s was saturated %s of the time. Relieve it "
                  "(%s) to measure the %s.",
                  target, bottleneck->name,
                  number_percent(share, sizeof share, bottleneck->saturated),
                  strcmp(bottleneck->measure, "processor time") != 0 ? "see the data path, --full"
                  /* no bytes are moved */
                  : r->rate_title[0] ? "--numjobs"
                                     : "--numjobs, a larger --bs",
                  target);
        return true;
    }
    if (r->busy[0]) {
        /* in a full report, the verdict already has r->busy */
        text_addf(out, "Stop other programs and measure again%s%s.", full ? "" : ": ",
                  full ? "" : r->busy);
        return true;
    }
    return false;
}

static void add_validity(const struct result *r, struct text *out)
{
    const struct result_row *elapsed = elapsed_row(r);
    char seconds[NUMBER_BUFFER];
    if (r->repeat || !elapsed)
        return;
    text_addf(out,
              "It holds for these %s; what is true of the machine takes several sessions: "
              "--repeat 5 --every 10m.",
              number_seconds(seconds, sizeof seconds, elapsed->value));
}

/* Adds what to do when it is open whether the level holds. */
static void add_doubt(const struct result *r, struct text *out)
{
    const struct result_row *elapsed = elapsed_row(r);
    const struct limit_choice *longer = elapsed ? limit_of(LONGER * elapsed->value) : NULL;
    char words[LEVEL_CLAIM_WORDS];
    text_addf(out,
              "A repetition may differ: %s. Measure longer (--limit%s%s), or several times "
              "(--repeat 5 --every 10m).",
              level_doubt_words(words, sizeof words, &r->claim), longer ? " " : "",
              longer ? longer->typed : "");
}

/* Returns true if the session reached its goal. */
static bool has_ended(const struct result *r)
{
    return r->verdict == VERDICT_PRECISE || r->verdict == VERDICT_COMPLETE ||
           r->verdict == VERDICT_DECIDED || r->verdict == VERDICT_MEASURED ||
           r->verdict == VERDICT_BEST_POSSIBLE;
}

static void add_of_repeat(const struct result *r, struct text *out)
{
    char asked[NUMBER_ASKED];
    if (r->verdict == VERDICT_PRECISE || r->verdict == VERDICT_COMPLETE)
        return;
    repeat_add_lack(r, out);
    if (r->target_width > 0)
        text_addf(out, "; %s was asked for",
                  number_asked(asked, sizeof asked, r->target_width, r->width_given));
    text_add(out, ".");
    if (r->repeat->required > r->repeat->asked)
        text_addf(out, " About %zu sessions would be needed (--repeat).", r->repeat->required);
}

static void advice_add(const struct result *r, const struct result_row *row, bool full,
                       struct text *out)
{
    const struct result_clause *failed = clause_with(r, CLAUSE_FAILED),
                               *open = clause_with(r, CLAUSE_UNDECIDED);
    switch (r->verdict) {
    case VERDICT_FAILED:
        text_add(out,
                 strcmp(result_target_word(r), "network")
                     ? "Look at the kernel's log (dmesg) and at the target's health (cupel probe)."
                     : "Look at the far end (is cupel serve still running there?), then at the "
                       "network between.");
        return;
    case VERDICT_DAMAGED:
    case VERDICT_CUT_SHORT:
        text_add(out, "The record is not whole: measure again before signing it.");
        return;
    case VERDICT_SUSPENDED:
        text_add(out, "cupel itself was stopped meanwhile: measure again.");
        return;
    case VERDICT_MERGED:
        return; /* unusual hosts are listed below */
    default:
        break;
    }
    if (r->repeat) {
        add_of_repeat(r, out);
        return;
    }
    if (add_disturbance(r, full, out)) {
        bool by_time = r->verdict == VERDICT_LIMIT && r->target_width > 0;
        if (by_time && !result_bottleneck(r, NULL)) {
            text_add(out, " ");
            add_missing(r, row, out);
        } else if (r->verdict == VERDICT_UNSETTLED) {
            text_add(out, " ");
            add_doubt(r, out);
        } else if (r->busy[0] && !result_bottleneck(r, NULL) && has_ended(r)) {
            text_add(out, " ");
            add_validity(r, out);
        }
        return;
    }
    if (r->saturated)
        text_add(out, "The target does not keep this rate up; --find-rate CLAUSE finds the highest "
                      "that it does.");
    else if (failed && r->timed)
        text_addf(out, "--find-rate '%s' finds the highest rate at which it holds.", failed->text);
    else if (failed)
        text_addf(out, "The target does not keep %s under this load.", failed->text);
    else if (open)
        add_open_clause(open, out);
    else if (r->verdict == VERDICT_INTERRUPTED)
        text_add(out, "A signal ended it: run it again to its end.");
    else if (r->verdict == VERDICT_PRECISE || r->verdict == VERDICT_COMPLETE ||
             r->verdict == VERDICT_DECIDED || r->verdict == VERDICT_MEASURED)
        add_validity(r, out);
    else if (r->verdict == VERDICT_UNSETTLED)
        add_doubt(r, out);
    else if (r->verdict == VERDICT_BEST_POSSIBLE) {
        level_add_advice(r, out);
        add_validity(r, out);
    } else if (verdict_is_of_level(r->verdict))
        level_add_advice(r, out);
    else
        add_missing(r, row, out);
}

void section_advice(const struct result *r, struct document *out)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    struct text words = {0};
    if (!r->rates)
        advice_add(r, row, out->style.full, &words);
    struct phase_view view;
    const bool unsteady = strcmp(r->phase, "flat") != 0 && strcmp(r->phase, "no_steady_state") != 0;
    /* in a full report, the verdict already has the sentences on phases */
    if (!out->style.full && r->phase[0] && unsteady && !verdict_is_of_level(r->verdict) &&
        headline_phase(r, &view)) {
        text_add(&words, words.length > 0 ? " " : "");
        phase_sentences(&view, &words);
    }
    if (words.length > 0)
        document_paragraph_from(out, "", TONE_PLAIN, &words);
}
