/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a command line into options and operands, as its option rows say. */
#include "cmd/options/options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/invariant.h"
#include "base/text_reader.h"
#include "cmd/options/fio_option.h"
#include "run/plan/plan.h"

enum { NAME_MAX_LENGTH = 48 };

static const struct option_row *row_of_name(const struct option_row rows[], const char *name)
{
    for (const struct option_row *row = rows; row->name; row++)
        if (option_names_equal(row->name, name))
            return row;
    return NULL;
}

/* Returns the row of "--name", "--name=value" or "-o", or NULL. Sets *value to the text after '=',
   or NULL. */
static const struct option_row *find_row(const struct option_row rows[], const char *word,
                                         const char **value)
{
    *value = NULL;
    if (word[1] != '-') {
        for (const struct option_row *row = rows; row->name && word[2] == '\0'; row++)
            if (row->letter == word[1])
                return row;
        return NULL;
    }
    char name[NAME_MAX_LENGTH];
    size_t length = strcspn(word + 2, "=");
    if (length >= sizeof name)
        return NULL;
    memcpy(name, word + 2, length);
    name[length] = '\0';
    if (word[2 + length] == '=')
        *value = word + 2 + length + 1;
    return row_of_name(rows, name);
}

/* Sets *value to the value of the option at arguments[*index]. If that is the next word, *index
   moves to it. Fails with ERR_USAGE. */
static int take_value(const struct option_row *row, const char *attached, char *const arguments[],
                      int count, int *index, const char **value, struct err *e)
{
    const char *next = *index + 1 < count ? arguments[*index + 1] : NULL;
    *value = attached;
    switch (row->kind) {
    case OPTION_FLAG:
        if (attached)
            return err_set(e, ERR_USAGE, "--%s takes no value", row->name);
        *value = "1";
        return 0;
    case OPTION_SWITCH:
        if (!attached && next && (!strcmp(next, "0") || !strcmp(next, "1"))) {
            *value = next;
            ++*index;
        } else if (!attached) {
            *value = "1";
        }
        return 0;
    default:
        if (attached)
            return 0;
        if (row->alone && !(next && next[0] >= '0' && next[0] <= '9')) {
            *value = row->alone;
            return 0;
        }
        if (!next || !strncmp(next, "--", 2))
            return err_set(e, ERR_USAGE, "--%s needs a value: --%s %s", row->name, row->name,
                           row->argument);
        *value = next;
        ++*index;
        return 0;
    }
}

/* Checks an option that is given again. A repeated list of limits is refused, because users expect
   that all limits count. Of other options the last value is used, and dispatch.c prints a line
   about that. */
static int check_repeated(struct option_set *set, const struct option_row *row, const char *value,
                          struct err *e)
{
    static const char *const limits[] = {"sla", "precise"};
    const char *before = set->given[row - set->rows];
    if (!before || !strcmp(before, value) || row->kind == OPTION_LIST || row->kind == OPTION_LABELS)
        return 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!strcmp(row->name, limits[i]))
            return err_set(e, ERR_USAGE,
                           "--%s is given twice: give all in one, --%s '%.100s,%.100s'", row->name,
                           row->name, before, value);
    set->repeated = set->repeated ? set->repeated : row;
    return 0;
}

static int scan_option(struct option_set *set, char *const arguments[], int count, int *index,
                       struct err *e)
{
    const char *word = arguments[*index], *attached, *value, *best = NULL;
    const struct option_row *row = find_row(set->rows, word, &attached);
    if (row) {
        if (take_value(row, attached, arguments, count, index, &value, e) ||
            fio_option_value(row, &value, e) || check_repeated(set, row, value, e))
            return -1;
        set->given[row - set->rows] = value;
        return 0;
    }
    char name[NAME_MAX_LENGTH];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *typed = name + strspn(name, "-");
    if (!strncmp(name, "--", 2) && fio_option_hint(set->rows, typed, e))
        return -1;
    for (row = set->rows; row->name; row++)
        nearest_offer(typed, row->name, &best);
    if (best)
        return err_set(e, ERR_USAGE, "unknown option %s; did you mean --%s?", name, best);
    return err_set(e, ERR_USAGE, "unknown option %s; --help lists them all", name);
}

static bool is_end(const struct option_row *row)
{
    return !row->name && !row->group && !row->rules;
}

/* Returns true if the rows are of a struct that begins with a plan, so that the plan's rules apply
   too. */
static bool has_plan(const struct option_row rows[])
{
    bool has = false;
    for (const struct option_row *row = rows; !is_end(row); row++)
        has |= !row->rules && (!row->name || (!row->width && row->kind != OPTION_LIST));
    return has;
}

void options_rules(const struct option_row rows[],
                   const struct option_rule *to[RULE_TABLES_MAX + 1])
{
    size_t n = 0;
    for (const struct option_row *row = rows; !is_end(row); row++)
        if (row->rules && n < 2)
            to[n++] = row->rules;
    if (has_plan(rows)) {
        to[n++] = plan_typed_rules;
        for (const struct option_rule *const *rules = plan_rules; *rules; rules++) {
            INVARIANT(n < RULE_TABLES_MAX, "there is room for the rules of all parts");
            to[n++] = *rules;
        }
    }
    to[n] = NULL;
}

