/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides the contents of a certificate and their order: the verdict with the state of the machine
   and of the requests, the limits with their confidence, what was measured, by whom and where, the
   figures, and the files from which all of it is computed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "certificate/page/internal.h"
#include "facts/merged.h"
#include "report/inventory/inventory_sections.h"
#include "report/layout/fact_words.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

/* Width of the lines of a command, without the backslash that continues them. The command is broken
   into lines here, because text that is copied from paper has a line end wherever a browser broke a
   line. */
enum { COMMAND_WIDTH = 56, PAGE_COMMAND_WIDTH = 78 };

/* ---- the verdict ---- */

/* Counts the limits whose values are estimated: only these have a confidence. */
static size_t count_estimated(const struct result *r)
{
    size_t estimated = 0;
    for (size_t i = 0; i < r->clause_count; i++)
        estimated += !r->clauses[i].is_width && !r->clauses[i].is_fact;
    return estimated;
}

static size_t count_limits(const struct result *r)
{
    size_t limits = 0;
    for (size_t i = 0; i < r->clause_count; i++)
        limits += !r->clauses[i].is_width;
    return limits;
}

/* Returns true if all limits pass. Only then may the certificate begin with PASSED, because a
   reader may read no further than that word. */
static bool all_pass(const struct result *r)
{
    for (size_t i = 0; i < r->clause_count; i++)
        if (!r->clauses[i].is_width && r->clauses[i].verdict != CLAUSE_PASSED)
            return false;
    return true;
}

static void add_verdict(struct document *out, const char *word, enum tone tone, const char *words)
{
    struct text lead = {0};
    text_addf(&lead, "%s: ", word);
    document_paragraph(out, layout_string(&lead), tone, words);
    out->failed |= lead.failed;
    text_free(&lead);
}

/* Writes the verdict for exit status 0. */
static void write_done(const struct certificate *c, struct document *out)
{
    const struct result *r = c->result;
    if (r && !all_pass(r))
        add_verdict(out, "UNDECIDED, NOT PASSED", TONE_YELLOW, "not every limit is decided");
    else if (r && r->rates)
        add_verdict(out, "MEASURED", TONE_PLAIN, "the rate up to which the limits hold");
    else if (r && !count_limits(r))
        add_verdict(out, "MEASURED", TONE_PLAIN,
                    "no limit was asked for: these are figures, and no verdict on them");
    else
        add_verdict(out, "PASSED", TONE_GREEN, "every limit that was asked for is kept");
}

/* Writes the verdict. The exit status determines its word, so that the certificate and the
   measurement cannot disagree. */
static void write_verdict(const struct certificate *c, struct document *out)
{
    static const char advice[] = " (see ";
    char words[480];
    snprintf(words, sizeof words, "%s", c->missing);
    /* cuts out the advice about a next command, which readers of the page do not need */
    char *see = strstr(words, advice);
    const char *rest = see ? strchr(see, ')') : NULL;
    if (rest)
        memmove(see, rest + 1, strlen(rest + 1) + 1);
    switch (c->status) {
    case ERR_NONE:
        write_done(c, out);
        break;
    case ERR_FAILED:
        add_verdict(out, "NOT PASSED", TONE_RED, words);
        break;
    case ERR_UNDECIDED:
        add_verdict(out, "UNDECIDED, NOT PASSED", TONE_YELLOW, words);
        break;
    default:
        add_verdict(out, "NO RESULT, NOT PASSED", TONE_RED, words);
        break;
    }
}

/* Writes whether others used the machine, because a verdict on a busy machine may be wrong. */
static void write_state(const struct result *r, struct document *out)
{
    struct text words = {0};
    text_addf(&words, "%s%s",
              r->busy[0]                    ? r->busy
              : isnan(r->others.processors) ? "not known whether others were at work on it"
                                            : "idle: nobody else used enough of it to move the "
                                              "numbers",
              r->busy[0] ? "; the figures are of a busy machine, not of the target alone" : "");
    document_paragraph_from(
        out, r->busy[0] ? "BUSY: " : "Machine: ", r->busy[0] ? TONE_YELLOW : TONE_PLAIN, &words);
}

/* Writes whether requests were on time, and whether the target kept up with them. */
static void write_requests(const struct result *r, struct document *out)
{
    struct text words = {0};
    if (r->saturated) {
        timing_add_saturation(r, &words);
        document_paragraph_from(out, "NOT KEPT UP: ", TONE_YELLOW, &words);
    }
    section_on_time(r, out);
    if (!r->timed && !r->merged)
        document_paragraph(out, "Requests: ", TONE_PLAIN,
                           "without due times; each was issued when another had completed, so "
                           "that the target set the pace");
}

/* ---- the limits ---- */

