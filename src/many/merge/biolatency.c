/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms of bcc's biolatency: the text for people, and the dictionaries of -j, which are JSON
 * in new versions and Python in old ones. Each has bins of powers of two, of us unless it says
 * otherwise. There is one for each interval, disk (-D) and set of flags (-F); those of a disk are
 * one source. How long it measured is not stated.
 *
 *          usecs               : count     distribution
 *              0 -> 1          : 0        |        |
 *              2 -> 3          : 17       |********|
 */
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json/json_read.h"

#define SECTIONS_MAX 1000000
#define COUNT_MAX    1000000000000000

/* One histogram. */
struct section {
    struct span disk, flags; /* "": not stated */
    struct span rows;        /* lines of the text, or the array of a dictionary */
    uint64_t unit_ns;
    uint64_t line; /* number of the first row's line, or of the dictionary's */
    bool is_json;
};

struct biolatency {
    struct merge *m;
    const char *path;
    struct section *sections;
    size_t count, capacity;
};

static int add_section(struct biolatency *b, const struct section *add, struct err *e)
{
    if (b->count == SECTIONS_MAX)
        return err_set(e, ERR_USAGE, "%s: it has more than %d histograms", b->path, SECTIONS_MAX);
    if (!array_grow(&b->sections, sizeof *b->sections, b->count, &b->capacity))
        return err_no_memory(e, "the histograms of %s", b->path);
    b->sections[b->count++] = *add;
    return 0;
}

/* Returns the length of the unit "usecs" (or another) in ns; 0: it is no such unit. */
static uint64_t unit_of(struct span word)
{
    return span_is(word, "usecs")   ? 1000
           : span_is(word, "msecs") ? 1000000
           : span_is(word, "nsecs") ? 1
                                    : 0;
}

/* ---- the text ---- */

static struct span take_line(struct span *rest)
{
    const char *end = memchr(rest->text, '\n', rest->length);
    const size_t length = end ? (size_t)(end - rest->text) : rest->length;
    const struct span line = {rest->text, length};
    *rest =
        (struct span){rest->text + length + (end != NULL), rest->length - length - (end != NULL)};
    return span_trimmed(line);
}

/* Returns the value after "NAME = ", without b'' around it; "" when it is not there. */
static struct span value_after(struct span line, const char *name)
{
    const char *at = memmem(line.text, line.length, name, strlen(name));
    const char *end = line.text + line.length;
    if (!at)
        return span_of("");
    at += strlen(name);
    at += end - at > 1 && at[0] == 'b' && at[1] == '\'';
    const bool quoted = at < end && *at == '\'';
    const char *begin = at + quoted;
    for (at = begin; at < end && (quoted ? *at != '\'' : *at != ' ' && *at != '\t'); at++)
        ;
    return (struct span){begin, (size_t)(at - begin)};
}

/* Reads "LOW -> HIGH : COUNT". The bar that is drawn after it is ignored. */
static bool parse_row(struct span line, uint64_t bin[3])
{
    static const char *const after[] = {"->", ":", ""};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(after[i]);
        if (!merge_take_whole(&line, &bin[i]) || line.length < length ||
            memcmp(line.text, after[i], length) != 0)
            return false;
        line = (struct span){line.text + length, line.length - length};
    }
    return !line.length || *line.text == '|';
}

static int find_in_text(struct biolatency *b, struct span text, struct err *e)
{
    struct section now = {.disk = span_of(""), .flags = span_of("")};
    uint64_t number = 0, bin[3];
    for (struct span rest = text; rest.length;) {
        const struct span line = take_line(&rest);
        const char *blank = memchr(line.text, ' ', line.length);
        number++;
        if (!line.length)
            continue;
        const uint64_t unit =
            unit_of((struct span){line.text, blank ? (size_t)(blank - line.text) : line.length});
        if (unit) {
            now = (struct section){.disk = now.disk,
                                   .flags = now.flags,
                                   .rows = rest,
                                   .unit_ns = unit,
                                   .line = number + 1};
            if (add_section(b, &now, e))
                return -1;
            now.disk = now.flags = span_of("");
            continue;
        }
        if (parse_row(line, bin))
            continue;
        struct span disk = value_after(line, "disk = ");
        if (!disk.length)
            disk = value_after(line, "Bucket ptr = ");
        const struct span flags = value_after(line, "flags = ");
        now.disk = disk.length ? disk : now.disk;
        now.flags = flags.length ? flags : now.flags;
    }
    return 0;
}

