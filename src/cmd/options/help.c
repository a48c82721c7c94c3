/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the pages of the help from the command structs and their option rows, as plain text or
 * troff.
 */
#include "cmd/options/help.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/version.h"
#include "cmd/options/option_words.h"

enum { INDENT = 7, INDENT_SUBSECTION = 3, INDENT_ITEM = 14 };

static void add_blanks(struct text *out, size_t n)
{
    text_addf(out, "%*s", (int)n, "");
}

/* Adds wrapped words. The first line continues at `column`, further lines begin at `indent`. */
static void add_wrapped(struct text *out, size_t column, size_t indent, const char *words)
{
    bool first_of_line = true;
    for (;;) {
        words += strspn(words, " ");
        size_t length = strcspn(words, " ");
        if (length == 0)
            break;
        if (!first_of_line && column + 1 + length > PAGE_COLUMNS - 1) {
            text_add(out, "\n");
            column = 0;
            first_of_line = true;
        }
        if (first_of_line && column < indent) {
            add_blanks(out, indent - column);
            column = indent;
        } else if (!first_of_line) {
            text_add(out, " ");
            column++;
        }
        text_add_bytes(out, words, length);
        column += length;
        words += length;
        first_of_line = false;
    }
    text_add(out, "\n");
}

/* Adds words escaped for troff, which takes a leading dot or quote as a command, a backslash as an
   escape, and a bare '-' as a hyphen. */
static void add_troff(struct text *out, const char *words)
{
    if (*words == '.' || *words == '\'')
        text_add(out, "\\&");
    for (const char *p = words; *p; p++) {
        if (*p == '\\')
            text_add(out, "\\e");
        else if (*p == '-')
            text_add(out, "\\-");
        else if (*p == '~')
            text_add(out, "\\(ti");
        else
            text_add_bytes(out, p, 1);
    }
    text_add(out, "\n");
}

/* Adds the first line of a manual page ("cupel-run", "measure a target"), in troff only. */
static void page_title(struct page *p, const char *name)
{
    if (p->format == PAGE_PLAIN)
        return;
    char capitals[40];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof capitals; n++)
        capitals[n] = (char)toupper((unsigned char)name[n]);
    capitals[n] = '\0';
    text_addf(p->out, ".TH %s 1 \"\" \"cupel %s\" \"User Commands\"\n", capitals, cupel_version);
    /* Text is left-aligned and not hyphenated, so that options are not broken. */
    text_add(p->out, ".ad l\n.nh\n");
}

static void page_section(struct page *p, const char *heading)
{
    if (p->format == PAGE_TROFF)
        text_addf(p->out, ".SH %s\n", heading);
    else
        text_addf(p->out, "%s%s\n", p->out->length ? "\n" : "", heading);
}

static void page_subsection(struct page *p, const char *heading)
{
    if (p->format == PAGE_TROFF) {
        text_addf(p->out, ".SS %s\n", heading);
        return;
    }
    add_blanks(p->out, INDENT_SUBSECTION);
    text_addf(p->out, "%s\n", heading);
}

static void page_paragraph(struct page *p, const char *words)
{
    if (p->format == PAGE_TROFF) {
        text_add(p->out, ".PP\n");
        add_troff(p->out, words);
    } else {
        add_wrapped(p->out, 0, INDENT, words);
    }
}

/* Adds a sentence of a list; in plain text a dash comes before it. */
static void page_point(struct page *p, const char *words)
{
    text_add(p->out, "- ");
    add_wrapped(p->out, 2, 2, words);
}

/* Adds a line that users type exactly as it is. */
static void page_literal(struct page *p, const char *line)
{
    if (p->format == PAGE_TROFF) {
        text_add(p->out, ".PP\n.nf\n");
        add_troff(p->out, line);
        text_add(p->out, ".fi\n");
    } else {
        add_blanks(p->out, INDENT);
        text_addf(p->out, "%s\n", line);
    }
}

