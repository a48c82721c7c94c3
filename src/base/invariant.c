/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/invariant.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void invariant_broken(const char *file, int line, const char *words)
{
    dprintf(STDERR_FILENO,
            "cupel: this is a defect of cupel, please report it: %s:%d: it does not hold that %s\n",
            file, line, words);
    abort();
}
