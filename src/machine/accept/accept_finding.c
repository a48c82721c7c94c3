/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes findings of a stage to the journal. */
#include <stdarg.h>
#include <stdio.h>

#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

int accept_finding(struct accept_disk *d, enum grade grade, const char *stage, struct err *e,
                   const char *words, ...)
{
    char text[240], quoted[ACCEPT_QUOTED];
    va_list arguments;
    va_start(arguments, words);
    vsnprintf(text, sizeof text, words, arguments);
    va_end(arguments);
    return accept_journal_add(d->journal, d->number, e, "finding", "stage=%s grade=%u words=%s",
                              stage, (unsigned)grade, accept_journal_quote(quoted, text));
}
