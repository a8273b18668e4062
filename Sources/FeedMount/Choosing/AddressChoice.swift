import Addresses
import FeedReading
import Filling
import HTTP
import Streams

/// Chooses the address that is asked for one version of one entry: a candidate of the feed, or a
/// format of its web page. Also decides whether a file or a stream is at that address.
///
/// Each function takes an event and returns the next step, which `HTTPOrigin` performs. `refused`
/// has the reasons why addresses are not asked now, by address.
struct AddressChoice: Sendable {
  /// The way in which a fetch begins.
  enum Start: Hashable, Sendable {
    case file(url: String, fields: [HeaderField])
    case stream(OfferedChoice, chapters: [StreamChapter])
    /// The web page must be asked for its addresses first.
    case ask(PageQuestion)
    /// The fetch ends: no address can be asked.
    case refuse
    /// The fetch ends: no request is allowed now.
    case stop
  }

  /// True if the feed names only a web page for the entry.
  let isPage: Bool
  var candidates: Candidates
  var formats: PageFormats
  /// The addresses that are read as streams; nil if the user wants no files made of streams.
  var streams: StreamAddresses?
  var proof: VersionProof
  var renewal = Renewal()
  /// The trouble with the last answer; nil if there is none.
  private(set) var trouble: String?
  /// True if another request would be useless.
  private(set) var isHopeless = false

  /// - Parameters:
  ///   - candidates: for a web page, only the page.
  ///   - formats: its `mark` names the format of the web page that was read before.
  init(
    of candidates: Candidates, isPage: Bool = false, formats: PageFormats = PageFormats(),
    streams: StreamAddresses? = nil, proof: VersionProof = VersionProof()
  ) {
    self.isPage = isPage
    self.candidates = candidates
    self.formats = formats
    self.streams = streams
    self.proof = proof
  }

  /// The address of the candidate in use. For a web page, it is the page.
  var url: String { candidates.current }

  /// The address that is asked, and the header fields for it. For a web page, they are those of the
  /// format in use.
  var place: (url: String, fields: [HeaderField]) {
    guard isPage, let format = formats.current else { return (url, []) }
    return (format.url, format.fields)
  }

  /// True as long as no answer has shown that the address in use can be read.
  var isUnproved: Bool { proof.isMissing }

  /// True if the last answer came from the address in use itself, and not from the target of a
  /// redirect.
  var isAnsweredDirectly: Bool {
    proof.answeredAt != nil && proof.answeredAt == (try? WebAddress(parsing: url))?.text
  }

  /// Whether the end of a file is requested together with its beginning, before its length is
  /// proved.
  func mayAskForTail(besides refused: [String: String]) -> Bool {
    !isPage && isUnproved && refused[url] == nil && !isStream(at: url)
  }

  // MARK: Candidates

  /// Chooses where a fetch begins. As long as no address was proved, skips addresses that can never
  /// be used.
  mutating func begin(besides refused: [String: String]) -> Start {
    if isPage {
      if let reason = refused[url] { return refuse(reason) }
      return .ask(question)
    }
    if isUnproved, refused[url] != nil, !takeNext(besides: refused) {
      return refuse(refused[url])
    }
    return stream(at: url).map { .stream($0, chapters: []) } ?? .file(url: url, fields: [])
  }

  /// Replaces the candidates by the feed's new addresses of the entry; `url` is the address of the
  /// media that is played. Returns false if the addresses have not changed.
  ///
  /// - Parameter kinds: tells which addresses in `all` are known to be streams.
  mutating func moved(to all: [String], from url: String, _ kinds: StreamAddresses) -> Bool {
    guard candidates.all != all else { return false }
    let former = self.url
    candidates.moved(to: all, current: url)
    // Answers from the former address can still come.
    streams = streams.map { kinds.keeping(former, of: $0) }
    return true
  }

  /// Switches to the next candidate, because nothing is at the address of the present one. Returns
  /// false if a candidate was proved or if no candidate is left.
  mutating func takeNext(besides refused: [String: String]) -> Bool {
    isUnproved && candidates.takeNext(besides: refused)
  }

  // MARK: Trouble

  /// Notes the reason why no request can succeed.
  mutating func note(_ trouble: String) {
    note(trouble, isHopeless: true)
  }

  mutating func note(_ trouble: String?, isHopeless: Bool) {
    (self.trouble, self.isHopeless) = (trouble, isHopeless)
  }

  /// Notes that no address can be asked. The next fetch begins with the best candidate.
  mutating func refuse(_ reason: String?) -> Start {
    note(reason ?? "no address of this entry can be used")
    beginAnew()
    return .refuse
  }

  /// Starts over, because no candidate can be used. The next fetch begins with the best candidate.
  mutating func beginAnew() {
    guard isUnproved else { return }
    candidates.beginAnew()
    formats.beginAnew()
    renewal.wasAskedAnew = false
  }
}
