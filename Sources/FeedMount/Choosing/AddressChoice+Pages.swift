import Catalog
import FeedReading
import HTTP
import Resolving
import Streams

/// Chooses among the formats of an entry that has only a web page.
extension AddressChoice {
  /// The request to the resolver for the media of the page.
  var question: PageQuestion {
    PageQuestion(page: url, asker: formats.asker, mark: formats.mark, known: proof.expected)
  }

  /// Returns the request to the resolver for other addresses, because the address in use is not
  /// valid any more.
  ///
  /// - Parameter film: the address of the stream that is read; nil if a file is read.
  func questionAnew(insteadOf film: String?) -> PageQuestion {
    PageQuestion(
      page: url, asker: formats.asker, refused: film ?? formats.current?.url,
      mark: formats.current?.mark)
  }

  /// Notes the outcome of a resolution. If it has failed, returns a refusal of the page, so that
  /// the page is not asked again for ten minutes. Also returns news for the catalog, if there is
  /// any.
  mutating func take(_ outcome: Resolver.Outcome, of page: String) -> (Refusal?, OriginNews?) {
    formats.postponedUntil = nil
    switch outcome {
    case .found(let media, let offers, let stream, let isNews):
      formats.offers = offers
      // The length of a stream's file is not that of any format.
      let length = stream == nil ? offers.first?.length : nil
      return (nil, isNews ? .facts(LearnedFacts(media, length: length)) : nil)
    case .failed(let failure):
      note(failure.words)
      return (Refusal(url: page, reason: failure.words), failure == .live ? .isBroadcast : nil)
    case .postponed(let reason, let time):
      formats.postponedUntil = time
      note(reason)
    case .stopped: break
    }
    return (nil, nil)
  }

  /// Chooses where a fetch begins after the page has answered.
  mutating func begin(after outcome: Resolver.Outcome, besides refused: [String: String]) -> Start {
    switch outcome {
    case .found(let media, let offers, let offered, _):
      if let offered, mayPlay(offered, besides: refused) {
        return .stream(offered, chapters: media.chapters)
      }
      let reasons = offers.map { format in
        refused[format.url] ?? (candidates.tried.contains(format.url) ? trouble : nil)
      }
      guard let place = reasons.firstIndex(of: nil) else {
        return refuse(reasons.first.flatMap(\.self) ?? offered.flatMap { refused[$0.address] })
      }
      return begin(with: offers[place])
    case .failed(let failure): return refuse(failure.words)
    case .postponed(let reason, _): return refuse(reason)
    case .stopped: return .stop
    }
  }

  private mutating func begin(with format: PageFormat) -> Start {
    formats.take(format)
    guard stream(at: format.url) != nil else {
      return .file(url: format.url, fields: format.fields)
    }
    let playlist = OfferedChoice.playlist(
      address: format.url, headers: format.headers, begins: format.begins)
    return .stream(playlist, chapters: [])
  }
}
