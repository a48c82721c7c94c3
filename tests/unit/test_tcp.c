/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tcp backend with the real server on the loopback interface, and with other servers. */
#include "backend_checks.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "io/net/address.h"
#include "io/net/message.h"
#include "run/serve/serve.h"

enum { BUFFER = 64 << 10 };

static _Alignas(4096) unsigned char buffers[DEPTH_MAX * BUFFER];
static volatile sig_atomic_t stop;
static atomic_uint port;
static struct serve_session seen;
static atomic_uint sessions;

/* ---- the server, in a thread ---- */

static void note_port(void *context, const char *address, unsigned number)
{
    (void)context;
    CHECK_STR(address, "127.0.0.1");
    atomic_store(&port, number);
}

static void note_session(void *context, const struct serve_session *session)
{
    (void)context;
    seen = *session;
    atomic_fetch_add(&sessions, 1);
}

static void *serve(void *request)
{
    struct err e = {0};
    CHECK_INT(serve_run(request, &e), 0);
    CHECK_STR(e.msg, "");
    return NULL;
}

static struct serve_request *request_of(struct serve_request *r, struct plan *plan)
{
    plan_init(plan);
    *r = (struct serve_request){.address = "127.0.0.1:0",
                                .connections = 2,
                                .length = BUFFER,
                                .plan = plan,
                                .stop = &stop,
                                .listening = note_port,
                                .ended = note_session};
    return r;
}

static void find_peer(struct net_peer *peer)
{
    char text[40];
    struct err e;
    while (!atomic_load(&port))
        usleep(1000);
    snprintf(text, sizeof text, "127.0.0.1:%u", atomic_load(&port));
    CHECK_INT(net_peer_find(peer, text, &e), 0);
}

static void wait_for_sessions(unsigned count)
{
    for (int i = 0; i < 5000 && atomic_load(&sessions) < count; i++)
        usleep(1000);
    CHECK_INT(atomic_load(&sessions), count);
}

/* ---- requests ---- */

/* Every length, in both directions, with as many in flight as there are slots; all complete
   correctly. */
static void check_mixture(const struct io_setup *setup, unsigned count)
{
    struct io_backend b = {0};
    struct io_done done[DEPTH_MAX];
    struct err e = {0};
    struct random random;
    uint32_t asked[DEPTH_MAX] = {0};
    unsigned char op[DEPTH_MAX] = {0};
    uint16_t idle[DEPTH_MAX];
    unsigned idle_count = setup->iodepth, sent = 0;
    uint64_t last = 0;
    random_seed(&random, setup->iodepth, 1);
    CHECK_INT(io_tcp.open(&b, setup, &e), 0);
    if (e.code)
        return;
    for (unsigned i = 0; i < idle_count; i++)
        idle[i] = (uint16_t)i;
    for (unsigned completed = 0; completed < count;) {
        struct io_req requests[DEPTH_MAX];
        unsigned n = 0;
        for (; idle_count && sent < count; n++, sent++) {
            uint16_t slot = idle[--idle_count];
            asked[slot] = (uint32_t)random_below(&random, setup->buffer_stride + 1);
            op[slot] = (unsigned char)random_below(&random, 2);
            requests[n] = (struct io_req){.length = asked[slot], .slot = slot, .command = op[slot]};
        }
        CHECK_INT(b.ops->submit(&b, requests, n, &e), n);
        int got = b.ops->reap(&b, done, completed % 2, setup->iodepth, &e);
        CHECK(got >= 0 && (unsigned)got <= setup->iodepth);
        if (got < 0) {
            CHECK_STR(e.msg, "");
            return;
        }
        for (int i = 0; i < got; i++, completed++) {
            CHECK_INT(done[i].error, 0);
            CHECK_INT(done[i].bytes, asked[done[i].slot]);
            CHECK_INT(done[i].op, op[done[i].slot]);
            CHECK(done[i].t_sub > 0 && done[i].t_cpl > done[i].t_sub);
            CHECK(done[i].t_cpl >= last);
            last = done[i].t_cpl;
            idle[idle_count++] = done[i].slot;
        }
    }
    b.ops->close(&b);
    CHECK(b.link.answered);
    CHECK(b.link.agrees);
    CHECK(b.link.sent > 0 && b.link.segment > 0 && b.link.algorithm[0]);
}

