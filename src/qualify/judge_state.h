/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is judged without any expectation: links, health, heat, errors, and what changed. */
#ifndef CUPEL_QUALIFY_JUDGE_STATE_H
#define CUPEL_QUALIFY_JUDGE_STATE_H

#include "base/qualification.h"

/* By q->hardware alone: a machine as it stands before anything is measured. */
void judge_state(struct qualification *q);

/* The same machine afterwards: what is different now, and how warm it became. */
void judge_changes(struct qualification *q, const struct inventory *after);
void judge_temperatures(struct qualification *q);

#endif
