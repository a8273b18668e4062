/* How fast a file is read at random: in C, since what the interpreter adds to each read would hide
 * most of the difference between two file systems.
 *
 *   random-reads FILE COUNT     reads 4 KiB at COUNT places, and prints bytes a second
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 4096 };

static double now(void) {
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **words) {
	static char buffer[SIZE];
	struct stat status;
	uint64_t place = 88172645463325252u; /* xorshift64: the same places in each run */
	int file = count == 3 ? open(words[1], O_RDONLY) : -1;
	long reads = count == 3 ? atol(words[2]) : 0;
	if (file < 0 || fstat(file, &status) != 0 || status.st_size < SIZE || reads < 1)
		return 64;
	double start = now();
	for (long read = 0; read < reads; read++) {
		place ^= place << 13;
		place ^= place >> 7;
		place ^= place << 17;
		off_t offset = (off_t)(place % (uint64_t)(status.st_size / SIZE)) * SIZE;
		if (pread(file, buffer, SIZE, offset) != SIZE)
			return 74;
	}
	printf("%.0f\n", (double)reads * SIZE / (now() - start));
	return 0;
}
