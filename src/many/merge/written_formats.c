/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the formats in which a merge can be written, and creates the new file. */
#include "many/merge/written_formats.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file_identity.h"
#include "base/text_reader.h"

static const struct merge_writer writer_fio_clat = {.name = "fio-clat"};
static const struct merge_writer writer_fio_lat = {.name = "fio-lat"};
static const struct merge_writer *const writers[] = {
    &writer_fio_hist, &writer_fio_json, &writer_hdr_log, &writer_fio_clat, &writer_fio_lat, NULL,
};

static const struct merge_writer *writer_of(const char *name, struct err *e)
{
    const char *meant = NULL;
    for (size_t i = 0; writers[i]; i++) {
        if (!strcmp(writers[i]->name, name))
            return writers[i];
        nearest_offer(name, writers[i]->name, &meant);
    }
    err_set(e, ERR_USAGE,
            "--write %s: this format is not known%s%s%s; there are fio-hist, fio-json and hdr",
            name, meant ? " (" : "", meant ? meant : "", meant ? "?)" : "");
    return NULL;
}

int merge_write_check(const char *format, const char *path, struct err *e)
{
    const struct merge_writer *writer = writer_of(format, e);
    if (!writer)
        return -1;
    if (!writer->write)
        return err_set(e, ERR_USAGE,
                       "%s: %s logs hold every single I/O, and a merge holds histograms of them: "
                       "write fio-hist, fio-json or hdr",
                       path, writer->name);
    if (!access(path, F_OK))
        return err_set(e, ERR_USAGE, "%s exists: it is not overwritten, name a new file", path);
    return 0;
}

/* Refuses to write sums of whole runs as a log of intervals. */
static int check_instants(const struct merge *m, const struct merge_writer *writer,
                          const char *path, struct err *e)
{
    for (size_t i = 0; i < m->source_count && writer->of_intervals; i++)
        if (m->sources[i].time == TIME_NONE)
            return err_set(e, ERR_USAGE,
                           "%s: %s holds the sums of a whole run, and %s needs intervals: write "
                           "fio-json",
                           path, m->sources[i].path, writer->name);
    return 0;
}

int merge_write(const struct merge *m, const char *format, const char *path, struct err *e)
{
    struct log_output to = {.m = m, .path = path};
    if (merge_write_check(format, path, e))
        return -1;
    const struct merge_writer *writer = writer_of(format, e);
    if (check_instants(m, writer, path, e))
        return -1;
    to.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (to.fd < 0)
        return errno == EEXIST
                   ? err_set(e, ERR_USAGE, "%s exists: it is not overwritten, name a new file",
                             path)
                   : err_set(e, ERR_TARGET, "%s: it cannot be made: %s", path, strerror(errno));
    int status = writer->write(&to, e) || output_end(&to, e) ? -1 : 0;
    if (!status && fsync(to.fd) && errno != EINVAL)
        status = err_set(e, ERR_TARGET, "%s: it cannot be written: %s", path, strerror(errno));
    if (status)
        file_remove(to.fd, AT_FDCWD, path);
    if (close(to.fd) && !status)
        status = err_set(e, ERR_TARGET, "%s: it cannot be written: %s", path, strerror(errno));
    text_free(&to.text);
    return status;
}
