/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the completion script for zsh: a function for each command, which calls _arguments. */
#include "cmd/options/completion.h"

/* The script's function _cupel_parts completes a list of words: it suggests words after the last
   comma. _cupel_words suggests words, and the files that _files finds with its arguments. */
static const char head[] = "#compdef cupel\n"
                           "# Completion of cupel for zsh: a file _cupel in a folder of $fpath, or "
                           "sourced after compinit.\n"
                           "_cupel_parts() {\n"
                           "    compset -P '*,'\n"
                           "    compadd -S '' -- \"$@\"\n"
                           "}\n"
                           "_cupel_words_or_files() {\n"
                           "    compadd -- \"$@\"\n"
                           "    _files\n"
                           "}\n"
                           "_cupel_disks() {\n"
                           "    local -a disks=(/sys/block/*(N:t))\n"
                           "    compadd -- /dev/${^disks}\n"
                           "}\n";

/* zsh's actions for values that are no known words */
static const char *const actions[] = {
    [VALUE_NONE] = "",
    [VALUE_OTHER] = " ",
    [VALUE_FILES] = "_files",
    [VALUE_FOLDERS] = "_files -/",
    [VALUE_DISKS] = " _cupel_disks",
    [VALUE_PROGRAMS] = "_command_names -e",
    [VALUE_PROCESSES] = "_pids",
    [VALUE_COMMANDS] = "",
};

static void add_word(const char *word, struct text *out)
{
    for (; *word; word++) {
        if (*word == ':' || *word == '\'')
            text_add(out, *word == ':' ? "\\" : "'\\'");
        text_add_bytes(out, word, 1);
    }
}

static void add_option(const struct option_row *row, struct text *out)
{
    struct text words = {0};
    enum value_kind kind = value_kind(row->argument);
    bool optional = row->alone || row->kind == OPTION_SWITCH;
    const char *again = row->kind == OPTION_LIST ? "*" : "";
    option_add_words(row, &words);
    if (row->letter)
        text_addf(out, " \\\n        '(-%c --%s)'{-%c+,--%s=}'[", row->letter, row->name,
                  row->letter, row->name);
    else
        text_addf(out, " \\\n        '%s--%s%s[", again, row->name, row->argument ? "=" : "");
    completion_add_sentence(row, "'\\''", "[]", out);
    text_add(out, "]");
    if (row->argument) {
        text_add(out, optional ? "::" : ":");
        add_word(row->argument, out);
        text_add(out, ":");
    }
    if (words.data) {
        text_add(out, option_words_go_on(row) ? " _cupel_parts"
                      : kind == VALUE_FILES   ? " _cupel_words_or_files"
                                              : "(");
        add_word(words.data, out);
        text_add(out, option_words_go_on(row) || kind == VALUE_FILES ? "" : ")");
    } else {
        text_add(out, actions[kind]);
    }
    text_add(out, "'");
    text_free(&words);
}

static void add_operands(const struct command *const list[], const struct command *c,
                         const char *topics, struct text *out)
{
    enum value_kind kind = value_kind(c->operands);
    if (completion_of_program(c)) {
        text_add(out, " \\\n        '*:::program: _normal'");
    } else if (kind == VALUE_COMMANDS) {
        text_addf(out, " \\\n        ':command:(%s", topics);
        for (; *list; list++)
            text_addf(out, " %s", (*list)->name);
        text_add(out, ")'");
    } else if (kind != VALUE_NONE) {
        text_addf(out, " \\\n        '*:");
        add_word(c->operands, out);
        text_addf(out, ":%s'", actions[kind]);
    }
}

void completion_zsh(const struct command *const list[], const char *topics, struct text *out)
{
    text_add(out, head);
    text_add(out, "_cupel() {\n"
                  "    local curcontext=$curcontext state line\n"
                  "    local -a commands=(");
    for (const struct command *const *c = list; *c; c++)
        text_addf(out, "\n        '%s:%s'", (*c)->name, (*c)->summary);
    text_add(out, ")\n"
                  "    if ((CURRENT == 2)); then\n"
                  "        _describe command commands\n"
                  "        compadd -- --help --version\n"
                  "        return\n"
                  "    fi\n"
                  "    local command=$words[2]\n"
                  "    shift words\n"
                  "    ((CURRENT--))\n"
                  "    case $command in\n");
    for (const struct command *const *c = list; *c; c++) {
        struct option_row rows[OPTIONS_MAX + 1];
        text_addf(out, "    %s) _arguments -S '(- *)'{-h,--help}'[show its page]'", (*c)->name);
        for (const struct option_row *row = options_expand((*c)->options, rows); row->name; row++)
            add_option(row, out);
        add_operands(list, *c, topics, out);
        text_add(out, " ;;\n");
    }
    text_add(out, "    esac\n"
                  "}\n"
                  "if [ \"$funcstack[1]\" = _cupel ]; then\n"
                  "    _cupel \"$@\"\n"
                  "else\n"
                  "    compdef _cupel cupel\n"
                  "fi\n");
}
