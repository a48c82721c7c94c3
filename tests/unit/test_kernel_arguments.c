/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's command line: arguments split as the kernel does it, and those for a module. */
#include "check.h"

#include "appliance/process/kernel_arguments.h"

/* Checks all arguments, each as "key|value;" or "key;". */
static void splits(const char *line, const char *expected)
{
    struct text got = {0};
    struct kernel_argument argument;
    const char *rest = line;
    text_add(&got, "");
    while (kernel_argument_next(&rest, &argument)) {
        text_add_bytes(&got, argument.key.text, argument.key.length);
        if (argument.has_value)
            text_add(&got, "|");
        text_add_bytes(&got, argument.value.text, argument.value.length);
        text_add(&got, ";");
    }
    CHECK_STR(got.data, expected);
    text_free(&got);
}

static void arguments(void)
{
    splits("", "");
    splits(NULL, "");
    splits(" \n", "");
    splits("quiet", "quiet;");
    splits("BOOT_IMAGE=/vmlinuz ro  console=ttyS0,115200\tquiet\n",
           "BOOT_IMAGE|/vmlinuz;ro;console|ttyS0,115200;quiet;");
    splits("a= b", "a|;b;");
    splits("=x y", "=x;y;"); /* a key is never empty */
    splits("a=b=c", "a|b=c;");
}

static void quotes(void)
{
    splits("command=\"run /dev/nvme0n1; probe\" x", "command|run /dev/nvme0n1; probe;x;");
    splits("\"command=run it\" x", "command|run it;x;");
    splits("a=\"\" b", "a|;b;");
    /* only a quote at the end is removed together with the first one */
    splits("a=\"b c\"d e", "a|b c\"d;e;");
    splits("a=b\" \"c d", "a|b\" \"c;d;");
    splits("\"a b\" c", "a b;c;");
    splits("a=\"never closed b", "a|never closed b;");
    splits("a=\"", "a|;");
    splits("\"", ";");
    splits("\"\"", ";");
    splits("\"a=\"", "a|;");
}

static void end_of_the_kernels_part(void)
{
    splits("a=1 -- b=2", "a|1;");
    splits("-- b=2", "");
    splits("--=1 --x", "--|1;--x;");
    const char *rest = "a -- b";
    struct kernel_argument argument;
    CHECK(kernel_argument_next(&rest, &argument));
    CHECK(!kernel_argument_next(&rest, &argument));
    CHECK(!kernel_argument_next(&rest, &argument)); /* stays at the end of the line */
}

static void names(void)
{
    CHECK(kernel_argument_named(span_of("usb-storage"), "usb_storage"));
    CHECK(kernel_argument_named(span_of("usb_storage"), "usb-storage"));
    CHECK(!kernel_argument_named(span_of("usb_storage"), "usb_storage2"));
    CHECK(!kernel_argument_named(span_of("usb_storage2"), "usb_storage"));
    CHECK(kernel_argument_named(span_of(""), ""));
    CHECK(!kernel_argument_named(span_of(""), "a"));
}

static void below(void)
{
    struct kernel_argument argument;
    struct span name;
    const char *rest = "cupel.limit=2 cupel.a.b cupelx=3 cupel .x";
    CHECK(kernel_argument_next(&rest, &argument));
    CHECK(kernel_argument_below(&argument, "cupel", &name));
    CHECK(name.length == 5 && memcmp(name.text, "limit", 5) == 0);
    CHECK(!kernel_argument_below(&argument, "cup", &name));
    CHECK(kernel_argument_next(&rest, &argument));
    CHECK(kernel_argument_below(&argument, "cupel", &name));
    CHECK(name.length == 3 && memcmp(name.text, "a.b", 3) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(kernel_argument_next(&rest, &argument));
        CHECK(!kernel_argument_below(&argument, "cupel", &name));
        CHECK_INT(name.length, 0);
    }
}

static void lists(void)
{
    const char *line = "module_blacklist=ast,mga-g200,,x modprobe.blacklist=y module_blacklist=z";
    CHECK(kernel_argument_lists(line, "module_blacklist", "ast"));
    CHECK(kernel_argument_lists(line, "module_blacklist", "mga_g200"));
    CHECK(kernel_argument_lists(line, "module_blacklist", "x"));
    CHECK(kernel_argument_lists(line, "module_blacklist", "z"));
    CHECK(!kernel_argument_lists(line, "module_blacklist", "y"));
    CHECK(!kernel_argument_lists(line, "module_blacklist", "as"));
    CHECK(!kernel_argument_lists(line, "module_blacklist", ""));
    CHECK(!kernel_argument_lists("module_blacklist", "module_blacklist", "a"));
}

static void has_parameters(const char *line, const char *module, const char *expected)
{
    struct text got = {0};
    text_add(&got, "");
    kernel_argument_add_parameters(line, module, &got);
    CHECK_STR(got.data, expected);
    text_free(&got);
}

static void parameters(void)
{
    has_parameters("nvme.poll_queues=2 quiet nvme.io_timeout=5 nvme_core.x=1", "nvme",
                   "poll_queues=2 io_timeout=5");
    has_parameters("usb-storage.delay_use=0", "usb_storage", "delay_use=0");
    has_parameters("null_blk.nr_devices=4", "null-blk", "nr_devices=4");
    has_parameters("a.flag a.=1 a", "a", "flag");
    has_parameters("a.text=\"two words\"", "a", "text=\"two words\"");
    has_parameters("\"a.text=two words\"", "a", "text=\"two words\"");
    has_parameters("a.text=one\" \"word", "a", "text=one\" \"word");
    has_parameters("a.x=", "a", "x=");
    has_parameters("a.x=1 -- a.y=2", "a", "x=1");
    has_parameters(NULL, "a", "");
}

int main(void)
{
    arguments();
    quotes();
    end_of_the_kernels_part();
    names();
    below();
    lists();
    parameters();
    return check_result();
}
