/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the completion script for fish: a line for each option of each command. */
#include "cmd/options/completion.h"

/* The script's function __cupel_parts completes a list of words: it suggests words after the last
   comma. */
static const char head[] =
    "# Completion of cupel for fish: cupel.fish in a folder of $fish_complete_path, or sourced.\n"
    "function __cupel_in\n"
    "    set -l words (commandline -opc)\n"
    "    test \"$words[2]\" = $argv[1]; and not contains -- -- $words\n"
    "end\n"
    "function __cupel_after_dashes\n"
    "    set -l words (commandline -opc)\n"
    "    contains -- \"$words[2]\" $argv; and contains -- -- $words\n"
    "end\n"
    "function __cupel_program\n"
    "    set -l words (commandline -opc)\n"
    "    if test \"$words[-1]\" = --\n"
    "        __fish_complete_command\n"
    "    else\n"
    "        __fish_complete_path (commandline -ct)\n"
    "    end\n"
    "end\n"
    "function __cupel_parts\n"
    "    set -l kept (string replace -r '^--[^=]*=' '' -- (commandline -ct) |"
    " string replace -r '[^,]*$' '')\n"
    "    printf '%s\\n' $kept$argv\n"
    "end\n"
    "complete -c cupel -f\n"
    "complete -c cupel -n __fish_use_subcommand -l help -d 'Show the overview'\n"
    "complete -c cupel -n __fish_use_subcommand -l version -d 'Show the version'\n";

static const char *const actions[] = {
    [VALUE_NONE] = "",
    [VALUE_OTHER] = " -x",
    [VALUE_FILES] = " -r -F",
    [VALUE_FOLDERS] = " -x -a '(__fish_complete_directories (commandline -ct))'",
    [VALUE_DISKS] = " -x -a '(string replace /sys/block/ /dev/ /sys/block/*)'",
    [VALUE_PROGRAMS] = " -x -a '(__fish_complete_command)'",
    [VALUE_PROCESSES] = " -x -a '(__fish_complete_pids)'",
    [VALUE_COMMANDS] = "",
};

static void add_option(const struct command *c, const struct option_row *row, struct text *out)
{
    struct text words = {0};
    enum value_kind kind = value_kind(row->argument);
    option_add_words(row, &words);
    text_addf(out, "complete -c cupel -n '__cupel_in %s' -l %s", c->name, row->name);
    if (row->letter)
        text_addf(out, " -s %c", row->letter);
    if (words.data && row->argument)
        text_addf(out, " %s -a '%s%s%s'", kind == VALUE_FILES ? "-r -F" : "-x",
                  option_words_go_on(row) ? "(__cupel_parts" : "", words.data,
                  option_words_go_on(row) ? ")" : "");
    else
        text_add(out, actions[kind]);
    text_add(out, " -d '");
    completion_add_sentence(row, "\\'", "\\", out);
    text_add(out, "'\n");
    text_free(&words);
}

void completion_fish(const struct command *const list[], const char *topics, struct text *out)
{
    text_add(out, head);
    for (const struct command *const *c = list; *c; c++) {
        struct option_row rows[OPTIONS_MAX + 1];
        enum value_kind kind = value_kind((*c)->operands);
        text_addf(out, "complete -c cupel -n __fish_use_subcommand -a %s -d '%s'\n", (*c)->name,
                  (*c)->summary);
        for (const struct option_row *row = options_expand((*c)->options, rows); row->name; row++)
            add_option(*c, row, out);
        if (completion_of_program(*c)) {
            text_addf(out,
                      "complete -c cupel -n '__cupel_after_dashes %s' -a '(__cupel_program)'\n",
                      (*c)->name);
        } else if (kind == VALUE_COMMANDS) {
            text_addf(out, "complete -c cupel -n '__cupel_in %s' -a '%s", (*c)->name, topics);
            for (const struct command *const *topic = list; *topic; topic++)
                text_addf(out, " %s", (*topic)->name);
            text_add(out, "'\n");
        } else if (kind != VALUE_NONE && kind != VALUE_OTHER) {
            text_addf(out, "complete -c cupel -n '__cupel_in %s'%s\n", (*c)->name,
                      kind == VALUE_FILES ? " -F" : actions[kind]);
        }
    }
}
