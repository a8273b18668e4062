import CLinux
import Dispatch
import Glibc
import NIOConcurrencyHelpers
package import SystemPackage

/// Taking a mount down from another process than the one that serves it.
package enum Unmounting {
  /// How long the daemon has to flush.
  private static let flushTime: Int32 = 10_000  // ms

  /// Takes down a mount that is not in use; returns when its daemon has flushed and is gone.
  package static func ask(_ path: FilePath) throws(MountError) {
    guard !MountPoint(path).isAnothers else { throw refusal(of: path) }
    // While the question is not answered, the mount is in use by who asks.
    let daemon = Daemon(serving: path, within: .seconds(5))
    guard umount2(path.string, Int32(UMOUNT_NOFOLLOW)) == 0 || askHelper(path) else {
      throw MountError(
        .tryLater,
        "\(path) is in use and stays mounted; `fuser -m \(path)` tells by whom, --force ends it all the same"
      )
    }
    if daemon?.hasEnded(within: flushTime) == false {
      throw MountError(
        .tryLater,
        "\(path) is unmounted, but its daemon goes on: it flushes to the disk still, or a container that"
          + " was started meanwhile has a copy of the mount")
    }
  }

  /// Ends the daemon of a mount and takes the mount down, in use or not.
  package static func force(_ path: FilePath) throws(MountError) {
    guard !MountPoint(path).isAnothers else { throw refusal(of: path) }
    if let daemon = Daemon(serving: path, within: .seconds(1)) {
      daemon.terminate()
      if !daemon.hasEnded(within: 2_000) { daemon.kill() }
      _ = daemon.hasEnded(within: 1_000)
    }
    let point = MountPoint(path)
    // A daemon that is stopped says nothing: who reads must not wait for it.
    if point.isOurs { point.abort() }
    if point.isOurs { point.detach() }
    guard !point.isOurs else { throw refusal(of: path) }
  }

  private static func refusal(of path: FilePath) -> MountError {
    MountError(.permission, "\(path) cannot be unmounted by you; it is another user's")
  }

  private static func askHelper(_ path: FilePath) -> Bool {
    Program("fusermount3", "-u", "-q", "--", path.string).run() == 0
  }
}

/// The process that serves a mount.
private struct Daemon {
  private let process: FileDescriptor

  /// Nil: nobody serves it, or it does not say who in `time`.
  init?(serving path: FilePath, within time: DispatchTimeInterval) {
    guard let number = Self.number(path, within: time) else { return nil }
    let descriptor = feedfs_pidfd_open(number)
    guard descriptor >= 0 else { return nil }
    process = FileDescriptor(rawValue: descriptor)
  }

  func terminate() {
    send(SIGTERM)
  }

  func kill() {
    send(SIGKILL)
  }

  func hasEnded(within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: process.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, milliseconds) == 1
  }

  private func send(_ signal: Int32) {
    _ = feedfs_pidfd_send_signal(process.rawValue, signal)
  }

  /// Asked on a thread that may be left behind: a daemon that is stopped does not answer.
  private static func number(_ path: FilePath, within time: DispatchTimeInterval) -> pid_t? {
    let answer = NIOLockedValueBox<pid_t?>(nil)
    let isThere = DispatchSemaphore(value: 0)
    DispatchQueue(label: "feedfs.unmount").async {
      var digits = [UInt8](repeating: 0, count: 20)
      let count = getxattr(path.string, EntryFacts.processName, &digits, digits.count)
      if count > 0 {
        answer.withLockedValue { $0 = pid_t(String(decoding: digits[..<count], as: UTF8.self)) }
      }
      isThere.signal()
    }
    _ = isThere.wait(timeout: .now() + time)
    return answer.withLockedValue { $0 }
  }
}
