/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contains what the completion scripts of all shells share. */
#include "cmd/options/completion.h"

#include <string.h>

static bool is_end(const char *p)
{
    return (*p == '.' || *p == ';') && (!p[1] || p[1] == ' ');
}

void completion_add_sentence(const struct option_row *row, const char *quote, const char *special,
                             struct text *out)
{
    for (const char *p = row->help; *p && !is_end(p); p++) {
        if (*p == '\'')
            text_add(out, quote);
        else if (strchr(special, *p))
            text_addf(out, "\\%c", *p);
        else
            text_add_bytes(out, p, 1);
    }
}

bool completion_of_program(const struct command *command)
{
    return !strncmp(command->operands, "--", 2);
}
