/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the options of a measurement as JSON: typed values, and the settings as readable text. */
#ifndef CUPEL_REPORT_LAYOUT_OPTION_VALUES_H
#define CUPEL_REPORT_LAYOUT_OPTION_VALUES_H

#include "base/json.h"
#include "facts/fact.h"
#include "facts/option_values.h"

/* Adds the member "options": numbers, flags, texts and lists; null for an option that was not
   given. */
void json_options(struct json *j, const struct option_values *options);

/* Adds the member "settings": facts as the text report shows them, such as "1 TiB". */
void json_settings(struct json *j, const struct facts *settings);

#endif