static void add_value(struct text *to, const struct result_clause *c)
{
    char value[NUMBER_BUFFER];
    if (isnan(c->value))
        text_add(to, "no value");
    else if (c->kind == METRIC_KIND_SHARE)
        text_add(to, number_percent(value, sizeof value, c->value));
    else
        text_add(to, number_value(value, sizeof value, c->kind, c->value));
    if (c->period_seconds > 0)
        text_addf(to, ", kept in %.0f of %.0f intervals", c->periods_kept, c->periods);
}

/* Adds the interval of a limit's value, or why it has none. Errors are counted, and have no
   interval. */
static void add_interval(const struct result *r, const struct result_clause *c, struct text *to)
{
    struct clauses one;
    if (c->is_width || clauses_parse_limits(&one, c->text, NULL) ||
        one.clause[0].subject == CLAUSE_ERRORS || c->period_seconds > 0)
        return;
    const struct result_row *row = clause_row(r, &one.clause[0]);
    const char *why = row && row->note[0] ? row->note : "no interval was computed for it";
    if (row && isfinite(row->low) && isfinite(row->high))
        certificate_add_interval(row, to);
    else if (!c->note[0])
        text_addf(to, "; %s", why);
}

/* Writes the clauses if they were given after the measurement, as the record does not contain
   them. */
static void write_judged_by(const struct result *r, struct document *out)
{
    struct text text = {0};
    for (size_t i = 0; r->judged_afterwards && i < r->clause_count; i++)
        text_addf(&text, "%s%s", i ? ", " : "", r->clauses[i].text);
    if (text.length)
        certificate_add_row(out, CERTIFICATE_JUDGED_BY, text.data);
    out->failed |= text.failed;
    text_free(&text);
}

static void write_clauses(const struct result *r, struct document *out)
{
    static const char *const words[] = {[CLAUSE_UNDECIDED] = "UNDECIDED",
                                        [CLAUSE_PASSED] = "passed",
                                        [CLAUSE_FAILED] = "NOT PASSED"};
    if (!r->clause_count)
        return;
    document_heading(out, "Limits");
    for (size_t i = 0; i < r->clause_count; i++) {
        const struct result_clause *c = &r->clauses[i];
        struct text text = {0};
        text_addf(&text, "%s: ", c->text);
        add_value(&text, c);
        add_interval(r, c, &text);
        if (c->note[0])
            text_addf(&text, "; %s", c->note);
        certificate_add_row(
            out, c->is_width && c->verdict == CLAUSE_PASSED ? "reached" : words[c->verdict],
            layout_string(&text));
        if (c->first_over[0])
            certificate_add_row(out, "first over it", c->first_over);
        out->failed |= text.failed;
        text_free(&text);
    }
    write_judged_by(r, out);
    if (count_estimated(r))
        certificate_row(
            out, "confidence",
            "%.4g %% that none of these limits is decided wrongly, all of them together",
            100 * r->clause_confidence);
}

static void write_rates(const struct result *r, struct document *out)
{
    if (!r->rates)
        return;
    const struct result_rates *rates = r->rates;
    char holds[NUMBER_BUFFER], fails[NUMBER_BUFFER];
    document_heading(out, "Limits");
    certificate_row(out, "searched", "the highest rate at which %.200s", rates->clauses);
    certificate_row(out, "holds", "%s",
                    rates->holds > 0
                        ? number_value(holds, sizeof holds, METRIC_KIND_COUNT_RATE, rates->holds)
                        : "at no rate that was tried");
    certificate_row(out, "fails", "%s",
                    isfinite(rates->fails)
                        ? number_value(fails, sizeof fails, METRIC_KIND_COUNT_RATE, rates->fails)
                        : "at no rate that was tried");
    certificate_row(out, "confidence", "%.4g %% that both are right", 100 * rates->confidence);
}

/* ---- the disks and the machine: what distinguishes them from others of the same model ---- */

/* Returns the fact `key` of the node or, if that has none, of the nearest node above it that
   carries the disk. */
static const struct inventory_fact *find_fact(const struct inventory *v, int node, const char *key)
{
    const struct inventory_fact *fact = inventory_fact(v, node, key);
    for (int above = v->nodes[node].parent;
         (!fact || fact->status != FACT_OK) && above != INVENTORY_NONE &&
         node_kind_is(v->nodes[above].kind, KIND_CARRIES_DISK);
         above = v->nodes[above].parent) {
        const struct inventory_fact *other = inventory_fact(v, above, key);
        fact = other ? other : fact;
    }
    return fact;
}

