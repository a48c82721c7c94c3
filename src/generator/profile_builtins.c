/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profiles of the folder tables/profiles, put into the program by the assembler as they are. */
#include "generator/profile.h"

/* Each is ended by a zero byte, so that it is a string. */
#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata." #symbol ",\"a\"\n" #symbol                                     \
            ":\n.incbin \"tables/profiles/" file "\"\n.byte 0\n.popsection\n")

EMBED(profile_boot_storm, "boot-storm.profile");
EMBED(profile_backup, "backup.profile");
EMBED(profile_file_server, "file-server.profile");
EMBED(profile_jesd219, "jesd219.profile");
EMBED(profile_spc_1, "spc-1.profile");
EMBED(profile_tpc_b, "tpc-b.profile");

extern const char profile_boot_storm[], profile_backup[], profile_file_server[], profile_jesd219[],
    profile_spc_1[], profile_tpc_b[];

const struct profile_builtin profile_builtins[] = {
    {"backup", profile_backup},
    {"boot-storm", profile_boot_storm},
    {"file-server", profile_file_server},
    {"jesd219", profile_jesd219},
    {"spc-1", profile_spc_1},
    {"tpc-b", profile_tpc_b},
    {NULL, NULL},
};
