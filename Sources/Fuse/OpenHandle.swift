/// The object to which the kernel's number for an open file points.
final class OpenHandle: Sendable {
  let file: any OpenFile
  /// The cached file that the kernel reads instead of `file`; nil if it reads through the daemon.
  /// The kernel's number for it is given up when the last handle is released.
  private let backing: Backing?

  init(_ file: any OpenFile, backing: Backing? = nil) {
    self.file = file
    self.backing = backing
  }

  /// Returns a number that keeps this object alive until `release`.
  func retained() -> UInt64 {
    UInt64(UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()))
  }

  static func at(_ number: UInt64) -> OpenHandle {
    unmanaged(number).takeUnretainedValue()
  }

  static func release(_ number: UInt64) -> OpenHandle {
    unmanaged(number).takeRetainedValue()
  }

  private static func unmanaged(_ number: UInt64) -> Unmanaged<OpenHandle> {
    guard let pointer = UnsafeRawPointer(bitPattern: UInt(number)) else {
      preconditionFailure("the kernel gives back the handle it was given")
    }
    return .fromOpaque(pointer)
  }
}
