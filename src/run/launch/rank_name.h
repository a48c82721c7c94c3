/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that differ from rank to rank on one command line: %h is the host, %r the rank with as many
 * digits as the last one has, %n how many ranks there are, %p the process, %% a percent sign.
 */
#ifndef CUPEL_RUN_LAUNCH_RANK_NAME_H
#define CUPEL_RUN_LAUNCH_RANK_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "run/launch/launcher.h"

/* Does it hold one of %h, %r, %n, %p? */
bool rank_name_is_template(const char *text);
/* Does it hold %`letter`? */
bool rank_name_has(const char *text, char letter);

/* ERR_USAGE: a % that nothing of these follows; a name that is too long; %r or %n where the
   launcher does not say it. `option` is for the message: "-o". */
int rank_name_expand(const char *text, const struct launcher *launcher, const char *option,
                     char *to, size_t size, struct err *e);

/*
 * The folder of -o: a template is replaced by the name of this rank. ERR_USAGE: as above; or
 * several ranks have the same name.
 */
int rank_name_folder(char *folder, size_t size, const struct launcher *launcher, struct err *e);

/* Make the folder above a rank's own where it is not there, for no rank is the first for certain.
   ERR_USAGE. */
int rank_name_make_parent(const char *folder, struct err *e);

#endif
