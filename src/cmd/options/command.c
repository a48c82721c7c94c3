/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contains what commands share: the effects of a command before it runs, and the options of the
   statistics. */
#include "cmd/options/command.h"

#include <stdio.h>
#include <string.h>

#include "run/plan/plan.h"

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

int command_effect_serials(struct command_effect *effect, const struct serial_list *list,
                           struct err *e)
{
    for (size_t i = 0; i < list->count; i++)
        if (command_effect_serial(effect, list->serials[i], e))
            return -1;
    return 0;
}

int serial_list_cut(struct serial_list *list, struct err *e)
{
    char *rest = list->text[0] ? list->text : NULL;
    list->count = 0;
    while (rest) {
        const char *serial = strsep(&rest, ",");
        if (!*serial)
            return err_set(e, ERR_USAGE,
                           "--destroy-serial: a serial number is missing before or after a comma");
        if (list->count == SERIAL_LIST_MAX)
            return err_set(e, ERR_USAGE, "--destroy-serial: more than %d serial numbers",
                           SERIAL_LIST_MAX);
        list->serials[list->count++] = serial;
    }
    list->serials[list->count] = NULL;
    return 0;
}

int plan_options_store(const struct option_set *set, struct plan *plan, struct err *e)
{
    plan_init(plan);
    if (options_store_defaults(set->rows, plan, e) || options_store(set, plan, e))
        return -1;
    if (!options_given(set, "preset"))
        return 0;
    /* The given options are stored again, because they override the preset. */
    return plan_apply_preset(plan, plan->statistics.preset, e) ? -1 : options_store(set, plan, e);
}
