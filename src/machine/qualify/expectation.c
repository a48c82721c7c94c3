/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads an expectation line by line and reports all mistakes with their lines and columns. */
#include "machine/qualify/expectation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file/file.h"
#include "base/text_reader.h"
#include "machine/qualify/internal.h"

#define FILE_MAX_BYTES ((size_t)1 << 20)

struct reading {
    struct expectation *x;
    struct section *section; /* the section that is being read, or NULL */
    struct text_reader lines;
    struct fault fault;
    struct mistakes mistakes;
    /* skips the lines up to the next heading, because this heading is wrong or missing */
    bool is_skipped;
    bool has_wrong; /* the section has lines that are wrong */
};

#define wrong(r, ...) reader_fail(&(r)->lines, __VA_ARGS__)

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

/* ---- sections ---- */

/* Ends the current section. A section without any lines is reported as a mistake. */
static int end_section(struct reading *r)
{
    const struct section *s = r->section;
    if (!s || s->rule_count || s->clauses.count || r->has_wrong)
        return 0;
    wrong(r, r->lines.line.text, "this section expects nothing%s",
          s->of_machine ? ""
          : s->of_tests ? "; a clause of it is p99 < 500us"
                        : "; that there are such disks is count >= 1");
    r->lines.fault->line = s->line;
    return -1;
}

/* Returns the first word of `s`, which must not begin with a blank. */
static struct span word_of(struct span s)
{
    struct span word = {s.text, 0};
    while (word.length < s.length && !is_blank(s.text[word.length]))
        word.length++;
    return word;
}

/* Reads "randread" or "all" before the selector, and leaves the selector in *typed. */
static int read_test(const struct reading *r, struct section *section, struct span *typed)
{
    struct span word = word_of(*typed);
    section->of_tests = true;
    section->test = -1;
    for (int i = 0; expectation_tests[i]; i++)
        if (expectation_is_name(expectation_tests[i], word))
            section->test = i;
    if (word.length && section->test < 0 && !expectation_is_name("all", word))
        return wrong(r, word.text,
                     "a test is read, randread, write, randwrite or all, as in [test randread] or "
                     "[test all nvme]");
    *typed = span_trimmed(from(*typed, word.text + word.length));
    return 0;
}

static int read_section(struct reading *r, struct span s)
{
    const char *end = s.text + s.length - 1;
    if (*end != ']')
        return wrong(r, end + 1, "a section ends with ], as in [disk nvme]");
    struct span inside = span_trimmed((struct span){s.text + 1, s.length - 2});
    struct section section = {.line = r->lines.number, .first_rule = r->x->rule_count};
    struct span name = word_of(inside);
    struct span typed = span_trimmed(from(inside, inside.text + name.length));
    section.of_machine = expectation_is_name("machine", name);
    if (expectation_is_name("test", name)) {
        if (read_test(r, &section, &typed))
            return -1;
    } else if (!section.of_machine && !expectation_is_name("disk", name)) {
        return wrong(r, inside.text,
                     "a section is [machine], [disk], [disk KIND], [disk MODEL] or [test NAME]");
    }
    struct span selector = span_unquoted(typed);
    if (section.of_machine && selector.length)
        return wrong(r, selector.text, "[machine] has nothing after the word");
    if (selector.length >= sizeof section.selector)
        return wrong(r, selector.text, "it is longer than %zu characters",
                     sizeof section.selector - 1);
    span_copy(section.selector, selector);
    section.by_kind = selector.length == typed.length && expectation_is_kind(selector);
    for (char *c = section.selector; section.by_kind && *c; c++)
        *c = (char)(*c | 0x20);
    for (size_t i = 0; i < r->x->section_count; i++) {
        const struct section *old = &r->x->sections[i];
        if (old->of_machine == section.of_machine && old->of_tests == section.of_tests &&
            old->test == section.test && !strcmp(old->selector, section.selector))
            return wrong(r, s.text, "this section is there already, in line %zu", old->line);
    }
    if (r->x->section_count == EXPECTATION_SECTIONS)
        return wrong(r, s.text, "more than %d sections", EXPECTATION_SECTIONS);
    r->section = &r->x->sections[r->x->section_count++];
    *r->section = section;
    return 0;
}

