/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes the NVMe identify structures, the health log and the power state. */
#include "hw/disk/internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/endian.h"
#include "base/span.h"
#include "tables/nvme_health.h"

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
    if (version) /* controllers of 1.0 and 1.1 do not report it */
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
    bool fine = descriptor[3] & 1; /* MXPS: units of 0.0001 W instead of 0.01 W */
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

/* Writes all digits of a number of up to 16 bytes; `to` has room for 40. */
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
    uint32_t metadata, data_power, performance; /* performance: 0 is best, 3 worst */
};

/* False: the table has no such format (data of less than 512 bytes mean that it is not offered). */
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
    /* The upper bits of the index are used only where the table has more than 16 formats. */
    unsigned index = identify[26] & 0xfu;
    if (identify[25] > 15)
        index |= (identify[26] >> 5 & 3u) << 4;
    if (read_format(identify, index, &format))
        inventory_addf(v, disk, "lba_format", "", namespace_source, "%u+%u",
                       1u << format.data_power, format.metadata);
    else
        inventory_add(v, disk, "lba_format", "", "", namespace_source, FACT_INVALID);
}
