/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ATA drives that follow a script: health, standby, SMART that is off, sense data of both formats.
 */
#include "check.h"
#include "facts_check.h"
#include "scsi_script.h"

#include "hw/disk/internal.h"
#include <errno.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* The commands' bytes, written out independently of the tables. */
#define POWER_MODE {0x85, 0x06, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe5, 0}, 16
#define IDENTIFY   {0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec, 0}, 16
#define STATUS     {0x85, 0x06, 0x20, 0, 0xda, 0, 0, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0}, 16
#define READ_DATA  {0x85, 0x08, 0x0e, 0, 0xd0, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0}, 16
#define STATISTICS {0x85, 0x09, 0x0e, 0, 0, 0, 1, 0, 0x04, 0, 0x07, 0, 0, 0, 0x2f, 0}, 16

/* Sense data with the drive's registers: recovered error, additional sense code 00h/1Dh. */
#define DESCRIPTORS(count, mid, high, status)                                                      \
    {                                                                                              \
        0x72, 0x01, 0, 0x1d, 0, 0, 0, 14, 0x09, 12, 0, 0, 0, count, 0, 1, 0, mid, 0, high, 0xa0,   \
            status                                                                                 \
    }
#define FIXED(count, mid, high, status)                                                            \
    {                                                                                              \
        0xf0, 0, 1, 0, status, 0xa0, count, 10, 0, 0, mid, high, 0, 0x1d, 0, 0, 0, 0               \
    }

#define TELLS(sense)     0, 0, 2, NULL, 0, (sense), sizeof(sense)
#define GIVES(data)      0, 0, 0, (data), 512, NULL, 0
#define FAILS(errno_)    -(errno_), 0, 0, NULL, 0, NULL, 0
#define REFUSES(sense)   0, 0, 2, NULL, 0, (sense), sizeof(sense)
#define TAKES_TOO_LONG   0, 3, 0, NULL, 0, NULL, 0
#define IS_GOOD_BUT_MUTE 0, 0, 0, NULL, 0, NULL, 0

static const uint8_t active[] = DESCRIPTORS(0xff, 0, 0, 0x50);
static const uint8_t good[] = DESCRIPTORS(0, 0x4f, 0xc2, 0x50);
static const uint8_t failing[] = DESCRIPTORS(0, 0xf4, 0x2c, 0x50);
static const uint8_t aborted[] = {0x72, 0x0b, 0, 0, 0, 0, 0, 14, 0x09, 12,   0,
                                  4,    0,    0, 0, 0, 0, 0, 0,  0,    0xa0, 0x51};

static uint8_t identify[512], data[512], statistics[512];
static struct inventory v;
static int node;
static size_t sent;

static void put_word(uint8_t *bytes, size_t word, unsigned value)
{
    bytes[2 * word] = (uint8_t)value;
    bytes[2 * word + 1] = (uint8_t)(value >> 8);
}

static void make_identify(bool solid_state)
{
    memset(identify, 0, sizeof identify);
    put_word(identify, 82, 0x4001);
    put_word(identify, 83, 0x7400);
    put_word(identify, 85, 0x4001);
    put_word(identify, 87, 0x4020);
    put_word(identify, 217, solid_state ? 1 : 7200);
}

static void put_attribute(size_t slot, uint8_t id, uint8_t value, uint64_t raw)
{
    uint8_t *a = data + 2 + 12 * slot;
    a[0] = id;
    a[1] = 0x33;
    a[3] = a[4] = value;
    for (size_t i = 0; i < 6; i++)
        a[5 + i] = (uint8_t)(raw >> 8 * i);
}

static void seal(void)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < 511; i++)
        sum = (uint8_t)(sum + data[i]);
    data[511] = (uint8_t)-sum;
}

