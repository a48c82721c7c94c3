/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps a response over two factors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/map/analysis.h"
#include "stat/map/internal.h"

/* Factors that are fixed at one level each, and the factor of which two levels are compared. */
struct conditions {
    size_t held[FACTORS_MAX], held_level[FACTORS_MAX], count;
    bool compares;
    size_t factor, from, to;
    /* the response is divided by the level of this factor; NULL: it is not divided */
    const struct factor *divisor;
    size_t divisor_index;
};

/* Finds the level that the user typed; for a numeric factor "4k" is the level 4096. */
static int find_level(const struct factor *f, struct span typed, size_t *level, struct err *e)
{
    char words[64];
    double number;
    snprintf(words, sizeof words, "%.*s", (int)typed.length, typed.text);
    *level = factor_level_of(f, words);
    for (size_t i = 0; i < f->level_count && *level == SIZE_MAX && !f->is_text; i++)
        if (field_number(typed, &number) == NUMBER_OK && f->number[i] == number)
            *level = i;
    if (*level == SIZE_MAX)
        return err_set(e, ERR_USAGE, "%.60s was never measured at \"%s\"", f->name,
                       span_printable(words, sizeof words, typed));
    return 0;
}

/* Finds the factor named before '=', and moves *rest past the '='. */
static size_t named_factor(const struct configurations *c, struct span *rest, const char *option,
                           struct err *e)
{
    const char *equals = memchr(rest->text, '=', rest->length);
    if (!equals) {
        err_set(e, ERR_USAGE, "%s: FACTOR=LEVEL is expected", option);
        return SIZE_MAX;
    }
    struct span name = {rest->text, (size_t)(equals - rest->text)};
    rest->length -= name.length + 1;
    rest->text = equals + 1;
    return configurations_factor(c, span_trimmed(name), e);
}

static int parse_held(struct conditions *to, const struct configurations *c, const char *text,
                      struct err *e)
{
    struct span rest = span_of(text), field;
    bool more = rest.length > 0;
    while (row_next_field(&rest, ',', &more, &field)) {
        size_t factor = named_factor(c, &field, "--at", e);
        if (factor == SIZE_MAX ||
            find_level(&c->factors[factor], span_trimmed(field), &to->held_level[to->count], e))
            return -1;
        if (to->count + 1 == FACTORS_MAX)
            return err_set(e, ERR_USAGE, "--at names too many levels");
        to->held[to->count++] = factor;
    }
    return 0;
}

static int parse_change(struct conditions *to, const struct configurations *c, const char *text,
                        struct err *e)
{
    struct span rest = span_of(text), from, until;
    bool more = true;
    to->compares = rest.length > 0;
    if (!to->compares)
        return 0;
    to->factor = named_factor(c, &rest, "--change", e);
    if (to->factor == SIZE_MAX)
        return -1;
    if (!row_next_field(&rest, ',', &more, &from) || !row_next_field(&rest, ',', &more, &until))
        return err_set(e, ERR_USAGE, "--change %.60s: two levels are expected, as in threads=1,8",
                       text);
    if (find_level(&c->factors[to->factor], from, &to->from, e) ||
        find_level(&c->factors[to->factor], until, &to->to, e))
        return -1;
    return 0;
}

static void describe(struct heat_map *h, const struct configurations *c,
                     const struct conditions *held)
{
    size_t used = 0;
    for (size_t i = 0; i < held->count && used < sizeof h->where; i++)
        used += (size_t)snprintf(h->where + used, sizeof h->where - used, "%s%.40s = %.40s",
                                 i ? ", " : "", c->factors[held->held[i]].name,
                                 c->factors[held->held[i]].words[held->held_level[i]]);
    if (held->compares && used < sizeof h->where)
        snprintf(h->where + used, sizeof h->where - used, "%s%.40s from %.40s to %.40s",
                 held->count ? ", " : "", c->factors[held->factor].name,
                 c->factors[held->factor].words[held->from],
                 c->factors[held->factor].words[held->to]);
}

static bool is_held(const struct configurations *c, size_t i, const struct conditions *held)
{
    const uint32_t *level = c->level + i * c->stride;
    for (size_t k = 0; k < held->count; k++)
        if (level[held->held[k]] != held->held_level[k])
            return false;
    return true;
}

/* Returns the configuration that differs from `i` only in the level of the compared factor;
   SIZE_MAX: there is none. Searches by bisection, because configurations are sorted by their
   levels, factor by factor. */
