// A relay of TCP connections that makes loopback slow: each byte takes half a round trip in each
// direction, a new connection costs one round trip more, and each connection has a rate of its own.
//
//   delay-relay TARGET_PORT
//
// listens on a free port of 127.0.0.1, says "READY PORT", and ends with its standard input. Each line
// there is an order, and answered with a line:
//
//   network RTT_US RATE   microseconds, bytes a second of a connection (0: any); for new bytes: "ok"
//   count                 "DOWN UP CONNECTIONS IDLE_US": bytes so far to and from the clients, the
//                         connections so far, and for how long no byte has come
//
// A connection holds no more than a line of this length and rate would, and a buffer of 64 KiB.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef int64_t us;

enum { PIECE = 64 << 10, SMALL_PIECE = 16 << 10, BUFFER = 64 << 10, ANY_RATE_BUFFER = 16 << 20 };

struct piece {
  struct piece *next;
  us due;
  size_t length, sent;
  char bytes[];
};

// One direction of a connection. `ended`: its source has said all. `shut`: its sink was told so.
struct way {
  int from, to;
  int readable, writable, ended, shut;
  struct piece *first, *last;
  size_t held;
  us free_at, end_due;
  uint64_t *count;
};

struct pair;

// What an event of a socket belongs to.
struct end {
  struct pair *pair;
  int is_client;
};

struct pair {
  struct pair *next;
  struct end client, server;
  struct way up, down;
  us opened;
  int broken;
};

static us rtt;
static double rate;
static uint64_t down, up, connections;
static us last_byte;
static struct pair *pairs;
static int poller;

static us now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (us)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void must(int ok, const char *what) {
  if (!ok) {
    perror(what);
    exit(1);
  }
}

static size_t most_held(void) {
  return rate > 0 ? (size_t)(rate * (double)rtt / 1e6) + BUFFER : ANY_RATE_BUFFER;
}

// Takes what the source of `way` has. What comes while the connection is still being opened counts
// as sent when it is open.
static void take(struct way *way, us opened) {
  size_t most = rate > 0 ? SMALL_PIECE : PIECE;
  while (way->readable && !way->ended && way->held < most_held()) {
    struct piece *piece = malloc(sizeof *piece + most);
    must(piece != NULL, "malloc");
    ssize_t count = read(way->from, piece->bytes, most);
    us time = now(), sent = time > opened + rtt ? time : opened + rtt;
    if (count <= 0) {
      free(piece);
      if (count < 0 && errno == EAGAIN) {
        way->readable = 0;
        return;
      }
      way->ended = 1;
      way->end_due = (way->free_at > sent ? way->free_at : sent) + rtt / 2;
      return;
    }
    if (way->free_at < sent) way->free_at = sent;
    if (rate > 0) way->free_at += (us)((double)count / rate * 1e6);
    *piece = (struct piece){.due = way->free_at + rtt / 2, .length = (size_t)count};
    if (way->last) way->last->next = piece;
    else way->first = piece;
    way->last = piece;
    way->held += (size_t)count;
    *way->count += (uint64_t)count;
    last_byte = time;
  }
}

// Gives what is due to the sink of `way`. Returns when the next of it is due, or 0.
static us give(struct way *way, int *broken) {
  us time = now();
  while (way->first && way->first->due <= time && way->writable) {
    struct piece *piece = way->first;
    ssize_t count = write(way->to, piece->bytes + piece->sent, piece->length - piece->sent);
    if (count < 0) {
      if (errno != EAGAIN) *broken = 1;
      way->writable = 0;
      return 0;
    }
    piece->sent += (size_t)count;
    way->held -= (size_t)count;
    last_byte = time;
    if (piece->sent < piece->length) continue;
    way->first = piece->next;
    if (!way->first) way->last = NULL;
    free(piece);
  }
  if (way->first) return way->writable ? way->first->due : 0;
  if (!way->ended || way->shut) return 0;
  if (way->end_due > time) return way->end_due;
  shutdown(way->to, SHUT_WR);
  way->shut = 1;
  return 0;
}

static void drop(struct way *way) {
  while (way->first) {
    struct piece *piece = way->first;
    way->first = piece->next;
    free(piece);
  }
}

