/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contains the option, the rules and the checks for commands that are sent as writes
   (--write_mode). */
#include "io/io.h"
#include "run/plan/internal.h"
#include "source/generator/workload_spec_text.h"

/* clang-format off */
const struct option_row plan_fields_write_modes[] = {
    {FIELD(TEXT, write_modes), OPTION(WORKLOAD, "write_mode", "LIST"), .value_words = "write",
     .help = "What the NVMe engines and sg send as writes: write, zeroes (Write Zeroes, WRITE SAME), uncor (Write Uncorrectable: reads of "
             "these blocks fail until they are written again; NVMe only), verify (the device reads its medium), or shares of them: "
             "write/60:zeroes/40. The latencies of each stand apart in the report."},
    {0},
};

const struct option_rule plan_rules_write_modes[] = {
    NEEDS("write_mode", "@writes", ONLY_READS),
    EXCLUDES("write_mode", "@trims @traced profile mode zonemode", "these commands are sent as the writes of --rw write, "
             "randwrite, rw and randrw"),
    EXCLUDES("write_mode", "verify", "what these commands write carries no stamps"),
    EXCLUDES("write_mode", "cmdprio_percentage cmdprio_bssplit", "commands of NVMe have no priority"),
    {0},
};
/* clang-format on */

int plan_check_write_modes(const struct plan *p, struct err *e)
{
    struct stream_spec stream;
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    bool sends_data = false;
    if (!p->write_modes[0])
        return 0;
    if (write_modes_parse(p->write_modes, &stream, e))
        return err_context(e, "--write_mode %s", p->write_modes);
    if (!ops || !ops->bypasses_block_layer)
        return err_set(e, ERR_USAGE,
                       "--write_mode %s: these are commands of NVMe and SCSI: name an engine that "
                       "sends them, nvme-uring, nvme or sg",
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
