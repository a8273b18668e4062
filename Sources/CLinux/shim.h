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

/* ioctl_tty(2), which is variadic: the size of a terminal. */
static inline int feedfs_terminal_size(int terminal, int *columns, int *lines) {
	struct winsize size;
	if (ioctl(terminal, TIOCGWINSZ, &size) != 0) return -1;
	*columns = size.ws_col;
	*lines = size.ws_row;
	return 0;
}

/* prlimit(2), of the number of open files; process 0 is this one. The kernel's own call: what glibc has is a
   GNU extension, and its RLIMIT_NOFILE an enumeration. */
static inline int feedfs_set_descriptor_limit(int process, const struct rlimit *limit) {
	return (int)syscall(SYS_prlimit64, process, 7, limit, NULL);
}
static inline int feedfs_descriptor_limit(struct rlimit *limit) {
	return (int)syscall(SYS_prlimit64, 0, 7, NULL, limit);
}

/* madvise(2), of memory that is known by numbers: proc_pid_maps(5) has no pointers. */
static inline int feedfs_give_back(unsigned long start, size_t count) {
	return madvise((void *)start, count, MADV_DONTNEED);
}

/* mallopt(3), malloc_trim(3): large blocks go back to the kernel when they are freed, also after larger
   ones were; the others when they are asked for. */
static inline void feedfs_hoard_nothing(void) {
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
	mallopt(M_ARENA_MAX, 4);
}
static inline void feedfs_give_back_freed(void) {
	malloc_trim(0);
}

/* prctl(2), which is variadic: SIGKILL when the thread that started this process ends. */
static inline void feedfs_end_with_parent(void) {
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* GNU extensions that are hidden from Swift. */
static inline int feedfs_pipe2(int ends[2], int flags) {
	return (int)syscall(SYS_pipe2, ends, flags);
}
static inline int feedfs_fallocate(int file, int mode, off_t start, off_t count) {
	return (int)syscall(SYS_fallocate, file, mode, start, count);
}

/* statx(2): inode, size and change time as the kernel has them in memory, without a question to a server.
   Nanoseconds since 1970. */
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

/* rtnetlink(7): a socket that hears of changes to links, addresses and routes; -1 and errno. */
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

/* linux/fcntl.h: what glibc's own header has is left out without _GNU_SOURCE. */
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
