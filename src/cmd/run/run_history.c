/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds a session to this machine's own history, after it was judged. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/run/session_options.h"
#include "run/history/history.h"

void run_history_add(const struct plan *plan, struct result *r)
{
    char folder[PATH_MAX];
    struct history h = {0};
    struct history_session session;
    struct err why = {0};
    const char *key = facts_find(&r->settings, HISTORY_NODE, HISTORY_IS);
    const char *kept = facts_find(&r->settings, HISTORY_NODE, HISTORY_KEPT);
    if (!plan->history || !key)
        return;
    if (!kept || strcmp(kept, "yes") != 0) {
        if (kept)
            result_note(r, false, "%s: %.200s", HISTORY_KEPT, kept);
        return;
    }
    if (!history_session_of(r, &session))
        return;
    snprintf(h.key, sizeof h.key, "%s", key);
    snprintf(h.target, sizeof h.target, "%s", r->target);
    snprintf(h.workload, sizeof h.workload, "%s", r->workload);
    if (history_folder(folder, &why) || history_add(folder, &h, &session, &why))
        result_note(r, true, "this session is not in the history: %.190s", why.msg);
}
