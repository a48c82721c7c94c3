/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVMe admin commands to a controller that follows a script, and decoding of its answers. */
#include "check.h"
#include "facts_check.h"
#include "nvme_script.h"

#include "hw/disk/internal.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static const char *const denied_keys[] = {"mdts",
                                          "temperature_warning",
                                          "temperature_critical",
                                          "power_state",
                                          "health",
                                          "critical_warning",
                                          "temperature",
                                          "available_spare",
                                          "percentage_used",
                                          "media_errors",
                                          "error_log_entries",
                                          "power_on_hours",
                                          "unsafe_shutdowns"};

static void put(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
}

/* A drive of version 1.4: MDTS of 2^5 pages, five power states, thresholds of 70 C and 85 C. */
static void make_identify(uint8_t *identify)
{
    memset(identify, 0, NVME_IDENTIFY_BYTES);
    memcpy(identify + 64, "GDC5602Q", 8);
    identify[77] = 5;
    put(identify + 80, 0x00010400, 4);
    identify[263] = 4;
    put(identify + 266, 343, 2);
    put(identify + 268, 358, 2);
    put(identify + 2048, 825, 2);          /* state 0: 8.25 W */
    put(identify + 2048 + 32 * 3, 500, 2); /* state 3: .05 W in units of .0001 W */
    identify[2048 + 32 * 3 + 3] = 1;
}

static void make_health(uint8_t *log)
{
    memset(log, 0, NVME_HEALTH_BYTES);
    put(log + 1, 311, 2);
    log[3] = 98;
    log[4] = 10;
    log[5] = 7;
    put(log + 128, 20011, 8);
    put(log + 144, 42, 8);
    put(log + 176, 3, 8);
    put(log + 216, 2, 4);
}

static int new_node(struct inventory *v, enum node_kind kind, const char *name)
{
    return inventory_add_node(v, kind, name, NULL, INVENTORY_NONE);
}

/* ---- commands ---- */

static void controller(void)
{
    struct inventory v = {0};
    uint8_t identify[NVME_IDENTIFY_BYTES], log[NVME_HEALTH_BYTES];
    make_identify(identify);
    make_health(log);
    const struct nvme_step steps[] = {
        {0x0a, 0, 0x2, 0, 0, NULL, 0x20 | 3}, /* workload hint 1, state 3 */
        {0x06, 0, 0x1, 4096, 0, identify, 0}, /* CNS 01h */
        /* 128 dwords, without clearing the event */
        {0x02, 0xffffffff, (127u << 16) | 0x8002, 512, 0, log, 0},
    };
    size_t sent;
    struct nvme_script script = nvme_script(steps, COUNT(steps), &sent);
    int node = new_node(&v, NODE_NVME, "nvme0");
    inventory_add(&v, node, "firmware", "OLD", "", "", FACT_OK);
    nvme_ask_controller(&script.admin, &v, node);
    CHECK_INT(sent, 3);
    FACT_IS(&v, node, "mdts", "131072"); /* 2^5 pages of 4096 bytes */
    FACT_IS(&v, node, "firmware", "OLD");
    FACT_IS(&v, node, "nvme_version", "1.4.0");
    FACT_IS(&v, node, "temperature_warning", "70");
    FACT_IS(&v, node, "temperature_critical", "85");
    FACT_IS(&v, node, "power_state", "3");
    FACT_IS(&v, node, "power_limit", "0.0500");
    FACT_IS(&v, node, "health", "good");
    FACT_IS(&v, node, "critical_warning", "0");
    FACT_IS(&v, node, "temperature", "38");
    FACT_IS(&v, node, "available_spare", "98");
    FACT_IS(&v, node, "available_spare_threshold", "10");
    FACT_IS(&v, node, "percentage_used", "7");
    FACT_IS(&v, node, "media_errors", "0");
    FACT_IS(&v, node, "error_log_entries", "3");
    FACT_IS(&v, node, "power_on_hours", "20011");
    FACT_IS(&v, node, "unsafe_shutdowns", "42");
    FACT_IS(&v, node, "throttled_light", "2");
    FACT_IS(&v, node, "throttled_heavy", "0");
    inventory_free(&v);
}

