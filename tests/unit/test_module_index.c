/* SPDX-License-Identifier: GPL-3.0-or-later */
/* depmod's files: lines that are read, lines that are skipped, and the modules found for an alias;
   compared with trying every pattern, where the kernel's own index exists. */
#include "check.h"
#include "tree.h"

#include "appliance/module/internal.h"
#include <sys/utsname.h>

static void reads(struct module_index *index, const struct tree *t)
{
    char folder[TREE_PATH];
    struct err e = {0};
    if (module_index_read(index, tree_path(t, folder, "/m"), &e) != 0) {
        fprintf(stderr, "%s\n", e.msg);
        exit(EXIT_FAILURE);
    }
}

static const struct module *module_of(const struct module_index *index, const char *name)
{
    static const struct module none = {.name = "(none)", .path = "(none)", .needs = "(none)"};
    uint32_t number = module_index_find(index, span_of(name));
    return number != STRING_TABLE_NONE ? &index->modules[number] : &none;
}

static void dependencies_and_builtins(void)
{
    struct tree t;
    struct module_index index;
    tree_begin(&t);
    tree_file(&t, "/m/modules.dep",
              "kernel/a/usb-storage.ko: kernel/b/scsi_mod.ko kernel/b/scsi_common.ko\n"
              "kernel/b/scsi_mod.ko:\n"
              "# a comment: nothing\n"
              "no colon at all\n"
              "\n"
              ":\n"
              "kernel/z/packed-one.ko.xz: \n"
              "kernel/last.ko:x.ko"); /* no end of line */
    tree_file(&t, "/m/modules.builtin", "kernel/fs/ext4/ext4.ko\nkernel/b/scsi_mod.ko\n\nfat-x.ko");
    reads(&index, &t);
    CHECK_INT(index.names.count, 6);
    CHECK_STR(module_of(&index, "usb_storage")->path, "kernel/a/usb-storage.ko");
    CHECK_STR(module_of(&index, "usb-storage")->name, "usb_storage");
    CHECK_STR(module_of(&index, "usb-storage")->needs,
              " kernel/b/scsi_mod.ko kernel/b/scsi_common.ko");
    CHECK_STR(module_of(&index, "packed_one")->path, "kernel/z/packed-one.ko.xz");
    CHECK_STR(module_of(&index, "a/b/last.ko.zst")->needs, "x.ko");
    CHECK(!module_of(&index, "scsi_mod")->built_in);
    CHECK(module_of(&index, "ext4")->built_in && module_of(&index, "fat_x")->built_in);
    CHECK_STR(module_of(&index, "a")->name, "(none)");
    CHECK_STR(module_of(&index, "")->name, "(none)");
    module_index_free(&index);
    tree_end(&t);
}

static void softdeps(void)
{
    struct tree t;
    struct module_index index;
    tree_begin(&t);
    tree_file(&t, "/m/modules.dep", "a.ko:\nb.ko:\n");
    tree_file(&t, "/m/modules.softdep",
              "# comment\nsoftdep a pre: x y-z post: b\nsoftdep b ignored\nsoftdep none pre: a\n"
              "softdep\nsoftdep a\nharddep a pre: q\nsoftdep b post: a pre: platform:c");
    reads(&index, &t);
    static const struct {
        const char *module, *name;
        bool before;
    } expected[] = {{"a", "x", true},
                    {"a", "y-z", true},
                    {"a", "b", false},
                    {"b", "a", false},
                    {"b", "platform:c", true}};
    CHECK_INT(index.softdep_count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < index.softdep_count && i < 5; i++) {
        const struct module_softdep *s = &index.softdeps[i];
        CHECK_STR(index.modules[s->module].name, expected[i].module);
        CHECK(s->name.length == strlen(expected[i].name) &&
              memcmp(s->name.text, expected[i].name, s->name.length) == 0);
        CHECK_INT(s->before, expected[i].before);
    }
    module_index_free(&index);
    tree_end(&t);
}

