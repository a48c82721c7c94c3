/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the file of the user's components: sections and their keys; each key is a row of a
   table. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number_parse.h"
#include "base/text_reader.h"
#include "base/units.h"
#include "hw/component/component.h"

#define FILE_BYTES_MAX    (1u << 20)
#define EVERY_SECONDS     0.25
#define EVERY_SECONDS_MIN 0.1
#define COMMAND_SECONDS   1
#define SECONDS_MAX       60
#define COLUMNS_MAX       10000
#define EXAMPLE           "as in limit = 12 GB/s"
#define SECTION_EXPECTED  "[component NAME] is expected, as in [component backplane]"

/* State of the section that is being read. */
struct section {
    struct components *components;
    struct component *now; /* NULL before the first section */
    unsigned seen;         /* one bit for each key that occurred */
    size_t limit_column;   /* column of the limit's value, for checks at the end of the section */
    size_t limit_line;
};

/* ---- values ---- */

static int read_text(const struct text_reader *r, struct span value, char *to, size_t size,
                     const char *what)
{
    if (value.length >= size)
        return reader_fail(r, value.text, "%s has at most %zu bytes", what, size - 1);
    span_copy(to, value);
    return 0;
}

static int read_between(struct section *s, const struct text_reader *r, struct span value)
{
    const char *dots = NULL;
    for (size_t i = 0; i + 1 < value.length && !dots; i++)
        if (value.text[i] == '.' && value.text[i + 1] == '.')
            dots = value.text + i;
    struct span first = {value.text, dots ? (size_t)(dots - value.text) : 0};
    struct span second = {dots ? dots + 2 : value.text, 0};
    second.length = (size_t)(value.text + value.length - second.text);
    first = span_trimmed(first);
    second = span_trimmed(second);
    if (!dots || !first.length || !second.length)
        return reader_fail(r, value.text,
                           "two parts of the data path are expected, as cupel probe --path names "
                           "them, as in between = nvme0..0000:00:1c.0");
    if (first.length == second.length && !memcmp(first.text, second.text, first.length))
        return reader_fail(r, second.text, "both ends are the same part");
    return read_text(r, first, s->now->ends[0], sizeof s->now->ends[0], "the name of a part") ||
                   read_text(r, second, s->now->ends[1], sizeof s->now->ends[1],
                             "the name of a part")
               ? -1
               : 0;
}

static int read_number(const struct text_reader *r, struct span value, const char *what,
                       double *number)
{
    if (number_parse(value.text, value.length, number) == NUMBER_OK && *number > 0 &&
        isfinite(*number))
        return 0;
    return reader_fail(r, value.text, "%s is a number above 0", what);
}

static const struct limit_unit {
    const char *name;
    double factor;
    bool bytes;
} limit_units[] = {{"", 1, false},
                   {"k", 1e3, false},
                   {"M", 1e6, false},
                   {"G", 1e9, false},
                   {"%", 0.01, false},
                   {"B/s", 1, true},
                   {"kB/s", 1e3, true},
                   {"MB/s", 1e6, true},
                   {"GB/s", 1e9, true},
                   {"TB/s", 1e12, true},
                   {"KiB/s", 0x1p10, true},
                   {"MiB/s", 0x1p20, true},
                   {"GiB/s", 0x1p30, true},
                   {"TiB/s", 0x1p40, true},
                   {"kbit/s", 1e3 / 8, true},
                   {"Mbit/s", 1e6 / 8, true},
                   {"Gbit/s", 1e9 / 8, true}};

static int read_limit(struct section *s, const struct text_reader *r, struct span value)
{
    struct span number = {value.text, 0};
    while (number.length < value.length && strchr("0123456789.+-eE", value.text[number.length]))
        number.length++;
    struct span unit = {value.text + number.length, value.length - number.length};
    unit = span_trimmed(unit);
    s->limit_line = r->number;
    s->limit_column = reader_column(r, value.text);
    for (size_t i = 0; i < sizeof limit_units / sizeof *limit_units; i++) {
        if (!span_is(unit, limit_units[i].name))
            continue;
        s->now->bytes = limit_units[i].bytes;
        if (read_number(r, number, "a limit", &s->now->limit))
            return -1;
        s->now->limit *= limit_units[i].factor;
        return 0;
    }
    return reader_fail(r, unit.text,
                       "a unit is B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, kbit/s, "
                       "Mbit/s or Gbit/s, or k, M, G or %% of another unit, " EXAMPLE);
}

