import HTTP
import StreamFiles
import Streams

/// Distinguishes streams from files.
extension AddressChoice {
  /// Returns the stream to which an address leads; nil if it leads to a file.
  func stream(at url: String) -> OfferedChoice? {
    switch streams?[url] {
    case nil: nil
    case .playlist: .playlist(address: url, headers: [:], begins: nil)
    case .file: .source(StreamSource(file: url))
    case .any: .any(address: url)
    }
  }

  /// Whether a stream is at `url`, and the version is not proved to be a plain file. Then an answer
  /// that brings the bytes of the file at `url` comes too late.
  func isStream(at url: String) -> Bool {
    !isPage && streams?[url] != nil && (proof.expected.map(StreamLayout.isFilm) ?? isUnproved)
  }

  /// Whether the file at `url` is read as it is, although it is fragmented.
  func isPlain(_ url: String) -> Bool {
    streams?.isPlain(url) ?? false
  }

  /// Whether the first bytes of an answer must show if the file is a fragmented MP4, because such a
  /// file is read as a stream.
  func mayBeFragmented(_ answer: AcceptedAnswer, at url: String) -> Bool {
    streams != nil && !isPage && !answer.isWhole && answer.bytes.lowerBound == 0 && isUnproved
      && !isPlain(url)
  }

  /// Notes that a fragmented MP4 is at `url`. Returns whether the fetch must start again.
  mutating func becomesFilm(at url: String) -> Bool {
    isUnproved && streams?.set(.file, at: url) ?? false
  }

  /// Notes that `url` leads to a stream, if the end of an answer shows it. Returns whether the
  /// fetch must start again.
  mutating func becomesStream(_ end: TransferEnd, at url: String) -> Bool {
    guard case .refused(.list(let kind)) = end, kind.mayBeStream, isUnproved else { return false }
    return streams?.set(.playlist, at: url) ?? false
  }

  /// Whether a stream that a page offers can be read: it was neither refused nor tried before.
  func mayPlay(_ offered: OfferedChoice, besides refused: [String: String]) -> Bool {
    let address = offered.address
    return streams != nil && refused[address] == nil && !candidates.tried.contains(address)
  }

  /// Returns whether the file at `url` is read as it is, because it cannot be read as a stream. If
  /// `verdict` says this about the file, and no version is proved yet, notes it first. Returns
  /// false for other streams.
  mutating func isReadPlainly(_ url: String, _ verdict: PieceError?) -> Bool {
    if let verdict, isUnproved, verdict.isOfFile || streams?[url] == .file {
      streams?.readPlainly(url)
    }
    return isPlain(url)
  }
}

extension OfferedChoice {
  /// The address that identifies the stream while it is read.
  var address: String {
    switch self {
    case .playlist(let address, _, _), .any(let address): address
    case .playlists(let picture, _, _): picture
    case .source(let source): source.tracks.first?.addresses.first ?? ""
    }
  }
}
