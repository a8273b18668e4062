import Markup
import Streams

/// Reads the output of a resolver: one JSON document, or one or two addresses, each on a line of
/// its own.
package enum ResolverOutput {
  /// The reason why an output cannot be used.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// The limit for the bytes that are read of an output. yt-dlp prints up to 2 MB for a page with
  /// captions in many languages.
  package static let limit = 8 << 20

  /// Returns the media in `output`; nil if it names none.
  ///
  /// - Parameters:
  ///   - output: the whole output. The last line needs no line break.
  ///   - now: the time of the answer, in seconds since 1970.
  package static func media(_ output: [UInt8], now: Int) throws(Fault) -> PageMedia? {
    guard let first = output.first(where: { !Byte.isSpace($0) }) else { return nil }
    if first == UInt8(ascii: "{") { return try document(output, now: now) }
    let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
    // A resolver that prints its warnings to the same output can print them before the document.
    if let place = lines.firstIndex(where: { $0.hasPrefix("{") }),
      !lines.contains(where: isAddress)
    {
      return try document(Array(lines[place...].joined(separator: "\n").utf8), now: now)
    }
    var addresses: [String] = []
    for line in lines where isAddress(line) && !addresses.contains(String(line)) {
      addresses.append(String(line))
    }
    guard addresses.count <= 2 else { throw severalAddresses(addresses.count) }
    guard !addresses.isEmpty else { return nil }
    var media = PageMedia()
    for (place, address) in addresses.enumerated() {
      var format = PageFormat(url: address)
      format.expires = AddressExpiry.time(of: address, now: now)
      format.isStream = Media(url: address).isStream
      var offer = OfferedFormat(name: format.mark, address: address)
      if format.isStream { offer.transport = .playlist }
      // Two addresses are a picture and its sound, in this order.
      if addresses.count == 2 {
        if place == 0 { (format.sound, offer.sound) = (.missing, .missing) }
        if place == 1 { (format.picture, offer.picture) = (.missing, .missing) }
      }
      media.formats.append(format)
      // A single address needs no offer here: `PageMedia.allOffers` makes it.
      if addresses.count == 2 { media.offers.append(offer) }
    }
    return media
  }

  private static func isAddress(_ line: some StringProtocol) -> Bool {
    line.hasPrefix("http://") || line.hasPrefix("https://")
  }

  private static func document(_ output: [UInt8], now: Int) throws(Fault) -> PageMedia? {
    var reader = JSONReader(output, maxValues: maxValues)
    let document = reader.document()
    // A document that is cut off can lack the best format, or end with half an address.
    guard !reader.isUnfinished, !reader.isCut, !reader.isTooDeep else {
      throw Fault(description: "the resolver printed JSON that is cut off, too deep or too long")
    }
    return ResolverDocument(document, now: now).media
  }

  /// The limit for the JSON values of a document. A document of yt-dlp has some ten thousand at
  /// most.
  private static let maxValues = 200_000

  private static func severalAddresses(_ count: Int) -> Fault {
    Fault(
      description:
        "the resolver printed \(count) addresses; have it print one, or a picture and its sound")
  }
}
