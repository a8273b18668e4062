import Dispatch
import Glibc
import Host
import NIOConcurrencyHelpers
import SystemPackage

/// Finds the media of web pages with a program that the user has chosen.
///
/// No shell reads the program's arguments. An answer holds until the address expires. If the
/// address does not say when, the answer holds for an hour. Safe from any thread.
final class Resolver: Sendable {
  private struct Answer {
    /// The address of the media; nil if the program found none.
    let address: String?
    /// The mistake in the program's output; nil if there is none.
    let fault: String?
    let until: Int
  }

  private struct State {
    var answers: [String: Answer] = [:]
    var running: [String: Task<String?, Never>] = [:]
    /// The running programs. Each is the leader of its process group.
    var processes: Set<Int32> = []
    var hasEnded = false
    /// True if anything may be fetched.
    var isOpen = true

    var mayRun: Bool { isOpen && !hasEnded }
  }

  /// The timeout of the program. It is short because a player waits.
  private static let patience: Duration = .seconds(30)
  private static let usualLife = 3600  // seconds
  /// Seconds until a program that found nothing is asked again.
  private static let failureLife = 30
  /// The most bytes of output that are read. A line or two are expected.
  private static let longestAnswer = 64 << 10

  private let command: [String]
  private let wall: WallClock
  private let tasks: Tasks
  private let queue = DispatchQueue(label: "feedfs.resolver", attributes: .concurrent)
  /// The programs that may run at once. A player that looks through a folder may ask for many
  /// pages.
  private let places = DispatchSemaphore(value: 4)
  private let state = NIOLockedValueBox(State())

  /// Makes a resolver, or nil if no program is given.
  ///
  /// - Parameter command: the program and its arguments. `{url}` stands for the page's address.
  init?(_ command: [String], wall: WallClock, tasks: Tasks) {
    guard !command.isEmpty else { return nil }
    self.command = command
    self.wall = wall
    self.tasks = tasks
  }

  /// Returns the address of the media of `page`. Returns nil if the program found none or took too
  /// long.
  ///
  /// - Parameter anew: whether to ask again, because the earlier address does not hold any more.
  func address(of page: String, anew: Bool) async -> String? {
    let now = wall.seconds
    let task: Task<String?, Never>? = state.withLockedValue { state in
      if let known = state.answers[page], known.until > now, !anew || known.address == nil {
        return nil
      }
      if let running = state.running[page] { return running }
      let task = tasks.start { await self.ask(page) }
      state.running[page] = task
      return task
    }
    guard let task else { return state.withLockedValue { $0.answers[page]?.address } }
    return await task.value
  }

  /// Returns the mistake in the program's output for `page`. Returns nil if there is no mistake or
  /// no output.
  func fault(of page: String) -> String? {
    state.withLockedValue { $0.answers[page]?.fault }
  }

  /// Ends all programs. A program that starts later is ended at once.
  func end() {
    stop { $0.hasEnded = true }
  }

  /// Ends all programs, later ones too, while `isOpen` is false.
  func turn(isOpen: Bool) {
    stop { $0.isOpen = isOpen }
  }

  // MARK: Private

  private func stop(_ change: (inout State) -> Void) {
    let processes = state.withLockedValue { state in
      change(&state)
      return state.mayRun ? [] : state.processes
    }
    for process in processes { kill(-process, SIGKILL) }
  }

  private func ask(_ page: String) async -> String? {
    let output = await withCheckedContinuation { continuation in
      queue.async { [self] in
        places.wait()
        defer { places.signal() }
        continuation.resume(returning: run(page))
      }
    }
    // The text behind the last line break is cut off or empty, so it is no address.
    let lines = String(decoding: output, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let addresses = Set(
      lines.dropLast().filter { $0.hasPrefix("http://") || $0.hasPrefix("https://") })
    // Several addresses mean separate picture and sound. The first alone would be a film without
    // sound.
    let address = addresses.count == 1 ? addresses.first.map(String.init) : nil
    let fault = addresses.count > 1 ? Self.severalAddresses(addresses.count) : nil
    let now = wall.seconds
    let until = address.map { Self.end(of: $0, now: now) } ?? now + Self.failureLife
    state.withLockedValue { state in
      // The output of a stopped program tells nothing about the page.
      if state.mayRun || address != nil {
        state.answers[page] = Answer(address: address, fault: fault, until: until)
      }
      state.running[page] = nil
    }
    return address
  }

  private static func severalAddresses(_ count: Int) -> String {
    "the resolver printed \(count) addresses, as of picture and sound apart; have it print one: with"
      + " yt-dlp by -f b (resolver in config.toml)"
  }

  /// Returns the program's output; blocks. If the output was read to its end, a line break is
  /// appended.
  private func run(_ page: String) -> [UInt8] {
    guard let name = command.first, let pipe = try? Pipe() else { return [] }
    var program = Program(name)
    program.arguments = command.dropFirst().map { $0.replacing("{url}", with: page) }
    program.output = pipe.writeEnd
    program.startsSession = true
    let process = try? program.start()
    try? pipe.writeEnd.close()
    defer { try? pipe.readEnd.close() }
    guard let process else { return [] }
    let isLate = state.withLockedValue { state in
      state.processes.insert(process)
      return !state.mayRun
    }
    let output = isLate ? [] : Self.read(pipe.readEnd, until: .now + Self.patience)
    kill(-process, SIGKILL)
    state.withLockedValue { _ = $0.processes.remove(process) }
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
    return output
  }

  private static func read(
    _ file: FileDescriptor, until deadline: ContinuousClock.Instant
  ) -> [UInt8] {
    var output: [UInt8] = []
    while output.count < longestAnswer {
      let rest = ContinuousClock.now.duration(to: deadline)
      var readable = pollfd(fd: file.rawValue, events: Int16(POLLIN), revents: 0)
      guard rest > .zero else { break }
      let found = poll(&readable, 1, Int32(rest.components.seconds * 1000 + 1))
      if found < 0, errno == EINTR { continue }
      guard found > 0, let piece = try? file.readPiece() else { break }
      guard !piece.isEmpty else { return output + Array("\n".utf8) }
      output += piece
    }
    return output
  }

  /// Returns the time when `address` expires. Such an address names the time in seconds since 1970,
  /// as `expires=…` or `expire=…`. Other addresses hold for `usualLife`.
  private static func end(of address: String, now: Int) -> Int {
    let query = address.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, ["expires", "expire"].contains(parts[0].lowercased()),
        let end = Int(parts[1]), end > now
      else { continue }
      return end
    }
    return now + usualLife
  }
}
