package import Glibc
import Locks

/// A program that a test has started, in a process group of its own.
///
/// Dropping the last reference kills the whole group. Until then the child stays a zombie, so no
/// other process gets its number and signals always reach it. A program that leaves the group (as
/// the background half of a mount does) must be ended by the test that made it leave.
package final class ChildProcess: Sendable {
  package let pid: pid_t
  package let output: ChildOutput
  package let errors: ChildOutput
  private let input: Locked<Descriptor?>
  private let life = Life()

  /// State shared by the owner and the thread that waits for the child.
  private final class Life: Sendable {
    let end = Occurrence()
    let state = Locked(State())

    struct State {
      var status: Int32?
      var isReleased = false
    }
  }

  /// - Parameters:
  ///   - arguments: the program and its arguments; without a slash the program is looked up in
  ///     PATH.
  ///   - environment: changes to the environment of the test; nil removes a variable.
  ///   - keepsInputOpen: standard input is a pipe until `closeInput`, otherwise it is empty.
  package init(
    _ arguments: [String], environment: [String: String?] = [:], keepsInputOpen: Bool = false
  ) throws {
    Self.ignoreBrokenPipes
    (pid, input, output, errors) = try Self.spawning.withLock { _ in
      let (childInput, input) = try Descriptor.pipe()
      let (output, childOutput) = try Descriptor.pipe()
      let (errors, childErrors) = try Descriptor.pipe()
      let pid = try Self.spawn(
        arguments, environment, standard: [childInput, childOutput, childErrors])
      return (
        pid, Locked(keepsInputOpen ? input : nil),
        try ChildOutput(reading: output), try ChildOutput(reading: errors)
      )
    }
    try startThread { [pid, life] in Self.awaitEnd(of: pid, life) }
  }

  deinit {
    killGroup()
    life.state.withLock { state in
      state.isReleased = true
      if state.status != nil { waitpid(pid, nil, 0) }
    }
  }

  /// Runs a program to its end.
  ///
  /// - Returns: the exit code (or 128 plus the signal that ended the program) and its output.
  /// - Throws: if the program takes longer than `timeout`; it is killed then.
  package static func run(
    _ arguments: [String], environment: [String: String?] = [:],
    timeout: Duration = .seconds(30)
  ) throws -> (status: Int32, out: String, err: String) {
    let child = try ChildProcess(arguments, environment: environment)
    guard let status = child.wait(timeout: timeout) else {
      let said = child.output.text + child.errors.text
      throw TestToolError("\(arguments) has not ended within \(timeout); it said: \(said)")
    }
    return (status, child.output.text, child.errors.text)
  }

  /// The exit code, or 128 plus the signal; nil if the child still runs after `timeout`.
  ///
  /// By then `output` and `errors` hold everything that the child itself wrote.
  package func wait(timeout: Duration) -> Int32? {
    guard life.end.wait(until: .now + timeout) else { return nil }
    output.drain()
    errors.drain()
    return life.state.withLock(\.status)
  }

  package var isRunning: Bool { life.state.withLock(\.status) == nil }

  /// Sends a signal to the child alone.
  package func signal(_ signal: Int32) {
    kill(pid, signal)
  }

  /// Sends SIGTERM to the child alone.
  package func terminate() {
    signal(SIGTERM)
  }

  /// Stops the child with SIGSTOP, until SIGCONT; returns once it has stopped.
  package func freeze() {
    signal(SIGSTOP)
    var info = siginfo_t()
    while waitid(P_PID, id_t(pid), &info, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Kills the child's process group.
  package func killGroup() {
    kill(-pid, SIGKILL)
  }

  /// Lets the child read the end of its standard input.
  package func closeInput() {
    input.withLock { $0 = nil }
  }

  /// Writes to the child's standard input, waiting while its pipe is full.
  package func write(_ text: String) throws {
    guard let input = input.withLock(\.self) else {
      throw TestToolError("the input of \(pid) is closed")
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw TestToolError("write to \(pid): \(errnoText())") }
      rest = rest.dropFirst(count)
    }
  }

  /// Spawns one child at a time: no other may start between `pipe` and its FD_CLOEXEC.
  private static let spawning = Locked(())
  private static let ignoreBrokenPipes: Void = { _ = Glibc.signal(SIGPIPE, SIG_IGN) }()

  private static func awaitEnd(of pid: pid_t, _ life: Life) {
    var info = siginfo_t()
    while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let code = info._sifields._sigchld.si_status
    life.state.withLock { state in
      state.status = info.si_code == CLD_EXITED ? code : 128 + code
      if state.isReleased { waitpid(pid, nil, 0) }
    }
    life.end.happen()
  }

  private static func spawn(
    _ arguments: [String], _ environment: [String: String?], standard: [Descriptor]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in standard.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor.number, Int32(number))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    prepare(&attributes)
    var words = arguments.map { strdup($0) } + [nil]
    var variables = environmentStrings(environment).map { strdup($0) } + [nil]
    defer { for string in words + variables { free(string) } }
    var pid: pid_t = 0
    let failure = posix_spawnp(&pid, arguments[0], &actions, &attributes, &words, &variables)
    guard failure == 0 else {
      throw TestToolError("cannot start \(arguments): \(String(cString: strerror(failure)))")
    }
    return pid
  }

  /// Sets up a new group, no blocked signal, and default actions for signals that a test may
  /// ignore.
  private static func prepare(_ attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  private static func environmentStrings(_ changes: [String: String?]) -> [String] {
    var strings: [String] = []
    var next = environ
    while let variable = next.pointee {
      let string = String(cString: variable)
      if !changes.keys.contains(where: { string.hasPrefix($0 + "=") }) { strings.append(string) }
      next += 1
    }
    return strings + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }
}
