/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A collector's answer, as it comes in piece by piece, and the URL of a collector. */
#include <string.h>

#include "appliance/network/http.h"
#include "appliance/network/internal.h"
#include "tests/fuzz/fuzz.h"

static void read_answer(const char *text, size_t length)
{
    struct http_answer whole;
    enum http_progress progress = http_answer_read(&whole, (struct span){text, length});
    for (size_t some = 0; some < length; some += 1 + some / 4) {
        struct http_answer part;
        enum http_progress before = http_answer_read(&part, (struct span){text, some});
        FUZZ_CHECK(before == HTTP_INCOMPLETE || before == progress,
                   "what follows changes an answer that was there");
    }
    if (progress != HTTP_ANSWERED)
        return;
    FUZZ_CHECK(whole.status >= 200 && whole.status <= 599, "no status of HTTP");
    FUZZ_CHECK(memchr(whole.line, 0, sizeof whole.line), "a line without an end");
    for (const char *c = whole.line; *c; c++)
        FUZZ_CHECK((unsigned char)*c >= ' ' && *c != 0x7f, "a line that is not fit to be printed");
}

static void read_url(const char *bytes, size_t length)
{
    struct http_url url, again;
    struct err e = {0};
    char *text = strndup(bytes, length);
    if (text && http_url_parse(&url, text, &e) == 0) {
        struct text whole = {0};
        http_url_add(&whole, &url, "");
        FUZZ_CHECK(whole.failed || http_url_parse(&again, whole.data, &e) == 0,
                   "a URL that cannot be read back");
        FUZZ_CHECK(whole.failed || strcmp(url.host, again.host) == 0, "another host");
        text_free(&whole);
    } else {
        FUZZ_CHECK(!text || (e.code == ERR_USAGE && *e.msg), "a URL refused without a reason");
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    if (data[0] & 1)
        read_url(text, size - 1);
    else
        read_answer(text, size - 1);
    return 0;
}
