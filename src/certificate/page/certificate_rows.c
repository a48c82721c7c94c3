/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a certificate whose words are formatted before a writer gets them. */
#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"
#include "certificate/page/internal.h"
#include "facts/labels.h"

void certificate_row(struct document *out, const char *name, const char *format, ...)
{
    char words[640];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (*words)
        certificate_add_row(out, name, words);
}

void certificate_write_date(const char *date, struct document *out)
{
    char iso[40];
    const char *known = date && date[0] ? date : "not known";
    certificate_add_row(out, "date", *format_date_iso(iso, sizeof iso, known) ? iso : known);
}

void certificate_write_labels(const struct labels *labels, struct document *out)
{
    struct label label;
    size_t at = 0;
    if (!labels_next(labels, &at, &label)) {
        certificate_add_row(out, "who", "not said (--label who=NAME)");
        return;
    }
    do
        certificate_add_row(out, label.key, label.value);
    while (labels_next(labels, &at, &label));
}
