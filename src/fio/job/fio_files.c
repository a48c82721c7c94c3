/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts the settings about the files of a section. Each file with a name becomes a session;
 * these sessions run at the same time, and share the section's jobs, requests in flight, rates and
 * bytes. The same applies to several folders. Files without names become parts of one scratch file.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fio/job/internal.h"
#include "source/generator/workload_spec.h"

#define FILES_MAX  64   /* number of files that can be measured at the same time */
#define SIZE_UNIT  4096 /* a file's share of the bytes is a multiple of this number */
#define PATH_BYTES sizeof((struct fio_session *)0)->target

/* ---- number and order of the files ---- */

/* Refuses settings about the timing and the addresses of bytes, which engines for files and folders
   do not support. */
static void refuse_for_entries(struct section_reader *s)
{
    static const enum fio_key of_bytes[] = {FIO_KEY_RATE, FIO_KEY_RATE_IOPS, FIO_KEY_THINK,
                                            FIO_KEY_LATENCY, FIO_KEY_FLOW};
    for (size_t i = 0; i < sizeof of_bytes / sizeof *of_bytes; i++)
        if (s->given[of_bytes[i]])
            section_cannot(s, s->given[of_bytes[i]], "%s: not with ioengine=%s",
                           s->given[of_bytes[i]]->name, s->stream.entries);
    text_add(&s->session->notes, "a pass goes over nrfiles; precision or runtime ends the session, "
                                 "after many passes\n");
    if (s->given[FIO_KEY_FILENAME])
        text_add(&s->session->notes, "filename: the entries have names of their own\n");
}

int section_make_files(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_FILES];
    s->stream.files = 1;
    if (section_read_number(s, FIO_KEY_FILES, UINT32_MAX, &s->stream.files, e))
        return -1;
    if (!s->stream.files)
        return section_refuse(s, at, e, "%s is a number above 0", at->name);
    if (s->stream.entries)
        refuse_for_entries(s);
    else if (s->stream.files > 1 && s->given[FIO_KEY_FILENAME]) {
        text_addf(&s->session->notes, "%s: filename says which they are, as in fio\n", at->name);
        s->stream.files = 1;
    }
    return 0;
}

/* Checks file_service_type. *one_by_one: each file is finished before the next one begins. */
static int read_service(struct section_reader *s, bool *one_by_one, struct err *e)
{
    static const char *const uneven[] = {"zipf", "pareto", "normal", "gauss"};
    const struct fio_setting *at = s->given[FIO_KEY_SERVICE];
    char kind[32], shown[64];
    *one_by_one = false;
    if (!at)
        return 0;
    if (section_need_value(s, at, e))
        return -1;
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(at->value, ":"), at->value);
    for (size_t i = 0; i < sizeof uneven / sizeof *uneven; i++)
        if (!strcmp(kind, uneven[i])) {
            section_cannot(s, at, "%s=%s: all files have the same number of requests here",
                           at->name, kind);
            return 0;
        }
    *one_by_one = !strcmp(kind, "sequential");
    return *one_by_one || !strcmp(kind, "roundrobin") || !strcmp(kind, "random")
               ? 0
               : section_refuse(s, at, e, "%s is roundrobin, random or sequential, not %s",
                                at->name, section_printable(shown, at->value));
}

/* Makes the section's files parts of one scratch file: random requests go to all of them, and
   sequential ones to each in turn. */
static int make_parts(struct section_reader *s, struct err *e)
{
    struct fio_stream *f = &s->stream;
    const struct fio_setting *at = s->given[FIO_KEY_FILES];
    bool one_by_one;
    if (f->files < 2 || f->entries || s->targetless)
        return 0;
    if (read_service(s, &one_by_one, e))
        return -1;
    if (s->given[FIO_KEY_FILESIZE] && !f->region.shares)
        f->region.size *= (double)f->files;
    if (f->random ? one_by_one : *f->address || f->files > STREAMS_OF_ADDRESS_MAX)
        section_cannot(s, f->random ? s->given[FIO_KEY_SERVICE] : at,
                       f->random ? "file_service_type: random requests go to all files here"
                                 : "%s: at most %d in sequence, without strides",
                       at->name, STREAMS_OF_ADDRESS_MAX);
    else if (!f->random && !one_by_one)
        snprintf(f->address, sizeof f->address, "streams:%" PRIu64, f->files);
    text_addf(&s->session->notes, "%s: the %" PRIu64 " files are parts of one scratch file%s\n",
              at->name, f->files,
              f->random    ? ""
              : one_by_one ? ", one after another"
                           : ", each read or written in sequence, in turn");
    return 0;
}

