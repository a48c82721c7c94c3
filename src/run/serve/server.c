/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the server: listens, gives each connection a thread, and sums up the connections of each
   session. */
#include "run/serve/serve.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/invariant.h"
#include "base/random.h"
#include "base/thread.h"
#include "io/net/address.h"
#include "io/net/connected_socket.h"
#include "run/loop/placement.h"
#include "run/serve/internal.h"

#define STACK   (128 << 10)
#define LOOK_MS 200 /* interval at which the server checks whether it should end */
/* Open files besides connections: the standard streams, the listening socket, a refused
   connection. */
#define FILES_BESIDE 16

/* A thread and its connection; free when `used` is false. */
struct place {
    struct server *server;
    struct connection connection;
    pthread_t thread;
    struct net_address peer;
    bool used;        /* accessed only by the accepting thread */
    atomic_bool done; /* the thread has finished its work */
};

/* A session with open connections. */
struct open_session {
    uint64_t token;
    unsigned open; /* number of open connections; 0: this entry is free */
    uint64_t began_ns;
    struct serve_session session;
};

struct server {
    const struct serve_request *request;
    int fd;
    atomic_bool over;
    unsigned count; /* number of places, and of sessions */
    struct place *places;
    unsigned char *pattern, *received;
    pthread_mutex_t lock; /* protects everything below, and calls of `ended` */
    struct open_session *sessions;
};

/* ---- sessions ---- */

static struct open_session *session_of(struct server *server, uint64_t token)
{
    struct open_session *free = NULL;
    for (unsigned i = 0; i < server->count; i++) {
        struct open_session *s = &server->sessions[i];
        if (s->open && s->token == token)
            return s;
        if (!s->open)
            free = s;
    }
    INVARIANT(free, "there are as many sessions as connections, and no session is without one");
    return free;
}

static struct open_session *enter(struct place *p)
{
    struct server *server = p->server;
    pthread_mutex_lock(&server->lock);
    struct open_session *s = session_of(server, p->connection.hello.token);
    if (!s->open++) {
        *s = (struct open_session){
            .token = p->connection.hello.token, .open = 1, .began_ns = clock_raw_ns()};
        net_address_text(&p->peer, s->session.peer);
    }
    s->session.connections++;
    pthread_mutex_unlock(&server->lock);
    return s;
}

static void leave(struct place *p, struct open_session *s)
{
    struct server *server = p->server;
    const struct net_summary *seen = &p->connection.seen;
    struct serve_session *all = &s->session;
    pthread_mutex_lock(&server->lock);
    for (unsigned op = 0; op < 2; op++) {
        all->seen.requests[op] += seen->requests[op];
        all->seen.bytes[op] += seen->bytes[op];
    }
    all->seen.resent += seen->resent;
    if (p->connection.trouble[0])
        snprintf(all->trouble, sizeof all->trouble, "%s", p->connection.trouble);
    if (!--s->open) {
        all->seconds = (double)(clock_raw_ns() - s->began_ns) * 1e-9;
        server->request->ended(server->request->context, all);
    }
    pthread_mutex_unlock(&server->lock);
}

/* Reports a refused peer as a session without connections. */
static void report_refused(struct place *p)
{
    struct serve_session none = {.connections = 0};
    net_address_text(&p->peer, none.peer);
    snprintf(none.trouble, sizeof none.trouble, "%s", p->connection.trouble);
    pthread_mutex_lock(&p->server->lock);
    p->server->request->ended(p->server->request->context, &none);
    pthread_mutex_unlock(&p->server->lock);
}

/* ---- connections ---- */

static void *place_thread(void *argument)
{
    struct place *p = argument;
    struct connection *c = &p->connection;
    bool realtime;
    char note[96];
    placement_apply(c->cpu, false, &realtime, note, sizeof note);
    net_link_prepare(c->fd);
    if (connection_greet(c, false)) {
        struct open_session *session = enter(p);
        connection_serve(c);
        leave(p, session);
    } else if (c->trouble[0]) {
        report_refused(p);
    }
    /* set before the shutdown, so that a peer that notices the end finds a free place */
    atomic_store(&p->done, true);
    shutdown(c->fd, SHUT_RDWR); /* the accepting thread closes it after this thread has ended */
    return NULL;
}

/* Joins the threads that are done; with `all` waits for each. */
static void collect(struct server *server, bool all)
{
    for (unsigned i = 0; i < server->count; i++) {
        struct place *p = &server->places[i];
        if (!p->used || !(all || atomic_load(&p->done)))
            continue;
        if (all)
            shutdown(p->connection.fd, SHUT_RDWR);
        pthread_join(p->thread, NULL);
        close(p->connection.fd);
        p->used = false;
    }
}

/* The accepting thread itself answers a peer that finds no room, without waiting for the peer. */
static void refuse(struct server *server, int fd)
{
    unsigned char bytes[NET_HELLO_BYTES];
    const struct net_hello full = {.version = NET_VERSION,
                                   .answer = NET_FULL,
                                   .connections = server->request->connections,
                                   .length = server->request->length};
    net_hello_write(bytes, &full);
    net_link_send(fd, bytes, sizeof bytes, 0.01);
    /* Unread bytes of the peer would make the kernel drop the answer with the connection. */
    net_link_receive(fd, bytes, sizeof bytes, 0.01);
    close(fd);
}

