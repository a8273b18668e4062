#pragma once
#define FUSE_USE_VERSION FUSE_MAKE_VERSION(3, 14)
#include <fuse_lowlevel.h>
#include <fuse_opt.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* Functions of libfuse that Swift cannot import, because they are macros or need macros. libfuse makes
   some functions macros to tell its versions apart. */
static inline struct fuse_session *feedfs_session_new(
	int count, char **arguments, const struct fuse_lowlevel_ops *operations, void *userdata) {
	struct fuse_args args = FUSE_ARGS_INIT(count, arguments);
	struct fuse_session *session =
		fuse_session_new(&args, operations, sizeof(*operations), userdata);
	fuse_opt_free_args(&args);
	return session;
}

static inline int feedfs_session_loop_mt(
	struct fuse_session *session, struct fuse_loop_config *config) {
	return fuse_session_loop_mt(session, config);
}

static inline int feedfs_session_custom_io(
	struct fuse_session *session, const struct fuse_custom_io *io, int device) {
	return fuse_session_custom_io(session, io, device);
}

/* Stores a byte in the kernel's pages of `node`. Swift cannot do that, because a macro makes the vector. */
static inline int feedfs_store_byte(
	struct fuse_session *session, fuse_ino_t node, off_t place, uint8_t byte) {
	struct fuse_bufvec bytes = FUSE_BUFVEC_INIT(1);
	bytes.buf[0].mem = &byte;
	return fuse_lowlevel_notify_store(
		session, node, place, &bytes, (enum fuse_buf_copy_flags)0);
}

/* FUSE_DEV_IOC_BACKING_OPEN and _CLOSE. <linux/fuse.h> has them only since Linux 6.9, so they are declared
   here. */
struct feedfs_backing_map {
	int32_t fd;
	uint32_t flags;
	uint64_t padding;
};

static inline int feedfs_backing_open(int device, int file) {
	struct feedfs_backing_map map = {.fd = file};
	return ioctl(device, _IOW(229, 1, struct feedfs_backing_map), &map);
}

static inline int feedfs_backing_close(int device, uint32_t backing) {
	return ioctl(device, _IOW(229, 2, uint32_t), &backing);
}

/* The kernel's fuse_open_out. Before version 3.17, fuse_reply_open of libfuse leaves its last field empty. */
struct feedfs_open_out {
	uint64_t fh;
	uint32_t open_flags;
	int32_t backing_id;
};

/* FOPEN_PASSTHROUGH and FOPEN_NOFLUSH */
static const uint32_t feedfs_fopen_passthrough = 1 << 7;
static const uint32_t feedfs_fopen_noflush = 1 << 5;
