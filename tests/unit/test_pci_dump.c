/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PCI prober on the output of `lspci -xxxx`: hierarchy by bus numbers, loops, damage. */
#include "check.h"
#include "pci_space.h"
#include "tree.h"

#include "base/file/file.h"
#include "base/random.h"
#include "hw/probers.h"

static struct tree tree;
static struct inventory inventory;

static FILE *begin_dump(void)
{
    char path[TREE_PATH];
    FILE *file = fopen(tree_path(&tree, path, "/dump"), "w");
    if (!file)
        tree_fail("cannot write", path);
    return file;
}

static void look(void)
{
    char path[TREE_PATH];
    struct probe p = {.root = &tree.root,
                      .inventory = &inventory,
                      .pci_ids = "none",
                      .pci_dump = tree_path(&tree, path, "/dump")};
    inventory_free(&inventory);
    probe_top(&p);
    look_at_pci(&p);
    CHECK(!inventory.failed);
}

static void look_at_text(const char *text)
{
    tree_file(&tree, "/dump", text);
    look();
}

static void value_is(const char *node, const char *key, const char *expected)
{
    const char *value = inventory_value(&inventory, inventory_find(&inventory, node), key);
    if (!value || strcmp(value, expected) != 0)
        fprintf(stderr, "%s %s:\n", node, key);
    CHECK_STR(value, expected);
}

static int status_of(const char *node, const char *key)
{
    const struct inventory_fact *f =
        inventory_fact(&inventory, inventory_find(&inventory, node), key);
    return f ? (int)f->status : -1;
}

static void parent_is(const char *node, const char *expected)
{
    int number = inventory_find(&inventory, node);
    CHECK(number != INVENTORY_NONE);
    if (number != INVENTORY_NONE)
        CHECK_STR(inventory.nodes[inventory.nodes[number].parent].name, expected);
}

/* ---- a root port, a switch, two drives ---- */

static struct pci_space root_port, up, down[2], drive[2], integrated;

static void make_switch(void)
{
    space_begin(&root_port, 0x8086, 0x347a, 0x060400);
    space_bridge(&root_port, 0, 1);
    space_express(&root_port, ROOT_PORT, GEN4, 16, GEN4, 8);
    space_begin(&up, 0x10b5, 0x8749, 0x060400);
    space_bridge(&up, 1, 2);
    space_express(&up, UPSTREAM_PORT, GEN4, 16, GEN4, 8);
    for (unsigned i = 0; i < 2; i++) {
        space_begin(&down[i], 0x10b5, 0x8749, 0x060400);
        space_bridge(&down[i], 2, 3 + i);
        space_express(&down[i], DOWNSTREAM_PORT, i ? GEN3 : GEN4, 4, GEN3, 4);
        space_slot(&down[i], 20 + i);
        space_begin(&drive[i], 0x8086, 0x0a54, 0x010802);
        space_express(&drive[i], ENDPOINT, GEN4, 4, GEN3, 4);
    }
    space_begin(&integrated, 0x8086, 0x0b00, 0x088000);
    space_express(&integrated, INTEGRATED, 0, 0, 0, 0);
}

static void print_switch(unsigned count)
{
    FILE *file = begin_dump();
    space_print(file, "04:00.0", &drive[1], count); /* the order does not matter */
    space_print(file, "00:00.2", &integrated, count);
    space_print(file, "00:01.0", &root_port, count);
    space_print(file, "01:00.0", &up, count);
    space_print(file, "02:08.0", &down[0], count);
    space_print(file, "02:09.0", &down[1], count);
    space_print(file, "03:00.0", &drive[0], count);
    space_print(file, "0001:03:00.0", &drive[0], count); /* another domain is another tree */
    space_print(file, "10000:03:00.0", &drive[0], count);
    fclose(file);
}

static void hierarchy(void)
{
    print_switch(PCI_SPACE_BYTES);
    look();
    parent_is("pci0000:00", "machine");
    parent_is("0000:00:01.0", "pci0000:00");
    parent_is("0000:01:00.0", "0000:00:01.0");
    parent_is("0000:02:08.0", "0000:01:00.0");
    parent_is("0000:02:09.0", "0000:01:00.0");
    parent_is("0000:03:00.0", "0000:02:08.0");
    parent_is("0000:04:00.0", "0000:02:09.0");
    parent_is("0001:03:00.0", "pci0001:03");
    parent_is("10000:03:00.0", "pci10000:03");
    CHECK_INT(inventory_at(&inventory, "/sys/devices/pci0000:00/0000:00:01.0"),
              inventory_find(&inventory, "0000:00:01.0"));
}

