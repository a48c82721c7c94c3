/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads fio's iologs, versions 2 and 3. Version 3 has the time in us at the beginning of each line.
 * Version 2 has lines "FILE wait MS": fio waits until that many ms have passed since the beginning
 * (its manual says otherwise) and then issues the following requests all at once.
 */
#include "source/trace/internal.h"

#include <string.h>

#define MARK   "fio version "
#define NS_US  1000u
#define NS_MS  1000000u
#define FIELDS 5

struct state {
    unsigned version;
    uint64_t time_ns; /* version 2: time of the last wait */
};

enum action { ACTION_NOTHING, ACTION_WAIT, ACTION_IO, ACTION_SYNC };

static const struct {
    const char *word;
    uint8_t action, op;
} actions[] = {
    {"read", ACTION_IO, OPERATION_READ},
    {"write", ACTION_IO, OPERATION_WRITE},
    {"trim", ACTION_IO, OPERATION_TRIM},
    {"wait", ACTION_WAIT, 0},
    {"sync", ACTION_SYNC, OPERATION_SYNC},
    {"datasync", ACTION_SYNC, OPERATION_SYNC},
    {"sync_file_range", ACTION_SYNC, OPERATION_SYNC},
    {"add", ACTION_NOTHING, 0},
    {"open", ACTION_NOTHING, 0},
    {"close", ACTION_NOTHING, 0},
};
#define ACTIONS (sizeof actions / sizeof *actions)

/* The words of one line. */
struct words {
    struct span word[FIELDS];
    size_t count, next;
};

static struct span next_word(struct words *w)
{
    return w->next < w->count ? w->word[w->next++] : (struct span){"", 0};
}

static bool take_number(struct words *w, const char *name, uint64_t unit, uint64_t max,
                        uint64_t *value, struct line_skip *skip)
{
    struct span word = next_word(w);
    const char *p = word.text, *end = p + word.length;
    enum scan_status status = scan_whole(&p, end, value);
    if (status == SCAN_NONE || (status == SCAN_OK && p != end))
        return set_line_skip(skip, TRACE_SKIP_MALFORMED, name, word, "is no number");
    if (status == SCAN_LARGE || __builtin_mul_overflow(*value, unit, value) || *value > max)
        return set_line_skip(skip, TRACE_SKIP_RANGE, name, word, "is too large");
    return true;
}

static enum line_kind take_event(struct line_reader *r, struct words *w, struct span file,
                                 enum action action, struct trace_event *event,
                                 struct line_skip *skip)
{
    bool whole_file = action == ACTION_SYNC && w->next == w->count;
    uint64_t length = 0;
    if (!whole_file && (!take_number(w, "the offset", 1, INT64_MAX, &event->offset, skip) ||
                        !take_number(w, "the length", 1, UINT32_MAX, &length, skip)))
        return LINE_FAULT;
    event->length = (uint32_t)length;
    if (!trace_event_fits(event, skip))
        return LINE_FAULT;
    int device = devices_find(r->devices, file);
    if (device < 0) {
        set_line_skip(skip, device == DEVICES_LONG ? TRACE_SKIP_RANGE : TRACE_SKIP_DEVICES,
                      "the file", file, device == DEVICES_LONG ? "is too long a name" : "is new");
        return LINE_FAULT;
    }
    event->device = (uint16_t)device;
    return LINE_EVENT;
}

static enum line_kind iolog_line(struct line_reader *r, struct span line, struct trace_event *event,
                                 struct line_skip *skip)
{
    struct state *state = r->state;
    struct words w = {0};
    uint64_t time_ns;
    const char *end = line.text + line.length;
    for (const char *p = scan_blanks(line.text, end); p < end && w.count < FIELDS;
         p = scan_blanks(p, end))
        w.word[w.count++] = scan_word(&p, end);
    *event = (struct trace_event){.response_ns = TRACE_UNKNOWN, .level = TRACE_SYSCALL};
    if (state->version == 3 &&
        !take_number(&w, "the time", NS_US, UINT64_MAX, &event->time_ns, skip))
        return LINE_FAULT;
    struct span file = next_word(&w), word = next_word(&w);
    size_t i = 0;
    while (i < ACTIONS && !span_is(word, actions[i].word))
        i++;
    if (i == ACTIONS) {
        set_line_skip(skip, TRACE_SKIP_MALFORMED, "the action", word, "is not known");
        return LINE_FAULT;
    }
    event->op = actions[i].op & 3;
    if (state->version == 2)
        event->time_ns = state->time_ns;
    switch (actions[i].action) {
    case ACTION_NOTHING:
        return LINE_NOTHING;
    case ACTION_WAIT:
        if (!take_number(&w, "the time", NS_MS, UINT64_MAX, &time_ns, skip))
            return LINE_FAULT;
        if (time_ns > state->time_ns)
            state->time_ns = time_ns;
        return LINE_NOTHING;
    default:
        return take_event(r, &w, file, actions[i].action, event, skip);
    }
}

static int iolog_begin(struct trace *t)
{
    static const char *const titles[] = {"fio iolog version 2", "fio iolog version 3"};
    struct state *state = t->state;
    struct span line = {"", 0};
    if (lines_read(t, &line) < 0)
        return -1;
    const char *p = line.text, *end = p + line.length;
    uint64_t version = 0;
    if (line.length > strlen(MARK) && memcmp(p, MARK, strlen(MARK)) == 0) {
        p += strlen(MARK);
        (void)scan_whole(&p, end, &version);
    }
    if (version != 2 && version != 3)
        return err_set(&t->fault, ERR_USAGE,
                       "%s: its first line is not \"" MARK "2 iolog\", or 3: no other is read",
                       t->inputs->name);
    state->version = (unsigned)version;
    t->title = titles[version - 2];
    return 0;
}

const struct trace_format trace_format_iolog = {.name = "iolog",
                                                .title = "fio iolog",
                                                .mark = MARK,
                                                .state_bytes = sizeof(struct state),
                                                .begin = iolog_begin,
                                                .line = iolog_line};
