/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of generators, a file each. Private to src/generator. */
#ifndef CUPEL_GENERATOR_KINDS_H
#define CUPEL_GENERATOR_KINDS_H

#include "generator/stream.h"

extern const struct stream_ops stream_open, stream_closed, stream_transaction, stream_log;

#endif
