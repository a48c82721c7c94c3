/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every limit of every link compared with a calculation by hand from the standards' figures. */
#include "check.h"

#include <math.h>

#include "hw/link/link_limit.h"

#define TIGHT 1e-9
#define HAND  5e-5 /* for results written out to five digits */

/* ---- PCI Express ---- */

static void pcie_lines(void)
{
    /* 1.0 x1: 2.5e9 * 8/10 / 8 = 250 MB/s */
    CHECK_NEAR(limit_pcie(2.5, 1, 128).line, 250e6, TIGHT);
    /* 2.0 x4: 5e9 * 4 * 8/10 / 8 = 2 GB/s */
    CHECK_NEAR(limit_pcie(5, 4, 128).line, 2e9, TIGHT);
    /* 3.0 x4: 8e9 * 4 * 128/130 / 8 = 3.938 GB/s */
    CHECK_NEAR(limit_pcie(8, 4, 128).line, 3.938461538e9, TIGHT);
    /* 4.0 x4: 16e9 * 4 * 128/130 / 8 = 7.877 GB/s; x2 half of it */
    CHECK_NEAR(limit_pcie(16, 4, 256).line, 7.876923077e9, TIGHT);
    CHECK_NEAR(limit_pcie(16, 2, 256).line, 3.938461538e9, TIGHT);
    /* 5.0 x16: 32e9 * 16 * 128/130 / 8 = 63.015 GB/s */
    CHECK_NEAR(limit_pcie(32, 16, 256).line, 63.01538462e9, TIGHT);
    /* 6.0 x4: 64e9 * 4 * 236/256 / 8 = 29.5 GB/s */
    CHECK_NEAR(limit_pcie(64, 4, 512).line, 29.5e9, TIGHT);
}

/*
 * Around each TLP: before 3.0 STP 1 + sequence 2 + header 16 + LCRC 4 + END 1 = 24 bytes, from 3.0
 * on STP token 4 + header 16 + LCRC 4 = 24 as well, in a FLIT the header's 16 alone.
 * UpdateFC: 3 kinds * 8 bytes / 45 us = 533333 B/s. SKP: 4 of 1542 symbols, 1 of 376 blocks.
 */
static void pcie_payloads(void)
{
    /* 2.5 x1, 128: (250e6 * 1538/1542 - 533333) * 128/152 = 248.818e6 * .842105 = 209.531 MB/s */
    CHECK_NEAR(limit_pcie(2.5, 1, 128).payload, 209.531e6, HAND);
    /* 5 x8, 256: (4e9 * .9974060 - 533333) * 256/280 = 3.989091e9 * .9142857 = 3.647169 GB/s */
    CHECK_NEAR(limit_pcie(5, 8, 256).payload, 3.64717e9, HAND);
    /* 8 x4, 128: (3.938462e9 * 375/376 - 533333) * 128/152 = 3.927454e9 * .842105 = 3.307329 GB/s
     */
    CHECK_NEAR(limit_pcie(8, 4, 128).payload, 3.30733e9, HAND);
    /* 16 x4, 256: (7.876923e9 * 375/376 - 533333) * 256/280 = 7.855441e9 * .9142857 = 7.182117 */
    CHECK_NEAR(limit_pcie(16, 4, 256).payload, 7.18212e9, HAND);
    /* 16 x4, 512: 7.855441e9 * 512/536 = 7.503705 GB/s */
    CHECK_NEAR(limit_pcie(16, 4, 512).payload, 7.50371e9, HAND);
    /* 32 x4, 4096: (15.753846e9 * 375/376 - 533333) * 4096/4120 = 15.711414e9 * .9941748
       = 15.619892 GB/s */
    CHECK_NEAR(limit_pcie(32, 4, 4096).payload, 15.6199e9, HAND);
    /* 64 x4, 512: 29.5e9 * 512/528 = 28.606061 GB/s */
    CHECK_NEAR(limit_pcie(64, 4, 512).payload, 28.60606e9, HAND);
    /* unknown: 4096, the largest, is assumed */
    CHECK_NEAR(limit_pcie(16, 4, 0).payload, limit_pcie(16, 4, 4096).payload, TIGHT);
}

