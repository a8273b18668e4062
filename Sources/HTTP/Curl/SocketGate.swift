import CCurl
import Glibc

/// Opens the sockets of one hop, after a check of each address.
struct SocketGate {
  let rule: AddressRule
  /// The URL's host.
  let host: String
  /// True when everything goes to the proxy, whose address the user chose.
  let usesProxy: Bool
  /// The timeout for the acknowledgement of sent bytes; then the connection ends. A reused
  /// connection whose path is gone gives no other sign.
  let timeout: Duration
  /// Frees a descriptor when none is left; returns whether it did.
  let freeDescriptor: () -> Bool

  enum Opening {
    case socket(Int32)
    case refused(String)
    case failed
  }

  func open(_ address: UnsafePointer<curl_sockaddr>) -> Opening {
    let target = address.pointee
    guard
      let ip = IPAddress(ccurl_address(address), byteCount: Int(target.addrlen)),
      usesProxy || rule.allows(ip, under: host)
    else { return .refused("\(host) has an address that is not public") }

    let kind = target.socktype | Int32(SOCK_CLOEXEC.rawValue)
    var descriptor = socket(target.family, kind, target.protocol)
    while descriptor < 0, errno == EMFILE, freeDescriptor() {
      descriptor = socket(target.family, kind, target.protocol)
    }
    guard descriptor >= 0 else { return .failed }
    var milliseconds = UInt32(clamping: timeout.milliseconds)
    _ = setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds,
      socklen_t(MemoryLayout.size(ofValue: milliseconds)))
    return .socket(descriptor)
  }
}
