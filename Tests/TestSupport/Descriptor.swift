import Glibc

/// Owns a file descriptor.
final class Descriptor: Sendable {
  let number: Int32

  init(_ number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Both ends of a new pipe; neither is inherited by a child.
  static func pipe() throws -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw TestToolError("pipe: \(errnoText())") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }
}
