/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of the program, as --version and the manual page have it. */
#ifndef CUPEL_BASE_VERSION_H
#define CUPEL_BASE_VERSION_H

extern const char cupel_version[]; /* "0.1.0", or followed by the commit */
extern const char cupel_licence[];

#endif
