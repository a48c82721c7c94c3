/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls become I/Os: which ones count, for which file, at which offset, and what lost events
   change. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tests/unit/recording_fixture.h"

enum { NOBODY = 0x7fffffff }; /* a process that does not exist, so that /proc is not read */

static struct recorder *r;
static uint64_t now;

static struct io_call_begin call_on(uint32_t number, uint64_t inode, unsigned mode)
{
    struct io_call_begin call = {.mark = TRACEPOINT_OUTPUT_MARK,
                                 .number = number,
                                 .inode = inode,
                                 .device = 254u << 20,
                                 .mode = (uint16_t)mode,
                                 .filesystem = EXT4_SUPER_MAGIC,
                                 .size = 1 << 20};
    snprintf(call.path[0], sizeof call.path[0], "file%d", (int)inode);
    snprintf(call.path[1], sizeof call.path[1], "/");
    return call;
}

static void send(uint32_t thread, const void *raw, size_t size)
{
    const struct tracepoint_event event = {.tracepoint = TRACEPOINT_OUTPUT,
                                           .time_ns = now += 1000,
                                           .process = NOBODY,
                                           .thread = thread,
                                           .raw = raw,
                                           .raw_size = (uint32_t)size};
    calls_event(r, &event);
}

static void begin(uint32_t thread, const struct io_call_begin *call)
{
    send(thread, call, sizeof *call);
}

static void end(uint32_t thread, uint32_t number, int64_t result)
{
    const struct io_call_end record = {
        .mark = TRACEPOINT_OUTPUT_MARK, .part = IO_CALL_END, .number = number, .result = result};
    send(thread, &record, sizeof record);
}

static void whole(const struct io_call_begin *call, int64_t result)
{
    begin(1, call);
    end(1, call->number, result);
}

static const struct file *file_of(uint64_t inode)
{
    for (size_t i = 0; i < r->files.count; i++)
        if (r->files.rows[i].inode == inode)
            return &r->files.rows[i];
    return NULL;
}

static void check_file(uint64_t inode, enum recording_op op, uint64_t count, uint64_t bytes)
{
    const struct file *f = file_of(inode);
    CHECK(f != NULL);
    CHECK_INT(f ? f->sums.count[op] : 0, count);
    CHECK_INT(f ? f->sums.bytes[op] : 0, bytes);
}

static void test_reads_and_writes(void)
{
    r = fixture_recorder(&fixture_of_program);
    struct io_call_begin call = call_on(SYS_pread64, 7, S_IFREG);
    call.arguments[2] = 4096;
    call.arguments[3] = 65536;
    whole(&call, 4096);
    CHECK_INT(file_of(7)->next, 65536 + 4096);
    whole(&call, 100);  /* short, */
    whole(&call, 0);    /* at the file's end, */
    whole(&call, -EIO); /* failed: each of them requested that many bytes */
    check_file(7, RECORDING_READ, 3, 4196);
    CHECK_INT(r->uncounted.end_of_file, 1);
    CHECK_INT(r->calls.asked, 4 * 4096);
    CHECK_INT(busy_total(&r->calls.busy), 4000);
    CHECK_INT(r->calls.failed[RECORDING_READ], 1);
    CHECK_INT(r->calls.response[RECORDING_READ].n, 3);
    CHECK_INT(r->calls.response[RECORDING_READ].max, 1000);

    call = call_on(SYS_write, 8, S_IFREG);
    call.position = 512;
    call.arguments[2] = 10;
    whole(&call, 10);
    CHECK_INT(file_of(8)->next, 522); /* where the descriptor was */
    call.flags = O_APPEND;
    whole(&call, 10);
    CHECK_INT(file_of(8)->next, (1 << 20) + 10);
    call = call_on(SYS_pwritev2, 8, S_IFREG);
    call.position = 100;
    call.arguments[3] = UINT64_MAX; /* preadv2(2): the file's own position */
    whole(&call, 6);
    CHECK_INT(file_of(8)->next, 106);
    check_file(8, RECORDING_WRITE, 3, 26);
    call = call_on(SYS_fdatasync, 8, S_IFREG);
    whole(&call, 0);
    check_file(8, RECORDING_FLUSH, 1, 0);
    recorder_free(r);
}

