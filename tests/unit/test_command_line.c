/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which words of a kernel's command line are hidden and which stay, and that hiding them again
   changes nothing. */
#include "hw/capture/command_line.h"

#include "check.h"

static void line_is(const char *before, const char *after)
{
    struct text once = {0}, twice = {0};
    command_line_hide(span_of(before), "db7", &once);
    CHECK_STR(once.data ? once.data : "", after);
    command_line_hide((struct span){once.data ? once.data : "", once.length}, "db7", &twice);
    CHECK_STR(twice.data ? twice.data : "", after);
    text_free(&once);
    text_free(&twice);
}

static void stays(const char *line)
{
    line_is(line, line);
}

/* Words that an engineer needs: they stay. */
static void what_stays(void)
{
    stays("");
    stays("\n");
    stays("  quiet \t splash \n");
    stays("BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.15.0-105-generic root=/dev/mapper/vg-root ro quiet");
    stays("mitigations=auto,nosmt isolcpus=2-3 nohz_full=2-3 rcu_nocbs=2-3 iommu.passthrough=1");
    stays("intel_iommu=on iommu=pt pci=noaer,pcie_bus_perf pcie_aspm=off pcie_ports=native");
    stays("nvme_core.default_ps_max_latency_us=0 nvme.poll_queues=4 nvme_core.multipath=N");
    stays("console=ttyS0,115200n8 crashkernel=1G-4G:192M default_hugepagesz=1G hugepages=8");
    stays("ipv6.disable=1 net.ifnames=0 biosdevname=0 clocksource=tsc tsc=reliable");
    stays("dyndbg=\"file drivers/nvme/* +p\" a=\"b c\" apparmor=0 selinux=0 psi=1 init=/sbin/init");
}

static void what_is_hidden(void)
{
    line_is("root=UUID=1b2c3d4e-0001-4000-8000-00000000abcd ro", "root=UUID=hidden ro");
    line_is("root=PARTUUID=1234abcd-02", "root=PARTUUID=hidden");
    line_is("rd.luks.name=1b2c3d4e-0001-4000-8000-00000000abcd=root", "rd.luks.name=hidden=root");
    line_is("resume=/dev/disk/by-id/wwn-0x5000c500a1b2c3d4", "resume=/dev/disk/by-id/wwn-0xhidden");
    line_is("ip=10.0.0.9::10.0.0.1:255.255.255.0:db7:eth0:off", "ip=hidden");
    line_is("BOOTIF=01-00-1b-21-3c-9d-f8 nameserver=9.9.9.9\n",
            "BOOTIF=hidden nameserver=hidden\n");
    line_is("ifname=net0:00:1b:21:3c:9d:f8 vlan=net0.7:enx001b213c9df8",
            "ifname=hidden vlan=net0.7:enxhidden");
    line_is("root=nfs:10.0.0.5:/export nfsroot=10.0.0.5:/x", "root=hidden nfsroot=hidden");
    line_is("inst.stage2=https://me:word@mirror.example/x", "inst.stage2=hidden");
    line_is("password=a root_passwd=b db.pass=c api_key=d AuthToken=e tokens=f",
            "password=hidden root_passwd=hidden db.pass=hidden api_key=hidden AuthToken=hidden "
            "tokens=hidden");
    line_is("user=joe Password=X systemd.set_credential=a:b", "user=hidden Password=hidden "
                                                              "systemd.set_credential=hidden");
    line_is("rd.lvm.lv=db7-vg/root db70=db7x", "rd.lvm.lv=hidden-vg/root db70=db7x");
    line_is("systemd.hostname=db7.example.org systemd.machine_id=0123456789abcdef",
            "systemd.hostname=hidden systemd.machine_id=hidden");
}

/* Words with several parts, and arguments of the first process. */
static void quotes_and_words(void)
{
    line_is("password=\"two words\" ro", "password=hidden ro");
    line_is("\"password=two words\" ro", "\"password=hidden\" ro");
    line_is("password=\"never closed ro", "password=hidden");
    line_is("\"password=never closed ro", "\"password=hidden\"");
    line_is("init=/x -- --auth-token abc --port 80", "init=/x -- --auth-token hidden --port 80");
    line_is("--password   abc ro", "--password   hidden ro");
    line_is("--password --quiet abc", "--password --quiet abc");
    line_is("--password=abc --password", "--password=hidden --password");
    line_is("password= ro", "password= ro");
}

int main(void)
{
    what_stays();
    what_is_hidden();
    quotes_and_words();
    return check_result();
}
