/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers for formats that hold sums of whole runs, and several sources in one text. */
#include "many/merge/internal.h"

#include <string.h>

#include "source/trace/input.h"

#define BUFFER_BYTES (1 << 20)
#define TEXT_MAX     ((size_t)1 << 30)
#define SECOND_NS    UINT64_C(1000000000)
#define SECONDS_MAX  UINT64_C(4500000000) /* year 2112; the sum of four fits 64 bits in ns */

int merge_read_text(struct merge *m, const char *path, struct text *text, struct err *e)
{
    struct input in;
    int status = input_open(&in, path, BUFFER_BYTES, e);
    while (!status && (status = input_fill(&in, 1, e)) == 0 && input_left(&in) > 0) {
        text_add_bytes(text, (const char *)input_bytes(&in), input_left(&in));
        input_take(&in, input_left(&in));
        if (text->failed)
            status = err_no_memory(e, "reading %s", path);
        else if (text->length > TEXT_MAX)
            status = err_set(e, ERR_USAGE, "%s: it has more than 1 GiB: no sums of a run", path);
    }
    if (!status && in.broken)
        merge_current(m)->cut_short = true;
    input_close(&in);
    return status;
}

static struct span without_blanks(struct span s)
{
    size_t blanks = 0;
    while (blanks < s.length && (s.text[blanks] == ' ' || s.text[blanks] == '\t'))
        blanks++;
    return (struct span){s.text + blanks, s.length - blanks};
}

/* Reads the digits at the beginning of a text, and returns their number; 0: the value is too large.
 */
static size_t digits_at(struct span s, uint64_t *value)
{
    size_t i = 0;
    *value = 0;
    for (; i < s.length && (unsigned)(s.text[i] - '0') <= 9; i++)
        if (__builtin_mul_overflow(*value, 10u, value) ||
            __builtin_add_overflow(*value, (unsigned)(s.text[i] - '0'), value))
            return 0;
    return i;
}

bool merge_take_whole(struct span *rest, uint64_t *value)
{
    const struct span s = without_blanks(*rest);
    const size_t digits = digits_at(s, value);
    *rest = without_blanks((struct span){s.text + digits, s.length - digits});
    return digits > 0;
}

bool merge_take_seconds(struct span *rest, uint64_t *ns)
{
    const struct span s = without_blanks(*rest);
    size_t i = digits_at(s, ns);
    if (!i || *ns > SECONDS_MAX)
        return false;
    *ns *= SECOND_NS;
    if (i < s.length && s.text[i] == '.')
        for (uint64_t unit = SECOND_NS / 10; ++i < s.length && (unsigned)(s.text[i] - '0') <= 9;
             unit /= 10)
            *ns += unit * (unsigned)(s.text[i] - '0');
    *rest = without_blanks((struct span){s.text + i, s.length - i});
    return true;
}

int merge_begin_part(struct merge *m, const struct merge_source *file, uint64_t number,
                     struct err *e)
{
    struct merge_source is = *file;
    if (number == 0)
        return 0;
    /* each source of a file gets a separate identity, in the order of the file */
    is.identity[1] += (number + 1) << 48;
    return source_end(m, e) || source_begin(m, &is, e) ? -1 : 0;
}

void merge_note_width(struct merge *m, uint64_t low_ns, uint64_t high_ns)
{
    struct merge_source *s = merge_current(m);
    const double low = (double)low_ns, width = (double)(high_ns - low_ns);
    const double error = low > width ? width / low : 1;
    if (error > s->bin_error)
        s->bin_error = error;
}

int merge_add_sum(struct merge *m, enum operation op, const struct latency_buckets *latency,
                  double sum_ns, struct err *e)
{
    struct merge_latencies add = {.op = op,
                                  .begin_ns = 0,
                                  .end_ns = MERGE_NO_LENGTH_NS,
                                  .sum = {.ios = latency->n},
                                  .latency = *latency};
    merge_current(m)->time = TIME_NONE;
    if (sum_ns > 0 && sum_ns < 0x1p62)
        add.sum.latency_ns = (uint64_t)sum_ns;
    return merge_add_latencies(m, &add, e);
}

bool source_has_length(const struct merge_source *s)
{
    return s->time != TIME_NONE || s->end_ns - s->begin_ns != MERGE_NO_LENGTH_NS;
}
