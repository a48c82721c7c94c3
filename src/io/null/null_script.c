/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the script of scripted delays, and draws the delay of one request. */
#include "io/null/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_reader.h"
#include "base/units.h"

/* A longer delay is taken for a mistake, and would overflow the ticks of fast counters. */
#define DELAY_MAX_NS 1e13

static double normal_deviate(struct null_script *s)
{
    if (!isnan(s->spare_normal)) {
        double spare = s->spare_normal;
        s->spare_normal = NAN;
        return spare;
    }
    double u, v, q;
    do {
        u = 2 * random_unit(&s->random) - 1;
        v = 2 * random_unit(&s->random) - 1;
        q = u * u + v * v;
    } while (q >= 1 || q <= 0);
    double scale = sqrt(-2 * log(q) / q);
    s->spare_normal = v * scale;
    return u * scale;
}

static bool happens(struct null_script *s, double probability)
{
    return random_unit(&s->random) < probability;
}

typedef double draw(struct null_script *s, struct script_part *p, double progress,
                    struct script_outcome *o);

/* `arguments` has a letter for each argument: T a time, N a number >= 0, R a correlation, P a
   probability. */
struct part_kind {
    const char *name;
    const char *arguments;
    draw *draw;
};

#define DRAW(name)                                                                                 \
    static double draw_##name(struct null_script *s, struct script_part *p, double progress,       \
                              struct script_outcome *o)
#define UNUSED(x) (void)(x)

DRAW(const)
{
    UNUSED(s), UNUSED(progress), UNUSED(o);
    return p->argument[0];
}

DRAW(uniform)
{
    UNUSED(progress), UNUSED(o);
    return p->argument[0] + (p->argument[1] - p->argument[0]) * random_unit(&s->random);
}

DRAW(normal)
{
    UNUSED(progress), UNUSED(o);
    return p->argument[0] + p->argument[1] * normal_deviate(s);
}

DRAW(lognormal)
{
    UNUSED(progress), UNUSED(o);
    return p->argument[0] * exp(p->argument[1] * normal_deviate(s));
}

DRAW(exp)
{
    UNUSED(progress), UNUSED(o);
    return -p->argument[0] * log1p(-random_unit(&s->random));
}

/* x' = phi x + sqrt(1 - phi^2) z keeps the standard deviation of x at 1; the first x is drawn from
   a standard normal distribution. */
DRAW(ar1)
{
    UNUSED(progress), UNUSED(o);
    double phi = p->argument[2];
    double z = normal_deviate(s);
    p->state = isnan(p->state) ? z : phi * p->state + sqrt(1 - phi * phi) * z;
    return p->argument[0] + p->argument[1] * p->state;
}

DRAW(bimodal)
{
    UNUSED(progress), UNUSED(o);
    bool second = p->state > 0;
    if (happens(s, p->argument[2]))
        second = !second;
    p->state = second ? 1 : 0;
    return p->argument[second ? 1 : 0];
}

DRAW(spike)
{
    UNUSED(progress), UNUSED(o);
    return happens(s, p->argument[1]) ? p->argument[0] : 0;
}

DRAW(ramp)
{
    UNUSED(s), UNUSED(o);
    return p->argument[0] + (p->argument[1] - p->argument[0]) * progress;
}

/* Requests are served in order: each waits until the server has done those before it. */
DRAW(queue)
{
    UNUSED(progress), UNUSED(o);
    double now = (double)s->now_ns, free = isnan(p->state) ? now : fmax(p->state, now);
    p->state = free + p->argument[0];
    return p->state - now;
}

DRAW(fail)
{
    UNUSED(progress);
    o->fails |= happens(s, p->argument[0]);
    return 0;
}

DRAW(short)
{
    UNUSED(progress);
    o->is_short |= happens(s, p->argument[0]);
    return 0;
}

static const struct part_kind kinds[] = {
    {"const", "T", draw_const},       {"uniform", "TT", draw_uniform},
    {"normal", "TT", draw_normal},    {"lognormal", "TN", draw_lognormal},
    {"exp", "T", draw_exp},           {"ar1", "TTR", draw_ar1},
    {"bimodal", "TTP", draw_bimodal}, {"spike", "TP", draw_spike},
    {"ramp", "TT", draw_ramp},        {"queue", "T", draw_queue},
    {"fail", "P", draw_fail},         {"short", "P", draw_short},
};

static int script_complain(const struct text_reader *r, const char *expected)
{
    return reader_fail(r, r->rest.text, "expected %s", expected);
}

static void skip_spaces(struct text_reader *r)
{
    reader_skip(r, strspn(r->rest.text, " \t\n"));
}

static bool accept(struct text_reader *r, char c)
{
    skip_spaces(r);
    if (*r->rest.text != c)
        return false;
    reader_skip(r, 1);
    skip_spaces(r);
    return true;
}

/* Copies the text up to the next separator to `word`, without moving the reader. Returns its
   length. */
static size_t peek_word(const struct text_reader *r, char word[32])
{
    size_t n = strcspn(r->rest.text, ":,+;@ \t\n");
    if (n > 31)
        n = 31;
    memcpy(word, r->rest.text, n);
    word[n] = '\0';
    return n;
}

