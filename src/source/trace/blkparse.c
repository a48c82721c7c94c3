/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text that blkparse writes: "major,minor cpu sequence seconds pid action rwbs sector +
 * sectors [program]" with blanks, or the same fields between commas. The summary at its end is
 * skipped.
 */
#include "source/trace/internal.h"

#include <string.h>

#define SECTOR 512

struct state {
    bool summing; /* the reader is in the summary, or in other lines that are not single events */
};

struct parts {
    uint64_t major, minor, cpu, sequence, time_ns, process, sector, sectors;
    struct span action, rwbs;
    bool failed;
};

static bool is_separator(char c)
{
    return scan_is_blank(c) || c == ',';
}

static const char *skip_separators(const char *p, const char *end)
{
    while (p < end && is_separator(*p))
        p++;
    return p;
}

static struct span take_word(const char **p, const char *end)
{
    *p = skip_separators(*p, end);
    const char *begin = *p;
    while (*p < end && !is_separator(**p))
        (*p)++;
    return (struct span){begin, (size_t)(*p - begin)};
}

static bool take_number(const char **p, const char *end, const char *name, bool seconds,
                        uint64_t *value, struct line_skip *skip)
{
    *p = skip_separators(*p, end);
    const char *begin = *p;
    enum scan_status status = seconds ? scan_seconds(p, end, value) : scan_whole(p, end, value);
    if (status == SCAN_OK && (*p == end || is_separator(**p)))
        return true;
    *p = begin;
    struct span word = take_word(p, end);
    return status == SCAN_LARGE
               ? set_line_skip(skip, TRACE_SKIP_RANGE, name, word, "is too large")
               : set_line_skip(skip, TRACE_SKIP_MALFORMED, name, word, "is no number");
}

/* Reads the fields at the beginning of every line. */
static bool take_head(const char **p, const char *end, struct parts *parts, struct line_skip *skip)
{
    if (!take_number(p, end, "the major number", false, &parts->major, skip) ||
        !take_number(p, end, "the minor number", false, &parts->minor, skip) ||
        !take_number(p, end, "the processor", false, &parts->cpu, skip) ||
        !take_number(p, end, "the sequence number", false, &parts->sequence, skip) ||
        !take_number(p, end, "the time", true, &parts->time_ns, skip) ||
        !take_number(p, end, "the process", false, &parts->process, skip))
        return false;
    parts->action = take_word(p, end);
    if (parts->action.length == 0)
        return set_line_skip(skip, TRACE_SKIP_MALFORMED, "the action", parts->action, "");
    return true;
}

/* Reads "sector + sectors", "sector,sectors", or nothing if the line has none. */
static bool take_range(const char **p, const char *end, struct parts *parts, struct line_skip *skip)
{
    *p = skip_separators(*p, end);
    if (*p == end || !scan_is_digit(**p))
        return *p == end || **p == '[' || **p == '(' ||
               set_line_skip(skip, TRACE_SKIP_MALFORMED, "the sector", take_word(p, end),
                             "is no number");
    if (!take_number(p, end, "the sector", false, &parts->sector, skip))
        return false;
    *p = skip_separators(*p, end);
    if (*p < end && **p == '+')
        (*p)++;
    else if (*p == end || !scan_is_digit(**p))
        return true;
    return take_number(p, end, "the number of sectors", false, &parts->sectors, skip);
}

/* Reads the kernel's letters for a request: an F if a flush precedes it, the operation, an F for
   FUA, and hints. */
static bool set_operation(struct trace_event *event, struct span rwbs)
{
    size_t i = 0;
    bool flush = rwbs.length && rwbs.text[0] == 'F';
    i += flush;
    switch (i < rwbs.length ? rwbs.text[i] : '\0') {
    case 'R':
        event->op = OPERATION_READ;
        break;
    case 'W':
        event->op = OPERATION_WRITE;
        break;
    case 'D':
        event->op = OPERATION_TRIM;
        break;
    default:
        if (!flush)
            return false;
        event->op = OPERATION_SYNC;
    }
    event->durable = i < rwbs.length && memchr(rwbs.text + i + 1, 'F', rwbs.length - i - 1) != NULL;
    if (event->length == 0 && flush)
        event->op = OPERATION_SYNC;
    else if (flush && event->op == OPERATION_WRITE)
        event->response_ns |= MATCH_FLUSH_FIRST;
    return true;
}

