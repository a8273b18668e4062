/// The inodes of a mounted feed that no entry ever has.
package enum ReservedInode {
  /// The root of the mount, as the kernel has it.
  package static let root: UInt64 = 1
  package static let control: UInt64 = 2  // .feedfs
  package static let status: UInt64 = 3  // .feedfs/status.json
  package static let playlist: UInt64 = 4  // playlist.m3u8
  package static let titles: UInt64 = 5  // by-title
  package static let listing: UInt64 = 6  // .feedfs/feed.json

  /// Where the inodes of entries begin; what lies below is kept free for files yet to come.
  package static let firstOfEntries: UInt64 = 16
}