static void links(void)
{
    value_is("0000:01:00.0", "negotiated", "16.0 GT/s x8");
    value_is("0000:01:00.0", "degraded_reason", "8 of 16 lanes");
    value_is("0000:03:00.0", "degraded_reason", "8.0 of 16.0 GT/s");
    value_is("0000:03:00.0", "slot", "20");
    value_is("0000:04:00.0", "degraded", "no");
    value_is("0000:04:00.0", "limited_by", "the port: 8.0 GT/s x4, the card can 16.0 GT/s x4");
    value_is("0000:04:00.0", "max_payload", "256");
    CHECK_INT(status_of("0000:04:00.0", "aer_fatal"), -1);
    CHECK_INT(status_of("0000:04:00.0", "driver"), -1);
    CHECK_INT(status_of("0000:02:08.0", "negotiated"), -1);
    CHECK_INT(status_of("0000:00:00.2", "negotiated"), -1);
}

/* `lspci -x`: the first 64 bytes. */
static void headers_alone(void)
{
    print_switch(64);
    look();
    parent_is("0000:04:00.0", "0000:02:09.0");
    value_is("0000:04:00.0", "class", "NVMe controller");
    CHECK_INT(status_of("0000:04:00.0", "negotiated"), -1);
    CHECK_INT(status_of("0000:04:00.0", "max_payload"), FACT_DENIED);
}

/* ---- impossible hardware ---- */

static void loops(void)
{
    struct pci_space s = drive[0];
    FILE *file = begin_dump();
    s.bytes[0x41] = 0x40; /* a capability that points to itself */
    space_print(file, "01:00.0", &s, PCI_SPACE_BYTES);
    s = drive[0];
    s.bytes[PCI_SPACE_EXPRESS + 1] = 0x40; /* two that go round */
    space_print(file, "01:00.1", &s, PCI_SPACE_BYTES);
    s = drive[0];
    s.bytes[0x34] = 0xfc; /* at the very end, with its registers beyond it */
    s.bytes[0xfc] = 0x10;
    space_print(file, "01:00.2", &s, PCI_SPACE_BYTES);
    s = drive[0];
    s.bytes[0x34] = 0x08; /* inside the header */
    space_print(file, "01:00.3", &s, PCI_SPACE_BYTES);
    s = root_port;
    space_bridge(&s, 5, 5); /* behind itself */
    space_print(file, "05:00.0", &s, PCI_SPACE_BYTES);
    space_bridge(&s, 6, 7); /* two bridges that are behind each other */
    space_print(file, "06:00.0", &s, PCI_SPACE_BYTES);
    space_bridge(&s, 7, 6);
    space_print(file, "07:00.0", &s, PCI_SPACE_BYTES);
    fclose(file);
    look();
    CHECK_INT(status_of("0000:01:00.0", "max_payload"), -1);
    value_is("0000:01:00.1", "max_payload", "256");
    CHECK_INT(status_of("0000:01:00.2", "max_payload"), FACT_INVALID);
    CHECK_INT(status_of("0000:01:00.2", "limit"), -1);
    parent_is("0000:05:00.0", "pci0000:05");
    parent_is("0000:06:00.0", "pci0000:06");
    parent_is("0000:07:00.0", "0000:06:00.0");
}

static void broken_texts(void)
{
    look_at_text("");
    CHECK_INT(inventory.node_count, 1);
    look_at_text("no dump at all");
    CHECK_INT(inventory.node_count, 1);
    look_at_text("01:00.0 x\n00: 86 80\n");
    CHECK_INT(status_of("0000:01:00.0", "max_payload"), -1);
    look_at_text("01:00.0 x\n00: 86 80 zz\n02:00.0 y\n"); /* libpci stops here */
    CHECK(inventory_find(&inventory, "0000:01:00.0") != INVENTORY_NONE);
    CHECK_INT(inventory_find(&inventory, "0000:02:00.0"), INVENTORY_NONE);
    look_at_text("01:00.0 x\n80000000: 86 80\n"); /* would be written in front of the buffer */
    CHECK_INT(inventory.node_count, 1);
    look_at_text("01:00.0 x\nfffffff0: 86 80\n");
    CHECK_INT(inventory.node_count, 1);
    look_at_text("01:00.0 x\n1000: 86 80\n0fff: 86\n");
    CHECK(inventory_find(&inventory, "0000:01:00.0") != INVENTORY_NONE);
    look_at_text("01:00.0 x\n0fff: 86\n"); /* the last byte there is */
    CHECK(inventory_find(&inventory, "0000:01:00.0") != INVENTORY_NONE);
    look_at_text("00: 86 80\n01:00.0 x\n01:00.0 x\nff:ff.f x\n");
    CHECK(inventory_find(&inventory, "0000:01:00.0#2") != INVENTORY_NONE);
    CHECK_INT(inventory_find(&inventory, "0000:ff:ff.f"), INVENTORY_NONE);
    tree_remove(&tree, "/dump");
    look();
    CHECK_INT(inventory.node_count, 1);
}

