/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules between options: the checker, and every row of every table: refused with its words, in both
   orders of its options. */
#include "check.h"

#include "base/err.h"
#include "base/span.h"
#include "cmd/options/command.h"
#include "cmd/options/help.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "run/plan/option_rule_check.h"
#include "run/plan/plan.h"

/* ---- the checker ---- */

struct toy {
    bool loud;
    uint32_t size;
    double share;
    char name[8];
    int colour;
};

#define TOY(member) OPTION_FIELD(struct toy, member)

static const struct option_row toy_rows[] = {
    {.name = "loud", .kind = OPTION_FLAG, TOY(loud), .help = "Loud."},
    {.name = "size", .kind = OPTION_SIZE, TOY(size), .value = "4k", .help = "Size."},
    {.name = "share", .kind = OPTION_SHARE, TOY(share), .value = "5%", .help = "Share."},
    {.name = "name", .kind = OPTION_TEXT, TOY(name), .help = "Name."},
    {.name = "colour",
     .kind = OPTION_CHOICE,
     TOY(colour),
     .value = "red",
     .choices = OPTION_CHOICES({"red", 0}, {"blue", 1}),
     .help = "Colour."},
    {0},
};

static const struct toy toy_default = {.size = 4096, .share = 0.05};

/* Returns the message of one rule, or "" if it is kept. `given`: names of typed options; NULL: a
   plan. */
static const char *broken(struct option_rule rule, struct toy toy, const char *given)
{
    static struct err e;
    const struct option_rule rules[] = {rule, {0}};
    const char *texts[sizeof toy_rows / sizeof *toy_rows] = {NULL};
    char term[TERM_MAX];
    for (const char *rest = given; option_rule_next_term(&rest, term);)
        for (size_t i = 0; toy_rows[i].name; i++)
            if (!strcmp(toy_rows[i].name, term))
                texts[i] = "typed";
    const struct option_view view = {toy_rows, given ? texts : NULL, &toy};
    e = (struct err){0};
    int status = option_rules_check(rules, &view, &e);
    CHECK_INT(status, e.code ? -1 : 0);
    CHECK(!e.code || e.code == ERR_USAGE);
    return e.msg;
}

static void test_checker(void)
{
    const struct option_rule needs = NEEDS("loud", "name size", "it is said aloud");
    const struct option_rule excludes = EXCLUDES("name share", "size colour=blue", "they quarrel");
    const struct option_rule one = ONE_OF("loud size name", "they are three of a kind");
    const struct option_rule other = NEEDS("name", "share!=5%", "five is not enough");
    struct toy t = toy_default;
    CHECK_STR(broken(needs, t, NULL), "");
    t.loud = true;
    CHECK_STR(broken(needs, t, NULL), "--loud needs --name or --size: it is said aloud");
    t.size = 1;
    CHECK_STR(broken(needs, t, NULL), "");
    CHECK_STR(broken(needs, t, "loud"), "--loud needs --name or --size: it is said aloud");
    CHECK_STR(broken(needs, t, "size"), "");
    /* typed, even though it is the default value */
    CHECK_STR(broken(needs, toy_default, "size loud"), "");
    CHECK_STR(broken(one, t, NULL),
              "--loud and --size exclude each other: they are three of a kind");
    CHECK_STR(broken(one, t, "size name"),
              "--size and --name exclude each other: they are three of a kind");
    CHECK_STR(broken(one, t, "name"), "");

    t = toy_default;
    snprintf(t.name, sizeof t.name, "x");
    CHECK_STR(broken(excludes, t, NULL), "");
    CHECK_STR(broken(other, t, NULL), "--name needs --share: five is not enough");
    t.share = 0.06;
    CHECK_STR(broken(other, t, NULL), "");
    t.colour = 1; /* a value counts, whether it was typed or not */
    CHECK_STR(broken(excludes, t, "name"),
              "--name and --colour blue exclude each other: they quarrel");
    t.name[0] = '\0';
    CHECK_STR(broken(excludes, t, NULL),
              "--share and --colour blue exclude each other: they quarrel");
    CHECK_STR(broken(excludes, t, "colour"), "");
}

