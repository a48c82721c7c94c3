/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --expect: the expected order of two alternatives, and whether it holds. */
#include "many/compare/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/span.h"

#define EXAMPLES "as in 'A faster than B by 5%', 'A not slower than B by 2%', 'A same as B'"

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
        return err_set(e, ERR_USAGE, "--expect '%.80s': faster, slower or same is expected, %s",
                       text, EXAMPLES);
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

/* A ratio of speeds, the first over the second, with its interval. */
struct speed {
    double value, low, high;
};

/* Finds the pair of neighbours in the ranking; of other pairs nothing is known. */
static bool find_speed(const struct comparison_quantity *q, const struct expected_order *order,
                       struct speed *to)
{
    for (size_t i = 0; i < q->pair_count; i++) {
        const struct comparison_pair *p = &q->pairs[i];
        size_t first = q->sides[p->first].alternative, second = q->sides[p->second].alternative;
        bool straight = first == order->first && second == order->second;
        if (!straight && !(first == order->second && second == order->first))
            continue;
        *to = straight == q->higher_is_better
                  ? (struct speed){p->ratio, p->low, p->high}
                  : (struct speed){1 / p->ratio, 1 / p->high, 1 / p->low};
        return true;
    }
    return false;
}

static enum clause_verdict judge_speed(const struct expected_order *order, const struct speed *s)
{
    bool holds, fails;
    if (order->relation == COMPARISON_SAME) {
        holds = s->low >= 1 - order->by && s->high <= 1 + order->by;
        fails = s->high < 1 - order->by || s->low > 1 + order->by;
    } else if (order->relation == COMPARISON_FASTER) {
        holds = s->low > 1 + order->by;
        fails = s->high < 1 + order->by;
    } else {
        holds = s->high < 1 - order->by;
        fails = s->low > 1 - order->by;
    }
    enum clause_verdict yes = order->negated ? CLAUSE_FAILED : CLAUSE_PASSED;
    enum clause_verdict no = order->negated ? CLAUSE_PASSED : CLAUSE_FAILED;
    return holds ? yes : fails ? no : CLAUSE_UNDECIDED;
}

/* The gravest of all groups: one that fails outranks one that is undecided. */
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
        struct speed s;
        if ((group && !strcmp(group, q->group)) || !find_speed(q, order, &s))
            continue;
        enum clause_verdict verdict = judge_speed(order, &s);
        if (!group || outranks(verdict, x->verdict)) {
            x->verdict = verdict;
            snprintf(x->words, sizeof x->words, "%s%s%s: %.4g times as fast, %.4g to %.4g",
                     q->group, q->group[0] ? " " : "", q->metric, s.value, s.low, s.high);
        }
        group = q->group;
    }
}
