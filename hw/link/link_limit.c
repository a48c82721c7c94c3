/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the theoretical limits of links from the rows of tables/. */
#include "hw/link/link_limit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "tables/ethernet.h"
#include "tables/pcie.h"
#include "tables/sas.h"
#include "tables/sata.h"
#include "tables/usb.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

struct encoded_row {
    double speed; /* number in the unit of the table */
    double data, coded;
    const char *source;
};

struct pcie_row {
    double gigatransfers, data, coded, framing, integrity, skip, between;
    const char *source;
};

struct ethernet_row {
    double megabits;
    const char *source;
};

struct usb_row {
    double megabits;
    unsigned lanes;
    double data, coded, payload, wire;
    const char *source;
};

#define PCIE_ROW(code, gigatransfers, data, coded, framing, integrity, skip, between, source)      \
    {gigatransfers, data, coded, framing, integrity, skip, between, source},
#define ENCODED_ROW(speed, data, coded, source) {speed, data, coded, source},
#define ETHERNET_ROW(megabits, source)          {megabits, source},
#define USB_ROW(speed, lanes, data, coded, use, wire, source)                                      \
    {speed, lanes, data, coded, use, wire, source},

static const struct pcie_row pcie_rows[] = {PCIE_ROWS(PCIE_ROW)};
static const struct encoded_row sata_rows[] = {SATA_ROWS(ENCODED_ROW)};
static const struct encoded_row sas_rows[] = {SAS_ROWS(ENCODED_ROW)};
static const struct ethernet_row ethernet_rows[] = {ETHERNET_ROWS(ETHERNET_ROW)};
static const struct usb_row usb_rows[] = {USB_ROWS(USB_ROW)};

static const struct link_rate unknown = {(double)NAN, (double)NAN, NULL};

/* Returns true for the table's own speed. It was read from text, so it may differ in the last
   bit. */
static bool is_speed(double asked, double row)
{
    return fabs(asked - row) < 1e-6 * row;
}

/* Returns the bytes per second that remain after the line's encoding. */
static double after_encoding(double bits_per_second, double data, double coded)
{
    return bits_per_second * data / coded / 8;
}

struct link_rate limit_pcie(double gigatransfers, unsigned lanes, unsigned payload_bytes)
{
    double payload = payload_bytes ? payload_bytes : PCIE_PAYLOAD_MAX;
    for (size_t i = 0; lanes && i < COUNT(pcie_rows); i++) {
        const struct pcie_row *row = &pcie_rows[i];
        if (!is_speed(gigatransfers, row->gigatransfers))
            continue;
        double line = after_encoding(1e9 * row->gigatransfers * lanes, row->data, row->coded);
        double updates =
            PCIE_UPDATE_CREDIT_KINDS * PCIE_DLLP_BYTES / (1e-6 * PCIE_UPDATE_CREDIT_MICROSECOND);
        double packets = line * (1 - row->skip / row->between) - (row->framing > 0 ? updates : 0);
        double packet = row->framing + PCIE_HEADER_BYTES + payload + row->integrity;
        return (struct link_rate){line, packets * payload / packet, row->source};
    }
    return unknown;
}

static const struct encoded_row *find_row(const struct encoded_row *rows, size_t count,
                                          double speed)
{
    for (size_t i = 0; i < count; i++)
        if (is_speed(speed, rows[i].speed))
            return &rows[i];
    return NULL;
}

struct link_rate limit_sata(double gigabits)
{
    const struct encoded_row *row = find_row(sata_rows, COUNT(sata_rows), gigabits);
    if (!row)
        return unknown;
    double line = after_encoding(1e9 * row->speed, row->data, row->coded);
    double aligned = line * (SATA_ALIGN_AMONG - SATA_ALIGN) / SATA_ALIGN_AMONG;
    double fis = SATA_DATA_FIS_BYTES + SATA_DATA_FIS_OVERHEAD;
    return (struct link_rate){line, aligned * SATA_DATA_FIS_BYTES / fis, row->source};
}

struct link_rate limit_sas(double gigabits, unsigned lanes)
{
    const struct encoded_row *row = find_row(sas_rows, COUNT(sas_rows), gigabits);
    if (!row || !lanes)
        return unknown;
    double line = after_encoding(1e9 * row->speed * lanes, row->data, row->coded);
    double frame = SAS_SSP_DATA_BYTES + SAS_SSP_OVERHEAD;
    return (struct link_rate){line, line * SAS_SSP_DATA_BYTES / frame, row->source};
}

static struct link_rate ethernet(double megabits, unsigned mtu, unsigned headers)
{
    double packet = mtu ? mtu : ETHERNET_MTU;
    double frame =
        ETHERNET_PREAMBLE + ETHERNET_HEADER + packet + ETHERNET_CHECK_SEQUENCE + ETHERNET_GAP;
    for (size_t i = 0; packet > headers && i < COUNT(ethernet_rows); i++) {
        if (!is_speed(megabits, ethernet_rows[i].megabits))
            continue;
        double line = 1e6 * ethernet_rows[i].megabits / 8;
        return (struct link_rate){line, line * (packet - headers) / frame, ethernet_rows[i].source};
    }
    return unknown;
}

struct link_rate limit_ethernet(double megabits, unsigned mtu)
{
    return ethernet(megabits, mtu, 0);
}

struct link_rate limit_tcp(double megabits, unsigned mtu)
{
    return ethernet(megabits, mtu, ETHERNET_TCP_IP_HEADERS);
}

struct link_rate limit_usb(double megabits, unsigned lanes)
{
    for (size_t i = 0; i < COUNT(usb_rows); i++) {
        const struct usb_row *row = &usb_rows[i];
        bool other_lanes = lanes && lanes != row->lanes;
        if (!is_speed(megabits, row->megabits) || other_lanes)
            continue;
        double line = after_encoding(1e6 * row->megabits, row->data, row->coded);
        double payload = row->megabits <= USB_FRAMES_UP_TO ? 1e6 * row->payload / row->wire
                                                           : line * row->payload / row->wire;
        return (struct link_rate){line, payload, row->source};
    }
    return unknown;
}

char *limit_format_pcie(char *to, size_t size, double gigatransfers, unsigned lanes)
{
    snprintf(to, size, "%.1f GT/s x%u", gigatransfers, lanes);
    return to;
}

char *limit_format_bits(char *to, size_t size, double bits_per_second)
{
    static const struct {
        double bits;
        const char *unit;
    } units[] = {{1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {1, "bit/s"}};
    size_t i = 0;
    while (i < COUNT(units) - 1 && bits_per_second < units[i].bits)
        i++;
    double value = bits_per_second / units[i].bits;
    /* writes "6.0", "22.5", but "25" */
    bool tenths = value < 10 || fabs(value - round(value)) > 0.04;
    snprintf(to, size, tenths ? "%.1f %s" : "%.0f %s", value, units[i].unit);
    return to;
}
