/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of generators, in the order of enum stream_kind_id. */
#include "generator/internal.h"

const struct stream_ops *const stream_kinds[STREAM_KINDS] = {
    [STREAM_OPEN] = &stream_open,
    [STREAM_CLOSED] = &stream_closed,
    [STREAM_TRANSACTION] = &stream_transaction,
    [STREAM_LOG] = &stream_log,
};