/* The sum of a vector's lengths is in place of its address; a mere limit is not a request. */
static void test_asked(void)
{
    r = fixture_recorder(&fixture_of_program);
    struct io_call_begin call = call_on(SYS_preadv, 7, S_IFREG);
    call.arguments[1] = 700;
    whole(&call, 600);
    CHECK_INT(r->calls.asked, 700);
    whole(&call, -EFAULT);
    CHECK_INT(r->calls.asked, 1400);
    CHECK_INT(r->uncounted.asked_unknown, 0);
    call.arguments[1] = IO_ASKED_UNKNOWN;
    whole(&call, 600);
    CHECK_INT(r->calls.asked, 2000);
    CHECK_INT(r->uncounted.asked_unknown, 1);

    struct io_call_begin to = call = call_on(SYS_copy_file_range, 7, S_IFREG);
    call.arguments[4] = to.arguments[4] = INT64_MAX; /* as much as there is */
    to.inode = 8;
    to.part = 1;
    begin(1, &call);
    begin(1, &to);
    end(1, SYS_copy_file_range, 300);
    CHECK_INT(r->calls.asked, 2600);
    CHECK_INT(r->uncounted.asked_unknown, 3);

    call = call_on(SYS_write, 7, S_IFREG);
    call.arguments[2] = UINT64_MAX; /* the kernel moves less than 2 GiB */
    whole(&call, -EINVAL);
    CHECK_INT(r->calls.asked, 2600 + 0x7ffff000u);
    recorder_free(r);
}

static void test_other_descriptors(void)
{
    static const struct {
        unsigned mode;
        uint64_t filesystem;
        enum file_class kind;
    } rows[] = {
        {S_IFIFO, 0, FILE_PIPE},
        {S_IFSOCK, 0, FILE_SOCKET},
        {S_IFCHR, TMPFS_MAGIC, FILE_CHARACTER},
        {S_IFREG, PROC_SUPER_MAGIC, FILE_KERNEL},
        {S_IFREG, SYSFS_MAGIC, FILE_KERNEL},
        {0600, ANON_INODE_FS_MAGIC, FILE_KERNEL},
        {S_IFDIR, EXT4_SUPER_MAGIC, FILE_FOLDER},
        {0, 0, FILE_NONE},
        {S_IFREG, TMPFS_MAGIC, FILE_REGULAR},
        {S_IFBLK, TMPFS_MAGIC, FILE_BLOCK},
    };
    r = fixture_recorder(&fixture_of_program);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct io_call_begin call = call_on(SYS_read, 100 + i, rows[i].mode);
        call.filesystem = rows[i].filesystem;
        CHECK_INT(file_class_of(&call), rows[i].kind);
        uint64_t before = r->uncounted.calls[rows[i].kind];
        whole(&call, 30);
        bool counts = rows[i].kind == FILE_REGULAR || rows[i].kind == FILE_BLOCK;
        CHECK_INT(r->uncounted.calls[rows[i].kind] - before, !counts);
    }
    CHECK_INT(r->uncounted.bytes[FILE_KERNEL], 90);
    CHECK_INT(r->files.count, 2);
    CHECK_INT(r->calls.response[RECORDING_READ].n, 2);
    CHECK_INT(r->calls.depth_max, 1); /* waiting at a pipe is not I/O in flight */
    struct io_call_begin folder = call_on(SYS_fsync, 300, S_IFDIR);
    whole(&folder, 0);
    CHECK_INT(r->calls.response[RECORDING_FLUSH].n, 1);
    recorder_free(r);
}

/* One call, two files. */
static void test_moves(void)
{
    r = fixture_recorder(&fixture_of_program);
    struct io_call_begin from = call_on(SYS_copy_file_range, 1, S_IFREG), to = from;
    from.position = 1000;
    to.inode = 2;
    to.part = 1;
    to.position = 2000;
    begin(1, &from);
    begin(1, &to);
    end(1, SYS_copy_file_range, 300);
    check_file(1, RECORDING_READ, 1, 300);
    check_file(2, RECORDING_WRITE, 1, 300);
    CHECK_INT(file_of(1)->next, 1300);
    CHECK_INT(file_of(2)->next, 2300);
    /* a pointer to an offset: continues after the last one */
    from.arguments[1] = to.arguments[1] = 0x7ffc0000;
    begin(1, &from);
    begin(1, &to);
    end(1, SYS_copy_file_range, 50);
    CHECK_INT(file_of(1)->next, 1350);
    begin(1, &from);
    begin(1, &to);
    end(1, SYS_copy_file_range, 0); /* only the end of the first call: neither counts */
    CHECK_INT(r->uncounted.end_of_file, 1);
    check_file(2, RECORDING_WRITE, 2, 350);

    from = call_on(SYS_sendfile, 1, S_IFREG); /* into a socket */
    to = call_on(SYS_sendfile, 9, S_IFSOCK);
    to.part = 1;
    begin(1, &from);
    begin(1, &to);
    end(1, SYS_sendfile, 70);
    check_file(1, RECORDING_READ, 3, 420);
    CHECK_INT(r->uncounted.bytes[FILE_SOCKET], 70);
    recorder_free(r);
}

