/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds NVMe controllers, with facts from the kernel and, if they may be asked, from their answers
   to commands; namespaces; and the paths to namespaces. */
#include "hw/disk/internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/endian.h"
#include "base/span.h"
#include "base/text.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"
#include "tables/nvme_health.h"

/* ---- facts ---- */

#define KELVIN_MAX 999

static const char controller_source[] = "NVMe identify controller";
static const char namespace_source[] = "NVMe identify namespace";
static const char health_source[] = "NVMe SMART log";
static const char feature_source[] = "NVMe get features, power management";

/* ---- the controller ---- */

static void add_temperature(struct inventory *v, int node, const char *key, const uint8_t *bytes,
                            const char *source)
{
    uint32_t kelvin = load_le16(bytes);
    if (kelvin == 0 || kelvin > KELVIN_MAX)
        inventory_add(v, node, key, "", "C", source, kelvin ? FACT_INVALID : FACT_ABSENT);
    else
        inventory_addf(v, node, key, "C", source, "%d", (int)kelvin - 273);
}

void nvme_add_controller(struct inventory *v, int node,
                         const uint8_t identify[static NVME_IDENTIFY_BYTES], uint64_t page_size)
{
    uint32_t version = load_le32(identify + 80);
    if (version) /* controllers of version 1.0 and 1.1 report 0 */
        inventory_addf(v, node, "nvme_version", "", controller_source, "%u.%u.%u", version >> 16,
                       version >> 8 & 0xff, version & 0xff);
    if (!inventory_fact(v, node, "firmware")) {
        char firmware[9];
        memcpy(firmware, identify + 64, 8);
        firmware[8] = '\0';
        inventory_add(v, node, "firmware", firmware, "", controller_source, FACT_OK);
    }
    unsigned power = identify[77];
    char source[96];
    snprintf(source, sizeof source, "%s, pages of %" PRIu64 " bytes", controller_source, page_size);
    uint64_t bytes = power < 64 ? page_size << power : 0;
    if (power == 0)
        inventory_add_number(v, node, "mdts", 0, "bytes", source);
    else if (power < 64 && bytes >> power == page_size)
        inventory_add_number(v, node, "mdts", bytes, "bytes", source);
    else
        inventory_add(v, node, "mdts", "", "bytes", source, FACT_INVALID);
    add_temperature(v, node, "temperature_warning", identify + 266, controller_source);
    add_temperature(v, node, "temperature_critical", identify + 268, controller_source);
}

bool nvme_retains_events(const uint8_t identify[static NVME_IDENTIFY_BYTES])
{
    return load_le32(identify + 80) >= 0x00010300;
}

void nvme_add_power_state(struct inventory *v, int node,
                          const uint8_t identify[static NVME_IDENTIFY_BYTES], uint32_t result)
{
    uint32_t state = result & 0x1f, last = identify[263];
    if (last > 31 || state > last) {
        inventory_add(v, node, "power_state", "", "", feature_source, FACT_INVALID);
        return;
    }
    inventory_add_number(v, node, "power_state", state, "", feature_source);
    const uint8_t *descriptor = identify + 2048 + 32 * state;
    uint32_t power = load_le16(descriptor);
    bool fine = descriptor[3] & 1; /* bit MXPS: the unit is 0.0001 W instead of 0.01 W */
    if (power)
        inventory_addf(v, node, "power_limit", "W", controller_source, fine ? "%.4f" : "%.2f",
                       power / (fine ? 10000.0 : 100.0));
}

/* ---- health ---- */

struct counter_row {
    const char *key;
    unsigned offset, bytes, max;
    const char *unit;
};

#define COUNTER_ROW(...) {__VA_ARGS__},
static const struct counter_row counters[] = {NVME_COUNTER_ROWS(COUNTER_ROW)};
#undef COUNTER_ROW

