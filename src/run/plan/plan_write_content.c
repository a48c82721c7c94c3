/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines the options, rules, checks and description of the content of a plan's writes, and reads
   patterns. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/plan/internal.h"

/* clang-format off */
const struct option_row plan_fields_data[] = {
    {FIELD_AS(UNSIGNED, compress_percent, content.compress_percent), OPTION(DATA, "buffer_compress_percentage", "PERCENT"),
     .section = "Data of writes", LIMITS(0, 100), .value = "0",
     .help = "How much of the data that is written compresses away: this part of each "
             "--buffer_compress_chunk is zeros, or --buffer_pattern. The rest is noise, which nothing "
             "compresses."},
    {FIELD_AS(SIZE, compress_chunk, content.compress_chunk), OPTION(DATA, "buffer_compress_chunk", "SIZE"), LIMITS(0, 16 << 20),
     .value = "512", .help = "The data compress by that share in each chunk of this size; 0 is a block."},
    {FIELD_AS(UNSIGNED, dedupe_percent, content.dedupe_percent), OPTION(DATA, "dedupe_percentage", "PERCENT"), LIMITS(0, 100),
     .value = "0",
     .help = "How many of the blocks that are written have the data of an earlier one of the session. "
             "All others differ. With --bssplit a block is what all sizes are multiples of."},
    {FIELD_AS(CHOICE, dedupe_mode, content.dedupe_mode), OPTION(DATA, "dedupe_mode", "NAME"), .value = "repeat",
     .choices = OPTION_CHOICES({"repeat", DEDUPE_REPEAT}, {"working_set", DEDUPE_WORKING_SET}),
     .help = "Which earlier block: the last one of the same job that was no copy, or any of a working set, "
             "which all jobs share."},
    {FIELD_AS(UNSIGNED, dedupe_working_set, content.dedupe_working_set), OPTION(DATA, "dedupe_working_set_percentage", "PERCENT"),
     LIMITS(1, 100), .value = "5",
     .help = "The working set: the first blocks that are no copies, as many as this part of the region "
             "holds."},
    {FIELD_AS(TEXT, buffer_pattern, content.pattern), OPTION(DATA, "buffer_pattern", "BYTES"), .value_words = "zeros, where data compress",
     .help = "Bytes that are repeated, in all of the data or in what compresses of it: 0xdeadbeef, "
             "\"text\" with these quotes, a number of 32 bits, or several joined."},
    {FIELD_AS(FLAG, zero_buffers, content.zeros), OPTION(DATA, "zero_buffers", NULL), .help = "Write zeros alone."},
    {0},
};

const struct option_rule plan_rules_data[] = {
    NEEDS("@shapes-data", "@may-write", ONLY_READS),
    EXCLUDES("zero_buffers", "buffer_compress_percentage dedupe_percentage buffer_pattern", "all data are zeros"),
    {0},
};
/* clang-format on */

/* In a smaller chunk, the requested share cannot be met with whole bytes. */
enum { CHUNK_MIN = 64 };

bool plan_shapes_data(const struct plan *p)
{
    return p->content.compress_percent || p->content.dedupe_percent || p->content.pattern[0] ||
           p->content.zeros;
}

/* ---- patterns in fio's form ---- */

