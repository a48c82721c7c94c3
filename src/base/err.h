/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An error: a code, a message, and the context each caller adds on the way up.
 *
 * A function that can fail returns 0, or -1 after filling the caller's struct err. The message is
 * one line that says what failed, where, and what to do. Only main prints it. The codes are the
 * exit statuses of the command line, because that is the one distinction every caller up to main
 * makes. A struct err belongs to its caller; it holds no memory of its own. One thread at a time.
 */
#ifndef CUPEL_BASE_ERR_H
#define CUPEL_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

enum err_code {
    ERR_NONE = 0,
    ERR_FAILED = 1,    /* an SLA failed, or a comparison found the regression */
    ERR_USAGE = 2,     /* wrong options, or input that cannot be read */
    ERR_UNSAFE = 3,    /* refused for safety */
    ERR_TARGET = 4,    /* the target failed */
    ERR_UNDECIDED = 5, /* the limit or a signal came before the precision or the verdict was
                          reached */
    ERR_MACHINE = 6,   /* this machine, kernel or permission cannot do it */
};

struct err {
    enum err_code code;
    char msg[480];
};

/* Fills `e`, unless it is NULL. Always returns -1. */
int err_set(struct err *e, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the error "there is no memory left for WHAT", code ERR_MACHINE, for every allocation that
   failed. WHAT is a noun or a verb in -ing ("a result", "reading disk.trace"). Always returns
   -1. */
int err_no_memory(struct err *e, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " before the present message. Always returns -1. */
int err_context(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Collects all mistakes of one file into one error. The message contains as many mistakes as fit;
 * then the places of some more ("5:2, too"); then the number of mistakes left out. At first all
 * members are zero except `e` (may be NULL) and `said_once`.
 */
struct mistakes {
    struct err *e;
    /* number of bytes at the beginning of each message, the file's name, that are removed from all
       messages but the first */
    size_t said_once;
    bool shortened;
    unsigned count, left;
};

void mistakes_add(struct mistakes *m, const struct err *mistake);

/* Returns -1 if there was a mistake; `e` then contains the complete error. Otherwise returns 0. */
int mistakes_result(const struct mistakes *m);

#endif
