/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over the parts of a session. */
#include "run/session/part.h"
#include "run/session/running.h"

static size_t room_of(const struct session_part *part)
{
    return (part->bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

size_t session_parts_bytes(const struct session_part *const list[SESSION_PARTS])
{
    size_t bytes = 0;
    for (size_t i = 0; i < SESSION_PARTS; i++)
        bytes += room_of(list[i]);
    return bytes;
}

void session_parts_attach(struct session *s, const struct session_part *const list[SESSION_PARTS],
                          void *memory)
{
    unsigned char *at = memory;
    s->parts = list;
    for (size_t i = 0; i < SESSION_PARTS; at += room_of(list[i++])) {
        s->own[i] = at;
        s->begun[i] = true;
        for (size_t k = 0; k < SESSION_INSTANTS; k++)
            s->begun[i] &= !list[i]->prepare[k];
    }
}

int session_parts_prepare(struct session *s, enum session_instant at, struct err *e)
{
    for (size_t i = 0; i < SESSION_PARTS; i++) {
        if (!s->parts[i]->prepare[at])
            continue;
        s->begun[i] = true;
        if (s->parts[i]->prepare[at](s, e))
            return -1;
    }
    return 0;
}

void session_parts_call(struct session *s, enum session_event on)
{
    SESSION_PARTS_CALL(s, on[on], s);
}

double session_parts_compare_seconds(const struct session *s)
{
    double seconds = 0;
    for (size_t i = 0; i < SESSION_PARTS; i++)
        seconds += s->parts[i]->compare_seconds ? s->parts[i]->compare_seconds(s) : 0;
    return seconds;
}

const char *session_parts_why_once(const struct session *s)
{
    const char *why = NULL;
    for (size_t i = 0; i < SESSION_PARTS && !why; i++)
        why = s->parts[i]->why_once ? s->parts[i]->why_once(s) : NULL;
    return why;
}

static void call(struct session *s, void (*function)(struct session *s))
{
    if (function)
        function(s);
}

void session_parts_end(struct session *s, bool measured)
{
    for (size_t i = SESSION_PARTS; measured && i-- > 0;) {
        const struct session_part *part = s->parts[i];
        if (part->of_workers && s->stuck)
            call(s, part->stuck);
        else if (s->begun[i] && (s->group_started || !part->of_workers))
            call(s, part->after);
    }
    for (size_t i = SESSION_PARTS; i-- > 0;)
        if (s->begun[i] && !(s->parts[i]->of_workers && s->stuck))
            call(s, s->parts[i]->end);
}
