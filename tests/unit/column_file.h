/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a file with a column, and checks that it is read or refused; for the tests of columns. */
#ifndef TESTS_UNIT_COLUMN_FILE_H
#define TESTS_UNIT_COLUMN_FILE_H

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "cmd/column/column.h"
#include "tests/unit/check.h"

static char file_path[64];

static inline void put(const void *text, size_t length)
{
    int fd = open(file_path, O_WRONLY | O_TRUNC);
    CHECK(fd >= 0 && write(fd, text, length) == (ssize_t)length);
    close(fd);
}

static inline void reads(const char *text, const char *wanted, const char *name, size_t count,
                         const double *expected)
{
    struct column c;
    struct err e = {0};
    put(text, strlen(text));
    CHECK_INT(column_read(&c, file_path, &(struct column_request){.column = wanted}, &e), 0);
    CHECK_STR(e.msg, "");
    CHECK_STR(c.name, name);
    CHECK_INT(c.count, count);
    for (size_t i = 0; i < c.count && i < count; i++)
        CHECK(c.values[i] == expected[i]);
    column_free(&c);
    CHECK(!c.values && !c.count);
}

#define VALUES(...)                                                                                \
    sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[])                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* Checks that the file is refused with `message` after the file's name. */
static inline void refuses_bytes(const void *bytes, size_t length, const char *wanted,
                                 const char *message)
{
    struct column c;
    struct err e = {0};
    put(bytes, length);
    CHECK_INT(column_read(&c, file_path, &(struct column_request){.column = wanted}, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(!c.values && !c.count);
    CHECK(!strncmp(e.msg, file_path, strlen(file_path)));
    CHECK_STR(e.msg + strlen(file_path), message);
}

static inline void refuses(const char *text, const char *wanted, const char *message)
{
    refuses_bytes(text, strlen(text), wanted, message);
}

#endif