static void make_data(void)
{
    memset(data, 0, sizeof data);
    data[0] = 16;
    put_attribute(0, 1, 100, 77);
    /* 3, with a number of the maker's in the upper bytes */
    put_attribute(1, 5, 98, 0x07d000000003);
    put_attribute(2, 9, 80, 0x120000004e2b); /* 20011 h, and minutes above */
    put_attribute(4, 187, 100, 2);
    put_attribute(5, 194, 34, 0x002d00120026); /* 38 C, lowest 18 C, highest 45 C */
    put_attribute(6, 197, 100, 8);
    put_attribute(29, 198, 100, 70000);
    seal();
}

static void begin(void)
{
    v = (struct inventory){0};
    node = inventory_add_node(&v, NODE_DISK, "sda", NULL, INVENTORY_NONE);
    make_identify(false);
    make_data();
}

static void ask(const struct scsi_step *steps, size_t count, bool temperature)
{
    struct scsi_script script = scsi_script(steps, count, &sent);
    ata_ask_health(&script.disk, &v, node, temperature);
    CHECK_INT(sent, count);
}

static void source_has(const char *key, const char *words)
{
    const struct inventory_fact *fact = inventory_fact(&v, node, key);
    if (!check_that(fact && strstr(fact->source, words), __FILE__, __LINE__, words))
        fprintf(stderr, "    the source is \"%s\"\n", fact ? fact->source : "(none)");
}

/* ---- drives ---- */

static void hard_disk(void)
{
    begin();
    const struct scsi_step steps[] = {
        {POWER_MODE, 0, TELLS(active)},
        {IDENTIFY, 512, GIVES(identify)},
        {STATUS, 0, TELLS(good)},
        {READ_DATA, 512, GIVES(data)},
    };
    ask(steps, COUNT(steps), true);
    FACT_IS(&v, node, "health", "good");
    FACT_IS(&v, node, "reallocated_sectors", "3");
    FACT_IS(&v, node, "power_on_hours", "20011");
    FACT_IS(&v, node, "reported_uncorrectable", "2");
    FACT_IS(&v, node, "pending_sectors", "8");
    FACT_IS(&v, node, "offline_uncorrectable", "70000");
    FACT_IS(&v, node, "temperature", "38");
    NO_FACT(&v, node, "life_left");
    NO_FACT(&v, node, "percentage_used");
    inventory_free(&v);

    begin(); /* a sensor reports its temperature; 0 C and below are valid */
    ask(steps, COUNT(steps), false);
    NO_FACT(&v, node, "temperature");
    put_attribute(5, 194, 34, 0xfb);
    seal();
    ata_add_attributes(&v, node, data, false, true);
    FACT_IS(&v, node, "temperature", "-5");
    inventory_free(&v);
}

static void solid_state(unsigned used, bool valid, const char *health)
{
    begin();
    make_identify(true);
    put_attribute(7, 177, 61, 390);
    put_attribute(8, 233, 0, 12345); /* by its value this is something else */
    seal();
    memset(statistics, 0, sizeof statistics);
    statistics[0] = 1;
    statistics[2] = 7;
    statistics[8] = (uint8_t)used;
    statistics[15] = valid ? 0xc0 : 0x80;
    const struct scsi_step steps[] = {
        {POWER_MODE, 0, TELLS(active)}, {IDENTIFY, 512, GIVES(identify)},
        {STATUS, 0, TELLS(good)},       {STATISTICS, 512, GIVES(statistics)},
        {READ_DATA, 512, GIVES(data)},
    };
    ask(steps, COUNT(steps), false);
    FACT_IS(&v, node, "health", health);
    FACT_IS(&v, node, "life_left", "61");
    source_has("life_left", "attribute 177");
    if (valid)
        CHECK_NEAR(inventory_number(&v, node, "percentage_used"), used, 0);
    else
        NO_FACT(&v, node, "percentage_used");
    inventory_free(&v);
}

