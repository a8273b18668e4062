/* A line between two network namespaces, for kernels without netem: a round trip, a rate and a loss
 * of one's own choice below real TCP.
 *
 *   line RTT_MS BYTES_PER_S LOSS SEED CONGESTION SECONDS      as in: line 150 5e6 0.001 1 cubic 600
 *
 * Makes two namespaces with a TUN device each, and carries packets between them. 10.215.0.1 is the
 * far end, 10.215.0.2 the near end; both use the congestion control CONGESTION (-: the kernel's
 * own). Prints "READY FAR NEAR": what setns(2) and nsenter(1) --net take. Answers each line of its
 * input with a line of JSON that counts packets. It ends with its input, at the latest after
 * SECONDS; the namespaces end with it and with what runs in them.
 *
 * Both directions are alike. A packet is lost by chance (LOSS is a share of all). Others wait for
 * their turn at the rate, in a buffer of one round trip, SMALLEST_BUFFER at least; what finds it
 * full is dropped. Then a packet travels for half a round trip. Packets have 1500 bytes at most;
 * the devices neither split nor merge any.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define FAR "10.215.0.1"
#define NEAR "10.215.0.2"
#define SECOND 1000000000LL

enum {
	LONGEST = 1500,            /* bytes of a packet */
	SMALLEST_BUFFER = 64 << 10, /* of the narrowest line's router: 43 packets */
	QUEUE = 10000,             /* packets that the device keeps until they are taken */
	BREATH = 100000,           /* ns between two looks while packets are under way */
};

/* What lies in the pipe before the bytes of a packet; its size is a multiple of its alignment. */
struct packet {
	int64_t due; /* ns */
	size_t length;
};

/* One way of the line. A thread of its own uses it; others read the counts. */
struct way {
	int in, out;          /* devices */
	double rate, loss;    /* bytes a second; a share of all packets */
	int64_t delay;        /* ns */
	double buffer;        /* bytes that may wait for their turn */
	uint64_t chance;      /* the state of the generator */
	int64_t idle_from;    /* ns: when the last byte has left the buffer */
	char *pipe;           /* `size` bytes that are mapped twice, one behind the other */
	size_t size, head, tail;
	atomic_long taken, bytes, lost, dropped, delivered;
	atomic_long most; /* bytes that waited at once */
};

static void fail(const char *what) {
	fprintf(stderr, "line: %s: %s\n", what, strerror(errno));
	exit(71);
}