static int read_source(struct section *s, const struct text_reader *r, struct span value,
                       bool grows, bool is_command)
{
    struct component *c = s->now;
    if (c->source[0])
        return reader_fail(r, value.text,
                           "a component has one of counter, level, counter_command and "
                           "level_command: give the other one a section of its own");
    if (!is_command && value.text[0] != '/')
        return reader_fail(r, value.text,
                           "a file is given with its whole path, as in counter = "
                           "/sys/class/net/eth0/statistics/rx_bytes");
    c->grows = grows;
    c->is_command = is_command;
    return read_text(r, value, c->source, sizeof c->source, is_command ? "a command" : "a path");
}

static int read_counter(struct section *s, const struct text_reader *r, struct span value)
{
    return read_source(s, r, value, true, false);
}

static int read_level(struct section *s, const struct text_reader *r, struct span value)
{
    return read_source(s, r, value, false, false);
}

static int read_counter_command(struct section *s, const struct text_reader *r, struct span value)
{
    return read_source(s, r, value, true, true);
}

static int read_level_command(struct section *s, const struct text_reader *r, struct span value)
{
    return read_source(s, r, value, false, true);
}

static int read_key(struct section *s, const struct text_reader *r, struct span value)
{
    for (size_t i = 0; i < value.length; i++)
        if (strchr(" \t=,", value.text[i]))
            return reader_fail(r, value.text + i,
                               "a key is one word without blanks, = and ,: as in key = total");
    return read_text(r, value, s->now->key, sizeof s->now->key, "a key");
}

static int read_column(struct section *s, const struct text_reader *r, struct span value)
{
    double number;
    if (number_parse(value.text, value.length, &number) != NUMBER_OK || number < 1 ||
        number > COLUMNS_MAX || number != floor(number))
        return reader_fail(r, value.text, "a column is a whole number from 1 to %d", COLUMNS_MAX);
    s->now->column = (unsigned)number;
    return 0;
}

static int read_scale(struct section *s, const struct text_reader *r, struct span value)
{
    return read_number(r, value, "a scale", &s->now->scale);
}

static int read_unit(struct section *s, const struct text_reader *r, struct span value)
{
    return read_text(r, value, s->now->unit, sizeof s->now->unit, "a unit");
}

static int read_time(const struct text_reader *r, struct span value, double least, double *seconds)
{
    char text[32];
    uint64_t ns = 0;
    bool fits = value.length < sizeof text;
    if (fits)
        span_copy(text, value);
    if (fits && !parse_time(text, &ns, NULL) && (double)ns >= least * 1e9 &&
        (double)ns <= SECONDS_MAX * 1e9) {
        *seconds = (double)ns * 1e-9;
        return 0;
    }
    return reader_fail(r, value.text, "a time from %g ms to %d s is expected, as in 500ms or 2s",
                       least * 1e3, SECONDS_MAX);
}

static int read_every(struct section *s, const struct text_reader *r, struct span value)
{
    return read_time(r, value, EVERY_SECONDS_MIN, &s->now->every_seconds);
}

static int read_timeout(struct section *s, const struct text_reader *r, struct span value)
{
    return read_time(r, value, 0.001, &s->now->timeout_seconds);
}

/* ---- lines ---- */

