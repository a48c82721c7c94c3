/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens perf events on every processor. tracepoint_read.c reads them. */
#include "program/observe/tracepoint/tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "program/observe/tracepoint/internal.h"

/* ---- tracefs ---- */

/*
 * tracefs is the kernel's list of tracepoints. Either the mounted one is used, or a private
 * instance, which has no place in the file tree, which no other process sees, and which disappears
 * when its descriptor is closed.
 */

static int tracefs_not_permitted(struct err *e)
{
    return err_set(e, ERR_MACHINE,
                   "the kernel's tracepoints may not be read: %s; " TRACEPOINT_PERMISSION,
                   strerror(errno));
}

/* Mounts tracefs without a place in the file tree (Linux 5.2); the mount ends with its descriptor.
 */
static int mount_detached(void)
{
    int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
    if (context < 0)
        return -1;
    int fd = -1;
    if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
        fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
    int saved = errno;
    close(context);
    errno = saved;
    return fd;
}

/* Checks that the events may be read. Any user may open the top folder, but only root its contents.
 */
static int check_events(int fd, struct err *e)
{
    if (faccessat(fd, "events/header_page", R_OK, AT_EACCESS) == 0)
        return fd;
    tracefs_not_permitted(e);
    close(fd);
    return -1;
}

/* Returns a descriptor of the tracefs folder, which the caller closes, or -1. `folder` NULL: it is
   searched for. ERR_MACHINE: there is none, or it may not be read. */
static int tracefs_open(const char *folder, struct err *e)
{
    int fd = open(folder ? folder : "/sys/kernel/tracing", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder && fd < 0)
        return err_set(e, ERR_MACHINE, "%s: %s", folder, strerror(errno));
    struct statfs s;
    if (fd >= 0 && (folder || (!fstatfs(fd, &s) && (unsigned long)s.f_type == TRACEFS_MAGIC)))
        return check_events(fd, e);
    if (fd >= 0)
        close(fd);
    fd = mount_detached();
    if (fd >= 0)
        return check_events(fd, e);
    if (errno == EPERM || errno == EACCES)
        return tracefs_not_permitted(e);
    return err_set(e, ERR_MACHINE,
                   "this kernel has no tracefs (%s): its tracepoints cannot be used",
                   strerror(errno));
}

/* Reads the text of events/SYSTEM/NAME/format, and ends it by '\0'. ERR_MACHINE: there is no such
   tracepoint, or it may not be read. */
static int tracefs_read_format(int tracefs, const char *system, const char *name, char *text,
                               size_t size, struct err *e)
{
    char path[128];
    snprintf(path, sizeof path, "events/%s/%s/format", system, name);
    int fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    if (length < 0 && errno == ENOENT)
        return err_set(e, ERR_MACHINE, "this kernel has no tracepoint %s:%s", system, name);
    if (length < 0)
        return tracefs_not_permitted(e);
    text[length] = '\0';
    return 0;
}

/* ---- format files ---- */

/* Returns the number after `key` in the text before `end`; -1: there is no number. */
static long number_after(const char *text, const char *end, const char *key)
{
    const char *at = strstr(text, key);
    if (!at || at >= end)
        return -1;
    at += strlen(key);
    char *stop;
    long value = strtol(at, &stop, 10);
    return stop == at || value < 0 || value > UINT16_MAX ? -1 : value;
}

int format_number(const char *text)
{
    return (int)number_after(text, text + strlen(text), "ID:");
}

struct tracepoint_field format_field(const char *text, const char *name)
{
    struct tracepoint_field field = {0};
    size_t length = strlen(name);
    for (const char *at = strstr(text, "field:"); at; at = strstr(at + 1, "field:")) {
        const char *end = strchr(at, ';'), *line = strchr(at, '\n');
        if (!end || !line || end > line)
            continue;
        /* The declaration [at, end) ends with the field's name: "char rwbs[10]", "unsigned int
           bytes". */
        const char *last = end;
        while (last > at && last[-1] != ' ')
            last--;
        if ((size_t)(end - last) < length || strncmp(last, name, length) != 0 ||
            (last + length != end && last[length] != '['))
            continue;
        long offset = number_after(end, line, "offset:");
        long size = number_after(end, line, "size:");
        if (offset < 0 || size < 0)
            break;
        field.offset = (uint16_t)offset;
        field.size = (uint16_t)size;
        field.is_signed = number_after(end, line, "signed:") == 1;
        break;
    }
    return field;
}

