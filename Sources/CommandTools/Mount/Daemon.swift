import Control
package import FeedMount
import Glibc
package import Host
package import SystemPackage

/// Runs a mount in a process of its own, which outlives the command that starts it.
///
/// The command starts its own program again as the daemon. The daemon gets its options through a
/// pipe, because every user can see the arguments of a process. It answers through another pipe:
/// with an empty line when the mount can be read, or with an error.
package enum Daemon {
  /// The argument that tells the program to run as the daemon.
  private static let flag = "--handed-over"

  /// Starts the daemon from the process of a command. Returns when the mount can be read, and
  /// commands can send it requests.
  ///
  /// - Parameter options: makes the options. It is called while the daemon process starts. If it
  ///   throws, this ends the daemon and throws the same error.
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

  /// If this process was started as a daemon, serves the mount, and exits when the mount is gone.
  /// Otherwise returns at once.
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
      // Without options there is nothing to serve: the command ended, or could not make them.
      guard !order.isEmpty else { _exit(0) }
      let options = try Wire.decode(MountOptions.self, from: order)
      let log = try options.openLog()
      _ = try log.duplicate(as: .standardError)
      try log.close()
      _ = chdir("/")  // otherwise the daemon would keep another file system busy
      try await Service.run(options, subscriptions: subscriptions, turnsLog: true) {
        // `setsid` must not be called earlier, because it changes the process group. While an
        // automount waits, only the process group that mounts can access its directory.
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

  /// Names this process `feedfs` for ps(1), pgrep(1) and the journal. Otherwise its name would be
  /// "exe", that of the link in /proc by which it was started.
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
