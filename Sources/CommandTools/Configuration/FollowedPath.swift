import Host
import SystemPackage

/// A path without symbolic links down to a mount, as the kernel's table of mounts writes it.
///
/// Links are followed from the root on, and only down to a mount of feeds. A mount may not answer,
/// so nothing inside it is looked up.
struct FollowedPath {
  /// The limit for the links in a path, as in path_resolution(7).
  private static let maxLinks = 40

  let path: FilePath

  /// - Parameters:
  ///   - typed: an absolute path.
  ///   - mounts: the paths of mounts. Nothing below them is looked up.
  ///   - target: returns the target of a symbolic link; nil if the path is no link.
  init(_ typed: FilePath, mounts: Set<FilePath>, target: (FilePath) -> FilePath?) {
    var followed = FilePath("/")
    var rest = Array(typed.components)
    var links = 0
    while !rest.isEmpty, !mounts.contains(followed) {
      let component = rest.removeFirst()
      guard component.kind != .parentDirectory else {
        followed.removeLastComponent()
        continue
      }
      let next = followed.appending(component)
      guard links < Self.maxLinks, !mounts.contains(next), let target = target(next) else {
        followed = next
        continue
      }
      links += 1
      rest = Array(target.components) + rest
      if target.isAbsolute { followed = FilePath("/") }
    }
    path = rest.reduce(followed) { $0.appending($1) }.lexicallyNormalized()
  }

  /// Follows the links of the file system down to the mounts of this namespace. An automount point
  /// counts as a mount, because an access to it can block until something is mounted there.
  init(_ typed: FilePath) {
    let mounts = MountTable.own.entries.filter { $0.isFeed || $0.type == "autofs" }.map(\.path)
    self.init(typed, mounts: Set(mounts)) { Directories.target(of: $0) }
  }
}
