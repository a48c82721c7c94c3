/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Logs the requests of a program to its files: every read and write of a regular file or device, as
 * the program calls it, goes into the file that REQUESTS names. `cupel merge` reads that file.
 *
 *   cc -shared -fPIC requests_preload.c -o requests.so $(pkg-config --libs cupel) -ldl
 *
 *   REQUESTS=app.requests LD_PRELOAD=./requests.so ./app
 *
 *   cupel merge app.requests
 *
 * A middleware can do the same around its calls. The log then has the requests of its caller, not
 * what data sieving or collective buffering made of them.
 */
#define _GNU_SOURCE
#include <cupel.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MARK_BYTES = 8 };

static ssize_t (*next_read)(int, void *, size_t);
static ssize_t (*next_write)(int, const void *, size_t);
static ssize_t (*next_pread)(int, void *, size_t, off_t);
static ssize_t (*next_pwrite)(int, const void *, size_t, off_t);
static int requests = -1; /* descriptor of the log; -1: requests are not logged */

__attribute__((constructor)) static void begin(void)
{
    unsigned char head[CUPEL_LOG_BYTES];
    char host[64] = "";
    const char *path = getenv("REQUESTS");
    next_read = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    next_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    next_pread = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    next_pwrite = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    if (!path)
        return;
    /* Child processes append to the same file, each with a head, which readers accept. A file with
       other contents stays as it is. */
    requests = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    gethostname(host, sizeof host - 1);
    cupel_log_head(head, host);
    unsigned char there[CUPEL_LOG_BYTES];
    const ssize_t size = requests < 0 ? -1 : next_pread(requests, there, sizeof there, 0);
    const int ours = size == sizeof there && !memcmp(there, head, MARK_BYTES);
    if ((size && !ours) || next_write(requests, head, sizeof head) != sizeof head)
        requests = -1;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static ssize_t say(int fd, int writes, uint64_t begin_ns, ssize_t moved, size_t asked)
{
    unsigned char record[CUPEL_LOG_BYTES];
    struct stat st;
    if (requests < 0 || fd == requests || fstat(fd, &st) ||
        !(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)))
        return moved;
    const struct cupel_logged_request request = {.begin_ns = begin_ns,
                                                 .end_ns = now(),
                                                 .bytes = moved < 0 ? asked : (uint64_t)moved,
                                                 .process = (uint32_t)getpid(),
                                                 .operation = (uint16_t)writes,
                                                 .failed = moved < 0};
    cupel_log_request(record, &request);
    if (next_write(requests, record, sizeof record) != sizeof record)
        requests = -1; /* on a full disk the log ends, not the program */
    return moved;
}

ssize_t read(int fd, void *to, size_t size)
{
    const uint64_t begin_ns = now();
    return say(fd, 0, begin_ns, next_read(fd, to, size), size);
}

ssize_t write(int fd, const void *from, size_t size)
{
    const uint64_t begin_ns = now();
    return say(fd, 1, begin_ns, next_write(fd, from, size), size);
}

ssize_t pread(int fd, void *to, size_t size, off_t offset)
{
    const uint64_t begin_ns = now();
    return say(fd, 0, begin_ns, next_pread(fd, to, size, offset), size);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t offset)
{
    const uint64_t begin_ns = now();
    return say(fd, 1, begin_ns, next_pwrite(fd, from, size, offset), size);
}
