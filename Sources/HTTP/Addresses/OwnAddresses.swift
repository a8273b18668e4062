import CCurl
import Glibc

/// The addresses of this computer's interfaces, as they are now (getifaddrs(3)).
package enum OwnAddresses {
  /// Asks the kernel, some tens of microseconds; empty when it does not answer.
  package static let now: @Sendable () -> Set<IPAddress> = {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var own: Set<IPAddress> = []
    for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
      guard let address = entry?.pointee.ifa_addr else { continue }
      // Each family's is as long as it has to be; others than IP give nil.
      if let ip = IPAddress(address, byteCount: MemoryLayout<sockaddr_in6>.size) { own.insert(ip) }
    }
    return own
  }
}