static void add_identity(struct text *to, const struct inventory *v, int node)
{
    static const struct {
        const char *key, *words;
    } shown[] = {{"model", "model"}, {"serial", "serial number"}, {"firmware", "firmware"}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const struct inventory_fact *fact = find_fact(v, node, shown[i].key);
        text_addf(to, "%s%s ", to->length ? ", " : "", shown[i].words);
        if (fact && fact->status == FACT_OK)
            fact_add_value(to, fact->value, fact->unit);
        else
            text_add(to, fact && fact->status == FACT_DENIED ? "not permitted to be read"
                                                             : "not known");
    }
}

/* Adds the nearest link above the disk that only this disk uses. */
static void add_link(struct text *to, const struct inventory *v, int node)
{
    for (int at = node; at != INVENTORY_NONE; at = v->nodes[at].parent)
        if (at != node && node_kind_is(v->nodes[at].kind, KIND_LINKS_DISK) &&
            inventory_fact(v, at, "negotiated")) {
            text_add(to, ", link ");
            fact_add_part(to, v, at);
            return;
        }
}

static void write_disks(const struct result *r, struct document *out)
{
    const struct inventory *v = r->hardware;
    size_t disks = 0;
    for (size_t i = 0; v && i < r->part_count; i++) {
        const struct result_part *part = &r->parts[i];
        int node = part->under_test ? inventory_find(v, part->name) : INVENTORY_NONE;
        if (node == INVENTORY_NONE || v->nodes[node].kind == NODE_FILESYSTEM ||
            v->nodes[node].kind == NODE_PARTITION)
            continue;
        struct text words = {0};
        add_identity(&words, v, node);
        add_link(&words, v, node);
        certificate_add_row(out, part->name, layout_string(&words));
        out->failed |= words.failed;
        text_free(&words);
        disks++;
    }
    if (!disks)
        certificate_add_row(out, "disk",
                            "not known: no disk's model or serial number is part of the result");
}

static void write_machine(const struct inventory *v, struct document *out)
{
    struct text words = {0};
    const char *serial = NULL;
    if (v)
        inventory_add_summary(v, &words);
    for (int node = 0; v && node < v->node_count; node++)
        if (!serial && (v->nodes[node].kind == NODE_MACHINE || v->nodes[node].kind == NODE_BOARD))
            serial = inventory_value(v, node, "serial");
    text_addf(&words, "%sserial number %s", words.length ? ", " : "",
              serial ? serial : "not known");
    certificate_add_row(out, "machine", layout_string(&words));
    out->failed |= words.failed;
    text_free(&words);
}

/* ---- who, what, when ---- */

/* Writes a row: the words `first`, unless they are "", then each setting in `keys` as its key and
   its value. */
static void write_settings(const struct result *r, const char *name, const char *first,
                           const char *const keys[], struct document *out)
{
    struct text words = {0};
    text_add(&words, first);
    for (; *keys; keys++) {
        const char *value = facts_find(&r->settings, NULL, *keys);
        if (value)
            text_addf(&words, "%s%s %s", words.length ? "; " : "", *keys, value);
    }
    if (words.length)
        certificate_add_row(out, name, words.data);
    out->failed |= words.failed;
    text_free(&words);
}

/* Writes how far the clock may be wrong, as a time service reported it. */
static void write_clock(const struct result *r, struct document *out)
{
    const struct result_clock *clock = &r->clock;
    char bound[NUMBER_BUFFER];
    double error = r->merged ? r->merged->clock_error_ns : clock->error_ns;
    const char *within = number_seconds(bound, sizeof bound, error * 1e-9);
    if (r->merged && r->merged->clocks == 1)
        certificate_add_row(out, "its clock",
                            "one for all sources; not known whether it was right");
    else if (!isfinite(error))
        certificate_add_row(out, "its clock",
                            clock->looked
                                ? "not synchronised by any time service: the date is what it said, "
                                  "and nothing vouches for it"
                                : "not known whether it was right");
    else if (r->merged)
        certificate_row(out, "its clock", "synchronised on every host, within %s of UTC", within);
    else
        certificate_row(out, "its clock", "synchronised, within %s of UTC (%s)", within,
                        clock->source);
}

static void write_origin(const struct result *r, struct document *out)
{
    static const char *const user[] = {"user", NULL};
    char length[NUMBER_BUFFER];
    const struct result_row *elapsed = result_find(r, METRIC_ELAPSED, "all");
    const char *host = facts_find(&r->settings, "origin", "host");
    document_heading(out, "Who, where and when");
    certificate_write_labels(&r->labels, out);
    if (!r->merged)
        certificate_write_date(facts_find(&r->settings, "origin", "date"), out);
    else if (r->merged->begin[0])
        certificate_row(out, "date", "%s to %s", r->merged->begin, r->merged->end);
    if (elapsed && !isnan(elapsed->value))
        certificate_row(out, "how long", "%s",
                        number_seconds(length, sizeof length, elapsed->value));
    if (r->repeat)
        certificate_row(out, "sessions", "%zu of %zu asked for, over %s", r->repeat->counted,
                        r->repeat->asked,
                        number_seconds(length, sizeof length, r->repeat->spread_seconds));
    write_clock(r, out);
    if (host)
        write_settings(r, "host", host, user, out);
    if (r->merged)
        certificate_row(out, "hosts", "%llu, in %llu sources", (unsigned long long)r->merged->hosts,
                        (unsigned long long)r->merged->sources);
    write_machine(r->hardware, out);
}

