/// Resolves the references of documents, and compares addresses.
extension WebAddress {
  /// The reason why no request can go to a reference, as the end of the sentence "its address …".
  package struct Refusal: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// Schemes that feed readers invented, each with the real scheme that it means.
  private static let spellings: [String: String] = [
    "feed": "http", "itpc": "http", "pcast": "http", "podcast": "http", "itms": "http",
    "itmss": "https", "feeds": "https", "itpcs": "https", "podcasts": "https",
  ]

  /// The limit for a base, in bytes. There is a limit because every relative address of a document
  /// becomes longer by its base.
  private static let maxBaseBytes = 2 << 10

  /// Returns the absolute http or https address of `reference` in a document at `base`.
  ///
  /// The reference is resolved as browsers do it. Dot segments are removed. "http:path" is relative
  /// if the base is http. Extra slashes before the host are ignored. Everything else stays as the
  /// feed wrote it, because ids on the disk are made from addresses.
  ///
  /// - Parameter base: an absolute address; empty if it is not known.
  package static func resolve(_ reference: String, base: String) throws(Refusal) -> String {
    if PlainAddress.authorityEnd(of: reference) != nil { return reference }
    if let address = PlainAddress.joined(reference, to: base) { return address }
    return try parsed(reference, base: base)
  }

  /// Does the work of `resolve` with libcurl's parser, for any reference.
  static func parsed(_ reference: String, base: String) throws(Refusal) -> String {
    let base = spelt(cleaned(base))
    let reference = spelt(cleaned(reference))
    let scheme = Self.scheme(of: reference) ?? Self.scheme(of: base)
    guard let scheme else { throw Refusal(description: "is relative, and its base is not known") }
    guard scheme == "http" || scheme == "https" else {
      throw Refusal(
        description: "begins with \(scheme.prefix(32)): and not with http: or https:")
    }
    do throws(AddressError) {
      let absolute = join(reference, to: base)
      let handle = try URLHandle(absolute, as: .resolved)
      guard let host = handle.part(.host), !host.isEmpty else { throw AddressError.noHost }
      let lowercased = host.lowercased()
      if host != lowercased { try handle.set(.host, lowercased) }
      return try text(of: handle, parsedFrom: absolute)
    } catch {
      throw Refusal(error)
    }
  }

  /// Returns the absolute address of `reference`; nil if `reference` is nil, or if no request can
  /// go to it.
  package static func usable(_ reference: String?, base: String) -> String? {
    reference.flatMap { try? resolve($0, base: base) }
  }

  /// Returns the base of relative addresses inside an element whose `xml:base` is `reference`.
  /// `parent` is the base outside of the element.
  ///
  /// An `xml:base` to which no request can go is ignored (RFC 3986 §5.1). So is an `xml:base` that
  /// is longer than any address in use.
  package static func base(_ reference: String, within parent: String) -> String {
    guard let base = usable(reference, base: parent), base.utf8.count <= maxBaseBytes else {
      return parent
    }
    return base
  }

  /// Returns the address without userinfo and fragment, because these do not identify a document.
  /// Everything else stays as written.
  package static func identity(of address: String) -> String {
    if PlainAddress.authorityEnd(of: address) != nil {
      let end = address.utf8.firstIndex(of: UInt8(ascii: "#")) ?? address.endIndex
      return String(address[..<end])
    }
    return parsedIdentity(of: address)
  }

  /// Does the work of `identity` with libcurl's parser, for any address.
  static func parsedIdentity(of address: String) -> String {
    let bare = String(address.utf8.prefix { $0 != UInt8(ascii: "#") }) ?? address
    guard let handle = try? URLHandle(bare, as: .resolved) else { return address }
    handle.remove(.user)
    handle.remove(.password)
    return (try? text(of: handle, parsedFrom: bare)) ?? address
  }

  /// Returns an address without the parts that can differ while the bytes are the same: scheme,
  /// userinfo and fragment. Different spellings of an address give the same text.
  package static func likeness(of address: String) -> String {
    PlainAddress.likeness(of: address) ?? parsedLikeness(of: address)
  }

  /// Does the work of `likeness` with libcurl's parser, for any address.
  static func parsedLikeness(of address: String) -> String {
    (try? Parts(address).likeness) ?? address
  }

