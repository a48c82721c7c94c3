/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of mountinfo: in the kernel's format, with escapes, and cut off at every byte. */
#include "base/file/mountinfo.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "tests/unit/check.h"

static struct mountinfo m;

static bool parse(const char *text)
{
    static char line[512];
    snprintf(line, sizeof line, "%s", text);
    return mountinfo_parse(line, &m);
}

int main(void)
{
    CHECK(parse("36 35 98:1 /sub /mnt/a\\040b rw,noatime shared:1 master:2 - ext4 /dev/sd\\134a1 "
                "rw,errors=continue\n"));
    CHECK(m.device == makedev(98, 1));
    CHECK(!strcmp(m.root, "/sub"));
    CHECK(!strcmp(m.point, "/mnt/a b"));
    CHECK(!strcmp(m.options, "rw,noatime"));
    CHECK(!strcmp(m.type, "ext4"));
    CHECK(!strcmp(m.source, "/dev/sd\\a1"));
    CHECK(!strcmp(m.super_options, "rw,errors=continue"));

    /* No optional fields, and an empty source. */
    CHECK(parse("36 35 0:40 / /tmp rw - tmpfs  rw,size=4k"));
    CHECK(!strcmp(m.type, "tmpfs"));
    CHECK(!strcmp(m.source, ""));
    CHECK(!strcmp(m.super_options, "rw,size=4k"));

    /* A mount whose type cannot be read still counts as a mount. */
    CHECK(parse("36 35 8:2 / /srv rw shared:1"));
    CHECK(m.device == makedev(8, 2));
    CHECK(!strcmp(m.point, "/srv"));
    CHECK(!strcmp(m.type, "") && !strcmp(m.source, "") && !strcmp(m.super_options, ""));

    CHECK(!parse(""));
    CHECK(!parse("\n"));
    CHECK(!parse("36 35 8:2 /"));
    CHECK(!parse("36 35 none / /srv rw - ext4 /dev/sda2 rw"));
    static const char whole[] = "36 35 8:2 / /srv rw shared:1 - ext4 /dev/sda2 rw\n";
    for (size_t length = 0; length < sizeof whole; length++) {
        char cut[sizeof whole];
        snprintf(cut, length + 1, "%s", whole);
        CHECK(parse(cut) == (length > strlen("36 35 8:2 / ")));
    }
    return check_result();
}
