import Blocks
import Filling
import Locks
import Streams

/// Learns the layout of a stream from its origin: heads, indexes, sizes and keys.
struct LayoutMaker: Sendable {
  /// The limit for requests at the same time. The client delays the requests that are too many for
  /// an origin.
  static let maxRequests = 32
  /// The size limit for the document of a key, in bytes.
  private static let maxKeyBytes = 64

  let pieces: PieceClient
  /// The version that the layout should have; nil if no version is known.
  var expected: Representation?
  /// Called with two numbers: how many requests were answered, and how many were planned so far.
  let progress: @Sendable (_ done: Int, _ all: Int) -> Void

  /// Makes a `Film` of the stream `source`.
  ///
  /// - Parameter saved: a layout that was made earlier; nil if there is none.
  /// - Throws: the reason why no `Film` can be made.
  func film(
    of source: StreamSource, saved: StreamLayout?
  ) async throws(PieceError) -> Film {
    do {
      let keys = try await keys(of: source)
      if let saved, source.mayHave(saved) {
        var source = source
        if saved.leavesTracksOut { source.tell(["other tracks of the files"]) }
        return Film(
          layout: saved, resources: source.resources(in: saved), keys: keys, source: source)
      }
      return try await made(of: source, keys)
    } catch {
      var trouble = PieceError(any: error)
      trouble.isOfFile = trouble.isVerdict && source.tracks.contains(where: \.isPlainFile)
      if trouble.isOfFile, expected != nil, case .unsupported? = error as? StreamError {
        // The file has changed, so that its stream cannot be converted any more. The entry's next
        // version is the file itself, without conversion.
        throw PieceError(.changed, trouble.words)
      }
      // If the stream changed while its layout was learned, no reader has got a byte of it. So this
      // counts as a failure, after which the layout is learned again.
      throw trouble.end == .changed ? PieceError(.failed, trouble.words) : trouble
    }
  }

  private func keys(of source: StreamSource) async throws -> [[UInt8]] {
    let places = source.tracks.flatMap { track in
      track.keys.map { PiecePlace(address: $0, headers: track.headers) }
    }
    return try await concurrently(places, most: Self.maxRequests) { place in
      let (key, _) = try await pieces.document(at: place, limit: Self.maxKeyBytes)
      return try KeyText.key(in: key)
    }
  }

  private func made(of source: StreamSource, _ keys: [[UInt8]]) async throws -> Film {
    var source = source
    let counter = RequestCounter(progress)
    let parts = try await concurrently(Array(source.tracks.indices), most: source.tracks.count) {
      [source] number in
      let own = source.tracks[..<number].reduce(0) { $0 + $1.keys.count }
      let strand = StrandMaker(
        pieces: pieces, keys: Array(keys.dropFirst(own).prefix(source.tracks[number].keys.count)),
        keysBefore: own, total: source.duration, counter: counter)
      return try await strand.draft(of: source.tracks[number])
    }
    for (number, part) in parts.enumerated() { source.tracks[number] = part.track }
    source.tell(parts.flatMap(\.draft.lost))
    // In each section, all tracks that come in separate segments share one clock.
    var stamps: [Int: Int] = [:]
    for case .clocked(let samples, _) in parts.map(\.draft) {
      stamps.merge(samples.stamps, uniquingKeysWith: min)
    }
    var strands: [StrandIndex] = []
    var keysBefore = 0
    for (part, track) in zip(parts, source.tracks) {
      switch part.draft {
      case .ready(let index): strands.append(index)
      case .clocked(let samples, let facts):
        if source.chapters.isEmpty, let first = facts.first(where: { !$0.beginning.isEmpty }) {
          source.chapters = TagChapters.chapters(in: first.beginning)
        }
        strands.append(
          try samples.index(facts, stamps: stamps, keys: keysBefore).speaking(track.language))
      }
      keysBefore += track.keys.count
    }
    let hashes = try keys.map(SHA256.hash)
    func made(_ chapters: [StreamChapter]) throws -> StreamLayout {
      try StreamRecipe(
        strands: strands, chapters: chapters, keyHashes: hashes, hash: SHA256.hash
      ).layout()
    }
    var layout = try made(source.chapters)
    if let expected, layout.representation != expected, !source.chapters.isEmpty {
      // The known version may be one without chapters, because they did not come in time when it
      // was made.
      let plain = try made([])
      if plain.representation == expected { layout = plain }
    }
    var film = Film(
      layout: layout, resources: source.resources(in: layout), keys: keys, source: source)
    var before = 0
    for (part, strand) in zip(parts, strands) {
      for (address, version) in part.seen { film.seen[before + address] = version }
      before += strand.resources
    }
    for (number, part) in parts.enumerated() {
      guard case .clocked(_, let facts) = part.draft,
        let (slot, beginning) = layout.beginning(ofStrand: number, facts)
      else { continue }
      film.beginnings[slot] = beginning
    }
    return film
  }
}

extension StrandMaker.Draft {
  /// The parts of the strand's files that the stream's file lacks, in words for the user.
  fileprivate var lost: [String] {
    guard case .ready(let index) = self else { return [] }
    return index.lost + [index.balance.words].compactMap(\.self)
  }
}

/// Counts the requests that are made to learn a layout.
final class RequestCounter: Sendable {
  private let counts = Locked((done: 0, all: 0))
  private let progress: @Sendable (Int, Int) -> Void

  init(_ progress: @escaping @Sendable (Int, Int) -> Void) {
    self.progress = progress
  }

  func planned(_ number: Int) { change { $0.all += number } }

  func answered() { change { $0.done += 1 } }

  private func change(_ body: (inout (done: Int, all: Int)) -> Void) {
    let (done, all) = counts.withLock { counts in
      body(&counts)
      return counts
    }
    progress(done, all)
  }
}
