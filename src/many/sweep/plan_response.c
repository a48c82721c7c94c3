/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads responses: metrics of a session by their names in its CSV, or values that a program
   prints. */
#include <stdio.h>
#include <string.h>

#include "many/sweep/internal.h"

#define DURATION "duration"

int plan_read_response(struct plan_reader *r)
{
    struct sweep_plan *p = r->plan;
    const char *at;
    const char *word;
    while ((word = plan_reader_word(r, &at))) {
        if (p->response_count == SWEEP_RESPONSES_MAX)
            return reader_fail(&r->text, at, "%d responses are possible", SWEEP_RESPONSES_MAX);
        if (plan_factor_of(p, word) >= 0)
            return reader_fail(&r->text, at, "%.60s is a factor", word);
        for (size_t i = 0; i < p->response_count; i++)
            if (!strcmp(p->responses[i].name, word))
                return reader_fail(&r->text, at, "%.60s is a response already", word);
        r->response_line[p->response_count] = r->text.number;
        r->response_column[p->response_count] = reader_column(&r->text, at);
        p->responses[p->response_count++] =
            (struct sweep_response){.name = word, .op = "", .index = -1};
    }
    return 0;
}

/* Finds a metric by its name. "throughput" is used in Cameron et al., "p99" in clauses of --sla. */
static bool find_metric(const char *name, enum metric_id *id)
{
    char of_latency[48];
    snprintf(of_latency, sizeof of_latency, "lat_%.40s", name);
    for (int i = 0; i < METRIC_COUNT; i++) {
        const char *known = metric_of((enum metric_id)i)->name;
        if (strcmp(known, name) != 0 && strcmp(known, of_latency) != 0 &&
            !(i == METRIC_BANDWIDTH && !strcmp(name, "throughput")))
            continue;
        *id = (enum metric_id)i;
        return true;
    }
    return false;
}

static bool find_in_session(struct sweep_response *to)
{
    const char *name = to->name;
    for (int op = 0; op <= OPERATION_ALL; op++) {
        size_t length = strlen(operation_names[op]);
        if (strncmp(name, operation_names[op], length) != 0 || name[length] != '.')
            continue;
        to->op = operation_names[op];
        name += length + 1;
    }
    return find_metric(name, &to->metric);
}

static bool find_in_program(const struct sweep_plan *p, struct sweep_response *to)
{
    for (size_t i = 0; i < p->index_count; i++)
        if (!strcmp(p->indices[i].name, to->name))
            to->index = (int)i;
    return to->index >= 0 || !strcmp(to->name, DURATION);
}

static void take_defaults(struct sweep_plan *p)
{
    if (!p->exec)
        p->responses[p->response_count++] =
            (struct sweep_response){.name = "bandwidth", .op = "", .index = -1};
    for (size_t i = 0; i < p->index_count; i++)
        p->responses[p->response_count++] =
            (struct sweep_response){.name = p->indices[i].name, .op = "", .index = (int)i};
    if (p->exec && !p->index_count)
        p->responses[p->response_count++] =
            (struct sweep_response){.name = DURATION, .op = "", .index = -1};
}

int plan_resolve_responses(struct plan_reader *r)
{
    struct sweep_plan *p = r->plan;
    if (!p->response_count)
        take_defaults(p);
    for (size_t i = 0; i < p->response_count; i++) {
        struct sweep_response *to = &p->responses[i];
        if (p->exec ? find_in_program(p, to) : find_in_session(to))
            continue;
        reader_fail(&r->text, r->text.line.text,
                    p->exec ? "\"%.60s\" is neither " DURATION " nor the name of an index"
                            : "\"%.60s\" is no metric: throughput, iops, p99, read.p99, bps, "
                              "response_time and others of cupel run --format csv are",
                    to->name);
        r->text.fault->line = r->response_line[i];
        r->text.fault->column = r->response_column[i];
        return -1;
    }
    return 0;
}