/* Adds a term and, indented, its explanation. */
static void page_item(struct page *p, const char *term, const char *words)
{
    if (p->format == PAGE_TROFF) {
        text_add(p->out, ".TP\n.B ");
        add_troff(p->out, term);
        add_troff(p->out, words);
        return;
    }
    size_t column = INDENT + strlen(term);
    add_blanks(p->out, INDENT);
    text_add(p->out, term);
    if (column + 2 > INDENT_ITEM) {
        text_add(p->out, "\n");
        column = 0;
    }
    add_wrapped(p->out, column, INDENT_ITEM, words);
}

void help_option_term(const struct option_row *row, char *to, size_t size)
{
    const char *argument = row->argument ? row->argument : "";
    const char *blank = row->argument ? " " : "";
    if (row->letter)
        snprintf(to, size, "-%c%s%s, --%s%s%s", row->letter, blank, argument, row->name, blank,
                 argument);
    else
        snprintf(to, size, "--%s%s%s", row->name, blank, argument);
}

void help_option_words(const struct option_row *row, struct text *out)
{
    text_add(out, row->help);
    if (row->choices) {
        text_add(out, " One of ");
        for (const struct option_choice *c = row->choices; c->name; c++)
            text_addf(out, "%s%s", c == row->choices ? "" : ", ", c->name);
        text_add(out, ".");
    }
    option_words_in_help(row, out);
    char min[UNITS_BUFFER], max[UNITS_BUFFER];
    if (row->min < row->max)
        text_addf(out, " From %s to %s.", option_format_number(row, row->min, min, sizeof min),
                  option_format_number(row, row->max, max, sizeof max));
    if (row->value)
        text_addf(out, " Default %s.", row->value);
    else if (row->value_words)
        text_addf(out, " Default: %s.", row->value_words);
}

static void add_options(struct page *p, const struct command *c)
{
    struct option_row rows[OPTIONS_MAX + 1];
    const struct option_rule *rules[RULE_TABLES_MAX + 1];
    /* section of the previous row: several groups of options may be in one section, which has one
       heading */
    const char *section = "";
    options_expand(c->options, rows);
    options_rules(c->options, rules);
    for (const struct option_row *row = rows; row->name; row++) {
        char term[80];
        struct text words = {0};
        if (row->section && strcmp(row->section, section) != 0)
            page_subsection(p, section = row->section);
        help_option_term(row, term, sizeof term);
        help_option_words(row, &words);
        for (int kind = RULE_NEEDS; kind <= RULE_EXCLUDES; kind++)
            option_rules_in_help(rules, (enum rule_kind)kind, row, rows, &words);
        page_item(p, term, words.data ? words.data : "");
        p->out->failed = p->out->failed || words.failed;
        text_free(&words);
    }
}

/* Adds items below a heading, which `add_heading` adds. */
static void add_items(struct page *p, void (*add_heading)(struct page *, const char *),
                      const char *heading, const struct help_item *items)
{
    if (!items)
        return;
    add_heading(p, heading);
    for (; items->term; items++)
        page_item(p, items->term, items->words);
}

static void add_synopsis(struct page *p, const struct command *c)
{
    char line[120];
    const char *options = c->options[0].name ? " [options]" : "";
    /* options must come first: all words after "--" are operands */
    bool options_first = !strncmp(c->operands, "--", 2);
    snprintf(line, sizeof line, "cupel %s%s%s%s%s", c->name, options_first ? options : "",
             *c->operands ? " " : "", c->operands, options_first ? "" : options);
    page_literal(p, line);
}

