/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of stages, in the order in which they run. */
#include <string.h>

#include "machine/accept/internal.h"

const struct accept_stage accept_stages[] = {
    {.name = "purge",
     .words = "erases all of it by a command of its own",
     .estimate_seconds = purge_estimate,
     .run = purge_run},
    {.name = "capacity",
     .words = "looks by samples whether it holds as much as it says",
     .estimate_seconds = capacity_estimate,
     .run = capacity_run},
    {.name = "precondition",
     .words = "writes all of it in order, 128 KiB with 32 in flight",
     .estimate_seconds = precondition_estimate,
     .run = precondition_run},
    {.name = "verify",
     .words = "reads back what was written, sector by sector",
     .estimate_seconds = verify_estimate,
     .run = verify_run},
    {.name = "pts-iops",
     .words = "5 to 25 rounds of random reads and writes of 8 sizes in 7 mixes",
     .estimate_seconds = pts_iops_estimate,
     .run = pts_iops_run},
    {.name = "pts-tp",
     .words = "5 to 25 rounds in order, 128 KiB and then 1024 KiB",
     .estimate_seconds = pts_tp_estimate,
     .run = pts_tp_run},
    {.name = "pts-lat",
     .words = "5 to 25 rounds of one request at a time, then 20 minutes of writes",
     .estimate_seconds = pts_lat_estimate,
     .run = pts_lat_run},
    {.name = "pts-wsat",
     .words = "random writes until 4 x the capacity, 6 hours, or steady",
     .estimate_seconds = pts_wsat_estimate,
     .run = pts_wsat_run},
    {0},
};

const struct accept_stage *accept_stage_find(const char *name, size_t length)
{
    for (const struct accept_stage *s = accept_stages; s->name; s++)
        if (strlen(s->name) == length && !memcmp(s->name, name, length))
            return s;
    return NULL;
}

bool accept_stage_measures(const struct accept_stage *stage)
{
    return !strncmp(stage->name, "pts-", 4);
}

bool accept_stage_asked(const struct accept_stage *stage, const char *names)
{
    for (const char *at = names; *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        if (accept_stage_find(at, length) == stage)
            return true;
        at += length;
    }
    return false;
}

int accept_stages_check(const char *names, struct err *e)
{
    char all[200] = "";
    for (const struct accept_stage *s = accept_stages; s->name; s++) {
        strncat(all, *all ? ", " : "", sizeof all - strlen(all) - 1);
        strncat(all, s->name, sizeof all - strlen(all) - 1);
    }
    if (!*names)
        return err_set(e, ERR_USAGE, "--stages: none is named; there are %s", all);
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        if (!accept_stage_find(at, length))
            return err_set(e, ERR_USAGE, "--stages %.*s: there is no such stage; there are %s",
                           (int)length, at, all);
        at += length;
        if (!*at)
            return 0;
    }
}