#define WARNING_ROW(bit, text) [bit] = (text),
static const char *const warnings[8] = {NVME_WARNING_ROWS(WARNING_ROW)};
#undef WARNING_ROW

static void append_word(char *to, size_t size, const char *text)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s%s", used ? ", " : "", text);
}

/* Writes a number of up to 16 bytes in decimal; `to` has room for 40 bytes. */
static void format_counter(char *to, const uint8_t *bytes, size_t count)
{
    uint8_t rest[16] = {0};
    char digits[40];
    size_t used = sizeof digits - 1;
    bool more;
    memcpy(rest, bytes, count);
    digits[used] = '\0';
    do {
        unsigned remainder = 0;
        more = false;
        for (size_t i = sizeof rest; i-- > 0;) {
            unsigned part = remainder << 8 | rest[i];
            rest[i] = (uint8_t)(part / 10);
            remainder = part % 10;
            more = more || rest[i];
        }
        digits[--used] = (char)('0' + remainder);
    } while (more && used);
    memcpy(to, digits + used, sizeof digits - used);
}

void nvme_add_health(struct inventory *v, int node, const uint8_t log[static NVME_HEALTH_BYTES])
{
    char words[320] = "", unknown[32];
    for (unsigned bit = 0; bit < 8; bit++) {
        if (!(log[0] >> bit & 1))
            continue;
        snprintf(unknown, sizeof unknown, "unknown warning %u", bit);
        append_word(words, sizeof words, warnings[bit] ? warnings[bit] : unknown);
    }
    if (log[5] >= 100)
        append_word(words, sizeof words, "rated life used up");
    inventory_add(v, node, "health", words[0] ? words : "good", "", health_source, FACT_OK);
    add_temperature(v, node, "temperature", log + 1, health_source);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        const struct counter_row *row = &counters[i];
        char value[40];
        format_counter(value, log + row->offset, row->bytes);
        bool sane = !row->max || load_le(log + row->offset, row->bytes) <= row->max;
        inventory_add(v, node, row->key, value, row->unit, health_source,
                      sane ? FACT_OK : FACT_INVALID);
    }
}

/* ---- namespaces ---- */

struct lba_format {
    uint32_t metadata, data_power, performance; /* `performance`: 0 is best, 3 is worst */
};

/* Reads a row of the table of formats. Returns false if there is no such format (data of less than
   512 bytes mean that it is not offered). */
static bool read_format(const uint8_t *identify, unsigned index, struct lba_format *format)
{
    if (index > identify[25] || index > 63)
        return false;
    uint32_t word = load_le32(identify + 128 + 4 * index);
    *format = (struct lba_format){word & 0xffff, word >> 16 & 0xff, word >> 24 & 3};
    return format->data_power >= 9 && format->data_power < 32;
}

void nvme_add_namespace(struct inventory *v, int disk,
                        const uint8_t identify[static NVME_IDENTIFY_BYTES])
{
    char formats[1024] = "", text[48];
    struct lba_format format;
    uint32_t best = 3, worst = 0;
    for (unsigned i = 0; i < 64; i++) {
        if (!read_format(identify, i, &format))
            continue;
        best = format.performance < best ? format.performance : best;
        worst = format.performance > worst ? format.performance : worst;
    }
    for (unsigned i = 0; i < 64; i++) {
        if (!read_format(identify, i, &format))
            continue;
        snprintf(text, sizeof text, "%u+%u%s", 1u << format.data_power, format.metadata,
                 best < worst && format.performance == best ? " best" : "");
        append_word(formats, sizeof formats, text);
    }
    inventory_add(v, disk, "lba_formats", formats, "", namespace_source, FACT_OK);
    /* The upper bits of the index are valid only if the table has more than 16 formats. */
    unsigned index = identify[26] & 0xfu;
    if (identify[25] > 15)
        index |= (identify[26] >> 5 & 3u) << 4;
    if (read_format(identify, index, &format))
        inventory_addf(v, disk, "lba_format", "", namespace_source, "%u+%u",
                       1u << format.data_power, format.metadata);
    else
        inventory_add(v, disk, "lba_format", "", "", namespace_source, FACT_INVALID);
}

