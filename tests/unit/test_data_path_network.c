/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data paths through a network: bonds, NFS, iSCSI, NVMe over Fabrics. */
#include <sys/sysmacros.h>

#include "machine.h"

/* Adds two ports of 25 Gbit/s (3125 MB/s on the line) on one card with a link of 5000 MB/s, which
   both of its functions report. */
static void add_ports(struct machine *m)
{
    add_socket(m, "node0", "pci0000:00");
    add(m, NODE_PCI_BRIDGE, "0000:00:02.0", "pci0000:00", 0);
    for (int i = 0; i < 2; i++) {
        char function[32], name[16];
        snprintf(function, sizeof function, "0000:01:00.%d", i);
        snprintf(name, sizeof name, "eth%d", i);
        add(m, NODE_PCI_DEVICE, function, "0000:00:02.0", 5000);
        add(m, NODE_NETWORK, name, function, 3000);
    }
}

/* Adds a route to 198.51.100.0/24 by `interface`, in the kernel's format. */
static void add_route(struct machine *m, const char *interface)
{
    tree_filef(&m->tree, "/proc/net/route",
               "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
               "%s\t006433C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n",
               interface);
}

static void check_mode(struct machine *m, const char *mode, const char *active, double read,
                       double write)
{
    static int number = 5;
    char name[16];
    snprintf(name, sizeof name, "bond%d", number++);
    add_volume(m, NODE_BOND, name, "eth0, eth1");
    fact(m, name, "mode", mode);
    if (active)
        fact(m, name, "active", active);
    CHECK(find(m, name));
    CHECK_NEAR(m->path.limit_read, read * MB, 1e-9);
    CHECK_NEAR(m->path.limit_write, write * MB, 1e-9);
}

static void test_bonds(void)
{
    struct machine m;
    begin(&m);
    add_ports(&m);
    check_mode(&m, "802.3ad", NULL, 5000, 5000); /* 2 * 3000 and the card's link */
    CHECK_STR(limiting(&m, m.path.limiting_read), "0000:01:00.0");
    CHECK_INT(m.path.parts[1].is_target_device, false);
    check_mode(&m, "802.3ad", "eth0, eth1", 5000, 5000);
    check_mode(&m, "802.3ad", "eth0", 3000, 3000); /* the other port has another rate */
    CHECK_INT(part(&m, "eth1"), -1);
    check_mode(&m, "active-backup", "eth1", 3000, 3000);
    CHECK_INT(part(&m, "eth0"), -1);
    CHECK_STR(limiting(&m, m.path.limiting_read), "eth1");
    check_mode(&m, "balance-tlb", "eth1", 3000, 5000);
    check_mode(&m, "broadcast", NULL, 5000, 2500); /* both copies cross the card's link */
    check_mode(&m, "active-backup", NULL, 3000, 3000);
    end(&m);
}

static void test_nfs(void)
{
    struct machine m;
    begin(&m);
    add_ports(&m);
    add_volume(&m, NODE_BOND, "bond0", "eth0, eth1");
    fact(&m, "bond0", "mode", "802.3ad");
    add_volume(&m, NODE_NETWORK, "bond0.7", "bond0");
    add_route(&m, "bond0.7");
    tree_file(&m.tree, MOUNTS,
              "30 1 0:44 / /mnt/nfs rw - nfs4 filer:/export rw,vers=4.2,proto=tcp,"
              "clientaddr=203.0.113.9,addr=198.51.100.20\n"
              "31 1 0:45 / /mnt/other rw - nfs filer:/export rw,proto=tcp\n"
              "32 1 0:46 / /mnt/rdma rw - nfs 198.51.100.21:/export rw,proto=rdma\n");
    data_path_find(&m.path, &m.tree.root, &m.v, makedev(0, 44), "/mnt/nfs/file");
    CHECK(m.path.remote);
    CHECK(m.path.complete);
    CHECK(has_edge(&m, "/mnt/nfs", "NFS 198.51.100.20"));
    CHECK(has_edge(&m, "NFS 198.51.100.20", "bond0.7") && has_edge(&m, "bond0.7", "bond0"));
    CHECK(has_edge(&m, "bond0", "eth0") && has_edge(&m, "bond0", "eth1"));
    CHECK(has_edge(&m, "0000:01:00.1", "0000:00:02.0"));
    CHECK_INT(m.path.part_count, 12);
    check_limits(&m, 5000, "0000:01:00.0", 5000, "0000:01:00.0");

    /* One port with known speed and MTU: of 1538 bytes on the line 1460 are data inside TCP, 3125 *
       1460 / 1538 = 2966.515 MB/s, less than the 3000 of frames. RDMA has no TCP. */
    inventory_free(&m.v);
    inventory_add_node(&m.v, NODE_MACHINE, "machine", NULL, INVENTORY_NONE);
    add_ports(&m);
    add_route(&m, "eth0");
    fact(&m, "eth0", "speed", "25000000000");
    fact(&m, "eth0", "mtu", "1500");
    data_path_find(&m.path, &m.tree.root, &m.v, 0, "/mnt/nfs/file");
    check_limits(&m, 3125.0 * 1460 / 1538, "eth0", 3125.0 * 1460 / 1538, "eth0");
    data_path_find(&m.path, &m.tree.root, &m.v, 0, "/mnt/rdma/file");
    CHECK_INT(part(&m, "NFS/rdma 198.51.100.21"), 1);
    check_limits(&m, 3000, "eth0", 3000, "eth0");

    /* Only the server's name is known: the path ends there. */
    data_path_find(&m.path, &m.tree.root, &m.v, 0, "/mnt/other/file");
    CHECK_INT(m.path.part_count, 2);
    CHECK_INT(part(&m, "NFS filer"), 1);
    CHECK(m.path.remote);
    CHECK(!m.path.complete);
    check_limits(&m, NAN, "none", NAN, "none");
    end(&m);
}

