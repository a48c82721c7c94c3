/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pieces of a certificate are in its document. */
#include <string.h>

#include "certificate/page/internal.h"

/* A line of a command, without the backslash that continues it: paper that is copied has an end of
   line wherever a browser broke one. */
enum { COMMAND_WIDTH = 56, PAGE_COMMAND_WIDTH = 78 };

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

/* Returns where the next words of a command begin that have a line of their own: after at most
   `width` bytes, if a blank between two words allows that. */
static const char *command_rest(const char *words, size_t width)
{
    const char *end = words, *at = words;
    for (bool quoted = false; *at && ((size_t)(at - words) <= width || end == words); at++) {
        quoted ^= *at == '\'';
        if (!quoted && *at == '\\' && at[1])
            at++;
        else if (!quoted && *at == ' ')
            end = at + 1;
    }
    return *at ? end : at;
}

void certificate_add_command(struct document *out, const char *words)
{
    const char *name = "command";
    for (const char *rest; *words; words = rest) {
        struct text line = {0};
        rest = command_rest(words, out->style.page ? PAGE_COMMAND_WIDTH : COMMAND_WIDTH);
        text_addf(&line, "%.*s%s", (int)(rest - words), words, *rest ? "\\" : "");
        if (out->style.page)
            certificate_add_row(out, name, layout_string(&line));
        else
            document_line(out, "  %-*s %s", CERTIFICATE_NAME_WIDTH - 1, name, layout_string(&line));
        out->failed |= line.failed;
        text_free(&line);
        name = out->style.page ? "continued" : "";
    }
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
