import Catalog
import FeedReading
import HTTP

/// News of an entry, from an answer of its origin or of its web page.
enum OriginNews: Sendable {
  /// An answer was accepted.
  case head(HeadNews)
  /// The entity tags that this origin sends for the file are ignored from now on. `date` is the
  /// strong Last-Modified of the file's version; nil if none is known.
  case untagged(at: String, date: String?)
  /// The web page of the entry states these facts.
  case facts(LearnedFacts)
  /// The stream of the entry has these subtitles.
  case subtitles([Subtitle])
  /// The entry is live, as its web page or its origin says.
  case isBroadcast
}

/// The facts that the catalog learns from the head of an answer.
struct HeadNews: Hashable, Sendable {
  let answer: AcceptedAnswer
  /// The Last-Modified date of the version; nil if no strong one is known (RFC 9110 §8.8.2.2).
  let date: String?
  /// The address of the candidate that has answered. For a web page, it is the address of the page.
  let url: String
  /// Names the format of the web page that is read. Nil if the feed names the address of the media
  /// itself.
  let format: String?
}

/// An address that is not asked for a while, and the reason.
struct Refusal: Hashable, Sendable {
  /// Seconds for which a refused address is not asked again.
  static let memory = 600
  /// Seconds for which a stream without an end is not asked again.
  static let liveMemory = 60

  let url: String
  let reason: String
  var time = memory
}