/* Before 1.3 the bit that retains events is reserved; firmware comes from identify data if /sys has
   none. */
static void old_controller(void)
{
    struct inventory v = {0};
    uint8_t identify[NVME_IDENTIFY_BYTES], log[NVME_HEALTH_BYTES];
    make_identify(identify);
    make_health(log);
    put(identify + 80, 0x00010201, 4);
    const struct nvme_step steps[] = {
        {0x0a, 0, 0x2, 0, 0, NULL, 0},
        {0x06, 0, 0x1, 4096, 0, identify, 0},
        {0x02, 0xffffffff, (127u << 16) | 2, 512, 0, log, 0},
    };
    size_t sent;
    struct nvme_script script = nvme_script(steps, COUNT(steps), &sent);
    int node = new_node(&v, NODE_NVME, "nvme0");
    nvme_ask_controller(&script.admin, &v, node);
    CHECK_INT(sent, 3);
    FACT_IS(&v, node, "nvme_version", "1.2.1");
    FACT_IS(&v, node, "firmware", "GDC5602Q");
    FACT_IS(&v, node, "power_limit", "8.25");
    inventory_free(&v);
}

/* Each failure has its own status, and gives no facts. */
static void failures(void)
{
    static const struct {
        int status;
        enum fact_status expected;
    } cases[] = {{-EACCES, FACT_DENIED}, {-EPERM, FACT_DENIED}, {-ENOTTY, FACT_ABSENT},
                 {-EIO, FACT_ABSENT},    {0x4002, FACT_ABSENT}, {-EINTR, FACT_ABSENT}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct inventory v = {0};
        int s = cases[i].status;
        const struct nvme_step steps[] = {
            {0x0a, 0, 0x2, 0, s, NULL, 1},
            {0x06, 0, 0x1, 4096, s, NULL, 0},
            {0x02, 0xffffffff, (127u << 16) | 2, 512, s, NULL, 0},
        };
        size_t sent;
        struct nvme_script script = nvme_script(steps, COUNT(steps), &sent);
        int node = new_node(&v, NODE_NVME, "nvme0");
        nvme_ask_controller(&script.admin, &v, node);
        CHECK_INT(sent, 3);
        for (size_t k = 0; k < COUNT(denied_keys); k++)
            FACT_STATUS(&v, node, denied_keys[k], cases[i].expected);
        NO_FACT(&v, node, "power_limit");
        inventory_free(&v);
    }
}

/* A device that cannot be opened gets no command. */
static void not_opened(void)
{
    struct inventory v = {0};
    size_t sent;
    struct nvme_script script = nvme_script(NULL, 0, &sent);
    script.admin.opened = FACT_DENIED;
    int node = new_node(&v, NODE_NVME, "nvme0");
    nvme_ask_controller(&script.admin, &v, node);
    CHECK_INT(sent, 0);
    for (size_t k = 0; k < COUNT(denied_keys); k++)
        FACT_STATUS(&v, node, denied_keys[k], FACT_DENIED);
    inventory_free(&v);
}

/* Commands with wrong lengths or namespaces are never sent. */
static void wrong_calls(void)
{
    uint8_t data[8192];
    size_t sent;
    struct nvme_script script = nvme_script(NULL, 0, &sent);
    const struct nvme_admin *a = &script.admin;
    CHECK_INT(nvme_admin_send(a, NVME_IDENTIFY_CONTROLLER, 0, data, 4095, NULL), FACT_INVALID);
    CHECK_INT(nvme_admin_send(a, NVME_IDENTIFY_CONTROLLER, 0, data, 8192, NULL), FACT_INVALID);
    CHECK_INT(nvme_admin_send(a, NVME_IDENTIFY_CONTROLLER, 1, data, 4096, NULL), FACT_INVALID);
    CHECK_INT(nvme_admin_send(a, NVME_HEALTH_LOG, 0, data, 4096, NULL), FACT_INVALID);
    CHECK_INT(nvme_admin_send(a, NVME_HEALTH_LOG, 1, data, 512, NULL), FACT_INVALID);
    CHECK_INT(nvme_admin_send(a, NVME_POWER_STATE, 0, data, 4, NULL), FACT_INVALID);
    CHECK_INT(nvme_admin_send(a, NVME_IDENTIFY_NAMESPACE, 0, data, 4096, NULL), FACT_INVALID);
    CHECK_INT(nvme_admin_send(a, NVME_IDENTIFY_NAMESPACE, 0xffffffff, data, 4096, NULL),
              FACT_INVALID);
    CHECK_INT(sent, 0);
}

