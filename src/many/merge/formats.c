/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All formats that can be merged, in the order in which they are tried. */
#include "many/merge/internal.h"

const struct merge_format *const merge_formats[] = {
    &merge_format_record,      &merge_format_merged,
    &merge_format_trace,       &merge_format_hdr_log,
    &merge_format_fio_json,    &merge_format_fio_hist,
    &merge_format_fio_latency, &merge_format_fio_clat,
    &merge_format_fio_other,   NULL};
