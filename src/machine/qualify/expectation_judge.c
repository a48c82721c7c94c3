/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges a machine by an expectation.
 *
 * A measured value passes when its whole interval is on the right side of the limit, and fails when
 * the whole interval is on the wrong side. If the limit lies inside the interval, or the value has
 * no interval, the check is undecided: it never passes, and the exit status is 5.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "machine/qualify/internal.h"

struct judging {
    const struct expectation *x;
    struct qualification *q;
    int device; /* -1 for the machine */
    const struct rule *rule;
    struct found found;
};

/* ---- words ---- */

/* Returns the unit that the typed quantity `text` leaves out (" C" after "70"), or "". */
static const char *quantity_unit_after(enum quantity quantity, const char *text)
{
    size_t length = strlen(text);
    if (quantity == QUANTITY_COUNT_RATE)
        return " IOPS";
    if (!length || !strchr("0123456789.", text[length - 1]))
        return "";
    return quantity == QUANTITY_TEMPERATURE ? " C"
           : quantity == QUANTITY_PERCENT   ? " %"
           : quantity == QUANTITY_HOURS     ? " h"
                                            : "";
}

static void describe_expected(const struct rule *rule, char *to, size_t size)
{
    static const char *const words[] = {
        [COMPARE_EQUAL] = "exactly ", [COMPARE_MIN] = "at least ", [COMPARE_MAX] = "at most "};
    enum quantity quantity = rule->key->quantity;
    bool is_text = quantity == QUANTITY_TEXT;
    int used = snprintf(to, size, "%s%.*s%s", is_text ? "" : words[rule->compare],
                        is_text ? QUANTITY_TEXT_MAX - 1 : 40, rule->text,
                        quantity_unit_after(quantity, rule->text));
    if (rule->has_warn && used > 0 && (size_t)used < size)
        snprintf(to + used, size - (size_t)used, ", warning %s %.40s%s",
                 rule->compare == COMPARE_MIN ? "below" : "above", rule->warn_text,
                 quantity_unit_after(quantity, rule->warn_text));
}

static void add_check(const struct judging *j, enum grade grade, const char *what, const char *note)
{
    struct qualification *q = j->q;
    struct qualification_check *check = NULL;
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", j->rule->test < 0 ? "" : expectation_tests[j->rule->test],
             j->rule->test < 0 ? "" : " ", what ? what : j->rule->key->name);
    /* If the disk already has a check of this name without an expectation, that check takes the
       expectation, so that one check says both. */
    for (size_t i = 0; j->device >= 0 && i < q->check_count && !check; i++)
        if (q->checks[i].device == j->device && !q->checks[i].expected[0] &&
            !strcmp(q->checks[i].what, name))
            check = &q->checks[i];
    if (check) {
        size_t used = strlen(check->note);
        describe_expected(j->rule, check->expected, sizeof check->expected);
        if (check->replaceable) {
            snprintf(check->note, sizeof check->note, "%s", note);
            qualification_replace(q, check, grade);
            return;
        }
        qualification_raise(q, check, grade);
        if (*note)
            snprintf(check->note + used, sizeof check->note - used, "%s%s", used ? "; " : "", note);
        return;
    }
    check = qualification_add(q, j->device, grade, name);
    if (!check)
        return;
    const size_t size = sizeof check->found;
    const struct found *f = &j->found;
    enum quantity quantity = j->rule->key->quantity;
    if (f->text)
        snprintf(check->found, size, "%s", f->text);
    else if (isnan(f->value))
        snprintf(check->found, size, "not known");
    else if (f->measured)
        quantity_format_interval(quantity, f->value, f->low, f->high, check->found, size);
    else
        quantity_format(quantity, f->value, &j->rule->limit, check->found, size);
    describe_expected(j->rule, check->expected, sizeof check->expected);
    snprintf(check->note, sizeof check->note, "%s", note);
}

/* ---- one rule ---- */

static bool link_is_right(enum compare compare, const struct amount *link,
                          const struct amount *limit)
{
    bool reaches = quantity_link_reaches(link, limit), within = quantity_link_reaches(limit, link);
    return compare == COMPARE_MIN ? reaches : compare == COMPARE_MAX ? within : reaches && within;
}

