import Glibc

/// The time for which a thread was ready to run while other work had the processor (proc(5), schedstat).
///
/// Only the thread that made it may ask.
package struct ReadyTime: ~Copyable {
  private let file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)

  package init() {}

  deinit {
    close(file)
  }

  /// The time until now; none where the kernel does not count it.
  package var soFar: Duration {
    var text = [UInt8](repeating: 0, count: 64)
    let count = pread(file, &text, text.count, 0)
    let words = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
    return .nanoseconds(words.count > 1 ? Int(words[1]) ?? 0 : 0)
  }
}
