/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/disk share. */
#ifndef CUPEL_HW_DISK_INTERNAL_H
#define CUPEL_HW_DISK_INTERNAL_H

#include <scsi/sg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/nvme/nvme.h"
#include "base/scsi/scsi.h"
#include "facts/fact.h"
#include "facts/inventory.h"
#include "hw/link/link_limit.h"
#include "hw/prober.h"
#include "hw/sysroot/attribute.h"
#include "hw/sysroot/sysroot.h"
#include "tables/scsi_commands.h"

/* ---- ata.c ---- */

/* Reads a rate such as "12.0 Gbit" from /sys (`unit` is " Gbit"), in bits/s; NaN for "Unknown",
   "<unknown>", "Phy disabled" and the like. */
double disk_link_rate(const struct sysroot *root, const char *folder, const char *file,
                      const char *unit);

/* Returns the limit of a SATA link. It is limit_sata() with the parameters that link_ends.limit
   requires; `lanes` is not used. */
struct link_rate sata_link_limit(double bits_per_second, unsigned lanes);

/*
 * IDENTIFY DEVICE data of ATA drives (ACS-4, 7.12.7): the parts about links and health. Pure
 * decoding, any thread.
 */

#define ATA_IDENTIFY_WORDS 256

/* Returns the drive's fastest SATA rate in bits/s (word 76); NaN for a parallel ATA drive, or
   without data. */
