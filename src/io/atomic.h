/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flag RWF_ATOMIC of a write: the kernel does not split such a write, and the device does all
   of it or nothing. */
#ifndef CUPEL_IO_ATOMIC_H
#define CUPEL_IO_ATOMIC_H

/* The flag exists since Linux 6.11; older headers lack it. */
#ifndef RWF_ATOMIC
#define RWF_ATOMIC 0x00000040
#endif

#endif