void help_command(const struct command *c, enum page_format format, struct text *out)
{
    struct page p = {format, out};
    char line[160];
    snprintf(line, sizeof line, "cupel-%s", c->name);
    page_title(&p, line);
    page_section(&p, "NAME");
    snprintf(line, sizeof line, "cupel-%s - %s", c->name, c->summary);
    page_paragraph(&p, line);
    page_section(&p, "SYNOPSIS");
    add_synopsis(&p, c);
    page_section(&p, "DESCRIPTION");
    for (const char *const *words = c->description; *words; words++) {
        if (format == PAGE_PLAIN && words != c->description)
            text_add(out, "\n");
        page_paragraph(&p, *words);
    }
    if (c->options[0].name) {
        page_section(&p, "OPTIONS");
        add_options(&p, c);
    }
    add_items(&p, page_section, "EXAMPLES", c->examples);
    add_items(&p, page_section, "EXIT STATUS", c->statuses);
    add_items(&p, page_section, "FILES", c->files);
}

static void add_command_section(struct page *p, const struct command *c)
{
    char heading[80] = "CUPEL ";
    size_t n = strlen(heading);
    for (const char *letter = c->name; *letter && n + 1 < sizeof heading; letter++)
        heading[n++] = (char)toupper((unsigned char)*letter);
    page_section(p, heading);
    for (const char *const *words = c->description; *words; words++)
        page_paragraph(p, *words);
    add_options(p, c);
    add_items(p, page_subsection, "Examples", c->examples);
    add_items(p, page_subsection, "Exit status", c->statuses);
    add_items(p, page_subsection, "Files", c->files);
}

void help_manual(const struct command *const list[], struct text *out)
{
    struct page p = {PAGE_TROFF, out};
    page_title(&p, "cupel");
    page_section(&p, "NAME");
    page_paragraph(&p, "cupel - measure storage with statistics that can be trusted");
    page_section(&p, "SYNOPSIS");
    for (const struct command *const *c = list; *c; c++)
        add_synopsis(&p, *c);
    for (const struct command *const *c = list; *c; c++)
        add_command_section(&p, *c);
}

/* ---- rules between options ---- */

static void add_table(struct page *p, const struct option_rule rules[],
                      const struct option_row rows[])
{
    for (const struct option_rule *rule = rules; rule->kind; rule++) {
        struct text line = {0};
        option_rule_words(rule, rows, &line);
        if (line.length)
            page_point(p, line.data);
        p->out->failed |= line.failed;
        text_free(&line);
    }
}

void help_rules(const struct command *const list[], struct text *out)
{
    for (const struct command *const *c = list; *c; c++) {
        struct option_row rows[OPTIONS_MAX + 1];
        const struct option_rule *rules[RULE_TABLES_MAX + 1];
        struct text points = {0};
        struct page page = {PAGE_PLAIN, out}, of_command = {PAGE_PLAIN, &points};
        options_expand((*c)->options, rows);
        options_rules((*c)->options, rules);
        for (size_t i = 0; rules[i]; i++)
            add_table(&of_command, rules[i], rows);
        if (points.length) {
            page_section(&page, (*c)->name);
            text_add(out, points.data);
        }
        out->failed |= points.failed;
        text_free(&points);
    }
}

/* ---- the overview: what cupel is, and where to begin ---- */

void help_overview(const struct command *const list[], struct text *out)
{
    text_add(out, "cupel measures storage until the number can be trusted: it finds and leaves\n"
                  "out the warm-up, accounts for autocorrelation, and stops when the confidence\n"
                  "interval is as narrow as asked.\n\nTo begin with:\n");
    for (const struct command *const *c = list; *c; c++)
        for (const struct help_item *item = (*c)->beginnings; item && item->term; item++)
            text_addf(out, "  %-28s %s\n", item->term, item->words);
    text_add(out, "\nCommands:\n");
    for (const struct command *const *c = list; *c; c++)
        text_addf(out, "  %-10s%-12s  %s\n", (*c)->name, (*c)->operands, (*c)->summary);
    text_add(out,
             "\n`cupel help COMMAND` has all options. Reading never writes to the target, and\n"
             "nothing that exists is overwritten unless an option says so.\n");
}
