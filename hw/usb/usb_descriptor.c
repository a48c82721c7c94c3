/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding of the USB Binary Object Store. */
#include "hw/usb/internal.h"

#include <math.h>
#include <stdbool.h>

#include "base/endian.h"

#define DEVICE_CAPABILITY 0x10 /* bDescriptorType */
#define SUPERSPEED        0x03 /* bDevCapabilityType */
#define SUPERSPEED_PLUS   0x0a
#define STORE_HEADER      5

/* wSpeedsSupported, bit 3: 5 Gbit/s (USB 3.2, table 9-15). */
static double superspeed(const uint8_t *capability, size_t length)
{
    return length >= 10 && (capability[4] & 8) ? 5e9 : (double)NAN;
}

/* bmSublinkSpeedAttr from byte 12 on: exponent in bits 5:4, 3 is Gbit/s; mantissa in bits 31:16
   (USB 3.2, table 9-19). Lanes: the minimum in bits 11:8 of wFunctionalitySupport. */
static double superspeed_plus(const uint8_t *capability, size_t length)
{
    double fastest = (double)NAN;
    if (length < 12)
        return fastest;
    size_t count = (capability[4] & 0x1fu) + 1;
    for (size_t i = 0; i < count && 12 + 4 * i + 4 <= length; i++) {
        uint32_t attribute = load_le32(capability + 12 + 4 * i);
        double speed = (attribute >> 4 & 3) == 3 ? 1e9 * (attribute >> 16) : 0;
        bool known = speed == 5e9 || speed == 10e9;
        if (known && !(speed < fastest))
            fastest = speed;
    }
    return fastest;
}

double usb_store_speed(const uint8_t *bytes, size_t length)
{
    double fastest = (double)NAN;
    if (length < STORE_HEADER)
        return fastest;
    for (size_t at = bytes[0]; at + 3 <= length; at += bytes[at]) {
        const uint8_t *capability = bytes + at;
        double speed = (double)NAN;
        if (capability[0] < 3 || at + capability[0] > length)
            break;
        if (capability[1] == DEVICE_CAPABILITY && capability[2] == SUPERSPEED)
            speed = superspeed(capability, capability[0]);
        if (capability[1] == DEVICE_CAPABILITY && capability[2] == SUPERSPEED_PLUS)
            speed = superspeed_plus(capability, capability[0]);
        if (!(speed <= fastest) && !isnan(speed))
            fastest = speed;
    }
    return fastest;
}