static void test_threads_and_losses(void)
{
    r = fixture_recorder(&fixture_of_program);
    struct io_call_begin call = call_on(SYS_read, 1, S_IFREG);
    for (uint32_t thread = 1; thread <= 1000; thread++)
        begin(thread, &call);
    CHECK_INT(r->calls.in_flight, 1000);
    for (uint32_t thread = 1000; thread >= 1; thread--)
        end(thread, SYS_read, 512);
    CHECK_INT(r->calls.in_flight, 0);
    CHECK_INT(r->calls.depth_max, 1000);
    check_file(1, RECORDING_READ, 1000, 512000);
    CHECK_INT(busy_total(&r->calls.busy), 1999 * 1000);

    end(5, SYS_read, 512); /* its begin was lost */
    CHECK_INT(r->uncounted.unmatched, 1);
    begin(5, &call);
    begin(5, &call); /* the first call's end was lost */
    CHECK_INT(r->uncounted.unmatched, 2);
    CHECK_INT(r->calls.in_flight, 1);
    end(5, SYS_write, 1); /* of a call whose begin was lost as well */
    CHECK_INT(r->uncounted.unmatched, 3);
    end(5, SYS_read, 512);
    check_file(1, RECORDING_READ, 1001, 512512);
    end(5, 9999, 1); /* no I/O */
    send(5, "\xff\xff", 2);
    CHECK_INT(r->uncounted.unmatched, 3);
    CHECK_INT(r->process_count, 1);
    recorder_free(r);
}

/* io_uring: the offset comes with the begin, the file and the result with the end, in any order. */
static void test_rings(void)
{
    enum { READV = 1, FSYNC = 3, WRITE = 23 };
    const uint64_t address = 0xffff888100000000u;
    r = fixture_recorder(&fixture_of_program);
    struct io_call_begin request = call_on(WRITE, 5, S_IFREG);
    for (unsigned i = 0; i < 10; i++) {
        request.part = IO_RING_BEGIN;
        request.arguments[0] = address + 256 * i;
        request.arguments[1] = 4096 * i;
        request.arguments[2] = 4096;
        send(1, &request, IO_RING_BEGIN_BYTES + 4);
    }
    CHECK_INT(r->calls.in_flight, 10);
    for (unsigned i = 10; i-- > 0;) {
        request.part = IO_RING_END;
        request.arguments[0] = address + 256 * i;
        request.arguments[1] = i == 3 ? (uint32_t)-EIO : 4096;
        begin(2, &request);
    }
    CHECK_INT(r->calls.in_flight, 0);
    check_file(5, RECORDING_WRITE, 10, 9 * 4096);
    CHECK_INT(r->calls.failed[RECORDING_WRITE], 1);
    CHECK_INT(r->calls.asked, 10 * 4096);
    CHECK_INT(file_of(5)->next, 4096);
    CHECK_INT(r->calls.response[RECORDING_WRITE].min, 1000);
    CHECK_INT(r->calls.response[RECORDING_WRITE].max, 19000);

    request.number = READV; /* at the file's own position */
    request.part = IO_RING_BEGIN;
    request.arguments[1] = UINT64_MAX;
    request.arguments[2] = 300; /* the sum of its vector's lengths */
    send(1, &request, IO_RING_BEGIN_BYTES + 4);
    request.part = IO_RING_END;
    request.arguments[1] = 100;
    request.position = 7000;
    begin(1, &request);
    check_file(5, RECORDING_READ, 1, 100);
    CHECK_INT(file_of(5)->next, 7100);
    begin(1, &request); /* its result is reported a second time */
    CHECK_INT(r->uncounted.ring_again, 1);
    request.number = 13; /* accept: not I/O on a file */
    begin(1, &request);
    CHECK_INT(r->uncounted.ring_again, 1);
    CHECK_INT(r->uncounted.ring_seen, 11);
    CHECK_INT(r->calls.asked, 10 * 4096 + 300);
    recorder_free(r);
}

