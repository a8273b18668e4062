import Glibc
import TestSupport

/// The file of a disk for a loop device, which `Tests/Disk/disk.py` serves in a mount of its own.
final class DiskServer: Sendable {
  static let isThere =
    getuid() == 0 && access("/dev/loop-control", F_OK) == 0 && canMount && isInstalled("python3")

  let process: ChildProcess
  private let folder: String

  /// - Parameter seed: the seed of the disk's cache; nil: the disk has no cache.
  init(at folder: String, bytes: Int, seed: Int? = nil) throws {
    self.folder = folder
    mkdir(folder, 0o700)
    let program = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    process = try ChildProcess(
      ["python3", program + "/Disk/disk.py", folder, "\(bytes)"] + (seed.map { ["\($0)"] } ?? []),
      keepsInputOpen: true)
    guard process.output.wait(timeout: .seconds(20), until: { $0.contains("ready") }) else {
      throw TestToolError("no disk: \(process.errors.text)")
    }
  }

  var file: String { folder + "/disk" }

  /// Sends a signal, and waits until the disk has said `word` once more.
  func tell(_ signal: Int32, until word: String) throws {
    func said(_ text: String) -> Int { text.split(separator: "\n").count { $0 == word } }
    let before = said(process.output.text)
    process.signal(signal)
    let isSaid = process.output.wait(timeout: .seconds(20)) { said($0) > before }
    guard isSaid else { throw TestToolError("not \(word): \(process.errors.text)") }
  }

  /// Ends the disk. The file system on it must have been unmounted.
  func end() {
    umount2(folder, Int32(MNT_DETACH))
    process.closeInput()
    _ = process.wait(timeout: .seconds(10))
    rmdir(folder)
  }
}
