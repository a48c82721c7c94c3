/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses --expect, the expected order of two alternatives, and judges whether it holds. */
#include "many/compare/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/span.h"

#define EXAMPLES                                                                                   \
    "as in 'A faster than B by 5%', 'A not slower than B by 2%', 'A same as B', 'B repeats A', "   \
    "'B repeats A or is faster'"

static struct span next_word(const char **rest)
{
    const char *begin = *rest + strspn(*rest, " ");
    struct span word = {begin, strcspn(begin, " ")};
    *rest = begin + word.length;
    return word;
}

static int find_alternative(const struct comparison *c, struct span word, size_t *to, struct err *e)
{
    for (size_t i = 0; i < c->alternative_count; i++) {
        char letter[] = {(char)('A' + i), '\0'};
        if (span_is(word, letter) || span_is(word, c->names[i])) {
            *to = i;
            return 0;
        }
    }
    return err_set(e, ERR_USAGE, "--expect: \"%.*s\" is not one of the alternatives A to %c",
                   (int)(word.length < 60 ? word.length : 60), word.text,
                   (char)('A' + c->alternative_count - 1));
}

static int parse_share(struct span word, double *to)
{
    bool percent = word.length > 0 && word.text[word.length - 1] == '%';
    if (number_parse(word.text, word.length - percent, to) != NUMBER_OK || *to < 0)
        return -1;
    *to /= percent ? 100 : 1;
    return *to < 1 ? 0 : -1;
}

/* Parses what follows "repeats": "A", "A or is faster". */
static int parse_repetition(struct expected_order *to, const char *rest, const struct comparison *c,
                            struct err *e)
{
    to->repeats = true;
    if (find_alternative(c, next_word(&rest), &to->second, e))
        return -1;
    struct span word = next_word(&rest);
    if (!word.length)
        return 0;
    to->or_faster = span_is(word, "or") && span_is(next_word(&rest), "is") &&
                    span_is(next_word(&rest), "faster") && !next_word(&rest).length;
    return to->or_faster
               ? 0
               : err_set(e, ERR_USAGE, "--expect '%.80s': nothing or \"or is faster\" ends it, %s",
                         to->text, EXAMPLES);
}

int expected_order_parse(struct expected_order *to, const char *text, const struct comparison *c,
                         struct err *e)
{
    const char *rest = text;
    *to = (struct expected_order){.text = text};
    struct span word = next_word(&rest);
    if (find_alternative(c, word, &to->first, e))
        return -1;
    word = next_word(&rest);
    to->negated = span_is(word, "not");
    if (to->negated)
        word = next_word(&rest);
    const char *joint = "than", *measure = "by";
    if (span_is(word, "repeats") && !to->negated) {
        if (parse_repetition(to, rest, c, e))
            return -1;
        return to->first == to->second
                   ? err_set(e, ERR_USAGE, "--expect '%.80s': that is one alternative twice", text)
                   : 0;
    }
    if (span_is(word, "faster")) {
        to->relation = COMPARISON_FASTER;
    } else if (span_is(word, "slower")) {
        to->relation = COMPARISON_SLOWER;
    } else if (span_is(word, "same")) {
        to->relation = COMPARISON_SAME;
        to->by = c->margin;
        joint = "as";
        measure = "within";
    } else {
        return err_set(e, ERR_USAGE,
                       "--expect '%.80s': faster, slower, same or repeats is expected, %s", text,
                       EXAMPLES);
    }
    if (!span_is(next_word(&rest), joint))
        return err_set(e, ERR_USAGE, "--expect '%.80s': \"%s\" is missing, %s", text, joint,
                       EXAMPLES);
    if (find_alternative(c, next_word(&rest), &to->second, e))
        return -1;
    if (to->first == to->second)
        return err_set(e, ERR_USAGE, "--expect '%.80s': that is one alternative twice", text);
    word = next_word(&rest);
    if (word.length && (!span_is(word, measure) || parse_share(next_word(&rest), &to->by) ||
                        next_word(&rest).length))
        return err_set(e, ERR_USAGE, "--expect '%.80s': \"%s\" and a share below 100%% end it, %s",
                       text, measure, EXAMPLES);
    return 0;
}

/* The judged pair of the two alternatives in an order. */
struct ordered_pair {
    const struct comparison_quantity *quantity;
    const struct comparison_pair *pair;
    bool straight; /* the first of the pair is the first of the order */
};

/* Finds the pair with the order's alternatives among the judged ones. Returns false if it was not
   judged. */
static bool find_pair(const struct comparison_quantity *q, const struct expected_order *order,
                      struct ordered_pair *to)
{
    for (size_t i = 0; i < q->pair_count; i++) {
        const struct comparison_pair *p = &q->pairs[i];
        size_t first = q->sides[p->first].alternative, second = q->sides[p->second].alternative;
        bool straight = first == order->first && second == order->second;
        if (!straight && !(first == order->second && second == order->first))
            continue;
        *to = (struct ordered_pair){q, p, straight};
        return true;
    }
    return false;
}

/* The ratio of the first alternative to the second, and its interval. It is a ratio of the quantity
   itself, a rate or a time, so that a share in the order is a share of what was measured. */
