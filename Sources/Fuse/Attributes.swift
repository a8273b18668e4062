import Glibc

/// The attributes of a file, directory or link, for `stat`.
package struct Attributes: Sendable {
  package enum Kind: Sendable {
    case directory, file, link
  }

  package let inode: NodeID
  package let kind: Kind
  /// The size of the content in bytes.
  package let size: Int
  /// The size on the disk in bytes. `stat` shows it as `st_blocks`.
  package let storedBytes: Int
  /// The time of the last change, in seconds since 1970.
  package let modified: Int
  /// The time for which the kernel is allowed to trust these attributes.
  package let validity: Duration
  /// True if the kernel can read another file instead of this one
  /// (`OpenReply.Caching.passthrough`). It is true only while the name stands for this version.
  package let passesThrough: Bool
  /// True when the size is not proved, because the feed only claims it or it is unknown. The size
  /// can change when the file is opened.
  package let isClaim: Bool

  package init(
    inode: NodeID, kind: Kind, size: Int, storedBytes: Int, modified: Int, validity: Duration,
    passesThrough: Bool = false, isClaim: Bool = false
  ) {
    self.inode = inode
    self.kind = kind
    self.size = size
    self.storedBytes = storedBytes
    self.modified = modified
    self.validity = validity
    self.passesThrough = passesThrough
    self.isClaim = isClaim
  }

  /// The size on the disk in units of 512 bytes, as `stat` counts it. It is never 0 for a file with
  /// content. Programs that keep holes (`tar -S`) would take a file with 0 blocks for one hole, and
  /// write zeros in its place.
  var blocks: Int {
    let least = kind == .file && size > 0 ? 1 : 0
    return max(least, (storedBytes + 511) / 512)
  }
}

/// A name in a directory, and the file behind it.
package struct DirectoryItem: Sendable {
  package let name: String
  package let attributes: Attributes
  /// The permanent place of the name in the directory, greater than zero. A listing in several
  /// steps goes on after this place, even if names have come or gone in between.
  package let cookie: Int

  package init(name: String, attributes: Attributes, cookie: Int) {
    self.name = name
    self.attributes = attributes
    self.cookie = cookie
  }
}

/// The figures of the whole mount, for `statfs`.
package struct Statistics: Sendable {
  package let files: Int
  /// The sum of the known sizes of all files, in bytes.
  package let bytes: Int

  package init(files: Int, bytes: Int) {
    self.files = files
    self.bytes = bytes
  }
}

extension stat {
  /// Creates the `stat` of `attributes`. `owner` and `group` own everything in the mount.
  init(_ attributes: Attributes, owner: uid_t, group: gid_t) {
    self.init()
    st_ino = UInt(attributes.inode.number)
    switch attributes.kind {
    case .directory: st_mode = S_IFDIR | 0o555
    case .file: st_mode = S_IFREG | 0o444
    case .link: st_mode = S_IFLNK | 0o777
    }
    st_nlink = attributes.kind == .directory ? 2 : 1
    st_uid = owner
    st_gid = group
    st_size = attributes.size
    st_blksize = 128 << 10  // bytes; one read-ahead window of the kernel
    st_blocks = attributes.blocks
    st_mtim.tv_sec = attributes.modified
    st_ctim = st_mtim
    st_atim = st_mtim
  }
}