/* The real system call, on a file that is not a controller. */
static void no_controller(void)
{
    struct nvme_admin admin;
    uint8_t data[NVME_HEALTH_BYTES];
    uint32_t result = 7;
    nvme_admin_open(&admin, "no-such-controller");
    CHECK_INT(admin.opened, FACT_ABSENT);
    nvme_admin_close(&admin);
    nvme_admin_open(&admin, "../tmp"); /* a folder */
    CHECK_INT(admin.opened, FACT_ABSENT);
    nvme_admin_close(&admin);
    nvme_admin_open(&admin, "null");
    CHECK_INT(admin.opened, FACT_OK);
    CHECK_INT(nvme_admin_send(&admin, NVME_HEALTH_LOG, 0, data, sizeof data, NULL), FACT_ABSENT);
    CHECK_INT(nvme_admin_send(&admin, NVME_POWER_STATE, 0, NULL, 0, &result), FACT_ABSENT);
    CHECK_INT(result, 0);
    /* Format NVM, firmware download, a log page of another length: refused before the system call.
     */
    struct nvme_passthru_cmd format = {.opcode = 0x80},
                             firmware = {.opcode = 0x11, .cdw10 = 0x1, .data_len = 4096},
                             longer = {.opcode = 0x02, .cdw10 = 0x007f0002, .data_len = 4096};
    CHECK_INT(admin.submit(&admin, &format), -EPERM);
    CHECK_INT(admin.submit(&admin, &firmware), -EPERM);
    CHECK_INT(admin.submit(&admin, &longer), -EPERM);
    nvme_admin_close(&admin);

    /* With the caller's descriptor: the same, and the descriptor stays open. */
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    nvme_admin_attach(&admin, fd);
    CHECK_INT(nvme_admin_send(&admin, NVME_VOLATILE_WRITE_CACHE, 0, NULL, 0, &result), FACT_ABSENT);
    CHECK_INT(admin.submit(&admin, &format), -EPERM);
    CHECK(fcntl(fd, F_GETFD) >= 0);
    close(fd);
}

/* ---- decoding ---- */

static void sick_controller(void)
{
    struct inventory v = {0};
    uint8_t log[NVME_HEALTH_BYTES];
    int node = new_node(&v, NODE_NVME, "nvme0");
    make_health(log);
    log[0] = 0x0f;
    log[5] = 103;
    memset(log + 160, 0xff, 16); /* 2^128 - 1 media errors */
    put(log + 128, 0, 16);
    log[128 + 8] = 1; /* 2^64 hours */
    nvme_add_health(&v, node, log);
    FACT_IS(&v, node, "health",
            "spare low, temperature beyond a threshold, reliability degraded, media read-only, "
            "rated life used up");
    FACT_IS(&v, node, "critical_warning", "15");
    FACT_IS(&v, node, "media_errors", "340282366920938463463374607431768211455");
    FACT_IS(&v, node, "power_on_hours", "18446744073709551616");

    node = new_node(&v, NODE_NVME, "nvme1");
    log[0] = 0xc0;
    log[5] = 0;
    put(log + 160, 0, 16);
    put(log + 1, 0, 2); /* no temperature */
    nvme_add_health(&v, node, log);
    FACT_IS(&v, node, "health", "unknown warning 6, unknown warning 7");
    FACT_STATUS(&v, node, "temperature", FACT_ABSENT);
    inventory_free(&v);
}

