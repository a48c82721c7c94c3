/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/log share. */
#ifndef CUPEL_HW_LOG_INTERNAL_H
#define CUPEL_HW_LOG_INTERNAL_H

#include "hw/log/log_reader.h"

#endif