static void pcie_orders(void)
{
    static const double speeds[] = {2.5, 5, 8, 16, 32, 64};
    for (int i = 0; i < 6; i++)
        for (unsigned lanes = 1; lanes <= 16; lanes *= 2) {
            struct link_rate small = limit_pcie(speeds[i], lanes, 128);
            struct link_rate large = limit_pcie(speeds[i], lanes, 4096);
            CHECK(small.source != NULL && small.payload > 0);
            CHECK(small.payload < large.payload && large.payload < large.line);
            CHECK(i == 0 || small.payload > limit_pcie(speeds[i - 1], lanes, 128).payload);
        }
}

/* ---- disks ---- */

static void sata(void)
{
    /* 6e9 * 8/10 / 8 = 600 MB/s; 2 of 256 doublewords are ALIGN, and 8192 of a FIS's 8220 bytes are
       data: 600e6 * 254/256 * 8192/8220 = 593.2847 MB/s */
    CHECK_NEAR(limit_sata(6).line, 600e6, TIGHT);
    CHECK_NEAR(limit_sata(6).payload, 593.285e6, HAND);
    /* 300e6 * .9921875 * .9965937 = 296.6424 MB/s, half of it at 1.5 */
    CHECK_NEAR(limit_sata(3).line, 300e6, TIGHT);
    CHECK_NEAR(limit_sata(3).payload, 296.642e6, HAND);
    CHECK_NEAR(limit_sata(1.5).line, 150e6, TIGHT);
    CHECK_NEAR(limit_sata(1.5).payload, 148.321e6, HAND);
}

static void sas(void)
{
    /* 1.5e9 * 8/10 / 8 = 150 MB/s; a frame has 1024 of 1060 bytes: .9660377 */
    CHECK_NEAR(limit_sas(1.5, 1).line, 150e6, TIGHT);
    CHECK_NEAR(limit_sas(1.5, 1).payload, 144.906e6, HAND);
    CHECK_NEAR(limit_sas(3, 1).line, 300e6, TIGHT);
    CHECK_NEAR(limit_sas(3, 1).payload, 289.811e6, HAND);
    CHECK_NEAR(limit_sas(6, 4).line, 2400e6, TIGHT);
    CHECK_NEAR(limit_sas(6, 4).payload, 2318.49e6, HAND);
    /* 12e9 * 4 * 8/10 / 8 = 4.8 GB/s, * .9660377 = 4.636981 GB/s */
    CHECK_NEAR(limit_sas(12, 4).line, 4.8e9, TIGHT);
    CHECK_NEAR(limit_sas(12, 4).payload, 4.63698e9, HAND);
    /* 22.5e9 * 128/150 / 8 = 2.4 GB/s, * .9660377 = 2.318491 GB/s */
    CHECK_NEAR(limit_sas(22.5, 1).line, 2.4e9, TIGHT);
    CHECK_NEAR(limit_sas(22.5, 1).payload, 2.31849e9, HAND);
}

/* ---- network ---- */

static void ethernet(void)
{
    static const double speeds[] = {10,    100,   1000,  2500,   5000,   10000,
                                    25000, 40000, 50000, 100000, 200000, 400000};
    /* a frame: 8 + 14 + 1500 + 4 + 12 = 1538 bytes; 1500/1538 = .9752926, 9000/9038 = .9957955 */
    for (int i = 0; i < 12; i++) {
        double line = speeds[i] * 125e3; /* 1e6 bits / 8 */
        CHECK_NEAR(limit_ethernet(speeds[i], 1500).line, line, TIGHT);
        CHECK_NEAR(limit_ethernet(speeds[i], 1500).payload, line * .9752926, HAND);
    }
    /* 25e9/8 = 3.125e9, * .9957955 = 3.111861 GB/s */
    CHECK_NEAR(limit_ethernet(25000, 9000).payload, 3.11186e9, HAND);
    /* 10e9/8 * 1500/1538 = 1.219116 GB/s; an MTU of 0 means 1500 */
    CHECK_NEAR(limit_ethernet(10000, 0).payload, 1.21912e9, HAND);
    /* over TCP: 1.25e9 * 1460/1538 = 1.186606 GB/s, jumbo 1.25e9 * 8960/9038 = 1.239212 GB/s */
    CHECK_NEAR(limit_tcp(10000, 1500).payload, 1.18661e9, HAND);
    CHECK_NEAR(limit_tcp(10000, 9000).payload, 1.23921e9, HAND);
    CHECK(isnan(limit_tcp(10000, 40).payload));
}

