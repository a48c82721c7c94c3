/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds parts and notes about the machine. When a table is full, further ones are counted, and a
   note says so. */
#include "program/exec/watch/program_watch.h"

#include <stdarg.h>
#include <stdio.h>

void program_watch_note(struct program_watch_result *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result_notes_add(result->notes, PROGRAM_WATCH_NOTES, &result->note_count,
                     &result->notes_left_out, true, format, arguments);
    va_end(arguments);
}

struct result_part *program_watch_part(struct program_watch_result *result)
{
    if (result->part_count < PROGRAM_WATCH_PARTS)
        return &result->parts[result->part_count++];
    result->parts_left_out++;
    return NULL;
}

void program_watch_note_parts(struct program_watch_result *result)
{
    if (result->parts_left_out)
        program_watch_note(result,
                           "%zu more parts of the machine were watched: there is no room for them",
                           result->parts_left_out);
}
