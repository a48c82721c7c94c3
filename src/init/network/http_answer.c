/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The status line of an answer, out of bytes that nobody vouches for. */
#include "init/network/internal.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "HTTP/1.x nnn", and a reason that may be missing. The status, or 0. */
static int status_of(struct span line)
{
    static const char form[] = "HTTP/1.# ###";
    size_t length = sizeof form - 1;
    if (line.length < length || (line.length > length && line.text[length] != ' '))
        return 0;
    for (size_t i = 0; i < length; i++)
        if (form[i] == '#' ? !is_digit(line.text[i]) : line.text[i] != form[i])
            return 0;
    const char *digits = line.text + length - 3;
    int status = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
    return status >= 100 && status <= 599 ? status : 0;
}

/* Could these few bytes still become a status line? A server of something else is found out by its
   first ones, however long it then keeps the connection. */
static bool may_become_status(struct span begun)
{
    static const char begin[] = "HTTP/1.";
    size_t n = begun.length < sizeof begin - 1 ? begun.length : sizeof begin - 1;
    return memcmp(begun.text, begin, n) == 0;
}

/* How many bytes the header section has, its empty line included; 0 when it is not complete. */
static size_t header_length(struct span s)
{
    for (size_t i = 0; i + 1 < s.length; i++) {
        if (s.text[i] != '\n')
            continue;
        if (s.text[i + 1] == '\n')
            return i + 2;
        if (i + 2 < s.length && s.text[i + 1] == '\r' && s.text[i + 2] == '\n')
            return i + 3;
    }
    return 0;
}

enum http_progress http_answer_read(struct http_answer *a, struct span got)
{
    for (;;) {
        if (got.length == 0)
            return HTTP_INCOMPLETE;
        if (!may_become_status(got))
            return HTTP_GARBAGE;
        const char *end = memchr(got.text, '\n', got.length);
        if (!end)
            return HTTP_INCOMPLETE;
        struct span line = span_trimmed((struct span){got.text, (size_t)(end - got.text)});
        int status = status_of(line);
        if (status == 0)
            return HTTP_GARBAGE;
        if (status >= 200) {
            a->status = status;
            span_printable(a->line, sizeof a->line, line);
            return HTTP_ANSWERED;
        }
        size_t passed = header_length(got);
        if (passed == 0)
            return HTTP_INCOMPLETE;
        got = (struct span){got.text + passed, got.length - passed};
    }
}
