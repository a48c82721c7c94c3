/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The escapes of the kernel's tables of mounts and swaps: blanks, line ends, backslashes and #
 * stand there as \040 and the like (proc(5)).
 */
#ifndef CUPEL_BASE_OCTAL_ESCAPE_H
#define CUPEL_BASE_OCTAL_ESCAPE_H

/* Undo them in place. Returns `text`. */
char *octal_unescape(char *text);

#endif
