/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel.cfg, and the kernel's command line (of which others than cupel read parts). */
#include <string.h>

#include "appliance/process/kernel_arguments.h"
#include "cmd/options/boot_config.h"
#include "tests/fuzz/fuzz.h"

static void read_file(const char *text, size_t length)
{
    struct boot_config config;
    struct err e = {0};
    boot_config_init(&config);
    if (boot_config_read(&config, text, length, "cupel.cfg", &e))
        FUZZ_CHECK(e.code == ERR_USAGE && strncmp(e.msg, "cupel.cfg", 9) == 0,
                   "a configuration refused without a place");
}

static void read_command_line(const char *bytes, size_t length)
{
    struct boot_config config;
    struct kernel_argument argument;
    struct err e = {0};
    struct text parameters = {0};
    char *line = strndup(bytes, length);
    if (!line)
        return;
    boot_config_init(&config);
    if (boot_config_read_command_line(&config, line, &e))
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a command line refused without a reason");
    size_t arguments = 0;
    for (const char *rest = line; kernel_argument_next(&rest, &argument); arguments++) {
        FUZZ_CHECK(argument.key.text >= line && argument.value.length <= length,
                   "an argument outside of its line");
        FUZZ_CHECK(arguments <= length, "more arguments than characters");
    }
    kernel_argument_lists(line, "module_blacklist", "nvme");
    kernel_argument_add_parameters(line, "nvme", &parameters);
    text_free(&parameters);
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    if (data[0] & 1)
        read_command_line(text, size - 1);
    else
        read_file(text, size - 1);
    return 0;
}
