/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses clauses: limits of an SLA and widths of intervals. */
#include "facts/clause.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "facts/operation.h"

#define TIME_MAX_NS 1e18 /* 30 years; fits in 64 bits */

/* A unit of limits or widths. The tables below list the units of each kind of subject. */
struct unit {
    const char *name;
    double factor;
};
static const struct unit times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static const struct unit rates[] = {{"", 1},    {"k", 1e3},  {"K", 1e3}, {"m", 1e6},
                                    {"M", 1e6}, {"IOPS", 1}, {NULL, 0}};
static const struct unit bandwidths[] = {{"B/s", 1},         {"kB/s", 1e3},   {"MB/s", 1e6},
                                         {"GB/s", 1e9},      {"KiB/s", 1024}, {"MiB/s", 1 << 20},
                                         {"GiB/s", 1 << 30}, {NULL, 0}};
static const struct unit numbers[] = {{"", 1}, {"%", 0.01}, {NULL, 0}};
static const struct unit widths[] = {{"%", 0.01}, {NULL, 0}};
static const struct unit plain[] = {{"", 1}, {NULL, 0}};
static const struct unit lengths[] = {
    {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {NULL, 0}};

enum language { LIMITS, NUMBERS, WIDTHS };

static const struct {
    const char *name;
    const struct unit *units;
    /* `example`: a correct clause; `lack`: the message about a limit without a unit */
    const char *example, *lack;
} subjects[CLAUSE_SUBJECTS] = {
    [CLAUSE_IOPS] = {"iops", rates, "iops>200k", "a rate is a number: 500, 20k, 1.5M"},
    [CLAUSE_BANDWIDTH] = {"bandwidth", bandwidths, "bandwidth>500MB/s",
                          "a bandwidth needs a unit: kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s"},
    [CLAUSE_BPS] = {"bps", rates, "bps>1M", "blocks per second are a number: 500, 20k, 1.5M"},
    [CLAUSE_MEAN] = {"mean", times, "mean<200us", "a time needs a unit: ns, us, ms, s"},
    [CLAUSE_PERCENTILE] = {"p", times, "p99<500us", "a time needs a unit: ns, us, ms, s"},
    [CLAUSE_EFFICIENCY] = {"efficiency", widths, "read.efficiency>90%",
                           "an efficiency is a share: 90%"},
    [CLAUSE_ERRORS] = {"errors", numbers, "errors=0", "errors are a number or a share: 0, 0.1%"},
};

const char *clause_subject_name(enum clause_subject subject)
{
    return subjects[subject].name;
}

static const char *const prefixes[] = {
    [CLAUSE_RESPONSE] = NULL, [CLAUSE_SERVICE] = "service", [CLAUSE_ISSUE_ERROR] = "issue_error"};

/* The parser's state. */
struct reader {
    const char *begin, *at;
    enum language language;
    struct err *e;
};

static int refuse(const struct reader *r, const char *reason, const char *example)
{
    return err_set(r->e, ERR_USAGE, "at character %zu, '%.20s': %s, as in %s",
                   (size_t)(r->at - r->begin) + 1, r->at, reason, example);
}

/* Returns a correct clause as an example for a message. It is about the given subject if that is
   already known (less than CLAUSE_SUBJECTS). */
static const char *example_of(const struct reader *r, enum clause_subject subject)
{
    static const char *const of[] = {
        [LIMITS] = "p99<500us", [NUMBERS] = "p99<500", [WIDTHS] = "iops:5%"};
    if (r->language == LIMITS && subject < CLAUSE_SUBJECTS)
        return subjects[subject].example;
    return r->language == NUMBERS && subject == CLAUSE_MEAN ? "mean<200" : of[r->language];
}

static void skip_spaces(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

/* Skips `word` and a dot if they come next. Returns true if it did. */
static bool takes_prefix(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0 || r->at[length] != '.')
        return false;
    r->at += length + 1;
    return true;
}

/* Stores the subject whose name is the next `length` characters in c->subject. Does not move the
   reader. */
static int read_name(const struct reader *r, size_t length, struct clause *c)
{
    const char *example = example_of(r, CLAUSE_SUBJECTS);
    for (c->subject = 0; c->subject < CLAUSE_SUBJECTS; c->subject++)
        if (c->subject != CLAUSE_PERCENTILE && strlen(subjects[c->subject].name) == length &&
            strncmp(r->at, subjects[c->subject].name, length) == 0)
            break;
    if (c->subject != CLAUSE_SUBJECTS)
        return 0;
    if (length == strlen("max") && !strncmp(r->at, "max", length)) {
        c->subject = CLAUSE_PERCENTILE;
        c->share = 1;
        return 0;
    }
    const char *end = NULL;
    bool is_number = *r->at == 'p' && isdigit((unsigned char)r->at[1]);
    double percent = is_number ? number_begin(r->at + 1, &end) : NAN;
    if (end != r->at + length)
        return refuse(r,
                      r->language == NUMBERS
                          ? "mean, max or a percentile comes here"
                          : "iops, bandwidth, bps, mean, max, errors, efficiency or a percentile "
                            "comes here",
                      example);
    if (!(percent > 0 && percent < 100))
        return refuse(r, "a percentile lies between 0 and 100", example);
    c->subject = CLAUSE_PERCENTILE;
    c->share = percent / 100;
    return 0;
}

static int read_subject(struct reader *r, struct clause *c)
{
    const char *example = example_of(r, CLAUSE_SUBJECTS), *begin = r->at;
    for (int op = 0; op <= OPERATION_ALL && !c->op[0]; op++)
        if (takes_prefix(r, operation_names[op]))
            snprintf(c->op, sizeof c->op, "%s", operation_names[op]);
    for (enum clause_time time = CLAUSE_SERVICE; time <= CLAUSE_ISSUE_ERROR && !c->time; time++)
        if (takes_prefix(r, prefixes[time]))
            c->time = time;
    size_t length = strcspn(r->at, "<>=:, \t\n");
    if (read_name(r, length, c))
        return -1;
    bool of_numbers = c->subject == CLAUSE_PERCENTILE || c->subject == CLAUSE_MEAN;
    if (r->language == NUMBERS && (r->at > begin || !of_numbers)) {
        r->at = begin;
        return refuse(r, "a column of numbers has its mean, its maximum and its percentiles",
                      example);
    }
    bool timed = c->subject == CLAUSE_PERCENTILE || (c->subject == CLAUSE_MEAN && !c->time);
    if (c->time && !timed)
        return refuse(r, "service and issue_error have percentiles",
                      r->language == WIDTHS ? "service.p99:10%" : "service.p99<500us");
    if (r->language == WIDTHS && c->subject == CLAUSE_ERRORS)
        return refuse(r, "errors are counted, not estimated", example);
    if (r->language == WIDTHS && clause_is_max(c))
        return refuse(r, "the longest request is one request, and has no interval", "p99.9:10%");
    if (r->language == WIDTHS && c->subject == CLAUSE_EFFICIENCY)
        return refuse(r, "its width is that of bandwidth", "bandwidth:5%");
    if (!strcmp(c->op, "all") && c->subject == CLAUSE_EFFICIENCY)
        return refuse(r,
                      "each direction has its own limit: read. or write. comes before efficiency",
                      example_of(r, c->subject));
    if (c->op[0] && c->time == CLAUSE_ISSUE_ERROR)
        return refuse(r, "issue errors are those of all operations", "issue_error.p99<50us");
    r->at += length;
    return 0;
}

static int read_relation(struct reader *r, struct clause *c)
{
    const char *example = example_of(r, c->subject);
    const bool widths_come = r->language == WIDTHS;
    skip_spaces(r);
    const char *found = *r->at ? strchr("<>=:", *r->at) : NULL;
    const bool errors = c->subject == CLAUSE_ERRORS;
    if (!found || widths_come != (*found == ':') || (*found == '=' && !errors))
        return refuse(
            r, widths_come ? "a colon and a width come here" : "< or > and a limit come here",
            example);
    if (errors && *found == '>')
        return refuse(r, "errors are limited from above", example);
    if (clause_is_max(c) && *found == '>')
        return refuse(r, "the longest is limited from above",
                      r->language == NUMBERS ? "max<500" : "max<45ms");
    c->relation = *found == '<'   ? CLAUSE_BELOW
                  : *found == '>' ? CLAUSE_ABOVE
                  : *found == '=' ? CLAUSE_EQUAL
                                  : CLAUSE_WIDTH;
    r->at++;
    skip_spaces(r);
    return 0;
}

/* Returns the units that the limit of this clause may have, and sets *lack to the message about a
   limit without a unit. */
static const struct unit *units_of(const struct reader *r, const struct clause *c,
                                   const char **lack)
{
    *lack = r->language == WIDTHS    ? "a width is a share of the value, or has the value's unit"
            : r->language == NUMBERS ? "the numbers of a column have no unit"
                                     : subjects[c->subject].lack;
    return r->language == WIDTHS    ? widths
           : r->language == NUMBERS ? plain
                                    : subjects[c->subject].units;
}

/* Returns the unit with this name of `length` characters, or the end of the list. */
static const struct unit *unit_at(const struct unit *units, const char *name, size_t length)
{
    while (units->name &&
           (strlen(units->name) != length || strncmp(name, units->name, length) != 0))
        units++;
    return units;
}

static int read_limit(struct reader *r, struct clause *c)
{
    const char *example = example_of(r, c->subject), *lack, *digit = r->at;
    const struct unit *unit = units_of(r, c, &lack);
    const bool unit_is_time = unit == times;
    /* a column's numbers (temperatures, differences) may be negative */
    const bool any = r->language == NUMBERS;
    const char *end;
    const bool is_half = r->language == WIDTHS && !strncmp(digit, "+-", 2);
    digit += is_half ? 2 : 0;
    digit += any && (*digit == '-' || *digit == '+');
    double value = number_begin(digit, &end);
    if (end == digit)
        return refuse(r, *digit == '-' && !any ? "a limit is not negative" : "a number comes here",
                      example);
    size_t length = strcspn(end, ", \t\n");
    unit = unit_at(unit, end, length);
    if (!unit->name && r->language == WIDTHS && length) {
        unit = unit_at(subjects[c->subject].units, end, length);
        c->width_is_absolute = true;
    }
    if (!unit->name)
        return refuse(r, lack, example);
    c->limit = (*r->at == '-' ? -value : value) * unit->factor * (is_half ? 2 : 1);
    c->limit_is_share = unit->factor == 0.01;
    bool counts = c->subject == CLAUSE_ERRORS;
    if (!isfinite(c->limit) || (!counts && !any && !(c->limit > 0)))
        return refuse(r, any ? "a limit is finite" : "a limit is above 0", example);
    if (unit_is_time && c->limit > TIME_MAX_NS)
        return refuse(r, "nothing is measured for that long", example);
    if (counts && c->relation == CLAUSE_BELOW && !(c->limit > 0))
        return refuse(r, "there cannot be fewer errors than none", example);
    if (counts && c->limit_is_share && !(c->limit > 0 && c->limit < 1))
        return refuse(r, "a share of errors lies between 0 and 100 %", "errors<0.1%");
    if (c->relation == CLAUSE_EQUAL && c->limit != 0)
        return refuse(r, "only errors=0 can be asked with =", "errors<5");
    r->at = end + length;
    return 0;
}

/* Skips `word` and the spaces after it if they come next. Returns true if it did. */
static bool takes_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0 || !isspace((unsigned char)r->at[length]))
        return false;
    r->at += length;
    skip_spaces(r);
    return true;
}

