/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How thoroughly a series was searched for changes of its level. A report calls a level steady only
 * where the search would have found any change that matters.
 */
#ifndef CUPEL_FACTS_CHANGE_CHANGE_SEARCH_H
#define CUPEL_FACTS_CHANGE_CHANGE_SEARCH_H

#define CHANGE_SEARCH_FULL_READINGS 60 /* a series of at least this many is searched fully */

enum change_search {
    CHANGE_SEARCH_NONE,  /* not searched: too few readings, or not requested */
    CHANGE_SEARCH_PLAIN, /* few readings: only a single clear step or trend is found */
    CHANGE_SEARCH_FULL,
};

const char *change_search_name(enum change_search search); /* none, plain, full */

#endif
