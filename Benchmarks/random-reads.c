/* How fast a file is read at random: in C, since what the interpreter adds to each read would hide
 * most of the difference between two file systems.
 *
 *   random-reads FILE COUNT [THREADS]     reads 4 KiB at COUNT places, and prints bytes a second
 *
 * Several threads each read COUNT places, by one descriptor. What they read together is printed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 4096, MOST = 64 };

static int file;
static long reads;
static off_t blocks;

static double now(void) {
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The same places in each run, others in each thread (xorshift64). */
static void *run(void *number) {
	char buffer[SIZE];
	uint64_t place = 88172645463325252u ^ (uintptr_t)number << 32;
	for (long read = 0; read < reads; read++) {
		place ^= place << 13;
		place ^= place >> 7;
		place ^= place << 17;
		off_t offset = (off_t)(place % (uint64_t)blocks) * SIZE;
		if (pread(file, buffer, SIZE, offset) != SIZE)
			return &file;
	}
	return NULL;
}

int main(int count, char **words) {
	struct stat status;
	pthread_t threads[MOST];
	long used = count == 4 ? atol(words[3]) : 1;
	void *failed = NULL;
	file = count == 3 || count == 4 ? open(words[1], O_RDONLY) : -1;
	reads = count >= 3 ? atol(words[2]) : 0;
	if (file < 0 || fstat(file, &status) != 0 || status.st_size < SIZE || reads < 1 || used < 1 ||
		used > MOST)
		return 64;
	blocks = status.st_size / SIZE;
	double start = now();
	for (long thread = 1; thread < used; thread++)
		if (pthread_create(&threads[thread], NULL, run, (void *)thread) != 0)
			return 71;
	failed = run(NULL);
	for (long thread = 1; thread < used; thread++) {
		void *outcome;
		pthread_join(threads[thread], &outcome);
		failed = failed ? failed : outcome;
	}
	if (failed)
		return 74;
	printf("%.0f\n", (double)used * (double)reads * SIZE / (now() - start));
	return 0;
}
