import FoundationEssentials
package import Host

/// The feeds and the directory among the arguments of `feedfs mount`, in any order.
///
/// mount(8), sshfs and rclone expect the source before the directory, and feedfs accepts that. It
/// also accepts the directory alone, if each feed is given by `--feed`.
package struct MountPlaces: Equatable {
  package let directory: String
  /// The feeds among the arguments, without those of `--feed`. Can be empty.
  package let feeds: [String]

  /// - Parameter isDirectory: returns whether there is a directory at a path.
  /// - Throws: if it is not clear which argument is the directory.
  package init(
    _ places: [String], isDirectory: (String) -> Bool = Self.isDirectory
  ) throws(CommandError) {
    let urls = places.filter(Self.isURL)
    let others = places.filter { !Self.isURL($0) }
    switch (urls.count, others.count) {
    case (_, 1): (directory, feeds) = (others[0], urls)
    case (_, 0):
      throw CommandError(
        .usage,
        "no directory is given; `feedfs mount URL DIRECTORY` mounts a feed, see `feedfs help mount`"
      )
    case (0, 2):
      // One of the two is the directory. The other one is a file with a feed, or an address without
      // a scheme.
      let number = isDirectory(others[0]) && !isDirectory(others[1]) ? 0 : 1
      (directory, feeds) = (others[number], [others[1 - number]])
    default:
      throw CommandError(
        .usage,
        "\(others.joined(separator: " and ")) could each be the directory of the mount; give one directory, and each"
          + " feed as a URL or by --feed")
    }
    guard !directory.isEmpty else {
      throw CommandError(
        .usage, "the name of the directory is empty; `feedfs mount URL DIRECTORY` mounts a feed")
    }
    if let feed = feeds.first(where: isDirectory) {
      throw CommandError(
        .usage, "\(feed) is a directory, and not a feed; `feedfs mount URL DIRECTORY` mounts a feed"
      )
    }
  }

  private static func isURL(_ text: String) -> Bool { text.contains("://") }

  package static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }
}