/* ---- dictionaries ---- */

/* Changes the text of a Python dictionary, with 'names' and b'names', to JSON. */
static void make_json(struct text *text)
{
    for (size_t i = 0; i < text->length; i++) {
        if (text->data[i] != '\'')
            continue;
        text->data[i] = '"';
        if (i > 1 && text->data[i - 1] == 'b' && text->data[i - 2] == ' ')
            text->data[i - 1] = ' ';
    }
}

static struct span text_at(struct span object, const char *place)
{
    struct span found;
    return json_find(object, span_of(place), &found) == JSON_FOUND ? found : span_of("");
}

static int find_in_json(struct biolatency *b, struct span text, struct err *e)
{
    struct span rest = text, object, after;
    uint64_t number = 1;
    for (const char *at; (at = memchr(rest.text, '{', rest.length)) != NULL; rest = after) {
        for (const char *p = rest.text; p < at; p++)
            number += *p == '\n';
        rest = (struct span){at, rest.length - (size_t)(at - rest.text)};
        if (!json_first(rest, &object, &after)) {
            merge_current(b->m)->cut_short = true;
            break;
        }
        struct section add = {.disk = text_at(object, "disk"),
                              .flags = text_at(object, "flags"),
                              .rows = text_at(object, "data"),
                              .unit_ns = unit_of(text_at(object, "val_type")),
                              .line = number,
                              .is_json = true};
        if (!add.disk.length)
            add.disk = text_at(object, "Bucket ptr");
        if (!add.unit_ns)
            return err_set(e, ERR_USAGE,
                           "%s: line %llu: its val_type is neither nsecs, usecs nor "
                           "msecs",
                           b->path, (unsigned long long)number);
        if (add_section(b, &add, e))
            return -1;
        for (const char *p = at; p < after.text; p++)
            number += *p == '\n';
    }
    return 0;
}

/* ---- into the merge ---- */

static int add_bin(struct biolatency *b, const struct section *s, const uint64_t bin[3],
                   uint64_t line, struct err *e)
{
    uint64_t low = 0, high = 0;
    if (bin[1] < bin[0] || __builtin_mul_overflow(bin[0], s->unit_ns, &low) ||
        __builtin_mul_overflow(bin[1], s->unit_ns, &high) || high > INT64_MAX / 2 ||
        bin[2] > COUNT_MAX)
        return err_set(e, ERR_USAGE, "%s: line %llu: a bin from %llu to %llu with %llu I/Os",
                       b->path, (unsigned long long)line, (unsigned long long)bin[0],
                       (unsigned long long)bin[1], (unsigned long long)bin[2]);
    high += s->unit_ns; /* a bin includes its last value, which stands for a whole unit of time */
    if (!bin[2])
        return 0;
    bins_add(b->m, low, high, bin[2]);
    merge_note_width(b->m, low, high);
    return 0;
}

static int add_rows(struct biolatency *b, const struct section *s, struct err *e)
{
    uint64_t bin[3], line = s->line;
    for (struct span rest = s->rows; rest.length; line++) {
        const struct span row = take_line(&rest);
        if (!parse_row(row, bin)) {
            if (memmem(row.text, row.length, "->", 2))
                return err_set(e, ERR_USAGE, "%s: line %llu: it is no LOW -> HIGH : COUNT", b->path,
                               (unsigned long long)line);
            break;
        }
        if (add_bin(b, s, bin, line, e))
            return -1;
    }
    return 0;
}

