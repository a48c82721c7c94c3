/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a server's capture, and joins its parts to the data path. */
#include "hw/remote/remote_end.h"

#include "hw/prober.h"

int remote_end_open(struct remote_end *r, const char *file, const char *target, struct err *e)
{
    *r = (struct remote_end){0};
    if (!file[0])
        return 0;
    if (capture_open(&r->capture, file, e))
        return err_context(e, "--remote");
    r->file = file;
    r->target = target;
    return 0;
}

void remote_end_close(struct remote_end *r)
{
    if (r->file)
        capture_close(&r->capture);
    r->file = NULL;
}

int remote_end_join(const struct remote_end *r, struct inventory *v, struct data_path *path,
                    struct err *e)
{
    struct inventory server = {0};
    struct probe probe = {.root = &r->capture.root, .inventory = &server};
    const struct data_path_server end = {&r->capture.root, &server, r->target};
    if (!r->file)
        return 0;
    int status = probe_all(&probe, e) || data_path_continue(path, v, &end, e);
    inventory_free(&server);
    return status ? err_context(e, "--remote %.200s", r->file) : 0;
}