/* ---- controllers ---- */

#define CLASS           "/sys/class/nvme"
#define NVME_SUBSYSTEMS "/sys/devices/virtual/nvme-subsystem/"
/* The unit of MDTS is the controller's smallest page, CAP.MPSMIN, a register that the kernel does
   not show. It must be 4096 bytes: no smaller page exists, and Linux supports no controller that
   needs a larger one. */
#define CONTROLLER_PAGE 4096

static const struct attribute rows[] = {
    {"model", ATTRIBUTE_TEXT, {"model"}, 0, NULL, false},
    {"firmware", ATTRIBUTE_TEXT, {"firmware_rev"}, 0, NULL, true},
    {"transport", ATTRIBUTE_TEXT, {"transport"}, 0, NULL, false},
    {"address", ATTRIBUTE_TEXT, {"address"}, 0, NULL, true},
    {"state", ATTRIBUTE_TEXT, {"state"}, 0, NULL, false},
    {"queue_count", ATTRIBUTE_NUMBER, {"queue_count"}, 0, NULL, true},
};

static const struct attribute serial_rows[] = {
    {"serial", ATTRIBUTE_TEXT, {"serial"}, 0, NULL, false},
};

/* ---- names ---- */

static const char *skip_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits ? text + digits : NULL;
}

/* Returns the part of a name after "nvme" and a number; NULL for other names. */
static const char *after_nvme(const char *name)
{
    return strncmp(name, "nvme", 4) != 0 ? NULL : skip_number(name + 4);
}

bool nvme_is_path(const char *name)
{
    const char *rest = after_nvme(name);
    rest = rest && *rest == 'c' ? skip_number(rest + 1) : NULL;
    rest = rest && *rest == 'n' ? skip_number(rest + 1) : NULL;
    return rest && !*rest;
}

bool nvme_is_controller(const char *name)
{
    const char *rest = after_nvme(name);
    return rest && !*rest && rest - name < 4 + 10;
}

bool nvme_may_ask(const struct probe *p, int node)
{
    const char *state = inventory_value(p->inventory, node, "state");
    return p->commands && !p->root->prefix[0] && (!state || !strcmp(state, "live"));
}

/* ---- commands ---- */

void nvme_ask_controller(const struct nvme_admin *admin, struct inventory *v, int node)
{
    uint8_t identify[NVME_IDENTIFY_BYTES], log[NVME_HEALTH_BYTES];
    uint32_t power = 0;
    /* The power state is read first, because other commands may wake the controller. */
    enum fact_status power_status = nvme_admin_send(admin, NVME_POWER_STATE, 0, NULL, 0, &power);
    enum fact_status status =
        nvme_admin_send(admin, NVME_IDENTIFY_CONTROLLER, 0, identify, sizeof identify, NULL);
    bool retain = status == FACT_OK && nvme_retains_events(identify);
    if (status == FACT_OK)
        nvme_add_controller(v, node, identify, CONTROLLER_PAGE);
    else
        nvme_admin_add_missing(v, node, NVME_IDENTIFY_CONTROLLER, status);

    if (power_status == FACT_OK && status == FACT_OK)
        nvme_add_power_state(v, node, identify, power);
    else
        nvme_admin_add_missing(v, node, NVME_POWER_STATE,
                               power_status == FACT_OK ? status : power_status);

    status = nvme_admin_send(admin, retain ? NVME_HEALTH_LOG_RETAINING : NVME_HEALTH_LOG, 0, log,
                             sizeof log, NULL);
    if (status == FACT_OK)
        nvme_add_health(v, node, log);
    else
        nvme_admin_add_missing(v, node, NVME_HEALTH_LOG, status);
}

