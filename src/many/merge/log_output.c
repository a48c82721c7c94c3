/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that all writers of logs use: a text is passed on to its file, and the operations that
   occur in a timeline are found. */
#include "base/file/file.h"
#include "many/merge/written_formats.h"

#define OUTPUT_BYTES (256u << 10)

void find_ops(const struct timeline *t, bool used[OPERATIONS])
{
    for (int op = 0; op < OPERATIONS; op++) {
        used[op] = false;
        for (size_t i = 0; i < t->count && !used[op]; i++)
            used[op] = t->intervals[i]->op[op].n > 0;
    }
}

int output_end(struct log_output *to, struct err *e)
{
    if (to->text.failed)
        return err_no_memory(e, "writing %s", to->path);
    int status = write_all(to->fd, to->text.data, to->text.length, to->path, e);
    to->text.length = 0;
    return status;
}

int output_pass(struct log_output *to, struct err *e)
{
    return to->text.length < OUTPUT_BYTES && !to->text.failed ? 0 : output_end(to, e);
}
