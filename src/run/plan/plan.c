/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets a plan's defaults and preset, and computes properties that follow from its fields. */
#include "run/plan/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/invariant.h"
#include "io/io.h"
#include "tables/presets.h"

int plan_apply_preset(struct plan *p, const char *name, struct err *e)
{
    for (size_t i = 0; i < PRESET_COUNT; i++) {
        const struct preset *preset = &presets[i];
        if (strcmp(preset->name, name) != 0)
            continue;
        snprintf(p->statistics.preset, sizeof p->statistics.preset, "%s", preset->name);
        p->statistics.target_width = preset->target_width;
        p->statistics.autocorrelation_limit = preset->autocorrelation_limit;
        p->statistics.minimum_subsessions = preset->minimum_subsessions;
        p->ending.minimum_seconds = preset->minimum_seconds;
        return 0;
    }
    return err_set(e, ERR_USAGE, "there is no preset \"%.40s\": quick, normal and strict are known",
                   name);
}

bool plan_mask_is_empty(const uint64_t mask[PLAN_CPUS_MAX / 64])
{
    uint64_t any = 0;
    for (size_t i = 0; i < PLAN_CPUS_MAX / 64; i++)
        any |= mask[i];
    return !any;
}

bool plan_is_timed(const struct plan *p)
{
    return plan_is_replay(p) || p->rate_iops > 0 || p->phases[0] || p->think[0] || p->address[0] ||
           p->sizes[0] || p->profile[0] || p->filament || plan_has_kinds(p);
}

/* Flushes of requests with due times are not I/O, and their failures count as failed writes. */
unsigned plan_operations(const struct plan *p)
{
    return (p->write_share < 1 ? 1u << OPERATION_READ : 0) |
           (p->write_share > 0 ? 1u << request_operation(plan_change(p)) : 0) |
           (p->trims != TRIMS_NONE ? 1u << OPERATION_TRIM : 0) |
           (plan_flush_every(p) ? 1u << OPERATION_SYNC : 0);
}

const struct io_action *plan_action(const struct plan *p)
{
    const struct io_ops *ops = io_backend_by_name(p->engine);
    return ops ? ops->action : NULL;
}

bool plan_has_bytes(const struct plan *p)
{
    const struct io_ops *ops = io_backend_by_name(p->engine);
    return !ops || (!ops->action && !ops->resizes);
}

const char *plan_rate_title(const struct plan *p)
{
    const struct io_action *action = plan_action(p);
    return action ? action->rate : "";
}

bool plan_trims_in_order(const struct plan *p)
{
    const bool mixed = p->pattern == PATTERN_RANDOM && p->random_share < 1;
    return p->trims == TRIMS_ALONE && !plan_is_timed(p) && !mixed;
}

bool plan_is_one_pass(const struct plan *p)
{
    return plan_is_replay(p) || p->phases[0] ||
           (plan_trims_in_order(p) && !(p->ending.runtime_seconds > 0));
}

bool plan_has_precision(const struct plan *p)
{
    return !plan_is_one_pass(p) && !p->ending.precise[0] && !p->ending.sla[0] &&
           !(p->ending.runtime_seconds > 0);
}

uint16_t plan_priority(const struct plan *p)
{
    enum priority_class class = p->priority.all_class;
    if (!class && !p->priority.all_level && !p->priority.all_hint)
        return 0;
    return priority_value(class ? class : PRIORITY_BE,
                          p->priority.all_level ? (unsigned)p->priority.all_level - 1 : 0,
                          p->priority.all_hint);
}

struct request_kinds plan_request_kinds(const struct plan *p)
{
    struct request_kinds kinds;
    struct err e;
    INVARIANT(!request_kinds_read(&kinds, p->kinds, &e), "plan_check has read the kinds");
    return kinds;
}

bool plan_changes_settings(const struct plan *p)
{
    return p->settings.governor[0] || p->settings.scheduler[0] || p->settings.cpu_idle_off ||
           p->settings.frequency > 0 || p->settings.turbo != TURBO_UNCHANGED ||
           p->settings.read_ahead || p->settings.nr_requests;
}

double plan_sla_confidence(const struct plan *p)
{
    return p->ending.sla_confidence > 0 ? p->ending.sla_confidence : p->statistics.confidence;
}

struct judge_config plan_judge_config(const struct plan *p, bool higher_is_better)
{
    return (struct judge_config){
        .changepoint = p->statistics.changepoint,
        .estimate = {.method = p->statistics.interval,
                     .confidence = p->statistics.confidence,
                     .autocorrelation_limit = p->statistics.autocorrelation_limit},
        .target_width = p->statistics.target_width,
        .minimum_subsessions = p->statistics.minimum_subsessions,
        .higher_is_better = higher_is_better,
        .stopping = true,
    };
}
