/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVMe commands that cover blocks without data: trims, and alternatives to Write. */
#include "check.h"

#include "base/endian.h"
#include "io/nvme/nvme_io.h"

enum { KIB = 1024 };

/* Bits of ONCS. */
enum { ONCS_UNCORRECTABLE = 2, ONCS_DATASET = 4, ONCS_ZEROES = 8, ONCS_VERIFY = 128 };

/* A trim is one command, with one range or with those in its buffer. */
static void trims(void)
{
    struct nvme_namespace n = NVME_NAMESPACE_NONE;
    struct nvme_passthru_cmd64 command;
    static unsigned char room[2 * IO_RANGES_AT] __attribute__((aligned(4096)));
    struct io_range *range = (struct io_range *)(room + IO_RANGES_AT);
    struct io_req request = {.offset = 8192, .length = 64 * KIB, .command = REQUEST_TRIM};
    n.usable = n.writable = true;
    n.optional = ONCS_DATASET;
    n.block_size = 512;
    n.blocks = 1 << 20;
    n.nsid = 7;
    CHECK_INT(nvme_parts(&n, REQUEST_TRIM, 1u << 30), 1);
    CHECK_INT(nvme_build(&n, &request, 0, room, sizeof room, NULL, &command), 0);
    CHECK(command.opcode == 9 && command.nsid == 7 && command.cdw10 == 0 && command.cdw11 == 4);
    CHECK(command.data_len == 16 && command.addr == (uintptr_t)room);
    CHECK_INT(load_le32(room + 4), 128);
    CHECK_INT(load_le32(room + 8), 16);
    request.kind = 2;
    for (unsigned i = 0; i < 3; i++)
        range[i] = (struct io_range){(uint64_t)(i + 1) << 20, 4096};
    for (int again = 0; again < 2; again++) {
        CHECK_INT(nvme_build(&n, &request, 0, room, sizeof room, NULL, &command), 0);
        CHECK(command.cdw10 == 2 && command.data_len == 48);
        for (unsigned i = 0; i < 3; i++)
            CHECK(load_le32(room + 16 * i + 4) == 8u && load_le32(room + 16 * i + 8) == (i + 1u)
                                                                                            << 11);
    }
    range[2].offset = n.blocks * 512; /* past the namespace */
    CHECK_INT(nvme_build(&n, &request, 0, room, sizeof room, NULL, &command), -1);
    range[2].offset = 100; /* not a multiple of the LBA size */
    CHECK_INT(nvme_build(&n, &request, 0, room, sizeof room, NULL, &command), -1);
    request.kind = 0;
    CHECK_INT(nvme_build(&n, &request, 1, room, sizeof room, NULL, &command), -1);
    n.writable = false;
    CHECK_INT(nvme_build(&n, &request, 0, room, sizeof room, NULL, &command), -1);
    n.writable = true;
    n.optional = 0;
    CHECK_INT(nvme_build(&n, &request, 0, room, sizeof room, NULL, &command), -1);
}

static const struct {
    enum request_command op;
    uint8_t opcode;
    uint32_t control; /* dword 12 with protection information of type 1 */
} commands[] = {{REQUEST_WRITE_ZEROES, 8, 1u << 29},
                {REQUEST_WRITE_UNCORRECTABLE, 4, 0},
                {REQUEST_VERIFY, 0xc, 1u << 28 | 1u << 26}};

/* They count as writes, need no buffer, are split like writes, and must be supported by the
   controller. */
static void writes_without_data(void)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct nvme_namespace n = NVME_NAMESPACE_NONE;
        struct nvme_passthru_cmd64 command;
        struct io_req request = {.offset = 1 << 20, .length = 96 * KIB, .command = commands[i].op};
        n.usable = n.writable = true;
        n.optional = ONCS_UNCORRECTABLE | ONCS_ZEROES | ONCS_VERIFY;
        n.block_size = 512;
        n.transfer_max = 64 * KIB;
        n.blocks = 1 << 20;
        n.nsid = 7;
        CHECK_INT(request_operation(request.command), REQUEST_WRITE);
        CHECK(!request_sends_data(request.command));
        CHECK_INT(request_changes_data(request.command), request.command != REQUEST_VERIFY);
        CHECK_INT(nvme_parts(&n, request.command, request.length), 2);
        CHECK_INT(nvme_build(&n, &request, 1, NULL, 0, NULL, &command), 0);
        CHECK_INT(command.opcode, commands[i].opcode);
        CHECK(!command.addr && !command.data_len && !command.metadata_len);
        CHECK_INT(command.cdw10, (1 << 11) + 96);
        CHECK_INT(command.cdw12, 95);
        n.protection = 1;
        n.metadata_size = 8;
        CHECK_INT(nvme_build(&n, &request, 0, NULL, 0, NULL, &command), 0);
        CHECK_INT(command.cdw12, commands[i].control | 95);
        CHECK_INT(command.cdw14, request.command == REQUEST_WRITE_UNCORRECTABLE ? 0 : 1 << 11);
        request.offset = n.blocks * 512 - 4096; /* past the end */
        CHECK_INT(nvme_build(&n, &request, 0, NULL, 0, NULL, &command), -1);
        request.offset = 0;
        n.writable = false;
        CHECK_INT(nvme_build(&n, &request, 0, NULL, 0, NULL, &command), -1);
        n.writable = true;
        n.optional = ONCS_DATASET;
        CHECK(!nvme_has_command(&n, request.command));
        CHECK_INT(nvme_build(&n, &request, 0, NULL, 0, NULL, &command), -1);
    }
}

int main(void)
{
    trims();
    writes_without_data();
    return check_result();
}
