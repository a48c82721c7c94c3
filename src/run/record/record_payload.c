/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Payloads that both readers of a record, record_read and record_scan, have in common. Lengths and
 * values are always checked.
 */
#include "run/record/internal.h"

#include <stdio.h>
#include <string.h>

void payload_plan(struct payload *p, struct plan *plan)
{
    struct err why;
    size_t length = (size_t)(p->end - p->at);
    if (plan_read(plan, (const char *)p->at, length, &why))
        payload_refuse(p, "%s", why.msg);
    p->at = p->end;
}

void payload_host(struct payload *p, struct host_identity *host)
{
    const char *name = payload_text(p);
    memset(host, 0, sizeof *host);
    if (strlen(name) >= sizeof host->name)
        payload_refuse(p, "a host's name has %zu bytes", strlen(name));
    snprintf(host->name, sizeof host->name, "%s", name);
    for (size_t i = 0; i < sizeof host->boot; i++) {
        host->boot[i] = payload_u8(p);
        host->boot_known |= host->boot[i];
    }
}

void payload_clock(struct payload *p, struct clock_error *clock)
{
    clock->wall_ns = payload_number(p, HISTORY_WALL_NS_LIMIT);
    clock->error_ns = (int64_t)payload_number(p, PAYLOAD_NS_MAX) - 1;
    snprintf(clock->source, sizeof clock->source, "%s", payload_text(p));
}

void payload_fact(struct payload *p, struct record_fact *fact)
{
    fact->hardware = payload_flag(p);
    fact->node = payload_text(p);
    fact->key = payload_text(p);
    fact->value = payload_text(p);
    fact->unit = payload_text(p);
    fact->source = payload_text(p);
    uint8_t status = payload_u8(p);
    if (status > FACT_INVALID)
        payload_refuse(p, "a fact has the status %u, which there is not", status);
    fact->status = (enum fact_status)status;
}

void payload_timing_totals(struct payload *p, struct timing_totals *to)
{
    struct timing_totals t = {.saturated = payload_flag(p)};
    t.end_backlog = payload_number(p, PAYLOAD_COUNT_MAX);
    t.end_backlog_at_least = payload_flag(p);
    t.end_late_ns = payload_number(p, PAYLOAD_NS_MAX);
    t.no_slot_ns = payload_number(p, PAYLOAD_NS_MAX);
    t.requests = payload_number(p, PAYLOAD_COUNT_MAX);
    t.split = payload_number(p, PAYLOAD_COUNT_MAX);
    /* Older records have this number only for the last round. */
    t.never_issued = t.end_backlog;
    t.never_issued_at_least = t.end_backlog > 0;
    if (!p->refused)
        *to = t;
}

void payload_never_issued(struct payload *p, struct timing_totals *to)
{
    const uint64_t count = payload_number(p, PAYLOAD_COUNT_MAX);
    const bool at_least = payload_flag(p);
    if (p->refused)
        return;
    to->never_issued = count;
    to->never_issued_at_least = at_least;
}

void payload_note(struct payload *p, struct record_note *note)
{
    note->warning = payload_flag(p);
    note->text = payload_text(p);
}

void payload_done(struct payload *p, struct record_done *done)
{
    uint8_t verdict = payload_u8(p);
    done->elapsed_seconds = payload_seconds(p);
    done->records_seen = payload_number(p, UINT64_MAX);
    done->records_lost = payload_number(p, UINT64_MAX);
    done->failure = payload_text(p);
    /* Only verdicts that a session stores are valid here. The others are given later, by readers of
       the record. */
    if (verdict > VERDICT_LAST_OF_SESSION || verdict == VERDICT_CUT_SHORT)
        payload_refuse(p, "a session has no verdict %u", verdict);
    done->verdict = (enum verdict)verdict;
}

void payload_end(struct payload *p)
{
    if (!p->refused && p->at != p->end)
        payload_refuse(p, "it is longer than its kind asks for");
}
