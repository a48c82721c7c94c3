/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a certificate that need some work before a writer has them. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/certificate/internal.h"

void certificate_row(const struct certificate_writer *w, const char *name, const char *format, ...)
{
    char words[640];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (*words)
        w->row(w->out, name, words);
}

/* "2026-11-23 19:43:20 UTC" as ISO 8601 has it. */
void certificate_write_date(const char *date, const struct certificate_writer *w)
{
    const size_t day = strlen("2026-11-23"), time = strlen("19:43:20");
    if (date && strlen(date) == day + 1 + time + strlen(" UTC") && date[day] == ' ')
        certificate_row(w, "date", "%.*sT%.*sZ", (int)day, date, (int)time, date + day + 1);
    else
        w->row(w->out, "date", date && date[0] ? date : "not known");
}
