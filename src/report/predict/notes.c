/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints notes, which are sentences, each on its own line. */
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/predict/internal.h"

void print_notes(const char *notes, struct document *out)
{
    char line[600];
    while (*notes) {
        size_t length = strcspn(notes, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, notes);
        document_paragraph(out, "Note: ", TONE_PLAIN, line);
        notes += length + (notes[length] == '\n');
    }
}

void json_notes(struct json *j, const char *notes)
{
    char line[600];
    json_begin_array(j, "notes");
    while (*notes) {
        size_t length = strcspn(notes, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, notes);
        json_begin_object(j, NULL);
        json_bool(j, "warning", false);
        json_string(j, "text", line);
        json_end_object(j);
        notes += length + (notes[length] == '\n');
    }
    json_end_array(j);
}

void predict_title(struct document *out, const char *title)
{
    document_title(out, title);
    out->form = HTML_PLAIN;
}
