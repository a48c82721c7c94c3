/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel help: pages from the command structs and their option rows. */
#include "cmd/options/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cmd/options/boot_config.h"
#include "generator/profile.h"
#include "qualify/expectation.h"
#include "tables/boot_image.h"

#define PROFILE_TOPIC "profile"

struct help_options {
    bool manual;
    char completion[8];
};

static const struct option_row help_options[] = {
    {.section = "Output",
     .name = "man",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct help_options, manual),
     .help = "Print a manual page in troff, of COMMAND or of everything."},
    {.name = "completion",
     .argument = "SHELL",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct help_options, completion),
     .choices = OPTION_CHOICES({"bash", 0}),
     .value_words = "none",
     .help = "Print the completion script of a shell, to be sourced."},
    {0},
};

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

static void add_choices(const struct option_row *row, struct text *out)
{
    text_add(out, " One of ");
    for (const struct option_choice *c = row->choices; c->name; c++)
        text_addf(out, "%s%s", c == row->choices ? "" : ", ", c->name);
    text_add(out, ".");
}

static void add_limits(const struct option_row *row, struct text *out)
{
    char least[UNITS_BUFFER], most[UNITS_BUFFER];
    text_addf(out, " From %s to %s.", option_format_number(row, row->least, least, sizeof least),
              option_format_number(row, row->most, most, sizeof most));
}

void help_option_words(const struct option_row *row, struct text *out)
{
    text_add(out, row->help);
    if (row->choices)
        add_choices(row, out);
    if (row->least < row->most)
        add_limits(row, out);
    if (row->value)
        text_addf(out, " Default %s.", row->value);
    else if (row->value_words)
        text_addf(out, " Default: %s.", row->value_words);
}

static void add_options(struct page *p, const struct option_row rows[])
{
    for (const struct option_row *row = rows; row->name; row++) {
        char term[80];
        struct text words = {0};
        if (row->section)
            page_subsection(p, row->section);
        help_option_term(row, term, sizeof term);
        help_option_words(row, &words);
        page_item(p, term, words.data ? words.data : "");
        p->out->failed = p->out->failed || words.failed;
        text_free(&words);
    }
}

/* Under a heading of the level that `add_heading` makes. */
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
    bool options_first = !strncmp(c->operands, "--", 2); /* what is behind it is the operands' */
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
        add_options(&p, c->options);
    }
    add_items(&p, page_section, "EXAMPLES", c->examples);
    add_items(&p, page_section, "EXIT STATUS", c->statuses);
    add_items(&p, page_section, "FILES", c->files);
}

static void add_command(struct page *p, const struct command *c)
{
    char heading[80] = "CUPEL ";
    size_t n = strlen(heading);
    for (const char *letter = c->name; *letter && n + 1 < sizeof heading; letter++)
        heading[n++] = (char)toupper((unsigned char)*letter);
    page_section(p, heading);
    for (const char *const *words = c->description; *words; words++)
        page_paragraph(p, *words);
    add_options(p, c->options);
    add_items(p, page_subsection, "Examples", c->examples);
    add_items(p, page_subsection, "Exit status", c->statuses);
    add_items(p, page_subsection, "Files", c->files);
}

void help_manual(struct text *out)
{
    struct page p = {PAGE_TROFF, out};
    page_title(&p, "cupel");
    page_section(&p, "NAME");
    page_paragraph(&p, "cupel - measure storage with statistics that can be trusted");
    page_section(&p, "SYNOPSIS");
    for (const struct command *const *c = commands; *c; c++)
        add_synopsis(&p, *c);
    for (const struct command *const *c = commands; *c; c++)
        add_command(&p, *c);
}

static int run_help(const struct option_set *set, struct err *e)
{
    struct help_options o = {0};
    const struct command *command = NULL;
    struct text out = {0};
    if (options_store(set, &o, e))
        return -1;
    bool boot_config = set->operand_count > 0 && !strcmp(set->operands[0], CONFIG_FILE);
    bool expect = set->operand_count > 0 && !strcmp(set->operands[0], EXPECT_FILE);
    bool profile = set->operand_count > 0 && !strcmp(set->operands[0], PROFILE_TOPIC);
    if (set->operand_count > 0 && !boot_config && !expect && !profile) {
        command = command_find(set->operands[0]);
        if (!command)
            return command_unknown(set->operands[0], e);
    }
    if (o.completion[0])
        help_completion_bash(&out);
    else if (boot_config)
        boot_config_write_template(&out);
    else if (expect)
        expectation_help(&out);
    else if (profile)
        profile_help(&out);
    else if (command)
        help_command(command, o.manual ? PAGE_TROFF : PAGE_PLAIN, &out);
    else if (o.manual)
        help_manual(&out);
    else
        help_overview(&out);
    int status = out.failed ? err_set(e, ERR_MACHINE, "there is no memory left") : 0;
    if (!out.failed)
        fwrite(out.data, 1, out.length, stdout);
    text_free(&out);
    return status;
}

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "show what a command does and its options",
    .description =
        (const char *const[]){
            "Prints the page of COMMAND, which cupel COMMAND --help prints as well, or without "
            "COMMAND the overview. Manual pages and the completion script come from the same "
            "source as the pages.",
            "For " CONFIG_FILE " it prints that file as it stands on a new boot stick, where each "
            "setting is explained; for " EXPECT_FILE
            " all that may stand in that file, which cupel "
            "qualify --expect takes as well; for " PROFILE_TOPIC
            " the workloads that cupel run --profile knows, and how to write others.",
            NULL},
    .options = help_options,
    .examples =
        (const struct help_item[]){
            {"cupel help run", "All options of cupel run."},
            {"cupel help run --man | man -l -", "The same page through the manual reader."},
            {"source <(cupel help --completion bash)", "Completion in this shell."},
            {"cupel help " CONFIG_FILE, "The settings of the boot stick."},
            {"cupel help " EXPECT_FILE, "What may be expected of machines."},
            {"cupel help " PROFILE_TOPIC, "Workloads by name, and the file that describes one."},
            {0}},
    .statuses = (const struct help_item[]){{"0", "Done."},
                                           {"2", "There is no such command or option."},
                                           {"4", "Standard output could not be written."},
                                           {0}},
    .max_operands = 1,
    .run = run_help,
    .foresee = command_only_reads,
};