/* ---- names of the files ---- */

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) || stat(b, &y) || (x.st_mode & S_IFMT) != (y.st_mode & S_IFMT))
        return false;
    return S_ISBLK(x.st_mode) || S_ISCHR(x.st_mode) ? x.st_rdev == y.st_rdev
                                                    : x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Adds a target, unless the section has this path already. */
static void add_target(struct section_reader *s, const struct fio_setting *at, const char *path)
{
    const char *name = at ? at->name : fio_key_name(FIO_KEY_FILENAME);
    const char *other = s->session->targets.data;
    for (size_t i = 0; i < s->target_count; i++, other += strlen(other) + 1) {
        char shown[64];
        bool again = !strcmp(path, other);
        if (again)
            text_addf(&s->session->notes, "%s: %s is named twice, and measured once\n", name,
                      section_printable(shown, path));
        else if (is_same_file(path, other))
            section_cannot(s, at, "%s: %s is one of the others under another name", name,
                           section_printable(shown, path));
        else
            continue;
        s->impossible |= !again;
        return;
    }
    if (!s->target_count++)
        snprintf(s->session->target, PATH_BYTES, "%s", path);
    text_add_bytes(&s->session->targets, path, strlen(path) + 1);
}

/* Adds the paths in one setting, which are separated by ':'; a ':' after a backslash is part of a
   path. `folder`: folder of relative paths, or NULL. */
static int add_targets(struct section_reader *s, const struct fio_setting *at, const char *folder,
                       struct err *e)
{
    for (const char *p = at->value; *p; p += *p == ':') {
        char path[PATH_BYTES] = "";
        size_t begin = 0;
        if (folder && *p != '/')
            begin = (size_t)snprintf(path, sizeof path, "%.500s/", folder);
        size_t used = begin;
        for (; *p && *p != ':'; p++) {
            if (*p == '\\' && p[1] == ':')
                p++;
            if (used + 1 >= sizeof path)
                return section_refuse(s, at, e, "%s is too long", at->name);
            path[used++] = *p;
        }
        path[used] = '\0';
        if (used > begin)
            add_target(s, at, path);
    }
    return 0;
}

/* Adds the names of all filename lines, including those of [global], as fio does. */
static int add_all_names(struct section_reader *s, const char *folder, struct err *e)
{
    const struct fio_setting *last = s->given[FIO_KEY_FILENAME];
    for (size_t i = 0; i < s->file->setting_count; i++) {
        const struct fio_setting *at = &s->file->settings[i];
        if (!section_has(s, at) || strcmp(at->name, last->name) != 0)
            continue;
        if (section_need_value(s, at, e) || add_targets(s, at, folder, e))
            return -1;
    }
    return 0;
}

/* Adds folders as targets. As in fio, each job has its files in one of them: the folders are
   assigned to the jobs in turn. */
static int add_folders(struct section_reader *s, const struct fio_setting *at, struct err *e)
{
    s->folders = true;
    if (at && add_targets(s, at, NULL, e))
        return -1;
    if (!s->target_count)
        add_target(s, at, ".");
    if (s->target_count > s->stream.jobs)
        s->target_count = s->stream.jobs;
    text_add(&s->session->notes,
             s->stream.entries ? "files have a scratch folder of their own, which is removed\n"
                               : "without filename a scratch file is measured, and removed\n");
    return make_parts(s, e);
}

/* Checks that every file's share is at least one request in flight, and adds a note about the
   shares. */
