/* What a daemon reaches that does nothing but pread and fuse_reply_buf: the measure for cached reads.
 *
 *   pread-loop MOUNTPOINT FILE                   serves FILE as MOUNTPOINT/file until it is unmounted
 *   pread-loop MOUNTPOINT FILE passthrough       lets the kernel read FILE by itself; needs root
 *
 * The second shows what the kernel's own code around a file costs, whichever daemon asks for it.
 */
#define FUSE_USE_VERSION FUSE_MAKE_VERSION(3, 14)
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FILE_INODE = 2 };
static int data;
static off_t length;
static struct fuse_session *session;

/* Passthrough (Linux 6.9), which libfuse does not know before 3.17. */
static int passes_through, was_greeted, backing;
struct backing_map {
	int32_t file;
	uint32_t flags;
	uint64_t padding;
};
struct open_answer {
	uint64_t handle;
	uint32_t flags;
	int32_t backing;
};

static ssize_t receive(int device, void *buffer, size_t size, void *data_of_user) {
	(void)data_of_user;
	return read(device, buffer, size);
}

/* The first answer is that to INIT: FUSE_INIT_EXT in flags, FUSE_PASSTHROUGH in flags2. */
static ssize_t answer(int device, struct iovec *parts, int count, void *data_of_user) {
	(void)data_of_user;
	if (!was_greeted && count == 2 && parts[1].iov_len == 64) {
		uint32_t *words = parts[1].iov_base;
		words[3] |= 1u << 30;
		words[8] |= 1u << 5;
		words[9] = 1; /* max_stack_depth */
	}
	was_greeted = 1;
	return writev(device, parts, count);
}

static int describe(fuse_ino_t inode, struct stat *status) {
	memset(status, 0, sizeof *status);
	status->st_ino = inode;
	status->st_nlink = 1;
	status->st_mode = inode == FUSE_ROOT_ID ? S_IFDIR | 0555 : S_IFREG | 0444;
	status->st_size = inode == FILE_INODE ? length : 0;
	return inode == FUSE_ROOT_ID || inode == FILE_INODE ? 0 : ENOENT;
}

static void lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
	struct fuse_entry_param entry = {.ino = FILE_INODE, .attr_timeout = 60, .entry_timeout = 60};
	(void)parent;
	if (strcmp(name, "file") != 0) {
		fuse_reply_err(request, ENOENT);
		return;
	}
	describe(FILE_INODE, &entry.attr);
	fuse_reply_entry(request, &entry);
}

static void attributes(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info) {
	struct stat status;
	(void)info;
	if (describe(inode, &status) != 0)
		fuse_reply_err(request, ENOENT);
	else
		fuse_reply_attr(request, &status, 60);
}

static void open_file(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info) {
	(void)inode;
	if (passes_through) {
		struct backing_map map = {.file = data};
		int device = fuse_session_fd(session);
		if (backing == 0)
			backing = ioctl(device, _IOW(229, 1, struct backing_map), &map);
		struct open_answer opened = {.flags = 1 << 7, .backing = backing};
		if (backing > 0)
			fuse_reply_buf(request, (char *)&opened, sizeof opened);
		else
			fuse_reply_err(request, EPERM);
		return;
	}
	info->keep_cache = 1;
	fuse_reply_open(request, info);
}

static void read_file(
	fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, struct fuse_file_info *info) {
	char *buffer = malloc(size);
	ssize_t count = pread(data, buffer, size, offset);
	(void)inode;
	(void)info;
	if (count < 0)
		fuse_reply_err(request, errno);
	else
		fuse_reply_buf(request, buffer, (size_t)count);
	free(buffer);
}

int main(int count, char **words) {
	struct fuse_lowlevel_ops operations = {
		.lookup = lookup, .getattr = attributes, .open = open_file, .read = read_file};
	char *arguments[] = {"pread-loop", "-o", "ro,fsname=pread-loop"};
	struct fuse_args args = FUSE_ARGS_INIT(3, arguments);
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	struct fuse_custom_io io = {.read = receive, .writev = answer};
	passes_through = count == 4 && strcmp(words[3], "passthrough") == 0;
	if ((count != 3 && !passes_through) || (data = open(words[2], O_RDONLY)) < 0)
		return 64;
	length = lseek(data, 0, SEEK_END);
	session = fuse_session_new(&args, &operations, sizeof operations, NULL);
	if (session == NULL || fuse_session_mount(session, words[1]) != 0)
		return 69;
	if (passes_through)
		fuse_session_custom_io(session, &io, fuse_session_fd(session));
	fuse_loop_cfg_set_max_threads(config, 4);
	fuse_session_loop_mt(session, config);
	fuse_session_unmount(session);
	return 0;
}
