/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/component share. */
#ifndef CUPEL_HW_COMPONENT_INTERNAL_H
#define CUPEL_HW_COMPONENT_INTERNAL_H

#include "hw/component/component.h"

/* component_sources.c: finds the number in a text and multiplies it by the scale. Returns false if
   there is no number; `why` then holds the reason. */
bool component_number(const struct component *component, const char *text, double *number,
                      char *why, size_t size);

#endif