/* Without statistics, or without a general purpose log, the attributes remain. */
static void solid_state_without_statistics(void)
{
    begin();
    make_identify(true);
    put_attribute(7, 231, 92, 92);
    put_attribute(8, 233, 50, 0);
    seal();
    const struct scsi_step refused[] = {
        {POWER_MODE, 0, TELLS(active)}, {IDENTIFY, 512, GIVES(identify)},
        {STATUS, 0, TELLS(good)},       {STATISTICS, 512, REFUSES(aborted)},
        {READ_DATA, 512, GIVES(data)},
    };
    ask(refused, COUNT(refused), false);
    FACT_IS(&v, node, "health", "good");
    FACT_IS(&v, node, "life_left", "92");
    NO_FACT(&v, node, "percentage_used");
    inventory_free(&v);

    begin();
    make_identify(true);
    put_word(identify, 87, 0x4000);
    const struct scsi_step without[] = {
        {POWER_MODE, 0, TELLS(active)},
        {IDENTIFY, 512, GIVES(identify)},
        {STATUS, 0, TELLS(good)},
        {READ_DATA, 512, GIVES(data)},
    };
    ask(without, COUNT(without), false);
    FACT_IS(&v, node, "health", "good");
    NO_FACT(&v, node, "life_left");
    inventory_free(&v);
}

static void failing_drive(const uint8_t *sense, uint8_t length)
{
    begin();
    const struct scsi_step steps[] = {
        {POWER_MODE, 0, TELLS(active)},
        {IDENTIFY, 512, GIVES(identify)},
        {STATUS, 0, 0, 0, 2, NULL, 0, sense, length},
        {READ_DATA, 512, GIVES(data)},
    };
    ask(steps, COUNT(steps), false);
    FACT_IS(&v, node, "health", "failing: the drive predicts it (SMART)");
    FACT_IS(&v, node, "pending_sectors", "8");
    inventory_free(&v);
}

/* ---- drives that are not asked, or do not answer ---- */

static void check_not_asked(const struct scsi_step *step, enum fact_status status,
                            const char *words)
{
    begin();
    ask(step, 1, true);
    FACT_STATUS(&v, node, "health", status);
    source_has("health", words);
    if (status == FACT_DENIED)
        FACT_STATUS(&v, node, "power_on_hours", status);
    else
        NO_FACT(&v, node, "power_on_hours");
    inventory_free(&v);
}

static void standby(void)
{
    static const uint8_t sleeps[][22] = {DESCRIPTORS(0x00, 0, 0, 0x50),
                                         DESCRIPTORS(0x01, 0, 0, 0x50),
                                         DESCRIPTORS(0x40, 0, 0, 0x50)};
    static const uint8_t fixed[] = FIXED(0x00, 0, 0, 0x50);
    for (size_t i = 0; i < COUNT(sleeps); i++)
        check_not_asked(&(struct scsi_step){POWER_MODE, 0, TELLS(sleeps[i])}, FACT_ABSENT,
                        "in standby and was not woken");
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, TELLS(fixed)}, FACT_ABSENT, "in standby");

    /* Idle: it spins. */
    static const uint8_t idle[] = FIXED(0x82, 0, 0, 0x50);
    begin();
    const struct scsi_step steps[] = {{POWER_MODE, 0, TELLS(idle)}, {IDENTIFY, 512, FAILS(EIO)}};
    ask(steps, 2, true);
    FACT_STATUS(&v, node, "health", FACT_ABSENT);
    inventory_free(&v);
}

