import Addresses
import Dispatch
import FeedReading
import Glibc
import Host
import Locks
import SystemPackage
import World

/// Finds media by a program that the user has chosen. The program is started without a shell.
///
/// Safe from any thread. Each run has a thread of its own, which waits for the program.
final class ResolverProgram: MediaFinder {
  private struct State {
    /// The running programs. Each is the leader of its process group.
    var processes: Set<Int32> = []
    /// True if fetches are allowed.
    var mayRun = true
  }

  /// The output and the end of a finished run.
  private struct Run {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var isLate = false
    var end: Program.End?
  }

  /// The timeout of the program. It is short because a player waits.
  private static let timeout: Duration = .seconds(30)
  /// The time that a program gets to end after it has closed its pipes.
  private static let grace: Duration = .seconds(1)
  /// The limit for the error output that is remembered, in bytes.
  private static let maxErrorBytes = 64 << 10

  private let command: [String]
  private let wall: WallClock
  private let tasks: Tasks
  private let makeJobs: World.MakeJobs
  private let state = Locked(State())

  /// - Parameter command: the program and its arguments. `{url}` stands for the page's address.
  init(_ command: [String], wall: WallClock, tasks: Tasks, jobs: @escaping World.MakeJobs) {
    self.command = command
    self.wall = wall
    self.tasks = tasks
    makeJobs = jobs
  }

  func find(_ page: String) async -> FinderAnswer {
    let run = await withCheckedContinuation { (continuation: CheckedContinuation<Run?, Never>) in
      makeJobs("feedfs.resolver", .unspecified).add { [self] in
        continuation.resume(returning: self.run(on: page))
      }
    }
    guard let run else {
      return .failed(
        "the resolver \(command.first ?? "") cannot be started; `feedfs doctor` says what to do")
    }
    guard state.withLock({ $0.mayRun }) else { return .stopped }
    return finding(run)
  }

  func turn(isOpen: Bool) {
    let processes = state.withLock { state in
      state.mayRun = isOpen
      return isOpen ? [] : state.processes
    }
    for process in processes { kill(-process, SIGKILL) }
  }

  // MARK: Private

  private func finding(_ run: Run) -> FinderAnswer {
    if run.isLate {
      return .failed(
        "the resolver took longer than \(Self.timeout.components.seconds) s; try again later")
    }
    if run.output.count > ResolverOutput.limit {
      return .failed("the resolver printed more than feedfs reads")
    }
    do throws(ResolverOutput.Fault) {
      if let media = try ResolverOutput.media(run.output, now: wall.seconds) {
        return .media(media)
      }
    } catch {
      return .failed(error.description)
    }
    let complaint = ResolverComplaint.shown(run.errors)
    if let complaint { return .failed("the resolver says: \(complaint)") }
    if case .code(let code)? = run.end, code != 0 {
      return .failed("the resolver found no video on the page, and ended with exit code \(code)")
    }
    return .failed("the resolver found no video on the page")
  }

  /// Runs the program to its end; blocks. Returns nil if it cannot be started.
  private func run(on page: String) -> Run? {
    guard let name = command.first, let output = try? Pipe() else { return nil }
    defer { try? output.readEnd.close() }
    guard let errors = try? Pipe() else {
      try? output.writeEnd.close()
      return nil
    }
    defer { try? errors.readEnd.close() }
    var program = Program(name)
    program.arguments = command.dropFirst().map { $0.replacing("{url}", with: page) }
    program.output = output.writeEnd
    program.errors = errors.writeEnd
    program.startsSession = true
    let process = try? program.start()
    try? output.writeEnd.close()
    try? errors.writeEnd.close()
    guard let process else { return nil }
    let mayRun = state.withLock { state in
      state.processes.insert(process)
      return state.mayRun
    }
    var run = Run()
    if mayRun { read(output.readEnd, errors.readEnd, of: process, into: &run) }
    if mayRun, !run.isLate { waitForEnd(of: process, within: Self.grace) }
    // Helper processes in the program's process group may still run.
    kill(-process, SIGKILL)
    state.withLock { _ = $0.processes.remove(process) }
    run.end = Program.end(of: process)
    return run
  }

  /// Reads both pipes until they end, or until the program ends, takes too long, or prints too
  /// much. The end of the pipes is not enough, because a helper process that the program leaves
  /// behind may keep them open.
  private func read(
    _ output: FileDescriptor, _ errors: FileDescriptor, of process: Int32, into run: inout Run
  ) {
    let deadline = tasks.now + Self.timeout
    var isOpen = (output: true, errors: true)
    while isOpen.output || isOpen.errors, run.output.count <= ResolverOutput.limit {
      var ready = [
        pollfd(fd: isOpen.output ? output.rawValue : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isOpen.errors ? errors.rawValue : -1, events: Int16(POLLIN), revents: 0),
      ]
      let found = poll(&ready, 2, 100)
      if found < 0, errno == EINTR { continue }
      if found <= 0 {
        if Self.hasEnded(process) { return }
        guard tasks.now < deadline else {
          run.isLate = isOpen.output
          return
        }
        continue
      }
      if ready[0].revents != 0 {
        let piece = (try? output.readPiece()) ?? []
        isOpen.output = !piece.isEmpty
        run.output += piece
      }
      if ready[1].revents != 0 {
        let piece = (try? errors.readPiece()) ?? []
        isOpen.errors = !piece.isEmpty
        // Only the last bytes are remembered, because they tell most.
        run.errors = Array((run.errors + piece).suffix(Self.maxErrorBytes))
      }
      if tasks.now >= deadline {
        run.isLate = isOpen.output
        return
      }
    }
  }

  /// Waits for the end of a program that has closed its pipes.
  private func waitForEnd(of process: Int32, within time: Duration) {
    let deadline = tasks.now + time
    while !Self.hasEnded(process), tasks.now < deadline { poll(nil, 0, 10) }
  }

  private static func hasEnded(_ process: Int32) -> Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0
      && info.si_signo == SIGCHLD
  }
}
