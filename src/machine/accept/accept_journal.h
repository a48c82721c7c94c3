/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal of an acceptance: the text file accept.state in the folder of -o. Lines are only ever
 * appended to it, so that the work continues where it stood after a power loss. A line looks like
 * this:
 *
 *     4f1c09aa 0 written generation=1 flushed=1073741824 seconds=1.25
 *
 * It has the CRC-32C of the rest of the line in hexadecimal, the number of the disk, an event and
 * its fields. A line is on the medium when accept_journal_add returns. If a power loss or a full
 * disk left the last line incomplete, it is dropped. Damage before the last good line is an error.
 *
 * Values contain no blank: characters other than letters, digits and ordinary signs are written as
 * %XX (accept_journal_quote). The file is locked, so only one process has it open. One thread at a
 * time may use the journal; each view of a disk (accept_journal_view) has a thread of its own.
 *
 * After a line that could not be stored no other line is stored: later work is then known as cut
 * off, and no drive is blamed for a full disk.
 */
#ifndef CUPEL_MACHINE_ACCEPT_ACCEPT_JOURNAL_H
#define CUPEL_MACHINE_ACCEPT_ACCEPT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define ACCEPT_JOURNAL_FILE "accept.state"
#define ACCEPT_LINE_MAX     4080 /* bytes of a line */
#define ACCEPT_QUOTED       720  /* size of a buffer for a quoted text of up to 239 bytes */

struct accept_journal;

struct accept_line {
    unsigned disk;
    const char *event;  /* "written" */
    const char *fields; /* "generation=1 flushed=1073741824" */
};

/*
 * Opens the journal for adding: `folder` and the file are created or, with `resume`, must exist,
 * and the lines are read. ERR_USAGE: the file exists already (or does not), or is damaged;
 * ERR_UNSAFE: another process has it open; ERR_TARGET: it cannot be written. The caller closes it
 * with accept_journal_close, which accepts NULL.
 */
int accept_journal_open(struct accept_journal **journal, const char *folder, bool resume,
                        struct err *e);
/* Opens the journal for reading only. */
int accept_journal_load(struct accept_journal **journal, const char *folder, struct err *e);
/*
 * Opens a view of the journal for a thread of one disk, which adds lines and sees only the lines of
 * this disk. It must be closed before `journal`, which nobody may read or add to meanwhile. Errors:
 * ERR_MACHINE, ERR_USAGE.
 */
int accept_journal_view(struct accept_journal **view, struct accept_journal *journal, unsigned disk,
                        struct err *e);
void accept_journal_close(struct accept_journal *journal);

/*
 * Adds a line; `fields` is written to the file unchanged. Allocates nothing: the line can be read
 * after accept_journal_reload. ERR_TARGET: the line is not on the medium, and the file is
 * unchanged; all later lines fail as well.
 */
int accept_journal_add(struct accept_journal *journal, unsigned disk, struct err *e,
                       const char *event, const char *fields, ...)
    __attribute__((format(printf, 5, 6)));

/* Reads the file again; lines obtained before become invalid. Errors: ERR_USAGE, ERR_MACHINE. */
int accept_journal_reload(struct accept_journal *journal, struct err *e);

/* Returns the line at `index`, from the oldest line on; NULL after the last one. */
const struct accept_line *accept_journal_line(const struct accept_journal *journal, size_t index);

/* Returns the last line of this event for a disk, or NULL. */
const struct accept_line *accept_journal_last(const struct accept_journal *journal, unsigned disk,
                                              const char *event);

/* Decode a field of a line as text ("" and false if it is missing), or as a number (NaN, or 0 for a
   count, if it is missing). */
bool accept_line_text(const struct accept_line *line, const char *key, char *to, size_t size);
double accept_line_number(const struct accept_line *line, const char *key);
uint64_t accept_line_count(const struct accept_line *line, const char *key);

/* Quotes a text as a value into `to`, which is returned; the text is cut if it does not fit. */
char *accept_journal_quote(char to[ACCEPT_QUOTED], const char *text);

#endif