/* ---- tracepoints ---- */

enum { FORMAT_BYTES = 8192 };

static int open_event(struct perf_event_attr *attr, size_t processor)
{
    attr->size = sizeof *attr;
    attr->sample_period = 1;
    attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
    attr->read_format = PERF_FORMAT_LOST;
    attr->disabled = 1;
    attr->watermark = 1;
    attr->use_clockid = 1;
    attr->clockid = CLOCK_MONOTONIC_RAW;
    int fd = (int)syscall(SYS_perf_event_open, attr, -1, (int)processor, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && errno == EINVAL) { /* kernels before 6.0 do not know PERF_FORMAT_LOST */
        attr->read_format = 0;
        fd = (int)syscall(SYS_perf_event_open, attr, -1, (int)processor, -1, PERF_FLAG_FD_CLOEXEC);
    }
    return fd;
}

/* Maps a ring of `bytes`, a power of two of pages. ERR_MACHINE: no memory. */
static int perf_ring_map(struct perf_ring *r, int fd, size_t bytes, struct err *e)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *r = (struct perf_ring){.mask = bytes - 1, .bounce = malloc(PERF_RECORD_BYTES)};
    void *map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!r->bounce || map == MAP_FAILED) {
        int reason = r->bounce ? errno : ENOMEM;
        free(r->bounce);
        *r = (struct perf_ring){0};
        return err_no_memory(e, "%zu KiB of trace buffer (%s): see --buffer", bytes / 1024,
                             strerror(reason));
    }
    r->page = map;
    r->data = (const unsigned char *)map + page;
    return 0;
}

static void perf_ring_unmap(struct perf_ring *r)
{
    if (r->page)
        munmap(r->page, (size_t)sysconf(_SC_PAGESIZE) + r->mask + 1);
    free(r->bounce);
    *r = (struct perf_ring){0};
}

static int add_event(struct tracepoints *t, size_t processor, struct perf_event_attr *attr,
                     const char *filter, struct err *e)
{
    attr->wakeup_watermark = (uint32_t)(t->ring_bytes / 4);
    int fd = open_event(attr, processor);
    if (fd < 0 && errno == ENODEV)
        return 0; /* the processor is not online */
    if (fd < 0 && (errno == EACCES || errno == EPERM))
        return err_set(e, ERR_MACHINE,
                       "the kernel's events may not be recorded: %s; " TRACEPOINT_PERMISSION,
                       strerror(errno));
    if (fd < 0)
        return err_set(e, ERR_MACHINE, "the kernel's events cannot be recorded: %s",
                       strerror(errno));
    t->knows_lost = attr->read_format != 0;
    /* The first event of a processor owns the ring; the others write to it. */
    struct processor_events *p = &t->processors[processor];
    p->fds[p->count++] = fd;
    if (p->count == 1 && perf_ring_map(&p->ring, fd, t->ring_bytes, e))
        return -1;
    if (p->count > 1 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, p->fds[0]))
        return err_set(e, ERR_MACHINE, "the kernel's events cannot share a buffer: %s",
                       strerror(errno));
    if (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
        return err_set(e, ERR_MACHINE, "the kernel does not take the filter \"%.60s\": %s", filter,
                       strerror(errno));
    return 0;
}

static int open_processor(struct tracepoints *t, const struct tracepoints_setup *setup,
                          size_t processor, struct err *e)
{
    if (setup->outputs) {
        struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                       .config = PERF_COUNT_SW_BPF_OUTPUT};
        if (add_event(t, processor, &attr, NULL, e))
            return -1;
    }
    for (size_t i = 0; i < setup->count; i++) {
        if (t->formats[i].number < 0)
            continue;
        struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
                                       .config = (unsigned)t->formats[i].number};
        if (add_event(t, processor, &attr, setup->requests[i].filter, e))
            return -1;
    }
    return 0;
}

