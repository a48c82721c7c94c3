/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clauses about tests, in the language of --sla: reads them from their sections, passes them to the
   sessions that measure a disk, and judges them by the results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/units.h"
#include "machine/qualify/internal.h"

#define CLAUSE_TYPED_MAX 200 /* characters of a clause, blanks included */

/* ---- reading ---- */

static bool test_writes(int test)
{
    return strstr(expectation_tests[test], "write") != NULL;
}

/* A clause about reads does not apply to a write test, nor one about writes to a read test. */
static bool clause_is_about(const struct clause *c, int test)
{
    return strcmp(c->op, test_writes(test) ? "read" : "write") != 0;
}

static int check_clause(const struct section *s, const struct clause *c, const char *at,
                        const struct text_reader *lines)
{
    if (c->time != CLAUSE_RESPONSE)
        return reader_fail(lines, at,
                           "tests have response times alone: leave '%s' out, as in p99<500us",
                           c->time == CLAUSE_SERVICE ? "service." : "issue_error.");
    if (s->test >= 0 && !clause_is_about(c, s->test))
        return reader_fail(lines, at, "the test %s does not %s: leave '%s.' out, as in p99<500us",
                           expectation_tests[s->test], c->op, c->op);
    return 0;
}

/* Reads one clause and checks that it does not contradict those before it. */
static int read_clause(struct section *s, struct span typed, const struct text_reader *lines)
{
    char text[CLAUSE_TYPED_MAX];
    struct clauses one, all = s->clauses;
    struct err e = {0};
    if (typed.length >= sizeof text)
        return reader_fail(lines, typed.text, "a clause is short, as p99<500us");
    span_copy(text, typed);
    if (clauses_parse_limits(&one, text, &e)) {
        size_t at = clauses_mistake_at(&e);
        return reader_fail(lines, typed.text + (at < typed.length ? at : typed.length), "%s",
                           e.msg);
    }
    if (check_clause(s, &one.clause[0], typed.text, lines))
        return -1;
    if (clauses_add(&all, &one.clause[0], &e))
        return reader_fail(lines, typed.text, "%s", e.msg);
    s->clauses = all;
    return 0;
}

int clauses_read_line(struct section *s, struct span line, const struct text_reader *lines)
{
    for (;;) {
        const char *comma = memchr(line.text, ',', line.length);
        struct span typed = {line.text, comma ? (size_t)(comma - line.text) : line.length};
        typed = span_trimmed(typed);
        if (!typed.length)
            return reader_fail(lines, comma ? comma : line.text + line.length,
                               "a clause comes here, as in p99<500us, errors=0");
        if (read_clause(s, typed, lines))
            return -1;
        if (!comma)
            return 0;
        line = (struct span){comma + 1, line.length - (size_t)(comma + 1 - line.text)};
    }
}

int expectation_add_sla(struct expectation **x, const char *sla, bool writes, struct err *e)
{
    struct fault fault;
    struct text_reader lines = reader_of_line(span_of(sla), &fault);
    if (!*x)
        *x = calloc(1, sizeof **x);
    if (!*x)
        return err_no_memory(e, "--sla");
    if ((*x)->section_count == EXPECTATION_SECTIONS)
        return err_set(e, ERR_USAGE, "--sla: %.128s has %d sections, which is all there may be",
                       (*x)->name, EXPECTATION_SECTIONS);
    struct section *s = &(*x)->sections[(*x)->section_count];
    *s = (struct section){.of_tests = true, .test = -1, .first_rule = (*x)->rule_count};
    if (clauses_read_line(s, span_of(sla), &lines))
        return err_set(e, ERR_USAGE, "--sla: at character %zu: %s", fault.column, fault.message);
    for (size_t i = 0; i < s->clauses.count && !writes; i++)
        if (!strcmp(s->clauses.clause[i].op, "write"))
            return err_set(e, ERR_USAGE,
                           "--sla %s: nothing is written without --destroy-serial: leave 'write.' "
                           "out, as in p99<500us",
                           s->clauses.clause[i].text);
    (*x)->section_count++;
    size_t used = strlen((*x)->name);
    snprintf((*x)->name + used, sizeof(*x)->name - used, "%s--sla", used ? " and " : "");
    return 0;
}

/* ---- clauses for a session ---- */

bool section_is_about(const struct section *s, const struct qualification_device *d)
{
    return !s->selector[0] ||
           (s->by_kind ? !strcmp(s->selector, d->kind) : glob_matches(s->selector, d->model));
}

static int find_test(const char *name)
{
    int test = 0;
    while (strcmp(expectation_tests[test], name) != 0)
        test++;
    return test;
}

static bool has_clause(const struct clauses *all, const char *text)
{
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->clause[i].text, text))
            return true;
    return false;
}

int expectation_clauses(const struct expectation *x, const struct qualification_device *d,
                        const char *name, char *to, size_t size, struct err *e)
{
    struct clauses all = {0};
    int test = find_test(name);
    size_t used = 0;
    to[0] = '\0';
    for (const struct section *s = x->sections; s < x->sections + x->section_count; s++) {
        if (!s->of_tests || (s->test >= 0 && s->test != test) || !section_is_about(s, d))
            continue;
        for (size_t i = 0; i < s->clauses.count; i++) {
            const struct clause *c = &s->clauses.clause[i];
            if (!clause_is_about(c, test) || has_clause(&all, c->text))
                continue;
            if (clauses_add(&all, c, e))
                return err_context(e, "%.60s, test %s of %.60s", x->name, name, d->name);
            used += (size_t)snprintf(to + used, size - used, "%s%s", used ? "," : "", c->text);
            if (used >= size)
                return err_set(e, ERR_USAGE,
                               "%.60s, test %s of %.60s: its clauses have more than %zu characters",
                               x->name, name, d->name, size - 1);
        }
    }
    return 0;
}

