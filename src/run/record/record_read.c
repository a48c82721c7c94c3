/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a record into the contents of a session, and notes its losses. */
#include "run/record/record.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "run/record/internal.h"

/* room that is kept for notes on losses, besides the session's own notes */
#define NOTES_ON_DAMAGE 5

static void note_losses(struct contents *c, const struct record_walk *w)
{
    const struct record_damage *d = &w->damage;
    if (c->note_count > RESULT_NOTES_MAX - NOTES_ON_DAMAGE)
        c->note_count = RESULT_NOTES_MAX - NOTES_ON_DAMAGE;
    if (d->left_out)
        contents_note(c, true,
                      "%" PRIu64
                      " bytes of the record are damaged or out of place and were left out (from "
                      "byte %" PRIu64 ")",
                      d->left_out, d->left_out_from);
    if (d->missing) {
        struct text words = {0}; /* "3 x readings, 1 x note", as far as there is room */
        for (int kind = 0; kind < RECORD_KINDS; kind++)
            if (w->lost[kind])
                text_addf(&words, "%s%u x %s", words.length ? ", " : "", w->lost[kind],
                          record_kinds[kind].words);
        contents_note(c, true, "%" PRIu64 " part%s of the record %s missing%s%.160s", d->missing,
                      d->missing == 1 ? "" : "s", d->missing == 1 ? "is" : "are",
                      words.length ? ": " : "", words.data ? words.data : "");
        text_free(&words);
    }
    if (d->misplaced)
        contents_note(c, true, "parts of the record stand twice or out of order: %" PRIu64 "",
                      d->misplaced);
    if (d->is_not_as_written && !record_walk_has_lost(w))
        contents_note(c, true, "the parts of the record are not those that were written");
    if (d->rest && d->ended)
        contents_note(c, true, "%" PRIu64 " bytes follow the record's end; they were not used",
                      d->rest);
    else if (d->rest)
        contents_note(c, true,
                      "the record %s up to byte %" PRIu64 " of %" PRIu64 "; the rest was not used",
                      d->left_out ? "was read" : "is whole", w->at, w->at + d->rest);
    if (w->version < 2)
        contents_note(c, false,
                      "this record is of format 1, which has no numbers in its parts: missing ones "
                      "would not be noticed");
}

/* Reads all chunks. Returns 0 at the end of the record. */
static int read_chunks(struct contents *c, struct record_pieces *pieces, struct record_walk *w,
                       struct err *e)
{
    struct chunk chunk;
    enum record_scan_state state;
    while ((state = record_walk_next(w, &chunk, e)) == RECORD_SCAN_ITEM) {
        struct err why;
        struct payload p = record_walk_payload(w, &chunk, &why);
        if (w->after_gap)
            timeline_gap(&c->timeline);
        if (!p.refused && w->kind != RECORD_LAST)
            payload_read(c, pieces, w->kind, &p);
        if (record_walk_pass(w, &chunk, &p, e))
            return -1;
    }
    return state == RECORD_SCAN_END ? 0 : -1;
}

static int read_data(struct contents *c, struct record_pieces *pieces, struct record_walk *w,
                     struct err *e)
{
    const struct record_damage *d = &w->damage;
    if (read_chunks(c, pieces, w, e))
        return -1;
    if (!c->plan.block_size)
        return err_set(e, ERR_USAGE, "%s: damaged from byte %" PRIu64 " on, %s", w->path,
                       d->left_out ? d->left_out_from : w->at,
                       record_walk_has_lost(w) ? "where its plan stood" : "before any measurement");
    c->ended = d->ended;
    c->verdict = record_walk_verdict(w, c->verdict);
    note_losses(c, w);
    return 0;
}

int record_read(struct contents *c, const char *path, struct err *e)
{
    struct record_walk walk;
    if (record_walk_open(&walk, path, false, e))
        return -1;
    struct record_pieces *pieces = malloc(sizeof *pieces);
    int status = pieces ? read_data(c, pieces, &walk, e) : err_no_memory(e, "reading %s", path);
    free(pieces);
    record_walk_close(&walk);
    return status;
}
