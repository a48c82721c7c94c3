/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan as "key=value" lines and back: one row per field serves both directions. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/plan/plan.h"

enum field_kind {
    FIELD_TEXT,
    FIELD_U32,
    FIELD_U64,
    FIELD_DOUBLE,
    FIELD_BOOL,
    FIELD_INT,
    FIELD_NAME,
    FIELD_MASK
};

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset, width;
    const char *const *names; /* FIELD_NAME: of the values 0, 1, ..., ended by NULL */
};

static const char *const pattern_names[] = {"sequential", "random", NULL};
static const char *const spin_names[] = {"auto", "always", "never", NULL};
static const char *const mapping_names[] = {"wrap", "fold", "scale", "none", NULL};
static const char *const changepoint_names[] = {"pelt", "edm", "none", NULL};
static const char *const interval_names[] = {"spectral", "pilot", NULL};

#define FIELD(kind, member, names)                                                                 \
    {                                                                                              \
#member, kind, offsetof(struct plan, member), sizeof(((struct plan *)0)->member), names    \
    }

static const struct field fields[] = {
    FIELD(FIELD_TEXT, target, NULL),
    FIELD(FIELD_NAME, pattern, pattern_names),
    FIELD(FIELD_DOUBLE, random_share, NULL),
    FIELD(FIELD_DOUBLE, write_share, NULL),
    FIELD(FIELD_U32, block_size, NULL),
    FIELD(FIELD_U32, iodepth, NULL),
    FIELD(FIELD_U32, jobs, NULL),
    FIELD(FIELD_U64, offset, NULL),
    FIELD(FIELD_U64, size, NULL),
    FIELD(FIELD_U64, seed, NULL),
    FIELD(FIELD_TEXT, engine, NULL),
    FIELD(FIELD_TEXT, script, NULL),
    FIELD(FIELD_BOOL, direct, NULL),
    FIELD(FIELD_INT, sqpoll, NULL),
    FIELD(FIELD_INT, iopoll, NULL),
    FIELD(FIELD_DOUBLE, rate_iops, NULL),
    FIELD(FIELD_TEXT, arrival, NULL),
    FIELD(FIELD_TEXT, phases, NULL),
    FIELD(FIELD_TEXT, think, NULL),
    FIELD(FIELD_TEXT, address, NULL),
    FIELD(FIELD_TEXT, sizes, NULL),
    FIELD(FIELD_TEXT, profile, NULL),
    FIELD(FIELD_NAME, spin, spin_names),
    FIELD(FIELD_TEXT, trace, NULL),
    FIELD(FIELD_TEXT, trace_format, NULL),
    FIELD(FIELD_DOUBLE, speed, NULL),
    FIELD(FIELD_BOOL, keep_order, NULL),
    FIELD(FIELD_BOOL, all_programs, NULL),
    FIELD(FIELD_NAME, mapping, mapping_names),
    FIELD(FIELD_U64, extent, NULL),
    FIELD(FIELD_BOOL, allow_writes, NULL),
    FIELD(FIELD_BOOL, strict, NULL),
    FIELD(FIELD_TEXT, level, NULL),
    FIELD(FIELD_BOOL, destroy, NULL),
    FIELD(FIELD_TEXT, destroy_serial, NULL),
    FIELD(FIELD_BOOL, overwrite, NULL),
    FIELD(FIELD_BOOL, allow_unwritten, NULL),
    FIELD(FIELD_TEXT, preset, NULL),
    FIELD(FIELD_NAME, changepoint, changepoint_names),
    FIELD(FIELD_NAME, interval, interval_names),
    FIELD(FIELD_DOUBLE, target_width, NULL),
    FIELD(FIELD_DOUBLE, confidence, NULL),
    FIELD(FIELD_DOUBLE, autocorrelation_limit, NULL),
    FIELD(FIELD_U32, minimum_subsessions, NULL),
    FIELD(FIELD_DOUBLE, minimum_seconds, NULL),
    FIELD(FIELD_DOUBLE, limit_seconds, NULL),
    FIELD(FIELD_U32, repeat.sessions, NULL),
    FIELD(FIELD_DOUBLE, repeat.every_seconds, NULL),
    FIELD(FIELD_DOUBLE, repeat.limit_seconds, NULL),
    FIELD(FIELD_U32, repeat.index, NULL),
    FIELD(FIELD_DOUBLE, repeat.begin_seconds, NULL),
    FIELD(FIELD_U64, repeat.id, NULL),
    FIELD(FIELD_BOOL, cpus_given, NULL),
    FIELD(FIELD_MASK, cpus, NULL),
    FIELD(FIELD_BOOL, realtime, NULL),
    FIELD(FIELD_BOOL, measure_overhead, NULL),
    FIELD(FIELD_BOOL, compare_block_layer, NULL),
    FIELD(FIELD_BOOL, clock_gettime, NULL),
    FIELD(FIELD_DOUBLE, monitor_cost, NULL),
    FIELD(FIELD_U32, monitor_rate, NULL),
    FIELD(FIELD_TEXT, governor, NULL),
    FIELD(FIELD_TEXT, scheduler, NULL),
    FIELD(FIELD_INT, cpu_idle_off, NULL),
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields, VALUE_MAX = 4096 };

/* A path may hold anything but '\0': bytes that would break a line, and '%', become %XX. */
static void write_escaped(struct text *out, const char *s)
{
    for (; *s; s++) {
        unsigned char byte = (unsigned char)*s;
        if (byte < ' ' || byte == 0x7f || byte == '%')
            text_addf(out, "%%%02X", byte);
        else
            text_add_bytes(out, s, 1);
    }
}