static int check_shares(struct section_reader *s, struct err *e)
{
    const struct fio_stream *f = &s->stream;
    const struct fio_setting *at = s->given[s->folders ? FIO_KEY_DIRECTORY : FIO_KEY_FILENAME];
    const uint64_t all = f->depth * f->jobs;
    if (s->target_count < 2)
        return 0;
    if (!s->folders && read_service(s, &s->one_by_one, e))
        return -1;
    if (s->target_count > FILES_MAX)
        section_cannot(s, at, "%s: %zu at the same time: at most %d", at->name, s->target_count,
                       FILES_MAX);
    else if (s->one_by_one) {
        text_addf(&s->session->notes,
                  "file_service_type: %zu files one after another, each for the runtime\n",
                  s->target_count);
        return 0;
    } else if (all < s->target_count && !s->targetless)
        section_cannot(s, at,
                       "%s: of %zu files each needs a request in flight, and iodepth and numjobs "
                       "make %" PRIu64 ": raise these, or give each a section",
                       at->name, s->target_count, all);
    else {
        text_addf(&s->session->notes,
                  s->folders ? "directory: the jobs are dealt out to %zu folders\n"
                             : "%zu files at the same time: each has its share of the requests in "
                               "flight, and of rate and size\n",
                  s->target_count);
        return 0;
    }
    s->impossible = true;
    return 0;
}

/* Returns true if the section's name is the path of a device: fio then uses it as the file. */
static bool is_named_after_device(const struct section_reader *s)
{
    struct stat st;
    const char *name = s->file->sections[s->section].name;
    return s->stream.files == 1 && name[0] == '/' && !stat(name, &st) &&
           (S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode));
}

int section_make_target(struct section_reader *s, struct err *e)
{
    const struct fio_setting *folder = s->given[FIO_KEY_DIRECTORY];
    const struct fio_setting *name = s->given[FIO_KEY_FILENAME];
    if (section_is_blkio_ring(s, s->given[FIO_KEY_ENGINE]))
        name = s->given[FIO_KEY_FILENAME] = s->given[FIO_KEY_BLKIO_PATH];
    s->own_files = s->stream.entries || (!name && !is_named_after_device(s));
    if (section_need_value(s, name, e) || section_need_value(s, folder, e) ||
        section_make_region(s, e))
        return -1;
    if (s->targetless)
        return 0;
    int status = 0;
    if (s->own_files)
        status = add_folders(s, folder, e);
    else if (!name)
        add_target(s, NULL, s->file->sections[s->section].name);
    else {
        char first[PATH_BYTES] = "";
        if (folder)
            snprintf(first, sizeof first, "%.*s", (int)strcspn(folder->value, ":"), folder->value);
        status = add_all_names(s, folder ? first : NULL, e);
    }
    if (!status && name && !s->target_count)
        status = section_refuse(s, name, e, "%s names no file", name->name);
    return status || check_shares(s, e) ? -1 : 0;
}

/* ---- each file's share ---- */

static uint64_t share_of(uint64_t all, uint64_t number, uint64_t count)
{
    return all / count + (number < all % count);
}

void section_give_share(struct section_reader *s, size_t number)
{
    struct fio_stream *f = &s->stream;
    struct fio_region *r = &f->region;
    const uint64_t count = s->target_count, all = f->depth * f->jobs;
    const double rate = f->rate * (double)f->jobs, write_rate = f->write_rate * (double)f->jobs;
    const char *path = s->session->targets.data;
    for (size_t i = 0; i < number; i++)
        path += strlen(path) + 1;
    snprintf(s->session->target, PATH_BYTES, "%s", path);
    const char *base = strrchr(path, '/');
    snprintf(s->session->name + strlen(s->session->name),
             sizeof s->session->name - strlen(s->session->name), " %.30s",
             base && base[1] ? base + 1 : path);
    snprintf(f->name, sizeof f->name, "%s", s->session->name);
    if (s->folders) {
        f->jobs = share_of(f->jobs, number, count);
        return;
    }
    if (!r->shares && r->size > 0 && !s->given[FIO_KEY_FILESIZE])
        r->size = floor(r->size / (double)count / SIZE_UNIT) * SIZE_UNIT;
    if (s->one_by_one)
        return;
    if (f->jobs % count == 0)
        f->jobs /= count;
    else if (f->depth >= count)
        f->depth = share_of(f->depth, number, count);
    else if (f->serial)
        f->jobs = share_of(f->jobs, number, count);
    else {
        f->depth = share_of(all, number, count);
        f->jobs = 1;
    }
    f->batch = f->batch < f->depth ? f->batch : f->depth;
    f->rate = rate / (double)(count * f->jobs);
    f->write_rate = write_rate / (double)(count * f->jobs);
}
