/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads PCI configuration space through libpci, register by register: each read from a device takes
   about a microsecond, and in a guest a hundred. */
#include <limits.h>
#include <pci/pci.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "hw/pci/pci.h"
#include "tables/pcie.h"

struct speed_code {
    unsigned code;
    double gigatransfers;
};

#define SPEED_CODE(code, gigatransfers, ...) {code, gigatransfers},
static const struct speed_code speed_codes[] = {PCIE_ROWS(SPEED_CODE)};

/* ---- libpci's errors ---- */

/* Error callbacks have no context argument, and must not return to libpci. */
static _Thread_local jmp_buf *way_out;

/* The type of the parameter is that of libpci's callback.
   NOLINTNEXTLINE(readability-non-const-parameter) */
__attribute__((noreturn)) static void on_error(char *message, ...)
{
    (void)message;
    longjmp(*way_out, 1);
}

/* NOLINTNEXTLINE(readability-non-const-parameter) */
static void on_message(char *message, ...)
{
    (void)message;
}

/* Runs `step` until it returns or libpci reports an error. */
static void guarded(void (*step)(void *context), void *context)
{
    jmp_buf here;
    way_out = &here;
    if (!setjmp(here))
        step(context);
    way_out = NULL;
}

/* ---- opening ---- */

struct opening {
    struct pci_access *access;
    const char *parameter, *path;
};

static void step_open(void *context)
{
    const struct opening *o = context;
    char parameter[16], path[PATH_MAX];
    snprintf(parameter, sizeof parameter, "%s", o->parameter);
    snprintf(path, sizeof path, "%s", o->path);
    pci_set_param(o->access, parameter, path);
    pci_init(o->access);
}

struct pci_access *pci_config_open(const char *sysfs, const char *dump)
{
    struct pci_access *access = pci_alloc();
    access->method = dump ? PCI_ACCESS_DUMP : PCI_ACCESS_SYS_BUS_PCI;
    access->error = on_error;
    access->warning = access->debug = on_message;
    /* looks up no names, neither over the network nor in a cache */
    access->id_lookup_mode = PCI_LOOKUP_NUMERIC;
    struct opening o = {access, dump ? "dump.name" : "sysfs.path", dump ? dump : sysfs};
    guarded(step_open, &o);
    return access;
}

void pci_config_close(struct pci_access *access)
{
    pci_cleanup(access);
}

/* ---- the PCI Express capability ---- */

static double speed_of(unsigned code)
{
    for (size_t i = 0; i < sizeof speed_codes / sizeof *speed_codes; i++)
        if (speed_codes[i].code == code)
            return speed_codes[i].gigatransfers;
    return 0;
}

static unsigned lanes_of(unsigned lanes)
{
    return lanes <= 32 ? lanes : 0;
}

static unsigned payload_of(unsigned field)
{
    return field <= PCIE_PAYLOAD_FIELD_MAX ? PCIE_PAYLOAD_MIN << field : 0;
}

static enum pci_role role_of(unsigned kind)
{
    switch (kind) {
    case PCI_EXP_TYPE_ROOT_PORT:
    case PCI_EXP_TYPE_DOWNSTREAM:
    case PCI_EXP_TYPE_PCIE_BRIDGE:
        return PCI_ROLE_PORT;
    case PCI_EXP_TYPE_UPSTREAM:
        return PCI_ROLE_UPSTREAM;
    case PCI_EXP_TYPE_ENDPOINT:
    case PCI_EXP_TYPE_LEG_END:
    case PCI_EXP_TYPE_PCI_BRIDGE:
        return PCI_ROLE_CARD;
    default:
        return PCI_ROLE_NONE;
    }
}

static void read_link(struct pci_dev *d, int at, unsigned version, struct pci_registers *r)
{
    unsigned can = pci_read_long(d, at + PCI_EXP_LNKCAP);
    unsigned runs = pci_read_word(d, at + PCI_EXP_LNKSTA);
    /* Since version 2 a separate register has a bit for each speed; before, there was only the
       highest speed. */
    unsigned bits =
        version >= 2 ? PCI_EXP_LNKCAP2_SPEED(pci_read_long(d, at + PCI_EXP_LNKCAP2)) : 0;
    bool has_bits = bits && bits != 0x7f;
    r->can.gigatransfers =
        speed_of(has_bits ? 32 - (unsigned)__builtin_clz(bits) : can & PCI_EXP_LNKCAP_SPEED);
    r->can.lanes = lanes_of((can & PCI_EXP_LNKCAP_WIDTH) >> 4);
    r->runs.lanes = lanes_of((runs & PCI_EXP_LNKSTA_WIDTH) >> 4);
    r->runs.gigatransfers = r->runs.lanes ? speed_of(runs & PCI_EXP_LNKSTA_SPEED) : 0;
    r->aspm = pci_read_word(d, at + PCI_EXP_LNKCTL) & PCI_EXP_LNKCTL_ASPM;
    if (r->role != PCI_ROLE_PORT)
        return;
    r->autonomous = runs & PCI_EXP_LNKSTA_AUTBW;
    if (version >= 2)
        r->target = speed_of(PCI_EXP_LNKCTL2_SPEED(pci_read_word(d, at + PCI_EXP_LNKCTL2)));
}

