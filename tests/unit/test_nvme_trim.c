/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trims as NVMe commands: one of several ranges each, within the namespace. */
#include "check.h"

#include "base/endian.h"
#include "io/nvme/nvme_io.h"

enum { KIB = 1024 };

/* A trim is one command, of one range or of those that lie in its buffer. */
static void trims(void)
{
    struct nvme_namespace n = NVME_NAMESPACE_NONE;
    struct nvme_passthru_cmd64 command;
    static unsigned char room[2 * IO_RANGES_AT] __attribute__((aligned(4096)));
    struct io_range *range = (struct io_range *)(room + IO_RANGES_AT);
    struct io_req request = {.offset = 8192, .length = 64 * KIB, .op = IO_TRIM};
    n.usable = n.writable = n.deallocates = true;
    n.block_size = 512;
    n.blocks = 1 << 20;
    n.nsid = 7;
    CHECK_INT(nvme_parts(&n, IO_TRIM, 1u << 30), 1);
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
    range[2].offset = 100; /* no multiple of the LBA */
    CHECK_INT(nvme_build(&n, &request, 0, room, sizeof room, NULL, &command), -1);
    request.kind = 0;
    CHECK_INT(nvme_build(&n, &request, 1, room, sizeof room, NULL, &command), -1);
    n.writable = false;
    CHECK_INT(nvme_build(&n, &request, 0, room, sizeof room, NULL, &command), -1);
    n.writable = true;
    n.deallocates = false;
    CHECK_INT(nvme_build(&n, &request, 0, room, sizeof room, NULL, &command), -1);
}

int main(void)
{
    trims();
    return check_result();
}