/* A bridge that two guests also use: traffic leaves by the card. */
static void test_bridge(void)
{
    struct machine m;
    begin(&m);
    add_ports(&m);
    for (int i = 0; i < 2; i++) {
        char name[16], path[64];
        snprintf(name, sizeof name, "vnet%d", i);
        snprintf(path, sizeof path, "/sys/devices/virtual/net/%s", name);
        inventory_add_node(&m.v, NODE_NETWORK, name, path, inventory_find(&m.v, "machine"));
    }
    add_volume(&m, NODE_NETWORK, "br0", "br1, eth0, vnet0, vnet1");
    add_volume(&m, NODE_NETWORK, "br1", "br0, br1, vnet0"); /* in circles */
    CHECK(find(&m, "br0"));
    CHECK_INT(part(&m, "vnet0"), -1);
    CHECK(has_edge(&m, "br0", "eth0"));
    CHECK_NEAR(m.path.limit_read, 3000 * MB, 1e-9);
    CHECK(find(&m, "vnet0"));
    CHECK(!m.path.complete);
    end(&m);
}

static void test_iscsi(void)
{
    struct machine m;
    begin(&m);
    add_ports(&m);
    add_route(&m, "eth1");
    tree_file(&m.tree, "/sys/class/iscsi_connection/connection3:0/address", "203.0.113.1\n");
    tree_file(&m.tree, "/sys/class/iscsi_connection/connection31:0/persistent_address",
              "198.51.100.30\n");
    int top = inventory_find(&m.v, "machine");
    inventory_add_node(&m.v, NODE_DISK, "sdb",
                       "/sys/devices/platform/host9/session31/target9:0:0/9:0:0:1/block/sdb", top);
    CHECK(find(&m, "sdb"));
    CHECK(m.path.remote);
    CHECK(m.path.complete);
    CHECK(has_edge(&m, "sdb", "iSCSI 198.51.100.30"));
    CHECK(has_edge(&m, "iSCSI 198.51.100.30", "eth1"));
    CHECK_INT(m.path.parts[0].is_target_device, true);
    check_limits(&m, 3000, "eth1", 3000, "eth1");

    /* A session without a connection: remote, with nothing else known. */
    inventory_add_node(&m.v, NODE_DISK, "sdc",
                       "/sys/devices/platform/host9/session7/target9:0:0/9:0:0:1/block/sdc", top);
    CHECK(find(&m, "sdc"));
    CHECK(m.path.remote && !m.path.complete);

    /* An adapter that does iSCSI itself shows its place in the machine. */
    inventory_add_node(
        &m.v, NODE_DISK, "sdd",
        "/sys/devices/pci0000:00/0000:00:02.0/0000:01:00.0/host4/session31/block/sdd",
        inventory_find(&m.v, "0000:01:00.0"));
    CHECK(find(&m, "sdd"));
    CHECK(!m.path.remote);
    CHECK(has_edge(&m, "sdd", "0000:01:00.0"));
    end(&m);
}

static void add_fabrics(struct machine *m, const char *name, const char *transport,
                        const char *address)
{
    char disk[32];
    add(m, NODE_NVME, name, "machine", 0);
    fact(m, name, "transport", transport);
    fact(m, name, "address", address);
    snprintf(disk, sizeof disk, "%sn1", name);
    add(m, NODE_DISK, disk, name, 0);
}

static void test_nvme_over_fabrics(void)
{
    struct machine m;
    begin(&m);
    add_ports(&m);
    add_route(&m, "eth1");
    tree_file(&m.tree, "/proc/net/ipv6_route",
              "20010db8000000000000000000000000 20 00000000000000000000000000000000 00 "
              "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n");
    add_fabrics(&m, "nvme1", "tcp", "traddr=198.51.100.40,trsvcid=4420,src_addr=198.51.100.2");
    add_fabrics(&m, "nvme2", "rdma", "traddr=2001:db8::40,trsvcid=4420");
    add_fabrics(&m, "nvme3", "tcp", "trsvcid=4420,host_iface=eth0,traddr=203.0.113.3");
    add_fabrics(&m, "nvme4", "fc", "traddr=nn-0x20000090fa942779:pn-0x10000090fa942779");
    add_fabrics(&m, "nvme5", "loop", "");
    CHECK(find(&m, "nvme1n1"));
    CHECK(has_edge(&m, "nvme1", "NVMe/tcp 198.51.100.40"));
    CHECK(has_edge(&m, "NVMe/tcp 198.51.100.40", "eth1"));
    CHECK(m.path.complete);
    CHECK(find(&m, "nvme2n1"));
    CHECK(has_edge(&m, "NVMe/rdma 2001:db8::40", "eth0"));
    CHECK(find(&m, "nvme3n1"));
    CHECK(has_edge(&m, "NVMe/tcp 203.0.113.3", "eth0"));
    CHECK(find(&m, "nvme4n1"));
    CHECK(m.path.remote && !m.path.complete);
    CHECK(find(&m, "nvme5n1"));
    CHECK(!m.path.remote && !m.path.complete);
    end(&m);
}

int main(void)
{
    test_bonds();
    test_nfs();
    test_bridge();
    test_iscsi();
    test_nvme_over_fabrics();
    return check_result();
}