const struct option_row *options_expand(const struct option_row rows[], struct option_row to[])
{
    size_t n = 0;
    for (const struct option_row *row = rows; !is_end(row) && n < OPTIONS_MAX; row++) {
        if (row->rules)
            continue;
        if (!row->name) {
            for (const struct option_row *f = plan_fields(); f->key && n < OPTIONS_MAX; f++)
                if (f->group == row->group)
                    to[n++] = *f;
            continue;
        }
        const bool is_own = row->width || row->kind == OPTION_LIST;
        const struct option_row *field = is_own ? NULL : plan_field(row->name);
        struct option_row *out = &to[n++];
        *out = field ? *field : *row;
        if (!field)
            continue;
        out->section = row->section;
        if (row->value || row->value_words) {
            out->value = row->value;
            out->value_words = row->value_words;
        }
        if (row->help)
            out->help = row->help;
    }
    to[n] = (struct option_row){0};
    return to;
}

int options_scan(struct option_set *set, const struct option_row rows[], char *const arguments[],
                 int count, struct err *e)
{
    *set = (struct option_set){.arguments = arguments, .argument_count = count};
    options_expand(rows, set->rows);
    options_rules(rows, set->rules);
    for (int i = 0; i < count && strcmp(arguments[i], "--") != 0; i++)
        set->help = set->help || !strcmp(arguments[i], "--help") || !strcmp(arguments[i], "-h");
    if (set->help)
        return 0;

    bool operands_only = false;
    for (int i = 0; i < count; i++) {
        const char *word = arguments[i];
        if (!operands_only && !strcmp(word, "--")) {
            operands_only = true;
            set->after_dashes = arguments + i + 1;
            set->after_dashes_count = (size_t)(count - i - 1);
        } else if (operands_only || word[0] != '-' || word[1] == '\0') {
            if (set->operand_count >= OPERANDS_MAX && !set->after_dashes)
                return err_set(
                    e, ERR_USAGE,
                    "more than %d names on the command line: give folders that hold them",
                    OPERANDS_MAX);
            if (set->operand_count < OPERANDS_MAX)
                set->operands[set->operand_count] = word;
            set->operand_count++; /* after "--", a program may have any number of operands */
        } else if (scan_option(set, arguments, count, &i, e)) {
            return -1;
        }
    }
    return 0;
}

int options_store_defaults(const struct option_row rows[], void *target, struct err *e)
{
    for (const struct option_row *row = rows; row->name; row++)
        if (row->value && option_store_text(row, row->value, target, e))
            return -1;
    return 0;
}

/* Stores all labels that were given. Clears earlier ones first, because options are stored again
   after a preset. */
static int store_labels(const struct option_set *set, const struct option_row *row, void *target,
                        struct err *e)
{
    int cursor = 0;
    memset((char *)target + row->offset, 0, row->width);
    for (const char *text; (text = options_next(set, row->name, &cursor)) != NULL;)
        if (option_store_text(row, text, target, e))
            return -1;
    return 0;
}

/* Refuses a name such as "-o result.json": -o creates a folder, but the user meant a file. */
static int check_new_folder(const struct option_row *row, const char *text, struct err *e)
{
    static const char *const endings[] = {".json", ".csv", ".txt", ".html", ".cupel", ".log"};
    const size_t length = strlen(text);
    if (row->letter != 'o' || !row->argument || strcmp(row->argument, "DIR") != 0)
        return 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t ending = strlen(endings[i]);
        if (length > ending && !strcasecmp(text + length - ending, endings[i]))
            return err_set(e, ERR_USAGE,
                           "--%s %s: it makes a folder, and this is called like a file: give a "
                           "folder's name, or --format NAME and >%s",
                           row->name, text, text);
    }
    return 0;
}

int options_store(const struct option_set *set, void *target, struct err *e)
{
    for (const struct option_row *row = set->rows; row->name; row++) {
        const char *text = set->given[row - set->rows];
        if (text && check_new_folder(row, text, e))
            return -1;
        if (text && (row->kind == OPTION_LABELS ? store_labels(set, row, target, e)
                                                : option_store_text(row, text, target, e)))
            return -1;
    }
    const struct option_view view = {set->rows, set->given, target};
    for (size_t i = 0; set->rules[i] && set->rules[i] != plan_rules[0]; i++)
        if (option_rules_check(set->rules[i], &view, e))
            return -1;
    return 0;
}

const char *options_given(const struct option_set *set, const char *name)
{
    const struct option_row *row = row_of_name(set->rows, name);
    return row ? set->given[row - set->rows] : NULL;
}

/* take_value cannot fail here, because options_scan has read all words before. */
const char *options_next(const struct option_set *set, const char *name, int *cursor)
{
    for (int i = *cursor; i < set->argument_count && strcmp(set->arguments[i], "--") != 0; i++) {
        const char *word = set->arguments[i], *attached, *value = NULL;
        if (word[0] != '-' || word[1] == '\0')
            continue;
        const struct option_row *row = find_row(set->rows, word, &attached);
        if (!row ||
            take_value(row, attached, set->arguments, set->argument_count, &i, &value, NULL))
            return NULL;
        *cursor = i + 1;
        if (!strcmp(row->name, name))
            return value;
    }
    return NULL;
}