struct first_ratio {
    double value, low, high;
};

static struct first_ratio ratio_of(const struct ordered_pair *o)
{
    const struct comparison_pair *p = o->pair;
    return o->straight ? (struct first_ratio){p->ratio, p->low, p->high}
                       : (struct first_ratio){1 / p->ratio, 1 / p->high, 1 / p->low};
}

static enum clause_verdict judge_ratio(const struct expected_order *order,
                                       const struct first_ratio *r, bool higher_is_better,
                                       bool is_repetition)
{
    bool holds, fails;
    if (order->relation == COMPARISON_SAME) {
        holds = r->low >= 1 - order->by && r->high <= 1 + order->by;
        fails = r->high < 1 - order->by || r->low > 1 + order->by;
    } else if ((order->relation == COMPARISON_FASTER) == higher_is_better) {
        holds = r->low > 1 + order->by && !is_repetition;
        fails = r->high < 1 + order->by;
    } else {
        holds = r->high < 1 - order->by && !is_repetition;
        fails = r->low > 1 - order->by;
    }
    enum clause_verdict yes = order->negated ? CLAUSE_FAILED : CLAUSE_PASSED;
    enum clause_verdict no = order->negated ? CLAUSE_PASSED : CLAUSE_FAILED;
    return holds ? yes : fails ? no : CLAUSE_UNDECIDED;
}

/* "A repeats B": the first alternative is the new one, and the second the old one. */
static enum clause_verdict judge_repeats(const struct expected_order *order,
                                         const struct ordered_pair *o, char *words, size_t size)
{
    const struct comparison_pair *p = o->pair;
    const struct comparison_side *sides = o->quantity->sides;
    const struct comparison_side *fresh = &sides[o->straight ? p->first : p->second];
    const struct comparison_side *old = &sides[o->straight ? p->second : p->first];
    if (p->repetition == COMPARISON_UNPREDICTED) {
        snprintf(words, size, "%s predicts nothing: it has no interval, or its level did not hold",
                 old->predicts ? "the new one" : "the old one");
        return CLAUSE_UNDECIDED;
    }
    /* A repetition may change the mean of the pair's first session by low to high. This becomes a
       range around the value of the old session, with the opposite sign if the first is the new
       one. */
    const double base = sides[p->first].mean;
    const double low = p->repetition_low - base, high = p->repetition_high - base;
    const double least = old->mean + (o->straight ? -high : low);
    const double greatest = old->mean + (o->straight ? -low : high);
    snprintf(words, size, "%.4g times the old value, and a repetition gives %.4g to %.4g times",
             fresh->mean / old->mean, least / old->mean, greatest / old->mean);
    const bool faster = (fresh->mean > old->mean) == o->quantity->higher_is_better;
    return p->repetition == COMPARISON_WITHIN || (order->or_faster && faster) ? CLAUSE_PASSED
                                                                              : CLAUSE_FAILED;
}

static enum clause_verdict judge_order(const struct expected_order *order,
                                       const struct ordered_pair *o, char *words, size_t size)
{
    if (order->repeats)
        return judge_repeats(order, o, words, size);
    const struct first_ratio r = ratio_of(o);
    const struct comparison_quantity *q = o->quantity;
    const bool is_repetition = o->pair->repetition == COMPARISON_WITHIN;
    snprintf(words, size, "%.4g times %s, %.4g to %.4g%s", r.value,
             q->higher_is_better                          ? "as fast"
             : q->has_unit && q->kind == METRIC_KIND_TIME ? "the time"
                                                          : "the value",
             r.low, r.high, is_repetition ? ", within what a repetition gives" : "");
    return judge_ratio(order, &r, q->higher_is_better, is_repetition);
}

/* Returns true if verdict `a` counts before `b` for all groups together: failed, then undecided,
   then passed. */
static bool outranks(enum clause_verdict a, enum clause_verdict b)
{
    static const int gravity[] = {[CLAUSE_PASSED] = 0, [CLAUSE_UNDECIDED] = 1, [CLAUSE_FAILED] = 2};
    return gravity[a] > gravity[b];
}

void expected_order_judge(const struct expected_order *order, struct comparison *c)
{
    struct comparison_expectation *x = &c->expectation;
    const char *group = NULL;
    c->expected = true;
    snprintf(x->text, sizeof x->text, "%s", order->text);
    x->verdict = CLAUSE_UNDECIDED;
    snprintf(x->words, sizeof x->words, "%s and %s were not compared", c->names[order->first],
             c->names[order->second]);
    for (size_t i = 0; i < c->quantity_count; i++) {
        const struct comparison_quantity *q = &c->quantities[i];
        struct ordered_pair o;
        char words[200];
        if ((group && !strcmp(group, q->group)) || !find_pair(q, order, &o))
            continue;
        enum clause_verdict verdict = judge_order(order, &o, words, sizeof words);
        if (!group || outranks(verdict, x->verdict)) {
            x->verdict = verdict;
            snprintf(x->words, sizeof x->words, "%.100s%s%s: %s", q->group, q->group[0] ? " " : "",
                     q->metric, words);
        }
        group = q->group;
    }
}
