/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that differ between the ranks of one command line: %h is the host, %r the rank with as many
   digits as the last one has, %n the number of ranks, %p the process, %% a percent sign. */
#ifndef CUPEL_RUN_LAUNCH_RANK_NAME_H
#define CUPEL_RUN_LAUNCH_RANK_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "run/launch/launcher.h"

/* Returns true if the text contains %h, %r, %n or %p. */
bool rank_name_is_template(const char *text);
/* Returns true if the text contains %`letter`. */
bool rank_name_has(const char *text, char letter);

/* Expands a name. ERR_USAGE: another character follows a %, the name is too long, or the launcher
   does not give %r or %n. `option` is for the message: "-o". */
int rank_name_expand(const char *text, const struct launcher *launcher, const char *option,
                     char *to, size_t size, struct err *e);

/* Expands the folder of -o in place. ERR_USAGE: as for rank_name_expand, or several ranks would use
   the same folder. */
int rank_name_folder(char *folder, size_t size, const struct launcher *launcher, struct err *e);

/* Creates the parent of a rank's folder if it does not exist, because any rank may be the first.
   ERR_USAGE: it cannot be created. */
int rank_name_make_parent(const char *folder, struct err *e);

#endif
