import Control
package import FeedMount
import Glibc
package import Host
package import SystemPackage

/// A mount in a process of its own. It outlives the command that starts it.
///
/// The command starts its own program again as the daemon. The daemon gets its options over a pipe,
/// because every user can see arguments. It answers over another pipe: with an empty line if the
/// mount can be read, and otherwise with the error.
package enum Daemon {
  /// The argument that makes the program the daemon.
  private static let flag = "--handed-over"

  /// Starts the daemon from the process of a command. Returns when the mount answers, and commands
  /// can ask it.
  ///
  /// - Parameter options: makes the options. It is called while the daemon starts. If it throws,
  ///   the daemon ends first.
  package static func launch(
    at mountPoint: FilePath, _ options: () throws(CommandError) -> MountOptions
  ) throws(CommandError) {
    do {
      let order = try Pipe()
      let answer = try Pipe()
      var program = Program("/proc/self/exe", "mount", mountPoint.string, flag)
      program.name = "feedfs"
      program.input = order.readEnd
      program.output = answer.writeEnd
      program.errors = .standardError
      let process = try program.start()
      try order.readEnd.close()
      try answer.writeEnd.close()
      let made: MountOptions
      do throws(CommandError) {
        made = try options()
      } catch {
        try order.writeEnd.close()
        _ = Program.end(of: process)
        throw error
      }
      try order.writeEnd.writeAll(Wire.encode(made))
      try order.writeEnd.close()
      try understand(answer.readEnd.readAll(), log: made.logFile)
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.unavailable, "the daemon cannot be started: \(error)")
    }
  }

  /// If this process was started as a daemon, serves the mount, and ends the process when the mount
  /// is gone. Otherwise returns at once.
  ///
  /// - Parameter subscriptions: reads the subscriptions again, for a mount that follows them.
  package static func serveIfAsked(
    _ arguments: [String], subscriptions: @escaping Service.Subscribed
  ) async {
    guard arguments.count == 4, arguments[1] == "mount", arguments[3] == flag else { return }
    takeName()
    let answer = FileDescriptor.standardOutput
    do {
      let order = try FileDescriptor.standardInput.readAll()
      // The command ended, or failed to make the options.
      guard !order.isEmpty else { _exit(0) }
      let options = try Wire.decode(MountOptions.self, from: order)
      let log = try options.openLog()
      _ = try log.duplicate(as: .standardError)
      try log.close()
      _ = chdir("/")  // or the daemon would keep another file system busy
      try await Service.run(options, subscriptions: subscriptions, turnsLog: true) {
        // This must not come earlier. While an automount waits, only the process group that mounts
        // can access its directory.
        setsid()
        _ = try? answer.writeAll(Array("\n".utf8))
        detachFromPipes()
      }
      exit(0)
    } catch {
      let error =
        error as? CommandError
        ?? CommandError(.usage, "the daemon got no options from the command: \(error)")
      _ = try? answer.writeAll(Wire.encode(error))
      _exit(error.code.rawValue)
    }
  }

  /// Names this process `feedfs` for ps(1), pgrep(1) and the journal. Otherwise it would have the
  /// name of the link in /proc by which it was started.
  private static func takeName() {
    let name = try? FileDescriptor.open("/proc/self/comm", .writeOnly, options: .closeOnExec)
    _ = try? name?.closeAfter { try name?.writeAll(Array("feedfs".utf8)) }
  }

  private static func understand(_ answer: [UInt8], log: FilePath) throws(CommandError) {
    if answer == Array("\n".utf8) { return }
    if let error = try? Wire.decode(CommandError.self, from: answer) { throw error }
    throw CommandError(.unavailable, "the daemon ended unexpectedly; see its log \(log)")
  }

  private static func detachFromPipes() {
    guard let null = try? FileDescriptor.open("/dev/null", .readWrite) else { return }
    _ = try? null.duplicate(as: .standardInput)
    _ = try? null.duplicate(as: .standardOutput)
    try? null.close()
  }
}
