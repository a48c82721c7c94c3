/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads tar archives: headers and records are checked before they are used. */
#include "hw/capture/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/span.h"

/* Name, target and size of the next member, from the pax records and GNU headers before it. */
struct announced {
    char name[TAR_NAME], target[TAR_NAME];
    bool has_name, has_target, has_size;
    uint64_t size;
};

static int damaged(const struct tar_reader *r, const char *what, struct err *e)
{
    err_set(e, ERR_USAGE, "%s: no usable capture: member %zu: %s", r->file, r->members, what);
    return -1;
}

/* ---- the window ---- */

/* Returns `length` bytes of the archive from offset `at` on. The archive must have them, and they
   must fit into the window. NULL: they cannot be read. */
static const char *look_at(struct tar_reader *r, uint64_t at, size_t length, struct err *e)
{
    if (at >= r->window_at && at + length <= r->window_at + r->window_length)
        return r->window + (at - r->window_at);
    r->window_at = at;
    r->window_length = 0;
    while (r->window_length < sizeof r->window && at + r->window_length < r->length) {
        ssize_t got = pread(r->fd, r->window + r->window_length,
                            sizeof r->window - r->window_length, (off_t)(at + r->window_length));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            err_set(e, ERR_USAGE, "cannot read %s: %s", r->file, strerror(errno));
            return NULL;
        }
        if (got == 0) /* the file was truncated while it was read */
            break;
        r->window_length += (size_t)got;
    }
    if (length > r->window_length) {
        damaged(r, "the file became shorter", e);
        return NULL;
    }
    return r->window;
}

const char *tar_contents(struct tar_reader *r, const struct tar_member *m, uint64_t from,
                         size_t *length, struct err *e)
{
    uint64_t left = m->length - from;
    *length = left < sizeof r->window ? (size_t)left : sizeof r->window;
    return look_at(r, m->at + from, *length, e);
}

/* ---- fields ---- */

static struct span field_text(const char *field, size_t size)
{
    return (struct span){field, strnlen(field, size)};
}

/* Reads octal digits between blanks. Returns false for anything else, such as GNU's form of numbers
   above 8 GiB. */
static bool field_number(const char *field, size_t size, uint64_t *value)
{
    struct span s = span_trimmed(field_text(field, size));
    *value = 0;
    for (size_t i = 0; i < s.length; i++) {
        if (s.text[i] < '0' || s.text[i] > '7')
            return false;
        *value = *value << 3 | (uint64_t)(s.text[i] - '0');
    }
    return s.length > 0;
}

/* ---- members ---- */

/* Sets the kind of the member. Returns NULL, or why a member of this type is refused. */
static const char *take_kind(struct tar_member *m, char type)
{
    switch (type) {
    case TAR_TYPE_FILE:
    case TAR_TYPE_FILE_V7:
        m->kind = TAR_FILE;
        return NULL;
    case TAR_TYPE_FOLDER:
        m->kind = TAR_FOLDER;
        return NULL;
    case TAR_TYPE_LINK:
        m->kind = TAR_LINK;
        return NULL;
    case TAR_TYPE_HARD_LINK:
        return "it is a hard link";
    case TAR_TYPE_CHARACTERS:
    case TAR_TYPE_BLOCKS:
        return "it is a device";
    case TAR_TYPE_PIPE:
        return "it is a pipe";
    default:
        return "it is neither a file, a folder nor a link";
    }
}

static bool is_end_mark(const char *block)
{
    for (size_t i = 0; i < TAR_BLOCK; i++)
        if (block[i])
            return false;
    return true;
}