/* More devices than any machine has are refused before libpci allocates room for them. */
static void too_many(void)
{
    FILE *file = begin_dump();
    for (int i = 0; i < 9000; i++)
        fprintf(file, "%02x:%02x.%x \n", i >> 8 & 0xff, i >> 3 & 0x1f, i & 7);
    fclose(file);
    look();
    CHECK_INT(inventory.node_count, 1);
}

/* Odd rounds change only registers, even ones any byte. */
static void spoil(char *text, size_t length, bool registers, struct random *random)
{
    static const char digits[] = "0123456789abcdef", any[] = "0123456789abcdef: .\n\xff";
    for (uint64_t i = random_below(random, 200); i; i--) {
        char *at = &text[random_below(random, length)];
        if (!registers)
            *at = any[random_below(random, sizeof any - 1)];
        else if (strchr(digits, *at))
            *at = digits[random_below(random, sizeof digits - 1)];
    }
}

/* A valid dump, changed or cut off: no hang, crash or leak. */
static void damage(void)
{
    char path[TREE_PATH], *text;
    size_t length;
    struct random random;
    print_switch(PCI_SPACE_BYTES);
    CHECK_INT(file_read_all(tree_path(&tree, path, "/dump"), 1 << 20, &text, &length, NULL), 0);
    random_seed(&random, 41, 0);
    for (int round = 0; text && round < 300; round++) {
        char *copy = malloc(length);
        memcpy(copy, text, length);
        spoil(copy, length, round % 2, &random);
        tree_bytes(&tree, "/dump", copy, round % 3 ? length : random_below(&random, length));
        look();
        CHECK(inventory.node_count <= 1 + 2 * 9 * 2);
        free(copy);
    }
    free(text);
}

/* ---- text without configuration space ---- */

static const char words[] =
    "00:01.0 PCI bridge: Example Port (rev 02) (prog-if 00 [Normal decode])\n"
    "\tBus: primary=00, secondary=01, subordinate=02, sec-latency=0\n"
    "\tCapabilities: [40] Express (v2) Root Port (Slot+), MSI 00\n"
    "\t\tLnkCap:\tPort #1, Speed 16GT/s, Width x8, ASPM L1\n"
    "\t\tLnkSta:\tSpeed 8GT/s, Width x8\n"
    "\t\tLnkCtl2: Target Link Speed: 8GT/s, EnterCompliance- SpeedDis-\n"
    "01:00.0 PCI bridge: Example Switch\n"
    "\tBus: primary=01, secondary=02, subordinate=02, sec-latency=0\n"
    "\tCapabilities: [40] Express (v2) Upstream Port, MSI 00\n"
    "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x8, ASPM L1\n"
    "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (ok)\n"
    "02:00.0 System peripheral: Inner one\n"
    "\tCapabilities: [40] Express (v2) Root Complex Integrated Endpoint, MSI 00\n"
    "0001:05:00.0 Ethernet controller [0200]: Net [8086:1234] (rev 01)\n"
    "\tCapabilities: [a0] Express (v2) Endpoint, MSI 00\n"
    "\t\tLnkCap:\tPort #0, Speed 2.5GT/s, Width x1, ASPM L1\n"
    "\t\tLnkSta:\tSpeed 2.5GT/s (ok), Width x1 (ok)\n";

static void words_alone(void)
{
    look_at_text(words);
    parent_is("0000:01:00.0", "0000:00:01.0");
    parent_is("0000:02:00.0", "0000:01:00.0");
    value_is("0000:01:00.0", "device_name", "Example Switch");
    value_is("0000:01:00.0", "degraded_reason",
             "8.0 of 16.0 GT/s; the port is set to 8.0 GT/s at most");
    CHECK_INT(status_of("0000:02:00.0", "negotiated"), -1);
    value_is("0001:05:00.0", "device_name", "Net");
    value_is("0001:05:00.0", "class", "Ethernet controller");
    value_is("0001:05:00.0", "negotiated", "2.5 GT/s x1");
    value_is("0001:05:00.0", "degraded", "no");
}

static void damaged_words(void)
{
    char copy[sizeof words];
    struct random random;
    random_seed(&random, 43, 0);
    for (int round = 0; round < 300; round++) {
        memcpy(copy, words, sizeof words);
        spoil(copy, sizeof words - 1, round % 2, &random);
        tree_bytes(&tree, "/dump", copy,
                   round % 3 ? sizeof words - 1 : random_below(&random, sizeof words));
        look();
        CHECK(inventory.node_count < 20);
    }
}

int main(void)
{
    tree_begin(&tree);
    make_switch();
    hierarchy();
    links();
    headers_alone();
    loops();
    broken_texts();
    too_many();
    damage();
    words_alone();
    damaged_words();
    inventory_free(&inventory);
    tree_end(&tree);
    return check_result();
}
