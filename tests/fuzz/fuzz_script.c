/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A script of the null backend, and the delays it gives. */
#include "io/null/internal.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

#define REQUESTS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct null_script script;
    struct err e = {0};
    char *text = strndup((const char *)data, size);
    if (!text)
        return 0;
    if (script_parse(&script, text, 1, &e) == 0) {
        FUZZ_CHECK(script.phases >= 1 && script.phases <= SCRIPT_PHASES_MAX, "too many phases");
        uint64_t elapsed = 0;
        for (int i = 0; i < REQUESTS; i++) {
            struct script_outcome outcome = script_next(&script, elapsed);
            elapsed += outcome.delay_ns / 4 + 1000000;
        }
    } else {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a script refused without a reason");
    }
    free(text);
    return 0;
}
