/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads from text which shares of the requests have a different priority or command. */
#include <string.h>

#include "source/generator/internal.h"

/* Reads CLASS[/LEVEL[/HINT]]. */
int words_priority(struct text_reader *w, uint16_t *value)
{
    char by;
    uint64_t level = 0, hint = 0;
    struct span class = reader_piece(w, "/", &by);
    int known = priority_class_named(class.text, class.length);
    if (known < 0)
        return reader_fail(w, class.text,
                           "a class of priorities is expected: rt, be, idle or none");
    if (by && words_whole(w, reader_piece(w, "/", &by), "a level", 0, PRIORITY_LEVEL_MAX, &level))
        return -1;
    if (by && words_whole(w, w->rest, "a hint", 0, PRIORITY_HINT_MAX, &hint))
        return -1;
    if (known == PRIORITY_NONE && (level || hint))
        return reader_fail(w, class.text, "without a class there is no level and no hint");
    *value = priority_value((enum priority_class)known, (unsigned)level, (unsigned)hint);
    return 0;
}

/* Reads SIZE/PERCENT[/CLASS/LEVEL[/HINT]]. */
static int read_split(struct text_reader *w, uint16_t usual, struct request_split *to)
{
    char by;
    uint64_t bytes = 0;
    struct span size = reader_piece(w, "/", &by);
    if (!span_is(size, "any") && words_size(w, size, 512, REQUEST_MAX_BYTES, &bytes))
        return -1;
    if (!by)
        return reader_fail(w, size.text, "SIZE/PERCENT is expected, as in 4k/20 or any/20");
    if (words_number(w, reader_piece(w, "/", &by), "a percentage", 0, 100, &to->share))
        return -1;
    to->share /= 100;
    to->kind.bytes = (uint32_t)bytes;
    to->kind.priority = usual;
    return by ? words_priority(w, &to->kind.priority) : 0;
}

/* Checks the splits of one operation, from index `first` on: the shares for one size must not
   exceed 100 %, and a split for any size excludes splits for single sizes. */
static int check_splits(const struct text_reader *w, const char *at, const struct stream_spec *s,
                        unsigned first)
{
    for (unsigned i = first; i < s->split_count; i++) {
        double share = 0;
        for (unsigned k = first; k < s->split_count; k++) {
            share += s->splits[k].kind.bytes == s->splits[i].kind.bytes ? s->splits[k].share : 0;
            if (!s->splits[k].kind.bytes != !s->splits[i].kind.bytes)
                return reader_fail(w, at, "any and sizes do not go together");
        }
        if (share > 1 + 1e-9)
            return reader_fail(w, at, "the shares of one size make more than 100 %%");
    }
    return 0;
}

/* Reads the splits of one operation. may_be_empty: the text may contain no split, as on one side of
   a comma. */
static int read_splits(struct text_reader *w, unsigned op, uint16_t usual, bool may_be_empty,
                       struct stream_spec *s)
{
    char by = may_be_empty && !w->rest.length ? 0 : ':';
    const char *begin = w->rest.text;
    const unsigned first = s->split_count;
    while (by == ':') {
        struct text_reader one = *w;
        one.rest = reader_piece(w, ":", &by);
        if (s->split_count == REQUEST_SPLITS_MAX)
            return reader_fail(w, one.rest.text, "more than %d shares of requests",
                               REQUEST_SPLITS_MAX);
        struct request_split *split = &s->splits[s->split_count];
        *split = (struct request_split){.kind.command = op ? REQUEST_WRITE : REQUEST_READ};
        if (read_split(&one, usual, split))
            return -1;
        s->split_count += split->share > 0;
    }
    return check_splits(w, begin, s, first);
}

int words_priorities(struct text_reader *w, uint16_t usual, struct stream_spec *stream)
{
    char by;
    struct text_reader reads = *w, writes = *w;
    reads.rest = reader_piece(w, ",", &by);
    if (by)
        writes.rest = w->rest;
    stream->split_count = 0;
    stream->by_command = false;
    return read_splits(&reads, 0, usual, by, stream) || read_splits(&writes, 1, usual, by, stream)
               ? -1
               : 0;
}

/* ---- commands of writes ---- */