/* ---- one function ---- */

struct reading {
    struct pci_access *access;
    struct pci_function *f;
    struct pci_dev *device;
    struct pci_bytes *bytes; /* bytes that were read before; NULL: libpci reads them */
};

static bool has_bytes(const struct reading *r, int at, int count)
{
    uint8_t bytes[4];
    if (r->bytes)
        return (size_t)at + (size_t)count <= r->bytes->length;
    return pci_read_block(r->device, at, bytes, count);
}

/* Returns the end of the last register that is read. */
static int express_bytes(enum pci_role role, unsigned version, bool slot)
{
    if (role == PCI_ROLE_NONE)
        return PCI_EXP_DEVCTL + 2;
    if (version >= 2)
        return role == PCI_ROLE_PORT ? PCI_EXP_LNKCTL2 + 2 : PCI_EXP_LNKCAP2 + 4;
    return slot ? PCI_EXP_SLTCAP + 4 : PCI_EXP_LNKSTA + 2;
}

static void read_express(const struct reading *reading, struct pci_registers *r)
{
    struct pci_dev *d = reading->device;
    const struct pci_cap *capability = pci_find_cap(d, PCI_CAP_ID_EXP, PCI_CAP_NORMAL);
    if (!capability)
        return;
    int at = (int)capability->addr;
    unsigned flags = pci_read_word(d, at + PCI_EXP_FLAGS), version = flags & PCI_EXP_FLAGS_VERS;
    enum pci_role role = role_of((flags & PCI_EXP_FLAGS_TYPE) >> 4);
    bool slot = role == PCI_ROLE_PORT && (flags & PCI_EXP_FLAGS_SLOT);
    /* Checks the length, since registers beyond the end would be read as all ones. */
    if (!has_bytes(reading, at + express_bytes(role, version, slot) - 2, 2)) {
        r->status = FACT_INVALID;
        return;
    }
    unsigned control = pci_read_word(d, at + PCI_EXP_DEVCTL);
    r->status = FACT_OK;
    r->role = role;
    r->payload = payload_of((control & PCI_EXP_DEVCTL_PAYLOAD) >> 5);
    r->payload_capable = payload_of(pci_read_long(d, at + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_PAYLOAD);
    r->read_request = payload_of((control & PCI_EXP_DEVCTL_READRQ) >> 12);
    if (role != PCI_ROLE_NONE)
        read_link(d, at, version, r);
    if (slot)
        r->slot = pci_read_long(d, at + PCI_EXP_SLTCAP) >> 19;
}

static void step_identity(void *context)
{
    const struct reading *r = context;
    struct pci_function *f = r->f;
    unsigned header = pci_read_byte(r->device, PCI_HEADER_TYPE) & 0x7f;
    f->vendor_id = pci_read_word(r->device, PCI_VENDOR_ID);
    f->device_id = pci_read_word(r->device, PCI_DEVICE_ID);
    f->class = pci_read_long(r->device, PCI_REVISION_ID) >> 8;
    f->revision = pci_read_byte(r->device, PCI_REVISION_ID);
    /* A virtual function has no identity here (SR-IOV 1.1, 3.4.1.1), nor has a device that was
       removed. */
    f->identified = f->vendor_id != 0xffff;
    f->is_bridge =
        f->identified && (header == PCI_HEADER_TYPE_BRIDGE || header == PCI_HEADER_TYPE_CARDBUS);
    f->secondary = f->is_bridge ? pci_read_byte(r->device, PCI_SECONDARY_BUS) : 0;
}

/* Reads the registers of the PCI Express capability. Only root may read more than the first 64
   bytes, and the list of capabilities starts after them. */
static void step_registers(void *context)
{
    struct reading *r = context;
    const struct pci_function *f = r->f;
    if (!r->device)
        r->device =
            pci_get_dev(r->access, (int)f->domain, (int)f->bus, (int)f->device, (int)f->function);
    if (r->bytes)
        pci_setup_cache(r->device, r->bytes->bytes, sizeof r->bytes->bytes);
    unsigned status = pci_read_word(r->device, PCI_STATUS);
    if (!(status & PCI_STATUS_CAP_LIST) || status == 0xffff)
        return;
    int at = pci_read_byte(r->device, PCI_CAPABILITY_LIST) & ~3;
    if (at && !has_bytes(r, at, 1))
        r->f->registers.status = FACT_DENIED;
    else
        read_express(r, &r->f->registers);
}

void pci_config_identify(struct pci_access *access, struct pci_dev *device, struct pci_function *f)
{
    struct reading r = {access, f, device, NULL};
    guarded(step_identity, &r);
}

void pci_config_read(struct pci_access *access, struct pci_dev *device, struct pci_function *f,
                     struct pci_bytes *bytes)
{
    struct reading r = {access, f, device, bytes};
    f->registers = (struct pci_registers){.status = FACT_ABSENT};
    guarded(step_registers, &r);
    if (r.device && !device)
        pci_free_dev(r.device);
}