static int read_argument(struct text_reader *r, char kind, double *value)
{
    char word[32];
    size_t n = peek_word(r, word);
    uint64_t ns;
    char *end = word;
    if (kind == 'T') {
        if (parse_time(word, &ns, NULL) || (double)ns > DELAY_MAX_NS)
            return script_complain(r, "a time such as 50us or 2ms");
        *value = (double)ns;
    } else {
        *value = strtod(word, &end);
        bool inside = kind == 'R' ? *value > -1 && *value < 1
                                  : *value >= 0 && *value <= (kind == 'N' ? 10 : 1);
        if (end == word || *end || !inside)
            return script_complain(r, kind == 'N'   ? "a number from 0 to 10"
                                      : kind == 'R' ? "a correlation between -1 and 1"
                                                    : "a probability from 0 to 1");
    }
    reader_skip(r, n);
    return 0;
}

static int read_part(struct text_reader *r, struct script_phase *phase)
{
    if (phase->parts == SCRIPT_PARTS_MAX)
        return script_complain(r, "no more parts: a phase has room for 8");
    struct script_part *p = &phase->part[phase->parts++];
    *p = (struct script_part){.state = NAN};
    char word[32];
    size_t n = peek_word(r, word);
    while (p->kind < sizeof kinds / sizeof *kinds && strcmp(word, kinds[p->kind].name) != 0)
        p->kind++;
    if (p->kind == sizeof kinds / sizeof *kinds)
        return script_complain(
            r, "const, uniform, normal, lognormal, exp, ar1, bimodal, spike, ramp, queue, "
               "fail or short");
    if (kinds[p->kind].draw == draw_ramp && !phase->duration_ns)
        return script_complain(r, "a duration before a ramp, as in 2s@ramp:200us,100us");
    reader_skip(r, n);
    const char *arguments = kinds[p->kind].arguments;
    for (unsigned i = 0; arguments[i]; i++) {
        if (!accept(r, i ? ',' : ':'))
            return script_complain(r, i ? "a comma and one more value" : "a colon and a value");
        if (read_argument(r, arguments[i], &p->argument[i]))
            return -1;
    }
    return 0;
}

static int read_phase(struct text_reader *r, struct script_phase *phase)
{
    char word[32];
    *phase = (struct script_phase){0};
    skip_spaces(r);
    struct text_reader ahead = *r;
    reader_skip(&ahead, peek_word(r, word));
    if (accept(&ahead, '@')) {
        if (parse_time(word, &phase->duration_ns, NULL) || !phase->duration_ns)
            return script_complain(r, "the phase's duration before the @, such as 0.5s");
        *r = ahead;
    }
    do {
        if (read_part(r, phase))
            return -1;
    } while (accept(r, '+'));
    return 0;
}

static int read_phases(struct text_reader *r, struct null_script *s)
{
    do {
        if (s->phases == SCRIPT_PHASES_MAX)
            return script_complain(r, "the end: a script has room for 16 phases");
        if (s->phases && !s->phase[s->phases - 1].duration_ns)
            return script_complain(r,
                                   "the end: the phase before has no duration, so it never ends");
        if (read_phase(r, &s->phase[s->phases++]))
            return -1;
    } while (accept(r, ';'));
    return r->rest.length
               ? script_complain(r, "+ and one more part, ; and one more phase, or the end")
               : 0;
}

int script_parse(struct null_script *s, const char *text, uint64_t seed, struct err *e)
{
    struct fault fault;
    struct text_reader r = reader_of_line(span_of(text), &fault);
    *s = (struct null_script){.spare_normal = NAN};
    /* random numbers that are independent of those of the workload */
    random_seed(&s->random, seed, 0x6e756c6c);
    if (read_phases(&r, s))
        return err_set(e, ERR_USAGE, "the script \"%s\", position %zu: %s", text, fault.column,
                       fault.message);
    uint64_t total = 0;
    for (unsigned i = 0; i < s->phases; i++)
        total += s->phase[i].duration_ns;
    s->cycle_ns = s->phase[s->phases - 1].duration_ns ? total : 0;
    return 0;
}

struct script_outcome script_next(struct null_script *s, uint64_t elapsed_ns)
{
    s->now_ns = elapsed_ns;
    if (s->cycle_ns)
        elapsed_ns %= s->cycle_ns;
    unsigned i = 0;
    while (i + 1 < s->phases && elapsed_ns >= s->phase[i].duration_ns)
        elapsed_ns -= s->phase[i++].duration_ns;

    struct script_phase *phase = &s->phase[i];
    double progress = phase->duration_ns ? (double)elapsed_ns / (double)phase->duration_ns : 0;
    struct script_outcome o = {0};
    double delay = 0;
    for (unsigned p = 0; p < phase->parts; p++)
        delay += kinds[phase->part[p].kind].draw(s, &phase->part[p], progress, &o);
    o.delay_ns = (uint64_t)fmin(fmax(delay, 0), DELAY_MAX_NS);
    return o;
}
