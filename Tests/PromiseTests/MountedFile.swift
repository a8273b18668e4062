import Dispatch
import Glibc
import TestSupport

/// An open descriptor of a file in a mount.
///
/// Calls run on the file's own thread. A call that never ends fails the test instead of blocking
/// it, and the end of the daemon frees the thread.
final class MountedFile: Sendable {
  private static let timeout: Duration = .seconds(30)

  private let path: String
  private let descriptor: Int32
  private let thread = DispatchQueue(label: "reader")

  init(_ path: String) throws {
    self.path = path
    descriptor = try Self.call("open \(path)", on: thread) {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      return descriptor < 0 ? .failure(ReadFailure(errno: errno)) : .success(descriptor)
    }
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
    }
  }

  func status() throws -> stat {
    try Self.call("fstat \(path)", on: thread) { [descriptor] in
      var status = stat()
      return fstat(descriptor, &status) < 0 ? .failure(ReadFailure(errno: errno)) : .success(status)
    }
  }

  /// Calls `body` with the descriptor on the thread of this file, and returns its value.
  func with<Value: Sendable>(_ body: @escaping @Sendable (Int32) -> Value) throws -> Value {
    try Self.call("use of \(path)", on: thread) { [descriptor] in .success(body(descriptor)) }
  }

  /// Makes the kernel forget the bytes that it has.
  func forgetPages() throws {
    _ = try with { posix_fadvise($0, 0, 0, POSIX_FADV_DONTNEED) }
  }

  /// Whether a page outside of the kernel's page cache can be read while `daemon` is stopped.
  ///
  /// - Parameter limit: the time that the read may take; longer where it should succeed.
  func passesThrough(
    past daemon: ChildProcess, within limit: Duration = .milliseconds(300)
  ) -> Bool {
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    daemon.freeze()
    defer { daemon.signal(SIGCONT) }
    let answer = Awaited<Int>()
    thread.async { [descriptor] in
      var byte: UInt8 = 0
      answer.give(.success(pread(descriptor, &byte, 1, 0)))
    }
    // A read that waits for the daemon ends once the daemon goes on.
    return answer.result(within: limit) != nil
  }

  private static func call<Value: Sendable>(
    _ what: String, on thread: DispatchQueue,
    _ body: @escaping @Sendable () -> Result<Value, ReadFailure>
  ) throws -> Value {
    let answer = Awaited<Value>()
    thread.async { answer.give(body().mapError { $0 }) }
    return try answer.get(what, within: timeout)
  }
}

/// The error that the kernel gave a reader instead of bytes.
struct ReadFailure: Error, CustomStringConvertible {
  let errno: Int32

  var description: String { String(cString: strerror(errno)) }
}
