/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines with checksums: lines that are read are as sealed, and a file of sealed lines cut anywhere
 * gives its complete lines and an incomplete rest. The first byte chooses the form, the next two
 * the cut.
 */
#include <string.h>

#include "base/durable/line_journal.h"
#include "tests/fuzz/fuzz.h"

static const struct line_form forms[] = {{.separator = " ", .in_front = true},
                                         {.separator = "", .chained = true},
                                         {.separator = "crc32c="},
                                         {.separator = ","}};

/* Checks that every line read has the bytes that sealing it gives. */
static void read_as_it_is(const struct line_form *form, struct span whole)
{
    struct line_reader r = {.form = form, .rest = whole};
    struct text again = {0};
    uint32_t chain = 0;
    struct span line;
    while (line_next(&r, &line))
        line_seal(form, &chain, line, &again);
    FUZZ_CHECK(!again.failed, "no memory");
    FUZZ_CHECK(again.length == whole.length - r.rest.length, "a line was read in part");
    FUZZ_CHECK(again.length == 0 || memcmp(again.data, whole.text, again.length) == 0,
               "a line was read that sealing does not give");
    line_rest_is_torn(&r);
    text_free(&again);
}

/* The parts between line ends and NULs are sealed, cut and read again. */
static void seal_and_cut(const struct line_form *form, struct span whole, size_t cut)
{
    struct text sealed = {0};
    uint32_t chain = 0;
    for (size_t i = 0, begin = 0; i <= whole.length; i++) {
        if (i < whole.length && whole.text[i] != '\n' && whole.text[i] != '\0')
            continue;
        if (i > begin) /* an empty line does not count */
            line_seal(form, &chain, (struct span){whole.text + begin, i - begin}, &sealed);
        begin = i + 1;
    }
    FUZZ_CHECK(!sealed.failed, "no memory");
    if (sealed.length) {
        size_t kept = cut % (sealed.length + 1), expected = 0, got = 0;
        for (size_t i = 0; i < kept; i++)
            expected += sealed.data[i] == '\n';
        struct line_reader r = {.form = form, .rest = {sealed.data, kept}};
        struct span line;
        while (line_next(&r, &line))
            got++;
        FUZZ_CHECK(got == expected, "whole lines were not read");
        FUZZ_CHECK(line_rest_is_torn(&r), "the rest of a file that was cut is not torn");
    }
    text_free(&sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    const struct line_form *form = &forms[data[0] % (sizeof forms / sizeof *forms)];
    const struct span whole = {(const char *)data + 3, size - 3};
    read_as_it_is(form, whole);
    seal_and_cut(form, whole, (size_t)data[1] << 8 | data[2]);
    return 0;
}
