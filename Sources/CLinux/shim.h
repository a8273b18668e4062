#pragma once
#include <linux/falloc.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

/* madvise(2), of memory that is known by numbers: proc_pid_maps(5) has no pointers. */
static inline int feedfs_give_back(unsigned long start, size_t count) {
	return madvise((void *)start, count, MADV_DONTNEED);
}

/* GNU extensions that are hidden from Swift. */
static inline int feedfs_pipe2(int ends[2], int flags) {
	return (int)syscall(SYS_pipe2, ends, flags);
}
static inline int feedfs_fallocate(int file, int mode, off_t start, off_t count) {
	return (int)syscall(SYS_fallocate, file, mode, start, count);
}
static const int feedfs_punch_hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

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
