/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seals and checks the lines of a file in which each line has a checksum, reads all lines, and adds
   one. */
#include "base/durable/line_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/file/file.h"

enum { DIGITS = 8 };

/* ---- one line ---- */

void line_seal(const struct line_form *form, uint32_t *chain, struct span line, struct text *to)
{
    char digits[DIGITS + 1];
    uint32_t crc = crc32c(form->chained ? *chain : 0, line.text, line.length);
    snprintf(digits, sizeof digits, "%08x", crc);
    *chain = crc;
    if (form->in_front) {
        text_add(to, digits);
        text_add(to, form->separator);
    }
    text_add_bytes(to, line.text, line.length);
    if (!form->in_front) {
        text_add(to, form->separator);
        text_add(to, digits);
    }
    text_add(to, "\n");
}

bool line_unseal(const struct line_form *form, uint32_t *chain, struct span *line)
{
    const size_t between = strlen(form->separator), seal = DIGITS + between;
    char digits[DIGITS + 1];
    if (line->length <= seal || memchr(line->text, '\0', line->length))
        return false;
    const struct span body = {line->text + (form->in_front ? seal : 0), line->length - seal};
    const char *at = form->in_front ? line->text : body.text + body.length + between;
    const char *separator = form->in_front ? at + DIGITS : at - between;
    const uint32_t crc = crc32c(form->chained ? *chain : 0, body.text, body.length);
    snprintf(digits, sizeof digits, "%08x", crc);
    if (memcmp(at, digits, DIGITS) != 0 || memcmp(separator, form->separator, between) != 0)
        return false;
    *chain = crc;
    *line = body;
    return true;
}

/* ---- reading ---- */

/* Removes the first line from `rest`; *line is the line without its line end. Returns false if
   there is no line end. */
static bool split_line(struct span *rest, struct span *line)
{
    const char *end = rest->length ? memchr(rest->text, '\n', rest->length) : NULL;
    if (!end)
        return false;
    *line = (struct span){rest->text, (size_t)(end - rest->text)};
    rest->text += line->length + 1;
    rest->length -= line->length + 1;
    return true;
}

bool line_next(struct line_reader *r, struct span *line)
{
    struct span rest = r->rest;
    r->number++;
    if (!split_line(&rest, line) || !line_unseal(r->form, &r->chain, line))
        return false;
    r->rest = rest;
    return true;
}

bool line_rest_is_torn(const struct line_reader *r)
{
    struct span rest = r->rest, line;
    uint32_t chain = r->chain;
    while (split_line(&rest, &line))
        if (r->form->chained || line_unseal(r->form, &chain, &line))
            return false;
    return true;
}

/* ---- adding ---- */

/* Flushes the folder, so that the file's name survives a crash, as its lines do. */
static int flush_name(const struct line_journal *j)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(j->path, '/');
    file_path(folder, "%.*s", slash ? (int)(slash - j->path) : 1, slash ? j->path : ".");
    return dir_flush(folder);
}

int line_journal_open(struct line_journal *j, bool is_new)
{
    j->line = (struct text){.data = malloc(LINE_JOURNAL_ROOM), .capacity = LINE_JOURNAL_ROOM};
    if (!j->line.data)
        return -1;
    j->fd = open(j->path,
                 O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
                     (is_new ? O_CREAT | O_EXCL : 0),
                 0666);
    return j->fd < 0 || (is_new && j->form->flushed && flush_name(j)) ? -1 : 0;
}

static int write_line(struct line_journal *j, struct span line, struct err *e)
{
    uint32_t chain = j->chain;
    line_seal(j->form, &chain, line, &j->line);
    if (j->line.failed) {
        errno = ENOMEM;
        return err_no_memory(e, "a line of %s", j->path);
    }
    if (write_all(j->fd, j->line.data, j->line.length, j->path, e) ||
        (j->form->flushed && flush_data(j->fd, j->path, e)))
        return -1;
    j->chain = chain;
    j->end += (off_t)j->line.length;
    return 0;
}

int line_journal_cut(struct line_journal *j)
{
    return ftruncate(j->fd, j->end) || (j->form->flushed && fsync(j->fd)) ? -1 : 0;
}

int line_journal_add(struct line_journal *j, struct span line, struct err *e)
{
    if (j->fd < 0)
        return 0;
    if (!j->error && write_line(j, line, &j->failure)) {
        j->error = errno ? errno : EIO;
        line_journal_cut(j); /* if this fails a torn line stays, which readers drop */
    }
    j->line.length = 0;
    if (!j->error)
        return 0;
    *e = j->failure;
    return -1;
}

void line_journal_close(struct line_journal *j)
{
    if (j->fd >= 0)
        close(j->fd);
    j->fd = -1;
    text_free(&j->line);
}