static enum grade judge_link(const struct judging *j, const char **why)
{
    struct amount link;
    const struct rule *rule = j->rule;
    if (!quantity_read_link(j->found.text, &link)) {
        *why = "it cannot be compared";
        return GRADE_UNDECIDED;
    }
    if (link.transfers != rule->limit.transfers) {
        *why = "it is another kind of link";
        return GRADE_FAIL;
    }
    if (!link.lanes && !link.transfers) /* a SATA or SAS cable has one lane unless the link says
                                           more */
        link.lanes = 1;
    bool unknown = !link.lanes && rule->limit.lanes;
    if (!link_is_right(rule->compare, &link, &rule->limit))
        return GRADE_FAIL;
    if (unknown) {
        *why = "not decided: the number of its lanes is not known";
        return GRADE_UNDECIDED;
    }
    return rule->has_warn && !link_is_right(rule->compare, &link, &rule->warn) ? GRADE_WARN
                                                                               : GRADE_PASS;
}

static bool is_right(enum compare compare, double value, const struct amount *limit, double room)
{
    double low = limit->number * (1 - room) - limit->half_digit;
    double high = limit->number + limit->half_digit;
    switch (compare) {
    case COMPARE_MIN:
        return value >= low;
    case COMPARE_MAX:
        return value <= high;
    default:
        return value >= low && value <= high;
    }
}

/* Judges by the two ends of the interval, the one that meets the rule best and the one that meets
   it worst. Undecided: only the best end meets the limit. */
static enum grade judge_interval(const struct judging *j, char *why, size_t size)
{
    const struct rule *rule = j->rule;
    const struct found *f = &j->found;
    bool is_max = rule->compare == COMPARE_MAX;
    double best = is_max ? f->low : f->high, worst = is_max ? f->high : f->low;
    enum grade grade = GRADE_WARN;
    if (f->undecided) {
        snprintf(why, size, "not decided: %s", f->undecided);
        return GRADE_UNDECIDED;
    }
    if (!isfinite(best) || !isfinite(worst)) {
        snprintf(why, size, "not decided: there are too few readings for an interval");
        grade = GRADE_UNDECIDED;
    } else if (is_right(rule->compare, worst, &rule->limit, 0)) {
        if (!rule->has_warn || is_right(rule->compare, worst, &rule->warn, 0))
            return GRADE_PASS;
        if (is_right(rule->compare, best, &rule->warn, 0))
            snprintf(why, size, "the limit of the warning lies inside the %g %% interval",
                     100 * f->confidence);
    } else if (!is_right(rule->compare, best, &rule->limit, 0)) {
        grade = GRADE_FAIL;
    } else {
        snprintf(why, size, "not decided: the limit lies inside the %g %% interval",
                 100 * f->confidence);
        grade = GRADE_UNDECIDED;
    }
    /* Other programs take processor time and make a disk slower, never faster, by an unknown
       amount. A value that lies wholly on the wrong side still fails, and the note says that the
       machine was busy. */
    bool slowness = (rule->key->quantity == QUANTITY_TIME) == is_max;
    if (f->disturbed && slowness) {
        snprintf(why, size, "%s%s", grade == GRADE_FAIL ? "" : "not decided: ", f->disturbed);
        grade = grade == GRADE_FAIL ? GRADE_FAIL : GRADE_UNDECIDED;
    }
    return grade;
}

static void judge_found(struct judging *j, const char *what)
{
    const struct found *f = &j->found;
    char words[NOTE_MAX] = "";
    const char *why = words;
    enum grade grade;
    if (!f->text && isnan(f->value)) {
        grade = f->not_asked ? GRADE_NONE : GRADE_UNDECIDED;
        why = f->missing ? f->missing : "";
    } else if (j->rule->key->quantity == QUANTITY_TEXT) {
        grade = glob_matches(j->rule->text, j->found.text) ? GRADE_PASS : GRADE_FAIL;
    } else if (j->rule->key->quantity == QUANTITY_LINK) {
        grade = judge_link(j, &why);
    } else if (f->measured) {
        grade = judge_interval(j, words, sizeof words);
    } else {
        const struct rule *rule = j->rule;
        double room = rule->key->room;
        grade = !is_right(rule->compare, f->value, &rule->limit, room) ? GRADE_FAIL
                : rule->has_warn && !is_right(rule->compare, f->value, &rule->warn, room)
                    ? GRADE_WARN
                    : GRADE_PASS;
        why = rule->key->note && rule->compare != COMPARE_MAX ? rule->key->note : words;
    }
    add_check(j, grade, what, why);
}

