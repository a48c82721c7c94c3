/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVMe commands that a section sends instead of writes. */
#include <string.h>

#include "fio/job/internal.h"
#include "source/generator/workload_spec_text.h"

int section_make_write_modes(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_WRITE_MODE];
    struct stream_spec stream;
    struct err why;
    if (!at)
        return 0;
    if (section_need_value(s, at, e))
        return -1;
    if (!strcmp(at->value, "zone_append")) {
        section_cannot(s, at, "write_mode=zone_append: zones are written at their write pointers");
        return 0;
    }
    if (write_modes_parse(at->value, &stream, &why))
        return section_refuse(s, at, e, "write_mode: %s", why.msg);
    if (!s->stream.past_block_layer)
        section_cannot(s, at, "write_mode: of io_uring_cmd alone");
    else if (s->stream.writes && strcmp(at->value, "write") != 0)
        section_word(s, "--%s=%s", fio_key_name(FIO_KEY_WRITE_MODE), at->value);
    return 0;
}