static void test_help(void)
{
    static const struct option_rule rules[] = {NEEDS("loud", "name size", "it is said aloud"),
                                               NEEDS("loud", "missing", "no command has it"),
                                               ONE_OF("loud share missing", "one is enough"),
                                               EXCLUDES("colour=blue loud", "size", "it is so"),
                                               {0}};
    const struct option_rule *const tables[] = {rules, NULL};
    struct text out = {0};
    option_rules_in_help(tables, RULE_NEEDS, &toy_rows[0], toy_rows, &out);
    option_rules_in_help(tables, RULE_EXCLUDES, &toy_rows[0], toy_rows, &out);
    CHECK_STR(out.data, " Needs --name or --size. Excludes --share, --size.");
    text_free(&out);
    option_rules_in_help(tables, RULE_EXCLUDES, &toy_rows[4], toy_rows, &out);
    CHECK_STR(out.data, " blue excludes --size.");
    text_free(&out);
    option_rules_in_help(tables, RULE_NEEDS, &toy_rows[1], toy_rows, &out);
    CHECK_INT((int)out.length, 0);
    option_rule_words(&rules[1], toy_rows, &out);
    CHECK_INT((int)out.length, 0);
    option_rule_words(&rules[0], toy_rows, &out);
    CHECK_STR(out.data, "--loud needs --name or --size: it is said aloud.");
    text_free(&out);
    option_rule_words(&rules[2], toy_rows, &out);
    CHECK_STR(out.data, "--loud and --share exclude each other: one is enough.");
    text_free(&out);
}

/* ---- every rule ---- */

/* The default options of a command or of a plan, in which conditions are then made true or false.
 */
struct state {
    const struct option_row *rows;
    const char *given[OPTIONS_MAX + 1];
    bool is_plan;
    union {
        unsigned char bytes[1 << 17];
        struct plan plan;
    } target;
};

static struct state s;

static void begin_state(const struct option_row *rows, bool is_plan)
{
    memset(&s, 0, sizeof s);
    s.rows = rows;
    s.is_plan = is_plan;
    plan_init(&s.target.plan);
    if (!is_plan)
        CHECK_INT(options_store_defaults(rows, &s.target, NULL), 0);
}

static struct option_view view_of_state(void)
{
    return (struct option_view){s.rows, s.is_plan ? NULL : s.given, &s.target};
}

/* Sets the row to a value that is not `but`. */
static void store_other(const struct option_row *row, const char *but)
{
    static const char *const samples[] = {"1",  "0",  "2", "4096", "20%",
                                          "1s", "2s", "x", "600",  "50m"};
    struct err e;
    for (const struct option_choice *c = row->choices; c && c->name; c++)
        if (!but || strcmp(c->name, but) != 0) {
            CHECK_INT(option_store_value(row, c->name, &s.target, &e), 0);
            return;
        }
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if ((!but || strcmp(samples[i], but) != 0) && (but || strcmp(samples[i], "0") != 0) &&
            !option_store_value(row, samples[i], &s.target, &e))
            return;
    check_that(false, __FILE__, __LINE__, row->name);
}

