/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel: the file that a newcomer reads first.
 *
 * The folders, from the lowest layer up. tests/check/rooms lists which folder may include which
 * other ones, and ./build.sh check enforces this:
 *
 *   tables/          what is true everywhere: metrics, presets, links
 *   src/base/        errors, memory, clock, units, text
 *   src/facts/       structs that several folders use: inventory, result, qualification
 *   src/stat/        pure statistics: arrays in, structs out
 *   src/io/          targets and backends: the only code that issues I/O; checks of data
 *   src/source/      the sources of requests: generators, traces of many formats
 *   hw/              what this machine is: inventory, limits, data path
 *   src/run/         sessions: plan -> workers -> rounds -> stop rule; record files; replays
 *   src/program/     other people's programs: measured, or their I/O observed
 *   src/many/        several runs: repeated, together, compared, swept, merged
 *   src/machine/     qualification of machines, acceptance of new drives
 *   src/fio/         fio's JSON and job files
 *   src/report/      a finished result as text, HTML, CSV, JSON
 *   src/certificate/ signatures, signed pages
 *   src/library/     what include/cupel.h declares
 *   src/cmd/         this file, and a file or a folder per command
 *   src/appliance/   the live image: process 1, console, menu
 *
 * How one completion becomes a line of the report:
 *
 *   1. The backend (src/io) writes a 24-byte completion record into the worker's ring.
 *   2. The worker (src/run/loop/request_loop.c), the hot loop, fills the slot with the next request
 *      and counts the records block by block into time slices and histograms.
 *   3. The collector (src/run/loop/collector.c) sums the workers' intervals into batches, which go
 *      into the record file and the measurement (src/run/measurement/measurement.c).
 *   4. judge() (src/stat/judge.c) analyses the whole series: change points -> stable segment ->
 *      autocorrelation -> interval. Then it sets the length of the next round, or the session ends.
 *   5. summary_of_contents() (src/run/result/summary.c) fills the rows of tables/metrics.h, and a
 *      sink of src/report prints them.
 *
 * Independently, each row of hw/probers.h examines one kind of hardware and fills the inventory
 * (src/facts/inventory.h). data_path_find() finds the parts between the target and the processor in
 * it. The monitor samples these parts between batches (src/run/parts/machine_watch.c), and step 5
 * names the bottleneck (src/run/watch/bottleneck.c).
 *
 * For requests that have due times, step 2 is another loop, src/run/loop/timed_loop.c: it asks a
 * source (generators, src/source/generator; or a trace, src/run/replay/replay_source.h) what is due
 * next, waits until then, issues it, and records how late that was. Phases and traces are measured
 * in one pass (src/run/session/session_rounds.c) that is not judged. run/replay/fidelity.h compares
 * a replay with its trace.
 *
 * `probe` prints the inventory. `analyze` begins at step 4 with a column of numbers; `report`
 * reads a record and does steps 4 and 5 again.
 *
 * The live image has this program as /init: then there is no command line, and
 * src/appliance/menu/init.c takes over. Otherwise src/cmd/dispatch.c finds the command in the list
 * of src/cmd/commands.c, has its options read, runs it, prints the error and chooses the exit
 * status.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "appliance/menu/init.h"
#include "cmd/dispatch.h"

/* No frame is above 40 KiB (build.sh checks this); the deepest chain of calls takes 150 KiB. */
#define STACK_KIB  240
#define TEXT(x)    #x
#define TEXT_OF(x) TEXT(x)

/* Returns true if enough of the stack is left for any command. The arguments and the environment
   are at its upper end; the program's name is the highest of them. */
static bool stack_suffices(void)
{
    struct rlimit limit;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const uintptr_t top = getauxval(AT_EXECFN);
    return !top || getrlimit(RLIMIT_STACK, &limit) ||
           limit.rlim_cur >= (rlim_t)(top - here) + ((rlim_t)STACK_KIB << 10);
}

/* Ends the program if the stack is too small. Calls no library function that needs much stack
   itself. */
static void require_stack(void)
{
    static const char message[] = "cupel: the limit of the stack leaves less than the " TEXT_OF(
        STACK_KIB) " KiB that are needed: ulimit -s 1024\n";
    if (stack_suffices())
        return;
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    _exit(ERR_MACHINE);
}

/* Opens the root folder on the file descriptors of closed standard streams. Otherwise a file that
   is opened later would get such a descriptor, and messages would be written into that file. The
   root folder exists in any jail and, opened with O_PATH, can be neither read nor written, like a
   closed stream. */
static void keep_places_of_streams(void)
{
    static const char message[] =
        "cupel: a standard stream is closed, and nothing can be opened in "
        "its place (ulimit -n)\n";
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH | O_DIRECTORY) < 0) {
            ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
            (void)written;
            _exit(ERR_MACHINE);
        }
}

int main(int argc, char *argv[])
{
    require_stack();
    /* A closed pipe or a limit on file sizes must make a write fail, which is reported, instead of
       killing the program without a message. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (init_is_initial_process(argv[0]))
        init_main();
    keep_places_of_streams();
    return dispatch_command(argc, argv);
}
