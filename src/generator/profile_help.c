/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page about profiles, out of the rows that read them. */
#include <stdlib.h>
#include <string.h>

#include "generator/profile.h"
#include "generator/profile_reader.h"
#include "generator/stream.h"

static void add_keys(struct text *t, bool head)
{
    for (unsigned i = 0; i < profile_key_count; i++) {
        const struct profile_key *key = &profile_keys[i];
        if (((key->where & IN_HEAD) != 0) != head)
            continue;
        text_addf(t, "  %-12s%s\n              %s", key->name, key->form, key->help);
        if (!head && key->where != OF_ALL_KINDS) {
            text_add(t, " [");
            for (unsigned kind = 0, n = 0; kind < STREAM_KINDS; kind++)
                if (key->where & OF(kind))
                    text_addf(t, "%s%s", n++ ? ", " : "", stream_kinds[kind]->name);
            text_add(t, "]");
        }
        text_add(t, "\n");
    }
}

static void add_builtins(struct text *t)
{
    struct workload_spec *spec = calloc(1, sizeof *spec);
    for (const struct profile_builtin *p = profile_builtins; p->name && spec; p++)
        if (!profile_parse(spec, p->name, p->text, strlen(p->text), NULL))
            text_addf(t, "  %-12s%s\n", p->name, spec->about);
    t->failed = t->failed || !spec;
    free(spec);
}

void profile_help(struct text *t)
{
    text_add(t, "A profile is a workload as plain text: a head, then streams of requests.\n"
                "Lines are \"key value\"; # begins a comment.\n\nThe head\n");
    add_keys(t, true);
    text_add(t, "\n[stream NAME]\n");
    add_keys(t, false);
    text_add(t, "\nKinds of streams\n");
    for (unsigned kind = 0; kind < STREAM_KINDS; kind++)
        text_addf(t, "  %-12s%s\n", stream_kinds[kind]->name, stream_kinds[kind]->help);
    text_add(t, "\nBuilt in\n");
    add_builtins(t);
}
