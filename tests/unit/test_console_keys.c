/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Escape sequences of terminals are decoded as keys: each sequence at once and byte by byte. */
#include "check.h"

#include "appliance/console/console.h"
#include "appliance/console/internal.h"

static void check_decodes(const char *bytes, size_t length, const int *expected)
{
    struct key_decoder whole = {0}, single = {0};
    size_t at = 0, taken;
    const int *next = expected;
    while (at < length) {
        int key = key_decode(&whole, (const unsigned char *)bytes + at, length - at, &taken);
        at += taken;
        if (key != CONSOLE_NONE)
            CHECK_INT(key, *next++);
    }
    CHECK_INT(*next, CONSOLE_NONE);
    CHECK(!key_is_pending(&whole));
    /* The same one byte at a time, as over a slow line. */
    next = expected;
    for (at = 0; at < length; at += taken) {
        int key = key_decode(&single, (const unsigned char *)bytes + at, 1, &taken);
        if (key != CONSOLE_NONE)
            CHECK_INT(key, *next++);
    }
    CHECK_INT(*next, CONSOLE_NONE);
}

static void test_decoding(void)
{
#define DECODES(bytes, ...) check_decodes(bytes, sizeof(bytes) - 1, (const int[]){__VA_ARGS__, 0})
    DECODES("aZ~ ", 'a', 'Z', '~', ' ');
    DECODES("\r", CONSOLE_ENTER);
    DECODES("\n\n", CONSOLE_ENTER, CONSOLE_ENTER);
    DECODES("1\r\n2\r\n", '1', CONSOLE_ENTER, '2', CONSOLE_ENTER);
    DECODES("\r\r\n\n", CONSOLE_ENTER, CONSOLE_ENTER, CONSOLE_ENTER);
    DECODES("\b\177", CONSOLE_BACKSPACE, CONSOLE_BACKSPACE);
    DECODES("\003x", CONSOLE_INTERRUPT, 'x');
    DECODES("\033[A\033[B\033OA\033OB", CONSOLE_UP, CONSOLE_DOWN, CONSOLE_UP, CONSOLE_DOWN);
    DECODES("\033[5~\033[6~", CONSOLE_PAGE_UP, CONSOLE_PAGE_DOWN);
    DECODES("\033OM", CONSOLE_ENTER);
    DECODES("\033[1;5A", CONSOLE_UP);
    /* Unknown keys are dropped completely: F5, left, Linux' F1, delete. */
    DECODES("\033[15~\033[D\033[[A\033[3~y", 'y');
    DECODES("\033\033[A", CONSOLE_ESCAPE, CONSOLE_UP);
    DECODES("\033q", CONSOLE_ESCAPE, 'q');
    DECODES("\t\001\302\265\303\251k", 'k');
#undef DECODES
    struct key_decoder d = {0};
    size_t taken;
    CHECK_INT(key_decode(&d, (const unsigned char *)"\033[", 2, &taken), CONSOLE_NONE);
    CHECK(key_is_pending(&d));
    CHECK_INT(key_expire(&d), CONSOLE_NONE);
    CHECK_INT(key_decode(&d, (const unsigned char *)"A", 1, &taken), 'A');
}

int main(void)
{
    test_decoding();
    return check_result();
}
