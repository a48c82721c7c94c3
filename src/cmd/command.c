/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all commands, and the search in it. */
#include "cmd/command.h"

#include <string.h>

#include "base/nearest.h"

const struct command *const commands[] = {&command_probe,  &command_run,     &command_replay,
                                          &command_record, &command_qualify, &command_analyze,
                                          &command_report, &command_help,    NULL};

const struct command *command_find(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (!strcmp((*c)->name, name))
            return *c;
    return NULL;
}

int command_unknown(const char *name, struct err *e)
{
    const char *best = NULL;
    for (const struct command *const *c = commands; *c; c++)
        nearest_offer(name, (*c)->name, &best);
    if (best)
        return err_set(e, ERR_USAGE, "there is no command \"%.60s\"; did you mean %s?", name, best);
    return err_set(e, ERR_USAGE, "there is no command \"%.60s\"; cupel help lists them", name);
}
