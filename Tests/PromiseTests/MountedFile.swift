import Dispatch
import Glibc
import Synchronization
import TestSupport

/// An open descriptor of a file in a mount.
///
/// Calls run on the file's own thread. A call that never ends fails the test instead of blocking
/// it, and the end of the daemon frees the thread.
final class MountedFile: Sendable {
  private static let patience: DispatchTimeInterval = .seconds(30)

  private let path: String
  private let descriptor: Int32
  private let thread = DispatchQueue(label: "reader")

  init(_ path: String) throws {
    self.path = path
    descriptor = try Self.call("open \(path)", on: thread) {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      return descriptor < 0 ? .failure(ReadFailure(errno: errno)) : .success(descriptor)
    }.get()
  }

  deinit {
    _ = try? Self.call("close \(path)", on: thread) { [descriptor] in .success(close(descriptor)) }
  }

  /// Returns the bytes of one pread(2): fewer than asked mean the end of the file.
  ///
  /// - Throws: `ReadFailure` with the errno, or `TestToolError` if the call never ends.
  func read(_ range: Range<Int>) throws -> [UInt8] {
    try Self.call("read \(range) of \(path)", on: thread) { [descriptor] in
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, size in
        count = pread(descriptor, buffer.baseAddress, range.count, range.lowerBound)
        size = max(0, count)
      }
      return count < 0 ? .failure(ReadFailure(errno: errno)) : .success(bytes)
    }.get()
  }

  /// Reads from the first byte to the last.
  func readAll() throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try read(all.count..<all.count + 1 << 20)
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  /// Returns the errno of a read; 0 if the read succeeds.
  func failure(of range: Range<Int>) throws -> Int32 {
    do {
      _ = try read(range)
      return 0
    } catch let error as ReadFailure {
      return error.errno
    }
  }

  func status() throws -> stat {
    try Self.call("fstat \(path)", on: thread) { [descriptor] in
      var status = stat()
      return fstat(descriptor, &status) < 0 ? .failure(ReadFailure(errno: errno)) : .success(status)
    }.get()
  }

  /// Calls `body` with the descriptor on the thread of this file, and returns its value.
  func with<Value: Sendable>(_ body: @escaping @Sendable (Int32) -> Value) throws -> Value {
    try Self.call("use of \(path)", on: thread) { [descriptor] in .success(body(descriptor)) }.get()
  }

  /// Whether a page outside of the kernel's page cache can be read while `daemon` is stopped.
  ///
  /// - Parameter limit: the time that the read may take; longer where it should succeed.
  func passesThrough(
    past daemon: ChildProcess, within limit: DispatchTimeInterval = .milliseconds(300)
  ) -> Bool {
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    daemon.freeze()
    defer { daemon.signal(SIGCONT) }
    let answer = Answer<Int>()
    thread.async { [descriptor] in
      var byte: UInt8 = 0
      answer.give(.success(pread(descriptor, &byte, 1, 0)))
    }
    // A read that waits for the daemon ends once the daemon goes on.
    return answer.wait(limit) != nil
  }

  private static func call<Value: Sendable>(
    _ what: String, on thread: DispatchQueue,
    _ body: @escaping @Sendable () -> Result<Value, ReadFailure>
  ) throws -> Result<Value, ReadFailure> {
    let answer = Answer<Value>()
    thread.async { answer.give(body()) }
    guard let result = answer.wait(patience) else { throw TestToolError("\(what) never ends") }
    return result
  }

  private final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, ReadFailure>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func give(_ result: Result<Value, ReadFailure>) {
      value.withLock { $0 = result }
      isThere.signal()
    }

    func wait(_ limit: DispatchTimeInterval) -> Result<Value, ReadFailure>? {
      isThere.wait(timeout: .now() + limit) == .success ? value.withLock { $0 } : nil
    }
  }
}

/// The error that the kernel gave a reader instead of bytes.
struct ReadFailure: Error, CustomStringConvertible {
  let errno: Int32

  var description: String { String(cString: strerror(errno)) }
}
