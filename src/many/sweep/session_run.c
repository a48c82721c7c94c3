/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of a sweep that are sessions of cupel's own I/O. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file_identity.h"
#include "io/io.h"
#include "io/target/target.h"
#include "many/sweep/runners.h"
#include "run/session/session.h"

/* Returns true if the values of several operations may be added up, as rates may. */
static bool is_additive(enum metric_id id)
{
    enum metric_kind kind = metric_of(id)->kind;
    return kind == METRIC_KIND_BYTE_RATE || kind == METRIC_KIND_COUNT_RATE;
}

static double value_of(const struct result *r, const struct sweep_response *response)
{
    if (response->op[0]) {
        const struct result_row *row = result_find(r, response->metric, response->op);
        return row ? row->value : (double)NAN;
    }
    const struct result_row *all = result_find(r, response->metric, "all");
    double value = NAN;
    for (int op = 0; op < OPERATIONS && !all; op++) {
        const struct result_row *row = result_find(r, response->metric, operation_names[op]);
        if (!row || !operation_has_bytes(op))
            continue;
        if (!isnan(value) && !is_additive(response->metric))
            return NAN;
        value = isnan(value) ? row->value : value + row->value;
    }
    return all ? all->value : value;
}

static void take_result(const struct sweep_plan *plan, struct session *session,
                        struct sweep_outcome *outcome, struct result *r)
{
    size_t found = 0;
    session_result(session, r);
    outcome->stopped = r->verdict == VERDICT_INTERRUPTED;
    if (r->verdict == VERDICT_FAILED)
        snprintf(outcome->why, sizeof outcome->why, "%.190s", r->failure);
    else if (r->verdict == VERDICT_SUSPENDED)
        snprintf(outcome->why, sizeof outcome->why, "cupel was stopped meanwhile");
    outcome->left_out = r->verdict == VERDICT_SUSPENDED;
    for (size_t i = 0; i < plan->response_count; i++) {
        outcome->values[i] = value_of(r, &plan->responses[i]);
        found += isfinite(outcome->values[i]);
        if (r->backlog && metric_is_response(plan->responses[i].metric) && !outcome->why[0] &&
            !outcome->stopped) {
            snprintf(outcome->why, sizeof outcome->why, "%s", result_backlog_words);
            outcome->undecided = true;
        }
    }
    if (!found && !outcome->why[0] && !outcome->stopped)
        snprintf(outcome->why, sizeof outcome->why,
                 "it has none of the responses; of a mix they are called read.p99, write.p99, "
                 "trim.p99");
}

/* Runs a session that opens its target and makes its settings itself. Returns 1 if it gave no
   result, and -1 if a setting of the machine could not be made or restored. */
static int run_session(const struct sweep_sessions *s, const struct plan *plan,
                       const char *record_path, struct session **session, struct err *why,
                       struct err *e)
{
    struct session_shared *shared = session_shared_new();
    if (!shared)
        return err_no_memory(e, "a session");
    int status =
        session_run_shared(session, plan, s->root, record_path, s->stop, NULL, shared, why);
    if (!session_shared_end(shared, e))
        return status ? 1 : 0;
    if (!status)
        session_free(*session);
    return -1;
}

/* Checks that the name still leads to the target for which permission was given. Hours later a link
   or the name of a disk may lead to another one. */
static int check_target(struct sweep_sessions *s, const char *path, struct err *e)
{
    struct stat first, now;
    if (s->target < 0)
        s->target = open(path, O_PATH | O_CLOEXEC);
    if (s->target < 0 || fstat(s->target, &first))
        return 0; /* without a target the session itself reports the error */
    if (!stat(path, &now) && file_is_same(&first, &now))
        return 0;
    return err_set(e, ERR_UNSAFE,
                   "%.200s: it is not the file or device any more that it was at the first run",
                   path);
}

int sweep_session_run(struct sweep_sessions *s, const struct plan *plan, const char *record_path,
                      struct sweep_outcome *outcome, struct err *e)
{
    struct session *session = NULL;
    struct err why = {0};
    if (check_target(s, plan->target, e))
        return -1;
    int status = run_session(s, plan, record_path, &session, &why, e);
    if (status < 0)
        return -1;
    if (status) {
        outcome->stopped = *s->stop;
        if (why.code == ERR_UNSAFE && !outcome->stopped) {
            *e = why;
            return -1;
        }
        snprintf(outcome->why, sizeof outcome->why, "%.190s", why.msg);
        return 0;
    }
    struct result *r = malloc(sizeof *r);
    if (r)
        take_result(s->plan, session, outcome, r);
    session_free(session);
    free(r);
    return r ? 0 : err_no_memory(e, "a result");
}

int sweep_target_prepare(const struct plan *largest, const volatile sig_atomic_t *stop,
                         struct err *e)
{
    struct stat st;
    struct target t;
    const struct io_ops *ops = io_backend_by_name(largest->engine);
    if (ops && !ops->needs_target)
        return 0;
    bool there = !stat(largest->target, &st);
    if (ops && ops->action)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s makes a scratch folder of its own for each session, and the "
                       "runs of a sweep share one file: use cupel run, or compare",
                       ops->name);
    if (there && S_ISDIR(st.st_mode))
        return err_set(e, ERR_USAGE,
                       "%s: it is a folder: name a file in it, which is made once for all runs",
                       largest->target);
    if (there)
        return 0;
    if (!largest->size)
        return err_set(e, ERR_USAGE,
                       "%s: there is no such file; with \"size: 64m\" in the plan it is made",
                       largest->target);
    const struct target_request request = {.path = largest->target,
                                           .read = true,
                                           .direct = largest->direct,
                                           .size = largest->offset + largest->size,
                                           .seed = largest->seed};
    if (target_open(&t, &request, NULL, NULL, (const volatile int *)stop, e))
        return -1;
    target_close(&t);
    return 0;
}
