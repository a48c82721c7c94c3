/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/component share. */
#ifndef CUPEL_HW_COMPONENT_INTERNAL_H
#define CUPEL_HW_COMPONENT_INTERNAL_H

#include "hw/component/component.h"

/* component_sources.c: the number in a text, times scale. False when there is no number; `why` has
   the reason. */
bool component_number(const struct component *component, const char *text, double *number,
                      char *why, size_t size);

#endif
