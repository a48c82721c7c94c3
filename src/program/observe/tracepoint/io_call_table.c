/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the system calls, and the operations of io_uring and io_submit, that do I/O, one row
   each. */
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "program/observe/tracepoint/io_call.h"

const struct io_call_row io_call_rows[] = {
    {SYS_read, IO_CALL_READ, IO_LENGTH_BYTES, 0, -1, -1, -1, -1},
    {SYS_pread64, IO_CALL_READ, IO_LENGTH_BYTES, 0, -1, 3, -1, -1},
    {SYS_readv, IO_CALL_READ, IO_LENGTH_VECTORS, 0, -1, -1, -1, -1},
    {SYS_preadv, IO_CALL_READ, IO_LENGTH_VECTORS, 0, -1, 3, -1, -1},
    {SYS_preadv2, IO_CALL_READ, IO_LENGTH_VECTORS, 0, -1, 3, -1, -1},
    {SYS_write, IO_CALL_WRITE, IO_LENGTH_BYTES, -1, 0, -1, -1, -1},
    {SYS_pwrite64, IO_CALL_WRITE, IO_LENGTH_BYTES, -1, 0, 3, -1, -1},
    {SYS_writev, IO_CALL_WRITE, IO_LENGTH_VECTORS, -1, 0, -1, -1, -1},
    {SYS_pwritev, IO_CALL_WRITE, IO_LENGTH_VECTORS, -1, 0, 3, -1, -1},
    {SYS_pwritev2, IO_CALL_WRITE, IO_LENGTH_VECTORS, -1, 0, 3, -1, -1},
    {SYS_fsync, IO_CALL_FLUSH, IO_LENGTH_NONE, -1, 0, -1, -1, -1},
    {SYS_fdatasync, IO_CALL_FLUSH, IO_LENGTH_NONE, -1, 0, -1, -1, -1},
    {SYS_syncfs, IO_CALL_FLUSH, IO_LENGTH_NONE, -1, 0, -1, -1, -1},
    {SYS_sync_file_range, IO_CALL_FLUSH, IO_LENGTH_NONE, -1, 0, -1, -1, -1},
    {SYS_sendfile, IO_CALL_MOVE, IO_LENGTH_UNKNOWN, 1, 0, -1, 2, -1},
    {SYS_copy_file_range, IO_CALL_MOVE, IO_LENGTH_UNKNOWN, 0, 2, -1, 1, 3},
    {SYS_splice, IO_CALL_MOVE, IO_LENGTH_UNKNOWN, 0, 2, -1, 1, 3},
    {SYS_io_uring_enter, IO_CALL_RING, IO_LENGTH_NONE, -1, -1, -1, -1, -1},
    {SYS_io_submit, IO_CALL_AIO, IO_LENGTH_NONE, -1, -1, -1, -1, -1},
    {SYS_mmap, IO_CALL_MAP, IO_LENGTH_NONE, 4, -1, -1, -1, -1},
};
const size_t io_call_count = sizeof io_call_rows / sizeof *io_call_rows;

const struct io_call_row *io_call_row_of(uint32_t number)
{
    for (size_t i = 0; i < io_call_count; i++)
        if (io_call_rows[i].number == number)
            return &io_call_rows[i];
    return NULL;
}

const struct io_ring_row io_ring_rows[] = {
    {IORING_OP_READV, IO_CALL_READ, IO_LENGTH_VECTORS},
    {IORING_OP_READ_FIXED, IO_CALL_READ, IO_LENGTH_BYTES},
    {IORING_OP_READ, IO_CALL_READ, IO_LENGTH_BYTES},
    {IORING_OP_WRITEV, IO_CALL_WRITE, IO_LENGTH_VECTORS},
    {IORING_OP_WRITE_FIXED, IO_CALL_WRITE, IO_LENGTH_BYTES},
    {IORING_OP_WRITE, IO_CALL_WRITE, IO_LENGTH_BYTES},
    {IORING_OP_FSYNC, IO_CALL_FLUSH, IO_LENGTH_NONE},
    {IORING_OP_SYNC_FILE_RANGE, IO_CALL_FLUSH, IO_LENGTH_NONE},
};
const size_t io_ring_count = sizeof io_ring_rows / sizeof *io_ring_rows;

const struct io_ring_row io_submit_rows[] = {
    {IOCB_CMD_PREAD, IO_CALL_READ, IO_LENGTH_BYTES},
    {IOCB_CMD_PREADV, IO_CALL_READ, IO_LENGTH_VECTORS},
    {IOCB_CMD_PWRITE, IO_CALL_WRITE, IO_LENGTH_BYTES},
    {IOCB_CMD_PWRITEV, IO_CALL_WRITE, IO_LENGTH_VECTORS},
    {IOCB_CMD_FSYNC, IO_CALL_FLUSH, IO_LENGTH_NONE},
    {IOCB_CMD_FDSYNC, IO_CALL_FLUSH, IO_LENGTH_NONE},
};
const size_t io_submit_count = sizeof io_submit_rows / sizeof *io_submit_rows;

static const struct io_ring_row *row_of(const struct io_ring_row rows[], size_t count,
                                        uint32_t operation)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].operation == operation)
            return &rows[i];
    return NULL;
}

const struct io_ring_row *io_ring_row_of(uint32_t operation)
{
    return row_of(io_ring_rows, io_ring_count, operation);
}

const struct io_ring_row *io_submit_row_of(uint32_t operation)
{
    return row_of(io_submit_rows, io_submit_count, operation);
}
