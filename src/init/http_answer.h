/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server's answer as it comes in, of which only the status line (RFC 9112, 4) is looked at. */
#ifndef CUPEL_INIT_HTTP_ANSWER_H
#define CUPEL_INIT_HTTP_ANSWER_H

#include <stddef.h>

#include "base/span.h"

enum http_progress {
    HTTP_INCOMPLETE, /* nothing decided yet */
    HTTP_ANSWERED,
    HTTP_GARBAGE, /* no HTTP/1 */
};

struct http_answer {
    int status;    /* 200 to 599 */
    char line[96]; /* "HTTP/1.1 404 Not Found", printable */
};

/* `got` is everything that came so far. Answers that are only on the way (1xx) are passed over. */
enum http_progress http_answer_read(struct http_answer *a, struct span got);

#endif
