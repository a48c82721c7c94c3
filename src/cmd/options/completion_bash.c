/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the completion script for bash: a `case` has an arm for each option with a value. */
#include <string.h>

#include "cmd/options/completion.h"

/* bash splits --name=value, and words with colons, into several words. In the script, `before` is
   the option to which they belong. When a list is completed, text up to its last comma stays. */
static const char head[] =
    "# Completion of cupel for bash: source this file.\n"
    "_cupel() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before words= kind= kept= "
    "i\n"
    "    COMPREPLY=()\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        [ \"${COMP_WORDS[i]}\" != -- ] || [ $((i + 1)) -eq \"$COMP_CWORD\" ] || kind=files\n"
    "    done\n"
    "    i=$((COMP_CWORD - 1))\n"
    "    case $word in = | :) word= ;; esac\n"
    "    while [ $i -gt 2 ] && [[ ${COMP_WORDS[i]} == [=:] || ${COMP_WORDS[i + 1]} == [=:] ]]; do\n"
    "        i=$((i - 1))\n"
    "    done\n"
    "    before=${COMP_WORDS[i]}\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        words='";

static const char tail[] =
    "    if [ \"$kind\" = list ]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "        case $word in *,*) kept=${word%,*}, ;; esac\n"
    "        COMPREPLY=($(compgen -P \"$kept\" -W \"$words\" -- \"${word##*,}\"))\n"
    "        return\n"
    "    fi\n"
    "    case $kind in\n"
    "    disks) words=$(cd /sys/block 2>/dev/null && printf '/dev/%s ' *) ;;\n"
    "    processes) words=$(cd /proc 2>/dev/null && printf '%s ' [0-9]*) ;;\n"
    "    esac\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "    case $kind in\n"
    "    files) compopt -o filenames 2>/dev/null\n"
    "        local IFS=$'\\n'\n"
    "        COMPREPLY+=($(compgen -f -- \"$word\")) ;;\n"
    "    folders) compopt -o filenames 2>/dev/null\n"
    "        local IFS=$'\\n'\n"
    "        COMPREPLY+=($(compgen -d -- \"$word\")) ;;\n"
    "    programs) COMPREPLY+=($(compgen -c -- \"$word\")) ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _cupel cupel\n";

static const char *const kinds[] = {
    [VALUE_FILES] = " kind=files",     [VALUE_FOLDERS] = " kind=folders",
    [VALUE_DISKS] = " kind=disks",     [VALUE_PROGRAMS] = " kind=programs",
    [VALUE_COMMANDS] = " kind=topics", [VALUE_PROCESSES] = " kind=processes",
};

static void add_name(const struct command *c, const struct option_row *row, struct text *out)
{
    text_addf(out, "%s:--%s", c->name, row->name);
    if (row->letter)
        text_addf(out, "|%s:-%c", c->name, row->letter);
}

/* Adds an arm for each option whose values are known words or files, and one arm for all others. */
static void add_values(const struct command *c, struct text *out)
{
    struct option_row rows[OPTIONS_MAX + 1];
    const struct option_row *others = NULL;
    options_expand(c->options, rows);
    for (const struct option_row *row = rows; row->name; row++) {
        struct text words = {0};
        const char *kind = kinds[value_kind(row->argument)];
        option_add_words(row, &words);
        if (row->argument && (words.data || kind)) {
            text_add(out, "    ");
            add_name(c, row, out);
            text_addf(out, ") words='%s'%s ;;\n", words.data ? words.data : "",
                      option_words_go_on(row) ? " kind=list"
                      : kind                  ? kind
                                              : " kind=choice");
        }
        text_free(&words);
    }
    for (const struct option_row *row = rows; row->name; row++) {
        struct text words = {0};
        option_add_words(row, &words);
        if (row->argument && !words.data && !kinds[value_kind(row->argument)]) {
            text_add(out, others ? "|" : "    ");
            add_name(c, row, out);
            others = row;
        }
        text_free(&words);
    }
    if (others)
        text_add(out, ") return ;;\n");
}

void completion_bash(const struct command *const list[], const char *topics, struct text *out)
{
    text_add(out, head);
    for (const struct command *const *c = list; *c; c++)
        text_addf(out, "%s ", (*c)->name);
    text_add(out, "--help --version' kind=choice\n"
                  "    fi\n"
                  "    [ -n \"$kind\" ] || case $command:$before in\n");
    for (const struct command *const *c = list; *c; c++)
        add_values(*c, out);
    text_add(out, "    esac\n"
                  "    if [ -z \"$kind\" ]; then\n"
                  "        case $word:$command in\n");
    for (const struct command *const *c = list; *c; c++) {
        struct option_row rows[OPTIONS_MAX + 1];
        text_addf(out, "        -*:%s) words='--help", (*c)->name);
        for (const struct option_row *row = options_expand((*c)->options, rows); row->name; row++)
            text_addf(out, " --%s", row->name);
        text_add(out, "' ;;\n");
    }
    for (const struct command *const *c = list; *c; c++) {
        enum value_kind kind = value_kind((*c)->operands);
        if (kind == VALUE_COMMANDS) {
            text_addf(out, "        *:%s) words='%s", (*c)->name, topics);
            for (const struct command *const *topic = list; *topic; topic++)
                text_addf(out, " %s", (*topic)->name);
            text_add(out, "' ;;\n");
        } else if (kinds[kind]) {
            text_addf(out, "        *:%s)%s%s ;;\n", (*c)->name,
                      completion_of_program(*c) ? " [ \"$before\" != -- ] ||" : "", kinds[kind]);
        }
    }
    text_add(out, "        esac\n"
                  "    fi\n");
    text_add(out, tail);
}