static void not_told(void)
{
    static const uint8_t illegal[] = {0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0};
    static const uint8_t garbage[] = {0x72, 0x01, 0, 0x1d, 0, 0, 0, 255, 0x09, 200, 0, 0};
    static const uint8_t cut[] = {0x72, 0x01, 0, 0x1d, 0, 0, 0, 14, 0x09, 12, 0, 0, 0, 0xff};
    static const uint8_t noise[] = {0xff, 0xff, 0xff};
    const char *mode = "CHECK POWER MODE";
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, FAILS(EPERM)}, FACT_DENIED, mode);
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, FAILS(EACCES)}, FACT_DENIED, mode);
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, FAILS(ENOTTY)}, FACT_ABSENT, mode);
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, TAKES_TOO_LONG}, FACT_ABSENT, mode);
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, IS_GOOD_BUT_MUTE}, FACT_ABSENT, mode);
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, REFUSES(illegal)}, FACT_ABSENT, mode);
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, REFUSES(aborted)}, FACT_ABSENT, mode);
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, TELLS(garbage)}, FACT_ABSENT, mode);
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, TELLS(cut)}, FACT_ABSENT, mode);
    check_not_asked(&(struct scsi_step){POWER_MODE, 0, TELLS(noise)}, FACT_ABSENT, mode);

    begin(); /* the device could not be opened */
    struct scsi_script script = scsi_script(NULL, 0, &sent);
    script.disk.state = FACT_DENIED;
    ata_ask_health(&script.disk, &v, node, true);
    CHECK_INT(sent, 0);
    FACT_STATUS(&v, node, "health", FACT_DENIED);
    inventory_free(&v);
}

static void check_smart(unsigned word, unsigned value, enum fact_status status, const char *words)
{
    begin();
    put_word(identify, word, value);
    const struct scsi_step steps[] = {{POWER_MODE, 0, TELLS(active)},
                                      {IDENTIFY, 512, GIVES(identify)}};
    ask(steps, 2, true);
    FACT_STATUS(&v, node, "health", status);
    source_has("health", words);
    inventory_free(&v);
}

static void no_smart(void)
{
    check_smart(82, 0x4000, FACT_ABSENT, "has no SMART");
    check_smart(83, 0x0000, FACT_ABSENT, "has no SMART"); /* the words are invalid and ignored */
    check_smart(83, 0xffff, FACT_ABSENT, "has no SMART");
    check_smart(85, 0x4000, FACT_ABSENT, "switched off");
    check_smart(87, 0x0001, FACT_ABSENT, "switched off");

    begin(); /* only half of the identify data is there */
    const struct scsi_step steps[] = {{POWER_MODE, 0, TELLS(active)},
                                      {IDENTIFY, 512, 0, 0, 0, identify, 256, NULL, 0}};
    ask(steps, 2, true);
    FACT_STATUS(&v, node, "health", FACT_INVALID);
    inventory_free(&v);
}

/* An answer that is neither of the two gives no health; other facts are still reported. */
static void odd_status(void)
{
    static const uint8_t neither[] = DESCRIPTORS(0, 0x4f, 0x2c, 0x50);
    static const uint8_t error[] = DESCRIPTORS(0, 0x4f, 0xc2, 0x51);
    static const uint8_t *const senses[] = {neither, error};
    for (size_t i = 0; i < 2; i++) {
        begin();
        const struct scsi_step steps[] = {
            {POWER_MODE, 0, TELLS(active)},
            {IDENTIFY, 512, GIVES(identify)},
            {STATUS, 0, 0, 0, 2, NULL, 0, senses[i], 22},
            {READ_DATA, 512, GIVES(data)},
        };
        ask(steps, COUNT(steps), true);
        FACT_STATUS(&v, node, "health", FACT_ABSENT);
        FACT_IS(&v, node, "power_on_hours", "20011");
        inventory_free(&v);
    }
    begin(); /* after a command that timed out no other is sent */
    const struct scsi_step steps[] = {
        {POWER_MODE, 0, TELLS(active)},
        {IDENTIFY, 512, GIVES(identify)},
        {STATUS, 0, TAKES_TOO_LONG},
    };
    ask(steps, COUNT(steps), true);
    FACT_STATUS(&v, node, "health", FACT_ABSENT);
    NO_FACT(&v, node, "power_on_hours");
    inventory_free(&v);
}

