/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the settings about the data that a section writes. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fio/job/internal.h"

struct written_data {
    uint64_t compress, chunk, dedupe, working_set; /* percentages; `chunk` in bytes */
    bool zeros, shared, has_set;
};

static int read_data(const struct section_reader *s, struct written_data *d, struct err *e)
{
    const struct fio_setting *chunk = s->given[FIO_KEY_COMPRESS_CHUNK];
    const struct fio_setting *mode = s->given[FIO_KEY_DEDUPE_MODE];
    char shown[64];
    if (section_read_number(s, FIO_KEY_COMPRESS, 100, &d->compress, e) ||
        (chunk && section_read_bytes(s, chunk, chunk->value, &d->chunk, e)) ||
        section_read_number(s, FIO_KEY_DEDUPE, 100, &d->dedupe, e) ||
        section_read_number(s, FIO_KEY_DEDUPE_SET, 100, &d->working_set, e) ||
        section_read_flag(s, FIO_KEY_DEDUPE_GLOBAL, &d->shared, e) ||
        section_read_flag(s, FIO_KEY_ZEROS, &d->zeros, e) ||
        section_need_value(s, s->given[FIO_KEY_PATTERN], e) || section_need_value(s, mode, e))
        return -1;
    d->has_set = mode && !strcmp(mode->value, "working_set");
    return !mode || d->has_set || !strcmp(mode->value, "repeat")
               ? 0
               : section_refuse(s, mode, e, "dedupe_mode is repeat or working_set, not %s",
                                section_printable(shown, mode->value));
}

static void data_word(struct section_reader *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void data_word(struct section_reader *s, const char *format, ...)
{
    size_t used = strlen(s->stream.data);
    va_list list;
    va_start(list, format);
    vsnprintf(s->stream.data + used, sizeof s->stream.data - used, format, list);
    va_end(list);
}

/* Precedence as in fio: zeros have no effect if a share compresses or repeats; the pattern has no
   effect if a share repeats and none compresses. */
int section_make_data(struct section_reader *s, struct err *e)
{
    const struct fio_setting *pattern = s->given[FIO_KEY_PATTERN];
    struct written_data d = {.chunk = 512, .working_set = 5};
    bool writes = s->stream.writes && !(s->stream.mixed && s->stream.reads == 100);
    if (read_data(s, &d, e))
        return -1;
    if (!writes)
        return 0;
    if (d.compress)
        data_word(s, "--%s=%" PRIu64 "\n", fio_key_name(FIO_KEY_COMPRESS), d.compress);
    if (d.compress && d.chunk != 512)
        data_word(s, "--%s=%" PRIu64 "\n", fio_key_name(FIO_KEY_COMPRESS_CHUNK), d.chunk);
    if (d.dedupe)
        data_word(s, "--%s=%" PRIu64 "\n", fio_key_name(FIO_KEY_DEDUPE), d.dedupe);
    if (d.dedupe && d.has_set)
        data_word(s, "--%s=working_set\n--%s=%" PRIu64 "\n", fio_key_name(FIO_KEY_DEDUPE_MODE),
                  fio_key_name(FIO_KEY_DEDUPE_SET), d.working_set);
    if (d.dedupe && d.has_set && !d.shared)
        text_add(&s->session->notes, "dedupe_mode: all jobs share one working set\n");
    if (pattern && (d.compress || !d.dedupe))
        data_word(s, "--%s=%.150s\n", fio_key_name(FIO_KEY_PATTERN), pattern->value);
    else if (d.zeros && !d.compress && !d.dedupe)
        data_word(s, "--%s\n", fio_key_name(FIO_KEY_ZEROS));
    return 0;
}
