/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processor cores serve the interrupts of a data path's devices. */
#ifndef CUPEL_HW_INTERRUPTS_H
#define CUPEL_HW_INTERRUPTS_H

#include <stddef.h>

#include "hw/data_path.h"

/*
 * The interrupts of the path's PCI functions (msi_irqs, else irq), how often each was served so far
 * (/proc/interrupts), and its effective affinity. Fills at most `most` cores, each once; those of
 * the busiest interrupts come first. Returns how many.
 */
size_t interrupts_cores(const struct sysroot *root, const struct inventory *v,
                        const struct data_path *path, int cores[], size_t most);

#endif