/* ---- keys ---- */

static int read_key(const struct reading *r, struct span key, struct rule *rule)
{
    /* the words of the key, separated by single blanks */
    char buffer[80], known[240], of_tests[120];
    enum key_scope scope = r->section->of_machine ? KEY_OF_MACHINE : KEY_OF_DISK;
    struct span name = {buffer, 0};
    for (size_t i = 0; i < key.length && name.length < sizeof buffer; i++)
        if (!is_blank(key.text[i]))
            buffer[name.length++] = key.text[i];
        else if (name.length && buffer[name.length - 1] != ' ')
            buffer[name.length++] = ' ';
    rule->test = -1;
    rule->key = expectation_key_find(scope, name);
    /* "randread p99": the name of the test, then the key */
    const char *blank = scope == KEY_OF_DISK ? memchr(buffer, ' ', name.length) : NULL;
    for (int i = 0; !rule->key && blank && expectation_tests[i]; i++)
        if (expectation_is_name(expectation_tests[i], up_to(name, blank))) {
            rule->test = i;
            rule->key = expectation_key_find(KEY_OF_TEST, from(name, blank + 1));
        }
    if (rule->key)
        return 0;
    if (scope == KEY_OF_MACHINE)
        return wrong(r, key.text, "[machine] has no \"%.*s\"; it has %s", length_of(key), key.text,
                     expectation_key_list(KEY_OF_MACHINE, known, sizeof known));
    return wrong(
        r, key.text,
        "[disk] has no \"%.*s\"; it has %s, and after read, randread, write or randwrite: %s",
        length_of(key), key.text, expectation_key_list(KEY_OF_DISK, known, sizeof known),
        expectation_key_list(KEY_OF_TEST, of_tests, sizeof of_tests));
}

/* ---- comparisons and values ---- */

/* Reads "=", ">=" or "<=" at the start of *s and moves *s past it. */
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
    span_copy(text, value);
    return 0;
}

/* Reads the warning at the start of `s`: "warn >= VALUE". */
static int read_warn(const struct reading *r, struct rule *rule, struct span s)
{
    enum compare compare = COMPARE_EQUAL;
    struct span rest = span_trimmed(from(s, s.text + 4));
    const char *sign = rest.text;
    bool is_min = rule->compare == COMPARE_MIN;
    if (rule->compare == COMPARE_EQUAL)
        return wrong(r, s.text, "warn needs >= or <=");
    if (read_compare(r, &rest, &compare))
        return -1;
    if (compare != rule->compare)
        return wrong(r, sign, "the warning compares as the expectation does, with %s",
                     is_min ? ">=" : "<=");
    rest = span_trimmed(rest);
    if (read_value(r, rule, rest, &rule->warn, rule->warn_text))
        return -1;
    /* Some value between the two limits must be able to cause the warning. */
    const struct amount *limit = &rule->limit, *warn = &rule->warn;
    bool apart = is_min ? warn->number > limit->number : warn->number < limit->number;
    if (rule->key->quantity == QUANTITY_LINK)
        apart = quantity_link_reaches(warn, limit) != quantity_link_reaches(limit, warn) &&
                quantity_link_reaches(warn, limit) == is_min;
    if (!apart)
        return wrong(r, rest.text, "a warning at %s can never come: it has to be %s than %s",
                     rule->warn_text, is_min ? "more" : "less", rule->text);
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
            return wrong(r, r->lines.line.text + strspn(r->lines.line.text, " \t"),
                         "this is expected already, in line %zu", old->line);
    }
    if (r->x->rule_count == EXPECTATION_RULES)
        return wrong(r, r->lines.line.text, "more than %d expectations", EXPECTATION_RULES);
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

