import Dispatch
import Glibc
import NIOConcurrencyHelpers
import SystemPackage

/// Finds the media of web pages with a program that its user has chosen.
///
/// No shell reads its arguments. What it says holds until the time that the address names for its end,
/// or an hour. Safe from any thread.
final class Resolver: Sendable {
  private struct Answer {
    let address: String
    let until: Int
  }

  /// A player waits for it.
  private static let patience: Duration = .seconds(30)
  private static let usualLife = 3600  // seconds
  /// Bytes: a line or two are expected.
  private static let longestAnswer = 64 << 10

  private let command: [String]
  private let queue = DispatchQueue(label: "feedfs.resolver", attributes: .concurrent)
  private let answers = NIOLockedValueBox<[String: Answer]>([:])

  /// Nil where there is no program.
  ///
  /// - Parameter command: with `{url}` in the place of the page's address.
  init?(_ command: [String]) {
    guard !command.isEmpty else { return nil }
    self.command = command
  }

  /// Where the media of `page` are; nil: the program does not know, or took too long.
  ///
  /// - Parameter anew: what was said before does not hold any more.
  func address(of page: String, anew: Bool) async -> String? {
    let now = MountedFeed.now()
    if !anew, let known = answers.withLockedValue({ $0[page] }), known.until > now {
      return known.address
    }
    let output = await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: run(page)) }
    }
    let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
    let address = lines.first { $0.hasPrefix("http://") || $0.hasPrefix("https://") }
      .map(String.init)
    answers.withLockedValue { answers in
      answers[page] = address.map { Answer(address: $0, until: Self.end(of: $0, now: now)) }
    }
    return address
  }

  // MARK: Private

  /// What the program writes; blocks.
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
    let output = Self.read(pipe.readEnd, until: .now + Self.patience)
    kill(-process, SIGKILL)
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
      guard rest > .zero, poll(&readable, 1, Int32(rest.components.seconds * 1000 + 1)) > 0,
        let piece = try? file.readPiece(), !piece.isEmpty
      else { break }
      output += piece
    }
    return output
  }

  /// Addresses that end say when, in seconds since 1970: `expires=…`, `expire=…`.
  private static func end(of address: String, now: Int) -> Int {
    let query = address.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, ["expires", "expire"].contains(parts[0].lowercased()),
        let end = Int(parts[1]), end > 0
      else { continue }
      return end
    }
    return now + usualLife
  }
}
