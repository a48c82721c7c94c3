/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A resumed sweep writes only to the file or device on which it began. */
#include <string.h>

#include "io/target/identity.h"
#include "many/sweep/internal.h"

static int refuse(const struct sweep_request *r, const char *why, struct err *e)
{
    return err_set(
        e, ERR_UNSAFE,
        "%.200s: %s; --same-target says that it is the same, and a new -o begins a sweep "
        "of its own; nothing was written",
        r->target_name, why);
}

int sweep_target_check(struct sweep_log *log, const struct sweep_request *r, bool resumed,
                       struct err *e)
{
    char now[TARGET_IDENTITY_BYTES];
    if (r->target < 0 || log->lines.fd < 0)
        return 0;
    const bool known = target_identity(r->target, now);
    const bool same = !strcmp(now, log->target);
    if (resumed && !r->target_is_new && !r->same_target) {
        if (*log->target && !same)
            return refuse(r, "it is not the file or device that the sweep was begun on", e);
        if (r->may_destroy && !(known && same))
            return refuse(r, "nothing shows that it is what the sweep was begun on", e);
    }
    return same ? 0 : sweep_log_target(log, now, e);
}
