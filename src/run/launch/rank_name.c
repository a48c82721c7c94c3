/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expands templates of names for a rank. */
#include "run/launch/rank_name.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LETTERS "hrnp"

bool rank_name_has(const char *text, char letter)
{
    for (const char *c = strchr(text, '%'); c && c[1]; c = strchr(c + 2, '%'))
        if (c[1] == letter)
            return true;
    return false;
}

bool rank_name_is_template(const char *text)
{
    for (const char *letter = LETTERS; *letter; letter++)
        if (rank_name_has(text, *letter))
            return true;
    return false;
}

static int digits_of(uint32_t number)
{
    return number < 10 ? 1 : 1 + digits_of(number / 10);
}

/* Writes the value of a letter. Returns -1 if the letter has no meaning. */
static int write_letter(char letter, const struct launcher *l, char *to, size_t size)
{
    switch (letter) {
    case 'h':
        return snprintf(to, size, "%s", l->host);
    case 'r':
        return snprintf(to, size, "%0*u", l->size ? digits_of(l->size - 1) : 1, l->rank);
    case 'n':
        return snprintf(to, size, "%u", l->size);
    case 'p':
        return snprintf(to, size, "%ld", (long)getpid());
    case '%':
        return snprintf(to, size, "%%");
    default:
        return -1;
    }
}

int rank_name_expand(const char *text, const struct launcher *l, const char *option, char *to,
                     size_t size, struct err *e)
{
    char name[PATH_MAX], piece[80];
    size_t used = 0;
    if (rank_name_has(text, 'n') && !l->size)
        return err_set(e, ERR_USAGE,
                       "%s %.80s: %s does not say how many ranks there are: set CUPEL_SIZE, or "
                       "leave %%n out",
                       option, text, l->name);
    for (const char *c = text; *c; c++) {
        int length = 1;
        if (*c != '%')
            snprintf(piece, sizeof piece, "%c", *c);
        else if ((length = write_letter(c[1], l, piece, sizeof piece)) >= 0)
            c++;
        else
            return err_set(e, ERR_USAGE,
                           "%s %.80s: after %% one of h (host), r (rank), n (number of ranks), p "
                           "(process) or %% is expected",
                           option, text);
        if (used + (size_t)length >= sizeof name || used + (size_t)length >= size)
            return err_set(e, ERR_USAGE, "%s %.80s: the name becomes longer than %zu characters",
                           option, text, size - 1);
        memcpy(name + used, piece, (size_t)length);
        used += (size_t)length;
    }
    memcpy(to, name, used);
    to[used] = '\0';
    return 0;
}

int rank_name_folder(char *folder, size_t size, const struct launcher *l, struct err *e)
{
    char name[PATH_MAX];
    bool by_rank = rank_name_has(folder, 'r') || rank_name_has(folder, 'p');
    bool by_host = rank_name_has(folder, 'h');
    if (launcher_is_of_many(l) && folder[0] && !by_rank && !by_host)
        return err_set(e, ERR_USAGE,
                       "-o %.150s: all ranks would write to this one folder: give each its own, as "
                       "in -o %.150s/%%h-%%r",
                       folder, folder);
    if (launcher_is_of_many(l) && by_host && !by_rank && l->local_rank > 0)
        return err_set(e, ERR_USAGE,
                       "-o %.200s: several ranks on %s would write to this one folder: put %%r "
                       "into its name",
                       folder, l->host);
    if (rank_name_expand(folder, l, "-o", name, size < sizeof name ? size : sizeof name, e))
        return -1;
    snprintf(folder, size, "%s", name);
    return 0;
}

int rank_name_make_parent(const char *folder, struct err *e)
{
    char parent[PATH_MAX];
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    while (length > 0 && folder[length - 1] != '/')
        length--;
    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (!length || length >= sizeof parent)
        return 0;
    memcpy(parent, folder, length);
    parent[length] = '\0';
    /* another rank may have created the folder first */
    if (!mkdir(parent, 0777) || errno == EEXIST)
        return 0;
    return err_set(e, ERR_USAGE, "cannot make the folder %.300s: %s", parent, strerror(errno));
}