static void watch(int descriptor, struct end *end) {
  struct epoll_event event = {EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, {.ptr = end}};
  must(epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

static void accept_all(int listener, int target) {
  for (;;) {
    int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1, size = 256 << 10;
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)target)};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // Otherwise the system would hold far more than the line does.
    if (rate > 0) setsockopt(server, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (connect(server, (struct sockaddr *)&name, sizeof name) != 0) {
      close(server);
      close(client);
      continue;
    }
    fcntl(server, F_SETFL, O_NONBLOCK);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct pair *pair = calloc(1, sizeof *pair);
    must(pair != NULL, "calloc");
    pair->opened = now();
    pair->up = (struct way){.from = client, .to = server, .count = &up};
    pair->down = (struct way){.from = server, .to = client, .count = &down};
    pair->next = pairs;
    pairs = pair;
    connections++;
    pair->client = (struct end){pair, 1};
    pair->server = (struct end){pair, 0};
    watch(client, &pair->client);
    watch(server, &pair->server);
  }
}

static void obey(void) {
  static char line[256];
  static size_t length;
  ssize_t count = read(STDIN_FILENO, line + length, sizeof line - 1 - length);
  if (count <= 0) exit(0);
  length += (size_t)count;
  line[length] = 0;
  char *end;
  while ((end = strchr(line, '\n'))) {
    *end = 0;
    long long wanted;
    double limit;
    if (sscanf(line, "network %lld %lf", &wanted, &limit) == 2) {
      rtt = wanted;
      rate = limit;
      puts("ok");
    } else {
      printf("%llu %llu %llu %lld\n", (unsigned long long)down, (unsigned long long)up,
             (unsigned long long)connections, (long long)(now() - last_byte));
    }
    fflush(stdout);
    length -= (size_t)(end + 1 - line);
    memmove(line, end + 1, length + 1);
  }
}

// Moves all bytes that are there or due. Returns when the next are due, or 0.
static us move_all(void) {
  us next = 0;
  for (struct pair **place = &pairs; *place;) {
    struct pair *pair = *place;
    struct way *ways[] = {&pair->up, &pair->down};
    for (int i = 0; i < 2; i++) {
      take(ways[i], pair->opened);
      us due = give(ways[i], &pair->broken);
      // What was given has made room.
      take(ways[i], pair->opened);
      if (!due && ways[i]->first && ways[i]->writable) due = ways[i]->first->due;
      if (due && (!next || due < next)) next = due;
    }
    if (!pair->broken && !(pair->up.shut && pair->down.shut)) {
      place = &pair->next;
      continue;
    }
    *place = pair->next;
    close(pair->up.from);
    close(pair->up.to);
    drop(&pair->up);
    drop(&pair->down);
    free(pair);
  }
  return next;
}

int main(int count, char **words) {
  if (count != 2) return 64;
  signal(SIGPIPE, SIG_IGN);
  last_byte = now();
  int target = atoi(words[1]), listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in name = {.sin_family = AF_INET};
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  must(bind(listener, (struct sockaddr *)&name, size) == 0, "bind");
  must(listen(listener, 256) == 0, "listen");
  getsockname(listener, (struct sockaddr *)&name, &size);
  printf("READY %d\n", ntohs(name.sin_port));
  fflush(stdout);
  poller = epoll_create1(EPOLL_CLOEXEC);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  int plain[] = {listener, STDIN_FILENO, timer};
  struct end marks[3];
  for (int i = 0; i < 3; i++) {
    struct epoll_event event = {EPOLLIN, {.ptr = &marks[i]}};
    must(epoll_ctl(poller, EPOLL_CTL_ADD, plain[i], &event) == 0, "epoll_ctl");
  }
  for (;;) {
    us next = move_all();
    struct itimerspec when = {.it_value = {next / 1000000, next % 1000000 * 1000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
    struct epoll_event events[64];
    int found = epoll_wait(poller, events, 64, -1);
    for (int i = 0; i < found; i++) {
      void *mark = events[i].data.ptr;
      if (mark == &marks[0]) accept_all(listener, target);
      else if (mark == &marks[1]) obey();
      else if (mark == &marks[2]) {
        uint64_t ticks;
        if (read(timer, &ticks, sizeof ticks) < 0) continue;
      } else {
        struct end *end = mark;
        struct way *in = end->is_client ? &end->pair->up : &end->pair->down;
        struct way *out = end->is_client ? &end->pair->down : &end->pair->up;
        if (events[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) in->readable = 1;
        if (events[i].events & EPOLLOUT) out->writable = 1;
      }
    }
  }
}
