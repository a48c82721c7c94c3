/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/layout/csv_key.h"

#include "report/layout/layout.h"

void csv_end_header(struct text *out)
{
    text_add(out, ",target,rw,bs,iodepth,numjobs,label,date\n");
}

static void add_known(struct text *out, uint64_t number)
{
    text_add(out, ",");
    if (number)
        text_addf(out, "%llu", (unsigned long long)number);
}

void csv_end_row(struct text *out, const char *target, const struct result_key *key,
                 const struct labels *labels)
{
    struct text words = {0};
    labels_add_words(labels, &words);
    text_add(out, ",");
    text_add_csv(out, target);
    text_addf(out, ",%s", key->rw);
    add_known(out, key->block_size);
    add_known(out, key->iodepth);
    add_known(out, key->jobs);
    text_add(out, ",");
    text_add_csv(out, layout_string(&words));
    text_addf(out, ",%s\n", key->date);
    out->failed = out->failed || words.failed;
    text_free(&words);
}
