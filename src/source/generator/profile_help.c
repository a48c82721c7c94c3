/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the help page about profiles from the tables that read them. */
#include <stdlib.h>
#include <string.h>

#include "source/generator/internal.h"
#include "source/generator/profile.h"

enum { COLUMNS = 79, NAME_COLUMN = 2, WORDS_COLUMN = 14 };

/* Writes words from column WORDS_COLUMN on, and continues on further lines if they do not fit.
   Before the call the text must end at that column. */
static void add_words(struct text *t, const char *words)
{
    size_t column = WORDS_COLUMN;
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        bool first = column == WORDS_COLUMN;
        if (!first && column + 1 + length > COLUMNS) {
            text_addf(t, "\n%*s", WORDS_COLUMN, "");
            column = WORDS_COLUMN;
            first = true;
        }
        if (!first)
            text_add(t, " ");
        text_add_bytes(t, words, length);
        column += length + !first;
        words += length;
    }
    text_add(t, "\n");
}

static void add_name(struct text *t, const char *name)
{
    text_addf(t, "%*s%-*s", NAME_COLUMN, "", WORDS_COLUMN - NAME_COLUMN, name);
}

/* Lists the keys: form, meaning, and the kinds of streams where each is allowed. */
static void add_keys(struct text *t, bool head)
{
    for (unsigned i = 0; i < profile_key_count; i++) {
        const struct profile_key *key = &profile_keys[i];
        struct text words = {0};
        if (((key->where & IN_HEAD) != 0) != head)
            continue;
        add_name(t, key->name);
        add_words(t, key->form);
        text_add(&words, key->help);
        if (!head && key->where != OF_ALL_KINDS) {
            text_add(&words, " [");
            for (unsigned kind = 0, n = 0; kind < STREAM_KINDS; kind++)
                if (key->where & OF(kind))
                    text_addf(&words, "%s%s", n++ ? ", " : "", stream_kinds[kind]->name);
            text_add(&words, "]");
        }
        text_addf(t, "%*s", WORDS_COLUMN, "");
        add_words(t, words.data ? words.data : "");
        t->failed = t->failed || words.failed;
        text_free(&words);
    }
}

void profile_help(struct text *t)
{
    text_add(t, "A profile is a workload as plain text: a head, then streams of requests.\n"
                "Lines are \"key value\"; # begins a comment. On a command line it begins with [\n"
                "and has semicolons for ends of lines: '[stream a];kind closed;write 30%'.\n\n"
                "The head\n");
    add_keys(t, true);
    text_add(t, "\n[stream NAME]\n");
    add_keys(t, false);
    text_add(t, "\nKinds of streams\n");
    for (unsigned kind = 0; kind < STREAM_KINDS; kind++) {
        add_name(t, stream_kinds[kind]->name);
        add_words(t, stream_kinds[kind]->help);
    }
    text_add(t, "What logs write comes on top of the rate that is asked for.\n");
    text_add(t, "\nBuilt in\n");
    struct workload_spec *spec = calloc(1, sizeof *spec);
    for (const struct profile_builtin *p = profile_builtins; p->name && spec; p++)
        if (!profile_parse(spec, p->name, p->text, strlen(p->text), NULL)) {
            add_name(t, p->name);
            add_words(t, spec->about);
        }
    t->failed = t->failed || !spec;
    free(spec);
}
