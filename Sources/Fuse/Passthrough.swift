import CFuse
import Glibc
import NIOConcurrencyHelpers
import Synchronization
import SystemPackage

/// Lets the kernel read open files by itself, from other files: FUSE passthrough, Linux 6.9.
///
/// Passthrough is on from the first exchange with the kernel, if the kernel offers it and this
/// process asks for it, to the first refusal. Without CAP_SYS_ADMIN, or where the other file lies
/// on a stacked file system (overlayfs), the kernel takes no file, and would not take the next.
///
/// The lock is a leaf. It is held during the call that registers a file with the kernel, so two
/// opens of one node never register it twice: all descriptors of a node must have the same backing.
///
/// `@unchecked Sendable`: for any thread; the session is set once, before the loop.
final class Passthrough: @unchecked Sendable {
  private struct WeakBacking {
    weak var backing: Backing?
  }

  /// The values of `greeting` besides the number of the request that offered passthrough.
  private static let isAwaited: UInt64 = 0
  private static let isOver: UInt64 = .max

  private var session: OpaquePointer?
  private let greeting = Atomic<UInt64>(Passthrough.isAwaited)
  private let isPossible = Atomic<Bool>(false)
  private let backings = NIOLockedValueBox<[NodeID: WeakBacking]>([:])

  /// Whether opens may pass through.
  var isOn: Bool {
    isPossible.load(ordering: .relaxed)
  }

  /// Asks for passthrough; must be called between the mount and the loop.
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
    // If this fails (for want of memory), libfuse goes on without passthrough.
    _ = feedfs_session_custom_io(session, &calls, fuse_session_fd(session))
  }

  /// Returns the file that the kernel reads in place of `node`; nil if the kernel refuses it.
  func backing(of node: NodeID, by file: FileDescriptor) -> Backing? {
    guard let session else { return nil }
    return backings.withLockedValue { backings in
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

  /// Reads the very first request, which is INIT, for its offer.
  private func received(_ request: UnsafeRawBufferPointer) {
    guard greeting.load(ordering: .acquiring) == Self.isAwaited else { return }
    greeting.store(Handshake.offer(in: request) ?? Self.isOver, ordering: .releasing)
  }

  /// Accepts the offer in the answer to INIT.
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

/// Returns the passthrough of libfuse's `userdata`.
private func at(_ context: UnsafeMutableRawPointer?) -> Passthrough {
  guard let context else { preconditionFailure("set by FuseSession") }
  return Unmanaged<SessionContext>.fromOpaque(context).takeUnretainedValue().passthrough
}

/// A file that the kernel may read in place of one of the mount's. It lives from `init` to the end
/// of the last descriptor that passes through to it; each descriptor holds a reference.
///
/// The kernel has let go of the file by the time it releases a descriptor. So the last release
/// gives up the number, and leaves nothing behind.
///
/// `@unchecked Sendable`: all is set once; the device takes calls from any thread.
final class Backing: @unchecked Sendable {
  /// The kernel's number for the file.
  let number: Int32
  private let session: OpaquePointer

  /// Registers `file`, which need not stay open; nil if the kernel does not take it.
  fileprivate init?(_ file: FileDescriptor, on session: OpaquePointer) {
    self.session = session
    number = feedfs_backing_open(fuse_session_fd(session), file.rawValue)
    guard number > 0 else { return nil }
  }

  deinit {
    // Once the mount is gone, so is the device, with all its numbers.
    if number > 0 { _ = feedfs_backing_close(fuse_session_fd(session), UInt32(number)) }
  }
}
