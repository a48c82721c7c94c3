/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The times of a common start as text. */
#include "check.h"

#include <string.h>

#include "run/launch/start_instant.h"

#define SECOND ((int64_t)1000000000)
/* 2026-11-24 08:00:00 UTC */
#define MORNING ((int64_t)1795507200 * SECOND)

static void reads(void)
{
    static const struct {
        const char *text;
        int64_t instant_ns;
    } cases[] = {
        {"2026-11-24T08:00:00Z", MORNING},
        {"2026-11-24 08:00:00Z", MORNING},
        {"2026-11-24T08:00Z", MORNING},
        {"2026-11-24T09:00:00+01:00", MORNING},
        {"2026-11-24T02:30:00-0530", MORNING},
        {"2026-11-24T09:00:00+01", MORNING},
        {"2026-11-24T08:00:00.25Z", MORNING + SECOND / 4},
        {"2026-11-24T08:00:00.1234567899Z", MORNING + 123456789},
        {"@1795507200", MORNING},
        {"@1795507200.000000001", MORNING + 1},
        {"2028-02-29T00:00:00Z", (int64_t)1835395200 * SECOND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t instant = 0;
        struct err e = {0};
        if (!check_that(!start_instant_parse(cases[i].text, MORNING - SECOND, &instant, &e),
                        __FILE__, __LINE__, cases[i].text))
            fprintf(stderr, "  %s\n", e.msg);
        CHECK_INT(instant, cases[i].instant_ns);
    }
}

static void next(void)
{
    static const struct {
        int64_t now_ns, instant_ns;
    } cases[] = {
        {MORNING, MORNING + 30 * SECOND},
        {MORNING + 25 * SECOND, MORNING + 30 * SECOND}, /* 5 s away */
        {MORNING + 25 * SECOND + 1, MORNING + 60 * SECOND},
        {MORNING + 29 * SECOND, MORNING + 60 * SECOND},
    };
    int64_t instant;
    struct err e = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_INT(start_instant_parse("next:30s", cases[i].now_ns, &instant, &e), 0);
        CHECK_INT(instant, cases[i].instant_ns);
    }
    CHECK_INT(start_instant_parse("next:1s", MORNING, &instant, &e), 0);
    CHECK_INT(instant, MORNING + 5 * SECOND);
    CHECK_INT(start_instant_parse("next:10m", MORNING, &instant, &e), 0);
    CHECK_INT(instant, MORNING + 600 * SECOND);
}

static void refuses(void)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"+10s", "next:10s"},
        {"2026-11-24T07:59:58Z", "has passed"},
        {"@1", "has passed"},
        {"2026-11-24T08:00:00", "time zones"},
        {"2026-02-31T08:00:00Z", "an instant is expected"},
        {"2026-11-24T24:00:00Z", "an instant is expected"},
        {"2026-11-24T08:00:61Z", "an instant is expected"},
        {"2026-11-24", "an instant is expected"},
        {"2026-11-24T08:00:00Zx", "an instant is expected"},
        {"2026-11-24T08:00:00+1:00", "an instant is expected"},
        {"2026-11-24T08:00:00+01:60", "an instant is expected"},
        {"08:00", "an instant is expected"},
        {"@", "an instant is expected"},
        {"@99999999999", "an instant is expected"},
        {"@1795507200.", "an instant is expected"},
        {"", "an instant is expected"},
        {"next:", "a time"},
        {"next:10ms", "1 s to 24 h"},
        {"next:25h", "1 s to 24 h"},
        {"soon", "an instant is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t instant;
        struct err e = {0};
        CHECK_INT(start_instant_parse(cases[i].text, MORNING - SECOND, &instant, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        if (!check_that(strstr(e.msg, cases[i].words) != NULL, __FILE__, __LINE__, cases[i].text))
            fprintf(stderr, "  %s\n", e.msg);
    }
}

static void formats(void)
{
    char text[START_INSTANT_TEXT];
    CHECK_STR(start_instant_format(text, MORNING + 1500), "2026-11-24 08:00:00.000001 UTC");
    CHECK_STR(start_instant_format(text, MORNING - 1), "2026-11-24 07:59:59.999999 UTC");
}

int main(void)
{
    reads();
    next();
    refuses();
    formats();
    return check_result();
}
