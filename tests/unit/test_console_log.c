/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of the consoles: when it is full, the oldest lines are removed as a whole. */
#include "appliance/console/internal.h"
#include "check.h"

static void test_log(void)
{
    static struct log_ring log;
    static char copy[CONSOLE_LOG + 1];
    unsigned lines = 0;
    for (; lines < 20000; lines++) {
        char line[64];
        snprintf(line, sizeof line, "line %u of the log, which is long\n", lines);
        for (const char *p = line; *p; p++)
            log_add(&log, *p);
    }
    size_t length = log_copy(&log, copy, sizeof copy);
    CHECK_INT(length, strlen(copy));
    CHECK(length <= CONSOLE_LOG && length > CONSOLE_LOG - 64);
    unsigned first = 0, expected = 0;
    CHECK_INT(sscanf(copy, "line %u", &first), 1);
    expected = first;
    bool whole = true;
    for (char *line = copy; *line; line = strchr(line, '\n') + 1)
        whole &= sscanf(line, "line %u of", &lines) == 1 && lines == expected++;
    CHECK(whole);
    CHECK_INT(expected, 20000);

    CHECK_INT(log_copy(&log, copy, 100), 74);
    CHECK(strncmp(copy, "line 19998 of", 13) == 0 && copy[73] == '\n');
    CHECK_INT(log_copy(&log, copy, 1), 0);
    CHECK_INT(log_copy(&log, copy, 11), 10);
    CHECK_STR(copy, "h is long\n");

    /* A line that is longer than everything. */
    for (size_t i = 0; i < CONSOLE_LOG + 10; i++)
        log_add(&log, 'x');
    log_add(&log, '\r');
    log_add(&log, 'y');
    log_add(&log, '\n');
    log_copy(&log, copy, sizeof copy);
    CHECK(strcmp(copy, "y\n") == 0);
}

int main(void)
{
    test_log();
    return check_result();
}
