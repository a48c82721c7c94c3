/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gets a program's unit readings: from a pipe or a FIFO, read while the round runs, so that the
   program hardly ever waits; or from a file that it writes, read after the round. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/exec/internal.h"

static bool is_piped(const struct exec_program *p)
{
    return !strcmp(p->unit_readings, EXEC_UNITS_PIPE);
}

char *unit_source_name(const struct exec_program *p, const struct substitution *s)
{
    return is_piped(p) ? strdup(UNIT_CHILD_PATH) : substitution_apply(s, p->unit_readings);
}

/* Opens a FIFO for reading and writing: otherwise a writer that closes it would look like the end
   of all readings. */
static bool open_fifo(struct unit_source *u, char *why, size_t size)
{
    struct stat st;
    if (stat(u->path, &st))
        return true; /* a file that the round makes */
    if (!S_ISFIFO(st.st_mode)) {
        snprintf(why, size,
                 "%.80s is there before the round: let %%ROUND%% or %%RESULT_DIR%% be in the name "
                 "of --unit-readings, or --prepare remove it",
                 u->path);
        return false;
    }
    u->descriptor = open(u->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (u->descriptor < 0)
        snprintf(why, size, "its unit readings: %.120s: %s", u->path, strerror(errno));
    return u->descriptor >= 0;
}

bool unit_source_begin(struct unit_source *u, const struct exec_program *p, const char *name,
                       char *why, size_t size)
{
    const bool below = p->directory && name[0] != '/'; /* its working directory may differ from
                                                          cupel's */
    snprintf(u->path, sizeof u->path, "%s%s%s", below ? p->directory : "", below ? "/" : "", name);
    unit_reader_begin(u->reader);
    u->descriptor = -1;
    if (!is_piped(p) && !open_fifo(u, why, size))
        return false;
    u->streams = is_piped(p) || u->descriptor >= 0;
    return true;
}

static void read_file(struct unit_source *u, const volatile sig_atomic_t *stop)
{
    struct unit_reader *r = u->reader;
    struct stat st;
    int fd = open(u->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        snprintf(r->why, sizeof r->why, "it wrote no unit readings: %.120s: %s", u->path,
                 strerror(errno));
        return;
    }
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        snprintf(r->why, sizeof r->why, "its unit readings: %.120s is no file", u->path);
    while (!r->why[0] && !(stop && *stop) && unit_reader_read(r, fd))
        ;
    close(fd);
}

const char *unit_source_end(struct unit_source *u, bool is_good, const volatile sig_atomic_t *stop)
{
    if (is_good && !u->streams)
        read_file(u, stop);
    if (u->descriptor >= 0)
        close(u->descriptor);
    u->descriptor = -1;
    u->streams = false;
    return is_good ? unit_reader_end(u->reader) : NULL;
}