/* Makes a condition true or false by setting a field that decides it. */
static void set_condition(const char *name, bool on)
{
    static const struct {
        const char *name, *key, *on, *off; /* off: NULL for zero */
    } rows[] = {{"due-times", "rate_iops", "1000", NULL},
                {"shapes-data", "dedupe_percent", "7", NULL},
                {"settings", "turbo", "off", "unchanged"},
                {"priorities", "prioritised", "20", NULL},
                {"writes", "write_share", "100%", "0%"},
                {"may-write", "write_share", "100%", "0%"},
                {"random", "pattern", "random", "sequential"},
                {"partly-random", "random_share", "50%", "100%"},
                {"trims", "trims", "alone", "none"},
                {"trims-alone", "trims", "alone", "none"},
                {"trims-before-writes", "trims", "before_writes", "none"},
                {"action", "engine", "filestat", "auto"},
                {"without-data", "engine", "falloc", "auto"},
                {"traced", "trace", "a.trace", NULL}};
    size_t i = 0;
    const struct option_row *field = plan_fields();
    struct err e;
    while (i < sizeof rows / sizeof *rows && strcmp(rows[i].name, name) != 0)
        i++;
    if (!check_that(i < sizeof rows / sizeof *rows, __FILE__, __LINE__, name))
        return;
    while (field->key && strcmp(field->key, rows[i].key) != 0)
        field++;
    const char *text = on ? rows[i].on : rows[i].off;
    if (text)
        CHECK_INT(option_store_value(field, text, &s.target.plan, &e), 0);
    else
        memset((char *)&s.target.plan + field->offset, 0, field->width);
}

static void set_term(const char *term, bool on)
{
    char name[TERM_MAX], value[TERM_MAX] = "";
    snprintf(name, sizeof name, "%.*s", (int)strcspn(term, "!="), term);
    snprintf(value, sizeof value, "%s", strchr(term, '=') ? strchr(term, '=') + 1 : "");
    if (*term == '@') {
        set_condition(term + 1, on);
        return;
    }
    for (size_t i = 0; s.rows[i].name || s.rows[i].key; i++) {
        const struct option_row *row = &s.rows[i];
        struct err e;
        if (!row->name || strcmp(row->name, name) != 0)
            continue;
        if (*value && on != (strchr(term, '!') != NULL))
            CHECK_INT(option_store_value(row, value, &s.target, &e), 0);
        else if (*value)
            store_other(row, value);
        else if (!s.is_plan)
            s.given[i] = on ? "typed" : NULL;
        else if (on)
            store_other(row, row->value);
    }
}

static bool holds(const char *term)
{
    const struct option_view view = view_of_state();
    return option_term_holds(&view, term);
}

static int check_one(const struct option_rule *rule, struct err *e)
{
    const struct option_rule alone[] = {*rule, {0}};
    const struct option_view view = view_of_state();
    *e = (struct err){0};
    return option_rules_check(alone, &view, e);
}

static void check_message(const struct option_rule *rule, const char *of, const struct err *e)
{
    char name[TERM_MAX + 2] = "";
    if (*of != '@')
        snprintf(name, sizeof name, "--%.*s", (int)strcspn(of, "!="), of);
    CHECK_INT(e->code, ERR_USAGE);
    if (!check_that(strstr(e->msg, name) && strstr(e->msg, rule->why) && strstr(e->msg, ": "),
                    __FILE__, __LINE__, of))
        fprintf(stderr, "    %s\n", e->msg);
}

/* `of` alone is refused; with any of the others it is not. */
static void walk_needs(const struct option_rule *rule, const char *of)
{
    char other[TERM_MAX];
    struct err e;
    for (const char *rest = rule->others; option_rule_next_term(&rest, other);) {
        set_term(other, false);
        CHECK(!holds(other));
    }
    CHECK_INT(check_one(rule, &e), 0);
    set_term(of, true);
    CHECK(holds(of));
    CHECK_INT(check_one(rule, &e), -1);
    check_message(rule, of, &e);
    for (const char *rest = rule->others; option_rule_next_term(&rest, other);) {
        set_term(other, true);
        CHECK_INT(check_one(rule, &e), 0);
        set_term(other, false);
    }
}

/* Each option alone is accepted; both are refused, in either order. */
static void walk_exclusion(const struct option_rule *rule, const struct option_row *rows,
                           bool is_plan, const char *of, const char *other)
{
    struct err e[2];
    for (int i = 0; i < 2; i++) {
        const char *first = i ? other : of, *second = i ? of : other;
        begin_state(rows, is_plan);
        set_term(first, true);
        if (!check_that(check_one(rule, &e[i]) == 0, __FILE__, __LINE__, first))
            fprintf(stderr, "    beside %s: %s\n", second, e[i].msg);
        set_term(second, true);
        if (!check_that(check_one(rule, &e[i]) == -1, __FILE__, __LINE__, first))
            fprintf(stderr, "    beside %s\n", second);
        check_message(rule, of, &e[i]);
        check_message(rule, other, &e[i]);
    }
    CHECK_STR(e[0].msg, e[1].msg);
}

