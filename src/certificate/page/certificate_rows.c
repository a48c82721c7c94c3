/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the rows of a certificate, each a name and words. */
#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"
#include "certificate/page/internal.h"
#include "facts/labels.h"
#include "report/layout/number.h"

void certificate_add_row(struct document *out, const char *name, const char *words)
{
    document_add(out, "  ");
    document_left(out, name, CERTIFICATE_NAME_WIDTH - 1);
    document_add(out, " ");
    document_end_row_hanging(out, words);
}

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

void certificate_add_interval(const struct result_row *row, struct text *to)
{
    const enum metric_kind kind = metric_of(row->metric)->kind;
    struct number_scale scale = number_scale_of(kind, row->value, row->low, row->high);
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER], arm[NUMBER_BUFFER];
    text_addf(to, "%s%.4g %% interval %s to %s (%s)", to->length ? ", " : "", 100 * row->confidence,
              number_scaled(low, sizeof low, &scale, row->low),
              number_scaled(high, sizeof high, &scale, row->high),
              number_plus_minus(arm, sizeof arm, row->value, row->low, row->high));
}
