/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a measurement as JSON: typed values, and the settings in readable form. */
#ifndef CUPEL_REPORT_LAYOUT_OPTION_VALUES_H
#define CUPEL_REPORT_LAYOUT_OPTION_VALUES_H

#include "base/json.h"
#include "facts/fact.h"
#include "facts/option_values.h"

/* Adds the member "options": numbers, flags, texts and lists; null for options that were not
   given. */
void json_options(struct json *j, const struct option_values *options);

/* Adds the member "settings": facts in the form of the text, "1 TiB" and so on. */
void json_settings(struct json *j, const struct facts *settings);

#endif
