import CFuse
import Glibc
import Locks
import Synchronization
import SystemPackage

/// Lets the kernel read other files in place of open ones, without the daemon. This is FUSE
/// passthrough of Linux 6.9.
///
/// Passthrough is on after the first exchange with the kernel, if the kernel offers it and this
/// process asks for it. The first refusal turns it off. The kernel refuses without CAP_SYS_ADMIN,
/// or if the other file is on a stacked file system (overlayfs). If the kernel refuses one file, it
/// would also refuse the next.
///
/// All descriptors of a node must have the same backing. So a file is registered with the kernel
/// under the lock, and two opens of one node never register two files. No other lock is taken under
/// this one.
///
/// `@unchecked Sendable`: any thread can call its methods. The session is set once, before the loop
/// starts.
final class Passthrough: @unchecked Sendable {
  private struct WeakBacking {
    weak var backing: Backing?
  }

  /// The two special values of `greeting`. Any other value is the number of the request that
  /// offered passthrough.
  private static let isAwaited: UInt64 = 0
  private static let isOver: UInt64 = .max

  private var session: OpaquePointer?
  private let greeting = Atomic<UInt64>(Passthrough.isAwaited)
  private let isPossible = Atomic<Bool>(false)
  private let backings = Locked<[NodeID: WeakBacking]>([:])

  /// Whether an open can be answered with passthrough.
  var isOn: Bool {
    isPossible.load(ordering: .relaxed)
  }

  /// Asks the kernel for passthrough. Must be called after the mount and before the loop.
  func ask(of session: OpaquePointer) {
    self.session = session
    var calls = fuse_custom_io()
    calls.read = { device, buffer, size, context in
      let count = Glibc.read(device, buffer, size)
      if count > 0 { at(context).received(UnsafeRawBufferPointer(start: buffer, count: count)) }
      return count
    }
    calls.writev = { device, parts, count, context in
      let parts = UnsafeMutableBufferPointer(start: parts, count: Int(count))
      at(context).willSend(parts)
      return Glibc.writev(device, parts.baseAddress, count)
    }
    // If this fails for lack of memory, libfuse goes on without passthrough.
    _ = feedfs_session_custom_io(session, &calls, fuse_session_fd(session))
  }

  /// Returns the registered file that the kernel reads in place of `node`; nil if the kernel
  /// refuses `file`.
  func backing(of node: NodeID, by file: FileDescriptor) -> Backing? {
    guard let session else { return nil }
    return backings.withLock { backings in
      guard isOn else { return nil }
      if let backing = backings[node]?.backing { return backing }
      guard let backing = Backing(file, on: session) else {
        isPossible.store(false, ordering: .relaxed)
        return nil
      }
      backings = backings.filter { $0.value.backing != nil }
      backings[node] = WeakBacking(backing: backing)
      return backing
    }
  }

  // MARK: The first exchange

  /// Looks for the offer of passthrough in the first request, which is INIT.
  private func received(_ request: UnsafeRawBufferPointer) {
    guard greeting.load(ordering: .acquiring) == Self.isAwaited else { return }
    greeting.store(Handshake.offer(in: request) ?? Self.isOver, ordering: .releasing)
  }

  /// Accepts the offer of passthrough in the answer to INIT.
  private func willSend(_ parts: UnsafeMutableBufferPointer<iovec>) {
    let awaited = greeting.load(ordering: .acquiring)
    guard awaited != Self.isAwaited, awaited != Self.isOver, parts.count == 2,
      Handshake.number(in: UnsafeRawBufferPointer(parts[0].bytes)) == awaited
    else { return }
    greeting.store(Self.isOver, ordering: .releasing)
    isPossible.store(
      Handshake.accept(in: parts[1].bytes), ordering: .relaxed)
  }
}

extension iovec {
  fileprivate var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: iov_base, count: iov_len)
  }
}

/// Returns the `Passthrough` of the session to which libfuse's `userdata` points.
private func at(_ context: UnsafeMutableRawPointer?) -> Passthrough {
  guard let context else { preconditionFailure("set by FuseSession") }
  return Unmanaged<SessionContext>.fromOpaque(context).takeUnretainedValue().passthrough
}

/// A file that the kernel can read in place of a file of the mount. Each descriptor that passes
/// through to the file has a reference to this object. So it lives until the last of these
/// descriptors is released.
///
/// When the kernel releases a descriptor, it no longer uses the file through that descriptor. So
/// the last release can give up `number`.
///
/// `@unchecked Sendable`: all properties are set once. The device takes calls from any thread.
final class Backing: @unchecked Sendable {
  /// The kernel's number for the file.
  let number: Int32
  private let session: OpaquePointer

  /// Registers `file` with the kernel; nil if the kernel refuses it. `file` need not stay open.
  fileprivate init?(_ file: FileDescriptor, on session: OpaquePointer) {
    self.session = session
    number = feedfs_backing_open(fuse_session_fd(session), file.rawValue)
    guard number > 0 else { return nil }
  }

  deinit {
    // If the mount is gone, the device and all its numbers are gone too, so the result does not
    // matter.
    if number > 0 { _ = feedfs_backing_close(fuse_session_fd(session), UInt32(number)) }
  }
}