static const struct component_key {
    const char *name;
    int (*read)(struct section *s, const struct text_reader *r, struct span value);
    const char *example;
} component_keys[] = {
    {"between", read_between, "between = nvme0..0000:00:1c.0"},
    {"limit", read_limit, "limit = 12 GB/s"},
    {"counter", read_counter, "counter = /sys/class/net/eth0/statistics/rx_bytes"},
    {"level", read_level, "level = /sys/block/sda/inflight"},
    {"counter_command", read_counter_command, "counter_command = hba-counters --bytes"},
    {"level_command", read_level_command, "level_command = hba-counters --queue"},
    {"key", read_key, "key = total"},
    {"column", read_column, "column = 3"},
    {"scale", read_scale, "scale = 512"},
    {"unit", read_unit, "unit = bytes"},
    {"every", read_every, "every = 1s"},
    {"timeout", read_timeout, "timeout = 500ms"},
};
enum { KEYS = sizeof component_keys / sizeof *component_keys };

/* Reports an error about the whole section, which began above this line. */
static int fail_section(const struct section *s, const struct text_reader *r, const char *message)
{
    reader_fail(r, r->line.text, "component %s: %s", s->now->name, message);
    r->fault->line = s->now->line;
    r->fault->column = 1;
    return -1;
}

/* Ends a section: makes the checks that concern several keys of the section. */
static int finish_section(struct section *s, const struct text_reader *r)
{
    struct component *c = s->now;
    if (!c)
        return 0;
    bool said_bytes = !strcmp(c->unit, "bytes");
    if (c->bytes && c->unit[0] && !said_bytes) {
        reader_fail(r, r->line.text, "the limit is in bytes/s, and the unit is %s", c->unit);
        r->fault->line = s->limit_line;
        r->fault->column = s->limit_column;
        return -1;
    }
    if (c->bytes)
        snprintf(c->unit, sizeof c->unit, "bytes");
    c->bytes |= said_bytes && c->grows && c->limit > 0;
    if (!c->every_seconds)
        c->every_seconds = c->is_command ? COMMAND_SECONDS : EVERY_SECONDS;
    if (!c->timeout_seconds)
        c->timeout_seconds = COMMAND_SECONDS;
    if (!c->source[0] && !(c->limit > 0))
        return fail_section(s, r, "it has neither a limit nor a counter, " EXAMPLE);
    if (!c->source[0] && !c->ends[0][0])
        return fail_section(s, r,
                            "beside the path it needs a counter, or between = A..B to be on it");
    if (!c->source[0] && !c->bytes)
        return fail_section(s, r, "without a counter its limit is one of bytes/s, " EXAMPLE);
    return 0;
}

static int begin_section(struct section *s, struct text_reader *r)
{
    struct components *all = s->components;
    struct span head = r->rest;
    if (finish_section(s, r))
        return -1;
    if (head.text[head.length - 1] != ']')
        return reader_fail(r, head.text, SECTION_EXPECTED ": the ] is missing");
    char by;
    r->rest = span_trimmed((struct span){head.text + 1, head.length - 2});
    struct span word = reader_piece(r, " \t", &by);
    if (!span_is(word, "component"))
        return reader_fail(r, word.text, SECTION_EXPECTED ": there are no other sections");
    struct span name = span_trimmed(r->rest);
    if (!name.length || name.length >= sizeof all->list->name)
        return reader_fail(r, name.text, SECTION_EXPECTED ": a name has 1 to %zu bytes",
                           sizeof all->list->name - 1);
    for (size_t i = 0; i < all->count; i++)
        if (span_is(name, all->list[i].name))
            return reader_fail(r, name.text, "line %zu has a component of that name already",
                               all->list[i].line);
    if (all->count == COMPONENTS_MAX)
        return reader_fail(r, head.text, "more than %d components", COMPONENTS_MAX);
    s->now = &all->list[all->count++];
    *s->now = (struct component){.line = r->number, .limit = NAN, .column = 1, .scale = 1};
    span_copy(s->now->name, name);
    s->seen = 0;
    return 0;
}

