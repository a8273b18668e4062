import TestSupport

/// A failure of one system call of the daemon: of the `when`-th such call in each thread.
struct Injection: Sendable, CustomStringConvertible {
  /// The failures of a call, in the words of strace(1).
  enum Effect: String, CaseIterable {
    case io = "error=EIO"
    case full = "error=ENOSPC"
    /// The call reports zero bytes written, which is no error.
    case nothing = "retval=0"
    case kill = "signal=SIGKILL"
  }

  let call: String
  let effect: Effect
  let when: Int
  /// Whether all later calls of the thread fail, too.
  var stays = false

  var description: String { "\(call) \(effect.rawValue), \(times)" }

  private var times: String { "\(when)\(stays ? "+" : "")" }

  /// Whether a failure of this call costs readers no byte: nothing but the cache needs it.
  var isHarmless: Bool { effect != .kill && call != "/^open" }

  /// The command that runs a daemon with this failure. The tracer is a grandchild, and the daemon
  /// keeps its process ID.
  var tracer: [String] {
    Self.tracer + [
      "-e", "trace=\(call)", "-e", "inject=\(call):\(effect.rawValue):when=\(times)",
    ]
  }

  /// System calls that change stored files, and those that open them.
  static let calls = [
    "/^pwrite", "fdatasync", "fsync", "/^rename", "/^unlink", "ftruncate", "/^open",
  ]

  /// The command that runs a daemon and writes each of its calls to `log`.
  static func counting(to log: String) -> [String] {
    strace(to: log) + ["-e", "trace=\(calls.joined(separator: ","))"]
  }

  /// Returns each effect on each call in `log`, as often as the busiest thread made the call.
  static func all(in log: String) -> [Self] {
    var counts: [String: [Substring: Int]] = [:]
    for line in log.split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard words.count > 1, let name = words[1].split(separator: "(").first,
        let call = calls.first(where: { name.hasPrefix($0.drop { "/^".contains($0) }) })
      else { continue }
      counts[call, default: [:]][words[0], default: 0] += 1
    }
    return calls.flatMap { call in
      let most = counts[call]?.values.max() ?? 0
      return effects(on: call).flatMap { effect in
        let once = (0..<most).map { Self(call: call, effect: effect, when: $0 + 1) }
        guard effect == .io || effect == .full else { return once }
        // A disk that fails from some call on is about the same disk a call later.
        let first = sequence(first: 1) { $0 * 2 }.prefix { $0 <= most }
        return once + first.map { Self(call: call, effect: effect, when: $0, stays: true) }
      }
    }
  }

  private static func effects(on call: String) -> [Effect] {
    switch call {
    case "/^pwrite": Effect.allCases
    case "fdatasync", "fsync", "ftruncate", "/^rename": [.io, .full, .kill]
    default: [.io, .kill]
    }
  }

  private static let tracer = strace(to: "/dev/null")

  /// Only the calls that are named stop the daemon: a read would cost it two stops for each call.
  private static func strace(to log: String) -> [String] {
    ["strace", "-D", "-f", "-q", "--seccomp-bpf", "-o", log]
  }
}
