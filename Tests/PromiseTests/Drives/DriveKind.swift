import Glibc
import TestSupport

/// The drive that a promise's body runs on.
enum DriveKind: String, CaseIterable, Sendable {
  /// The parts of a mount in this process.
  case direct
  /// The built binary behind the kernel.
  case kernel

  /// The drives of this run: those that `FEEDFS_DRIVES` names, else all.
  static let all: [DriveKind] = {
    let named = getenv("FEEDFS_DRIVES").map { String(cString: $0).split(separator: ",") }
    return allCases.filter { named?.contains(Substring($0.rawValue)) ?? true }
  }()

  /// Returns the cases of each drive.
  static func cases<Case: Sendable>(
    direct: [Case], kernel: [Case]
  ) -> [(DriveKind, Case)] {
    all.flatMap { kind in (kind == .direct ? direct : kernel).map { (kind, $0) } }
  }

  /// Returns all `cases` for the direct drive, and `some` for the kernel, since each costs it
  /// processes and a mount; all for both in a full count.
  static func cases<Case: Sendable>(
    _ cases: [Case], onKernel some: [Case]
  ) -> [(DriveKind, Case)] {
    Self.cases(direct: cases, kernel: Scale.isFull ? cases : some)
  }

  /// Makes the folder of a test, and starts its origin; mounts nothing yet.
  func drive(originOptions: [String] = []) throws -> any Drive {
    switch self {
    case .direct: try DirectDrive(originOptions: originOptions)
    case .kernel: try MountedFeed(originOptions: originOptions)
    }
  }
}
