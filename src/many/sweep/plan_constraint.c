/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads constraints between factors, settings and constants, and checks configurations against
   them. */
#include <math.h>
#include <string.h>

#include "base/number_parse.h"
#include "many/sweep/internal.h"

static const struct {
    const char *words;
    enum sweep_relation relation;
} relations[] = {{"<", SWEEP_LESS},   {"<=", SWEEP_AT_MOST}, {"=", SWEEP_EQUAL},
                 {"==", SWEEP_EQUAL}, {"!=", SWEEP_UNEQUAL}, {">=", SWEEP_AT_LEAST},
                 {">", SWEEP_MORE}};

/* Reads a factor by its name, or the value of a setting. Returns false if the word is neither. */
static bool read_named(struct plan_reader *r, const char *word, struct sweep_operand *o)
{
    struct sweep_plan *p = r->plan;
    o->factor = plan_factor_of(p, word);
    if (o->factor >= 0)
        return true;
    const struct option_row *option = plan_option_of(r, word);
    for (size_t i = 0; i < p->setting_count && option; i++)
        if (p->settings[i].option == option) {
            o->text = p->settings[i].value;
            o->number = plan_level_number(option, o->text);
            return true;
        }
    return false;
}

static int read_operand(struct plan_reader *r, struct sweep_operand *o, const char **at)
{
    const char *word = plan_reader_word(r, at);
    *o = (struct sweep_operand){.factor = -1, .text = word, .number = NAN};
    if (!word)
        return reader_fail(&r->text, *at, "a factor, a setting or a value is expected");
    if (!read_named(r, word, o))
        o->number = plan_level_number(NULL, word);
    return 0;
}

/* Reads a constant in the unit of the factor on the other side: 2s, 20k. */
static void read_as(const struct sweep_plan *p, struct sweep_operand *constant, int factor)
{
    if (constant->factor >= 0 || factor < 0 || !p->factors[factor].option)
        return;
    double number = plan_level_number(p->factors[factor].option, constant->text);
    if (!isnan(number))
        constant->number = number;
}

static bool is_text(const struct sweep_plan *p, const struct sweep_operand *o)
{
    return o->factor >= 0 ? p->factors[o->factor].is_text : isnan(o->number);
}

int plan_read_constraint(struct plan_reader *r)
{
    struct sweep_plan *p = r->plan;
    struct sweep_constraint *c = &p->constraints[p->constraint_count];
    const char *left_at, *at, *right_at;
    if (p->constraint_count == SWEEP_CONSTRAINTS_MAX)
        return reader_fail(&r->text, r->text.rest.text, "%d constraints are possible",
                           SWEEP_CONSTRAINTS_MAX);
    if (read_operand(r, &c->left, &left_at))
        return -1;
    const char *word = plan_reader_word(r, &at);
    size_t i = 0;
    while (i < sizeof relations / sizeof *relations &&
           (!word || strcmp(relations[i].words, word) != 0))
        i++;
    if (i == sizeof relations / sizeof *relations)
        return reader_fail(&r->text, at,
                           "<, <=, =, !=, >= or > is expected, with blanks around it");
    c->relation = relations[i].relation;
    if (read_operand(r, &c->right, &right_at))
        return -1;
    if (plan_reader_word(r, &at))
        return reader_fail(&r->text, at, "nothing more is expected here");
    if (c->left.factor < 0 && c->right.factor < 0)
        return reader_fail(&r->text, left_at, "neither side is a factor");
    read_as(p, &c->left, c->right.factor);
    read_as(p, &c->right, c->left.factor);
    bool ordered = c->relation != SWEEP_EQUAL && c->relation != SWEEP_UNEQUAL;
    if (ordered && (is_text(p, &c->left) || is_text(p, &c->right)))
        return reader_fail(&r->text, is_text(p, &c->left) ? left_at : right_at,
                           "it is text, which is equal (=) or not (!=), and no more or less");
    p->constraint_count++;
    return 0;
}

/* ---- configurations ---- */

struct sides {
    const char *text;
    double number;
};

static struct sides side_of(const struct sweep_plan *p, const struct sweep_operand *o,
                            const struct sweep_configuration *c)
{
    if (o->factor < 0)
        return (struct sides){o->text, o->number};
    const struct sweep_level *level = sweep_level_of(p, c, (size_t)o->factor);
    return (struct sides){level->text, level->number};
}

static bool is_met(const struct sweep_plan *p, const struct sweep_constraint *constraint,
                   const struct sweep_configuration *c)
{
    struct sides left = side_of(p, &constraint->left, c);
    struct sides right = side_of(p, &constraint->right, c);
    bool numbers = !isnan(left.number) && !isnan(right.number);
    bool equal = numbers ? left.number == right.number : !strcmp(left.text, right.text);
    switch (constraint->relation) {
    case SWEEP_LESS:
        return left.number < right.number;
    case SWEEP_AT_MOST:
        return left.number <= right.number;
    case SWEEP_EQUAL:
        return equal;
    case SWEEP_UNEQUAL:
        return !equal;
    case SWEEP_AT_LEAST:
        return left.number >= right.number;
    default:
        return left.number > right.number;
    }
}

bool sweep_is_allowed(const struct sweep_plan *plan, const struct sweep_configuration *c)
{
    for (size_t i = 0; i < plan->constraint_count; i++)
        if (!is_met(plan, &plan->constraints[i], c))
            return false;
    return true;
}
