import SystemPackage

/// How many reads the kernel lets be under way at once (`max_background`).
///
/// When so many wait, every buffered read of the mount hangs, also of files that are complete; so
/// `ParkedRequests` takes half of it.
enum Background {
  /// Some hundred readers of one feed, with the kernel's read-ahead of each, must not come near it.
  static let most = 4096
  /// Up to here the kernel reads ahead.
  static let congestion = most * 3 / 4

  /// What it grants: an ordinary user has `max_user_bgreq`, which goes by the machine's memory.
  static let granted = min(most, limitOfUsers ?? most)

  private static var limitOfUsers: Int? {
    let path = FilePath("/sys/module/fuse/parameters/max_user_bgreq")
    guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else {
      return nil
    }
    defer { try? file.close() }
    let text = String(unsafeUninitializedCapacity: 16) { buffer in
      (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
    return text.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }
}