/* ---- the parts ---- */

/* Returns the place in a command at which the next line begins: after a blank between two words,
   and after at most `width` bytes if such a blank allows that. */
static const char *command_rest(const char *words, size_t width)
{
    const char *end = words, *at = words;
    for (bool quoted = false; *at && ((size_t)(at - words) <= width || end == words); at++) {
        quoted ^= *at == '\'';
        if (!quoted && *at == '\\' && at[1])
            at++;
        else if (!quoted && *at == ' ')
            end = at + 1;
    }
    return *at ? end : at;
}

static void add_command(struct document *out, const char *words)
{
    const char *name = "command";
    for (const char *rest; *words; words = rest) {
        struct text line = {0};
        rest = command_rest(words, out->style.page ? PAGE_COMMAND_WIDTH : COMMAND_WIDTH);
        text_addf(&line, "%.*s%s", (int)(rest - words), words, *rest ? "\\" : "");
        if (out->style.page)
            certificate_add_row(out, name, layout_string(&line));
        else
            document_line(out, "  %-*s %s", CERTIFICATE_NAME_WIDTH - 1, name, layout_string(&line));
        out->failed |= line.failed;
        text_free(&line);
        name = out->style.page ? "continued" : "";
    }
}

/* Writes the command; a long one is in several rows of the record. */
static void write_command(const struct result *r, struct document *out)
{
    struct text words = {0};
    for (size_t i = 0; i < r->settings.count; i++)
        if (!strcmp(r->settings.rows[i].node, "origin") &&
            !strncmp(r->settings.rows[i].key, "command", strlen("command")))
            text_add(&words, r->settings.rows[i].value);
    if (words.length)
        add_command(out, words.data);
    out->failed |= words.failed;
    text_free(&words);
}

static void write_result(const struct result *r, struct document *out)
{
    static const char *const target[] = {"kind of target", "size of target", "direct I/O", NULL};
    static const char *const method[] = {"preset", "methods", "backend", "seed", NULL};
    const char *path = facts_find(&r->settings, "target", "target");
    write_clauses(r, out);
    write_rates(r, out);
    document_heading(out, "What was measured");
    write_settings(r, "target", path ? path : r->target, target, out);
    certificate_add_row(out, "workload", r->workload);
    write_disks(r, out);
    write_origin(r, out);
    certificate_write_figures(r, out);
    document_heading(out, "How it was measured");
    write_command(r, out);
    write_settings(r, "method", "", method, out);
    const char *version = facts_find(&r->settings, "origin", "cupel");
    certificate_row(out, "measured by", "%s%s", version ? "cupel " : "programs that do not say so",
                    version ? version : "");
}

/* Maximum number of files that are listed on a page. If there are more, the page has only the
   checksum of their list, so that it fits on one sheet. */
enum { PAGE_FILES_MAX = 6 };

static void add_file(struct document *out, const struct certificate_file *file)
{
    if (out->style.page)
        certificate_add_row(out, file->name, file->sha256);
    else
        document_line(out, "%s  %s", file->sha256, file->name);
}

static void write_files(const struct certificate *c, struct document *out)
{
    document_heading(out, "Computed from");
    if (!c->file_count)
        document_paragraph(out, "  ", TONE_PLAIN,
                           "nothing that was kept: this page cannot be computed again, and "
                           "proves nothing (-o DIR keeps the record)");
    else
        document_paragraph(out, "  ", TONE_PLAIN,
                           "these files, with their SHA-256 (sha256sum -c " //
                           CERTIFICATE_LIST "):");
    if (out->style.page && c->file_count > PAGE_FILES_MAX) {
        certificate_row(out, CERTIFICATE_LIST, "%s, a list of %zu files", c->list_sha256,
                        c->file_count);
        return;
    }
    for (size_t i = 0; i < c->file_count; i++)
        add_file(out, &c->files[i]);
}

void certificate_write(const struct certificate *c, struct document *out)
{
    write_verdict(c, out);
    if (c->result) {
        write_state(c->result, out);
        write_requests(c->result, out);
        write_result(c->result, out);
    } else {
        certificate_write_qualification(c->qualification, out);
    }
    certificate_row(out, CERTIFICATE_MADE_BY, "cupel %s", c->version);
    write_files(c, out);
}
