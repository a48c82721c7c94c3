/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cleans names in an archive from any source, and refuses those that lead out of it. */
#include "hw/capture/internal.h"

#include <stdbool.h>
#include <string.h>

#define PART_MAX 255

/* Removes one part and the separator after it from the start of *s. Returns the part. */
static struct span next_part(struct span *s)
{
    struct span part = {s->text, 0};
    while (part.length < s->length && part.text[part.length] != '/')
        part.length++;
    size_t used = part.length + (part.length < s->length);
    s->text += used;
    s->length -= used;
    return part;
}

static bool is_part(struct span part, const char *text)
{
    return part.length == strlen(text) && !memcmp(part.text, text, part.length);
}

static size_t append_part(char *to, size_t used, struct span part)
{
    if (used)
        to[used++] = '/';
    memcpy(to + used, part.text, part.length);
    to[used + part.length] = '\0';
    return used + part.length;
}

const char *tar_take_name(char to[TAR_NAME], struct span prefix, struct span name)
{
    const struct span both[] = {prefix, name}, *first = prefix.length ? &both[0] : &both[1];
    size_t used = 0;
    to[0] = '\0';
    if (prefix.length + name.length + 2 > TAR_NAME)
        return "its name is too long";
    if (first->length && *first->text == '/')
        return "its name is absolute";
    for (int i = 0; i < 2; i++) {
        struct span rest = both[i];
        while (rest.length) {
            struct span part = next_part(&rest);
            if (!part.length || is_part(part, "."))
                continue;
            if (is_part(part, ".."))
                return "its name leads out of the capture";
            if (part.length > PART_MAX)
                return "its name is too long";
            if (memchr(part.text, '\0', part.length))
                return "its name holds a zero byte";
            used = append_part(to, used, part);
        }
    }
    return NULL;
}

/* Refuses a target with ".." after a name, whose meaning depends on whether that name is a link. */
const char *tar_take_target(char to[TAR_NAME], const char *name, struct span target)
{
    size_t used = 0, up = 0, named = 0, folders_above = 0;
    to[0] = '\0';
    if (target.length + 1 > TAR_NAME)
        return "the target of the link is too long";
    if (target.length && *target.text == '/')
        return "it links to an absolute name";
    for (; *name; name++)
        folders_above += *name == '/';
    while (target.length) {
        struct span part = next_part(&target);
        if (!part.length || is_part(part, "."))
            continue;
        if (part.length > PART_MAX)
            return "the target of the link is too long";
        if (memchr(part.text, '\0', part.length))
            return "the target of the link holds a zero byte";
        if (!is_part(part, ".."))
            named++;
        else if (named || ++up > folders_above)
            return "it links to what is outside of the capture";
        used = append_part(to, used, part);
    }
    return used ? NULL : "it links to nothing";
}
