#pragma once
#include <linux/falloc.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/stat.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* pidfd_open(2) and pidfd_send_signal(2): glibc has names for them only since 2.36. */
static inline int feedfs_pidfd_open(int process) {
	return (int)syscall(SYS_pidfd_open, process, 0);
}

static inline int feedfs_pidfd_send_signal(int process, int signal) {
	return (int)syscall(SYS_pidfd_send_signal, process, signal, NULL, 0);
}

/* Reads the size of a terminal (ioctl_tty(2)). Swift cannot call ioctl, because it is variadic. */
static inline int feedfs_terminal_size(int terminal, int *columns, int *lines) {
	struct winsize size;
	if (ioctl(terminal, TIOCGWINSZ, &size) != 0) return -1;
	*columns = size.ws_col;
	*lines = size.ws_row;
	return 0;
}

/* Set and read the limit of open files (prlimit(2)). Process 0 is this process. Both make the system call
   themselves, because glibc's prlimit is a GNU extension, and its RLIMIT_NOFILE is an enumeration. */
static inline int feedfs_set_descriptor_limit(int process, const struct rlimit *limit) {
	return (int)syscall(SYS_prlimit64, process, 7, limit, NULL);
}
static inline int feedfs_descriptor_limit(struct rlimit *limit) {
	return (int)syscall(SYS_prlimit64, 0, 7, NULL, limit);
}

/* Gives pages of memory back to the kernel (madvise(2)). `start` is a number and no pointer, because it
   comes from proc_pid_maps(5). */
static inline int feedfs_give_back(unsigned long start, size_t count) {
	return madvise((void *)start, count, MADV_DONTNEED);
}

/* The first makes malloc give blocks of 1 MiB or more back to the kernel when they are freed, even after a
   larger block was freed (mallopt(3)). The second gives back all other freed memory (malloc_trim(3)). */
static inline void feedfs_hoard_nothing(void) {
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
	mallopt(M_ARENA_MAX, 4);
}
static inline void feedfs_give_back_freed(void) {
	malloc_trim(0);
}

/* Makes the kernel kill this process when the thread that started it ends (prctl(2)). Swift cannot call
   prctl, because it is variadic. */
static inline void feedfs_end_with_parent(void) {
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* pipe2(2) and fallocate(2). glibc's own functions are GNU extensions, which Swift does not see. */
static inline int feedfs_pipe2(int ends[2], int flags) {
	return (int)syscall(SYS_pipe2, ends, flags);
}
static inline int feedfs_fallocate(int file, int mode, off_t start, off_t count) {
	return (int)syscall(SYS_fallocate, file, mode, start, count);
}

/* Reads inode, size and change time of a file as the kernel has them in memory, without asking the server
   of a network file system (statx(2)). `changed` is in nanoseconds since 1970. Returns -1 on failure. */
static inline int feedfs_glance(int file, unsigned long long *inode, long long *size, long long *changed) {
	struct statx found;
	const int at_empty_path = 0x1000, at_statx_dont_sync = 0x4000;
	if (syscall(SYS_statx, file, "", at_empty_path | at_statx_dont_sync,
			STATX_INO | STATX_SIZE | STATX_CTIME, &found) != 0) return -1;
	*inode = found.stx_ino;
	*size = (long long)found.stx_size;
	*changed = found.stx_ctime.tv_sec * 1000000000LL + found.stx_ctime.tv_nsec;
	return 0;
}
static const int feedfs_punch_hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

/* Opens a socket that receives the changes of links, addresses and routes (rtnetlink(7)). Returns -1 and
   sets errno on failure. */
static inline int feedfs_network_changes(void) {
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE
			| RTMGRP_IPV6_ROUTE,
	};
	int found = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	if (found >= 0 && bind(found, (struct sockaddr *)&address, sizeof(address)) != 0) {
		close(found);
		return -1;
	}
	return found;
}

/* Values that glibc's headers leave out without _GNU_SOURCE. */
#ifndef F_SETSIG
#define F_SETSIG 10
#endif
#ifndef F_SETLEASE
#define F_SETLEASE 1024
#endif
static const int feedfs_setsig = F_SETSIG;
static const int feedfs_setlease = F_SETLEASE;
#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif
static const short feedfs_spawn_setsid = POSIX_SPAWN_SETSID;
