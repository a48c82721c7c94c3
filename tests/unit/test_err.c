/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: set, with context, for failed allocations; a long message is cut; NULL is allowed. */
#include "check.h"

#include <string.h>

#include "base/err.h"

static void check_set(void)
{
    struct err e = {0};
    CHECK_INT(err_set(&e, ERR_USAGE, "%d of %s", 3, "them"), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_STR(e.msg, "3 of them");
    CHECK_INT(err_context(&e, "line %d", 7), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_STR(e.msg, "line 7: 3 of them");
}

static void check_no_memory(void)
{
    struct err e = {0};
    CHECK_INT(err_no_memory(&e, "%u workers", 12u), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK_STR(e.msg, "there is no memory left for 12 workers");
}

static void check_long(void)
{
    char words[2 * sizeof(struct err)];
    memset(words, 'x', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    struct err e = {0};
    err_no_memory(&e, "%s", words);
    CHECK_INT(strlen(e.msg), sizeof e.msg - 1);
    CHECK_INT(strncmp(e.msg, "there is no memory left for xxx", 31), 0);
    err_context(&e, "context");
    CHECK_INT(strlen(e.msg), sizeof e.msg - 1);
    CHECK_INT(strncmp(e.msg, "context: there is no memory", 27), 0);
}

static void check_nobody_asks(void)
{
    CHECK_INT(err_set(NULL, ERR_USAGE, "x"), -1);
    CHECK_INT(err_no_memory(NULL, "x"), -1);
    CHECK_INT(err_context(NULL, "x"), -1);
}

int main(void)
{
    check_set();
    check_no_memory();
    check_long();
    check_nobody_asks();
    return check_result();
}
