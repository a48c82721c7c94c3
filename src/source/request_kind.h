/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command and the priority of a request. A command counts as one of the operations
 * (facts/operation.h): code that issues or generates requests uses commands; code that measures
 * them uses operations.
 *
 * The requests of a workload with the same size, command and priority are one kind; reports show
 * each kind separately. A request has the index of its kind in the workload's list. Pure.
 */
#ifndef CUPEL_SOURCE_REQUEST_KIND_H
#define CUPEL_SOURCE_REQUEST_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/operation.h"
#include "source/priority.h"

/*
 * ROW(identifier, operation, number, sends, changes, mode, word, title)
 *
 * operation, number: the operation as which the command counts, and its number among the commands
 * of this operation. The plain command has the number 0: its value is that of the operation.
 * sends, changes: the command carries data to the target; the command changes the bytes that it
 * covers. mode: for a command that NVMe engines may send as a write (--write_mode), its number in
 * stored lists of kinds; -1 for other commands. word, title: for such a command, its word in
 * options and reports, and its name in NVMe.
 *
 * A flush empties the volatile cache: its offset and length mean nothing. A trim says that the
 * bytes are not needed any more. A durable write (FUA) is complete when it is on the medium; only
 * replays and profiles use it. Blocks of REQUEST_WRITE_UNCORRECTABLE cannot be read until they
 * are written again. With REQUEST_VERIFY the device reads the blocks.
 */
#define REQUEST_ROWS(ROW)                                                                          \
    ROW(REQUEST_READ, OPERATION_READ, 0, false, false, -1, "", "")                                 \
    ROW(REQUEST_WRITE, OPERATION_WRITE, 0, true, true, 3, "write", "Write")                        \
    ROW(REQUEST_FLUSH, OPERATION_SYNC, 0, false, false, -1, "", "")                                \
    ROW(REQUEST_TRIM, OPERATION_TRIM, 0, false, true, -1, "", "")                                  \
    ROW(REQUEST_WRITE_DURABLE, OPERATION_WRITE, 1, true, true, -1, "", "")                         \
    ROW(REQUEST_WRITE_ZEROES, OPERATION_WRITE, 2, false, true, 0, "zeroes", "Write Zeroes")        \
    ROW(REQUEST_WRITE_UNCORRECTABLE, OPERATION_WRITE, 3, false, true, 1, "uncor",                  \
        "Write Uncorrectable")                                                                     \
    ROW(REQUEST_VERIFY, OPERATION_WRITE, 4, false, false, 2, "verify", "Verify")

/* The lowest bits of a command's number are its operation. */
#define REQUEST_OPERATION_BITS 2
_Static_assert(OPERATIONS <= 1 << REQUEST_OPERATION_BITS, "a command says what it counts as");

#define REQUEST_VALUE(identifier, operation, number, ...)                                          \
    identifier = (operation) | (number) << REQUEST_OPERATION_BITS,
enum request_command { REQUEST_ROWS(REQUEST_VALUE) };
#undef REQUEST_VALUE

static inline unsigned request_operation(unsigned command)
{
    return command & ((1u << REQUEST_OPERATION_BITS) - 1);
}

#define REQUEST_SENDS(identifier, operation, number, sends, ...) | (uint64_t)(sends) << (identifier)
#define REQUEST_CHANGES(identifier, operation, number, sends, changes, ...)                        \
    | (uint64_t)(changes) << (identifier)

/* Returns true if the command carries data to the target. --verify stamps such requests. */
static inline bool request_sends_data(unsigned command)
{
    return (UINT64_C(0) REQUEST_ROWS(REQUEST_SENDS)) >> command & 1;
}

/* Returns true if the command changes the bytes that it covers. */
static inline bool request_changes_data(unsigned command)
{
    return (UINT64_C(0) REQUEST_ROWS(REQUEST_CHANGES)) >> command & 1;
}
#undef REQUEST_SENDS
#undef REQUEST_CHANGES

struct request_row {
    uint8_t command;
    int mode;
    const char *word, *title;
};
#define REQUEST_INDEX(identifier, ...) identifier##_ROW,
enum { REQUEST_ROWS(REQUEST_INDEX) REQUEST_COMMANDS };
#undef REQUEST_INDEX
extern const struct request_row request_rows[REQUEST_COMMANDS];
const struct request_row *request_row_of(unsigned command);

struct request_kind {
    uint32_t bytes;    /* size of the requests; 0: not all of the same size */
    uint16_t priority; /* as encoded in priority.h; 0: the priority of the thread */
    uint8_t command;
};

#define REQUEST_KINDS_MAX 12
struct request_kinds {
    /* sorted by operation, size, command and priority; for each size the kind with the usual
       priority and command comes last, and the other kinds are compared with it */
    struct request_kind kind[REQUEST_KINDS_MAX];
    unsigned count;  /* 0: kinds are not distinguished */
    bool by_command; /* writes are distinguished by command, not by priority */
};

/* Adds a kind unless the list already contains it. Returns false if the list is full. */
bool request_kinds_add(struct request_kinds *kinds, const struct request_kind *kind);
/* Returns the index of a kind, or 0 if the list does not have it. */
uint8_t request_kinds_find(const struct request_kinds *kinds, const struct request_kind *kind);

/* Describes a kind in words: by its command if it has one, otherwise by its priority (`usual` if
   the kind has no priority). Returns `to`. */
char *request_kind_words(const struct request_kinds *kinds, const struct request_kind *kind,
                         uint16_t usual, char to[PRIORITY_WORDS]);

/*
 * Convert kinds to text without blanks, "r4096/8192,w0/0", and back: r or w, the size, and the
 * priority. If by_command is set, a write has the number of its mode instead of a priority, with a
 * class that the kernel does not use. request_kinds_read returns 0, or -1 with ERR_USAGE.
 */
#define REQUEST_KINDS_TEXT (REQUEST_KINDS_MAX * 16)
void request_kinds_write(const struct request_kinds *kinds, char to[REQUEST_KINDS_TEXT]);
int request_kinds_read(struct request_kinds *kinds, const char *text, struct err *e);

#endif
