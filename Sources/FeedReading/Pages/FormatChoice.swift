package import Streams

/// Chooses among the formats of a page. It is a value without state, so that every rule is a row of
/// a table.
///
/// The height decides, up to the user's limit. Then the user's order of codecs and containers counts,
/// and then those that every player knows, since the file's name says mp4 before the page was read.
package struct FormatChoice: Hashable, Sendable {
  private let media: MediaChoice
  /// The mark of the format that was played before, so that cached bytes stay of use.
  private let before: String?
  /// The proved length of the file, if there is one.
  private let length: Int?

  /// - Parameters:
  ///   - before: the mark of the format that was played before.
  ///   - length: the length of the version that is cached.
  package init(_ media: MediaChoice, before: String? = nil, length: Int? = nil) {
    self.media = media
    self.before = before
    self.length = length
  }

  /// Returns the formats that can be read as one file, best first.
  package func ranked(_ formats: [PageFormat]) -> [PageFormat] {
    let usable = formats.filter { !$0.isStream && isWanted($0) }
    let ranks = usable.map(rank)
    // Formats of equal rank keep the order of the answer.
    let places = usable.indices.sorted { one, other in
      ranks[one] == ranks[other] ? one < other : Self.isBetter(ranks[one], ranks[other])
    }
    return places.map { usable[$0] }
  }

  /// Returns the stream to play; nil if a file is as good, or if there is no stream.
  ///
  /// - Parameters:
  ///   - isStream: whether the version that is cached is a stream; nil if none is known.
  package func stream(of media: PageMedia, isStream: Bool?, _ wishes: StreamWishes)
    -> OfferedChoice?
  {
    if isStream == false { return nil }
    var wishes = wishes
    wishes.before = before
    guard let choice = try? OfferedChoice(media.allOffers, wishes) else { return nil }
    guard case .source(let source) = choice else { return choice }
    let isSound = source.tracks.allSatisfy { $0.contents == .sound }
    if isSound, !self.media.audio { return nil }
    let isFile = source.tracks.count == 1 && source.tracks[0].segments.isEmpty
    return isStream == nil && isFile && !ranked(media.formats).isEmpty ? nil : choice
  }

  /// Returns the reason why none of `media` can be read as one file.
  package func reason(for media: PageMedia) -> String {
    if let obstacle = media.obstacle { return obstacle.words }
    if media.formats.isEmpty { return "no video there" }
    let files = media.formats.filter { !$0.isStream }
    if files.isEmpty { return "only HLS or DASH streams there, which are not made into files" }
    if files.contains(where: \.isSound), !files.contains(where: { $0.sound == .missing }) {
      return "only sound there; --audio takes it"
    }
    return "only separate files for picture and sound there, which are not joined"
  }

  private func isWanted(_ format: PageFormat) -> Bool {
    format.isSound ? media.audio : format.hasBoth
  }

  /// The facts that decide, the most important first. Greater is better.
  private func rank(_ format: PageFormat) -> [Double] {
    let height = Double(format.height ?? 0)
    let excess = media.maxHeight.map { max(0, height - Double($0)) } ?? 0
    return [
      before != nil && format.mark == before ? 1 : 0,
      length != nil && format.length == length ? 1 : 0,
      format.isSound ? 0 : 1,
      -excess,
      height,
      -place(of: format),
      Self.ease(of: format),
      format.bitrate ?? 0,
    ]
  }

  /// Returns the place of a format in the user's order; 0 if there is no such order.
  private func place(of format: PageFormat) -> Double {
    guard let prefer = media.prefer else { return 0 }
    var known = Media(url: format.url)
    known.type = format.type
    known.codecs = format.codecs
    return Double(MediaFormat(of: known).place(in: prefer))
  }

  private static func isBetter(_ one: [Double], _ other: [Double]) -> Bool {
    for (left, right) in zip(one, other) where left != right { return left > right }
    return false
  }

  /// Returns how many of container, picture and sound nearly every player knows.
  private static func ease(of format: PageFormat) -> Double {
    let ending = MediaType.fileExtension(type: format.type, url: format.url)
    return (["mp4", "m4v", "m4a", "mp3"].contains(ending) ? 1 : 0)
      + (begins(format.picture, ["avc", "h264"]) ? 1 : 0)
      + (begins(format.sound, ["mp4a", "aac", "mp3"]) ? 1 : 0)
  }

  /// Returns whether the codec of `track` is one of `codecs`. Sites that do not name codecs mostly
  /// have the common ones.
  private static func begins(_ track: PageFormat.Track, _ codecs: [String]) -> Bool {
    guard case .codec(let codec) = track else { return track == .unknown }
    return codecs.contains(where: codec.hasPrefix)
  }
}

extension PageFormat {
  /// The codecs of both tracks, as a media type lists them; nil if none is known.
  fileprivate var codecs: String? {
    let known = [picture, sound].compactMap { track in
      if case .codec(let codec) = track { codec } else { nil }
    }
    return known.isEmpty ? nil : known.joined(separator: ",")
  }
}
