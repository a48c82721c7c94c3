/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds remote storage: its address from mount options, iSCSI sessions and NVMe controllers. */
#include "hw/path/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "hw/disk/filesystem.h"

#define ADDRESS_MAX   64
#define INTERFACE_MAX 32

struct remote {
    char protocol[16];
    char address[ADDRESS_MAX];
    char interface[INTERFACE_MAX]; /* "" when the session names no interface */
    const char *source;
};

/* ---- network filesystems ---- */

static const struct network_filesystem {
    const char *type, *protocol;
} network_filesystems[] = {
    {"nfs", "NFS"},   {"nfs4", "NFS"},      {"cifs", "SMB"}, {"smb3", "SMB"},
    {"ceph", "Ceph"}, {"lustre", "Lustre"}, {"afs", "AFS"},  {"fuse.glusterfs", "GlusterFS"},
};

static bool remote_of_filesystem(const struct inventory *v, int node, struct remote *remote)
{
    const char *type = inventory_value(v, node, "type");
    const char *source = inventory_value(v, node, "device");
    for (size_t i = 0; type && i < sizeof network_filesystems / sizeof *network_filesystems; i++) {
        if (strcmp(type, network_filesystems[i].type) != 0)
            continue;
        const char *options = inventory_value(v, node, "filesystem_options");
        char transport[16];
        mount_option(options, "proto=", transport, sizeof transport);
        snprintf(remote->protocol, sizeof remote->protocol, "%s%s", network_filesystems[i].protocol,
                 !strcmp(transport, "rdma") ? "/rdma" : "");
        mount_option(options, "addr=", remote->address, sizeof remote->address);
        if (!remote->address[0] && source) {
            /* Takes the server from "server:/export", "//server/share", "[2001:db8::1]:/export",
               "192.0.2.1:6789,192.0.2.2:6789:/" or "192.0.2.1@tcp:/name". */
            size_t size = sizeof remote->address;
            source += strspn(source, "/");
            bool bracket = *source == '[';
            source += bracket;
            int length = (int)strcspn(source, bracket ? "]" : ":/,@");
            snprintf(remote->address, size, "%.*s", length, source);
        }
        remote->source = "/proc/self/mountinfo";
        return true;
    }
    return false;
}

/* ---- iSCSI ---- */

static bool read_connection(const struct sysroot *root, const char *connection, const char *file,
                            struct remote *remote)
{
    char path[256];
    snprintf(path, sizeof path, "/sys/class/iscsi_connection/%s/%s", connection, file);
    return sysroot_line(root, path, remote->address, sizeof remote->address) == FACT_OK &&
           remote->address[0];
}

/*
 * Sets `remote` for an iSCSI disk of the software initiator:
 * /sys/devices/platform/host3/session1/target3:0:0/...; the session's connections are named
 * connection1:0 and so on. `address` is the address that is connected, persistent_address the one
 * that was requested first. Returns false for other disks, and for sessions of a hardware adapter:
 * their data take the way of the adapter.
 */
static bool remote_of_disk(const struct sysroot *root, const struct inventory *v, int node,
                           struct remote *remote)
{
    static const char platform[] = "/sys/devices/platform/", mark[] = "/session";
    static const char class_folder[] = "/sys/class/iscsi_connection";
    const char *path = v->nodes[node].path, *session = strstr(path, mark);
    char prefix[64];
    if (!session || strncmp(path, platform, sizeof platform - 1) != 0)
        return false;
    session += sizeof mark - 1;
    int length =
        snprintf(prefix, sizeof prefix, "connection%.*s:", (int)strcspn(session, "/"), session);
    if (length < 0 || (size_t)length >= sizeof prefix)
        return false;
    snprintf(remote->protocol, sizeof remote->protocol, "iSCSI");
    remote->source = class_folder;
    struct sysroot_names names;
    sysroot_list(root, class_folder, &names);
    for (size_t i = 0; i < names.count && !remote->address[0]; i++)
        if (!strncmp(names.names[i], prefix, strlen(prefix)) &&
            !read_connection(root, names.names[i], "address", remote))
            read_connection(root, names.names[i], "persistent_address", remote);
    sysroot_names_free(&names);
    return true;
}

/* ---- NVMe over Fabrics ---- */

static bool remote_of_nvme(const struct inventory *v, int node, struct remote *remote)
{
    const char *transport = inventory_value(v, node, "transport");
    const char *address = inventory_value(v, node, "address");
    if (!transport || !address || !strcmp(transport, "pcie"))
        return false;
    mount_option(address, "traddr=", remote->address, sizeof remote->address);
    mount_option(address, "host_iface=", remote->interface, sizeof remote->interface);
    snprintf(remote->protocol, sizeof remote->protocol, "NVMe/%.9s", transport);
    remote->source = "address of the NVMe controller";
    return remote->address[0];
}

/* ---- the node ---- */

static int add_remote(const struct sysroot *root, struct inventory *v, struct remote *remote)
{
    char name[sizeof remote->protocol + ADDRESS_MAX], address[ADDRESS_MAX];
    bool known = remote->address[0];
    span_printable(address, sizeof address, span_of(known ? remote->address : "server"));
    snprintf(name, sizeof name, "%s %s", remote->protocol, address);
    int node = inventory_find(v, name);
    if (node != INVENTORY_NONE)
        return node;
    const char *source = remote->source;
    if (!remote->interface[0]) {
        route_find(root, remote->address, remote->interface, sizeof remote->interface);
        source = strchr(remote->address, ':') ? "/proc/net/ipv6_route" : "/proc/net/route";
    }
    node = inventory_add_node(v, NODE_REMOTE, name, NULL, INVENTORY_NONE);
    inventory_add(v, node, "protocol", remote->protocol, NULL, remote->source, FACT_OK);
    inventory_add(v, node, "address", remote->address, NULL, remote->source,
                  known ? FACT_OK : FACT_ABSENT);
    inventory_add(v, node, "interface", remote->interface, NULL, source,
                  remote->interface[0] ? FACT_OK : FACT_ABSENT);
    return node;
}

int remote_of(const struct sysroot *root, struct inventory *v, int node)
{
    struct remote remote = {0};
    bool found = false;
    switch (v->nodes[node].kind) {
    case NODE_FILESYSTEM:
        found = remote_of_filesystem(v, node, &remote);
        break;
    case NODE_DISK:
        found = remote_of_disk(root, v, node, &remote);
        break;
    case NODE_NVME:
        found = remote_of_nvme(v, node, &remote);
        break;
    default:
        break;
    }
    return found ? add_remote(root, v, &remote) : INVENTORY_NONE;
}

int remote_host(const struct sysroot *root, struct inventory *v, const struct data_path_host *host)
{
    struct remote remote = {.source = "the target's address"};
    snprintf(remote.protocol, sizeof remote.protocol, "%s", DATA_PATH_HOST);
    snprintf(remote.address, sizeof remote.address, "%s", host->address);
    if (host->interface)
        snprintf(remote.interface, sizeof remote.interface, "%s", host->interface);
    return add_remote(root, v, &remote);
}