/* Reads the header at r->at and moves past it. The end mark is a header of zeros. */
static int next_header(struct tar_reader *r, struct tar_header *h, struct err *e)
{
    if (r->length - r->at < TAR_BLOCK)
        return damaged(r, "the file ends before the archive does", e);
    const char *block = look_at(r, r->at, TAR_BLOCK, e);
    if (!block)
        return -1;
    memcpy(h, block, sizeof *h);
    if (!is_end_mark(block)) {
        if (memcmp(h->magic, "ustar", 5) != 0)
            return damaged(r, r->at ? "no tar header where one should be" : "it is no tar archive",
                           e);
        const unsigned char *bytes = (const unsigned char *)h;
        const size_t begin = offsetof(struct tar_header, checksum);
        const size_t end = begin + sizeof h->checksum;
        uint64_t stated, sum = 0;
        for (size_t i = 0; i < sizeof *h; i++)
            sum += i >= begin && i < end ? ' ' : bytes[i];
        if (!(field_number(h->checksum, sizeof h->checksum, &stated) && stated == sum))
            return damaged(r, "its header is damaged (checksum)", e);
    }
    r->at += TAR_BLOCK;
    return 0;
}

/* Moves past the contents of a member and their padding. Sets *at to the offset of the contents. */
static int pass_contents(struct tar_reader *r, uint64_t size, uint64_t *at, struct err *e)
{
    uint64_t left = r->length - r->at;
    if (size > left)
        return damaged(r, "it is longer than the file", e);
    *at = r->at;
    uint64_t padding = (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
    r->at += size + (padding < left - size ? padding : left - size);
    return 0;
}

/* Copies the name. Returns false if it is too long. */
static bool keep_name(char to[TAR_NAME], struct span name)
{
    if (name.length >= TAR_NAME || memchr(name.text, '\0', name.length))
        return false;
    span_copy(to, name);
    return true;
}

static bool has_key(struct span record, const char *key, struct span *value)
{
    size_t length = strlen(key);
    if (record.length <= length || memcmp(record.text, key, length) != 0 ||
        record.text[length] != '=')
        return false;
    *value = (struct span){record.text + length + 1, record.length - length - 1};
    return true;
}

static bool decimal(struct span s, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < s.length; i++) {
        if (s.text[i] < '0' || s.text[i] > '9' || *value > (UINT64_MAX - 9) / 10)
            return false;
        *value = *value * 10 + (uint64_t)(s.text[i] - '0');
    }
    return s.length > 0;
}

static int announce_name(const struct tar_reader *r, struct announced *a, struct span name,
                         struct err *e)
{
    a->has_name = true;
    return keep_name(a->name, name) ? 0 : damaged(r, "its name is too long or damaged", e);
}

static int announce_target(const struct tar_reader *r, struct announced *a, struct span target,
                           struct err *e)
{
    a->has_target = true;
    return keep_name(a->target, target) ? 0 : damaged(r, "the target of the link is too long", e);
}

static int take_records(const struct tar_reader *r, struct span rest, struct announced *a,
                        struct err *e)
{
    struct span record, value;
    while (rest.length) {
        /* A record has the form "LENGTH key=value\n". */
        size_t digits = 0;
        uint64_t length;
        while (digits < rest.length && rest.text[digits] != ' ')
            digits++;
        if (!decimal((struct span){rest.text, digits}, &length) || length > rest.length ||
            length < digits + 2 || rest.text[length - 1] != '\n')
            return damaged(r, "its pax records are damaged", e);
        record = (struct span){rest.text + digits + 1, (size_t)length - digits - 2};
        rest = (struct span){rest.text + length, rest.length - (size_t)length};
        if (has_key(record, "path", &value)) {
            if (announce_name(r, a, value, e))
                return -1;
        } else if (has_key(record, "linkpath", &value)) {
            if (announce_target(r, a, value, e))
                return -1;
        } else if (has_key(record, "size", &value)) {
            if (!decimal(value, &a->size))
                return damaged(r, "its pax records are damaged", e);
            a->has_size = true;
        } else if (record.length > 11 && !memcmp(record.text, "GNU.sparse.", 11)) {
            return damaged(r, "it is a sparse file", e);
        }
    }
    return 0;
}

/* Reads a header that describes the next member. Returns 1 if the header was of this kind, 0 if it
   is the header of a member. */
