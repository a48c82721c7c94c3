/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the labels of sources, and finds the labels that all sources share. */
#include <stdio.h>
#include <string.h>

#include "many/merge/internal.h"

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
