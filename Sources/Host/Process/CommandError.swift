package import Addresses
package import Fuse
package import HTTP
package import Storage
import SystemPackage

/// The reason why a command fails. It has an exit code, and a sentence with the problem, the place
/// and the remedy.
package struct CommandError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  /// An exit code of sysexits(3).
  package enum Code: Int32, Codable, Sendable {
    case usage = 64
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case tryLater = 75
    case permission = 77
    case configuration = 78
  }

  package let code: Code
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension CommandError {
  package init(_ error: StorageError) {
    let code: Code =
      switch error {
      case .inUse: .tryLater
      case .notOurs: .permission
      case .unwritable: .cannotCreate
      case .newer: .configuration
      case .noSpace, .io, .slow, .outOfOrder, .closed: .inputOutput
      }
    self.init(code, error.description)
  }

  package init(_ error: AddressError) {
    self.init(.usage, error.sentence(about: "the feed's URL"))
  }

  package init(_ error: HTTPError) {
    let code: Code =
      switch error {
      case .badURL, .badAddressBlock, .badHeader, .badPin, .badProxy: .usage
      case .blocked: .permission
      case .unavailable: .unavailable
      case .status(_, 401, _), .status(_, 403, _), .status(_, 407, _): .permission
      case .status(_, 404, _), .status(_, 410, _): .unavailable
      case .unanswered, .broken, .status, .busy, .refused, .cancelled: .tryLater
      }
    self.init(code, error.description)
  }

  /// Makes the error of a command from an error of any type, because a call through a closure loses
  /// the type.
  package init(any error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as StorageError: self.init(error)
    case let error as HTTPError: self.init(error)
    default: self.init(.inputOutput, "\(error)")
    }
  }

  package init(_ error: FuseError) {
    switch error {
    case .options(let options):
      self.init(.usage, "the mount options \(options) are not known; see mount.fuse3(8)")
    case .mount(let path, let errno):
      let code: Code =
        errno == .notPermitted || errno == .permissionDenied ? .permission : .unavailable
      self.init(
        code, "\(path) cannot be mounted: \(errno); `feedfs doctor` says whether you may use FUSE")
    }
  }
}
