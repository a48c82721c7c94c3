/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a result was measured with, as JSON: typed options, and the settings as people read them. */
#ifndef CUPEL_REPORT_LAYOUT_OPTION_VALUES_H
#define CUPEL_REPORT_LAYOUT_OPTION_VALUES_H

#include "base/json.h"
#include "facts/fact.h"
#include "facts/option_values.h"

/* The member "options": numbers, flags, texts and lists; null for what was not given. */
void json_options(struct json *j, const struct option_values *options);

/* The member "settings": facts as in the text, "1 TiB" and all. */
void json_settings(struct json *j, const struct facts *settings);

#endif
