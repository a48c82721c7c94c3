/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a method by its name. */
#include <string.h>

#include "stat/model/internal.h"

#define METHOD(row) &model_##row,
const struct model_method *const model_methods[] = {MODEL_METHOD_ROWS(METHOD) NULL};
#undef METHOD

const struct model_method *model_method_named(const char *name, size_t length)
{
    for (const struct model_method *const *m = model_methods; *m; m++)
        if (strlen((*m)->name) == length && memcmp((*m)->name, name, length) == 0)
            return *m;
    return NULL;
}