/* Checks that the row has a text, and names existing options. */
static void check_row(const struct option_rule *rule, const struct option_row *rows, bool is_plan)
{
    char term[TERM_MAX];
    const size_t length = strlen(rule->why);
    CHECK(length > 0 && rule->why[length - 1] != '.');
    CHECK(rule->others || rule->kind == RULE_EXCLUDES);
    for (int i = 0; i < 2; i++)
        for (const char *rest = i ? rule->others : rule->of; option_rule_next_term(&rest, term);)
            check_that(*term == '@' || option_term_is_of(term, rows) ||
                           (!is_plan && option_term_is_of(term, plan_fields())),
                       __FILE__, __LINE__, term);
}

static size_t walk(const struct option_rule *rules, const struct option_row *rows, bool is_plan)
{
    size_t pairs = 0;
    for (const struct option_rule *rule = rules; rule->kind; rule++) {
        char of[TERM_MAX], other[TERM_MAX];
        check_row(rule, rows, is_plan);
        for (const char *rest = rule->of; option_rule_next_term(&rest, of);) {
            if (*of != '@' && !option_term_is_of(of, rows))
                continue;
            begin_state(rows, is_plan);
            if (rule->kind == RULE_NEEDS)
                walk_needs(rule, of);
            const char *others = rule->others ? rule->others : rest;
            while (rule->kind == RULE_EXCLUDES && option_rule_next_term(&others, other))
                if (*other == '@' || option_term_is_of(other, rows))
                    walk_exclusion(rule, rows, is_plan, of, other);
            pairs++;
        }
    }
    return pairs;
}

static void test_every_rule(void)
{
    size_t pairs = 0;
    for (const struct option_rule *const *rules = plan_rules; *rules; rules++)
        pairs += walk(*rules, plan_fields(), true);
    CHECK(pairs > 60);
    for (const struct command *const *c = commands; *c; c++) {
        struct option_row rows[OPTIONS_MAX + 1];
        const struct option_rule *rules[RULE_TABLES_MAX + 1];
        options_expand((*c)->options, rows);
        options_rules((*c)->options, rules);
        for (size_t i = 0; rules[i] && rules[i] != plan_rules[0]; i++)
            walk(rules[i], rows, false);
    }
}

/* A plan must keep the rules wherever it comes from: here from a record's text. */
static void test_kept_plan(void)
{
    struct plan p;
    struct text kept = {0};
    struct err e;
    plan_init(&p);
    p.write_share = 1;
    p.atomic = true;
    plan_write(&p, &kept);
    CHECK_INT(plan_read(&p, kept.data, kept.length, &e), 0);
    p.direct = false;
    text_free(&kept);
    plan_write(&p, &kept);
    CHECK_INT(plan_read(&p, kept.data, kept.length, &e), -1);
    CHECK_STR(e.msg, "--atomic needs --direct 1: the page cache splits writes");
    text_free(&kept);
}

/* The list of all rules, which docs/rules.md contains: no line is too long, and none has an empty
   part. */
static void test_list(void)
{
    struct text out = {0};
    help_rules(commands, &out);
    CHECK(strstr(out.data, "\nreplay\n") != NULL);
    CHECK(strstr(out.data, "- --atomic needs --direct 1: the page cache splits writes.\n") != NULL);
    CHECK(strstr(out.data, ": .") == NULL && strstr(out.data, "(null)") == NULL);
    for (const char *line = out.data; *line; line += strcspn(line, "\n") + 1)
        CHECK(strcspn(line, "\n") < PAGE_COLUMNS);
    text_free(&out);
}

int main(void)
{
    test_checker();
    test_help();
    test_every_rule();
    test_kept_plan();
    test_list();
    return check_result();
}