static int take_announcement(struct tar_reader *r, const struct tar_header *h, struct announced *a,
                             struct err *e)
{
    uint64_t size, at = 0;
    if (!h->type || !strchr("xgLK", h->type))
        return 0;
    if (!field_number(h->size, sizeof h->size, &size))
        return damaged(r, "its size cannot be read", e);
    if (pass_contents(r, size, &at, e))
        return -1;
    if (h->type == TAR_TYPE_PAX_GLOBAL || !size)
        return 1;
    if (size > TAR_WINDOW)
        return damaged(r, "the records before it are too long", e);
    const char *text = look_at(r, at, (size_t)size, e);
    if (!text)
        return -1;
    int status;
    if (h->type == TAR_TYPE_PAX)
        status = take_records(r, (struct span){text, (size_t)size}, a, e);
    else if (h->type == TAR_TYPE_GNU_NAME)
        status = announce_name(r, a, field_text(text, (size_t)size), e);
    else
        status = announce_target(r, a, field_text(text, (size_t)size), e);
    return status ? -1 : 1;
}

static int take_member(struct tar_reader *r, const struct tar_header *h, const struct announced *a,
                       struct tar_member *m, struct err *e)
{
    uint64_t size, mode;
    struct span prefix = {"", 0};
    if (!a->has_name && !memcmp(h->magic, "ustar", sizeof "ustar"))
        prefix = field_text(h->prefix, sizeof h->prefix);
    const char *problem = take_kind(m, h->type);
    if (!problem)
        problem = tar_take_name(
            m->name, prefix, a->has_name ? span_of(a->name) : field_text(h->name, sizeof h->name));
    m->target[0] = '\0';
    if (!problem && m->kind == TAR_LINK)
        problem = tar_take_target(m->target, m->name,
                                  a->has_target ? span_of(a->target)
                                                : field_text(h->target, sizeof h->target));
    if (!problem && (!field_number(h->mode, sizeof h->mode, &mode) ||
                     !field_number(h->size, sizeof h->size, &size)))
        problem = "its size or mode cannot be read";
    if (!problem && !m->name[0] && m->kind != TAR_FOLDER)
        problem = "it has no name";
    if (problem)
        return damaged(r, problem, e);
    m->mode = (unsigned)(mode & 0777);
    if (a->has_size)
        size = a->size;
    m->length = m->kind == TAR_FILE ? size : 0;
    return pass_contents(r, m->length, &m->at, e);
}

int tar_next(struct tar_reader *r, struct tar_member *m, struct err *e)
{
    struct announced about = {0};
    for (;;) {
        r->members++;
        struct tar_header h;
        if (next_header(r, &h, e))
            return -1;
        if (is_end_mark((const char *)&h))
            return 0;
        int announced = take_announcement(r, &h, &about, e);
        if (announced < 0)
            return -1;
        if (announced)
            continue;
        if (take_member(r, &h, &about, m, e))
            return -1;
        if (m->name[0])
            return 1;
        about = (struct announced){0};
    }
}

/* ---- unpacking ---- */

/* Unpacks all folders and files first, then the links, so that nothing is ever written through a
   link. */

#define ANYBODY_READS (S_IRUSR | S_IRGRP | S_IROTH)

struct unpacking {
    struct tar_reader archive;
    const char *file; /* for messages */
    int at;           /* descriptor of the target folder */
    size_t entries;   /* number of entries made so far */
};

static int cannot_make(const struct unpacking *u, const char *name, int error, struct err *e)
{
    if (error == EEXIST || error == ENOTDIR || error == EISDIR)
        return err_set(e, ERR_USAGE, "%s: no usable capture: %.200s is there twice", u->file, name);
    return err_set(e, ERR_MACHINE, "%s: cannot unpack %.200s: %s; TMPDIR says where to", u->file,
                   name, strerror(error));
}

