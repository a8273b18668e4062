import Control
import FeedMount
import FoundationEssentials
import Glibc
import SystemPackage

/// A mount in a process of its own, which outlives the command that starts it.
///
/// The program runs itself again; options go to it over a pipe, since arguments can be seen by
/// everybody, and it answers over another one: with an empty line once the mount can be read, or with
/// what went wrong.
enum Daemon {
  /// In the command: returns when the mount answers.
  static func launch(_ options: MountOptions) throws(MountError) {
    do {
      let order = try Pipe()
      let answer = try Pipe()
      let log = try options.openLog()
      var program = Program("/proc/self/exe", "mount", options.mountPoint.string, "--handed-over")
      program.input = order.readEnd
      program.output = answer.writeEnd
      program.errors = log
      _ = try program.start()
      try order.readEnd.close()
      try answer.writeEnd.close()
      try log.close()
      try order.writeEnd.writeAll(Wire.encode(options))
      try order.writeEnd.close()
      try understand(answer.readEnd.readAll(), log: options.logFile)
    } catch let error as MountError {
      throw error
    } catch {
      throw MountError(.unavailable, "the daemon cannot be started: \(error)")
    }
  }

  /// In the daemon: returns when the mount is gone.
  static func serve() async throws {
    let answer = FileDescriptor.standardOutput
    do {
      let options = try Wire.decode(
        MountOptions.self, from: FileDescriptor.standardInput.readAll())
      _ = chdir("/")  // or the daemon would keep another file system busy
      try await Service.run(options) {
        // Not before: an automount lets nobody pass but the group of those who mount.
        setsid()
        _ = try? answer.writeAll(Array("\n".utf8))
        detachFromPipes()
      }
    } catch {
      let error = error as? MountError ?? MountError(.usage, "no options came: \(error)")
      _ = try? answer.writeAll(Wire.encode(error))
      _exit(error.code.rawValue)
    }
  }

  private static func understand(_ answer: [UInt8], log: FilePath) throws(MountError) {
    if answer == Array("\n".utf8) { return }
    if let error = try? Wire.decode(MountError.self, from: answer) { throw error }
    throw MountError(.unavailable, "the daemon ended without a word; its log is \(log)")
  }

  private static func detachFromPipes() {
    guard let null = try? FileDescriptor.open("/dev/null", .readWrite) else { return }
    _ = try? null.duplicate(as: .standardInput)
    _ = try? null.duplicate(as: .standardOutput)
    try? null.close()
  }
}
