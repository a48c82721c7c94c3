/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The patterns of modules.alias: compared with fnmatch(3) where both mean the same, and by hand. */
#include "check.h"

#include "appliance/module/internal.h"
#include <fnmatch.h>
#include <stdint.h>

static void matches(const char *pattern, const char *text, bool expected)
{
    if (module_pattern_matches(pattern, text) != expected) {
        fprintf(stderr, "    \"%s\" against \"%s\"\n", pattern, text);
        CHECK(!"the pattern");
    } else {
        CHECK(true);
    }
}

static void devices(void)
{
    static const char ahci[] = "pci:v00008086d00002922sv00001AF4sd00001100bc01sc06i01";
    matches("pci:v00008086d00002922sv*sd*bc*sc*i*", ahci, true);
    matches("pci:v*d*sv*sd*bc01sc06i01*", ahci, true);
    matches("pci:v*d*sv*sd*bc01sc08i02*", ahci, false);
    matches("pci:v00008086d*sv00001028sd*bc01sc04i00*", ahci, false);
    matches("usb:v*p*d*dc*dsc*dp*ic08isc06ip50in*",
            "usb:v46F4p0001d0000dc00dsc00dp00ic08isc06ip50in00", true);
    matches("cpu:type:x86,ven0000fam0006mod*:feature:*,0099,*",
            "cpu:type:x86,ven0000fam0006mod00CF:feature:,0000,0099,00C0", true);
    matches("dmi*:*svnDell*:*pnPower*", "dmi:bvnX:svnDellInc.:pnPowerEdgeR760:", true);
}

static void wildcards(void)
{
    matches("", "", true);
    matches("", "a", false);
    matches("*", "", true);
    matches("**", "abc", true);
    matches("?", "", false);
    matches("?", "a", true);
    matches("a*b*c", "a1b2b3c", true);
    matches("a*b*c", "a1b2b3d", false);
    matches("*abab", "abaabab", true);
    matches("*aab*", "aaaab", true);
    matches("abc", "abcd", false);
    matches("abcd", "abc", false);
}

static void sets(void)
{
    matches("[0-9]", "5", true);
    matches("[0-9]", "a", false);
    matches("[!0-9]", "a", true);
    matches("[^0-9]", "5", false);
    matches("[abc]x", "bx", true);
    matches("[]a]", "]", true);
    matches("[a-]", "-", true);
    matches("[-a]", "-", true);
    matches("a[", "a[", true); /* never closed: it stands for itself */
    matches("a[b", "a[b", true);
    matches("a[b", "ab", false);
    matches("usb:v0403p*d00[0-3]*dc*", "usb:v0403p6001d0042dc00", false);
    matches("usb:v0403p*d00[0-3]*dc*", "usb:v0403p6001d0032dc00", true);
    matches("*[ab][ab]c", "aababc", true);
    matches("[z-a]", "m", false);
    matches("[\x80-\xff]", "\xc3", true);
}

/* Many stars: the time must not exceed text times pattern. */
static void not_exponential(void)
{
    char text[2001], pattern[202];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t i = 0; i < sizeof pattern - 2; i += 2) {
        pattern[i] = '*';
        pattern[i + 1] = 'a';
    }
    pattern[sizeof pattern - 2] = 'b';
    pattern[sizeof pattern - 1] = '\0';
    matches(pattern, text, false);
}

/* Short patterns and texts of few different characters, so that many match. */
static void like_fnmatch(void)
{
    static const char *const pieces[] = {"a", "b", "*", "?", "[ab]", "[!a]", "[a-c]", "c"};
    uint32_t random = 1, matched = 0;
    for (int round = 0; round < 200000; round++) {
        char pattern[64] = "", text[12];
        size_t length = 0;
        for (random = random * 1664525 + 1013904223; length < (random >> 16) % 7; length++)
            strcat(pattern, pieces[(random >> (3 * length + 5)) % 8]);
        random = random * 1664525 + 1013904223;
        for (length = 0; length < (random >> 16) % 9; length++)
            text[length] = (char)('a' + (random >> (2 * length + 8)) % 3);
        text[length] = '\0';
        bool expected = fnmatch(pattern, text, 0) == 0;
        matched += expected;
        if (module_pattern_matches(pattern, text) != expected)
            matches(pattern, text, expected);
    }
    CHECK(matched > 5000);
}

static void normalises(const char *text, const char *expected)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    module_pattern_normalise(copy);
    CHECK_STR(copy, expected);
}

static void normal_form(void)
{
    normalises("scsi:t-0x00*", "scsi:t_0x00*");
    normalises("a-b[0-9]c-d", "a_b[0-9]c_d");
    normalises("a[0-9", "a[0_9");
    normalises("[]-]-", "[]-]_");
    normalises("", "");
    CHECK_INT(module_pattern_literal("pci:v00008086d*sv"), 14);
    CHECK_INT(module_pattern_literal("usb:v0403p6001d0[0-3]*"), 16);
    CHECK_INT(module_pattern_literal("vfat"), 4);
    CHECK_INT(module_pattern_literal("*"), 0);
}

int main(void)
{
    devices();
    wildcards();
    sets();
    not_exponential();
    like_fnmatch();
    normal_form();
    return check_result();
}
