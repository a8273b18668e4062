import Addresses

/// Keeps libcurl's handles that know the challenge of an origin, for the next requests to that
/// origin.
///
/// libcurl keeps the nonce of a challenge, and the count of its uses, in the handle that was
/// challenged (RFC 7616 §3.3, §3.4). With a new handle for each request, every request would be
/// sent twice. Each handle has a nonce of its own, so that simultaneous requests do not disturb
/// each other's counts.
///
/// Belongs to the client's thread.
final class ChallengedHandles {
  private var idle: [OriginName: [EasyHandle]] = [:]

  /// Returns a handle that knows the challenge of `origin`; nil if there is none. The handle has
  /// forgotten its last request, but not the user name and the password. The caller must set these
  /// anew.
  ///
  /// - Parameter asksFolder: true if the handle must read the system's folder of CA certificates.
  func take(for origin: OriginName, asksFolder: Bool) -> EasyHandle? {
    while let handle = idle[origin]?.popLast() {
      if asksFolder, handle.leavesOutFolder { continue }
      if (try? handle.forgetRequest()) != nil { return handle }
    }
    idle[origin] = nil
    return nil
  }

  /// Keeps a handle that no transfer uses any more.
  func keep(_ handle: EasyHandle, for origin: OriginName) {
    if idle[origin] == nil, idle.count >= Self.maxOrigins, let any = idle.keys.first {
      idle[any] = nil
    }
    guard idle[origin, default: []].count < Self.maxHandles else { return }
    idle[origin, default: []].append(handle)
  }

  /// Forgets the handles of an origin, because it refuses a nonce that it gave.
  func forget(_ origin: OriginName) {
    idle[origin] = nil
  }

  /// The limit of handles that are kept for one origin. So this number of requests at once needs no
  /// new challenge.
  static let maxHandles = 8
  private static let maxOrigins = 32
}
