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
 *   hw/          what this machine is: inventory, limits, data path  includes base, tables
 *   src/run/     plan -> workers -> rounds -> stop rule; record      includes all of the above
 *   src/report/  a finished result as text, CSV, JSON                includes base, tables
 *   src/cmd/     this file, and one file per command                 includes everything
 *
 * How one completion becomes a line of the report:
 *
 *   1. The backend (src/io) writes a 24-byte completion record into the worker's ring.
 *   2. The worker (src/run/pump.c), the only hot loop, fills the slot with the next request, and
 *      counts the records block by block into time slices and histograms.
 *   3. The collector (src/run/collector.c) sums the workers' intervals into batches, which go into
 *      the record file and the measurement (src/run/measurement.c).
 *   4. judge() (src/stat/judge.c) sees the whole series: change points -> stable segment ->
 *      autocorrelation -> interval -> enough? It sizes the next round or ends the session.
 *   5. session_result() (src/run/summary.c) fills the rows of tables/metrics.h, and a sink of
 *      src/report prints them.
 *
 * Beside it, a row of hw/probers.c looks at each kind of hardware and fills the inventory
 * (src/base/inventory.h); data_path_find() follows the target through it; the monitor samples the
 * path's parts between batches (src/run/session_watch.c), and 5 names what was the bottleneck.
 *
 * `probe` prints the inventory. `analyze` enters at 4 with a column of numbers; `report` reads a
 * record and does 4 and 5 again.
 *
 * Below, main finds the command in an array, has its options read, runs it, and alone prints the
 * error and chooses the exit status.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/span.h"
#include "base/version.h"
#include "cmd/command.h"
#include "cmd/help.h"

static int print_text(void (*fill)(struct text *), FILE *stream, struct err *e)
{
    struct text out = {0};
    fill(&out);
    int status = out.failed ? err_set(e, ERR_MACHINE, "there is no memory left") : 0;
    if (!out.failed)
        fwrite(out.data, 1, out.length, stream);
    text_free(&out);
    return status;
}

static int print_command_help(const struct command *c, struct err *e)
{
    struct text out = {0};
    help_command(c, PAGE_PLAIN, &out);
    int status = out.failed ? err_set(e, ERR_MACHINE, "there is no memory left") : 0;
    if (!out.failed)
        fwrite(out.data, 1, out.length, stdout);
    text_free(&out);
    return status;
}

static int check_operands(const struct command *c, size_t count, struct err *e)
{
    if (count < c->least_operands)
        return err_set(e, ERR_USAGE, "%s is missing; usage: cupel %s %s [options]", c->operands,
                       c->name, c->operands);
    if (count > c->most_operands)
        return err_set(e, ERR_USAGE, "too many names; usage: cupel %s %s [options]", c->name,
                       c->operands);
    return 0;
}

static int run_command(const struct command *c, char *const arguments[], int count, struct err *e)
{
    struct option_set set;
    if (options_scan(&set, c->options, arguments, count, e))
        return -1;
    if (set.help)
        return print_command_help(c, e);
    if (check_operands(c, set.operand_count, e))
        return -1;
    return c->run(&set, e);
}

/* No command: an overview for a person, an error for a script. */
static int no_command(struct err *e)
{
    if (isatty(STDOUT_FILENO))
        return print_text(help_overview, stdout, e);
    return err_set(e, ERR_USAGE,
                   "a command is missing; usage: cupel COMMAND [options]; cupel help "
                   "lists the commands");
}

static int print_version(void)
{
    printf("cupel %s\nLicence %s\n", cupel_version, cupel_licence);
    return ERR_NONE;
}

static int dispatch(int argc, char *argv[], const struct command **command, struct err *e)
{
    if (argc < 2)
        return no_command(e);
    const char *word = argv[1];
    if (!strcmp(word, "--version") || !strcmp(word, "-V"))
        return print_version();
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        return print_text(help_overview, stdout, e);
    *command = command_find(word);
    if (!*command && word[0] == '-')
        return err_set(e, ERR_USAGE,
                       "unknown option %.60s; a command comes first: cupel help lists "
                       "them",
                       word);
    if (!*command)
        return command_unknown(word, e);
    return run_command(*command, argv + 2, argc - 2, e);
}

/* One line, whatever bytes a file name brought into it. */
static void print_error(const struct command *command, const char *message)
{
    char line[sizeof((struct err *)0)->msg + 64], shown[sizeof line];
    snprintf(line, sizeof line, "cupel%s%s: %s", command ? " " : "", command ? command->name : "",
             message);
    fprintf(stderr, "%s\n", span_printable(shown, sizeof shown, span_of(line)));
}

/* A result that did not reach its reader is a failure, whatever was measured. */
static int check_output(struct err *e)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return err_set(e, ERR_TARGET, "standard output: %s; the result is not complete there",
                   errno ? strerror(errno) : "it could not be written");
}

int main(int argc, char *argv[])
{
    const struct command *command = NULL;
    struct err e = {0};
    /* A closed pipe and a limit on file sizes must end as a failed write with its message, not as a
       silent death. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);

    int status = dispatch(argc, argv, &command, &e);
    struct err unwritten = {0};
    bool written = check_output(&unwritten) == 0;
    if (status < 0) {
        print_error(command, e.msg);
        status = e.code;
    }
    if (!written) {
        print_error(command, unwritten.msg);
        status = unwritten.code;
    }
    return status;
}
