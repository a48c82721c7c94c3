/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that have a file or a device open for writing are found, whatever keeps it open: a
 * descriptor, one of a single thread, a mapping, an io_uring. Readers are not found, nor this
 * process itself. A file on a filesystem without leases is refused while another program writes it.
 */
#include "check.h"

#include <liburing.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "fuse_mount.h"
#include "io/target/guard.h"
#include "io/target/internal.h"
#include "loop_device.h"

static char path[96];
static struct stat wanted;

static bool is_wanted(void *context, const struct stat *st)
{
    (void)context;
    return (st->st_mode & S_IFMT) == (wanted.st_mode & S_IFMT) && st->st_dev == wanted.st_dev &&
           st->st_ino == wanted.st_ino && st->st_rdev == wanted.st_rdev;
}

/* ---- what a child does before it reports and waits ---- */

static void open_to_write(void)
{
    CHECK(open(path, O_WRONLY | O_CLOEXEC) >= 0);
}

static void open_to_read(void)
{
    CHECK(open(path, O_RDONLY | O_CLOEXEC) >= 0);
    CHECK(open(path, O_PATH | O_CLOEXEC) >= 0);
}

static void map_flags(int flags, int protection, int mapping)
{
    int fd = open(path, flags | O_CLOEXEC);
    CHECK(mmap(NULL, 4096, protection, mapping, fd, 0) != MAP_FAILED);
    close(fd);
}

static void map_to_write(void)
{
    map_flags(O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static void map_to_write_later(void) /* by mprotect */
{
    map_flags(O_RDWR, PROT_READ, MAP_SHARED);
}

static void map_to_read(void)
{
    map_flags(O_RDONLY, PROT_READ, MAP_SHARED);
    map_flags(O_RDONLY, PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

static void give_to_ring(void)
{
    static struct io_uring ring;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK_INT(io_uring_queue_init(4, &ring, 0), 0);
    CHECK_INT(io_uring_register_files(&ring, &fd, 1), 0);
    close(fd);
}

static pthread_barrier_t opened;

static void *open_alone(void *context)
{
    (void)context;
    CHECK_INT(unshare(CLONE_FILES), 0);
    open_to_write();
    pthread_barrier_wait(&opened);
    pause();
    return NULL;
}

static void open_in_a_thread(void)
{
    pthread_t thread;
    pthread_barrier_init(&opened, NULL, 2);
    CHECK_INT(pthread_create(&thread, NULL, open_alone, NULL), 0);
    pthread_barrier_wait(&opened);
}

/* The mapping is still there after its first thread, whose number is the process's in /proc, has
   ended. */
static bool first_thread_ends;

static void *map_alone(void *context)
{
    (void)context;
    map_to_write();
    pthread_barrier_wait(&opened);
    pause();
    return NULL;
}

static void map_in_a_thread(void)
{
    pthread_t thread;
    first_thread_ends = true;
    pthread_barrier_init(&opened, NULL, 2);
    CHECK_INT(pthread_create(&thread, NULL, map_alone, NULL), 0);
    pthread_barrier_wait(&opened);
}

static pid_t start(void (*act)(void))
{
    int ready[2];
    char byte = 0;
    CHECK_INT(pipe(ready), 0);
    pid_t child = fork();
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        syscall(SYS_close_range, 3, ready[1] - 1, 0); /* descriptors that this test has open */
        syscall(SYS_close_range, ready[1] + 1, ~0u, 0);
        act();
        byte = (char)(check_failures == 0);
        CHECK_INT(write(ready[1], &byte, 1), 1);
        if (first_thread_ends)
            pthread_exit(NULL);
        for (;;)
            pause();
    }
    close(ready[1]);
    CHECK_INT(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    CHECK_INT(byte, 1);
    return child;
}

static void stop(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void check_found(const char *what, void (*act)(void), enum writers expected)
{
    struct open_search s = {.is_it = is_wanted, .devices = S_ISBLK(wanted.st_mode)};
    pid_t child = start(act);
    enum writers answer = open_writers_find(&s);
    if (answer != expected)
        printf("%s: %s: %d instead of %d\n", path, what, answer, expected);
    CHECK_INT(answer, expected);
    CHECK_INT(s.process, expected == SOME_WRITERS ? child : 0);
    stop(child);
}

static void check_file(void)
{
    CHECK_INT(stat(path, &wanted), 0);
    int own = open(path, O_RDWR | O_CLOEXEC);
    check_found("nobody else", open_to_read, NO_WRITERS);
    close(own);
    check_found("mappings that cannot", map_to_read, NO_WRITERS);
    check_found("a mapping that can be written", map_to_write_later, SOME_WRITERS);
    check_found("a thread", open_in_a_thread, SOME_WRITERS);
    check_found("a thread that is left", map_in_a_thread, SOME_WRITERS);
}

static void check_device(void)
{
    CHECK_INT(stat(path, &wanted), 0);
    check_found("only readers", open_to_read, NO_WRITERS);
    check_found("a descriptor", open_to_write, SOME_WRITERS);
    check_found("a mapping", map_to_write, SOME_WRITERS);
    check_found("a mapping of a thread that is left", map_in_a_thread, SOME_WRITERS);
    check_found("a ring", give_to_ring, SOME_WRITERS);
}

/* ---- a file without leases ---- */

static void check_fuse(void)
{
    struct fuse_mount m;
    struct err e = {0};
    struct guard_sight sight = {.allow_unseen = true};
    if (!fuse_begin(&m)) {
        check_part_skipped("no FUSE here");
        return;
    }
    snprintf(path, sizeof path, "%s", m.file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    if (guard_file_unused("", fd, path, false, NULL, &e)) {
        CHECK_STR(e.msg, "");
    }
    pid_t child = start(open_to_write);
    CHECK_INT(guard_file_unused("", fd, path, false, &sight, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK(strstr(e.msg, "has it open for writing") != NULL);
    stop(child);
    child = start(map_to_write);
    CHECK_INT(guard_file_unused("", fd, path, false, &sight, &e), -1);
    stop(child);
    close(fd);
    fuse_end(&m);
}

int main(void)
{
    struct loop_device l;
    if (geteuid() != 0)
        return CHECK_SKIPPED;
    struct open_search s = {.is_it = is_wanted};
    if (open_writers_find(&s) == CANNOT_ASK) {
        printf("not all programs can be looked into here\n");
        return CHECK_SKIPPED;
    }
    snprintf(path, sizeof path, "/tmp/cupel-open-XXXXXX");
    int fd = mkstemp(path);
    CHECK_INT(ftruncate(fd, 1 << 20), 0);
    close(fd);
    check_file();
    fd = open(path, O_RDWR | O_CLOEXEC);
    unlink(path);
    if (loop_attach(&l, fd)) {
        snprintf(path, sizeof path, "%s", l.path);
        check_device();
        loop_detach(&l);
    } else {
        check_part_skipped("no loop devices");
    }
    check_fuse();
    return check_result();
}
