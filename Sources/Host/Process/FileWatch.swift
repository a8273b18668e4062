import CLinux
import Glibc
package import SystemPackage

/// Reports when a file is written, replaced or removed (inotify(7)). If the file is a link, its target
/// is watched too.
///
/// Safe from any thread. Changes that another computer makes in a network file system go unseen.
package final class FileWatch: Sendable {
  /// The wait after a first change, so that several steps of one change are reported once. An
  /// editor, for example, writes a new file and then replaces the old file with it.
  private static let settling: Int32 = 100  // milliseconds

  private let path: FilePath
  private let changes = ChangeWatch()

  /// - Parameter path: the absolute path of the file.
  package init(_ path: FilePath) {
    self.path = path
  }

  /// Starts to watch. Call it once. Every change after this call is reported. If the kernel
  /// refuses, `changed` is never called.
  ///
  /// - Parameter changed: called on a queue of the watch's own, a moment after a change.
  package func begin(_ changed: @escaping @Sendable () -> Void) {
    let first = watch()
    let hasBegun = changes.begin("feedfs.files") { [weak self] ends in
      var watch = first
      while ChangeWatch.hears([watch], until: ends, settling: Self.settling), let self {
        // The path may lead to another file now, so the watch is made anew.
        let next = self.watch()
        close(watch)
        watch = next
        changed()
      }
      if watch >= 0 { close(watch) }
    }
    if !hasBegun, first >= 0 { close(first) }
  }

  /// Ends the watch. A call of `changed` that is under way still finishes.
  package func end() { changes.end() }

  /// Watches the folder of the file and, if the file is a link, the folder of its target. Returns
  /// the descriptor of the watch, or -1 if the kernel refuses.
  private func watch() -> Int32 {
    FileChanges.watch([path.string])
  }
}

/// Watches files for changes, by inotify(7).
enum FileChanges {
  /// Watches the folders of these files and, if a file is a link, the folder of its target. Returns
  /// a descriptor that becomes readable after a change, or -1 if the kernel refuses.
  static func watch(_ files: [String]) -> Int32 {
    let watch = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard watch >= 0 else { return -1 }
    let all = files.flatMap { file -> [String] in
      let target = realpath(file, nil)
      defer { free(target) }
      return [file] + (target.map { [String(cString: $0)] } ?? [])
    }
    for folder in Set(all.map { String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.startIndex)) }) {
      inotify_add_watch(
        watch, folder, UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE))
    }
    return watch
  }
}