static int read_rule(struct reading *r, struct span s)
{
    struct rule rule = {.line = r->lines.number};
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
    /* The word warn needs a blank before it, and a blank or a comparison after it. Text values have
       no warning. */
    rest = span_trimmed(rest);
    const char *warn = NULL;
    for (size_t i = 1; rule.key->quantity != QUANTITY_TEXT && i + 4 <= rest.length && !warn; i++)
        if (!strncasecmp(rest.text + i, "warn", 4) && is_blank(rest.text[i - 1]) &&
            (i + 4 == rest.length || strchr(" \t<>=", rest.text[i + 4])))
            warn = rest.text + i;
    struct span value = warn ? span_trimmed(up_to(rest, warn)) : rest;
    if (read_value(r, &rule, value, &rule.limit, rule.text))
        return -1;
    /* Two rules contradict each other when no value can meet both. */
    for (size_t i = r->section->first_rule; i < r->x->rule_count; i++) {
        const struct rule *old = &r->x->rules[i];
        if (old->key == rule.key && old->test == rule.test &&
            !(old->compare == COMPARE_EQUAL ? is_within(old, &rule) : is_within(&rule, old)))
            return wrong(r, value.text, "nothing can meet this and line %zu", old->line);
    }
    if (warn && read_warn(r, &rule, from(rest, warn)))
        return -1;
    r->x->rules[r->x->rule_count++] = rule;
    r->section->rule_count++;
    return 0;
}

/* ---- the file ---- */

static void add_mistake(struct reading *r)
{
    struct err e;
    err_set(&e, ERR_USAGE, "%s:%zu:%zu: %s", r->x->name, r->fault.line, r->fault.column,
            r->fault.message);
    mistakes_add(&r->mistakes, &e);
}

/* Ends the section and begins the next one. */
static void read_heading(struct reading *r, struct span s)
{
    if (end_section(r))
        add_mistake(r);
    r->section = NULL;
    r->has_wrong = false;
    r->is_skipped = read_section(r, s) != 0;
    if (r->is_skipped)
        add_mistake(r);
}

static void read_line(struct reading *r, struct span s)
{
    const bool of_tests = r->section && r->section->of_tests;
    int status = 0;
    if (!span_is_text(r->lines.line))
        status = wrong(r, r->lines.line.text, "this is no text in UTF-8");
    else if (!r->is_skipped && s.length)
        status = of_tests ? clauses_read_line(r->section, s, &r->lines) : read_rule(r, s);
    if (status)
        add_mistake(r);
    r->has_wrong |= status != 0;
    /* Of the lines before the first heading only the first one is reported. */
    r->is_skipped |= status && !r->section;
}

static void read_lines(struct reading *r)
{
    struct text_reader *lines = &r->lines;
    while (reader_next_line(lines)) {
        const struct span s = span_trimmed(without_comment(lines->line, true));
        if (s.length && s.text[0] == '[' && span_is_text(lines->line))
            read_heading(r, s);
        else
            read_line(r, s);
    }
    if (end_section(r))
        add_mistake(r);
    if (r->mistakes.count || r->x->rule_count || r->x->section_count)
        return;
    wrong(r, lines->line.text, "it expects nothing");
    add_mistake(r);
}

int expectation_parse(struct expectation **x, const char *text, size_t length, const char *name,
                      struct err *e)
{
    *x = calloc(1, sizeof **x);
    if (!*x)
        return err_no_memory(e, "the expectations of %s", name);
    snprintf((*x)->name, sizeof(*x)->name, "%s", name);
    struct reading r = {.x = *x, .mistakes = {.e = e, .said_once = strlen((*x)->name) + 1}};
    r.lines = reader_of_lines((struct span){text, length}, &r.fault);
    read_lines(&r);
    if (!mistakes_result(&r.mistakes))
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