static void start_found(struct judging *j)
{
    j->found = (struct found){.value = NAN, .low = NAN, .high = NAN, .confidence = NAN};
}

static void judge_rule(struct judging *j)
{
    const struct rule *rule = j->rule;
    const struct qualification_test *test =
        rule->test < 0
            ? NULL
            : qualification_test_of(&j->q->devices[j->device], expectation_tests[rule->test]);
    start_found(j);
    rule->key->find(rule->key, j->q, j->device, test, &j->found);
    judge_found(j, NULL);
}

/* ---- sections ---- */

/* Judges the rule about the number of disks once for the whole section. */
static void judge_count(struct judging *j, const struct section *s, size_t count)
{
    start_found(j);
    j->device = -1;
    j->found.value = j->q->chosen ? NAN : (double)count;
    j->found.not_asked = j->q->chosen;
    j->found.missing = "only disks that were named were looked at";
    size_t before = j->q->check_count;
    judge_found(j, "count of disks");
    if (j->q->check_count > before && !j->q->chosen)
        snprintf(j->q->checks[before].note, NOTE_MAX, "[disk%s%s]", s->selector[0] ? " " : "",
                 s->selector);
}

static void judge_disks(struct judging *j, const struct section *s, bool known[])
{
    const struct rule *rules = j->x->rules + s->first_rule, *end = rules + s->rule_count;
    struct qualification *q = j->q;
    size_t count = 0;
    bool counted = false;
    for (size_t i = 0; i < q->device_count; i++) {
        const struct qualification_device *d = &q->devices[i];
        if (!section_is_about(s, d))
            continue;
        count++;
        known[i] = true;
        j->device = (int)i;
        if (s->of_tests)
            clauses_judge(s, q, (int)i);
        for (j->rule = rules; j->rule < end; j->rule++)
            if (j->rule->key->find)
                judge_rule(j);
    }
    for (j->rule = rules; j->rule < end; j->rule++)
        if (!j->rule->key->find) {
            judge_count(j, s, count);
            counted = true;
        }
    if (count || counted)
        return;
    /* A section that matches no disk is most likely a mistake, or a disk is missing. */
    struct qualification_check *check =
        qualification_add(q, -1, q->chosen ? GRADE_NONE : GRADE_FAIL, "disks");
    if (!check)
        return;
    snprintf(check->found, sizeof check->found, "none");
    const char *test = s->test < 0 ? "all" : expectation_tests[s->test];
    snprintf(check->expected, sizeof check->expected, "some of [%s%s%s%.80s]",
             s->of_tests ? "test " : "disk", s->of_tests ? test : "", s->selector[0] ? " " : "",
             s->selector);
    snprintf(check->note, sizeof check->note, "%.60s, line %zu%s", j->x->name, s->line,
             s->of_tests ? "" : "; count >= 0 permits none");
}

void expectation_judge(const struct expectation *x, struct qualification *q)
{
    bool known[QUALIFICATION_DEVICES] = {false}, any = false;
    struct judging j = {.x = x, .q = q};
    snprintf(q->expectations, sizeof q->expectations, "%s", x->name);
    for (const struct section *s = x->sections; s < x->sections + x->section_count; s++) {
        any |= !s->of_machine && !s->of_tests;
        if (s->of_machine) {
            const struct rule *rules = j.x->rules + s->first_rule;
            j.device = -1;
            for (j.rule = rules; j.rule < rules + s->rule_count; j.rule++)
                judge_rule(&j);
        } else {
            judge_disks(&j, s, known);
        }
    }
    for (size_t i = 0; any && i < q->device_count; i++)
        if (!known[i])
            note_check(q, (int)i, GRADE_WARN, "expectation", "none",
                       "no section of %.80s is about a %.16s disk of this model", x->name,
                       q->devices[i].kind);
}
