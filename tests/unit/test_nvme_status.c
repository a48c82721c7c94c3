/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVMe status codes as text, and their counts. */
#include "check.h"

#include <errno.h>

#include "io/nvme/device_failures.h"

static void check_code(uint16_t status, const char *name, enum nvme_status_class which, int error)
{
    CHECK_STR(nvme_status_name(status), name);
    CHECK_INT(nvme_status_class(status), which);
    CHECK_INT(nvme_status_errno(status), error);
}

static void codes(void)
{
    check_code(0, "Successful Completion", NVME_STATUS_OTHER, 0);
    check_code(0x281, "Unrecovered Read Error", NVME_STATUS_MEDIA, ENODATA);
    check_code(0x4080, "LBA Out of Range", NVME_STATUS_COMMAND, EREMOTEIO);
    check_code(0x7f80, "Vendor Specific Status", NVME_STATUS_OTHER, EIO);   /* type 7 */
    check_code(0x7880, "LBA Out of Range", NVME_STATUS_COMMAND, EREMOTEIO); /* all upper bits */
    check_code(0x07, "Command Abort Requested", NVME_STATUS_ABORTED, EIO);
    check_code(0x282, "End-to-end Guard Check Error", NVME_STATUS_MEDIA, EILSEQ);
    check_code(0x371, "Command Aborted By Host", NVME_STATUS_ABORTED, EIO);
    check_code(0x370, "Host Pathing Error", NVME_STATUS_PATH, ENOLINK);
    check_code(0x182, "Attempted Write to Read Only Range", NVME_STATUS_COMMAND, ENODATA);
    check_code(0x81, "Capacity Exceeded", NVME_STATUS_COMMAND, ENOSPC);
    /* A code without a row is classified by its type. */
    check_code(0x2a0, "Unknown Status", NVME_STATUS_MEDIA, EIO);
    check_code(0x2c0, "Vendor Specific Status", NVME_STATUS_MEDIA, EIO);
    check_code(0x17, "Unknown Status", NVME_STATUS_OTHER, EIO);
    check_code(0x1b9, "Unknown Status", NVME_STATUS_COMMAND, EIO);
    check_code(0x310, "Unknown Status", NVME_STATUS_PATH, EIO);
    for (unsigned status = 0; status < 0x8000; status++) {
        char words[120];
        size_t length = strlen(nvme_status_words((uint16_t)status, words, sizeof words));
        if (length == 0 || length >= sizeof words - 1)
            CHECK_STR(words, "shorter");
        if (status & 0x7ff && nvme_status_errno((uint16_t)status) <= 0)
            CHECK_INT(status, 0);
    }
}

static void counts(void)
{
    struct io_statuses s = {0}, other = {0};
    char words[400];
    CHECK_STR(io_statuses_words(&s, words, sizeof words), "");
    io_statuses_add(&s, 0);
    io_statuses_add(&s, 0x4000); /* no failure */
    CHECK_INT(s.count, 0);
    io_statuses_add(&s, 0x371);
    for (int i = 0; i < 12; i++)
        /* without "more" and the retry delay */
        io_statuses_add(&s, i % 2 ? 0x4281 : 0x4281 | 0x3800);
    CHECK_STR(io_statuses_words(&s, words, sizeof words),
              "12 x Unrecovered Read Error (media and data integrity, 2h/81h), do not retry; "
              "1 x Command Aborted By Host (path, 3h/71h)");
    CHECK_INT(io_statuses_total(&s), 13);

    io_statuses_add(&other, 0x371);
    io_statuses_add(&other, 0x06);
    io_statuses_merge(&s, &other);
    CHECK_INT(s.count, 3);
    CHECK_INT(io_statuses_of(&s, NVME_STATUS_ABORTED), 2);
    CHECK_INT(io_statuses_of(&s, NVME_STATUS_OTHER), 1);
    CHECK_INT(io_statuses_of(&s, NVME_STATUS_PATH), 0);
    CHECK_STR(io_statuses_words(&s, words, 130),
              "12 x Unrecovered Read Error (media and data integrity, 2h/81h), do not retry; "
              "and 2 more kinds");
    CHECK_STR(io_statuses_words(&s, words, 24), "and 3 more kinds");
    CHECK_STR(io_statuses_words(&s, words, 1), "");
}

static void too_many(void)
{
    struct io_statuses s = {0};
    char words[4000];
    for (unsigned code = 1; code <= 40; code++)
        io_statuses_add(&s, (uint16_t)code);
    CHECK_INT(s.count, IO_STATUSES);
    CHECK_INT(io_statuses_total(&s), 40);
    CHECK_INT(s.rows[IO_STATUSES - 1].count, 1);
    CHECK_INT(io_statuses_further(&s), 24);

    /* A status without room of its own keeps its class, also in a sum. */
    struct io_statuses sum = {0};
    const uint16_t unrecovered = 0x281;
    CHECK_INT(nvme_status_class(unrecovered), NVME_STATUS_MEDIA);
    const uint64_t before = io_statuses_of(&s, NVME_STATUS_MEDIA);
    io_statuses_add(&s, unrecovered);
    io_statuses_merge(&sum, &s);
    CHECK_INT(io_statuses_of(&sum, NVME_STATUS_MEDIA), before + 1);
    CHECK_INT(io_statuses_total(&sum), 41);
    CHECK(strstr(io_statuses_words(&sum, words, sizeof words), "; 25 x more kinds"));
    for (size_t size = 1; size < sizeof words; size++) {
        memset(words, '#', sizeof words);
        size_t length = strlen(io_statuses_words(&s, words, size));
        if (length >= size)
            CHECK_INT(length, size - 1);
    }
}

int main(void)
{
    codes();
    counts();
    too_many();
    return check_result();
}