/* ---- controllers ---- */

void look_at_nvme(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, CLASS, &names);
    for (size_t i = 0; i < names.count; i++) {
        if (!nvme_is_controller(names.names[i]))
            continue;
        const char *name = names.names[i];
        char path[128], folder[PROBE_FOLDER];
        struct sysroot near;
        uint64_t numa_node;
        sysroot_join(path, sizeof path, CLASS, name);
        int node = probe_add_device(p, NODE_NVME, name, path, folder);
        if (node == INVENTORY_NONE)
            continue;
        sysroot_near_open(&near, p->root, path);
        attributes_add(&near, p->inventory, node, path, rows, ATTRIBUTE_COUNT(rows));
        if (p->serials)
            attributes_add(&near, p->inventory, node, path, serial_rows,
                           ATTRIBUTE_COUNT(serial_rows));
        /* The file holds -1 where the controller has no NUMA node. */
        if (attribute_number(&near, path, "numa_node", &numa_node))
            inventory_add_number(p->inventory, node, "numa_node", numa_node, "", path);
        sysroot_near_close(&near);
        if (!nvme_may_ask(p, node))
            continue;
        struct nvme_admin admin;
        nvme_admin_open(&admin, name);
        nvme_ask_controller(&admin, p->inventory, node);
        nvme_admin_close(&admin);
    }
    sysroot_names_free(&names);
}

/* ---- namespaces: the LBA formats of the disks that the block prober has found ---- */

/*
 * Returns the disk of a namespace's folder at its controller: "nvme0n1" itself, and also for the
 * path "nvme0c2n1" of a namespace with several paths. INVENTORY_NONE when there is no disk.
 */
static int disk_of_namespace(const struct inventory *v, const char *name)
{
    char disk[64];
    const char *head = after_nvme(name), *rest = head;
    if (rest && *rest == 'c')
        rest = skip_number(rest + 1);
    if (!rest || *rest != 'n' || !skip_number(rest + 1) || *skip_number(rest + 1))
        return INVENTORY_NONE;
    snprintf(disk, sizeof disk, "%.*s%s", (int)(head - name), name, rest);
    return inventory_find(v, disk);
}

void nvme_ask_namespaces(const struct nvme_admin *admin, struct probe *p, const char *controller)
{
    char path[128], folder[256];
    struct sysroot_names names;
    snprintf(path, sizeof path, "/sys/class/nvme/%s", controller);
    sysroot_list(p->root, path, &names);
    for (size_t i = 0; i < names.count; i++) {
        uint64_t nsid;
        int disk = disk_of_namespace(p->inventory, names.names[i]);
        if (disk == INVENTORY_NONE ||
            inventory_fact(p->inventory, disk,
                           "lba_formats")) /* already asked through another controller */
            continue;
        snprintf(folder, sizeof folder, "%s/%s", path, names.names[i]);
        if (!attribute_number(p->root, folder, "nsid", &nsid) || nsid >= UINT32_MAX)
            continue;
        uint8_t identify[NVME_IDENTIFY_BYTES];
        enum fact_status status = nvme_admin_send(admin, NVME_IDENTIFY_NAMESPACE, (uint32_t)nsid,
                                                  identify, sizeof identify, NULL);
        if (status == FACT_OK)
            nvme_add_namespace(p->inventory, disk, identify);
        else
            nvme_admin_add_missing(p->inventory, disk, NVME_IDENTIFY_NAMESPACE, status);
    }
    sysroot_names_free(&names);
}

void look_at_nvme_namespaces(struct probe *p)
{
    const struct inventory *v = p->inventory;
    for (int node = 0; node < v->node_count; node++) {
        struct nvme_admin admin;
        if (v->nodes[node].kind != NODE_NVME || !nvme_may_ask(p, node) ||
            !nvme_is_controller(v->nodes[node].name))
            continue;
        nvme_admin_open(&admin, v->nodes[node].name);
        nvme_ask_namespaces(&admin, p, v->nodes[node].name);
        nvme_admin_close(&admin);
    }
}