static void test_other_ways(void)
{
    r = fixture_recorder(&fixture_of_program);
    struct io_call_begin call = call_on(SYS_io_uring_enter, 1, 0600);
    call.arguments[1] = 16;
    whole(&call, 16);
    call.number = SYS_io_submit;
    whole(&call, 16);
    call = call_on(SYS_mmap, 1, S_IFREG);
    call.arguments[2] = PROT_READ | PROT_WRITE;
    call.arguments[3] = MAP_SHARED;
    whole(&call, 1 << 30);
    call.arguments[3] = MAP_SHARED | MAP_ANONYMOUS;
    whole(&call, 1 << 30);
    call.arguments[3] = MAP_PRIVATE;
    whole(&call, 1 << 30);
    call.arguments[3] = MAP_SHARED;
    call.filesystem = ANON_INODE_FS_MAGIC; /* as the rings of io_uring are mapped */
    whole(&call, 1 << 30);
    call = call_on(SYS_read, 1, S_IFREG);
    call.compat = 1;
    whole(&call, 100);
    CHECK_INT(r->uncounted.ring_requests, 16);
    CHECK_INT(r->uncounted.aio_requests, 16);
    CHECK_INT(r->uncounted.writing_maps, 1);
    CHECK_INT(r->uncounted.foreign, 1);
    CHECK_INT(r->files.count, 0);
    fixture_report(r);
    const struct result *result = &recording_of(r)->result;
    size_t warnings = 0;
    for (size_t i = 0; i < result->note_count; i++)
        warnings += result->notes[i].warning;
    CHECK_INT(warnings, 4);
    recorder_free(r);
}

static void test_names(void)
{
    r = fixture_recorder(&fixture_of_program);
    struct io_call_begin call = call_on(SYS_read, 1, S_IFREG);
    call.device = 4095u << 20 | 77; /* mounted nowhere */
    snprintf(call.path[0], sizeof call.path[0], "data.db");
    snprintf(call.path[1], sizeof call.path[1], "lib");
    snprintf(call.path[2], sizeof call.path[2], "/");
    whole(&call, 1);
    CHECK_STR(r->files.rows[0].sums.name, "/lib/data.db");
    CHECK(r->files.rows[0].path_known);
    whole(&call, 1); /* the same file */
    CHECK_INT(r->files.count, 1);
    call.generation = 2; /* another file that now has the number */
    for (int i = 0; i < IO_CALL_PATH_PARTS; i++)
        snprintf(call.path[i], sizeof call.path[i], "p%d", i);
    whole(&call, 1);
    CHECK_INT(r->files.count, 2);
    CHECK_STR(r->files.rows[1].sums.name, "../p7/p6/p5/p4/p3/p2/p1/p0");
    CHECK(!r->files.rows[1].path_known);
    begin(1, &call);
    snprintf(call.path[1], sizeof call.path[1], "/");
    snprintf(call.path[0], sizeof call.path[0], "top");
    call.part = IO_CALL_MORE;
    begin(1, &call);
    end(1, call.number, 1);
    call.part = 0;
    CHECK_STR(r->files.rows[1].sums.name, "/top/p7/p6/p5/p4/p3/p2/p1/p0");
    CHECK(r->files.rows[1].path_known);
    call.generation = 3; /* only the root itself is missing */
    snprintf(call.path[1], sizeof call.path[1], "p1");
    snprintf(call.path[0], sizeof call.path[0], "p0");
    begin(1, &call);
    snprintf(call.path[0], sizeof call.path[0], "/");
    call.part = IO_CALL_MORE;
    begin(1, &call);
    end(1, call.number, 1);
    call.part = 0;
    CHECK_STR(r->files.rows[2].sums.name, "/p7/p6/p5/p4/p3/p2/p1/p0");
    CHECK(r->files.rows[2].path_known);
    for (uint64_t inode = 10; inode < 10 + FILES_MAX; inode++) {
        call.inode = inode;
        whole(&call, 1);
    }
    CHECK_INT(r->files.count, FILES_MAX);
    CHECK_INT(r->files.others, 3);
    CHECK_INT(r->files.rows[FILES_MAX].sums.count[RECORDING_READ], 3);
    CHECK_INT(r->calls.response[RECORDING_READ].n, FILES_MAX + 5);
    recorder_free(r);
}

int main(void)
{
    test_reads_and_writes();
    test_asked();
    test_other_descriptors();
    test_moves();
    test_threads_and_losses();
    test_rings();
    test_other_ways();
    test_names();
    return check_result();
}
