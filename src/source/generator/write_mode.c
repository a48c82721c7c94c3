/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the commands of writes and their shares from text. */
#include "source/generator/write_mode.h"

#include <math.h>
#include <string.h>

#include "source/generator/internal.h"

const char *const write_mode_names[WRITE_MODES] = {[WRITE_MODE_ZEROES] = "zeroes",
                                                   [WRITE_MODE_UNCOR] = "uncor",
                                                   [WRITE_MODE_VERIFY] = "verify",
                                                   [WRITE_MODE_WRITE] = "write"};

/* Reads MODE[/PERCENT]. The share is required unless the mode is alone. */
static int read_mode(struct text_reader *w, bool alone, struct priority_split *to)
{
    char by;
    const struct span name = reader_piece(w, "/", &by);
    enum write_mode mode = WRITE_MODE_ZEROES;
    while (mode < WRITE_MODES && !span_is(name, write_mode_names[mode]))
        mode++;
    if (mode == WRITE_MODES)
        return reader_fail(w, name.text, "write, zeroes, uncor or verify is expected");
    *to = (struct priority_split){.op = 1, .share = 100, .value = write_mode_value(mode)};
    if (!by && !alone)
        return reader_fail(w, name.text, "MODE/PERCENT is expected, as in write/60:zeroes/40");
    if (by && words_number(w, w->rest, "a percentage", 0, 100, &to->share))
        return -1;
    to->share /= 100;
    return 0;
}

int words_write_modes(struct text_reader *w, struct stream_spec *stream)
{
    const char *begin = w->rest.text;
    const bool alone = !memchr(begin, ':', w->rest.length);
    double sum = 0;
    stream->split_count = 0;
    for (char by = ':'; by == ':';) {
        struct text_reader one = *w;
        one.rest = reader_piece(w, ":", &by);
        const char *at = one.rest.text;
        struct priority_split *split = &stream->splits[stream->split_count];
        if (read_mode(&one, alone, split))
            return -1;
        for (unsigned i = 0; i < stream->split_count; i++)
            if (stream->splits[i].value == split->value)
                return reader_fail(w, at, "this command stands there twice");
        sum += split->share;
        stream->split_count += split->share > 0;
    }
    return fabs(sum - 1) < 1e-9
               ? 0
               : reader_fail(w, begin, "the shares make %.6g %%, not 100 %%", 100 * sum);
}
