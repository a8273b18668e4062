import Glibc

/// An IPv4 or IPv6 address, without port and zone.
package struct IPAddress: Hashable, Sendable {
  enum Family: Hashable, Sendable {
    case v4, v6
  }

  let family: Family
  /// The address in host byte order. An IPv4 address fills the low 32 bits.
  let bits: UInt128

  init(v4 bits: UInt32) {
    family = .v4
    self.bits = UInt128(bits)
  }

  init(v6 bits: UInt128) {
    family = .v6
    self.bits = bits
  }

  /// Parses an IPv4 or IPv6 address, with or without brackets; nil for a name.
  package init?(parsing text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    let bare =
      text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    if inet_pton(AF_INET, bare, &v4) == 1 {
      self.init(v4: UInt32(bigEndian: v4.s_addr))
    } else if inet_pton(AF_INET6, bare, &v6) == 1 {
      self.init(v6)
    } else {
      return nil
    }
  }

  /// Reads the address of a socket or an interface; nil for any family other than IP.
  init?(_ address: UnsafePointer<sockaddr>, byteCount: Int) {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET where byteCount >= MemoryLayout<sockaddr_in>.size:
      let v4 = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(v4: UInt32(bigEndian: v4.sin_addr.s_addr))
    case AF_INET6 where byteCount >= MemoryLayout<sockaddr_in6>.size:
      self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default:
      return nil
    }
  }

  private init(_ address: in6_addr) {
    self.init(v6: withUnsafeBytes(of: address) { $0.reduce(0) { $0 << 8 | UInt128($1) } })
  }

  /// The IPv4 address at which a packet to this IPv6 address ends; nil if there is none. The packet
  /// is translated (`isTranslated`), or tunnelled by 6to4 (RFC 3056 §2) or ISATAP (RFC 5214 §6.1).
  var embeddedIPv4: IPAddress? {
    guard family == .v6 else { return nil }
    let interface = bits >> 32 & 0xfdff_ffff
    if isTranslated || interface == 0x0000_5efe {
      return IPAddress(v4: UInt32(truncatingIfNeeded: bits))
    }
    if bits >> 112 == 0x2002 {
      return IPAddress(v4: UInt32(truncatingIfNeeded: bits >> 80))
    }
    return nil
  }

  /// Whether the address is an IPv4 address in the form of IPv6: mapped (RFC 4291 §2.5.5.2),
  /// translated by SIIT (RFC 2765 §2.1) or translated by NAT64 (RFC 6052 §2.1). Only the IPv4
  /// address inside shows whether it is public.
  var isTranslated: Bool {
    let prefixes: [UInt128] = [0xffff, 0xffff_0000, 0x0064_ff9b_0000_0000_0000_0000]
    return family == .v6 && prefixes.contains(bits >> 32)
  }
}

/// The current addresses of this computer's interfaces (getifaddrs(3)).
package enum OwnAddresses {
  /// Asks the kernel for the addresses, which takes some tens of microseconds. Returns an empty set
  /// if the call fails.
  package static let now: @Sendable () -> Set<IPAddress> = {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var own: Set<IPAddress> = []
    for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
      guard let address = entry?.pointee.ifa_addr else { continue }
      // getifaddrs(3) gives no length, but each address is as long as its family requires.
      if let ip = IPAddress(address, byteCount: MemoryLayout<sockaddr_in6>.size) { own.insert(ip) }
    }
    return own
  }
}
