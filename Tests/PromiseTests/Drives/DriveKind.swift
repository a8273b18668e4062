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

  /// Returns all `cases` for the direct drive, and for the kernel those of `sample`, if there is
  /// one: each costs it processes and a mount.
  static func cases<Case: Sendable>(
    _ cases: [Case], kernel sample: [Case]? = nil
  ) -> [(DriveKind, Case)] {
    all.flatMap { kind in (kind == .kernel ? sample ?? cases : cases).map { (kind, $0) } }
  }

  /// Makes the folder of a test, and starts its origin; mounts nothing yet.
  func drive(originOptions: [String] = []) throws -> any Drive {
    switch self {
    case .direct: try DirectDrive(originOptions: originOptions)
    case .kernel: try MountedFeed(originOptions: originOptions)
    }
  }
}
