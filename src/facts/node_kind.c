/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the rows of tables/node_kinds.h. */
#include <string.h>

#include "facts/inventory.h"

struct kind_words {
    const char *name, *title, *shown;
};

#define KIND_WORDS(identifier, name, title, shown) {name, title, shown},
static const struct kind_words kinds[] = {NODE_KIND_ROWS(KIND_WORDS)};
#undef KIND_WORDS

const char *node_kind_name(enum node_kind kind)
{
    return kinds[kind].name;
}

const char *node_kind_title(enum node_kind kind)
{
    return kinds[kind].title;
}

const char *node_kind_shown(enum node_kind kind)
{
    return kinds[kind].shown;
}

enum node_kind node_kind_of(const char *name)
{
    for (int kind = 0; kind < NODE_KINDS; kind++)
        if (!strcmp(kinds[kind].name, name))
            return (enum node_kind)kind;
    return NODE_OTHER;
}
