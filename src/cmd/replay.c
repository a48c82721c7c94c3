/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel replay: issue the requests of a trace, each at its own time. The option rows are in
   replay_options.c. */
#include "cmd/internal.h"
#include "cmd/options/command.h"

static int run_replay(const struct option_set *set, struct err *e)
{
    struct replay_options o;
    return replay_options_read(set, &o, e) ? -1 : session_options_run(&o.run, e);
}

static int foresee_replay(const struct option_set *set, struct command_effect *effect,
                          struct err *e)
{
    struct replay_options o;
    return replay_options_read(set, &o, e) ? -1 : session_options_foresee(&o.run, effect, e);
}

const struct command command_replay = {
    .name = "replay",
    .operands = "TRACE [TARGET]",
    .summary = "issue the requests of a trace, each at its own time",
    .description =
        (const char *const[]){
            "Issues the requests of TRACE to TARGET once, from begin to end, each at the instant "
            "that the trace says, and reports how well that was kept, what the target made of it, "
            "and original and replay side by side.",
            "TRACE is a trace of blktrace (binary, also the files of all processors, by their "
            "folder or what their names begin with), the text of blkparse, an iolog of fio, MSR "
            "Cambridge (SNIA), SPC (UMass), Alibaba, Tencent or FIU text, or what cupel record "
            "wrote; - is standard input. Which one it is, and gzip, is found by content. A trace "
            "may be larger than memory.",
            "TARGET is what it is for cupel run: a regular file, a block device, or a folder for a "
            "scratch file. It may be left out with --ioengine null only.",
            "A replay only reads, and issues writes as reads, unless --allow-writes is given. Then "
            "a block device needs --destroy or --destroy-serial and a file that cupel did not make "
            "--overwrite, as with cupel run. Discards are left out always.",
            "Events that cannot be read are left out, counted and named; with --strict they end "
            "the replay.",
            NULL},
    .options = replay_option_rows,
    .examples =
        (const struct help_item[]){
            {"cupel replay mds_0.csv.gz /dev/sdb", "At its own times, read only, on a disk."},
            {"cupel replay sda /dev/sdb --allow-writes --destroy --speed 2x",
             "The files sda.blktrace.0, .1 ... in half the time, with its writes."},
            {"cupel replay app.trace test.dat --closed --map scale",
             "Dependencies kept; addresses scaled to the file's size."},
            {"zstd -dc big.csv.zst | cupel replay - /dev/sdb --speed asap --iodepth 32",
             "From a pipe, as fast as the disk goes with 32 in flight."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Replayed to the trace's end."},
            {"2", "Wrong options, a trace that cannot be read, or a target that does not exist."},
            {"3", "Refused, because data could be lost or nothing would be measured."},
            {"4", "The target failed or filled up, or the result could not be written."},
            {"5", "The limit or a signal came before the end; what was measured is printed."},
            {"6", "This machine, kernel or permission cannot do it."},
            {0}},
    .files =
        (const struct help_item[]){
            {"DIR/record.cupel", "Everything that was measured; cupel report reads it."},
            {"DIR/report.txt", "The report as text."},
            {"DIR/summary.csv, unit_readings.csv, ...", "The same as tables."},
            {0}},
    .min_operands = 1,
    .max_operands = 2,
    .run = run_replay,
    .foresee = foresee_replay,
};
