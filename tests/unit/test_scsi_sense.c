/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why SCSI commands failed, as text: sense data of both formats, statuses and the host adapter's
   status. */
#include <errno.h>

#include "base/scsi/scsi.h"
#include "check.h"

static uint32_t failure(unsigned host, unsigned status, unsigned driver, uint8_t *sense,
                        uint8_t length)
{
    struct sg_io_hdr command = {.host_status = (unsigned short)host,
                                .status = (unsigned char)status,
                                .driver_status = (unsigned short)driver,
                                .sbp = sense,
                                .sb_len_wr = length};
    return scsi_failure_of(&command);
}

static void check_words(uint32_t what, const char *words, int error, bool again)
{
    char text[120];
    CHECK(is_scsi_failure(what));
    CHECK_STR(scsi_failure_words(what, text, sizeof text), words);
    CHECK_INT(scsi_failure_errno(what), error);
    CHECK_INT(scsi_failure_may_succeed_again(what), again);
}

/* The same key and codes as fixed and as descriptor sense data. */
static uint32_t sense_of(bool descriptors, uint8_t key, uint8_t code, uint8_t qualifier)
{
    uint8_t fixed[18] = {0x70, 0, key, [7] = 10, [12] = code, [13] = qualifier};
    uint8_t other[8] = {0x72, key, code, qualifier};
    return descriptors ? failure(0, 2, 8, other, sizeof other)
                       : failure(0, 2, 0, fixed, sizeof fixed);
}

int main(void)
{
    for (int format = 0; format < 2; format++) {
        const bool d = format;
        check_words(sense_of(d, 3, 0x11, 0), "Unrecovered read error (medium error, 3h/11h/00h)",
                    ENODATA, false);
        CHECK_INT(scsi_failure_class(sense_of(d, 3, 0x11, 0)), NVME_STATUS_MEDIA);
        check_words(sense_of(d, 6, 0x29, 0),
                    "Power on, reset, or bus device reset occurred (unit attention, 6h/29h/00h)",
                    EIO, true);
        check_words(sense_of(d, 2, 4, 2),
                    "Logical unit not ready, initializing command required (not ready, 2h/04h/02h)",
                    EIO, true);
        check_words(sense_of(d, 5, 0x20, 0),
                    "Invalid command operation code (illegal request, 5h/20h/00h)", EOPNOTSUPP,
                    false);
        check_words(sense_of(d, 7, 0x27, 7),
                    "Space allocation failed write protect (data protect, 7h/27h/07h)", ENOSPC,
                    false);
        check_words(sense_of(d, 0xb, 0x10, 1),
                    "Logical block guard check failed (aborted command, bh/10h/01h)", EILSEQ, true);
        check_words(sense_of(d, 3, 0x11, 0xc1),
                    "Vendor specific sense code (medium error, 3h/11h/c1h)", ENODATA, false);
        check_words(sense_of(d, 3, 0x7e, 0x7e), "Unknown sense code (medium error, 3h/7eh/7eh)",
                    ENODATA, false);
        /* data that was recovered is valid */
        CHECK_INT(sense_of(d, 1, 0x17, 0), 0);
    }
    CHECK_INT(failure(0, 0, 0, NULL, 0), 0);
    check_words(failure(3, 0, 0, NULL, 0), "Timeout (host adapter, 03h)", ETIMEDOUT, true);
    check_words(failure(1, 0, 0, NULL, 0), "No Connection to the Device (host adapter, 01h)",
                ENOLINK, false);
    check_words(failure(0, 0x08, 0, NULL, 0), "Busy (SCSI status, 08h)", EBUSY, true);
    check_words(failure(0, 0x18, 0, NULL, 0), "Reservation Conflict (SCSI status, 18h)", EBADE,
                false);
    check_words(failure(0, 0x02, 8, NULL, 0), "Check Condition (SCSI status, 02h)", EIO, false);
    check_words(failure(0x7f, 0, 0, NULL, 0), "unknown (host adapter, 7fh)", EIO, false);
    check_words(failure(0, 0, 6, NULL, 0), "Error of the Host Adapter (host adapter, 07h)", EIO,
                false);
    return check_result();
}
