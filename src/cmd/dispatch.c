/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds and runs the command of a command line, and turns its result into a message and an exit
   status. */
#include "cmd/dispatch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/span.h"
#include "base/version.h"
#include "cmd/internal.h"
#include "cmd/options/command.h"
#include "cmd/options/help.h"
#include "cmd/options/options.h"
#include "facts/result.h"

/* Prints the help of a command; NULL: the overview of all commands. */
static int print_help(const struct command *command, struct err *e)
{
    struct text out = {0};
    if (command)
        help_command(command, PAGE_PLAIN, &out);
    else
        help_overview(commands, &out);
    int status = out.failed ? err_no_memory(e, "the help") : 0;
    if (!out.failed)
        fwrite(out.data, 1, out.length, stdout);
    text_free(&out);
    return status;
}

int dispatch_read(struct dispatch *d, int argc, char *const argv[], struct err *e)
{
    *d = (struct dispatch){0};
    const char *word = argc > 1 ? argv[1] : "";
    d->command = command_find(word);
    if (!d->command && word[0] == '-')
        return err_set(e, ERR_USAGE,
                       "unknown option %.60s; a command comes first: cupel help lists "
                       "them",
                       word);
    if (!d->command)
        return command_unknown(word, e);
    if (options_scan(&d->set, d->command->options, argv + 2, argc - 2, e)) {
        if (d->command->explain)
            d->command->explain(argv + 2, argc - 2, e);
        return -1;
    }
    const struct command *c = d->command;
    if (!d->set.help && d->set.operand_count < c->min_operands)
        return err_set(e, ERR_USAGE, "%s is missing; usage: cupel %s %s [options]", c->operands,
                       c->name, c->operands);
    if (!d->set.help && d->set.operand_count > OPERANDS_MAX && c->max_operands == OPERANDS_MAX)
        return err_set(e, ERR_USAGE,
                       "more than %d names on the command line: give folders that hold them",
                       OPERANDS_MAX);
    if (!d->set.help && d->set.operand_count > c->max_operands)
        return err_set(e, ERR_USAGE, "too many names; usage: cupel %s %s [options]", c->name,
                       c->operands);
    return 0;
}

/* Warns of a repeated option, which may be a mistake. The last one is used. */
static void note_repeated(const struct dispatch *d)
{
    const struct option_row *row = d->set.repeated;
    if (row)
        fprintf(stderr, "cupel %s: --%s is given more than once: the last one holds, %.100s\n",
                d->command->name, row->name, d->set.given[row - d->set.rows]);
}

static int carry_out(const struct dispatch *d, struct err *e)
{
    if (d->set.help)
        return print_help(d->command, e);
    note_repeated(d);
    if (d->command != &command_restore)
        restore_say_left();
    return d->command->run(&d->set, e);
}

static int run_word(int argc, char *const argv[], struct dispatch *d, struct err *e)
{
    /* without a command, a person at a terminal gets an overview, a script an error */
    if (argc < 2 && isatty(STDOUT_FILENO))
        return print_help(NULL, e);
    if (argc < 2)
        return err_set(e, ERR_USAGE,
                       "a command is missing; usage: cupel COMMAND [options]; cupel help "
                       "lists the commands");
    const char *word = argv[1];
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        printf("cupel %s\nLicence %s\n", cupel_version, cupel_licence);
        return ERR_NONE;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        return print_help(NULL, e);
    return dispatch_read(d, argc, argv, e) ? -1 : carry_out(d, e);
}

/* Prints the error as one line, with control characters replaced, which may come from a file
   name. */
static void print_error(const struct command *command, const char *message)
{
    char line[sizeof((struct err *)0)->msg + 64], shown[sizeof line];
    snprintf(line, sizeof line, "cupel%s%s: %s", command ? " " : "", command ? command->name : "",
             message);
    fprintf(stderr, "%s\n", span_printable(shown, sizeof shown, span_of(line)));
}

/* Prints the error and returns the exit status. It is a failure if standard output could not be
   written, even if the measurement succeeded. */
static int finish(const struct command *command, int status, const struct err *e)
{
    struct err unwritten = {0};
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        err_set(&unwritten, ERR_TARGET, "standard output: %s; the result is not complete there",
                errno ? strerror(errno) : "it could not be written");
    if (status < 0) {
        /* without a message it is a bug of cupel, which must not count as success */
        print_error(command, e->code ? e->msg : "it failed, and does not say why: report this");
        status = e->code ? (int)e->code : ERR_MACHINE;
    }
    if (unwritten.code) {
        print_error(command, unwritten.msg);
        status = unwritten.code;
    }
    return status;
}

int dispatch_run(const struct dispatch *d)
{
    struct err e = {0};
    int status = carry_out(d, &e);
    return finish(d->command, status, &e);
}

int dispatch_command(int argc, char *const argv[])
{
    struct dispatch d = {0};
    struct err e = {0};
    int status = run_word(argc, argv, &d, &e);
    return finish(d.command, status, &e);
}
