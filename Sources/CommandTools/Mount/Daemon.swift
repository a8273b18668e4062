import Control
package import FeedMount
import FoundationEssentials
import Glibc
package import Host
import SystemPackage

/// A mount in a process of its own. It outlives the command that starts it.
///
/// The program runs itself again. The daemon gets its options over a pipe, because every user can
/// see arguments. It answers over another pipe. An empty line says that the mount can be read. Any
/// other answer is the error.
package enum Daemon {
  /// Starts the daemon. Returns when the mount answers. Runs in the command.
  package static func launch(_ options: MountOptions) throws(MountError) {
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

  /// Serves the mount. Returns when the mount is gone. Runs in the daemon.
  package static func serve() async throws {
    let answer = FileDescriptor.standardOutput
    do {
      let options = try Wire.decode(
        MountOptions.self, from: FileDescriptor.standardInput.readAll())
      _ = chdir("/")  // or the daemon would keep another file system busy
      try await Service.run(options) {
        // This must not come earlier. An automount lets only the process group of the mounting
        // process pass.
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
    throw MountError(.unavailable, "the daemon ended unexpectedly; its log is \(log)")
  }

  private static func detachFromPipes() {
    guard let null = try? FileDescriptor.open("/dev/null", .readWrite) else { return }
    _ = try? null.duplicate(as: .standardInput)
    _ = try? null.duplicate(as: .standardOutput)
    try? null.close()
  }
}
