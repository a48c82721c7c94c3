/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a session of rounds of the machine that is qualified: its memory or its processors. */
#include "machine/qualify/internal.h"
#include "machine/qualify/measure_disk.h"
#include "program/exec/exec.h"

int measure_machine_plan(struct plan *plan, const struct qualify_request *request, struct err *e)
{
    plan_init(plan);
    const int status = plan_apply_preset(plan, request->preset, e);
    plan->ending.limit_seconds = request->limit_seconds;
    return status;
}

struct exec_session *measure_machine(struct qualification *q, const char *what,
                                     const struct exec_plan *plan,
                                     const struct qualify_request *request, struct execution *x)
{
    struct exec_session *session;
    struct err why = {0};
    if (exec_session_run(&session, plan, request->stop, NULL, &why)) {
        note_check(q, -1, GRADE_UNDECIDED, what, "not measured", "%.180s", why.msg);
        return NULL;
    }
    exec_session_result(session, x);
    q->interrupted |= x->verdict == VERDICT_INTERRUPTED;
    return session;
}

struct qualification_number measure_machine_number(const struct execution_index *index,
                                                   double scale)
{
    return (struct qualification_number){index->value * scale, index->low * scale,
                                         index->high * scale, index->confidence};
}