static void usb(void)
{
    /* low: 24 bytes each ms. full: 19 packets of 64 each ms = 1.216 MB/s. high: 13 packets of 512
       each 125 us = 53.248 MB/s */
    CHECK_NEAR(limit_usb(1.5, 1).line, 187500, TIGHT);
    CHECK_NEAR(limit_usb(1.5, 1).payload, 24e3, TIGHT);
    CHECK_NEAR(limit_usb(12, 1).line, 1.5e6, TIGHT);
    CHECK_NEAR(limit_usb(12, 1).payload, 1.216e6, TIGHT);
    CHECK_NEAR(limit_usb(480, 1).line, 60e6, TIGHT);
    CHECK_NEAR(limit_usb(480, 1).payload, 53.248e6, TIGHT);
    /* Gen 1: 5e9 * 8/10 / 8 = 500 MB/s; 1024 of 20 + 12 + 1024 + 16 = 1072: 477.6119 MB/s */
    CHECK_NEAR(limit_usb(5000, 1).line, 500e6, TIGHT);
    CHECK_NEAR(limit_usb(5000, 1).payload, 477.612e6, HAND);
    /* Gen 2: 10e9 * 128/132 / 8 = 1212.121 MB/s; 1024 of 1076: 1153.543 MB/s */
    CHECK_NEAR(limit_usb(10000, 1).line, 1212.121e6, HAND);
    CHECK_NEAR(limit_usb(10000, 1).payload, 1153.543e6, HAND);
    /* Gen 1x2: two lanes of Gen 1. Gen 2x2: two of Gen 2 */
    CHECK_NEAR(limit_usb(10000, 2).line, 1000e6, TIGHT);
    CHECK_NEAR(limit_usb(10000, 2).payload, 955.224e6, HAND);
    CHECK_NEAR(limit_usb(20000, 2).line, 2424.242e6, HAND);
    CHECK_NEAR(limit_usb(20000, 2).payload, 2307.086e6, HAND);
    /* lanes not told */
    CHECK_NEAR(limit_usb(10000, 0).line, 1212.121e6, HAND);
    CHECK_NEAR(limit_usb(20000, 0).line, 2424.242e6, HAND);
}

/* ---- links without a row in the tables, and texts ---- */

static void unknown(void)
{
    CHECK(isnan(limit_pcie(10, 4, 256).line) && isnan(limit_pcie(10, 4, 256).payload));
    CHECK(limit_pcie(10, 4, 256).source == NULL);
    CHECK(isnan(limit_pcie(16, 0, 256).payload));
    CHECK(isnan(limit_pcie((double)NAN, 4, 256).payload));
    CHECK(isnan(limit_sata(4.5).payload) && isnan(limit_sata(0).payload));
    CHECK(isnan(limit_sas(12, 0).payload) && isnan(limit_sas(-6, 1).line));
    CHECK(isnan(limit_ethernet(0, 1500).payload) && isnan(limit_ethernet(1234, 1500).line));
    CHECK(isnan(limit_usb(480, 2).payload) && isnan(limit_usb(7000, 1).payload));
}

static void words(void)
{
    char text[48];
    CHECK_STR(limit_format_pcie(text, sizeof text, 16, 4), "16.0 GT/s x4");
    CHECK_STR(limit_format_pcie(text, sizeof text, 2.5, 16), "2.5 GT/s x16");
    CHECK_STR(limit_format_bits(text, sizeof text, 6e9), "6.0 Gbit/s");
    CHECK_STR(limit_format_bits(text, sizeof text, 1.5e9), "1.5 Gbit/s");
    CHECK_STR(limit_format_bits(text, sizeof text, 12e9), "12 Gbit/s");
    CHECK_STR(limit_format_bits(text, sizeof text, 22.5e9), "22.5 Gbit/s");
    CHECK_STR(limit_format_bits(text, sizeof text, 25e9), "25 Gbit/s");
    CHECK_STR(limit_format_bits(text, sizeof text, 480e6), "480 Mbit/s");
    CHECK_STR(limit_format_bits(text, sizeof text, 1.5e6), "1.5 Mbit/s");
    CHECK_STR(limit_format_bits(text, 5, 25e9), "25 G");
}

int main(void)
{
    pcie_lines();
    pcie_payloads();
    pcie_orders();
    sata();
    sas();
    ethernet();
    usb();
    unknown();
    words();
    return check_result();
}
