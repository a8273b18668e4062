import Dispatch
import FeedMount
import NIOConcurrencyHelpers
import SystemPackage

/// A file that a mount makes up, as a command reads it that must not wait for ever.
enum MountFile {
  private static let patience = DispatchTimeInterval.seconds(10)

  /// Read on a thread that may be left behind: a daemon that is stopped does not answer.
  static func read(_ name: String, of mount: FilePath) throws(MountError) -> [UInt8] {
    let path = mount.pushing(FilePath(name))
    let answer = NIOLockedValueBox<Result<[UInt8], any Error>?>(nil)
    let isThere = DispatchSemaphore(value: 0)
    DispatchQueue(label: "feedfs.mountfile").async {
      let result = Result {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter { try file.readAll() }
      }
      answer.withLockedValue { $0 = result }
      isThere.signal()
    }
    _ = isThere.wait(timeout: .now() + patience)
    do {
      guard let bytes = try answer.withLockedValue({ $0 })?.get() else {
        throw MountError(
          .unavailable,
          "the daemon of \(mount) does not answer; `feedfs unmount --force \(mount)` ends it")
      }
      return bytes
    } catch {
      throw refusal(of: path, in: mount, error)
    }
  }

  private static func refusal(
    of path: FilePath, in mount: FilePath, _ error: any Error
  ) -> MountError {
    switch error {
    case let error as MountError: error
    case Errno.permissionDenied:
      MountError(
        .permission, "\(mount) is another user's mount, who did not give --allow-other")
    case Errno.socketNotConnected, Errno.connectionAbort:
      MountError(
        .unavailable,
        "the daemon of \(mount) is dead; `feedfs mount` with the same arguments brings it back")
    default:
      MountError(.unavailable, "\(path) cannot be read: \(error); is the daemon alive?")
    }
  }
}
