/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints results, writes their folders, and derives exit statuses from verdicts. */
#include "cmd/output/output.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/units.h"
#include "facts/result.h"
#include "fio/json/fio_json.h"
#include "report/document/document.h"
#include "report/html/html.h"

/* Returns the variable's value, or NULL if it is not set or empty. */
static const char *environment(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value ? value : NULL;
}

/* Returns true if the locale uses UTF-8. As in setlocale, the first of the variables that is set
   decides. */
static bool has_unicode(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = environment(variables[i]);
        if (value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

struct report_style output_style(void)
{
    const int columns = 80, columns_max = 132; /* longer lines are hard to read */
    const char *terminal = environment("TERM");
    struct winsize window;
    struct report_style style = {.unicode = has_unicode(), .width = columns};
    style.colour = isatty(STDOUT_FILENO) && !environment("NO_COLOR") && terminal &&
                   strcmp(terminal, "dumb") != 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
        style.width = window.ws_col < columns_max ? window.ws_col : columns_max;
        style.lines = window.ws_row;
    }
    return style;
}

/* ---- several results as one document ---- */

#define DOCUMENT_MAX ((size_t)64 << 20)

/*
 * How documents of a format are joined. `before`, `between` and `after` are printed before the
 * first document, between documents and after the last one. `begin` and `end` are texts within the
 * documents: each document but the first is printed only after its `begin`, each but the last only
 * up to its `end`. NULL: whole documents are printed. In a document, the 0 that follows each
 * `number` is replaced by the document's index.
 */
static const struct joint {
    const char *format, *before, *begin, *between, *end, *after, *number;
} joints[] = {{"csv", "", "\n", "", NULL, "", NULL},
              {"json", "{\"schema\": 1, \"kind\": \"steps\", \"steps\": [\n", NULL, ",\n", NULL,
               "]}\n", NULL},
              {"fio-json", "", FIO_JSON_JOBS, ",", FIO_JSON_AFTER_JOBS, "", FIO_JSON_GROUP},
              {"html", "", HTML_MAIN, "", HTML_AFTER_MAIN, "", NULL}};

/* The state of joining documents. */
struct joining {
    const struct joint *joint; /* NULL: results are not joined */
    size_t count;              /* number of documents that are joined so far */
    char *end;                 /* the end that was cut from the last document, or NULL */
};

static const struct joint *find_joint(const char *format)
{
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
        if (!strcmp(joints[i].format, format))
            return &joints[i];
    return NULL;
}

static void join_next(struct joining *join, const char *document, struct text *out)
{
    const struct joint *j = join->joint;
    const char *begin = j->begin && join->count ? strstr(document, j->begin) : NULL;
    const char *from = begin ? begin + strlen(j->begin) : document;
    const char *end = j->end ? strstr(from, j->end) : NULL;
    const char *stop = end ? end : from + strlen(from);
    text_add(out, join->count ? j->between : j->before);
    for (const char *at; j->number && (at = strstr(from, j->number)) && at < stop;) {
        at += strlen(j->number);
        text_add_bytes(out, from, (size_t)(at - from));
        text_addf(out, "%zu", join->count);
        from = at + 1;
    }
    text_add_bytes(out, from, (size_t)(stop - from));
    free(join->end);
    join->end = end ? strdup(end) : NULL;
    join->count++;
}

static void join_last(struct joining *join, struct text *out)
{
    if (join->count) {
        text_add(out, join->end ? join->end : "");
        text_add(out, join->joint->after);
    }
    free(join->end);
    *join = (struct joining){0};
}

static struct joining printed;

void output_join_begin(const char *format)
{
    printed.joint = find_joint(format);
}

void output_join_end(void)
{
    struct text out = {0};
    join_last(&printed, &out);
    if (out.data)
        fputs(out.data, stdout);
    text_free(&out);
}

int output_join_folders(const char *folder, const char *steps, size_t count, struct err *e)
{
    static const char *const names[][2] = {{"summary.csv", "csv"}, {"report.html", "html"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct joining join = {.joint = find_joint(names[i][1])};
        struct text all = {0};
        const char *step = steps;
        for (size_t k = 0; k < count; k++, step += strlen(step) + 1) {
            char path[PATH_MAX], *document = NULL;
            size_t length;
            struct err missing; /* a step that was stopped has no report, which is no error */
            if (file_path(path, "%s/%s", step, names[i][0]) &&
                !file_read_all(path, DOCUMENT_MAX, &document, &length, &missing))
                join_next(&join, document, &all);
            free(document);
        }
        join_last(&join, &all);
        if (!all.length)
            text_free(&all);
        else if (output_file(folder, names[i][0], &all, e))
            return -1;
    }
    return 0;
}

int output_text(struct text *out, struct err *e)
{
    struct text joined = {0};
    if (printed.joint && out->length > 0 && !out->failed) {
        join_next(&printed, out->data, &joined);
        text_free(out);
        *out = joined;
    }
    int status = 0;
    if (out->failed)
        status = err_no_memory(e, "the report");
    else if (out->length > 0)
        fwrite(out->data, 1, out->length, stdout);
    text_free(out);
    return status;
}

int output_screen(struct text *out, struct err *e)
{
    struct winsize window;
    /* `bytes`: length of the lines that fit; `left`: number of the others */
    size_t rows = 24, bytes = 0, left = 0;
    if (out->failed)
        return output_text(out, e);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_row > 2)
        rows = window.ws_row;
    rows -= 2;
    for (size_t i = 0; i < out->length; i++) {
        if (out->data[i] != '\n')
            continue;
        if (rows > 0) {
            rows--;
            bytes = i + 1;
        } else {
            left++;
        }
    }
    fputs("\033[H\033[J", stdout);
    fwrite(out->data, 1, bytes, stdout);
    if (left > 0)
        printf("... and %zu more line%s\n", left, left == 1 ? "" : "s");
    text_free(out);
    return 0;
}

int output_result(const struct result *result, const struct output_form *form, struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    style.full = form->full;
    style.folder = form->folder;
    report_print(&result_report, result, form->format, &style, &out);
    return output_text(&out, e);
}

int output_analysis(const struct analysis *analysis, const char *format, struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    report_print(&analysis_report, analysis, format, &style, &out);
    return output_text(&out, e);
}

typedef int file_writer(const char *folder, const char *name, const void *data, size_t length,
                        struct err *e);

static int put_file(file_writer *write, const char *folder, const char *name, struct text *out,
                    struct err *e)
{
    int status = out->failed ? err_no_memory(e, "%s/%s", folder, name)
                             : write(folder, name, out->data ? out->data : "", out->length, e);
    text_free(out);
    return status;
}

int output_file(const char *folder, const char *name, struct text *out, struct err *e)
{
    return put_file(write_file_new, folder, name, out, e);
}

static int write_over(const char *folder, const char *name, const void *data, size_t length,
                      struct err *e)
{
    return write_file_over(folder, name, "", data, length, e);
}

int output_file_anew(const char *folder, const char *name, struct text *out, struct err *e)
{
    return put_file(write_over, folder, name, out, e);
}

int output_report(const struct report_kind *kind, const void *what,
                  const struct report_style *style, const char *const names[], const char *folder,
                  output_put *put, struct err *e)
{
    int status = 0;
    for (; *names && !status; names++) {
        const char *ending = strrchr(*names, '.') + 1;
        struct text out = {0};
        report_print(kind, what, strcmp(ending, "txt") ? ending : "text", style, &out);
        status = put(folder, *names, &out, e);
    }
    return status;
}

int output_folder(const struct result *result, const char *folder, struct err *e)
{
    int status = 0;
    for (const struct report_file *file = report_files; file->name && !status; file++) {
        struct text out = {0};
        if ((result->repeat || result->rates) && file->of_one_session)
            continue;
        file->render(result, &out);
        if (out.failed || out.length > 0) /* a file that would be empty is not written */
            status = output_file(folder, file->name, &out, e);
    }
    return status;
}

/* Writes the precision that the session reached, beside the requested one, and what else was
   missing. */
static void describe_reached(const struct result *r, char *to, size_t size)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    double width = row ? (row->high - row->low) / fabs(row->value) : NAN;
    double asked = r->target_width * 50; /* half of the width in percent, as in the reports */
    if (!(r->target_width > 0)) {
        snprintf(to, size, "%s", result_missed(r));
        return;
    }
    if (!isfinite(width)) {
        snprintf(to, size, "there is no interval yet, +-%.3g %% was asked for", asked);
        return;
    }
    if (width > r->target_width) {
        snprintf(to, size, "the interval is +-%.3g %%, +-%.3g %% was asked for", width * 50, asked);
        return;
    }
    if (!strcmp(r->phase, "no_steady_state")) {
        snprintf(to, size, "there was no steady state");
        return;
    }
    /* the interval is narrow enough, so something else was missing */
    if (!*result_lack_words(r, to, size))
        snprintf(to, size, "%s", result_missed(r));
}

