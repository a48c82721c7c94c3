/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Declarations that the files of the PCI prober share: the functions that were found, as plain
 * values.
 *
 * pci_sysfs.c or pci_dump.c finds the functions and fills a tree (pci_tree.c), pci_config.c reads
 * their configuration space through libpci, pci_names.c looks up their names. pci.c makes nodes of
 * them, with their facts, and pci_link.c adds the links of devices to these.
 */
#ifndef CUPEL_HW_PCI_PCI_H
#define CUPEL_HW_PCI_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/span.h"
#include "base/text.h"
#include "hw/prober.h"

#define PCI_FUNCTIONS_MAX 8192
#define PCI_FOLDER        "/sys/bus/pci/devices"
#define PCI_CONFIG_SOURCE "libpci config space"
#define PCI_TEXT_SOURCE   "lspci -vv"

/* The maximum of one end of a link, or the link's present state. 0: not known, or no link. */
struct pci_end {
    double gigatransfers;
    unsigned lanes;
};

/* The port/device type of the PCI Express capability (PCI Express Base 7.5.3.2). Where the
   capability cannot be read, it follows from the function's place. */
enum pci_role {
    PCI_ROLE_NONE,     /* no link: conventional PCI, or integrated into the root complex */
    PCI_ROLE_PORT,     /* the upper end of a link: root port, downstream port of a switch */
    PCI_ROLE_UPSTREAM, /* the lower end of a link: the upstream port of a switch */
    PCI_ROLE_CARD,     /* the lower end of a link: an endpoint, or a bridge to conventional PCI */
    PCI_ROLE_VIRTUAL,  /* SR-IOV virtual function: shares the link of its physical function */
};

/* Registers of the PCI Express capability; all are 0 unless status is FACT_OK. */
struct pci_registers {
    /* FACT_ABSENT: no such capability; FACT_INVALID: it is cut off at the end of the data */
    enum fact_status status;
    enum pci_role role;
    unsigned payload, payload_capable, read_request; /* bytes; 0: the value is invalid */
    unsigned aspm;                                   /* what is enabled: bit 0: L0s, bit 1: L1 */
    unsigned slot;                                   /* number of a port's slot; 0: none */
    struct pci_end can, runs;
    double target; /* for a port: maximum GT/s that the link may train to */
    /* for a port: the other end changed speed or width, and not because of an error */
    bool autonomous;
};

/* Advanced Error Reporting. */
enum pci_errors { PCI_ERRORS_CORRECTABLE, PCI_ERRORS_NONFATAL, PCI_ERRORS_FATAL, PCI_ERRORS };

extern const char *const pci_error_files[PCI_ERRORS]; /* file names in a device's folder */

struct pci_function {
    char name[24]; /* "0000:41:00.0" */
    unsigned domain, bus, device, function;
    /* folder of the function, owned by the tree; for a dump the folder that the kernel would
       have */
    const char *path;
    unsigned vendor_id, device_id, class, revision;
    bool identified; /* the four members above are known */
    bool is_bridge;
    unsigned secondary; /* for a bridge: number of the bus below it */
    int numa_node;      /* -1: not known */
    enum fact_status driver_status;
    char driver[48];
    char power_state[16]; /* such as "D0", "D3hot"; "": not known */
    char physical[24];    /* for a virtual function: the name of its physical function */
    struct pci_registers registers;
    bool has_link_files; /* sysfs has files for its link */
    /* sysfs shows ASPM, so registers.aspm is known even if the registers cannot be read */
    bool has_aspm_files;
    enum pci_role role;
    struct pci_end can, runs;
    /* everything is from the lines of `lspci -vv`, not from configuration space */
    bool from_text;
    const char *said; /* name as lspci prints it, owned by the tree; NULL: none */
    enum fact_status error_status[PCI_ERRORS];
    uint64_t errors[PCI_ERRORS];
};

struct pci_tree {
    struct pci_function *functions;
    size_t count, capacity;
    struct pool strings;
};