static enum line_kind finish_event(struct line_reader *r, const struct parts *parts,
                                   struct trace_event *event, struct line_skip *skip)
{
    static const struct span nothing = {"", 0};
    event->response_ns = *parts->action.text == 'C'   ? MATCH_COMPLETE
                         : *parts->action.text == 'D' ? MATCH_ISSUE
                                                      : MATCH_QUEUE;
    if (parts->sector > INT64_MAX / SECTOR || parts->sectors > UINT32_MAX / SECTOR ||
        parts->process > UINT32_MAX) {
        set_line_skip(skip, TRACE_SKIP_RANGE, "the sector, their number or the process", nothing,
                      "is too large");
        return LINE_FAULT;
    }
    event->time_ns = parts->time_ns;
    event->offset = parts->sector * SECTOR;
    event->length = (uint32_t)(parts->sectors * SECTOR);
    event->process = (uint32_t)parts->process;
    event->failed = parts->failed;
    if (!set_operation(event, parts->rwbs))
        return LINE_NOTHING; /* a command to the device that neither reads nor writes */
    bool stage_of_flush = event->length == 0 && event->response_ns != MATCH_QUEUE;
    if (stage_of_flush)
        event->op = OPERATION_SYNC;
    if (event->op == OPERATION_SYNC)
        event->offset = event->length = 0;
    if (!trace_event_fits(event, skip))
        return LINE_FAULT;
    if (!r->devices)
        return LINE_EVENT;
    int device = devices_find_number(r->devices, parts->major, parts->minor);
    if (device < 0) {
        set_line_skip(skip, TRACE_SKIP_DEVICES, "the device", parts->action, "is new");
        return LINE_FAULT;
    }
    event->device = (uint16_t)device;
    return LINE_EVENT;
}

static bool is_one_of(char c, const char *letters)
{
    return c != '\0' && strchr(letters, c) != NULL;
}

static enum line_kind blkparse_line(struct line_reader *r, struct span line,
                                    struct trace_event *event, struct line_skip *skip)
{
    struct state *state = r->state;
    struct parts parts = {0};
    const char *p = line.text, *end = line.text + line.length;
    *event = (struct trace_event){0};
    static const char *const sums[] = {"Inp", "CPU",
                                       /* begin lines of the summary: "Input file ...", "CPU0
                                          (8,0):", "Total (8,0):" */
                                       "Tot"};
    for (size_t i = 0; state && i < sizeof sums / sizeof *sums; i++)
        if (line.length > 3 && memcmp(line.text, sums[i], 3) == 0)
            state->summing = true;
    if (!take_head(&p, end, &parts, skip))
        return state && state->summing ? LINE_NOTHING : LINE_FAULT;
    if (state)
        state->summing = false;
    const struct span action = parts.action;
    if (action.length != 1 || !is_one_of(*action.text, "QDC")) {
        /*
         * Actions that are skipped: merges, plugs, remaps and others; UT is an unplug by a timer.
         */
        if (action.length == 1 ? is_one_of(*action.text, "ABFGIMPRSTUWXm") : span_is(action, "UT"))
            return LINE_NOTHING;
        set_line_skip(skip, TRACE_SKIP_MALFORMED, "the action", action, "is not known");
        return LINE_FAULT;
    }
    parts.rwbs = take_word(&p, end);
    if (parts.rwbs.length == 0) {
        set_line_skip(skip, TRACE_SKIP_MALFORMED, "the operation", parts.rwbs, "");
        return LINE_FAULT;
    }
    if (!take_range(&p, end, &parts, skip))
        return LINE_FAULT;
    /* A completion ends with its error, "[0]". */
    const char *error = end;
    while (error > p && error[-1] != '[')
        error--;
    parts.failed = *action.text == 'C' && error > p && error < end &&
                   (*error == '-' || scan_is_digit(*error)) && *error != '0';
    return finish_event(r, &parts, event, skip);
}

const struct trace_format trace_format_blkparse = {.name = "blkparse",
                                                   .title = "blkparse text",
                                                   .state_bytes = sizeof(struct state),
                                                   .line = blkparse_line,
                                                   .matched = true};