static int64_t now(void) {
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* A number in 0..<1: splitmix64. */
static double chance(struct way *way) {
	uint64_t word = way->chance += 0x9e3779b97f4a7c15u;
	word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
	word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
	return (double)((word ^ (word >> 31)) >> 11) / (double)(1ull << 53);
}

/* Memory in which a packet never wraps around: the same pages twice. */
static char *ring(size_t size) {
	int file = memfd_create("line", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, (off_t)size) != 0)
		fail("memory");
	char *whole = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (whole == MAP_FAILED)
		fail("memory");
	for (int half = 0; half < 2; half++)
		if (mmap(whole + (size_t)half * size, size, PROT_READ | PROT_WRITE,
		         MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
			fail("memory");
	close(file);
	return whole;
}

/* The fate of a packet of `length` bytes: when it arrives; 0 if it does not. */
static int64_t fate(struct way *way, size_t length, int64_t time) {
	if (way->loss > 0 && chance(way) < way->loss) {
		way->lost++;
		return 0;
	}
	int64_t turn = way->idle_from > time ? way->idle_from : time;
	double waiting = (double)(turn - time) / 1e9 * way->rate + (double)length;
	if (waiting > way->buffer) {
		way->dropped++;
		return 0;
	}
	if ((long)waiting > way->most)
		way->most = (long)waiting;
	way->idle_from = turn + (int64_t)((double)length / way->rate * 1e9);
	return way->idle_from + way->delay;
}

/* Takes what has come to the device. */
static void take(struct way *way) {
	int64_t time = now();
	while (way->tail + sizeof(struct packet) + 2 * LONGEST <= way->head + way->size) {
		struct packet *packet = (struct packet *)(way->pipe + way->tail % way->size);
		char *bytes = (char *)(packet + 1);
		ssize_t length = read(way->in, bytes, LONGEST);
		if (length <= 0)
			return;
		if (bytes[0] >> 4 != 4) /* the kernel talks IPv6 to any new device */
			continue;
		way->taken++;
		way->bytes += length;
		packet->length = (size_t)length;
		packet->due = fate(way, packet->length, time);
		if (packet->due)
			way->tail += (sizeof(struct packet) + packet->length + 15) & ~(size_t)15;
	}
}

static void deliver(struct way *way) {
	int64_t time = now();
	while (way->head < way->tail) {
		struct packet *packet = (struct packet *)(way->pipe + way->head % way->size);
		if (packet->due > time)
			return;
		if (write(way->out, packet + 1, packet->length) > 0)
			way->delivered++;
		way->head += (sizeof(struct packet) + packet->length + 15) & ~(size_t)15;
	}
}

/* Wakes up for the first packet at once, and then now and then: a fast line has 70,000 packets a
 * second. */
static void *carry(void *argument) {
	struct way *way = argument;
	struct timespec breath = {0, BREATH};
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		struct pollfd device = {way->in, POLLIN, 0};
		if (way->head < way->tail)
			nanosleep(&breath, NULL);
		else
			poll(&device, 1, -1);
		take(way);
		deliver(way);
	}
	return NULL;
}

static void request(int socket, unsigned long number, void *argument, const char *what) {
	if (ioctl(socket, number, argument) != 0)
		fail(what);
}

static void set_address(int socket, struct ifreq *asked, unsigned long number,
                        const char *address) {
	struct sockaddr_in name = {.sin_family = AF_INET};
	inet_pton(AF_INET, address, &name.sin_addr);
	memcpy(&asked->ifr_addr, &name, sizeof name);
	request(socket, number, asked, "address");
}

static void set_up(int socket, struct ifreq *asked) {
	request(socket, SIOCGIFFLAGS, asked, "flags");
	asked->ifr_flags |= IFF_UP;
	request(socket, SIOCSIFFLAGS, asked, "flags");
}

/* A new namespace, in which this thread is from now on, with its end of the line; its device. */
static int end_of_line(const char *address, const char *congestion, int *space) {
	if (unshare(CLONE_NEWNET) != 0)
		fail("no namespace");
	*space = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (*space < 0 || device < 0 || any < 0)
		fail("no TUN device");
	struct ifreq line = {.ifr_name = "line"}, loopback = {.ifr_name = "lo"};
	line.ifr_flags = IFF_TUN | IFF_NO_PI;
	request(device, TUNSETIFF, &line, "no TUN device");
	set_address(any, &line, SIOCSIFADDR, address);
	set_address(any, &line, SIOCSIFNETMASK, "255.255.255.252");
	line.ifr_mtu = LONGEST;
	request(any, SIOCSIFMTU, &line, "packet size");
	line.ifr_qlen = QUEUE;
	request(any, SIOCSIFTXQLEN, &line, "queue");
	set_up(any, &line);
	set_up(any, &loopback);
	close(any);
	/* The setting of a namespace may only be what the first one allows to everybody. */
	char command[160];
	snprintf(command, sizeof command,
	         "ip route replace 10.215.0.0/30 dev line src %s congctl %s", address, congestion);
	if (strcmp(congestion, "-") != 0 && system(command) != 0)
		exit(71);
	return device;
}

static void start(struct way *way, double rtt, double rate, double loss, uint64_t seed) {
	double buffer = rate * rtt;
	way->rate = rate;
	way->loss = loss;
	way->buffer = buffer > SMALLEST_BUFFER ? buffer : SMALLEST_BUFFER;
	/* Packets are looked at once in a breath, on either side. */
	way->delay = (int64_t)(rtt / 2 * 1e9) - BREATH;
	way->chance = seed;
	way->size = 1 << 20;
	/* Short packets take up to twice their length. */
	while ((double)way->size < 2 * (way->buffer + rate * rtt / 2))
		way->size *= 2;
	way->pipe = ring(way->size);
	pthread_t thread;
	if (pthread_create(&thread, NULL, carry, way) != 0)
		fail("thread");
}

static void print(const char *name, struct way *way, const char *end) {
	printf("\"%s\": {\"taken\": %ld, \"bytes\": %ld, \"lost\": %ld, \"dropped\": %ld, "
	       "\"delivered\": %ld, \"most\": %ld}%s",
	       name, way->taken, way->bytes, way->lost, way->dropped, way->delivered, way->most,
	       end);
}

int main(int count, char **words) {
	static struct way down, up;
	double numbers[7] = {0};
	for (int word = 1; word < count && count == 7; word++)
		numbers[word] = atof(words[word]);
	double rtt = numbers[1] / 1000, rate = numbers[2], loss = numbers[3];
	if (rtt < 0.001 || rate < 1000 || rate * rtt > 1e8 || loss < 0 || loss > 0.5 ||
	    numbers[6] < 1) {
		fprintf(stderr, "line RTT_MS BYTES_PER_S LOSS SEED CONGESTION SECONDS\n");
		return 64;
	}
	alarm((unsigned)numbers[6]);
	int far, near;
	setpriority(PRIO_PROCESS, 0, -15); /* where it may: what holds it up lengthens the line */
	down.in = up.out = end_of_line(FAR, words[5], &far);
	up.in = down.out = end_of_line(NEAR, words[5], &near);
	start(&down, rtt, rate, loss, (uint64_t)numbers[4]);
	start(&up, rtt, rate, loss, ~(uint64_t)numbers[4]);
	printf("READY /proc/%d/fd/%d /proc/%d/fd/%d\n", getpid(), far, getpid(), near);
	fflush(stdout);
	for (int byte; (byte = getchar()) != EOF;)
		if (byte == '\n') {
			putchar('{');
			print("down", &down, ", ");
			print("up", &up, "}\n");
			fflush(stdout);
		}
	return 0;
}
