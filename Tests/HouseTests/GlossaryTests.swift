import Testing

/// One word for one thing: a word that docs/glossary.md rejects is no part of a declared name.
///
/// Those that are left are counted. A number may only become smaller, and a word without a number may not
/// come back. The reason of most is another sense of the word.
@Suite(.timeLimit(.minutes(1)))
struct GlossaryTests {
  private struct Leave {
    let count: Int
    let reason: String

    init(_ count: Int, _ reason: String) {
      self.count = count
      self.reason = reason
    }
  }

  private static let left: [String: Leave] = [
    "line": Leave(174, "of a text, of the user's network (`KnownLine`), of a picture's height"),
    "part": Leave(165, "of an address, a text, a message; of an entry in several parts"),
    "rest": Leave(129, "that remains of a text or of bytes"),
    "transfer": Leave(90, "one request of libcurl, below the fetch of a version"),
    "header": Leave(87, "of HTTP, of boxes, of the formats of files"),
    "source": Leave(79, "where a stream's bytes lie, where a value of the settings stands"),
    "item": Leave(74, "of RSS and of a playlist; of a list that is drawn"),
    "sound": Leave(67, "that one hears"),
    "held": Leave(16, "held back or up: a read, an answer, a transfer, a player"),
    "list": Leave(56, "of feeds, of tags, of candidates; a listing"),
    "description": Leave(43, "of Swift's protocol; of a track of MP4"),
    "shown": Leave(44, "as the user sees it, of addresses and titles"),
    "representation": Leave(41, "of a body, as RFC 9110 says; of DASH"),
    "stored": Leave(17, "bytes that files take up on a disk; a word that was written"),
    "kept": Leave(22, "by `keep`; `Presence.kept` of the snapshot; values not thrown away"),
    "hold": Leave(32, "to be so, of a rule; to hold a read back; to keep a file or a lock"),
    "frame": Leave(26, "of MPEG's sound, of HTTP/2"),
    "channel": Leave(25, "of sound"),
    "revision": Leave(19, "the count of changes of a listing"),
    "drop": Leave(18, "of prefixes and of what is not needed any more"),
    "settled": Leave(9, "of a question that has its answer"),
    "server": Leave(8, "of the control socket; of names; of statuses"),
    "doubtful": Leave(8, "of blocks whose checksum was not compared yet"),
    "episode": Leave(6, "a tag of podcasts and of NFO files"),
    "remote": Leave(5, "the other end of a socket"),
    "update": Leave(5, "of a checksum; of an entry by a feed"),
    "watched": Leave(4, "of an entry whose reads the daemon has to see; of writes"),
    "service": Leave(4, "of systemd"),
    "href": Leave(3, "an attribute of HTML and Atom"),
    "rendition": Leave(2, "of HLS (EXT-X-MEDIA)"),
    "alternative": Leave(2, "of HTTP (Alt-Svc); of a page (rel=alternate)"),
    "filter": Leave(1, "of Swift's sequences"),
  ]

  /// The rejected words of the glossary's last column. A word with a row of its own is right in that sense.
  private static let rejected: Set<String> = {
    let rows = Repository.text(of: "docs/glossary.md").split(separator: "\n")
      .filter { $0.hasPrefix("|") }
      .map { $0.split(separator: "|").map { $0.trimmingPrefix(" ") } }
    let rejected = rows.filter { $0.count == 3 && !["not ", "– ", "---"].contains($0[2]) }
      .flatMap { $0[2].split(separator: ",").map(trimmed) }
    return Set(rejected).subtracting(rows.compactMap(\.first).map(trimmed))
  }()

  private static func trimmed(_ word: Substring) -> String {
    String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// How often each rejected word is part of a declared name.
  private static let counts: [String: Int] = {
    let all = rejected.map { ($0, $0.split { !$0.isLetter }.map(String.init)) }
    var counts: [String: Int] = [:]
    var known: [String: [String]] = [:]
    for name in House.sources.files.lazy.flatMap(\.code.declared) {
      let found = known[name] ?? all.filter { has(words(of: name), $0.1) }.map(\.0)
      known[name] = found
      for word in found { counts[word, default: 0] += 1 }
    }
    return counts
  }()

  @Test func theGlossaryRejectsWords() {
    #expect(Self.rejected.count > 50)
    #expect(Self.rejected.isSuperset(of: ["held", "state file", "open-ended", "prefetch"]))
    #expect(Self.rejected.isDisjoint(with: ["read-ahead", "cached", "not", "–", "---"]))
    #expect(Self.left.values.allSatisfy { !$0.reason.isEmpty })
  }

  @Test func noRejectedWordIsDeclaredOnceMore() {
    for (word, count) in Self.counts.sorted(by: { $0.value > $1.value }) {
      let limit = Self.left[word]?.count ?? 0
      #expect(count <= limit, "\(word): see docs/glossary.md for the word to take")
      #expect(count >= limit, "\(word): the list must say \(count) from now on")
    }
    for word in Self.left.keys {
      #expect(Self.counts[word] != nil, "\(word) is gone: the list must not have it any more")
    }
  }

  @Test(arguments: [
    ("heldBytes", ["held", "bytes"]), ("URLOf", ["url", "of"]), ("isHTTP2", ["is", "http"]),
    ("_x", ["x"]), ("StateFile", ["state", "file"]), ("aB", ["a", "b"]), ("inURL", ["in", "url"]),
  ])
  func aNameIsTakenApart(name: String, words: [String]) {
    #expect(Self.words(of: name) == words)
  }

  @Test(arguments: [
    ("stretchesOf", "stretch", true), ("isHeld", "held", true), ("shelved", "held", false),
    ("theStateFiles", "state file", true), ("fileState", "state file", false),
  ])
  func aWordIsFoundInItsPlural(name: String, word: String, isThere: Bool) {
    #expect(
      Self.has(Self.words(of: name), word.split(separator: " ").map(String.init)) == isThere)
  }

  /// Returns the words of a name in camel case, in lower case.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var isUpper = false
    for (place, letter) in name.enumerated() {
      guard letter.isLetter else {
        isUpper = false
        words.append("")
        continue
      }
      let next = name.dropFirst(place + 1).first
      let ends = isUpper && (next?.isLowercase ?? false)
      if letter.isUppercase && (!isUpper || ends) || words.isEmpty { words.append("") }
      words[words.count - 1] += letter.lowercased()
      isUpper = letter.isUppercase
    }
    return words.filter { !$0.isEmpty }
  }

  /// Whether `part` stands in `words`, in the plural too.
  private static func has(_ words: [String], _ part: [String]) -> Bool {
    guard words.count >= part.count else { return false }
    return (0...words.count - part.count).contains { start in
      zip(words[start...], part).allSatisfy { word, wanted in
        word == wanted || word == wanted + "s" || word == wanted + "es"
      }
    }
  }
}