  /// Joins `reference` to the part of `base` that the reference does not replace (RFC 3986 §5.2.2).
  /// The result keeps its dot segments, which libcurl's parser removes later.
  ///
  /// libcurl 7.88 could resolve references too. But it would encode letters beyond ASCII and refuse
  /// "1:2". It would also resolve an empty reference to the folder of its document.
  static func join(_ reference: String, to base: String) -> String {
    let scheme = scheme(of: base) ?? ""
    var rest = reference[...]
    if let own = Self.scheme(of: reference) {
      let isRelative =
        own == scheme && !rest.dropFirst(own.utf8.count + 1).utf8.starts(with: "//".utf8)
      guard own == "http" || own == "https" else { return reference }
      rest = rest.dropFirst(own.utf8.count + 1)
      if !isRelative { return "\(own)://\(rest.drop { $0 == "/" })" }
    }
    if rest.utf8.starts(with: "//".utf8) { return "\(scheme)://\(rest.drop { $0 == "/" })" }
    let page = base.utf8.prefix { $0 != hash }
    let path = page.prefix { $0 != question }
    let root = path.dropFirst(scheme.utf8.count + 3).firstIndex(of: slash) ?? path.endIndex
    let before: Substring.UTF8View =
      switch rest.utf8.first {
      case nil, hash: page
      case question: path
      case slash: path[..<root]
      default: path[..<(path[root...].lastIndex(of: slash) ?? root)]
      }
    let isInFolder = ![nil, hash, question, slash].contains(rest.utf8.first)
    return "\(Substring(before))\(isInFolder ? "/" : "")\(rest)"
  }

  /// Returns the whole address in the spelling of the reference, because ids on the disk have this
  /// spelling: removes a path that libcurl has added, and adds a "?" or "#" at the end that libcurl
  /// has left out.
  private static func text(
    of handle: URLHandle, parsedFrom written: String
  ) throws(AddressError) -> String {
    guard var text = handle.part(.whole) else { throw .unreadable }
    if pathStart(in: written) == nil, let path = pathStart(in: text) { text.remove(at: path) }
    let ending = String(written.reversed().prefix { $0 == "?" || $0 == "#" }.reversed())
    return text.hasSuffix(ending) ? text : text + ending
  }

  /// Returns the place of the slash that follows the host; nil for an address without a path.
  private static func pathStart(in address: String) -> String.Index? {
    let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")) ?? address.startIndex
    let end = address.utf8[colon...].dropFirst(3).firstIndex {
      $0 == slash || $0 == question || $0 == hash
    }
    return end.flatMap { address.utf8[$0] == slash ? $0 : nil }
  }

  private static let slash = UInt8(ascii: "/")
  private static let question = UInt8(ascii: "?")
  private static let hash = UInt8(ascii: "#")

  /// Replaces an invented scheme with the real one. Both "feed://host/…" and "feed:https://host/…"
  /// are in use.
  private static func spelt(_ address: String) -> String {
    guard let scheme = Self.scheme(of: address), let spelling = spellings[scheme] else {
      return address
    }
    let rest = address.dropFirst(scheme.utf8.count + 1).drop { $0 == "/" }
    let inner = Self.scheme(of: rest)
    return inner == "http" || inner == "https" ? String(rest) : "\(spelling)://\(rest)"
  }

  /// Removes white space at the ends, line breaks and control characters. Encodes inner spaces.
  private static func cleaned(_ text: String) -> String {
    var rest = text[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    guard rest.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) else { return String(rest) }
    return rest.unicodeScalars.reduce(into: "") { cleaned, scalar in
      if scalar == " " {
        cleaned += "%20"
      } else if scalar.value > 0x20, scalar.value != 0x7f {
        cleaned.unicodeScalars.append(scalar)
      }
    }
  }
}

extension WebAddress.Refusal {
  fileprivate init(_ error: AddressError) {
    switch error {
    case .noHost: self.init(description: "names no host")
    case .badHost: self.init(description: "names a host that cannot exist")
    case .badPort: self.init(description: "has a port that is no number up to 65535")
    case .empty, .noScheme, .unsupportedScheme, .badCharacter, .unreadable:
      self.init(description: "cannot be read")
    }
  }
}
