/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the bits of Ethernet link modes (linux/ethtool.h) to rates, and asks the kernel for
   them. */
#include "hw/network/internal.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define MODES_MAX 16

/* The link mode bits of one rate. The array ends with 0, which is no mode in it: bit 0 is 10BASE-T
   half duplex. */
struct rate_modes {
    unsigned megabits;
    unsigned char bits[MODES_MAX];
};

/* Rates, the fastest first. Half duplex modes are left out: no storage network uses them. */
#define MODE(name) ETHTOOL_LINK_MODE_##name##_Full_BIT
static const struct rate_modes rates[] = {
    {400000,
     {MODE(400000baseKR8), MODE(400000baseSR8), MODE(400000baseLR8_ER8_FR8), MODE(400000baseDR8),
      MODE(400000baseCR8), MODE(400000baseKR4), MODE(400000baseSR4), MODE(400000baseLR4_ER4_FR4),
      MODE(400000baseDR4), MODE(400000baseCR4)}},
    {200000,
     {MODE(200000baseKR4), MODE(200000baseSR4), MODE(200000baseLR4_ER4_FR4), MODE(200000baseDR4),
      MODE(200000baseCR4), MODE(200000baseKR2), MODE(200000baseSR2), MODE(200000baseLR2_ER2_FR2),
      MODE(200000baseDR2), MODE(200000baseCR2)}},
    {100000,
     {MODE(100000baseKR4), MODE(100000baseSR4), MODE(100000baseCR4), MODE(100000baseLR4_ER4),
      MODE(100000baseKR2), MODE(100000baseSR2), MODE(100000baseCR2), MODE(100000baseLR2_ER2_FR2),
      MODE(100000baseDR2), MODE(100000baseKR), MODE(100000baseSR), MODE(100000baseLR_ER_FR),
      MODE(100000baseCR), MODE(100000baseDR)}},
    {56000, {MODE(56000baseKR4), MODE(56000baseCR4), MODE(56000baseSR4), MODE(56000baseLR4)}},
    {50000,
     {MODE(50000baseCR2), MODE(50000baseKR2), MODE(50000baseSR2), MODE(50000baseKR),
      MODE(50000baseSR), MODE(50000baseCR), MODE(50000baseLR_ER_FR), MODE(50000baseDR)}},
    {40000, {MODE(40000baseKR4), MODE(40000baseCR4), MODE(40000baseSR4), MODE(40000baseLR4)}},
    {25000, {MODE(25000baseCR), MODE(25000baseKR), MODE(25000baseSR)}},
    {20000, {MODE(20000baseMLD2), MODE(20000baseKR2)}},
    {10000,
     {MODE(10000baseT), MODE(10000baseKX4), MODE(10000baseKR), ETHTOOL_LINK_MODE_10000baseR_FEC_BIT,
      MODE(10000baseCR), MODE(10000baseSR), MODE(10000baseLR), MODE(10000baseLRM),
      MODE(10000baseER)}},
    {5000, {MODE(5000baseT)}},
    {2500, {MODE(2500baseX), MODE(2500baseT)}},
    {1000, {MODE(1000baseT), MODE(1000baseKX), MODE(1000baseX), MODE(1000baseT1)}},
    {100, {MODE(100baseT), MODE(100baseT1), MODE(100baseFX)}},
    {10, {MODE(10baseT), MODE(10baseT1L)}},
};
#undef MODE

static unsigned fastest(const uint32_t *set, unsigned words)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (unsigned m = 0; m < MODES_MAX && rates[i].bits[m]; m++) {
            unsigned bit = rates[i].bits[m];
            if (bit / 32 < words && (set[bit / 32] >> bit % 32 & 1))
                return rates[i].megabits;
        }
    return 0;
}

struct network_modes network_modes_of(const uint32_t *supported, const uint32_t *advertised,
                                      const uint32_t *partner, unsigned words)
{
    uint32_t both[NETWORK_MODE_WORDS];
    for (unsigned i = 0; i < words; i++)
        both[i] = advertised[i] & partner[i];
    return (struct network_modes){.supported = fastest(supported, words),
                                  .partner = fastest(partner, words),
                                  .both = fastest(both, words)};
}

struct link_settings {
    struct ethtool_link_settings head;
    /* bit sets supported, advertised, partner's: `words` words each */
    uint32_t sets[3 * NETWORK_MODE_WORDS];
};

static bool ask_link_settings(int fd, const char *interface, struct link_settings *settings)
{
    struct ifreq request = {0};
    memcpy(request.ifr_name, interface, strlen(interface) + 1);
    settings->head.cmd = ETHTOOL_GLINKSETTINGS;
    request.ifr_data = (char *)settings;
    return !ioctl(fd, SIOCETHTOOL, &request);
}

bool network_modes_read(const char *interface, struct network_modes *modes)
{
    struct link_settings settings = {0};
    *modes = (struct network_modes){0};
    if (strlen(interface) >= IFNAMSIZ)
        return false;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    /* The first answer holds only the number of words in the sets, as a negative number. */
    bool known =
        ask_link_settings(fd, interface, &settings) && settings.head.link_mode_masks_nwords < 0;
    int words = -settings.head.link_mode_masks_nwords;
    if (known) {
        settings = (struct link_settings){.head.link_mode_masks_nwords = (__s8)words};
        known = words < NETWORK_MODE_WORDS && ask_link_settings(fd, interface, &settings) &&
                settings.head.link_mode_masks_nwords == words;
    }
    close(fd);
    if (known)
        *modes = network_modes_of(settings.sets, settings.sets + words, settings.sets + 2 * words,
                                  (unsigned)words);
    return known;
}