static void write_value(struct text *out, const struct field *f, const void *from)
{
    switch (f->kind) {
    case FIELD_TEXT:
        write_escaped(out, from);
        break;
    case FIELD_U32:
        text_addf(out, "%u", *(const uint32_t *)from);
        break;
    case FIELD_U64:
        text_addf(out, "%llu", (unsigned long long)*(const uint64_t *)from);
        break;
    case FIELD_DOUBLE:
        text_add_number(out, *(const double *)from);
        break;
    case FIELD_BOOL:
        text_add(out, *(const bool *)from ? "1" : "0");
        break;
    case FIELD_INT:
        text_addf(out, "%d", *(const int *)from);
        break;
    case FIELD_NAME:
        text_add(out, f->names[*(const unsigned *)from]);
        break;
    case FIELD_MASK:
        for (size_t i = PLAN_CPUS_MAX / 64; i-- > 0;)
            text_addf(out, "%016llx", (unsigned long long)((const uint64_t *)from)[i]);
        break;
    }
}

void plan_write(const struct plan *p, struct text *out)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        text_addf(out, "%s=", fields[i].key);
        write_value(out, &fields[i], (const char *)p + fields[i].offset);
        text_add(out, "\n");
    }
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static int read_escaped(char *to, size_t width, const char *s)
{
    size_t n = 0;
    for (; *s; s++) {
        char byte = *s;
        if (byte == '%') {
            int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);
            if (low < 0 || (high == 0 && low == 0))
                return -1;
            byte = (char)(high * 16 + low);
            s += 2;
        }
        if (n + 1 >= width)
            return -1;
        to[n++] = byte;
    }
    memset(to + n, 0, width - n);
    return 0;
}

static int read_whole(const char *s, uint64_t max, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(s, &end, 10);
    return *s < '0' || *s > '9' || *end || errno || *value > max ? -1 : 0;
}

/* -1, 0 or 1: the only values of the fields of this kind. */
static int read_int(const char *s, int *value)
{
    bool negative = *s == '-';
    const char *digit = s + negative;
    if ((*digit != '0' && *digit != '1') || digit[1])
        return -1;
    *value = negative ? '0' - *digit : *digit - '0';
    return 0;
}

static int read_name(const char *s, const char *const names[], unsigned *value)
{
    for (unsigned i = 0; names[i]; i++) {
        if (!strcmp(names[i], s)) {
            *value = i;
            return 0;
        }
    }
    return -1;
}

static int read_mask(const char *s, uint64_t mask[])
{
    enum { WORDS = PLAN_CPUS_MAX / 64, DIGITS = 16 };
    if (strlen(s) != (size_t)WORDS * DIGITS || s[strspn(s, "0123456789abcdef")])
        return -1;
    for (size_t i = 0; i < WORDS; i++) {
        char word[DIGITS + 1] = "";
        memcpy(word, s + i * DIGITS, DIGITS);
        mask[WORDS - 1 - i] = strtoull(word, NULL, 16);
    }
    return 0;
}

static int read_value(const struct field *f, const char *s, void *to)
{
    uint64_t whole;
    char *end;
    switch (f->kind) {
    case FIELD_TEXT:
        return read_escaped(to, f->width, s);
    case FIELD_U32:
        if (read_whole(s, UINT32_MAX, &whole))
            return -1;
        *(uint32_t *)to = (uint32_t)whole;
        return 0;
    case FIELD_U64:
        return read_whole(s, UINT64_MAX, to);
    case FIELD_DOUBLE:
        *(double *)to = strtod(s, &end);
        return end == s || *end || !isfinite(*(double *)to) ? -1 : 0;
    case FIELD_BOOL:
        if (read_whole(s, 1, &whole))
            return -1;
        *(bool *)to = whole == 1;
        return 0;
    case FIELD_INT:
        return read_int(s, to);
    case FIELD_NAME:
        return read_name(s, f->names, to);
    case FIELD_MASK:
        return read_mask(s, to);
    }
    return -1;
}

static int plan_read_line(struct plan *p, char *line, struct err *e)
{
    char *value = strchr(line, '=');
    if (!value)
        return err_set(e, ERR_USAGE, "the plan has a line without '=': \"%.60s\"", line);
    *value++ = '\0';
    const struct field *f = fields;
    while (f < fields + FIELD_COUNT && strcmp(f->key, line) != 0)
        f++;
    if (f == fields + FIELD_COUNT)
        return err_set(e, ERR_USAGE,
                       "the plan has \"%.40s\", which this version does not know; use a newer one",
                       line);
    if (read_value(f, value, (char *)p + f->offset))
        return err_set(e, ERR_USAGE, "the plan's %s cannot be \"%.60s\"", f->key, value);
    return 0;
}

int plan_read(struct plan *p, const char *lines, size_t length, struct err *e)
{
    plan_init(p);
    const char *end = lines + length;
    while (lines < end) {
        char line[VALUE_MAX];
        const char *stop = memchr(lines, '\n', (size_t)(end - lines));
        size_t n = (size_t)((stop ? stop : end) - lines);
        if (n >= sizeof line || memchr(lines, '\0', n))
            return err_set(e, ERR_USAGE, "the plan has a line that is too long or no text");
        memcpy(line, lines, n);
        line[n] = '\0';
        if (n > 0 && plan_read_line(p, line, e))
            return -1;
        lines = stop ? stop + 1 : end;
    }
    return plan_check(p, e);
}
