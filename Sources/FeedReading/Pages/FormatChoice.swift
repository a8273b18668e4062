package import Streams

/// Chooses among the formats of a web page. The result depends on the parameters alone, so tests
/// can check each rule with a row of a table.
///
/// The greatest height up to the user's limit wins. Between equal heights, the user's order of
/// codecs and containers decides. After that, a format that nearly every player knows wins, because
/// the file is named ".mp4" before the page is read.
package struct FormatChoice: Hashable, Sendable {
  private let media: MediaChoice
  /// The mark of the format that was played before; nil if none was. This format wins, because its
  /// cached bytes can be used again.
  private let before: String?
  /// The length of the version that is cached; nil if there is none. A format of this length is
  /// preferred, because it is probably the cached one.
  private let length: Int?

  /// - Parameters:
  ///   - before: the mark of the format that was played before (`PageFormat.mark`).
  ///   - length: the length in bytes of the version that is cached.
  package init(_ media: MediaChoice, before: String? = nil, length: Int? = nil) {
    self.media = media
    self.before = before
    self.length = length
  }

  /// Returns the formats that can be read directly as a file, the best first. Streams are left out.
  package func ranked(_ formats: [PageFormat]) -> [PageFormat] {
    let usable = formats.filter { !$0.isStream && isWanted($0) }
    let ranks = usable.map(rank)
    // Formats of equal rank keep the order of the answer.
    let places = usable.indices.sorted { one, other in
      ranks[one] == ranks[other] ? one < other : Self.isBetter(ranks[one], ranks[other])
    }
    return places.map { usable[$0] }
  }

  /// Returns the stream from which the file is made; nil if there is none, or if a format can be
  /// read directly as the file.
  ///
  /// - Parameters:
  ///   - isStream: whether the version that is cached was made of a stream; nil if none is cached.
  package func stream(of media: PageMedia, isStream: Bool?, _ wishes: StreamWishes)
    -> OfferedChoice?
  {
    if isStream == false { return nil }
    var wishes = wishes
    wishes.before = before
    guard let choice = try? OfferedChoice(media.allOffers, wishes) else { return nil }
    if Self.isSound(choice), !self.media.audio { return nil }
    guard case .source(let source) = choice else { return choice }
    let isFile = source.tracks.count == 1 && source.tracks[0].segments.isEmpty
    return isStream == nil && isFile && !ranked(media.formats).isEmpty ? nil : choice
  }

  /// Returns the reason why nothing of `media` can be read as a file.
  ///
  /// - Parameter isStream: whether the version that is cached was made of a stream; nil if none is
  ///   cached.
  package func reason(for media: PageMedia, isStream: Bool?) -> String {
    if let obstacle = media.obstacle { return obstacle.words }
    let wishes = StreamWishes(self.media)
    if isStream == true, wishes == nil {
      return "the cached file was made of a stream; --streams on plays it again"
    }
    do throws(StreamError) {
      let chosen = try OfferedChoice(media.allOffers, wishes ?? StreamWishes())
      let lacksPicture = !media.formats.isEmpty && media.formats.allSatisfy(\.isSound)
      if !self.media.audio, lacksPicture || Self.isSound(chosen) {
        return "the page offers only sound; --audio takes it"
      }
    } catch {
      return error.words
    }
    let end =
      isStream == false
      ? "; the cached version is a file, so they cannot continue it"
      : "; --streams on makes a file of them"
    return media.formats.allSatisfy(\.isStream)
      ? "the page offers only HLS or DASH streams\(end)"
      : "the page offers picture and sound only in separate files\(end)"
  }

  private static func isSound(_ choice: OfferedChoice) -> Bool {
    guard case .source(let chosen) = choice else { return false }
    return chosen.tracks.allSatisfy { $0.contents == .sound }
  }

  private func isWanted(_ format: PageFormat) -> Bool {
    format.isSound ? media.audio : format.hasBoth
  }

  /// Returns the numbers by which formats are compared, the most important first. Greater is
  /// better.
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

  /// Returns the place of a format in the user's order of preference; 0 if the user set no order.
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

  /// Counts how many of these three nearly every player knows: the container, the picture's codec,
  /// and the sound's codec.
  private static func ease(of format: PageFormat) -> Double {
    let ending = MediaType.fileExtension(type: format.type, url: format.url)
    return (["mp4", "m4v", "m4a", "mp3"].contains(ending) ? 1 : 0)
      + (begins(format.picture, ["avc", "h264"]) ? 1 : 0)
      + (begins(format.sound, ["mp4a", "aac", "mp3"]) ? 1 : 0)
  }

  /// Whether the codec of `track` begins with one of `codecs`. An unknown codec gives true, because
  /// sites that do not name codecs mostly use the common ones.
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
