/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives the names of the kinds of search for changes of a level. */
#include "facts/change/change_search.h"

const char *change_search_name(enum change_search search)
{
    static const char *const names[] = {
        [CHANGE_SEARCH_NONE] = "none",
        [CHANGE_SEARCH_PLAIN] = "plain",
        [CHANGE_SEARCH_FULL] = "full",
    };
    return names[search];
}
