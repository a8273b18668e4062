#pragma once
#define FUSE_USE_VERSION FUSE_MAKE_VERSION(3, 14)
#include <fuse_lowlevel.h>
#include <fuse_opt.h>

/* What Swift cannot import: macros, and functions that are macros for the sake of versions. */
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
