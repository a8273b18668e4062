import CCurl
import Glibc

/// Opens the sockets of one hop, after it has checked each address.
struct SocketGate {
  let rule: AddressRule
  /// The host in the URL of the request.
  let host: String
  /// The proxy to which the connection goes; nil if it goes to the origin. The user chose the
  /// proxy, so its address is not checked.
  let proxy: Proxy?
  /// The time within which the other side must acknowledge sent bytes. After this time the kernel
  /// ends the connection. Nothing else shows that the path of a reused connection is gone.
  let timeout: Duration
  /// Frees a file descriptor when the process has none left. Returns whether it freed one.
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
      proxy != nil || rule.allows(ip, under: host)
    else {
      return .refused("\(host) has an address that is not public; --allow-private may allow it")
    }

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