static size_t counterpart(const struct configurations *c, size_t i, const struct conditions *held)
{
    uint32_t wanted[FACTORS_MAX];
    size_t low = 0, high = c->n;
    memcpy(wanted, c->level + i * c->stride, c->stride * sizeof *wanted);
    wanted[held->factor] = (uint32_t)held->to;
    while (low < high) {
        size_t middle = (low + high) / 2, f = 0;
        const uint32_t *level = c->level + middle * c->stride;
        while (f < c->stride && level[f] == wanted[f])
            f++;
        if (f == c->stride)
            return middle;
        if (level[f] < wanted[f])
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

/* Sets the factor that responses are divided by. */
static int parse_divisor(struct conditions *to, const struct configurations *c, const char *name,
                         struct err *e)
{
    if (!name[0])
        return 0;
    to->divisor_index = configurations_factor(c, span_of(name), e);
    if (to->divisor_index == SIZE_MAX)
        return -1;
    to->divisor = &c->factors[to->divisor_index];
    if (to->divisor->is_text || !(to->divisor->number[0] > 0))
        return err_set(e, ERR_USAGE, "--per %.60s: a factor of numbers above 0 is expected", name);
    return 0;
}

static double value_of(const struct configurations *c, size_t i, const struct conditions *held)
{
    return held->divisor
               ? c->value[i] / held->divisor->number[c->level[i * c->stride + held->divisor_index]]
               : c->value[i];
}

static int fill_cells(struct heat_map *h, const struct configurations *c, size_t x, size_t y,
                      const struct conditions *held, struct err *e)
{
    size_t cells = h->width * h->height, filled = 0;
    size_t *count = calloc(cells, sizeof *count);
    h->value = calloc(cells, sizeof *h->value);
    if (!count || !h->value) {
        free(count);
        return err_no_memory(e, "%zu cells", cells);
    }
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t *level = c->level + i * c->stride;
        double value = value_of(c, i, held);
        if (!is_held(c, i, held) || (held->compares && level[held->factor] != held->from))
            continue;
        if (held->compares) {
            size_t other = counterpart(c, i, held);
            if (other == SIZE_MAX)
                continue;
            value = value_of(c, other, held) - value;
        }
        size_t cell = (y == SIZE_MAX ? 0 : level[y]) * h->width + level[x];
        h->value[cell] += (value - h->value[cell]) / (double)++count[cell];
    }
    for (size_t cell = 0; cell < cells; cell++) {
        filled += count[cell] > 0;
        h->value[cell] = count[cell] ? h->value[cell] : (double)NAN;
    }
    free(count);
    return filled ? 0 : err_set(e, ERR_USAGE, "no configuration was measured at these levels");
}

int heat_map_make(struct heat_map *h, const struct configurations *c,
                  const struct heat_map_request *request, struct err *e)
{
    static const char *const no_levels[] = {""};
    struct span rest = span_of(request->axes), name_x, name_y, third;
    struct conditions held = {0};
    bool more = true;
    *h = (struct heat_map){.response = c->response.name,
                           .y = "",
                           .height = 1,
                           .y_levels = no_levels,
                           .per = request->per,
                           .notes = c->notes.data ? c->notes.data : ""};
    const bool has_x = row_next_field(&rest, ',', &more, &name_x),
               has_y = has_x && row_next_field(&rest, ',', &more, &name_y);
    if (!has_x || (!has_y && !request->one_axis) ||
        (has_y && row_next_field(&rest, ',', &more, &third)))
        return err_set(e, ERR_USAGE, "--%s %.60s: %s expected, as in threads,bs",
                       request->one_axis ? "lines" : "heatmap", request->axes,
                       request->one_axis ? "one or two factors are" : "two factors are");
    const size_t x = configurations_factor(c, name_x, e);
    const size_t y = x != SIZE_MAX && has_y ? configurations_factor(c, name_y, e) : SIZE_MAX;
    if (x == SIZE_MAX || (has_y && y == SIZE_MAX) || parse_held(&held, c, request->at, e) ||
        parse_change(&held, c, request->change, e) || parse_divisor(&held, c, request->per, e))
        return -1;
    if (x == y || (held.compares && (held.factor == x || held.factor == y)))
        return err_set(e, ERR_USAGE, "--%s and --change need different factors",
                       request->one_axis ? "lines" : "heatmap");
    h->x = c->factors[x].name;
    h->width = c->factors[x].level_count;
    h->x_levels = c->factors[x].words;
    h->x_numbers = c->factors[x].is_text ? NULL : c->factors[x].number;
    if (has_y) {
        h->y = c->factors[y].name;
        h->height = c->factors[y].level_count;
        h->y_levels = c->factors[y].words;
    }
    h->is_change = held.compares;
    describe(h, c, &held);
    if (!fill_cells(h, c, x, y, &held, e))
        return 0;
    heat_map_free(h);
    return -1;
}

void heat_map_free(struct heat_map *h)
{
    free(h->value);
    *h = (struct heat_map){0};
}