/* Returns the exit status of a result over several sessions. The error says what was missing, and
   how many sessions would be enough. */
static int repeat_status(const struct result *r, struct err *e)
{
    const struct result_repeat *repeat = r->repeat;
    char reached[120];
    switch (r->verdict) {
    case VERDICT_PRECISE:
    case VERDICT_COMPLETE:
        return ERR_NONE;
    case VERDICT_FAILED:
        return err_set(e, repeat->end_code ? repeat->end_code : ERR_TARGET, "%s", r->failure);
    case VERDICT_INTERRUPTED:
        return err_set(e, ERR_UNDECIDED, "stopped by a signal after %zu of %zu sessions",
                       repeat->counted, repeat->asked);
    case VERDICT_CUT_SHORT:
        return err_set(e, ERR_UNDECIDED,
                       "%zu of %zu sessions are there whole: it was killed, or is damaged",
                       repeat->counted, repeat->asked);
    default:
        break;
    }
    if (repeat->session_count < repeat->asked)
        return err_set(e, ERR_UNDECIDED, "the limit came after %zu of %zu sessions (see --limit)",
                       repeat->session_count, repeat->asked);
    if (repeat->invalid > 0)
        return err_set(e, ERR_UNDECIDED,
                       "another part than the disk limited %zu of %zu sessions (see "
                       "--strict-bottleneck)",
                       repeat->invalid, repeat->asked);
    if (repeat->decided < repeat->asked)
        return err_set(e, ERR_UNDECIDED,
                       "%zu of %zu sessions did not reach a verdict of their own (see --limit, "
                       "--ci)",
                       repeat->asked - repeat->decided, repeat->asked);
    describe_reached(r, reached, sizeof reached);
    if (repeat->required > repeat->asked)
        return err_set(e, ERR_UNDECIDED, "%s: about %zu sessions would be needed (--repeat)",
                       reached, repeat->required);
    return err_set(e, ERR_UNDECIDED, "%s", reached);
}

