import Control
import FoundationEssentials
import Glibc
import Host
import SystemPackage

/// Finds the processes that have a file open, as far as the kernel shows them to this user
/// (proc(5)).
///
/// It never accesses the file itself, because the file may be in a mount that does not answer.
enum OpenFiles {
  /// Returns the processes that have the file at `path` open, sorted by number. Leaves out this
  /// process.
  static func holders(of path: FilePath) -> [ProcessStatus] {
    let own = getpid()
    // The kernel forgets a file's name when the daemon says that the name has changed. Then it
    // shows an open file with that name as deleted.
    let targets = [path.string, path.string + " (deleted)"]
    return numbers(in: "/proc").filter { $0 != own }.sorted().compactMap { process in
      let count = numbers(in: "/proc/\(process)/fd").count { descriptor in
        let target = Directories.target(of: FilePath("/proc/\(process)/fd/\(descriptor)"))
        return target.map { targets.contains($0.string) } ?? false
      }
      guard count > 0 else { return nil }
      return ProcessStatus(pid: Int(process), program: program(of: process), descriptors: count)
    }
  }

  private static func numbers(in folder: String) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { Int32($0) }
  }

  private static func program(of process: Int32) -> String {
    let file = try? FileDescriptor.open(
      "/proc/\(process)/comm", .readOnly, options: .closeOnExec)
    let name = try? file?.closeAfter { try file?.readAll() }
    return String(decoding: name ?? [], as: UTF8.self).split(separator: "\n").first.map(String.init)
      ?? ""
  }
}
