/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of the program, which --version and the manual page show. */
#ifndef CUPEL_BASE_VERSION_H
#define CUPEL_BASE_VERSION_H

extern const char cupel_version[]; /* "0.1.0"; in a build after the release with the commit added */
extern const char cupel_licence[];

#endif