static unsigned digit_of(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

/* Reads the digits after 0x in pairs. If their number is odd, the first digit makes a byte alone.
 */
static const char *read_hex(const char *at, struct data_pattern *to)
{
    size_t digits = strspn(at, "0123456789abcdefABCDEF");
    /* in "0x120x34" the second 0 belongs to "0x34", the next part of the pattern */
    if (digits && (at[digits] | 0x20) == 'x')
        digits--;
    for (size_t i = 0; i < digits; i++) {
        if (!i || (digits - i) % 2 == 0)
            to->bytes[to->count++] = 0;
        unsigned char *byte = &to->bytes[to->count - 1];
        *byte = (unsigned char)(*byte << 4 | digit_of(at[i]));
    }
    return digits ? at + digits : NULL;
}

/* Reads a 32-bit number as bytes, the lowest first, without zeros at the end. */
static const char *read_decimal(const char *at, struct data_pattern *to)
{
    size_t sign = *at == '-', digits = strspn(at + sign, "0123456789");
    char text[16];
    if (digits > 1 && (at[sign + digits] | 0x20) == 'x')
        digits--;
    if (!digits || digits > 10)
        return NULL;
    snprintf(text, sizeof text, "%.*s", (int)(sign + digits), at);
    long long number = strtoll(text, NULL, 10);
    if (number > INT_MAX || number < INT_MIN)
        return NULL;
    uint32_t bits = (uint32_t)number;
    do
        to->bytes[to->count++] = (unsigned char)bits;
    while (bits >>= 8);
    return at + sign + digits;
}

static const char *read_string(const char *at, struct data_pattern *to)
{
    size_t length = strcspn(at, "\"");
    if (!length || !at[length])
        return NULL;
    memcpy(to->bytes + to->count, at, length);
    to->count += (unsigned)length;
    return at + length + 1;
}

/* No part of the text makes more than twice as many bytes as it has characters. */
_Static_assert(sizeof((struct data_pattern *)0)->bytes >=
                   2 * sizeof((struct plan *)0)->content.pattern,
               "a pattern has room for all that its text can say");

int plan_pattern_of_data(const struct plan *p, struct data_pattern *to, struct err *e)
{
    *to = (struct data_pattern){0};
    for (const char *at = p->content.pattern; *at;) {
        const char *end = *at == '"'                            ? read_string(at + 1, to)
                          : *at == '0' && (at[1] | 0x20) == 'x' ? read_hex(at + 2, to)
                                                                : read_decimal(at, to);
        if (!end)
            return err_set(e, ERR_USAGE,
                           "--buffer_pattern %.60s: column %zu: bytes are expected as 0xdeadbeef, "
                           "\"text\" or a number of 32 bits, or several of these%s",
                           p->content.pattern, (size_t)(at - p->content.pattern) + 1,
                           *at == '\'' ? "; no file is read" : "");
        at = end;
    }
    return 0;
}

/* ---- combinations ---- */

int plan_check_data(const struct plan *p, struct err *e)
{
    struct data_pattern pattern;
    if (p->content.compress_chunk && p->content.compress_chunk < CHUNK_MIN)
        return err_set(
            e, ERR_USAGE,
            "--buffer_compress_chunk %u: a chunk has %d bytes or more; 0 is a whole block",
            p->content.compress_chunk, CHUNK_MIN);
    if (!plan_shapes_data(p))
        return 0;
    if (p->content.pattern[0] && p->content.dedupe_percent && !p->content.compress_percent)
        return err_set(e, ERR_USAGE,
                       "--buffer_pattern alone makes all blocks alike: --dedupe_percentage goes "
                       "with it only beside --buffer_compress_percentage");
    if (p->content.dedupe_mode == DEDUPE_WORKING_SET && p->content.dedupe_percent >= 100)
        return err_set(e, ERR_USAGE,
                       "--dedupe_percentage 100: a working set is made of blocks that are no "
                       "copies; use less, or --dedupe_mode repeat");
    return plan_pattern_of_data(p, &pattern, e);
}

/* ---- descriptions ---- */

char *plan_describe_data(const struct plan *p, char *to, size_t size)
{
    *to = '\0';
    if (p->content.zeros)
        snprintf(to, size, ", data of zeros");
    else if (p->content.pattern[0] && !p->content.compress_percent)
        snprintf(to, size, ", data of one pattern");
    else if (p->content.compress_percent)
        snprintf(to, size, ", %u %% of the data compresses", p->content.compress_percent);
    if (p->content.dedupe_percent)
        snprintf(to + strlen(to), size - strlen(to), ", %u %% of the data repeats",
                 p->content.dedupe_percent);
    return to;
}
