/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The board prober: product, board, BIOS, battery; kernel and hypervisor. */
#include "inventory_checks.h"

#define DMI    "/sys/class/dmi/id"
#define SUPPLY "/sys/class/power_supply"

static void server(void)
{
    struct machine m;
    machine_begin(&m);
    const struct tree *t = &m.tree;
    tree_file(t, DMI "/sys_vendor", "Dell Inc.\n");
    tree_file(t, DMI "/product_name", "PowerEdge R7625\n");
    tree_file(t, DMI "/board_vendor", "Dell Inc.\n");
    tree_file(t, DMI "/board_name", "0M7YXP\n");
    tree_file(t, DMI "/bios_version", "1.8.3\n");
    tree_file(t, DMI "/bios_date", "04/02/2024\n");
    tree_deny(t, DMI "/product_serial");
    tree_file(t, "/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    tree_file(t, "/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1\n");
    tree_file(t, "/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda2 quiet\n");
    tree_file(t, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    tree_file(t, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
    tree_file(t, "/proc/cpuinfo", "processor\t: 0\nflags\t: fpu tsc nohypervisors\n");
    look_at_board(&m.probe);
    look_at_kernel(&m.probe);
    VALUE_IS(&m, "machine", "product", "Dell Inc. PowerEdge R7625", "");
    VALUE_IS(&m, "machine", "hypervisor", "none", "");
    NO_FACT(&m, "machine", "serial");
    NO_FACT(&m, "machine", "on_battery");
    PARENT_IS(&m, "board", "machine");
    VALUE_IS(&m, "board", "board_vendor", "Dell Inc.", "");
    VALUE_IS(&m, "board", "board_name", "0M7YXP", "");
    NO_FACT(&m, "board", "board_version");
    VALUE_IS(&m, "board", "bios_version", "1.8.3", "");
    VALUE_IS(&m, "board", "bios_date", "04/02/2024", "");
    PARENT_IS(&m, "kernel", "machine");
    VALUE_IS(&m, "kernel", "kernel", "6.1.0-18-amd64", "");
    VALUE_IS(&m, "kernel", "kernel_version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1", "");
    VALUE_IS(&m, "kernel", "kernel_command_line", "BOOT_IMAGE=/vmlinuz root=/dev/sda2 quiet", "");
    VALUE_IS(&m, "kernel", "clocksource", "tsc", "");
    VALUE_IS(&m, "kernel", "lockdown", "integrity", "");

    machine_forget(&m);
    m.probe.serials = true;
    look_at_board(&m.probe);
    STATUS_IS(&m, "machine", "serial", FACT_DENIED);
    tree_file(t, DMI "/product_serial", "7XK2J04\n");
    machine_forget(&m);
    look_at_board(&m.probe);
    VALUE_IS(&m, "machine", "serial", "7XK2J04", "");
    machine_end(&m);
}

/* ---- products ---- */

static void product_is(const char *vendor, const char *product, const char *board,
                       const char *expected)
{
    struct machine m;
    machine_begin(&m);
    tree_file(&m.tree, DMI "/sys_vendor", vendor);
    tree_file(&m.tree, DMI "/product_name", product);
    tree_file(&m.tree, DMI "/board_vendor", "ASUSTeK\n");
    tree_file(&m.tree, DMI "/board_name", board);
    look_at_board(&m.probe);
    if (expected)
        VALUE_IS(&m, "machine", "product", expected, "");
    else
        STATUS_IS(&m, "machine", "product", FACT_INVALID);
    machine_end(&m);
}

static void products(void)
{
    product_is("LENOVO\n", "20XW004AGE\n", "x\n", "LENOVO 20XW004AGE");
    product_is("Intel\n", "Intel NUC\n", "x\n", "Intel NUC");
    product_is("To be filled by O.E.M.\n", "To Be Filled By O.E.M. \n", "PRIME B550\n",
               "ASUSTeK PRIME B550");
    product_is("Default string\n", "NAS-8\n", "x\n", "NAS-8");
    product_is("\n", "\n", "Default string\n", NULL);
    product_is("QEMU\n", "\x01\x02", "x\n", NULL);

    struct machine m;
    machine_begin(&m);
    look_at_board(&m.probe);
    STATUS_IS(&m, "machine", "product", FACT_ABSENT);
    STATUS_IS(&m, "board", "board_name", FACT_ABSENT);
    STATUS_IS(&m, "board", "bios_version", FACT_ABSENT);
    NO_FACT(&m, "board", "board_vendor");
    tree_bytes(&m.tree, "/sys/firmware/devicetree/base/model", "Raspberry Pi 4 Model B Rev 1.4",
               31);
    machine_forget(&m);
    look_at_board(&m.probe);
    VALUE_IS(&m, "machine", "product", "Raspberry Pi 4 Model B Rev 1.4", "");
    tree_deny(&m.tree, DMI "/product_name");
    machine_forget(&m);
    look_at_board(&m.probe);
    STATUS_IS(&m, "machine", "product", FACT_DENIED);
    machine_end(&m);
}

/* ---- hypervisors ---- */

static void hypervisor_is(const char *vendor, const char *flags, const char *expected)
{
    struct machine m;
    machine_begin(&m);
    if (vendor)
        tree_file(&m.tree, DMI "/sys_vendor", vendor);
    if (flags)
        tree_filef(&m.tree, "/proc/cpuinfo", "processor : 0\nflags : %s\n", flags);
    look_at_kernel(&m.probe);
    if (expected)
        VALUE_IS(&m, "machine", "hypervisor", expected, "");
    else
        STATUS_IS(&m, "machine", "hypervisor", FACT_ABSENT);
    machine_end(&m);
}

static void hypervisors(void)
{
    hypervisor_is("Dell Inc.\n", "fpu tsc", "none");
    hypervisor_is("Dell Inc.\n", "fpu hypervisor tsc", "yes");
    hypervisor_is(NULL, "fpu hypervisor", "yes");
    hypervisor_is("QEMU\n", NULL, "QEMU");
    hypervisor_is("Amazon EC2\n", "fpu", "none");
    hypervisor_is("Amazon EC2\n", "fpu hypervisor", "Amazon EC2");
    hypervisor_is("Amazon EC2\n", NULL, NULL);
    hypervisor_is(NULL, NULL, NULL);

    struct machine m;
    machine_begin(&m);
    tree_bytes(&m.tree, "/sys/firmware/devicetree/base/hypervisor/compatible", "linux,kvm", 10);
    look_at_kernel(&m.probe);
    VALUE_IS(&m, "machine", "hypervisor", "linux,kvm", "");
    tree_file(&m.tree, "/sys/hypervisor/type", "xen\n");
    machine_forget(&m);
    look_at_kernel(&m.probe);
    VALUE_IS(&m, "machine", "hypervisor", "xen", "");
    machine_end(&m);
}

/* ---- garbage ---- */

/* A field that exists and is empty: the board does not have it. */
static void empty_fields(void)
{
    struct machine m;
    machine_begin(&m);
    tree_file(&m.tree, DMI "/board_name", " \n");
    tree_file(&m.tree, DMI "/board_version", "\n");
    tree_file(&m.tree, DMI "/bios_version", "");
    tree_file(&m.tree, DMI "/bios_date", "04/02/2024\n");
    look_at_board(&m.probe);
    STATUS_IS(&m, "board", "board_name", FACT_ABSENT);
    STATUS_IS(&m, "board", "bios_version", FACT_ABSENT);
    NO_FACT(&m, "board", "board_version");
    VALUE_IS(&m, "board", "bios_date", "04/02/2024", "");
    machine_end(&m);
}

static void garbage(void)
{
    struct machine m;
    machine_begin(&m);
    tree_file(&m.tree, "/proc/sys/kernel/osrelease", "");
    tree_file(&m.tree, "/proc/sys/kernel/version", "\x01\x02binary\n");
    tree_folder(&m.tree, "/proc/cmdline");
    tree_file(&m.tree, "/sys/kernel/security/lockdown", "none integrity\n");
    look_at_kernel(&m.probe);
    STATUS_IS(&m, "kernel", "kernel", FACT_INVALID);
    STATUS_IS(&m, "kernel", "kernel_version", FACT_INVALID);
    STATUS_IS(&m, "kernel", "kernel_command_line", FACT_INVALID);
    STATUS_IS(&m, "kernel", "clocksource", FACT_ABSENT);
    STATUS_IS(&m, "kernel", "lockdown", FACT_INVALID);
    machine_end(&m);
}

/* ---- parts of the command line that are hidden unless serial numbers are requested ---- */

static void command_line_is(bool serials, const char *expected)
{
    struct machine m;
    machine_begin(&m);
    m.probe.serials = serials;
    tree_file(&m.tree, "/proc/sys/kernel/hostname", "db7.example.org\n");
    tree_file(&m.tree, "/proc/cmdline", "root=/dev/db7/root ip=10.0.0.9 password=x quiet\n");
    look_at_kernel(&m.probe);
    VALUE_IS(&m, "kernel", "kernel_command_line", expected, "");
    machine_end(&m);
}

static void private_command_line(void)
{
    command_line_is(false, "root=/dev/hidden/root ip=hidden password=hidden quiet");
    command_line_is(true, "root=/dev/db7/root ip=10.0.0.9 password=x quiet");
}

/* ---- battery: mains online ("" without mains), the battery's status, the expected fact ---- */

static void battery_is(const char *online, const char *status, const char *scope,
                       const char *expected)
{
    struct machine m;
    machine_begin(&m);
    if (*online) {
        tree_file(&m.tree, SUPPLY "/AC/type", "Mains\n");
        tree_file(&m.tree, SUPPLY "/AC/online", online);
    }
    tree_file(&m.tree, SUPPLY "/BAT0/type", "Battery\n");
    tree_file(&m.tree, SUPPLY "/BAT0/status", status);
    tree_file(&m.tree, SUPPLY "/BAT0/scope", scope);
    look_at_board(&m.probe);
    if (expected)
        VALUE_IS(&m, "machine", "on_battery", expected, "");
    else
        NO_FACT(&m, "machine", "on_battery");
    machine_end(&m);
}

static void batteries(void)
{
    battery_is("0\n", "Discharging\n", "System\n", "yes");
    battery_is("1\n", "Charging\n", "System\n", "no");
    battery_is("1\n", "Discharging\n", "System\n", "no"); /* more load than the mains supply */
    battery_is("", "Discharging\n", "", "yes");
    battery_is("", "Full\n", "", "no");
    battery_is("0\n", "Unknown\n", "", "yes");
    battery_is("0\n", "Discharging\n", "Device\n", NULL);

    struct machine m;
    machine_begin(&m);
    tree_file(&m.tree, SUPPLY "/BAT0/type", "Battery\n");
    tree_file(&m.tree, "/sys/firmware/acpi/platform_profile", "low-power\n");
    look_at_board(&m.probe);
    STATUS_IS(&m, "machine", "on_battery", FACT_ABSENT);
    VALUE_IS(&m, "machine", "platform_profile", "low-power", "");
    tree_deny(&m.tree, SUPPLY "/BAT0/status");
    machine_forget(&m);
    look_at_board(&m.probe);
    STATUS_IS(&m, "machine", "on_battery", FACT_DENIED);
    machine_end(&m);
}

int main(void)
{
    server();
    products();
    hypervisors();
    empty_fields();
    garbage();
    private_command_line();
    batteries();
    return check_result();
}