/* Reads a number that is followed by one of the units. Returns NaN if there is none. */
static double read_number(struct reader *r, const struct unit units[])
{
    const char *end;
    double value = number_begin(r->at, &end);
    size_t length = strcspn(end, ", \t\n");
    units = unit_at(units, end, length);
    if (end == r->at || !units->name)
        return NAN;
    r->at = end + length;
    return value * units->factor;
}

/* Reads "per 10s in 95%" if it comes next. */
static int read_period(struct reader *r, struct clause *c)
{
    static const char example[] = "p99<500us per 10s in 95%";
    skip_spaces(r);
    const char *begin = r->at;
    if (!takes_word(r, "per"))
        return 0;
    if (r->language != LIMITS) {
        r->at = begin;
        return refuse(r,
                      r->language == NUMBERS
                          ? "a column of numbers has no clock, and no intervals of it"
                          : "widths are of the whole run",
                      example_of(r, c->subject));
    }
    if (c->subject == CLAUSE_EFFICIENCY) {
        r->at = begin;
        return refuse(r, "an efficiency is of the whole run", example_of(r, c->subject));
    }
    const char *at = r->at;
    double ns = read_number(r, lengths), steps = ns / CLAUSE_PERIOD_NS_MIN;
    if (!(ns >= CLAUSE_PERIOD_NS_MIN && ns <= (double)CLAUSE_PERIOD_NS_MAX) ||
        fabs(steps - round(steps)) > 1e-6) {
        r->at = at;
        return refuse(r, "the length of an interval comes here, 100ms or a multiple, up to 24h",
                      example);
    }
    c->period_ns = (uint64_t)round(steps) * CLAUSE_PERIOD_NS_MIN;
    skip_spaces(r);
    bool follows = takes_word(r, "in");
    at = r->at;
    double share = follows ? read_number(r, widths) : NAN;
    if (!(share > 0 && share < 1)) {
        r->at = at;
        return refuse(r,
                      follows ? "a share of the intervals, above 0 and below 100 %, comes here"
                              : "in and a share of the intervals come here",
                      example);
    }
    c->period_share = round(share * 1e9) / 1e9; /* removes rounding errors: 70 * 0.01 becomes 0.7 */
    return 0;
}

