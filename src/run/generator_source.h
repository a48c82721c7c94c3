/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generators as a worker's source of requests. */
#ifndef CUPEL_RUN_GENERATOR_SOURCE_H
#define CUPEL_RUN_GENERATOR_SOURCE_H

#include "run/request_source.h"

struct request_source generator_source(struct generators *g);

#endif