static int count_entry(struct unpacking *u, struct err *e)
{
    if (++u->entries > TAR_MAX_ENTRIES)
        return err_set(e, ERR_USAGE, "%s: no usable capture: it has more than %d entries", u->file,
                       TAR_MAX_ENTRIES);
    return 0;
}

static int make_folder(struct unpacking *u, const char *name, struct err *e)
{
    struct stat s;
    if (!mkdirat(u->at, name, 0700))
        return count_entry(u, e);
    int error = errno;
    if (error == EEXIST && !fstatat(u->at, name, &s, AT_SYMLINK_NOFOLLOW) && S_ISDIR(s.st_mode))
        return 0;
    return cannot_make(u, name, error, e);
}

/* Makes the folders above a name. Most exist already, so the lowest one is tried first. */
static int make_folders_above(struct unpacking *u, const char *name, struct err *e)
{
    char above[TAR_NAME];
    struct stat s;
    const char *last = strrchr(name, '/');
    if (!last)
        return 0;
    memcpy(above, name, (size_t)(last - name));
    above[last - name] = '\0';
    if (!fstatat(u->at, above, &s, AT_SYMLINK_NOFOLLOW) && S_ISDIR(s.st_mode))
        return 0;
    for (char *slash = above; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (make_folder(u, above, e))
            return -1;
        *slash = '/';
    }
    return make_folder(u, above, e);
}

static int make_file(struct unpacking *u, const struct tar_member *m, struct err *e)
{
    bool denied = !(m->mode & ANYBODY_READS);
    int fd = openat(u->at, m->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    denied ? 0 : 0600);
    if (fd < 0)
        return cannot_make(u, m->name, errno, e);
    int status = count_entry(u, e);
    size_t length;
    for (uint64_t from = 0; !status && from < m->length; from += length) {
        const char *piece = tar_contents(&u->archive, m, from, &length, e);
        if (!piece)
            status = -1;
        else if (write_all(fd, piece, length, m->name, NULL))
            status = cannot_make(u, m->name, errno, e);
    }
    close(fd);
    return status;
}

/* Makes the members that are links if `links` is true, otherwise the files and folders. */
static int make_all(struct unpacking *u, bool links, struct err *e)
{
    struct tar_member m;
    int status;
    u->archive.at = 0;
    u->archive.members = 0;
    while ((status = tar_next(&u->archive, &m, e)) > 0) {
        if (links && m.kind == TAR_LINK) {
            if (symlinkat(m.target, u->at, m.name))
                return cannot_make(u, m.name, errno, e);
            if (count_entry(u, e))
                return -1;
        }
        if (links)
            continue;
        if (make_folders_above(u, m.name, e) ||
            (m.kind == TAR_FOLDER && make_folder(u, m.name, e)) ||
            (m.kind == TAR_FILE && make_file(u, &m, e)))
            return -1;
    }
    return status;
}

int tar_unpack(const char *file, int fd, const char *folder, struct err *e)
{
    struct stat s;
    if (fstat(fd, &s))
        return err_set(e, ERR_USAGE, "cannot read %s: %s", file, strerror(errno));
    if (s.st_size > (off_t)TAR_MAX_BYTES)
        return err_set(e, ERR_USAGE, "%s: no usable capture: it is larger than %zu MiB", file,
                       TAR_MAX_BYTES >> 20);
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0)
        return err_set(e, ERR_MACHINE, "cannot unpack into %s: %s", folder, strerror(errno));
    /* on the heap: its window is too large for a small stack */
    struct unpacking *u = calloc(1, sizeof *u);
    int status = 0;
    if (!u) {
        status = err_no_memory(e, "unpacking %s", file);
    } else {
        u->file = file;
        u->at = at;
        u->archive.fd = fd;
        u->archive.length = (uint64_t)s.st_size;
        u->archive.file = file;
        status = make_all(u, false, e);
        if (!status)
            status = make_all(u, true, e);
    }
    close(at);
    free(u);
    return status;
}