double ata_identify_rate(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* Returns the number of commands that the drive queues (words 75 and 76: NCQ); 0: none. */
unsigned ata_identify_queue_depth(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* Returns whether the drive has SMART, and whether that is switched on (words 82 and 85).
   ATA_NO_SMART also when the words are not valid (83 and 87). */
enum ata_smart { ATA_NO_SMART, ATA_SMART_OFF, ATA_SMART_ON };
enum ata_smart ata_identify_smart(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* Return true if the drive is a solid state drive (word 217), and if such a drive has general
   purpose logs (word 87). */
bool ata_identify_is_solid_state(const uint16_t words[static ATA_IDENTIFY_WORDS]);
bool ata_identify_has_solid_state_log(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* Converts the drive's bytes to words; the lower byte comes first. */
void ata_identify_read(const uint8_t bytes[static 2 * ATA_IDENTIFY_WORDS],
                       uint16_t words[static ATA_IDENTIFY_WORDS]);

/* Parses the kernel's text, hexadecimal words separated by blanks. Missing words become 0. Returns
   the number of words, 0 when the text has another form. */
unsigned ata_identify_parse(const char *text, uint16_t words[static ATA_IDENTIFY_WORDS]);

/* ---- scsi_command.c: commands ---- */

/*
 * Sends SCSI commands to a disk of this machine: those of tables/scsi_commands.h and no others. No
 * other bytes can be sent.
 *
 * A struct scsi_disk may be used by one thread at a time. The caller closes it with
 * scsi_disk_close.
 */

#define SCSI_DATA_MAX  16384
#define SCSI_SENSE_MAX 64

#define SCSI_COMMAND_IDENTIFIER(identifier, ...) identifier,
enum scsi_command { SCSI_COMMAND_ROWS(SCSI_COMMAND_IDENTIFIER) SCSI_COMMANDS };
#undef SCSI_COMMAND_IDENTIFIER

struct scsi_disk {
    /* Hands one command to the disk and waits for it. Returns 0, or -errno. */
    int (*submit)(const struct scsi_disk *disk, struct sg_io_hdr *command);
    /* FACT_OK, or why nothing is sent: the disk could not be opened, did not answer in time, or is
       gone. Every command then returns this status. */
    enum fact_status state;
    int fd;
};

struct scsi_answer {
    struct scsi_sense sense;
    size_t received; /* number of data bytes received */
    uint8_t data[SCSI_DATA_MAX];
};

/* Opens /dev/NAME ("sda") for reading; it must be the whole disk with that device number. Sets
   `state` to FACT_DENIED when that is not permitted, to FACT_ABSENT when there is no such disk. */
void scsi_disk_open(struct scsi_disk *disk, const char *name, dev_t device);
void scsi_disk_close(struct scsi_disk *disk);

/*
 * Sends one command. FACT_OK: it succeeded, and `answer` holds its data, and sense data if there
 * are any. FACT_DENIED: not permitted (ATA commands need CAP_SYS_RAWIO). FACT_ABSENT: the disk does
 * not support the command, or it failed; sense data may show why.
 */
enum fact_status scsi_send(struct scsi_disk *disk, enum scsi_command which,
                           struct scsi_answer *answer);

/* Returns the name of the command, which is the source of a fact. */
const char *scsi_command_name(enum scsi_command which);

/* ---- disk_health.c: the health of disks ---- */

/* Adds the fact `health` for a disk whose health could not be read, and power_on_hours if the
   status is denied; `source` gives the reason. */
static inline void disk_health_missing(struct inventory *v, int node, enum fact_status status,
                                       const char *source)
{
    inventory_add(v, node, "health", "", "", source, status);
    if (status == FACT_DENIED)
        inventory_add(v, node, "power_on_hours", "", "h", source, status);
}

/*
 * SMART of ATA drives as facts: whether the drive predicts its failure (ACS-4 7.48), its counters,
 * and the used part of its life. A drive in standby is not woken. No state.
 */

#define ATA_SMART_BYTES 512

/*
 * Adds facts to the disk's node: health ("good", "failing: ...", "rated life used up"), the
 * attributes of tables/ata_smart.h that the drive has, percentage_used for a solid state drive with
 * statistics, and `temperature` only when requested. Data that could not be read become a fact as
 * well, whose source gives the reason.
 */
void ata_ask_health(struct scsi_disk *disk, struct inventory *v, int node, bool temperature);

/* Adds the same facts from an answer to SMART READ DATA; wear only for solid state drives. Data
   with a wrong checksum are not used: power_on_hours is then FACT_INVALID. */
void ata_add_attributes(struct inventory *v, int node, const uint8_t data[static ATA_SMART_BYTES],
                        bool solid_state, bool temperature);

/* ---- scsi_health.c ---- */

/*
 * Health of SCSI and SAS disks as facts: whether the disk predicts its failure (informational
 * exceptions, SPC-4 7.3.8 and 5.11), the counters of its log pages, the results of its background
 * scan, its write cache, and how many blocks it has replaced. A disk in standby is not woken. No
 * state.
 */

/*
 * Adds facts to the disk's node: health ("good", "failing: ...", a warning), power_on_hours, the
 * rows of tables/scsi_log_values.h, background_scan_errors, drive_write_cache ("on", "off"),
 * grown_defects, and `temperature` only when requested. The disk is asked for the pages that it
 * lists, or for all when it lists none. Values that it does not report are left out, except health;
 * a page that it lists and answers wrongly gives FACT_INVALID. "good" requires a disk with the log
 * page of exceptions; for
 * other disks health is not known.
 */
void scsi_ask_health(struct scsi_disk *disk, struct inventory *v, int node, bool temperature);

/* ---- the block prober ---- */

#define BLOCK_CLASS "/sys/class/block"
#define BLOCK_FILE  1024 /* size of a buffer for the path of any file of a device */

struct block_device {
    struct probe *probe;
    int node;
    const char *name;
    char path[BLOCK_FILE / 2]; /* folder of the device's files, such as "/sys/class/block/sda" */
    char folder[PROBE_FOLDER]; /* real folder of the device, below /sys/devices */
};

/* Devices of one driver, recognised by the prefix of the names that the kernel gives them. */
struct block_family {
    const char *prefix;
    enum node_kind kind;
    const char *bus; /* bus of its disks; NULL: the target of the link device/subsystem */
    /* a file that exists only when the device is set up; NULL: the device always is */
    const char *mark;
    const struct attribute *rows;
    size_t row_count;
    /* adds facts that are more than a file's contents; may be NULL */
    void (*add)(const struct block_device *d);
};

/* ---- disk_health.c ---- */

/* The answer to whether a SATA, SAS or SCSI disk may be asked for its health, and by which
   commands. */

enum disk_asking {
    DISK_NOT_ASKED, /* no such disk, not permitted, or unsafe to ask: there is no fact */
    /* the kernel has given the disk up, or is recovering from its errors: a command would hang */
    DISK_NOT_WELL,
    /* the kernel has stopped the disk to save power: opening it would start it again */
    DISK_SWITCHED_OFF,
    DISK_ASK_ATA,
    DISK_ASK_SCSI,
};

/*
 * Returns whether and how the disk of this node may be asked. Disks are asked only if the root is
 * this machine and the user permits it. ATA drives behind USB are asked only if the bridge reports
 * that it passes such commands on, other USB disks never (many hang at commands that they do not
 * know).
 */
enum disk_asking disk_asking(const struct probe *p, int node);

/* Like disk_asking, but decides only by what /sys shows about the disk. */
enum disk_asking disk_asking_of(const struct sysroot *root, const struct inventory *v, int node);

/* ---- filesystem.c: mounts ---- */

/* The mounted filesystem that a path lies on, from /proc/self/mountinfo (proc_pid_mountinfo(5)). */

#define MOUNT_FILE "/proc/self/mountinfo"

struct mount {
    dev_t device; /* device number; major 0 for tmpfs, overlay, btrfs, nfs ... */
    char type[32];
    char source[256]; /* what is mounted: "/dev/sda2", "tmpfs", "server:/export" */
    char point[1024];
    char options[256];        /* options of the mount */
    char super_options[1024]; /* options of the filesystem */
    char upper_folder[1024];  /* for an overlay: the folder that its writes go to; otherwise "" */
};

/*
 * Finds the mount of `path`, which is absolute and without symbolic links: the longest mount point
 * above it, if possible with `device`. FACT_ABSENT when there is none. Text that does not fit ends
 * in "...".
 */
enum fact_status mount_find(const struct sysroot *root, const char *path, dev_t device,
                            struct mount *found);

/* ---- nvme.c ---- */

/*
 * Reads facts from NVMe controllers by commands. The device that they are sent to is abstract. One
 * thread per controller.
 */

/* Adds facts to the controller's node, from identify, the health log and the power state. */
void nvme_ask_controller(const struct nvme_admin *admin, struct inventory *v, int node);

/* Adds facts to the disks' nodes, from identify of the controller's namespaces; each disk is asked
   once. */
void nvme_ask_namespaces(const struct nvme_admin *admin, struct probe *p, const char *controller);

/* Returns true if the controller of this node may be asked. False below another root, without the
   user's permission, and while the controller resets or is dead, because a command would wait for
   it. */
bool nvme_may_ask(const struct probe *p, int node);

/* Returns true for the name of a controller such as "nvme0". */
bool nvme_is_controller(const char *name);

/* Returns true for the name of a single path to an NVMe namespace ("nvme0c1n1"), which the kernel
   lists but which cannot be opened. */
bool nvme_is_path(const char *name);

/* For a namespace with several controllers: adds the fact `paths` and the state of each path, and
   moves the node below the first controller. `all` are the names of all block devices. */
void nvme_add_paths(const struct block_device *d, const struct sysroot_names *all);

/* ---- nvme.c: decoding ---- */

/*
 * Decodes answers of NVMe controllers to facts. A buffer may have any content.
 *
 * Offsets and codes are those of the NVM Express Base Specification 2.0c and the NVM Command Set
 * Specification 1.0c. Numbers have the least significant byte first, at any address. No state.
 */

/*
 * Identify Controller: adds nvme_version, firmware (unless that fact exists), mdts,
 * temperature_warning and temperature_critical (absent when 0). `page_size` is the unit of MDTS:
 * the smallest memory page of the controller (CAP.MPSMIN) in bytes. An mdts of 0 means no limit.
 */
void nvme_add_controller(struct inventory *v, int node,
                         const uint8_t identify[static NVME_IDENTIFY_BYTES], uint64_t page_size);

/* Returns true for version 1.3 or later, which can retain events when a log is read. */
bool nvme_retains_events(const uint8_t identify[static NVME_IDENTIFY_BYTES]);

/* Get Features, Power Management: adds power_state, and the power_limit of that state in watts.
   `identify` is the controller's. */
void nvme_add_power_state(struct inventory *v, int node,
                          const uint8_t identify[static NVME_IDENTIFY_BYTES], uint32_t result);

/* SMART / Health Information: adds temperature, health in words, and the rows of
   tables/nvme_health.h. */
void nvme_add_health(struct inventory *v, int node, const uint8_t log[static NVME_HEALTH_BYTES]);

/* Identify Namespace: adds lba_formats as "data bytes + metadata bytes", with a mark at those that
   perform best if performance differs; and lba_format, the one in use. */
void nvme_add_namespace(struct inventory *v, int disk,
                        const uint8_t identify[static NVME_IDENTIFY_BYTES]);

#endif
