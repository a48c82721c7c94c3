/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The completion script for bash: commands, options and choices out of the rows, files otherwise.
 */
#include "cmd/options/help.h"

/* The words that may follow an option, as one arm of a shell `case`. */
static void add_choices(struct text *out, const struct command *c, const struct option_row *row)
{
    if (!row->choices)
        return;
    text_addf(out, "    %s:--%s) words=\"", c->name, row->name);
    for (const struct option_choice *choice = row->choices; choice->name; choice++)
        text_addf(out, "%s%s", choice == row->choices ? "" : " ", choice->name);
    text_add(out, "\" ;;\n");
}

/* Options whose value is no choice complete as files. */
static void add_value_options(struct text *out, const struct command *c)
{
    for (const struct option_row *row = c->options; row->name; row++)
        if (row->argument && !row->choices && row->kind != OPTION_SWITCH)
            text_addf(out, "    %s:--%s) return ;;\n", c->name, row->name);
}

static void add_options(struct text *out, const struct command *c)
{
    text_addf(out, "    %s) words=\"--help", c->name);
    for (const struct option_row *row = c->options; row->name; row++)
        text_addf(out, " --%s", row->name);
    text_add(out, "\" ;;\n");
}

static void add_commands(struct text *out)
{
    for (const struct command *const *c = commands; *c; c++)
        text_addf(out, "%s ", (*c)->name);
}

void help_completion_bash(struct text *out)
{
    text_add(out, "# Completion of cupel for bash: source this file.\n"
                  "_cupel() {\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
                  "    local before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
                  "    COMPREPLY=()\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                  "        COMPREPLY=($(compgen -W \"");
    add_commands(out);
    text_add(out, "--help --version\" -- \"$word\"))\n"
                  "        return\n"
                  "    fi\n"
                  "    case $command:$before in\n");
    for (const struct command *const *c = commands; *c; c++) {
        for (const struct option_row *row = (*c)->options; row->name; row++)
            add_choices(out, *c, row);
        add_value_options(out, *c);
    }
    text_add(out, "    esac\n"
                  "    if [ -z \"$words\" ]; then\n"
                  "        case $word in -*) ;; *) [ \"$command\" = help ] || return ;; esac\n"
                  "        case $command in\n");
    for (const struct command *const *c = commands; *c; c++)
        add_options(out, *c);
    text_add(out, "        esac\n"
                  "        [ \"$command\" != help ] || words=\"$words ");
    add_commands(out);
    text_add(out, "\"\n"
                  "    fi\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                  "}\n"
                  "complete -o default -F _cupel cupel\n");
}
