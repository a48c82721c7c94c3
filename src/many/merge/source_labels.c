/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels and options of sources, and which of them all sources share. */
#include <stdio.h>
#include <string.h>

#include "many/merge/internal.h"
#include "run/plan/plan_values.h"

/* Returns the labels of a source; empty for sources and merges without labels, and for text that
   cupel did not write. */
static struct labels labels_of(const struct merge_source *s)
{
    struct labels labels = {0};
    if (strlen(s->labels) < sizeof labels.text)
        snprintf(labels.text, sizeof labels.text, "%s", s->labels);
    return labels_hold(&labels) ? labels : (struct labels){0};
}

void source_take_labels(struct merge *m, struct merge_source *s)
{
    struct labels labels = m->plan->statistics.labels, own = labels_of(s);
    labels_add_missing(&labels, &own);
    if (strcmp(labels.text, s->labels) != 0)
        s->labels = merge_string(m, labels.text, strlen(labels.text));
    struct label group;
    if (!s->group && labels_find(&labels, m->plan->by_label, &group))
        s->group = merge_string(m, group.value, strlen(group.value));
}

void merge_common_labels(const struct merge *m, struct labels *to)
{
    struct labels common = {0};
    for (size_t i = 0; i < m->source_count; i++) {
        struct labels labels = labels_of(&m->sources[i]);
        if (i == 0)
            common = labels;
        else
            labels_keep_common(&common, &labels);
    }
    labels_add_missing(to, &common);
}

void merge_common_key(const struct merge *m, struct result_key *to)
{
    const struct merge_source *first = m->source_count ? &m->sources[0] : NULL;
    *to = (struct result_key){.rw = ""};
    if (!first)
        return;
    snprintf(to->rw, sizeof to->rw, "%s", first->rw);
    to->block_size = first->block_size;
    to->iodepth = first->iodepth;
    to->jobs = first->jobs;
    for (size_t i = 1; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        if (strcmp(to->rw, s->rw) != 0)
            to->rw[0] = '\0';
        to->block_size = to->block_size == s->block_size ? s->block_size : 0;
        to->iodepth = to->iodepth == s->iodepth ? s->iodepth : 0;
        to->jobs = to->jobs == s->jobs ? s->jobs : 0;
    }
}

void merge_options_shown(const struct merge *m, struct option_values *to)
{
    static const char *const shown[] = {"confidence", "changepoint", "sla"};
    *to = (struct option_values){.count = 0};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        plan_value_add(to, plan_field(shown[i]), &m->plan->statistics);
    struct option_value *interval = option_values_add(to, "interval", "_seconds");
    if (m->plan->interval_ns) {
        interval->kind = OPTION_VALUE_NUMBER;
        interval->is.number = (double)m->plan->interval_ns * 1e-9;
    }
}
