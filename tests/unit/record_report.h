/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs cupel report on a record's bytes. */
#ifndef TESTS_UNIT_RECORD_REPORT_H
#define TESTS_UNIT_RECORD_REPORT_H

#include "check.h"
#include "record_bytes.h"

#include "cmd/output/output.h"
#include "run/session/session.h"

static struct result result; /* result for the last bytes; its pointers are no longer valid */
static char path[300];       /* path of the record's file */

/* Returns the exit status of cupel report for these bytes. */
static inline int status_of(const void *bytes, size_t size, struct err *e)
{
    struct session *session = NULL;
    *e = (struct err){0};
    CHECK(bytes_store(path, bytes, size));
    if (session_load(&session, path, e))
        return (int)e->code;
    session_result(session, &result);
    int status = output_status(&result, e) ? (int)e->code : 0;
    session_free(session);
    return status;
}

/* Returns true if there is a note, or a warning, with these words. */
static inline bool has_note(bool warning, const char *words)
{
    for (size_t i = 0; i < result.note_count; i++)
        if (result.notes[i].warning == warning && strstr(result.notes[i].text, words))
            return true;
    return false;
}

#endif
