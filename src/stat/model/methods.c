/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods, in the order in which reports list them. */
#include <string.h>

#include "stat/model/internal.h"

const struct model_method *const model_methods[] = {
    &model_linear, &model_shepard, &model_mars, &model_delaunay, &model_gaussian, NULL,
};

const struct model_method *model_method_named(const char *name, size_t length)
{
    for (const struct model_method *const *m = model_methods; *m; m++)
        if (strlen((*m)->name) == length && memcmp((*m)->name, name, length) == 0)
            return *m;
    return NULL;
}