static void odd_data(void)
{
    begin();
    data[100] ^= 1; /* the checksum is wrong */
    ata_add_attributes(&v, node, data, true, true);
    FACT_STATUS(&v, node, "power_on_hours", FACT_INVALID);
    NO_FACT(&v, node, "pending_sectors");
    NO_FACT(&v, node, "temperature");
    inventory_free(&v);

    begin();
    memset(data, 0xff, sizeof data);
    data[511] = 0xff; /* the sum of 511 bytes of ffh is 1 modulo 256 */
    data[510] = 0x00;
    data[509] = 0x00;
    seal();
    ata_add_attributes(&v, node, data, true, true);
    NO_FACT(&v, node, "power_on_hours"); /* attribute 255 thirty times */
    inventory_free(&v);

    begin();
    put_attribute(2, 9, 80, 1000001); /* 114 years */
    seal();
    ata_add_attributes(&v, node, data, false, false);
    FACT_STATUS(&v, node, "power_on_hours", FACT_INVALID);
    inventory_free(&v);
}

/* ---- through the kernel ---- */

static void unlisted_commands(void)
{
    struct scsi_disk disk;
    struct scsi_answer answer;
    scsi_disk_open(&disk, "null", 0); /* no block device */
    CHECK_INT(disk.state, FACT_ABSENT);
    scsi_disk_open(&disk, "no-such-disk", 0);
    CHECK_INT(disk.state, FACT_ABSENT);
    CHECK_INT(scsi_send(&disk, ATA_SMART_DATA, &answer), FACT_ABSENT);
    /* FORMAT UNIT; SMART DISABLE; SMART READ DATA with a wrong buffer size, with data to the drive,
       or with scatter-gather: all refused before they reach the kernel. */
    uint8_t format[16] = {0x04}, data_cdb[16], disable[16];
    const uint8_t read_data[] = {0x85, 8, 0x0e, 0, 0xd0, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0};
    memcpy(data_cdb, read_data, 16);
    memcpy(disable, read_data, 16);
    disable[4] = 0xd9;
    struct sg_io_hdr commands[] = {
        {.cmdp = format, .cmd_len = 6, .dxfer_direction = SG_DXFER_NONE},
        {.cmdp = disable, .cmd_len = 16, .dxfer_len = 512, .dxfer_direction = SG_DXFER_FROM_DEV},
        {.cmdp = data_cdb, .cmd_len = 16, .dxfer_len = 1024, .dxfer_direction = SG_DXFER_FROM_DEV},
        {.cmdp = data_cdb, .cmd_len = 16, .dxfer_len = 512, .dxfer_direction = SG_DXFER_TO_DEV},
        {.cmdp = data_cdb, .cmd_len = 12, .dxfer_len = 512, .dxfer_direction = SG_DXFER_FROM_DEV},
        {.cmdp = data_cdb,
         .cmd_len = 16,
         .iovec_count = 1,
         .dxfer_len = 512,
         .dxfer_direction = SG_DXFER_FROM_DEV},
    };
    for (size_t i = 0; i < COUNT(commands); i++)
        CHECK_INT(disk.submit(&disk, &commands[i]), -EPERM);
    struct sg_io_hdr listed = {
        .cmdp = data_cdb, .cmd_len = 16, .dxfer_len = 512, .dxfer_direction = SG_DXFER_FROM_DEV};
    /* The kernel's answer; an emulator has none. */
    CHECK_INT(disk.submit(&disk, &listed), check_is_emulated() ? -ENOSYS : -EBADF);
    scsi_disk_close(&disk);
}

int main(void)
{
    static const uint8_t fixed_failing[] = FIXED(0, 0xf4, 0x2c, 0x50);
    hard_disk();
    solid_state(7, true, "good");
    solid_state(100, true, "rated life used up");
    solid_state(255, true, "rated life used up");
    solid_state(100, false, "good");
    solid_state_without_statistics();
    failing_drive(failing, sizeof failing);
    failing_drive(fixed_failing, sizeof fixed_failing);
    standby();
    not_told();
    no_smart();
    odd_status();
    odd_data();
    unlisted_commands();
    return check_result();
}