/* Checks the modules found, separated by blanks. `modalias` is normalised here. */
static void finds(const struct module_index *index, const char *modalias, const char *expected)
{
    const char *modules[16];
    char normal[512], got[512] = "";
    snprintf(normal, sizeof normal, "%s", modalias);
    module_pattern_normalise(normal);
    size_t count = module_aliases_find(&index->aliases, normal, modules, 16);
    for (size_t i = 0; i < count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "", modules[i]);
    CHECK_STR(got, expected);
}

static void aliases(void)
{
    struct tree t;
    struct module_index index;
    tree_begin(&t);
    tree_file(&t, "/m/modules.dep", "nvme.ko:\nsd_mod.ko:\nboth.ko:\nfast.ko:\ncrc.ko:\n");
    tree_file(&t, "/m/modules.alias",
              "# Aliases extracted from modules themselves.\n"
              "alias pci:v*d*sv*sd*bc01sc08i02* both\n"
              "alias pci:v00008086d0000F1A5sv*sd*bc*sc*i* nvme\n"
              "alias scsi:t-0x0[07]* sd_mod\n"
              "alias * every-one\n"
              "alias dmi*:svnACME*: acme\n"
              "alias platform:Fixed MDIO bus fixed_mdio\n"
              "alias fs-vfat vfat\r\n"
              "alias cpu:type:x86,*feature:*0099* fast\n"
              "alias crypto-crc32c crc\n"
              "alias\nalias \nalias one-word\nalias  \nnonsense here too\n"
              "alias pci:v00008086d0000F1A5* late");
    reads(&index, &t);
    finds(&index, "pci:v00008086d0000F1A5sv00008086sd0000390Abc01sc08i02",
          "both nvme every_one late");
    finds(&index, "pci:v0000144Dd0000A808sv0000144Dsd0000A801bc01sc08i02", "both every_one");
    finds(&index, "scsi:t-0x00", "sd_mod every_one");
    finds(&index, "scsi:t-0x05", "every_one");
    finds(&index, "dmi:svnACME1:", "every_one acme");
    finds(&index, "dmi:bvn:svnACME1:", "every_one acme");
    finds(&index, "dmi:svnACM:", "every_one");
    finds(&index, "platform:Fixed MDIO bus", "every_one fixed_mdio");
    finds(&index, "fs-vfat", "every_one vfat");
    finds(&index, "fs_vfat", "every_one vfat");
    finds(&index, "one-word", "every_one");
    finds(&index, "p", "every_one");
    finds(&index, "", "every_one");
    CHECK(module_of(&index, "nvme")->has_devices && module_of(&index, "sd_mod")->has_devices);
    CHECK(!module_of(&index, "fast")->has_devices && !module_of(&index, "crc")->has_devices);
    const char *first[2];
    CHECK_INT(module_aliases_find(&index.aliases,
                                  "pci:v00008086d0000F1A5sv00008086sd0000390Abc01sc08i02", first,
                                  2),
              2);
    CHECK_STR(first[0], "both");
    CHECK_STR(first[1], "nvme");
    CHECK_INT(module_aliases_find(&index.aliases, "p", first, 0), 0);
    module_index_free(&index);
    tree_end(&t);
}

