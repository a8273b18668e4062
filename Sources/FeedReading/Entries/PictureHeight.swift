import Markup

/// The height of a candidate's picture in lines.
struct PictureHeight: Hashable {
  /// The source of the height, the most reliable first.
  enum Source: Hashable {
    /// The feed gives the number, as an attribute or in the title of the candidate.
    case feed
    case address, bitrate, size
  }

  let lines: Int
  let source: Source

  /// The height in lines that is assumed for a picture of unknown height. Most pictures without a
  /// height in the feed are about this high, because feeds label smaller ones.
  static let usual = 480

  init(_ lines: Int, by source: Source) {
    (self.lines, self.source) = (lines, source)
  }

  /// Finds the height of the picture in `media`; nil if it is not known.
  ///
  /// - Parameter duration: the duration in seconds that is used if `media` has none of its own.
  init?(of media: Media, duration: Double?) {
    if let lines = media.height {
      self.init(lines, by: .feed)
    } else if let lines = Self.lines(inAddress: media.url) {
      self.init(lines, by: .address)
    } else if let bitrate = media.bitrate {
      self.init(Self.lines(of: bitrate, media), by: .bitrate)
    } else if let length = media.credibleLength, let seconds = media.duration ?? duration,
      seconds >= 1
    {
      self.init(Self.lines(of: Double(length) / 125 / seconds, media), by: .size)
    } else {
      return nil
    }
  }

  /// Returns the height in lines that a title names: "1080p", "1920x1080", "720p50", "4K".
  static func lines(inTitle title: String) -> Int? {
    let words = AddressWords(title).lazy.map(\.text)
    return words.compactMap(sure).first ?? words.compactMap { named[$0] }.first
      ?? bare(title.trimmed)
  }

  // MARK: Private

  /// Returns the height in lines that an address names. A number without "p" is taken only at the
  /// end of the file's name, as the value of a parameter such as `height`, or before "fragmented",
  /// where PeerTube writes it.
  private static func lines(inAddress url: String) -> Int? {
    var (certain, likely): (Int?, Int?)
    var before = ""
    for word in AddressWords(url) {
      let isFragment = word.text == "fragmented"
      if let lines = sure(word.text) {
        certain = lines
      } else if let lines = named[word.text], word.after != Byte.equals {
        likely = lines
      } else if let lines = bare(isFragment ? before : word.text),
        isFragment || word.after == fullStop || word.isInQuery && parameters.contains(before)
      {
        likely = lines
      }
      before = word.text
    }
    return certain ?? likely
  }

  /// Returns the height in lines that a word names, such as "1080p", "1080i", "720p50", "hd1080" or
  /// "1920x1080"; nil for other words.
  private static func sure(_ word: String) -> Int? {
    guard let first = word.utf8.first, word.utf8.count <= 12 else { return nil }
    if !Byte.isDigit(first) { return word.hasPrefix("hd") ? bare(String(word.dropFirst(2))) : nil }
    let digits = word.prefix { $0.isNumber }
    let rest = word[digits.endIndex...]
    guard let number = FeedNumber.digits(digits) else { return nil }
    switch rest.first {
    case "p", "i":
      guard rest.dropFirst().allSatisfy(\.isNumber) else { return nil }
      return possible.contains(number) ? number : nil
    case "x":
      guard number >= possible.lowerBound, let lines = FeedNumber.digits(rest.dropFirst()) else {
        return nil
      }
      return possible.contains(lines) ? lines : nil
    default: return nil
    }
  }

  private static func bare(_ word: String) -> Int? {
    guard (3...4).contains(word.utf8.count), let number = FeedNumber.digits(word[...]) else {
      return nil
    }
    return standard.contains(number) ? number : nil
  }

  private static let possible = 100...4320
  private static let standard: Set<Int> = [
    144, 180, 240, 270, 288, 360, 432, 480, 540, 576, 720, 1080, 1440, 2160, 4320,
  ]
  private static let named = [
    "8k": 4320, "4k": 2160, "uhd": 2160, "fhd": 1080, "fullhd": 1080, "hd": 720, "sd": 480,
  ]
  private static let parameters: Set<String> = [
    "height", "h", "res", "resolution", "quality", "q", "definition",
  ]
  private static let fullStop = UInt8(ascii: ".")

  /// Returns the height in lines that publishers usually encode at this bit rate, in kbit/s.
  private static func lines(of bitrate: Double, _ media: Media) -> Int {
    let rate = bitrate * MediaFormat(of: media).efficiency
    return steps.first { rate >= $0.0 }?.1 ?? 144
  }

  private static let steps: [(Double, Int)] = [
    (12_000, 2160), (6_500, 1440), (2_800, 1080), (1_400, 720), (700, 480), (350, 360), (150, 240),
  ]
}

extension Media {
  /// The height of the picture in lines, if the feed or the address gives it; nil if it could only
  /// be estimated.
  package var toldLines: Int? {
    let height = PictureHeight(of: self, duration: nil)
    return height.flatMap { [.feed, .address].contains($0.source) ? $0.lines : nil }
  }
}
