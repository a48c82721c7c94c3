/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes that the kernel splits under no circumstances and the device does whole or not at all. */
#ifndef CUPEL_IO_ATOMIC_H
#define CUPEL_IO_ATOMIC_H

/* Of Linux 6.11, which headers may not know yet. */
#ifndef RWF_ATOMIC
#define RWF_ATOMIC 0x00000040
#endif

#endif