/* Returns the exit status of a search for a rate: an error unless the answer is as narrow as
   required. */
static int rates_status(const struct result *r, struct err *e)
{
    const struct result_rates *rates = r->rates;
    char rate[UNITS_BUFFER];
    if (r->verdict == VERDICT_FAILED)
        return err_set(e, ERR_TARGET, "%s", r->failure);
    if (rates->narrow || rates->machine)
        return ERR_NONE;
    if (rates->none)
        return err_set(e, ERR_FAILED, "%.100s does not hold even at %s requests per second",
                       rates->clauses, format_count(rate, sizeof rate, rates->fails));
    if (r->verdict == VERDICT_INTERRUPTED)
        return err_set(e, ERR_UNDECIDED, "stopped by a signal after %zu probes", rates->count);
    if (!(rates->holds > 0) || !isfinite(rates->fails))
        return err_set(e, ERR_UNDECIDED,
                       "after %zu probes there is no rate that %s yet (see --limit)", rates->count,
                       rates->holds > 0 ? "fails" : "holds");
    return err_set(e, ERR_UNDECIDED,
                   "after %zu probes the answer is known to +-%.3g %%, +-%.3g %% was asked for "
                   "(see --limit, --ci)",
                   rates->count, 50 * rates->width, 50 * rates->asked);
}

int output_clauses_status(const struct result_clause clauses[], size_t count, bool is_measured,
                          struct err *e)
{
    const struct result_clause *failed = NULL, *open = NULL;
    for (size_t i = count; i-- > 0;) {
        failed = clauses[i].verdict == CLAUSE_FAILED ? &clauses[i] : failed;
        open = clauses[i].verdict == CLAUSE_UNDECIDED ? &clauses[i] : open;
    }
    if (failed)
        return err_set(e, ERR_FAILED, "%s does not hold (see --sla)", failed->text);
    if (open)
        return err_set(e, ERR_UNDECIDED, "%s is not %s (see --%s)", open->text,
                       open->is_width ? "reached" : "decided", is_measured ? "limit" : "sla");
    return ERR_NONE;
}

