/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a command line to its command, and from what that returns to a message and an exit status.
 */
#include "cmd/dispatch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/span.h"
#include "base/version.h"
#include "cmd/options/command.h"
#include "cmd/options/help.h"

/* No frame is above 40 KiB (build.sh sees to that), and few of them stand on each other. */
#define STACK_MIN ((rlim_t)96 << 10)

static int check_stack(struct err *e)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) || stack.rlim_cur >= STACK_MIN)
        return 0;
    return err_set(e, ERR_MACHINE,
                   "the stack is limited to %u KiB, and %u are needed: ulimit -s 1024",
                   (unsigned)(stack.rlim_cur >> 10), (unsigned)(STACK_MIN >> 10));
}

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
    if (count < c->min_operands)
        return err_set(e, ERR_USAGE, "%s is missing; usage: cupel %s %s [options]", c->operands,
                       c->name, c->operands);
    if (count > c->max_operands)
        return err_set(e, ERR_USAGE, "too many names; usage: cupel %s %s [options]", c->name,
                       c->operands);
    return 0;
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
    if (options_scan(&d->set, d->command->options, argv + 2, argc - 2, e))
        return -1;
    return d->set.help ? 0 : check_operands(d->command, d->set.operand_count, e);
}

static int carry_out(const struct dispatch *d, struct err *e)
{
    return d->set.help ? print_command_help(d->command, e) : d->command->run(&d->set, e);
}

static int run_word(int argc, char *const argv[], struct dispatch *d, struct err *e)
{
    if (argc < 2)
        return no_command(e);
    const char *word = argv[1];
    if (!strcmp(word, "--version") || !strcmp(word, "-V"))
        return print_version();
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        return print_text(help_overview, stdout, e);
    return dispatch_read(d, argc, argv, e) ? -1 : carry_out(d, e);
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

/* The exit status; the error is printed here. */
static int end(const struct command *command, int status, const struct err *e)
{
    struct err unwritten = {0};
    bool written = check_output(&unwritten) == 0;
    if (status < 0) {
        print_error(command, e->msg);
        status = e->code;
    }
    if (!written) {
        print_error(command, unwritten.msg);
        status = unwritten.code;
    }
    return status;
}

int dispatch_run(const struct dispatch *d)
{
    struct err e = {0};
    int status = carry_out(d, &e);
    return end(d->command, status, &e);
}

int dispatch_command(int argc, char *const argv[])
{
    struct dispatch d = {0};
    struct err e = {0};
    int status = check_stack(&e) ? -1 : run_word(argc, argv, &d, &e);
    return end(d.command, status, &e);
}