static int read_format(struct tracepoints *t, int tracefs, const struct tracepoint_request *r,
                       size_t index, struct err *e)
{
    char *text = calloc(1, FORMAT_BYTES);
    t->formats[index].text = text;
    if (!text)
        return err_no_memory(e, "the format of a tracepoint");
    t->formats[index].number = -1;
    if (tracefs_read_format(tracefs, r->system, r->name, text, FORMAT_BYTES, e))
        return r->optional ? 0 : -1;
    t->formats[index].number = format_number(text);
    if (t->formats[index].number >= 0)
        return 0;
    return err_set(e, ERR_MACHINE, "the kernel's description of %s:%s has no number", r->system,
                   r->name);
}

/* Opens descriptors for every event on every processor. The limit of open files is raised only for
   this time, because a program that is started later would inherit it. */
static int open_processors(struct tracepoints *t, const struct tracepoints_setup *setup,
                           struct err *e)
{
    struct rlimit before, raised;
    bool known = getrlimit(RLIMIT_NOFILE, &before) == 0;
    if (known) {
        raised = (struct rlimit){before.rlim_max, before.rlim_max};
        setrlimit(RLIMIT_NOFILE, &raised);
    }
    int status = 0;
    for (size_t i = 0; i < t->processor_count && !status; i++)
        status = open_processor(t, setup, i, e);
    if (known)
        setrlimit(RLIMIT_NOFILE, &before);
    return status;
}

int tracepoints_open(struct tracepoints **t, const struct tracepoints_setup *setup, struct err *e)
{
    char possible[256]; /* such as "0-3,8"; t->processors needs one more than the highest number */
    file_first_line("/sys/devices/system/cpu/possible", possible, sizeof possible);
    size_t last = strlen(possible);
    while (last > 0 && possible[last - 1] >= '0' && possible[last - 1] <= '9')
        last--;
    size_t count = (size_t)strtoul(possible + last, NULL, 10) + 1;
    struct tracepoints *made = *t = calloc(1, sizeof *made + count * sizeof made->processors[0]);
    if (!made)
        return err_no_memory(e, "tracepoints");
    made->processor_count = count;
    made->ring_bytes = setup->ring_bytes;
    made->request_count = setup->count;
    made->outputs = setup->outputs;
    int tracefs = tracefs_open(setup->tracefs, e);
    int status = tracefs < 0 ? -1 : 0;
    for (size_t i = 0; i < setup->count && !status; i++)
        status = read_format(made, tracefs, &setup->requests[i], i, e);
    if (tracefs >= 0)
        close(tracefs);
    if (status || open_processors(made, setup, e)) {
        tracepoints_close(made);
        *t = NULL;
        return -1;
    }
    return 0;
}

void tracepoints_close(struct tracepoints *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->processor_count; i++) {
        struct processor_events *p = &t->processors[i];
        perf_ring_unmap(&p->ring);
        while (p->count > 0)
            close(p->fds[--p->count]);
    }
    for (size_t i = 0; i < t->request_count; i++)
        free(t->formats[i].text);
    free(t);
}

void tracepoints_enable(struct tracepoints *t)
{
    for (size_t i = 0; i < t->processor_count; i++)
        for (size_t k = 0; k < t->processors[i].count; k++)
            ioctl(t->processors[i].fds[k], PERF_EVENT_IOC_ENABLE, 0);
}

void tracepoints_disable(struct tracepoints *t)
{
    for (size_t i = 0; i < t->processor_count; i++)
        for (size_t k = 0; k < t->processors[i].count; k++)
            ioctl(t->processors[i].fds[k], PERF_EVENT_IOC_DISABLE, 0);
}

size_t tracepoints_processors(const struct tracepoints *t)
{
    return t->processor_count;
}

int tracepoints_output(const struct tracepoints *t, size_t processor)
{
    const struct processor_events *p = &t->processors[processor];
    return t->outputs && p->count > 0 ? p->fds[0] : -1;
}

struct tracepoint_field tracepoint_field(const struct tracepoints *t, unsigned tracepoint,
                                         const char *name)
{
    return format_field(t->formats[tracepoint].text, name);
}
