/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * struct kernel_statx, which the kernel's statx() fills, and the STATX_ constants of this kernel's
 * headers.
 *
 * The C library's struct cannot be used. musl has none before 1.2.5; later ones lack the newer
 * fields, and exclude the kernel's from any file that includes <sys/stat.h>. glibc takes the
 * kernel's.
 */
#ifndef CUPEL_BASE_FILE_KERNEL_STAT_H
#define CUPEL_BASE_FILE_KERNEL_STAT_H

#include <features.h>

#ifdef __GLIBC__
#include <linux/stat.h>
#define kernel_statx statx
#else
#define statx           kernel_statx
#define statx_timestamp kernel_statx_timestamp
#include <linux/stat.h>
#undef statx
#undef statx_timestamp
#endif

#endif
