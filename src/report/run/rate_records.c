/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search for a rate as CSV (rates.csv) and as its JSON object. */
#include "report/run/formats.h"

static const char *probe_verdict(const void *probe)
{
    return rate_verdict_name(((const struct result_probe *)probe)->verdict);
}

static const char *probe_ended(const void *probe)
{
    return verdict_name(((const struct result_probe *)probe)->ended);
}

static const char *probe_unit(const void *probe)
{
    return clause_unit(&((const struct result_probe *)probe)->clause);
}

static const struct field probe_fields[] = {
    FIELD(result_probe, number, "probe", "probe"),
    FIELD_BOTH(result_probe, rate),
    FIELD_WORDS(probe_verdict, "verdict", "verdict"),
    FIELD(result_probe, clause.text, "clause", "clause"),
    FIELD_WORDS(probe_unit, "unit", "unit"),
    FIELD(result_probe, clause.value, "value", "value"),
    FIELD(result_probe, low, "ci_low", "ci_low"),
    FIELD(result_probe, high, "ci_high", "ci_high"),
    FIELD(result_probe, clause.limit, "limit", "limit"),
    FIELD_BOTH(result_probe, confidence),
    FIELD_BOTH(result_probe, iops),
    FIELD_BOTH(result_probe, response_ns),
    FIELD_BOTH(result_probe, backlog),
    FIELD_BOTH(result_probe, backlog_growth),
    FIELD(result_probe, seconds, "seconds", "seconds"),
    FIELD_WORDS(probe_ended, "ended", "ended"),
    FIELD_LAST,
};

static const struct field rates_fields[] = {
    FIELD_JSON(result_rates, clauses),
    FIELD_JSON(result_rates, holds),
    FIELD_JSON(result_rates, fails),
    FIELD_JSON(result_rates, ceiling),
    FIELD_JSON(result_rates, estimate),
    FIELD_JSON(result_rates, width),
    FIELD_JSON(result_rates, asked),
    FIELD_JSON(result_rates, confidence),
    FIELD_JSON(result_rates, saturation),
    FIELD_JSON(result_rates, narrow),
    FIELD_JSON(result_rates, none),
    FIELD_JSON(result_rates, machine),
    FIELD_LAST,
};

void csv_render_rates(const struct result *r, struct text *out)
{
    if (r->rates)
        csv_add_lines(out, NULL, probe_fields, r->rates->probes, r->rates->count,
                      sizeof *r->rates->probes);
}

void json_rates(struct json *j, const struct result_rates *rates)
{
    json_begin_object(j, "highest_rate");
    json_fields(j, rates_fields, rates);
    json_records(j, "probes", probe_fields, rates->probes, rates->count, sizeof *rates->probes);
    json_end_object(j);
}
