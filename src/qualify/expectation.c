/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading an expectation: line by line, every mistake with its line and column. */
#include "qualify/expectation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/span.h"
#include "qualify/internal.h"

#define FILE_MAX_BYTES ((size_t)1 << 20)

struct reading {
    struct expectation *x;
    struct section *section; /* the one that is open, or NULL */
    struct span line;
    size_t number;
    struct err *e;
};

static int wrong(const struct reading *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int wrong(const struct reading *r, const char *at, const char *format, ...)
{
    char words[360];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return err_set(r->e, ERR_USAGE, "%s:%zu:%zu: %s", r->x->name, r->number,
                   (size_t)(at - r->line.text) + 1, words);
}

static int length_of(struct span s)
{
    return s.length < 60 ? (int)s.length : 60;
}

static struct span from(struct span s, const char *begin)
{
    return (struct span){begin, s.length - (size_t)(begin - s.text)};
}

static struct span up_to(struct span s, const char *end)
{
    return (struct span){s.text, (size_t)(end - s.text)};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Without the comment: from a '#' on that stands first or after a blank, outside of "...". */
static struct span without_comment(struct span line)
{
    bool quoted = false;
    for (size_t i = 0; i < line.length; i++) {
        quoted ^= line.text[i] == '"';
        if (line.text[i] == '#' && !quoted && (i == 0 || is_blank(line.text[i - 1])))
            return (struct span){line.text, i};
    }
    return line;
}

static void copy_span(char *to, size_t size, struct span s)
{
    snprintf(to, size, "%.*s", (int)s.length, s.text);
}

/* ---- sections ---- */

/* Nobody writes a heading for nothing: what should stand below it is missing. */
static int end_section(struct reading *r)
{
    const struct section *s = r->section;
    if (!s || s->rule_count)
        return 0;
    return err_set(r->e, ERR_USAGE, "%s:%zu:1: this section expects nothing%s", r->x->name, s->line,
                   s->of_machine ? "" : "; that there are such disks is count >= 1");
}

static int read_section(struct reading *r, struct span s)
{
    const char *end = s.text + s.length - 1;
    if (*end != ']')
        return wrong(r, end + 1, "a section ends with ], as in [disk nvme]");
    struct span inside = span_trimmed((struct span){s.text + 1, s.length - 2});
    struct section new = {.line = r->number, .first_rule = r->x->rule_count};
    size_t word = 0;
    while (word < inside.length && !is_blank(inside.text[word]))
        word++;
    struct span name = {inside.text, word};
    struct span typed = span_trimmed(from(inside, inside.text + word));
    struct span selector = span_unquoted(typed);
    bool quoted = selector.length != typed.length;
    new.of_machine = name.length == 7 && !strncasecmp(name.text, "machine", 7);
    if (!new.of_machine && !(name.length == 4 && !strncasecmp(name.text, "disk", 4)))
        return wrong(r, inside.text, "a section is [machine], [disk], [disk KIND] or [disk MODEL]");
    if (new.of_machine && selector.length)
        return wrong(r, selector.text, "[machine] has nothing after the word");
    if (selector.length >= sizeof new.selector)
        return wrong(r, selector.text, "it is longer than %zu characters", sizeof new.selector - 1);
    copy_span(new.selector, sizeof new.selector, selector);
    new.by_kind = !quoted &&expectation_is_kind(selector);
    for (char *c = new.selector; new.by_kind &&*c; c++)
        *c = (char)(*c | 0x20);
    for (size_t i = 0; i < r->x->section_count; i++) {
        const struct section *old = &r->x->sections[i];
        if (old->of_machine == new.of_machine && !strcmp(old->selector, new.selector))
            return wrong(r, s.text, "this section is there already, in line %zu", old->line);
    }
    if (r->x->section_count == EXPECTATION_SECTIONS)
        return wrong(r, s.text, "more than %d sections", EXPECTATION_SECTIONS);
    if (end_section(r))
        return -1;
    r->section = &r->x->sections[r->x->section_count++];
    *r->section = new;
    return 0;
}

/* ---- keys ---- */

/* "randread p99": the test's name, then what is measured. */
static const struct expectation_key *find_test_key(struct span name, int *test)
{
    const char *blank = memchr(name.text, ' ', name.length);
    if (!blank)
        return NULL;
    struct span word = up_to(name, blank);
    for (int i = 0; expectation_tests[i]; i++)
        if (strlen(expectation_tests[i]) == word.length &&
            !strncasecmp(expectation_tests[i], word.text, word.length)) {
            *test = i;
            return expectation_key_find(KEY_OF_TEST, from(name, blank + 1));
        }
    return NULL;
}

static int read_key(const struct reading *r, struct span key, struct rule *rule)
{
    /* The words of the key with one blank between. */
    char buffer[80], known[240], of_tests[120];
    struct span name = {buffer, 0};
    for (size_t i = 0; i < key.length && name.length < sizeof buffer; i++)
        if (!is_blank(key.text[i]))
            buffer[name.length++] = key.text[i];
        else if (name.length && buffer[name.length - 1] != ' ')
            buffer[name.length++] = ' ';
    rule->test = -1;
    rule->key = expectation_key_find(r->section->of_machine ? KEY_OF_MACHINE : KEY_OF_DISK, name);
    if (!rule->key && !r->section->of_machine)
        rule->key = find_test_key(name, &rule->test);
    if (rule->key)
        return 0;
    if (r->section->of_machine)
        return wrong(r, key.text, "[machine] has no \"%.*s\"; it has %s", length_of(key), key.text,
                     expectation_key_list(KEY_OF_MACHINE, known, sizeof known));
    return wrong(
        r, key.text,
        "[disk] has no \"%.*s\"; it has %s, and after read, randread, write or randwrite: %s",
        length_of(key), key.text, expectation_key_list(KEY_OF_DISK, known, sizeof known),
        expectation_key_list(KEY_OF_TEST, of_tests, sizeof of_tests));
}

/* ---- comparisons and values ---- */

/* "=", ">=" or "<=" at the start of *s, which moves past it. */
static int read_compare(const struct reading *r, struct span *s, enum compare *compare)
{
    static const struct {
        const char *sign;
        enum compare compare;
    } signs[] = {{">=", COMPARE_MIN}, {"<=", COMPARE_MAX}, {"=", COMPARE_EQUAL}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t length = strlen(signs[i].sign);
        if (s->length >= length && !strncmp(s->text, signs[i].sign, length)) {
            *compare = signs[i].compare;
            *s = from(*s, s->text + length);
            if (s->length && strchr("=<>", s->text[0]))
                return wrong(r, s->text, "=, >= or <= is expected, and then a value");
            return 0;
        }
    }
    return wrong(r, s->text, "=, >= or <= is expected here");
}

static int read_value(const struct reading *r, const struct rule *rule, struct span s,
                      struct amount *amount, char *text)
{
    size_t at;
    const char *expected;
    bool is_text = rule->key->quantity == QUANTITY_TEXT;
    struct span value = is_text ? span_unquoted(s) : s;
    if (quantity_parse(rule->key->quantity, value, amount, &at, &expected))
        return wrong(r, value.text + at, "%s", expected);
    if (value.length >= QUANTITY_TEXT_MAX)
        return wrong(r, value.text, "it is longer than %d characters", QUANTITY_TEXT_MAX - 1);
    copy_span(text, QUANTITY_TEXT_MAX, value);
    return 0;
}

/* Where " warn" begins, or NULL: the word with a blank before it and a comparison or blank after
   it. */
static const char *find_warn(struct span s)
{
    for (size_t i = 1; i + 4 <= s.length; i++)
        if (!strncasecmp(s.text + i, "warn", 4) && is_blank(s.text[i - 1]) &&
            (i + 4 == s.length || strchr(" \t<>=", s.text[i + 4])))
            return s.text + i;
    return NULL;
}

/* Can a value be between the two limits, so that it is a warning? */
static bool leaves_room(const struct rule *rule)
{
    const struct amount *limit = &rule->limit, *warn = &rule->warn;
    if (rule->key->quantity == QUANTITY_LINK)
        return quantity_link_reaches(warn, limit) != quantity_link_reaches(limit, warn) &&
               quantity_link_reaches(warn, limit) == (rule->compare == COMPARE_MIN);
    return rule->compare == COMPARE_MIN ? warn->number > limit->number
                                        : warn->number < limit->number;
}

static int read_warn(const struct reading *r, struct rule *rule, struct span s)
{
    enum compare compare = COMPARE_EQUAL;
    struct span rest = span_trimmed(from(s, s.text + 4));
    const char *sign = rest.text;
    if (rule->compare == COMPARE_EQUAL)
        return wrong(r, s.text, "warn goes with >= and <= only");
    if (read_compare(r, &rest, &compare))
        return -1;
    if (compare != rule->compare)
        return wrong(r, sign, "the warning compares as the expectation does, with %s",
                     rule->compare == COMPARE_MIN ? ">=" : "<=");
    rest = span_trimmed(rest);
    if (read_value(r, rule, rest, &rule->warn, rule->warn_text))
        return -1;
    if (!leaves_room(rule))
        return wrong(r, rest.text, "a warning at %s can never come: it has to be %s than %s",
                     rule->warn_text, rule->compare == COMPARE_MIN ? "more" : "less", rule->text);
    rule->has_warn = true;
    return 0;
}

static int check_rule(const struct reading *r, const struct rule *rule, const char *sign)
{
    if (rule->key->quantity == QUANTITY_TEXT && rule->compare != COMPARE_EQUAL)
        return wrong(r, sign, "%s is a text: it is compared with =", rule->key->name);
    if (rule->key->scope == KEY_OF_TEST && rule->compare == COMPARE_EQUAL)
        return wrong(r, sign, "what is measured is compared with >= or <=");
    for (size_t i = r->section->first_rule; i < r->x->rule_count; i++) {
        const struct rule *old = &r->x->rules[i];
        if (old->key == rule->key && old->test == rule->test && old->compare == rule->compare)
            return wrong(r, r->line.text + strspn(r->line.text, " \t"),
                         "this is expected already, in line %zu", old->line);
    }
    if (r->x->rule_count == EXPECTATION_RULES)
        return wrong(r, r->line.text, "more than %d expectations", EXPECTATION_RULES);
    return 0;
}

static bool is_within(const struct rule *rule, const struct rule *of)
{
    if (rule->key->quantity == QUANTITY_LINK)
        return of->compare == COMPARE_MIN ? quantity_link_reaches(&rule->limit, &of->limit)
                                          : quantity_link_reaches(&of->limit, &rule->limit);
    return of->compare == COMPARE_MIN ? rule->limit.number >= of->limit.number
                                      : rule->limit.number <= of->limit.number;
}

/* No value can meet both: a number of one is out of reach of the other. */
static int check_contradiction(const struct reading *r, const struct rule *rule, const char *at)
{
    for (size_t i = r->section->first_rule; i < r->x->rule_count; i++) {
        const struct rule *old = &r->x->rules[i];
        bool same = old->key == rule->key && old->test == rule->test;
        bool met = old->compare == COMPARE_EQUAL ? is_within(old, rule) : is_within(rule, old);
        if (same && !met)
            return wrong(r, at, "nothing can meet this and line %zu", old->line);
    }
    return 0;
}

static int read_rule(struct reading *r, struct span s)
{
    struct rule rule = {.line = r->number};
    size_t sign = 0;
    while (sign < s.length && !strchr("=<>", s.text[sign]))
        sign++;
    struct span key = span_trimmed(up_to(s, s.text + sign)), rest = from(s, s.text + sign);
    if (!r->section)
        return wrong(r, s.text, "a section comes first: [machine] or [disk]");
    if (sign == 0)
        return wrong(r, s.text, "a name is expected before the comparison");
    if (read_key(r, key, &rule) || read_compare(r, &rest, &rule.compare) ||
        check_rule(r, &rule, s.text + sign))
        return -1;
    rest = span_trimmed(rest);
    const char *warn = rule.key->quantity == QUANTITY_TEXT ? NULL : find_warn(rest);
    struct span value = warn ? span_trimmed(up_to(rest, warn)) : rest;
    if (read_value(r, &rule, value, &rule.limit, rule.text) ||
        check_contradiction(r, &rule, value.text) ||
        (warn && read_warn(r, &rule, from(rest, warn))))
        return -1;
    r->x->rules[r->x->rule_count++] = rule;
    r->section->rule_count++;
    return 0;
}

/* ---- the file ---- */

static int read_lines(struct reading *r, struct span text)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (text.length >= 3 && !memcmp(text.text, mark, 3))
        text = from(text, text.text + 3);
    while (text.length) {
        const char *end = memchr(text.text, '\n', text.length);
        r->line = end ? up_to(text, end) : text;
        text = end ? from(text, end + 1) : (struct span){text.text, 0};
        if (r->line.length && r->line.text[r->line.length - 1] == '\r')
            r->line.length--;
        r->number++;
        if (!span_is_text(r->line))
            return wrong(r, r->line.text, "this is no text in UTF-8");
        struct span s = span_trimmed(without_comment(r->line));
        if (s.length && (s.text[0] == '[' ? read_section(r, s) : read_rule(r, s)))
            return -1;
    }
    r->line = text;
    if (end_section(r))
        return -1;
    return r->x->rule_count || r->x->section_count ? 0 : wrong(r, text.text, "it expects nothing");
}

int expectation_parse(struct expectation **x, const char *text, size_t length, const char *name,
                      struct err *e)
{
    *x = calloc(1, sizeof **x);
    if (!*x)
        return err_set(e, ERR_MACHINE, "%s: there is no memory left", name);
    struct reading r = {.x = *x, .e = e, .number = 0};
    snprintf((*x)->name, sizeof(*x)->name, "%s", name);
    if (!read_lines(&r, (struct span){text, length}))
        return 0;
    expectation_free(*x);
    *x = NULL;
    return -1;
}

int expectation_read(struct expectation **x, const char *path, struct err *e)
{
    char *text;
    size_t length;
    *x = NULL;
    if (file_read_all(path, FILE_MAX_BYTES, &text, &length, e))
        return -1;
    int status = expectation_parse(x, text, length, path, e);
    free(text);
    return status;
}

void expectation_free(struct expectation *x)
{
    free(x);
}
