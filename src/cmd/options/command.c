/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all commands, and the search in it. */
#include "cmd/options/command.h"

#include <stdio.h>
#include <string.h>

#include "base/spelling_suggestion.h"

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

int command_only_reads(const struct option_set *set, struct command_effect *effect, struct err *e)
{
    (void)set;
    (void)effect;
    (void)e;
    return 0;
}

int command_effect_serial(struct command_effect *effect, const char *serial, struct err *e)
{
    if (effect->serial_count == COMMAND_SERIALS)
        return err_set(e, ERR_USAGE, "--destroy-serial: more than %d serial numbers at once",
                       COMMAND_SERIALS);
    snprintf(effect->serials[effect->serial_count++], sizeof effect->serials[0], "%s", serial);
    return 0;
}