static int read_setting(struct section *s, struct text_reader *r)
{
    char by, typed[32];
    const char *offer = NULL;
    struct span word = span_trimmed(reader_piece(r, "=", &by));
    struct span value = span_trimmed(r->rest);
    span_printable(typed, sizeof typed, word);
    size_t row = 0;
    while (row < KEYS && !span_is(word, component_keys[row].name))
        nearest_offer(typed, component_keys[row++].name, &offer);
    if (row == KEYS && offer)
        return reader_fail(r, word.text, "\"%s\" is no key of a component; is %s meant?", typed,
                           offer);
    if (row == KEYS)
        return reader_fail(r, word.text, "\"%s\" is no key of a component, " EXAMPLE, typed);
    if (!s->now)
        return reader_fail(r, word.text, "%s belongs into a section: " SECTION_EXPECTED, typed);
    if (by != '=' || !value.length)
        return reader_fail(r, value.text, "the value of %s is missing, as in %s", typed,
                           component_keys[row].example);
    if (s->seen & 1u << row)
        return reader_fail(r, word.text, "%s is given twice", typed);
    s->seen |= 1u << row;
    return component_keys[row].read(s, r, value);
}

static int read_line(struct section *s, struct text_reader *r)
{
    if (!span_is_text(r->line))
        return reader_fail(r, r->line.text,
                           "this line is no text (UTF-8 without control characters)");
    r->rest = span_trimmed(without_comment(r->line, true));
    if (!r->rest.length)
        return 0;
    return r->rest.text[0] == '[' ? begin_section(s, r) : read_setting(s, r);
}

int components_parse(struct components *components, const char *source, struct span text,
                     struct err *e)
{
    struct fault fault = {0};
    struct section section = {.components = components};
    struct text_reader lines = reader_of_lines(text, &fault);
    int result = 0;
    components->count = 0;
    snprintf(components->file, sizeof components->file, "%s", source);
    while (!result && reader_next_line(&lines))
        result = read_line(&section, &lines);
    if (!result)
        result = finish_section(&section, &lines);
    if (!result && !components->count)
        result = reader_fail(&lines, lines.line.text, SECTION_EXPECTED);
    if (!result)
        return 0;
    return err_set(e, ERR_USAGE, "%s:%zu:%zu: %s", source, fault.line ? fault.line : 1,
                   fault.column, fault.message);
}

/* ---- the file ---- */

/* Checks who may write the file: commands in it run with the rights of the user who runs cupel. */
static int check_file(int fd, const char *file, struct err *e)
{
    struct stat s;
    if (fd < 0 || fstat(fd, &s))
        return err_set(e, ERR_USAGE, "%s: %s", file, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return err_set(e, ERR_USAGE, "%s: a file of components is a regular file", file);
    if (s.st_size >= FILE_BYTES_MAX)
        return err_set(e, ERR_USAGE, "%s: it is longer than 1 MiB", file);
    if (geteuid() || (!s.st_uid && !(s.st_mode & (S_IWGRP | S_IWOTH))))
        return 0;
    return err_set(e, ERR_UNSAFE,
                   "%s: others than root can write it, and root would run its commands; look "
                   "through it, then: chown root %s; chmod go-w %s",
                   file, file, file);
}

/* Reads the file through the descriptor that was checked, since its name may refer to another file
   by now. */
static int read_checked(struct components *components, const char *file, int fd, char *text,
                        struct err *e)
{
    size_t length = 0;
    ssize_t got = 0;
    if (check_file(fd, file, e))
        return -1;
    do {
        got = read(fd, text + length, FILE_BYTES_MAX - length);
        length += got > 0 ? (size_t)got : 0;
    } while (got > 0 && length < FILE_BYTES_MAX);
    if (got < 0)
        return err_set(e, ERR_USAGE, "%s: %s", file, strerror(errno));
    return components_parse(components, file, (struct span){text, length}, e);
}

int components_load(struct components *components, const char *file, struct err *e)
{
    char *text = malloc(FILE_BYTES_MAX);
    if (!text)
        return err_no_memory(e, "reading %s", file);
    int fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int result = read_checked(components, file, fd, text, e);
    if (fd >= 0)
        close(fd);
    free(text);
    return result;
}