static void take_connection(struct server *server)
{
    struct net_address peer = {.size = sizeof peer.number};
    struct err ignored;
    unsigned number = 0;
    int fd = accept(server->fd, (struct sockaddr *)&peer.number, &peer.size);
    /* the peer left, or there are no free descriptors, which does not change at once */
    if (fd < 0) {
        poll(NULL, 0, LOOK_MS);
        return;
    }
    collect(server, false);
    while (number < server->count && server->places[number].used)
        number++;
    if (number == server->count) {
        refuse(server, fd);
        return;
    }
    struct place *p = &server->places[number];
    *p = (struct place){.server = server, .peer = peer, .used = true};
    p->connection =
        (struct connection){.fd = fd,
                            .cpu = -1,
                            .request = server->request,
                            .pattern = server->pattern,
                            .received = server->received + (size_t)number * SERVE_PATTERN_BYTES,
                            .over = &server->over};
    placement_choose(server->request->plan, number, &p->connection.cpu, &ignored);
    if (thread_start(&p->thread, STACK, place_thread, p)) {
        p->used = false;
        close(fd);
    }
}

/* ---- the whole server ---- */

static bool is_all_of_ipv6(const struct net_address *a)
{
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&a->number;
    return a->number.ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr);
}

/* Opens a socket that listens at the first of the addresses. An address that stands for all of this
   machine's uses IPv6, which also accepts IPv4, or IPv4 when the kernel has no IPv6. Any other
   address stands only for itself. */
static int listen_at(struct server *server, const char *text, struct err *e)
{
    struct net_addresses found;
    const int one = 1, zero = 0;
    if (net_addresses_find(&found, text, true, e))
        return -1;
    struct net_address *a = &found.list[0];
    int fd = socket(a->number.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 && errno == EAFNOSUPPORT && is_all_of_ipv6(a)) {
        struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(net_address_port(a))};
        *a = (struct net_address){.size = sizeof any};
        memcpy(&a->number, &any, sizeof any);
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    }
    if (fd < 0)
        return err_set(e, ERR_MACHINE, "%.200s: %s", text, strerror(errno));
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof zero);
    if (bind(fd, (const struct sockaddr *)&a->number, a->size) || listen(fd, 128) ||
        getsockname(fd, (struct sockaddr *)&a->number, &a->size)) {
        const char *advice = errno == EADDRINUSE
                                 ? ": another program listens there; name another port"
                             : errno == EADDRNOTAVAIL ? ": this machine has no such address"
                             : errno == EACCES        ? ": ports below 1024 need root"
                                                      : "";
        err_set(e, errno == EADDRNOTAVAIL ? ERR_USAGE : ERR_MACHINE, "%.200s: %s%s", text,
                strerror(errno), advice);
        close(fd);
        return -1;
    }
    server->fd = fd;
    char number[NET_ADDRESS_TEXT];
    server->request->listening(server->request->context, net_address_text(a, number),
                               net_address_port(a));
    return 0;
}

static int take_memory(struct server *server, struct err *e)
{
    struct random random;
    server->count = server->request->connections;
    server->places = calloc(server->count, sizeof *server->places);
    server->sessions = calloc(server->count, sizeof *server->sessions);
    server->pattern = malloc(SERVE_PATTERN_BYTES);
    server->received = malloc((size_t)server->count * SERVE_PATTERN_BYTES);
    files_permit(server->count + FILES_BESIDE);
    if (!server->places || !server->sessions || !server->pattern || !server->received)
        return err_no_memory(e, "%u connections", server->count);
    random_seed(&random, 1, 0);
    for (size_t i = 0; i < SERVE_PATTERN_BYTES; i += sizeof(uint64_t)) {
        uint64_t word = random_u64(&random);
        memcpy(server->pattern + i, &word, sizeof word);
    }
    return 0;
}

static void serve_until_over(struct server *server)
{
    const struct serve_request *r = server->request;
    uint64_t began = clock_raw_ns();
    struct pollfd p = {.fd = server->fd, .events = POLLIN};
    while (!*r->stop &&
           !(r->seconds > 0 && (double)(clock_raw_ns() - began) * 1e-9 >= r->seconds)) {
        if (poll(&p, 1, LOOK_MS) > 0)
            take_connection(server);
        collect(server, false);
    }
}

int serve_run(const struct serve_request *request, struct err *e)
{
    struct server server = {.request = request, .fd = -1};
    int cpu;
    pthread_mutex_init(&server.lock, NULL);
    int status = placement_choose(request->plan, 0, &cpu, e) || take_memory(&server, e) ||
                         listen_at(&server, request->address, e)
                     ? -1
                     : 0;
    if (!status) {
        serve_until_over(&server);
        atomic_store(&server.over, true);
        close(server.fd);
        collect(&server, true);
    }
    free(server.places);
    free(server.sessions);
    free(server.pattern);
    free(server.received);
    pthread_mutex_destroy(&server.lock);
    return status;
}