/* The data read is incompressible and not that of the buffer before. */
static void check_data(const struct io_setup *setup)
{
    struct io_backend b = {0};
    struct err e = {0};
    unsigned counts[256] = {0}, kinds = 0;
    memset(buffers, 0, BUFFER);
    CHECK_INT(io_tcp.open(&b, setup, &e), 0);
    struct io_req request = {.length = BUFFER};
    struct io_done done = complete_one(&b, &request);
    CHECK_INT(done.bytes, BUFFER);
    for (unsigned i = 0; i < BUFFER; i++)
        kinds += !counts[buffers[i]]++;
    CHECK_INT(kinds, 256);
    check_reap_until(&b, setup);
    b.ops->close(&b);
    CHECK(b.link.agrees);
}

static void check_refusal(const struct io_setup *setup, const char *words)
{
    struct io_backend b = {0};
    struct err e = {0};
    CHECK_INT(io_tcp.open(&b, setup, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, words) != NULL);
    if (!strstr(e.msg, words))
        CHECK_STR(e.msg, words);
}

static void check_served(struct io_setup setup)
{
    struct plan plan;
    struct serve_request request;
    struct net_peer peer;
    struct io_backend b[2] = {{0}};
    struct err e;
    pthread_t thread;
    pthread_create(&thread, NULL, serve, request_of(&request, &plan));
    find_peer(&peer);
    setup.peer = &peer;
    check_data(&setup);
    wait_for_sessions(1);
    CHECK_INT(seen.connections, 1);
    CHECK_INT(seen.seen.requests[NET_READ], 2);
    CHECK_INT(seen.seen.bytes[NET_READ], BUFFER + BLOCK);
    CHECK_STR(seen.trouble, "");
    CHECK_STR(seen.peer, "127.0.0.1");
    check_mixture(&setup, 200);
    setup.iodepth = 7;
    check_mixture(&setup, 500);
    setup.iopoll = IO_ON;
    setup.iodepth = DEPTH_MAX;
    check_mixture(&setup, 2000);
    setup.iopoll = IO_AUTO;
    setup.buffer_stride = 4096; /* small answers, several per receive */
    check_mixture(&setup, 5000);
    wait_for_sessions(5);

    /* Of a name's addresses the one that answers is used; trying an address takes up no session. */
    struct net_peer several = peer;
    const struct sockaddr_in nobody = {
        .sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    several.addresses.list[2] = several.addresses.list[1] = several.addresses.list[0];
    memcpy(&several.addresses.list[0].number, &nobody, sizeof nobody);
    several.addresses.count = 3;
    CHECK_INT(net_peer_settle(&several, &e), 0);
    CHECK_INT(several.addresses.count, 1);
    CHECK_INT(net_address_port(&several.addresses.list[0]), atomic_load(&port));
    for (unsigned i = 0; i < 2; i++)
        memcpy(&several.addresses.list[i].number, &nobody, sizeof nobody);
    several.addresses.count = 2;
    CHECK_INT(net_peer_settle(&several, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);

    /* Two connections are one session; a third one is refused, and so is a longer request. */
    CHECK_INT(io_tcp.open(&b[0], &setup, &e), 0);
    CHECK_INT(io_tcp.open(&b[1], &setup, &e), 0);
    check_refusal(&setup, "no room for a further connection");
    b[0].ops->close(&b[0]);
    b[1].ops->close(&b[1]);
    wait_for_sessions(6);
    CHECK_INT(seen.connections, 2);
    usleep(300000); /* both threads have ended */
    setup.buffer_stride = 2 * BUFFER;
    setup.iodepth = 1;
    check_refusal(&setup, "it takes no requests above 65536 bytes");
    wait_for_sessions(7);
    CHECK_STR(seen.trouble, "refused: its requests are too long");

    /* The server ends in the middle of a session. */
    setup.buffer_stride = BUFFER;
    CHECK_INT(io_tcp.open(&b[0], &setup, &e), 0);
    stop = 1;
    pthread_join(thread, NULL);
    struct io_req asked = {.length = BLOCK};
    struct io_done done;
    int got = b[0].ops->submit(&b[0], &asked, 1, &e);
    for (int i = 0; i < 1000 && got >= 0; i++)
        got = b[0].ops->reap(&b[0], &done, 1, 1, &e);
    CHECK_INT(got, -1);
    CHECK_INT(e.code, ERR_TARGET);
    b[0].ops->close(&b[0]);
    CHECK(!b[0].link.answered);
    wait_for_sessions(8);
    CHECK_STR(seen.trouble, "");
    check_refusal(&setup, "nothing listens there");
}

/* ---- others that listen ---- */

struct other {
    int fd;
    const unsigned char *answer;
    size_t size, after; /* bytes sent after the answer, of zeros */
};

static void *answer_one(void *argument)
{
    const struct other *o = argument;
    static const unsigned char zeros[64];
    unsigned char hello[NET_HELLO_BYTES];
    int fd = accept(o->fd, NULL, NULL);
    CHECK(recv(fd, hello, sizeof hello, MSG_WAITALL) == sizeof hello);
    if (o->size)
        CHECK(send(fd, o->answer, o->size, MSG_NOSIGNAL) == (ssize_t)o->size);
    if (o->after) {
        unsigned char header[NET_HEADER_BYTES];
        CHECK(recv(fd, header, sizeof header, MSG_WAITALL) == sizeof header);
        CHECK(send(fd, zeros, o->after, MSG_NOSIGNAL) == (ssize_t)o->after);
    }
    close(fd);
    return NULL;
}

static atomic_bool refused;

/* Acknowledges a write whose header alone it has read. */
static void *answer_early(void *argument)
{
    const struct other *o = argument;
    unsigned char header[NET_HEADER_BYTES], hello[NET_HELLO_BYTES], rest[4096];
    int fd = accept(o->fd, NULL, NULL);
    CHECK(recv(fd, hello, sizeof hello, MSG_WAITALL) == sizeof hello);
    CHECK(send(fd, o->answer, o->size, MSG_NOSIGNAL) == (ssize_t)o->size);
    CHECK(recv(fd, header, sizeof header, MSG_WAITALL) == sizeof header);
    CHECK(send(fd, header, sizeof header, MSG_NOSIGNAL) == sizeof header);
    for (int i = 0; i < 5000 && !atomic_load(&refused); i++)
        usleep(1000);
    while (recv(fd, rest, sizeof rest, 0) > 0)
        ;
    close(fd);
    return NULL;
}

static int listen_on_loopback(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    CHECK_INT(listen(fd, 1), 0);
    CHECK_INT(getsockname(fd, (struct sockaddr *)&a, &length), 0);
    atomic_store(&port, ntohs(a.sin_port));
    return fd;
}

/* More than both ends' socket buffers hold, so that the end cannot have been sent. */
static void check_early_answer(struct io_setup setup)
{
    static unsigned char longest[NET_LENGTH_MAX];
    const int small = 4096;
    unsigned char bytes[NET_HELLO_BYTES];
    struct net_hello hello = {.version = NET_VERSION, .answer = NET_ACCEPTED};
    struct other o = {.fd = listen_on_loopback(), .answer = bytes, .size = sizeof bytes};
    struct io_req request = {.length = sizeof longest, .command = REQUEST_WRITE};
    struct io_backend b = {0};
    struct io_done done;
    struct net_peer peer;
    struct err e = {0};
    pthread_t thread;
    CHECK_INT(setsockopt(o.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    net_hello_write(bytes, &hello);
    find_peer(&peer);
    setup.peer = &peer;
    setup.buffers = longest;
    setup.buffer_stride = sizeof longest;
    pthread_create(&thread, NULL, answer_early, &o);
    CHECK_INT(io_tcp.open(&b, &setup, &e), 0);
    int got = b.ops->submit(&b, &request, 1, &e);
    CHECK_INT(got, 1);
    for (int i = 0; i < 1000 && got >= 0; i++) {
        got = b.ops->reap(&b, &done, 1, 1, &e);
        CHECK(got <= 0);
    }
    CHECK_INT(got, -1);
    CHECK(strstr(e.msg, "its answer is not that of the request") != NULL);
    atomic_store(&refused, true);
    b.ops->close(&b);
    pthread_join(thread, NULL);
    close(o.fd);
}

static void check_other(struct io_setup setup, const unsigned char *answer, size_t size,
                        size_t after, const char *words)
{
    struct other o = {.fd = listen_on_loopback(), .answer = answer, .size = size, .after = after};
    struct net_peer peer;
    pthread_t thread;
    find_peer(&peer);
    setup.peer = &peer;
    pthread_create(&thread, NULL, answer_one, &o);
    if (!after) {
        check_refusal(&setup, words);
    } else {
        struct io_backend b = {0};
        struct io_req request = {.length = BLOCK};
        struct io_done done;
        struct err e = {0};
        CHECK_INT(io_tcp.open(&b, &setup, &e), 0);
        int got = b.ops->submit(&b, &request, 1, &e);
        for (int i = 0; i < 1000 && got >= 0; i++)
            got = b.ops->reap(&b, &done, 1, 1, &e);
        CHECK_INT(got, -1);
        CHECK(strstr(e.msg, words) != NULL);
        b.ops->close(&b);
    }
    pthread_join(thread, NULL);
    close(o.fd);
}

static void check_others(const struct io_setup *setup)
{
    unsigned char bytes[NET_HELLO_BYTES];
    static const unsigned char page[] =
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n................";
    struct net_hello hello = {.version = NET_VERSION + 1, .answer = NET_OTHER_VERSION};
    check_other(*setup, page, sizeof page, 0, "something else than cupel serve listens");
    check_other(*setup, NULL, 0, 0, "no cupel serve answers there");
    check_other(*setup, page, 5, 0, "no cupel serve answers there");
    net_hello_write(bytes, &hello);
    check_other(*setup, bytes, sizeof bytes, 0, "use the same cupel on both hosts");
    hello = (struct net_hello){.version = NET_VERSION, .answer = 4711};
    net_hello_write(bytes, &hello);
    check_other(*setup, bytes, sizeof bytes, 0, "refused the session (4711)");
    hello.answer = NET_ACCEPTED;
    net_hello_write(bytes, &hello);
    check_other(*setup, bytes, sizeof bytes, 20, "its answer is not that of the request");
    check_other(*setup, bytes, sizeof bytes, 3, "closed the connection");
}

/* ---- a kernel without IPv6 ---- */

/* From here on socket() fails for IPv6, as on a kernel started with ipv6.disable=1. */
static bool lose_ipv6(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void note_all(void *context, const char *address, unsigned number)
{
    (void)number;
    CHECK_STR(address, "0.0.0.0");
    *(bool *)context = true;
}

/* "All addresses" becomes that of IPv4; another IPv6 address is not replaced, since that would open
   the server to everybody. */
static void check_without_ipv6(void)
{
    static const char *const alone[] = {"::1", "[::1]:0", "2001:db8::7", "::ffff:127.0.0.1"};
    static const char *const all[] = {":0", "[::]:0"};
    struct plan plan;
    struct serve_request request;
    struct err e;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        request_of(&request, &plan)->address = alone[i];
        CHECK_INT(serve_run(&request, &e), -1);
        CHECK_INT(e.code, ERR_MACHINE);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool listened = false;
        request_of(&request, &plan)->address = all[i];
        request.listening = note_all;
        request.context = &listened;
        CHECK_INT(serve_run(&request, &e), 0);
        CHECK(listened);
    }
}

static void check_in_child_without_ipv6(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (!lose_ipv6())
            _exit(77);
        stop = 1;
        check_without_ipv6();
        fflush(NULL);
        _exit(check_result());
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        puts("not checked: a kernel without IPv6, for no seccomp filter is permitted here");
    else
        CHECK_INT(status, 0);
}

int main(void)
{
    struct clock clock;
    struct err e = {0};
    struct io_backend b = {0};
    clock_calibrate(&clock, 10, false);
    const struct io_setup setup = {.clock = &clock,
                                   .fd = -1,
                                   .iodepth = 1,
                                   .buffers = buffers,
                                   .buffer_stride = BUFFER,
                                   .workers = 1};
    CHECK_INT(io_tcp.open(&b, &setup, &e), -1); /* no peer */
    CHECK_INT(e.code, ERR_USAGE);
    check_in_child_without_ipv6();
    check_served(setup);
    check_others(&setup);
    check_early_answer(setup);
    return check_result();
}
