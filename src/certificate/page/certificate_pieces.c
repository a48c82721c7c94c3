/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pieces of a certificate are in its document. */
#include "certificate/page/internal.h"

void certificate_add_verdict(struct document *out, const char *word, enum tone tone,
                             const char *words)
{
    struct text lead = {0};
    text_addf(&lead, "%s: ", word);
    document_paragraph(out, layout_string(&lead), tone, words);
    out->failed |= lead.failed;
    text_free(&lead);
}

void certificate_add_row(struct document *out, const char *name, const char *words)
{
    document_add(out, "  ");
    document_left(out, name, CERTIFICATE_NAME_WIDTH - 1);
    document_add(out, " ");
    document_end_row_hanging(out, words);
}

void certificate_add_sentence(struct document *out, const char *words)
{
    document_paragraph(out, "  ", TONE_PLAIN, words);
}

void certificate_add_file(struct document *out, const struct certificate_file *file)
{
    if (out->style.page)
        certificate_add_row(out, file->name, file->sha256);
    else
        document_line(out, "%s  %s", file->sha256, file->name);
}
