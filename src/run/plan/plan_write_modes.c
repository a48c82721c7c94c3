/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks combinations of commands that are sent as writes (--write_mode) with other options. */
#include "io/io.h"
#include "run/plan/internal.h"
#include "source/generator/workload_spec_text.h"

int plan_check_write_modes(const struct plan *p, struct err *e)
{
    struct stream_spec stream;
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    bool sends_data = false;
    if (!p->write_modes[0])
        return 0;
    if (write_modes_parse(p->write_modes, &stream, e))
        return err_context(e, "--write_mode %s", p->write_modes);
    if (!ops || !ops->needs_namespace)
        return err_set(e, ERR_USAGE,
                       "--write_mode %s: these are commands of NVMe: name one of its engines, "
                       "nvme-uring or nvme",
                       p->write_modes);
    for (unsigned i = 0; i < stream.split_count; i++)
        sends_data |= request_sends_data(stream.splits[i].kind.command);
    if (plan_shapes_data(p) && !sends_data)
        return err_set(
            e, ERR_USAGE,
            "--write_mode %s: options that shape the data of writes cannot be used with it",
            p->write_modes);
    return 0;
}
