/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the parts that limit the target, and how busy the target itself was. */
#include <math.h>

#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

void bottleneck_add_saturation(const struct result_part *part, struct text *out)
{
    char share[NUMBER_BUFFER];
    text_addf(out, "%s was saturated %s of the time", part->name,
              number_percent(share, sizeof share, part->saturated));
}

void bottleneck_add_use(const struct result_part *part, struct text *out)
{
    char share[NUMBER_BUFFER];
    text_addf(out, "%s of its %s", number_percent(share, sizeof share, part->utilisation),
              part->measure);
}

void section_bottlenecks(const struct result *r, struct document *out)
{
    const struct result_part *tested = NULL;
    for (size_t i = 0; i < r->part_count; i++)
        if (r->parts[i].under_test && isfinite(r->parts[i].utilisation) &&
            (!tested || r->parts[i].utilisation > tested->utilisation))
            tested = &r->parts[i];
    const struct result_part *part = result_bottleneck(r, NULL);
    struct text words = {0};
    if (!part)
        return;
    for (; part; part = result_bottleneck(r, part)) {
        text_add(&words, words.length > 0 ? ", " : "");
        bottleneck_add_saturation(part, &words);
        text_add(&words, " (");
        bottleneck_add_use(part, &words);
        text_add(&words, " on average)");
    }
    text_addf(&words, "; not the %s %s", result_target_word(r),
              tested ? tested->name : "under test");
    if (tested) {
        text_add(&words, ", which was at ");
        bottleneck_add_use(tested, &words);
    }
    document_paragraph_from(out, "BOTTLENECK: ", TONE_RED, &words);
}