/* ---- the paths of a namespace ---- */

struct paths {
    const struct block_device *namespace;
    struct text list;
    int first; /* node of the first controller with a path */
};

static void add_path(struct paths *paths, const char *controller)
{
    const struct inventory *v = paths->namespace->probe->inventory;
    text_addf(&paths->list, "%s%s", paths->list.length ? ", " : "", controller);
    int node = inventory_find(v, controller);
    if (paths->first == INVENTORY_NONE && node != INVENTORY_NONE &&
        v->nodes[node].kind == NODE_NVME)
        paths->first = node;
}

/* Cuts off the last part of the path. Returns the part that is then the last one. */
static const char *folder_above(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    slash = strrchr(folder, '/');
    return slash ? slash + 1 : folder;
}

/* Adds the paths that the kernel lists as block devices: "nvme0c1n1" is a path to "nvme0n1", and
   its folder lies in that of its controller. */
static void find_listed_paths(struct paths *paths, const struct sysroot_names *all)
{
    const struct block_device *d = paths->namespace;
    const char *rest = after_nvme(d->name);
    size_t head = rest ? (size_t)(rest - d->name) : 0;
    for (size_t i = 0; i < all->count; i++) {
        const char *name = all->names[i];
        if (strncmp(name, d->name, head) != 0 || name[head] != 'c' || !nvme_is_path(name) ||
            strcmp(strrchr(name, 'n'), rest) != 0)
            continue;
        char link[BLOCK_FILE / 2], folder[PROBE_FOLDER], key[BLOCK_FILE];
        snprintf(link, sizeof link, BLOCK_CLASS "/%s", name);
        if (sysroot_folder(d->probe->root, link, folder, sizeof folder) != FACT_OK)
            continue;
        const char *controller = folder_above(folder);
        add_path(paths, controller);
        /* Adds the state of Asymmetric Namespace Access: "optimized", "inaccessible" ... */
        snprintf(key, sizeof key, "path_%s", controller);
        const struct attribute row = {key, ATTRIBUTE_TEXT, {"ana_state"}, 0, NULL, true};
        attributes_add(d->probe->root, d->probe->inventory, d->node, link, &row, 1);
    }
}

void nvme_add_paths(const struct block_device *d, const struct sysroot_names *all)
{
    static const struct attribute policy = {
        "path_policy", ATTRIBUTE_TEXT, {"device/iopolicy"}, 0, NULL, true};
    if (strncmp(d->folder, NVME_SUBSYSTEMS, sizeof NVME_SUBSYSTEMS - 1) != 0 ||
        !after_nvme(d->name))
        return;
    struct inventory *v = d->probe->inventory;
    struct paths paths = {.namespace = d, .first = INVENTORY_NONE};
    char folder[PROBE_FOLDER];
    snprintf(folder, sizeof folder, "%s", d->folder);
    folder_above(folder);
    find_listed_paths(&paths, all);
    if (!paths.list.length) {
        /* Where the kernel lists no paths, all controllers of the subsystem count as paths. */
        struct sysroot_names names;
        sysroot_list(paths.namespace->probe->root, folder, &names);
        for (size_t i = 0; i < names.count; i++) {
            const char *rest = after_nvme(names.names[i]);
            if (rest && !*rest)
                add_path(&paths, names.names[i]);
        }
        sysroot_names_free(&names);
    }
    if (paths.list.failed)
        v->failed = true;
    inventory_add(v, d->node, "paths", paths.list.data, "", folder,
                  paths.list.length ? FACT_OK : FACT_ABSENT);
    attributes_add(d->probe->root, v, d->node, d->path, &policy, 1);
    if (paths.first != INVENTORY_NONE)
        inventory_move(v, d->node, paths.first);
    text_free(&paths.list);
}
