import Glibc
import Locks
import SystemPackage

/// The thread that made a request.
struct Caller: Sendable {
  let thread: pid_t

  /// Whether a pending signal ends this thread or asks it to end.
  ///
  /// A program that handles SIGALRM or SIGCHLD must not see a failed read because of that signal
  /// (gcsfuse#402). So only two sorts of signals are looked at: signals that kill, and signals that
  /// ask a program to end. A thread that cannot be inspected is gone, so the result for it is true.
  var isEnding: Bool {
    guard let status = signals else { return true }
    let pending = status["SigPnd", default: 0] | status["ShdPnd", default: 0]
    let handled = status["SigCgt", default: 0] | status["SigIgn", default: 0]
    return pending & Self.askingToEnd != 0 || pending & ~handled & ~Self.harmless != 0
  }

  /// The name of the thread's program, at most 15 bytes; empty if the thread is gone.
  var program: String {
    let name = read("comm") ?? ""
    return String(name.prefix { $0 != "\n" })
  }

  /// The names of the thread's process and of that process's parent, at most 15 bytes each. A name
  /// is empty if the process is gone. A program can give its threads other names than the process
  /// has.
  var processes: [String] {
    numbers(["Tgid:", "PPid:"]).map { number in
      number.map { Caller(thread: $0).program } ?? ""
    }
  }

  /// The arguments of the thread's program, from the first 4 KiB of its command line; none if the
  /// thread is gone.
  var arguments: [String] {
    let words = (read("cmdline") ?? "").split(separator: "\0", omittingEmptySubsequences: false)
    return words.dropFirst().map(String.init)
  }

  /// The number of the thread's process; nil if the thread is gone.
  var process: pid_t? { numbers(["Tgid:"])[0] }

  /// Returns the number after each of these keys in the thread's status file (proc(5)); nil for a
  /// key that the file lacks.
  private func numbers(_ keys: [String]) -> [pid_t?] {
    let lines = (read("status") ?? "").split(separator: "\n")
    return keys.map { key in
      let line = lines.first { $0.hasPrefix(key) }?.dropFirst(key.utf8.count)
      return line.flatMap { pid_t($0.drop { $0 == "\t" || $0 == " " }) }
    }
  }

  /// Whether the thread no longer exists.
  var isGone: Bool {
    access("/proc/\(thread)", F_OK) != 0
  }

  private static let askingToEnd = mask([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGKILL])
  /// Signals that do not end a program without a handler for them.
  private static let harmless = mask([
    SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU,
  ])

  private static func mask(_ signals: [Int32]) -> UInt64 {
    signals.reduce(0) { $0 | 1 << UInt64($1 - 1) }
  }

  /// The signal masks in the thread's status file (proc(5)), by their keys.
  private var signals: [Substring: UInt64]? {
    guard let text = read("status") else { return nil }
    var masks: [Substring: UInt64] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("S") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      masks[parts[0]] = UInt64(parts[1].drop { $0 == "\t" || $0 == " " }, radix: 16)
    }
    return masks
  }

  /// The first 4 KiB of one of the thread's files in /proc.
  private func read(_ name: String) -> String? {
    let path = FilePath("/proc/\(thread)/\(name)")
    guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else {
      return nil
    }
    defer { try? file.close() }
    return String(unsafeUninitializedCapacity: 4096) { buffer in
      (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
  }
}

/// The names of the programs whose threads asked last.
///
/// A program that lists a folder asks for the attributes of each file. Opening a file in /proc for
/// each request would take as long as the answer, so the last descriptors stay open. A descriptor
/// of `/proc/THREAD/comm` always shows the present name, also after an exec. When the thread is
/// gone, a read of it fails, even if another thread has the same number by then.
///
/// Safe from any thread. It has one lock, and takes no other lock while it holds that one.
final class CallerNames: Sendable {
  private struct Known {
    let thread: pid_t
    let file: FileDescriptor
  }

  /// The limit for open descriptors: enough for two programs that list at the same time.
  private static let maxThreads = 2

  /// The threads whose descriptors are open. The thread that asked last comes first.
  private let known = Locked<[Known]>([])

  deinit {
    known.withLock { for each in $0 { try? each.file.close() } }
  }

  /// Returns the name of the thread's program, at most 15 bytes; empty if the thread is gone.
  func program(of thread: pid_t) -> String {
    known.withLock { known in
      if let place = known.firstIndex(where: { $0.thread == thread }) {
        if let name = Self.name(in: known[place].file) {
          if place > 0 { known.swapAt(place, 0) }
          return name
        }
        try? known.remove(at: place).file.close()
      }
      guard
        let file = try? FileDescriptor.open(
          FilePath("/proc/\(thread)/comm"), .readOnly, options: .closeOnExec)
      else { return "" }
      if known.count == Self.maxThreads { try? known.removeLast().file.close() }
      known.insert(Known(thread: thread, file: file), at: 0)
      return Self.name(in: file) ?? ""
    }
  }

  /// Reads the name; nil if the thread is gone.
  private static func name(in file: FileDescriptor) -> String? {
    let name = String(unsafeUninitializedCapacity: 16) { buffer in
      (try? file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
    return name.isEmpty ? nil : String(name.prefix { $0 != "\n" })
  }
}

/// The threads that are in the middle of listing a folder.
///
/// A program lists a folder in several requests. Between them it can ask for the attributes of the
/// names. The answer to its last listing request has no names. Safe from any thread. It has one
/// lock, and takes no other lock while it holds that one.
final class ListingThreads: Sendable {
  /// The limit for remembered threads. A program can stop before its last request, so the oldest
  /// threads are forgotten.
  private static let maxThreads = 16

  private let threads = Locked<[pid_t]>([])

  /// Notes that a listing request of `thread` was answered.
  ///
  /// - Parameter isLast: whether the answer had no names.
  func answered(_ thread: pid_t, isLast: Bool) {
    threads.withLock { threads in
      threads.removeAll { $0 == thread }
      guard !isLast else { return }
      if threads.count == Self.maxThreads { threads.removeFirst() }
      threads.append(thread)
    }
  }

  func contains(_ thread: pid_t) -> Bool {
    threads.withLock { $0.contains(thread) }
  }
}
