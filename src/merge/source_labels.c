/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels of sources, and those that hold for all of them. */
#include <string.h>

#include "merge/internal.h"

/* Of sources and merges that have none, and of a text that cupel did not write. */
static struct labels labels_of(const struct merge_source *s)
{
    struct labels labels = {0};
    if (strlen(s->labels) < sizeof labels.text)
        strcpy(labels.text, s->labels);
    return labels_hold(&labels) ? labels : (struct labels){0};
}

void source_take_labels(struct merge *m, struct merge_source *s)
{
    struct labels labels = m->plan->statistics.labels, own = labels_of(s);
    labels_add_missing(&labels, &own);
    if (strcmp(labels.text, s->labels) != 0)
        s->labels = merge_string(m, labels.text, strlen(labels.text));
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
