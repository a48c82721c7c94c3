/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/stat/model share. */
#ifndef CUPEL_STAT_MODEL_INTERNAL_H
#define CUPEL_STAT_MODEL_INTERNAL_H

#include "stat/model/model.h"

extern const struct model_method model_linear, model_shepard, model_mars;

/* ---- points_check ---- */

#define POINTS_NAME_BYTES 64

/* A factor's name for a message, in `text`: its own, or "factor 3". Returns text. */
const char *points_factor_name(const struct model_points *p, size_t factor,
                               char text[static POINTS_NAME_BYTES]);

/* What the caller measured: finite, of a size to compute with, positive on logarithmic axes. */
int points_check_value(double value, bool logarithmic, const char *name, struct err *e);
int points_check_values(const struct model_points *p, const struct model_options *options,
                        struct err *e);

/* The point nearest to a place, the lowest of several, and how far it is. */
size_t points_nearest(const struct model_points *p, const double at[], double *distance);

/* What the method needs of scaled points. ERR_USAGE, or ERR_MACHINE without memory. */
int points_check_distinct(const struct model_points *p, struct err *e);
int points_check_rank(const struct model_points *p, struct err *e);

#endif
