#pragma once
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
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

/* GNU extensions that are hidden from Swift. */
static inline int feedfs_pipe2(int ends[2], int flags) {
	return (int)syscall(SYS_pipe2, ends, flags);
}
#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif
static const short feedfs_spawn_setsid = POSIX_SPAWN_SETSID;