/* Adds a function with that name to the tree. NULL when the name is not an address, or the tree is
   full. */
struct pci_function *pci_tree_add(struct pci_tree *t, const char *name);
void pci_tree_free(struct pci_tree *t);

/* Returns the value of a hexadecimal digit, -1 for anything else. */
int pci_digit(char c);

/* Reads `min` to `max` hexadecimal digits and the character `end` after them, and moves *text past
   them. Returns false for anything else. */
bool pci_take_hex(const char **text, int min, int max, char end, unsigned *value);

/* ---- finding functions ---- */

void pci_tree_from_sysfs(struct pci_tree *t, const struct sysroot *root);
void pci_tree_from_dump(struct pci_tree *t, const char *file);

/*
 * Opens libpci so that its errors are returned: for `sysfs`, a folder, or for `dump`, a file; the
 * other one is NULL. From a dump with an error, the devices before the error are available. The
 * caller closes it with pci_config_close.
 */
struct pci_access;
struct pci_access *pci_config_open(const char *sysfs, const char *dump);
void pci_config_close(struct pci_access *access);

/* Configuration space that was read before, as far as the PCI Express capability may extend. Bytes
   from `length` on are 0xff, as a device would return them. */
struct pci_bytes {
    uint8_t bytes[512];
    size_t length;
};

/*
 * Read identity and bridge numbers, and the PCI Express capability. If `device` is NULL, it is the
 * device at the address of `f`. Its registers are read from `bytes` unless that is NULL. A register
 * counts as denied if a dump lacks it, or if it lies after the first 64 bytes and is read without
 * root. A capability that extends beyond the end of the data is invalid.
 */
struct pci_dev;
void pci_config_identify(struct pci_access *access, struct pci_dev *device, struct pci_function *f);
void pci_config_read(struct pci_access *access, struct pci_dev *device, struct pci_function *f,
                     struct pci_bytes *bytes);

/* ---- names ---- */

struct pci_name {
    uint32_t id;                /* vendor number * 65536 + device number */
    struct span vendor, device; /* names, parts of the text; empty: not found */
};

/* pci_names_find fills in the names from the text of a pci.ids. `wanted` is sorted by
   pci_names_compare. */
void pci_names_find(struct span text, struct pci_name *wanted, size_t count);
int pci_names_compare(const void *a, const void *b);

/* The names of all functions of a tree, from the pci.ids file that the probe names, or else from
   the one found in the usual places. The caller releases it with pci_names_close. */
struct pci_names {
    char *text; /* text of the list, into which the names point */
    struct pci_name *rows;
    size_t count; /* 0: no list was found */
};
void pci_names_open(struct pci_names *n, const struct probe *p, const struct pci_tree *t);
void pci_names_close(struct pci_names *n);

/* Appends a pci.ids with these names only; nothing when there are none. */
void pci_names_write(const struct pci_names *n, struct text *to);

/* Returns 0 if `path` can be read and begins like a pci.ids; otherwise ERR_USAGE. */
int pci_names_check(const char *path, struct err *e);

#define PCI_NAMES_FILE "/usr/share/misc/pci.ids" /* where names are looked for first */

uint32_t pci_names_id(const struct pci_function *f);

/* ---- links ---- */

/* Adds the facts about the link that ends at `card`. `port` is the function above it, NULL when it
   cannot be seen. `shared`: the node is a virtual function of `card`, which itself reports problems
   of the link. */
void pci_link_add(struct probe *p, int node, const struct pci_function *card,
                  const struct pci_function *port, bool shared);

/*
 * Checks that a file is the text of `lspci -x`, -xxx, -xxxx or -vv, from which PCI devices can be
 * read. An empty file is accepted, and has no device. ERR_USAGE, with the file and the problem: it
 * cannot be read; it has no PCI device; it has neither configuration space nor links of any device;
 * or it has content that would make libpci's reader write out of bounds.
 */
int pci_dump_check(const char *file, struct err *e);

#endif