static void garbage(void)
{
    struct inventory v = {0};
    uint8_t bytes[NVME_IDENTIFY_BYTES + 1];
    int node = new_node(&v, NODE_NVME, "nvme0");
    memset(bytes, 0xff, sizeof bytes);
    nvme_add_controller(&v, node, bytes + 1, 4096); /* at an odd address */
    nvme_add_power_state(&v, node, bytes + 1, 0xffffffff);
    nvme_add_health(&v, node, bytes + 1);
    nvme_add_namespace(&v, node, bytes + 1);
    FACT_STATUS(&v, node, "mdts", FACT_INVALID);
    FACT_STATUS(&v, node, "power_state", FACT_INVALID);
    FACT_STATUS(&v, node, "temperature", FACT_INVALID);
    FACT_STATUS(&v, node, "temperature_warning", FACT_INVALID);
    FACT_STATUS(&v, node, "available_spare", FACT_INVALID);
    FACT_STATUS(&v, node, "lba_formats", FACT_INVALID);
    FACT_STATUS(&v, node, "lba_format", FACT_INVALID);

    node = new_node(&v, NODE_NVME, "nvme1");
    memset(bytes, 0, sizeof bytes);
    nvme_add_controller(&v, node, bytes, 4096);
    nvme_add_power_state(&v, node, bytes, 1); /* it only has state 0 */
    nvme_add_namespace(&v, node, bytes);      /* an inactive namespace */
    FACT_IS(&v, node, "mdts", "0");
    FACT_STATUS(&v, node, "temperature_warning", FACT_ABSENT);
    FACT_STATUS(&v, node, "power_state", FACT_INVALID);
    FACT_STATUS(&v, node, "lba_formats", FACT_INVALID);
    NO_FACT(&v, node, "nvme_version");

    /* The largest that fits: 4096 * 2^51 is 2^63; one more is refused. */
    node = new_node(&v, NODE_NVME, "nvme2");
    bytes[77] = 51;
    nvme_add_controller(&v, node, bytes, 4096);
    FACT_IS(&v, node, "mdts", "9223372036854775808");
    node = new_node(&v, NODE_NVME, "nvme3");
    bytes[77] = 52;
    nvme_add_controller(&v, node, bytes, 4096);
    FACT_STATUS(&v, node, "mdts", FACT_INVALID);
    inventory_free(&v);
}

static void put_format(uint8_t *identify, unsigned index, unsigned metadata, unsigned power,
                       unsigned performance)
{
    put(identify + 128 + 4 * index, metadata | power << 16 | performance << 24, 4);
}

static void formats(void)
{
    struct inventory v = {0};
    uint8_t identify[NVME_IDENTIFY_BYTES] = {0};
    int disk = new_node(&v, NODE_DISK, "nvme0n1");
    identify[25] = 3; /* four formats */
    put_format(identify, 0, 0, 9, 2);
    put_format(identify, 1, 8, 9, 3);
    put_format(identify, 2, 0, 12, 0);
    put_format(identify, 3, 0, 0, 0);  /* not offered */
    put_format(identify, 4, 0, 13, 0); /* beyond the table */
    nvme_add_namespace(&v, disk, identify);
    FACT_IS(&v, disk, "lba_formats", "512+0, 512+8, 4096+0 best");
    FACT_IS(&v, disk, "lba_format", "512+0");

    /* All formats perform the same, so none is marked. Bits 6:5 of FLBAS are ignored with up to 16
       formats. */
    disk = new_node(&v, NODE_DISK, "nvme1n1");
    identify[25] = 1;
    identify[26] = 0x61;
    put_format(identify, 0, 0, 9, 1);
    put_format(identify, 1, 64, 12, 1);
    nvme_add_namespace(&v, disk, identify);
    FACT_IS(&v, disk, "lba_formats", "512+0, 4096+64");
    FACT_IS(&v, disk, "lba_format", "4096+64");

    /* 18 formats, the last one in use: index 17 = upper bits 1, lower bits 1. */
    disk = new_node(&v, NODE_DISK, "nvme2n1");
    identify[25] = 17;
    identify[26] = 0x21;
    put_format(identify, 17, 16, 12, 1);
    nvme_add_namespace(&v, disk, identify);
    FACT_IS(&v, disk, "lba_format", "4096+16");
    inventory_free(&v);
}

int main(void)
{
    controller();
    old_controller();
    failures();
    not_opened();
    wrong_calls();
    no_controller();
    sick_controller();
    garbage();
    formats();
    return check_result();
}