static void damaged(void)
{
    static char line[300000];
    struct tree t;
    struct module_index index;
    char folder[TREE_PATH];
    struct err e = {0};
    tree_begin(&t);
    reads(&index, &t); /* no folder */
    CHECK_INT(index.names.count, 0);
    finds(&index, "pci:v1", "");
    module_index_free(&index);

    memset(line, 'x', sizeof line - 1);
    memcpy(line, "alias ", 6);
    line[150000] = ' ';
    tree_file(&t, "/m/modules.alias", line);
    line[150000] = ':';
    tree_file(&t, "/m/modules.dep", line);
    tree_file(&t, "/m/modules.softdep", line);
    tree_file(&t, "/m/modules.builtin", line);
    reads(&index, &t); /* lines without an end, and names that are too long */
    CHECK_INT(index.names.count, 0);
    CHECK_INT(index.aliases.count, 1);
    module_index_free(&index);

    tree_bytes(&t, "/m/modules.dep", "a.ko:\n\0b.ko:\n", 13);
    reads(&index, &t);
    CHECK_STR(module_of(&index, "a")->name, "a");
    module_index_free(&index);

    tree_remove(&t, "/m/modules.builtin");
    tree_folder(&t, "/m/modules.builtin");
    CHECK_INT(module_index_read(&index, tree_path(&t, folder, "/m"), &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK(strstr(e.msg, "modules.builtin") != NULL);
    tree_end(&t);
}

/* The index of this machine's kernel, if it has one: every lookup finds what trying all patterns
   finds. */
static void like_trying_all(void)
{
    static const char *const modaliases[] = {
        "pci:v00008086d00002922sv00001AF4sd00001100bc01sc06i01",
        "pci:v00001B36d00000010sv00001AF4sd00001100bc01sc08i02",
        "pci:v000015B3d00001017sv000015B3sd00000058bc02sc00i00",
        "pci:v00001000d00000097sv00001000sd00003010bc01sc07i00",
        "usb:v46F4p0001d0000dc00dsc00dp00ic08isc06ip50in00",
        "usb:v0403p6001d0600dc00dsc00dp00icFFiscFFipFFin00",
        "hid:b0003g0001v0000046Dp0000C31C",
        "acpi:PNP0C0C:",
        "scsi:t_0x00",
        "virtio:d00000002v00001AF4",
        "dmi:bvnIBM:bvr1:bd01/01/2010:svnIBM:pnIBMSystemx3650:pvr00:rvnIBM:rn9228:rvr:cvn:ct3:",
        "cpu:type:x86,ven0000fam0006mod00CF:feature:,0000,0081,0099,00E1,0165",
        "crypto_crc32c"};
    struct module_index index;
    struct utsname kernel;
    struct err e = {0};
    char folder[128];
    uname(&kernel);
    snprintf(folder, sizeof folder, "/lib/modules/%.64s", kernel.release);
    const char *given = getenv("CUPEL_MODULES");
    if (module_index_read(&index, given != NULL ? given : folder, &e) != 0 ||
        index.aliases.count == 0) {
        check_part_skipped("no modules.alias of a kernel (CUPEL_MODULES)");
        module_index_free(&index);
        return;
    }
    for (size_t i = 0; i < sizeof modaliases / sizeof *modaliases; i++) {
        const char *modules[128];
        size_t found = module_aliases_find(&index.aliases, modaliases[i], modules, 128), all = 0;
        for (uint32_t k = 0; k < index.aliases.count; k++) {
            if (!module_pattern_matches(index.aliases.all[k].pattern, modaliases[i]))
                continue;
            CHECK(all < found && modules[all] == index.aliases.all[k].module);
            all++;
        }
        CHECK_INT(found, all);
    }
    module_index_free(&index);
}

static void strings(void)
{
    static char texts[3000][8];
    struct string_table table = {0};
    CHECK(string_table_find(&table, span_of("1")) == STRING_TABLE_NONE);
    for (uint32_t i = 0; i < 3000; i++) {
        snprintf(texts[i], sizeof texts[i], "%u", i);
        CHECK_INT(string_table_add(&table, span_of(texts[i])), i);
    }
    for (uint32_t i = 0; i < 3000; i++) {
        char copy[8];
        memcpy(copy, texts[i], sizeof copy);
        CHECK_INT(string_table_find(&table, span_of(copy)), i);
        CHECK_INT(string_table_add(&table, span_of(copy)), i);
    }
    CHECK_INT(table.count, 3000);
    CHECK(string_table_find(&table, span_of("3000")) == STRING_TABLE_NONE);
    CHECK(string_table_find(&table, (struct span){"10", 1}) == 1);
    CHECK_INT(string_table_add(&table, span_of("")), 3000);
    CHECK_INT(string_table_find(&table, span_of("")), 3000);
    string_table_free(&table);
}

int main(void)
{
    dependencies_and_builtins();
    softdeps();
    aliases();
    damaged();
    like_trying_all();
    strings();
    return check_result();
}
