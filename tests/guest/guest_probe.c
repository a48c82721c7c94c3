/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes of a virtual machine what QEMU alone cannot: a thermometer on an I2C bus, network
 * interfaces that are up, PCIe cards that can more than 2.5 GT/s x1. Then cupel (/cupel) is process
 * 1 in its place.
 *
 *   /test/modules     see guest.h
 *   /test/attributes  lines "FILE VALUE": what the kernel says there from now on
 */
#include <dirent.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/if.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "guest.h"

/* Registers of an LM75: a byte and a half of 1/16 C each, the high byte first. */
enum { LM75 = 0x48, LM75_TEMPERATURE = 0, LM75_HYSTERESIS = 2, LM75_LIMIT = 3 };

/* The byte order of SMBus is the other one. */
static uint16_t lm75_register(double celsius)
{
    unsigned value = (unsigned)(celsius * 256);
    return (uint16_t)(value >> 8 | (value & 0xff) << 8);
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        (void)close(fd);
    if (!written)
        printf("guest: cannot write %s: %s\n", path, strerror(errno));
    return written;
}

static bool write_register(int fd, uint8_t number, double celsius)
{
    union i2c_smbus_data data = {.word = lm75_register(celsius)};
    struct i2c_smbus_ioctl_data transfer = {.read_write = I2C_SMBUS_WRITE,
                                            .command = number,
                                            .size = I2C_SMBUS_WORD_DATA,
                                            .data = &data};
    return ioctl(fd, I2C_SMBUS, &transfer) == 0;
}

/* The number of the bus that i2c-stub made; -1: there is none. */
static int stub_bus(void)
{
    for (int bus = 0; bus < 16; bus++) {
        char path[64], name[64] = "";
        (void)snprintf(path, sizeof path, "/sys/bus/i2c/devices/i2c-%d/name", bus);
        FILE *f = fopen(path, "re");
        bool found = f && fgets(name, sizeof name, f) && !strncmp(name, "SMBus stub", 10);
        if (f)
            (void)fclose(f);
        if (found)
            return bus;
    }
    return -1;
}

/* 85.5 C, with a limit of 80 C. */
static bool make_thermometer(void)
{
    char path[64];
    int bus = stub_bus();
    (void)snprintf(path, sizeof path, "/dev/i2c-%d", bus);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool made = fd >= 0 && !ioctl(fd, I2C_SLAVE, LM75) &&
                write_register(fd, LM75_TEMPERATURE, 85.5) &&
                write_register(fd, LM75_HYSTERESIS, 75) && write_register(fd, LM75_LIMIT, 80);
    if (!made)
        printf("guest: %s: %s\n", path, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    (void)snprintf(path, sizeof path, "/sys/bus/i2c/devices/i2c-%d/new_device", bus);
    return made && write_file(path, "lm75 0x48");
}

static void bring_up(int socket, const char *name)
{
    struct ifreq request = {.ifr_flags = 0};
    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%.15s", name);
    if (ioctl(socket, SIOCGIFFLAGS, &request) != 0)
        printf("guest: %s: %s\n", name, strerror(errno));
    request.ifr_flags |= IFF_UP;
    if (ioctl(socket, SIOCSIFFLAGS, &request) != 0)
        printf("guest: %s: %s\n", name, strerror(errno));
}

/* A real card needs seconds to negotiate a speed. */
static void wait_for_link(const char *name)
{
    char path[300], said[4] = "";
    (void)snprintf(path, sizeof path, "/sys/class/net/%s/carrier", name);
    for (int tries = 0; tries < 200 && *said != '1'; tries++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && read(fd, said, 1) != 1)
            *said = '\0';
        if (fd >= 0)
            (void)close(fd);
        guest_sleep(50);
    }
    if (*said != '1')
        printf("guest: %s: no link\n", name);
}

static void bring_up_interfaces(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    DIR *d = opendir("/sys/class/net");
    for (struct dirent *entry; d && (entry = readdir(d));)
        if (!strncmp(entry->d_name, "eth", 3)) {
            bring_up(fd, entry->d_name);
            wait_for_link(entry->d_name);
        }
    if (d)
        (void)closedir(d);
    (void)close(fd);
}

/* Mounts another file over that of the kernel. */
static void set_attributes(void)
{
    FILE *list = fopen("/test/attributes", "re");
    char line[256], path[64];
    for (int number = 0; list && fgets(line, sizeof line, list); number++) {
        char *value = strchr(line, ' ');
        if (!value)
            continue;
        *value++ = '\0';
        (void)snprintf(path, sizeof path, "/test/attribute.%d", number);
        if (write_file(path, value) && mount(path, line, NULL, MS_BIND, NULL) != 0)
            printf("guest: %s: %s\n", line, strerror(errno));
    }
    if (list)
        (void)fclose(list);
}

int main(void)
{
    char *const words[] = {"/init", NULL}, *const environment[] = {NULL};
    if (getpid() != 1) {
        printf("this program is for a virtual machine of its own: tests/e2e/qemu_*.sh\n");
        return CHECK_SKIPPED;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    guest_mount("proc", "/proc");
    guest_mount("sysfs", "/sys");
    guest_mount("devtmpfs", "/dev");
    guest_load_modules();
    (void)make_thermometer();
    bring_up_interfaces();
    set_attributes();
    execve("/cupel", words, environment);
    printf("guest: /cupel: %s\n", strerror(errno));
    (void)reboot(RB_POWER_OFF);
    return 1;
}
