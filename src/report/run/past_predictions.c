/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints whether predictions held: that of the session before for this session, and how many of the
   last ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts/result.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

/* Adds a range: "16.9k to 19.6k". */
static void add_range(const struct result *r, struct text *out)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    struct number_scale scale =
        number_scale_of(metric_of(r->headline)->kind, row ? row->value : r->history.high,
                        r->history.low, r->history.high);
    struct number_scale bare = scale; /* the unit is written only once, after the upper end */
    if (scale.suffix[0] == ' ')
        bare.suffix = "";
    text_addf(out, "%s to %s", number_scaled(low, sizeof low, &bare, r->history.low),
              number_scaled(high, sizeof high, &scale, r->history.high));
}

static void add_check(const struct result *r, struct text *out)
{
    const struct result_history *h = &r->history;
    switch (h->check) {
    case PREDICTION_HELD:
    case PREDICTION_MISSED:
        text_addf(out, "%s the ", h->check == PREDICTION_HELD ? "inside" : "OUTSIDE of");
        add_range(r, out);
        text_addf(out, " that the session before predicted (%.10s)", h->date);
        break;
    case PREDICTION_LEFT_OUT:
        text_addf(out,
                  "the prediction of the session before (%.10s) is not checked: its length, its "
                  "metric or the load of other programs was another one",
                  h->date);
        break;
    case PREDICTION_NONE:
        break;
    }
}

void section_prediction_check(const struct result *r, struct document *out)
{
    const struct prediction_count *count = &r->history.count;
    struct text words = {0};
    if (r->history.check == PREDICTION_NONE && !count->checked)
        return;
    add_check(r, &words);
    if (count->checked > 1)
        text_addf(&words, "%sof the last %llu predictions %s %llu held", words.length ? "; " : "",
                  (unsigned long long)count->checked,
                  r->repeat ? "of these sessions" : "for this disk",
                  (unsigned long long)count->held);
    else if (r->repeat)
        text_addf(&words, "the prediction of the first session %s",
                  count->held ? "held" : "did not hold");
    if (!words.length)
        return;
    const enum tone tone = r->history.check == PREDICTION_MISSED ? TONE_YELLOW : TONE_PLAIN;
    document_paragraph_from(out, "Repeated: ", tone, &words);
}
