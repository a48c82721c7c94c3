/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of operations. */
#include "facts/operation.h"

#include <string.h>

const char *const operation_names[OPERATIONS + 1] = {[OPERATION_READ] = "read",
                                                     [OPERATION_WRITE] = "write",
                                                     [OPERATION_SYNC] = "sync",
                                                     [OPERATION_TRIM] = "trim",
                                                     [OPERATION_ALL] = "all"};

int operation_by_name(const char *name)
{
    int op = 0;
    while (op < OPERATION_ALL && strcmp(name, operation_names[op]) != 0)
        op++;
    return op;
}
