/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints whether the data that the session wrote could be read back unchanged (--verify): "DATA
   VERIFIED: ...". Prints nothing without --verify, or if the verdict already says it. */
#include <string.h>

#include "report/document/document.h"
#include "report/run/sections.h"

void section_read_back(const struct result *r, struct document *out)
{
    const char *words = facts_find(&r->settings, "verify", "read back");
    const char *rest = words ? strchr(words, ':') : NULL;
    char lead[40] = "";
    if (!rest || (size_t)(rest - words) + 3 > sizeof lead ||
        (r->verdict == VERDICT_FAILED && strstr(r->failure, words)))
        return;
    rest += 2;
    memcpy(lead, words, (size_t)(rest - words));
    document_paragraph(out, lead, strncmp(lead, "DATA VERIFIED", 13) ? TONE_YELLOW : TONE_GREEN,
                       rest);
}