/* Stores the text of the clause without spaces, but keeps single spaces from "per" on. */
static int take_text(struct clause *c, const char *begin, const char *end, size_t position,
                     struct err *e)
{
    size_t length = 0;
    bool in_period = false, kept = true;
    for (const char *at = begin; at < end && kept; at++) {
        if (isspace((unsigned char)*at)) {
            in_period |= c->period_ns && !strncmp(at + 1, "per", 3);
            if (!in_period || isspace((unsigned char)at[1]) || at + 1 == end)
                continue;
        }
        kept = length + 1 < sizeof c->text;
        if (kept)
            c->text[length++] = isspace((unsigned char)*at) ? ' ' : *at;
    }
    if (kept)
        return 0;
    return err_set(e, ERR_USAGE, "at character %zu: a clause is at most %zu characters long",
                   position, sizeof c->text - 1);
}

/* Returns the first limit that contradicts `c`, or NULL. Two limits on shares of intervals
   contradict each other only if the shares add up to more than 1. */
static const struct clause *contradicted_by(const struct clauses *all, const struct clause *c)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct clause *other = &all->clause[i];
        if (other->subject != c->subject || other->time != c->time || other->share != c->share ||
            strcmp(other->op, c->op) != 0 || c->relation == CLAUSE_WIDTH ||
            other->period_ns != c->period_ns)
            continue;
        if (c->period_ns && other->period_share + c->period_share <= 1)
            continue;
        const struct clause *below = c->relation == CLAUSE_BELOW ? c : other;
        const struct clause *above = c->relation == CLAUSE_ABOVE ? c : other;
        if (below->relation == CLAUSE_BELOW && above->relation == CLAUSE_ABOVE &&
            above->limit >= below->limit)
            return other;
    }
    return NULL;
}