static int add_elements(struct biolatency *b, const struct section *s, struct err *e)
{
    static const char *const names[] = {"interval-start", "interval-end", "count"};
    struct span ignored, element;
    struct json_walk w = json_walk_of(s->rows);
    while (json_next(&w, &ignored, &element)) {
        uint64_t bin[3];
        for (int i = 0; i < 3; i++) {
            struct span value = text_at(element, names[i]);
            if (!merge_take_whole(&value, &bin[i]) || value.length)
                return err_set(e, ERR_USAGE, "%s: line %llu: %s of a bin is no whole number",
                               b->path, (unsigned long long)s->line, names[i]);
        }
        if (add_bin(b, s, bin, s->line, e))
            return -1;
    }
    return w.broken ? err_set(e, ERR_USAGE, "%s: line %llu: its data cannot be read", b->path,
                              (unsigned long long)s->line)
                    : 0;
}

/* Flags end with the operation: "Sync-Write". */
static enum operation op_of(const struct biolatency *b, struct span flags)
{
    const char *dash = memrchr(flags.text, '-', flags.length);
    const char *begin = dash ? dash + 1 : flags.text;
    const enum operation op =
        operation_of_word((struct span){begin, flags.length - (size_t)(begin - flags.text)});
    if (op < OPERATIONS)
        return op;
    merge_current(b->m)->ops_unknown = true;
    return OPERATION_READ;
}

static bool same(struct span a, struct span b)
{
    return a.length == b.length && !memcmp(a.text, b.text, a.length);
}

/* Adds all histograms of a disk, of which this is the first. */
static int add_disk(struct biolatency *b, size_t first, struct err *e)
{
    const struct span disk = b->sections[first].disk;
    merge_current(b->m)->device = merge_string(b->m, disk.text, disk.length);
    for (size_t i = first; i < b->count; i++) {
        const struct section *s = &b->sections[i];
        if (!same(s->disk, disk))
            continue;
        bins_begin(b->m);
        if (s->is_json ? add_elements(b, s, e) : add_rows(b, s, e))
            return -1; // NOLINT(clang-analyzer-unix.Malloc): read_biolatency frees the sections
        const struct latency_buckets latency = bins_end(b->m);
        if (latency.n && merge_add_sum(b->m, op_of(b, s->flags), &latency, 0, e))
            return -1;
    }
    return 0;
}

static int add_disks(struct biolatency *b, struct err *e)
{
    const struct merge_source file = *merge_current(b->m);
    uint64_t disks = 0;
    for (size_t i = 0; i < b->count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = !same(b->sections[k].disk, b->sections[i].disk);
        if (is_new && (merge_begin_part(b->m, &file, disks++, e) || add_disk(b, i, e)))
            return -1;
    }
    return b->count ? 0 : err_set(e, ERR_USAGE, "%s: it has no histogram", b->path);
}

static int read_biolatency(struct merge *m, const char *path, struct err *e)
{
    struct text text = {0};
    struct biolatency b = {.m = m, .path = path};
    int status = merge_read_text(m, path, &text, e);
    const bool is_json = text.data && memmem(text.data, text.length, "interval-start", 14);
    if (is_json)
        make_json(&text);
    const struct span all = {text.data ? text.data : "", text.length};
    if (!status)
        status = is_json ? find_in_json(&b, all, e) : find_in_text(&b, all, e);
    if (!status)
        status = add_disks(&b, e);
    free(b.sections);
    text_free(&text);
    return status;
}

static bool holds(const char *head, size_t length, const char *words)
{
    return memmem(head, length, words, strlen(words)) != NULL;
}

static bool is_biolatency(const char *path, const char *head, size_t length)
{
    (void)path;
    const bool has_unit = holds(head, length, "usecs") || holds(head, length, "msecs") ||
                          holds(head, length, "nsecs");
    return has_unit && ((holds(head, length, ": count") && holds(head, length, "distribution")) ||
                        holds(head, length, "interval-start"));
}

const struct merge_format merge_format_biolatency = {
    .name = "biolatency histogram", .recognise = is_biolatency, .read = read_biolatency};
