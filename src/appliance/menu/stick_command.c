/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits commands that begin by themselves into words, like a shell, and checks them against what
   such commands may do. */
#include "appliance/menu/internal.h"

#include <stdio.h>
#include <string.h>

/* ---- what a command may do ---- */

static int judge_command(struct stick_command *command, struct err *e)
{
    /* Both permit writing to any target. */
    static const char *const permits[] = {"destroy", "overwrite"};
    const struct dispatch *d = &command->parsed;
    struct command_effect *effect = &command->effect;
    *effect = (struct command_effect){0};
    if (d->set.help)
        return 0;
    if (!d->command->foresee)
        return err_set(e, ERR_UNSAFE, "it is no command of a configuration");
    for (size_t i = 0; i < sizeof permits / sizeof *permits; i++)
        if (options_given(&d->set, permits[i]))
            return err_set(e, ERR_UNSAFE,
                           "--%s is not taken from a configuration: a command that writes names "
                           "its disk by --destroy-serial SERIAL",
                           permits[i]);
    if (d->command->foresee(&d->set, effect, e))
        return -1;
    if (effect->starts_program)
        return err_set(e, ERR_UNSAFE, "a configuration starts no programs");
    if (effect->writes && !effect->serial_count)
        return err_set(e, ERR_UNSAFE,
                       "it writes to %.200s, and does not say which disk that is: a command that "
                       "writes needs --destroy-serial SERIAL",
                       effect->target);
    return 0;
}

/* ---- all commands ---- */

/* Reads the next command. Returns 1 if there are no more. */
static int read_next(struct stick_commands *c, const char **rest, char **room, struct err *e)
{
    static char program[] = "cupel";
    char *words[STICK_WORDS + 1];
    const char *begin = *rest + strspn(*rest, " \t;");
    int count = command_words(rest, room, words, STICK_WORDS);
    if (count == 0)
        return 1;
    if (count < 0)
        return err_set(e, ERR_USAGE, "command: a quote has no end, or there are more than %d words",
                       STICK_WORDS);
    if (c->count == STICK_COMMANDS)
        return err_set(e, ERR_USAGE, "command: more than %d commands", STICK_COMMANDS);
    struct stick_command *command = &c->list[c->count];
    *command = (struct stick_command){.text = begin, .length = (int)(*rest - begin)};
    int used = 0;
    command->words[used++] = program;
    for (int i = !strcmp(words[0], program); i < count; i++) /* accepts both "cupel run ..." and
                                                                "run ..." */
        command->words[used++] = words[i];
    command->words[used] = NULL;
    if (dispatch_read(&command->parsed, used, command->words, e) || judge_command(command, e))
        return err_context(e, "command \"%.*s\"", command->length < 120 ? command->length : 120,
                           begin);
    c->count++;
    return 0;
}

int stick_commands_read(struct stick_commands *c, const char *text, struct err *e)
{
    char *room = c->room;
    int status = 0;
    c->count = 0;
    snprintf(c->text, sizeof c->text, "%s", text);
    for (const char *rest = c->text; status == 0;)
        status = read_next(c, &rest, &room, e);
    if (status < 0)
        c->count = 0;
    return status < 0 ? -1 : 0;
}

bool stick_commands_write(const struct stick_commands *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].effect.writes)
            return true;
    return false;
}