static int read_clauses(struct clauses *to, const char *text, enum language language, struct err *e)
{
    static const char *const several[] = {[LIMITS] = "p99<500us, errors=0",
                                          [NUMBERS] = "p99<500, mean<200",
                                          [WIDTHS] = "iops:5%,bps:10%"};
    struct reader r = {text, text, language, e};
    *to = (struct clauses){0};
    for (;;) {
        struct clause c = {0};
        skip_spaces(&r);
        const char *begin = r.at;
        if (to->count == CLAUSES_MAX)
            return err_set(e, ERR_USAGE, "at character %zu: no more than %d clauses",
                           (size_t)(r.at - text) + 1, CLAUSES_MAX);
        if (read_subject(&r, &c) != 0 || read_relation(&r, &c) != 0 || read_limit(&r, &c) != 0 ||
            read_period(&r, &c) != 0 ||
            take_text(&c, begin, r.at, (size_t)(begin - text) + 1, e) != 0)
            return -1;
        const struct clause *other = contradicted_by(to, &c);
        if (other)
            return err_set(e, ERR_USAGE, "at character %zu: %s and %s contradict each other",
                           (size_t)(begin - text) + 1, other->text, c.text);
        to->clause[to->count++] = c;
        skip_spaces(&r);
        if (!*r.at)
            return 0;
        if (*r.at != ',')
            return refuse(&r, "a comma comes between clauses", several[language]);
        r.at++;
    }
}

int clauses_parse_limits(struct clauses *to, const char *text, struct err *e)
{
    return read_clauses(to, text, LIMITS, e);
}

int clauses_parse_numbers(struct clauses *to, const char *text, struct err *e)
{
    return read_clauses(to, text, NUMBERS, e);
}

int clauses_parse_widths(struct clauses *to, const char *text, struct err *e)
{
    return read_clauses(to, text, WIDTHS, e);
}

size_t clauses_mistake_at(struct err *e)
{
    static const char place[] = "at character ";
    size_t character = 1;
    if (strncmp(e->msg, place, strlen(place)) == 0)
        character = strtoul(e->msg + strlen(place), NULL, 10);
    char *typed = strstr(e->msg, ", '"), *rest = strstr(e->msg, ": ");
    char *after = typed && rest && typed < rest ? strstr(typed, "': ") : NULL;
    rest = after ? after + 1 : rest;
    if (rest)
        memmove(e->msg, rest + 2, strlen(rest + 2) + 1);
    return character - 1;
}

int clauses_add(struct clauses *to, const struct clause *c, struct err *e)
{
    const struct clause *other = contradicted_by(to, c);
    if (to->count == CLAUSES_MAX)
        return err_set(e, ERR_USAGE, "there are more than %d clauses", CLAUSES_MAX);
    if (other)
        return err_set(e, ERR_USAGE, "%s and %s contradict each other", other->text, c->text);
    to->clause[to->count++] = *c;
    return 0;
}

size_t clauses_estimated(const struct clauses *of)
{
    size_t count = 0;
    for (const struct clause *c = of->clause; c < of->clause + of->count; c++)
        count += !clause_is_fact(c);
    return count;
}
