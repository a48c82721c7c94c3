/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel: where a newcomer reads first.
 *
 * The house, from the ground up. Who may include whom is checked by ./build.sh check:
 *
 *   tables/      what is true everywhere: metrics, presets, links    includes nothing
 *   src/base/    errors, memory, clock, units, text, results         includes tables
 *   src/stat/    pure statistics: arrays in, structs out             includes base, tables
 *   src/io/      targets and backends: alone issues I/O              includes base, tables
 *   src/trace/   traces of I/O in many formats, as one stream        includes base, tables
 *   src/generator/ what is issued next, and when; profiles           includes base, tables
 *   src/tracepoint/ what the kernel tells of a program's I/O         includes base, tables
 *   hw/          what this machine is: inventory, limits, data path  includes base, tables
 *   src/run/     plan -> workers -> rounds -> stop rule; record      includes all of the above
 *   src/qualify/ is this machine what was paid for?                  includes run and below
 *   src/report/  a finished result as text, CSV, JSON                includes base, tables
 *   src/init/    what process 1 of a machine must do                 includes base, tables
 *   src/cmd/     this file, and one file per command                 includes everything
 *
 * How one completion becomes a line of the report:
 *
 *   1. The backend (src/io) writes a 24-byte completion record into the worker's ring.
 *   2. The worker (src/run/loop/request_loop.c), the only hot loop, fills the slot with the next
 * request, and counts the records block by block into time slices and histograms.
 *   3. The collector (src/run/loop/collector.c) sums the workers' intervals into batches, which go
 * into the record file and the measurement (src/run/measurement/measurement.c).
 *   4. judge() (src/stat/judge.c) sees the whole series: change points -> stable segment ->
 *      autocorrelation -> interval -> enough? It sizes the next round or ends the session.
 *   5. summary_of_contents() (src/run/result/summary.c) fills the rows of tables/metrics.h, and a
 * sink of src/report prints them.
 *
 * Beside it, a row of hw/probers.c looks at each kind of hardware and fills the inventory
 * (src/facts/inventory.h); data_path_find() follows the target through it; the monitor samples the
 * path's parts between batches (src/run/session/session_watch.c), and 5 names what was the
 * bottleneck.
 *
 * Requests that have due times take another loop at 2, src/run/loop/timed_loop.c: it asks a source
 * (generators, src/generator; or a trace, src/replay/replay_source.h) what is due next, waits for
 * the instant, issues, and accounts for how late that was. Phases and traces are measured in one
 * pass (src/run/session/session_timed.c) that is not judged; replay/fidelity.h puts a replay beside
 * its trace.
 *
 * `probe` prints the inventory. `analyze` enters at 4 with a column of numbers; `report` reads a
 * record and does 4 and 5 again.
 *
 * The live image has this program as /init: then there is no command line, and
 * src/cmd/appliance/init.c takes over. Otherwise src/cmd/dispatch.c finds the command in an array,
 * has its options read, runs it, and alone prints the error and chooses the exit status.
 */
#include <signal.h>

#include "cmd/appliance/init.h"
#include "cmd/dispatch.h"

int main(int argc, char *argv[])
{
    /* A closed pipe and a limit on file sizes must end as a failed write with its message, not as a
       silent death. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (init_is_initial_process(argv[0]))
        init_main();
    return dispatch_command(argc, argv);
}
