/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds what is missing from a merge, and the verdicts that this leaves open. */
#include "many/merge/internal.h"

#include <math.h>
#include <stdio.h>

/* Returns why a source may be incomplete or inexact; NULL when it is not. */
static const char *lack_of(const struct merge_source *s)
{
    return s->failed            ? "failed"
           : s->cut_short       ? "breaks off"
           : s->damaged         ? "is damaged"
           : !s->end_ns         ? "holds no I/O"
           : s->values_averaged ? "holds means"
                                : NULL;
}

/* A limit that is broken stays broken, even if something is missing; a limit that is kept may be
   broken by the missing part. */
void leave_open_what_is_missing(const struct merge *m, struct result *r)
{
    const struct merge_source *first = NULL;
    size_t count = 0;
    char words[sizeof r->clauses->note] = "";
    for (size_t i = 0; i < m->source_count; i++)
        if (lack_of(&m->sources[i])) {
            first = first ? first : &m->sources[i];
            count++;
        }
    if (first)
        snprintf(words, sizeof words, "kept by what is there, but %.40s %s%s",
                 first->host[0] ? first->host : first->name, lack_of(first),
                 count > 1 ? ", and others lack something" : "");
    else if (m->unread_records)
        snprintf(words, sizeof words, "kept by what is there, but %zu record%s could not be read",
                 m->unread_records, m->unread_records == 1 ? "" : "s");
    else if (m->missing_ranks)
        snprintf(words, sizeof words, "kept by what is there, but %zu rank%s left no record",
                 m->missing_ranks, m->missing_ranks == 1 ? "" : "s");
    for (size_t i = 0; i < r->clause_count && words[0]; i++) {
        struct result_clause *clause = &r->clauses[i];
        if (clause->verdict != CLAUSE_PASSED)
            continue;
        clause->verdict = CLAUSE_UNDECIDED;
        clause->more_seconds = INFINITY;
        snprintf(clause->note, sizeof clause->note, "%s", words);
    }
}
