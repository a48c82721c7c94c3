/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The other end of remote storage: the server, from a capture made by cupel there (hw/capture). Its
 * parts continue the data path of this machine (Li et al., Pilot (2016), III-B: every component
 * between the data and the processor). One thread.
 */
#ifndef CUPEL_HW_REMOTE_REMOTE_END_H
#define CUPEL_HW_REMOTE_REMOTE_END_H

#include "base/err.h"
#include "facts/inventory.h"
#include "hw/capture/capture.h"
#include "hw/path/data_path.h"

struct remote_end {
    struct capture capture;
    /* name of the capture for messages; NULL: there is no server, and the functions do nothing */
    const char *file;
    /* path or name on the server that holds the data (struct data_path_server) */
    const char *target;
};

/* Opens a capture, or a folder that holds sys and proc. `file` may be "": no server. Both strings
   must outlive `r`. ERR_USAGE, ERR_MACHINE: as for capture_open. After an error there is nothing to
   close. */
int remote_end_open(struct remote_end *r, const char *file, const char *target, struct err *e);
void remote_end_close(struct remote_end *r);

/* Adds the server's parts to the inventory and the path (data_path_continue). */
int remote_end_join(const struct remote_end *r, struct inventory *v, struct data_path *path,
                    struct err *e);

#endif