/* ---- judging ---- */

/* Returns the length of the clause's subject: 8 in "read.p99<500us". */
static size_t subject_length(const struct clause *c)
{
    return strcspn(c->text, "<>=");
}

static void describe_value(const struct result_clause *found, char *to, size_t size)
{
    if (!found || isnan(found->value))
        snprintf(to, size, "not known");
    else if (found->kind == METRIC_KIND_TIME)
        format_time(to, size, found->value);
    else if (found->kind == METRIC_KIND_BYTE_RATE)
        format_rate(to, size, found->value);
    else if (found->kind == METRIC_KIND_COUNT_RATE)
        format_count(to, size, found->value);
    else if (found->kind == METRIC_KIND_SHARE)
        snprintf(to, size, "%.3g %%", 100 * found->value);
    else
        snprintf(to, size, "%.0f", found->value);
}

static void describe_limit(const struct clause *c, char *to, size_t size)
{
    static const char *const words[] = {[CLAUSE_BELOW] = "below ",
                                        [CLAUSE_ABOVE] = "above ",
                                        [CLAUSE_EQUAL] = "",
                                        [CLAUSE_WIDTH] = ""};
    snprintf(to, size, "%s%s", words[c->relation], c->text + subject_length(c) + 1);
}

/* Describes why a clause is undecided, and how much more time would decide it. */
static void describe_open(const struct result_clause *found, char *to, size_t size)
{
    size_t used =
        (size_t)snprintf(to, size, "not decided%s%.120s", found->note[0] ? ": " : "", found->note);
    if (strstr(found->note, " more"))
        return;
    const char *lead = found->note[0] ? "; " : ": ";
    char longer[UNITS_BUFFER];
    if (isfinite(found->more_seconds))
        snprintf(to + used, size - used, "%sabout %s more", lead,
                 format_time(longer, sizeof longer, found->more_seconds * 1e9));
    else if (!found->note[0])
        snprintf(to + used, size - used, "%sso close to its limit that no time decides it", lead);
}

/*
 * Grades a clause by the result of a session, by the rules of any other expectation: a session that
 * did not end well decides nothing except facts that break a limit. Other programs that ran can
 * only make a disk slower; the note says that they ran.
 */
static enum grade grade_clause(const struct qualification_test *t, const struct clause *c,
                               const struct result_clause *found, char *note, size_t size)
{
    const char *undecided = qualification_undecided(t);
    bool errors = c->subject == CLAUSE_ERRORS, fact = errors || clause_is_fact(c);
    note[0] = '\0';
    if (!t->measured || !found) {
        snprintf(note, size, "not measured%s%.180s", t->failure[0] ? ": " : "", t->failure);
        return GRADE_UNDECIDED;
    }
    if (undecided && !(fact && found->verdict == CLAUSE_FAILED)) {
        snprintf(note, size, "not decided: %s", undecided);
        return GRADE_UNDECIDED;
    }
    if (found->verdict == CLAUSE_UNDECIDED) {
        describe_open(found, note, size);
        return GRADE_UNDECIDED;
    }
    if (clause_is_max(c))
        snprintf(note, size, "%.198s", found->first_over[0] ? found->first_over : found->note);
    if (found->verdict == CLAUSE_PASSED)
        return GRADE_PASS;
    bool is_time = c->subject == CLAUSE_MEAN || c->subject == CLAUSE_PERCENTILE;
    if (t->disturbed[0] && !fact && is_time == (c->relation == CLAUSE_BELOW))
        snprintf(note, size, "%s", t->disturbed);
    return GRADE_FAIL;
}

static void add_clause_check(struct qualification *q, int device, int test, const struct clause *c)
{
    const char *name = expectation_tests[test];
    const struct qualification_test *t = qualification_test_of(&q->devices[device], name);
    const struct result_clause *found = NULL;
    char note[NOTE_MAX] = "this test was not asked for", what[64];
    enum grade grade = GRADE_NONE;
    for (size_t i = 0; t && i < t->clause_count; i++)
        if (!strcmp(t->clauses[i].text, c->text))
            found = &t->clauses[i];
    if (t)
        grade = grade_clause(t, c, found, note, sizeof note);
    snprintf(what, sizeof what, "%s %.*s", name, (int)subject_length(c), c->text);
    struct qualification_check *check = qualification_add(q, device, grade, what);
    if (!check)
        return;
    describe_value(found, check->found, sizeof check->found);
    describe_limit(c, check->expected, sizeof check->expected);
    snprintf(check->note, sizeof check->note, "%s", note);
}

void clauses_judge(const struct section *s, struct qualification *q, int device)
{
    size_t judged = 0;
    for (int test = 0; expectation_tests[test]; test++) {
        bool asked = qualification_test_of(&q->devices[device], expectation_tests[test]) != NULL;
        for (size_t i = 0; i < s->clauses.count; i++) {
            const struct clause *c = &s->clauses.clause[i];
            /* A section for all tests applies to those that ran. A clause about writes is listed
               even if no write test ran. */
            bool meant = s->test >= 0 ? s->test == test : asked || !strcmp(c->op, "write");
            if (!meant || !clause_is_about(c, test))
                continue;
            add_clause_check(q, device, test, c);
            judged++;
        }
    }
    if (!judged)
        note_check(q, device, GRADE_NONE, "clauses", "none",
                   "no test that they are about was made");
}
