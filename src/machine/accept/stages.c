/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of stages, in the order in which they run. */
#include <string.h>

#include "machine/accept/internal.h"

const struct accept_stage *const accept_stages[] = {
    &stage_purge,  &stage_capacity, &stage_precondition, &stage_verify, &stage_pts_iops,
    &stage_pts_tp, &stage_pts_lat,  &stage_pts_wsat,     NULL,
};

static bool is_stage(const char *name, size_t length)
{
    for (size_t i = 0; accept_stages[i]; i++)
        if (strlen(accept_stages[i]->name) == length &&
            !memcmp(accept_stages[i]->name, name, length))
            return true;
    return false;
}

int accept_stages_check(const char *names, struct err *e)
{
    char all[200] = "";
    for (size_t i = 0; accept_stages[i]; i++) {
        strncat(all, *all ? ", " : "", sizeof all - strlen(all) - 1);
        strncat(all, accept_stages[i]->name, sizeof all - strlen(all) - 1);
    }
    if (!*names)
        return err_set(e, ERR_USAGE, "--stages: none is named; there are %s", all);
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        if (!is_stage(at, length))
            return err_set(e, ERR_USAGE, "--stages %.*s: there is no such stage; there are %s",
                           (int)length, at, all);
        at += length;
        if (!*at)
            return 0;
    }
}