int output_status(const struct result *r, struct err *e)
{
    if (r->repeat)
        return repeat_status(r, e);
    if (r->rates)
        return rates_status(r, e);
    char reached[120], words[LEVEL_CLAIM_WORDS];
    bool at_end = r->verdict == VERDICT_LIMIT || r->verdict == VERDICT_COMPLETE ||
                  (verdict_is_imprecise(r->verdict) && r->judged_afterwards) ||
                  r->verdict == VERDICT_PRECISE || r->verdict == VERDICT_DECIDED ||
                  r->verdict == VERDICT_MEASURED || r->verdict == VERDICT_SATURATED ||
                  r->verdict == VERDICT_MERGED;
    if (at_end && r->clause_count)
        return output_clauses_status(r->clauses, r->clause_count, r->verdict != VERDICT_MERGED, e);
    describe_reached(r, reached, sizeof reached);
    enum verdict verdict = r->verdict;
    if (r->backlog &&
        (verdict == VERDICT_PRECISE || verdict == VERDICT_MEASURED || verdict == VERDICT_COMPLETE))
        verdict = VERDICT_SATURATED;
    switch (verdict) {
    case VERDICT_PRECISE:
    case VERDICT_COMPLETE:
    case VERDICT_DECIDED:
    case VERDICT_MEASURED:
    case VERDICT_MERGED:
        return ERR_NONE;
    case VERDICT_SATURATED:
        return err_set(e, ERR_UNDECIDED,
                       "the target does not keep up with the rate asked for: response times grow "
                       "for as long as it goes on");
    case VERDICT_LIMIT:
        return err_set(e, ERR_UNDECIDED, "the session limit came first: %s (see --limit%s)",
                       reached, r->target_width > 0 ? ", --ci" : "");
    case VERDICT_BEST_POSSIBLE:
        if (!r->width_given)
            return ERR_NONE;
        return err_set(e, ERR_UNDECIDED,
                       "as precise as the %s allows: %s, and would take %s (see --limit, --ci)",
                       result_target_word(r), reached,
                       level_claim_span(words, sizeof words, &r->claim, r->claim.needed_readings));
    case VERDICT_UNSETTLED:
        if (!r->width_given)
            return ERR_NONE;
        return err_set(e, ERR_UNDECIDED,
                       "precise for this stretch of time only: %s (see --limit, --repeat)",
                       level_doubt_words(words, sizeof words, &r->claim));
    case VERDICT_NO_LEVEL:
    case VERDICT_MOVES:
    case VERDICT_CYCLES:
        return err_set(e, ERR_UNDECIDED, "%s: %s (see --limit)",
                       level_claim_words(words, sizeof words, &r->claim), reached);
    case VERDICT_INTERRUPTED:
        return err_set(e, ERR_UNDECIDED, "stopped by a signal: %s", reached);
    case VERDICT_SUSPENDED:
        return err_set(
            e, ERR_UNDECIDED,
            "cupel itself was stopped before the pass was at its end (a signal, a paused "
            "virtual machine or sleep): measure it again");
    case VERDICT_CUT_SHORT:
        return err_set(e, ERR_UNDECIDED,
                       "the record has no end, because its session was killed or its end was lost: "
                       "%s",
                       reached);
    case VERDICT_DAMAGED:
        return err_set(e, ERR_UNDECIDED,
                       "the record is damaged: parts are missing, changed, doubled or added");
    case VERDICT_UNCONFIRMED:
        return err_set(e, ERR_UNDECIDED,
                       "the record says that its session was at its end, but its readings do not "
                       "bear it out: %s",
                       reached);
    case VERDICT_BOTTLENECK:
        return err_set(e, ERR_UNDECIDED, "%s (see --strict-bottleneck)", r->invalid);
    case VERDICT_FAILED:
        return err_set(e, ERR_TARGET, "%s", r->failure);
    case VERDICTS:
        break;
    }
    return err_set(e, ERR_MACHINE, "a verdict of an unknown kind");
}
