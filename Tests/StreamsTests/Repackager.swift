import TestSupport
import Testing

@testable import Streams

/// The form in which a packager writes fragmented MP4.
struct PackagerShape: Sendable, CustomTestStringConvertible {
  enum Base: Sendable { case moof, absolute, none }
  enum Index: Sendable { case whole, nested, ofTheFirstAlone, ofEach, none }
  /// Where the values stand that all samples share.
  enum Defaults: Sendable { case runs, fragments, head }

  let name: String
  /// `mvex` before the tracks.
  var isExtendedFirst = false
  var hasEditList = true
  /// The `moof` boxes of each fragment.
  var moofs = 1
  /// Whether each `moof` tells its time, or only the first one of a fragment.
  var tellsEachTime = true
  /// The types of boxes in front of each fragment.
  var before: [String] = []
  var base = Base.moof
  var index = Index.whole
  var defaults = Defaults.runs
  /// Whether boxes of media have sizes of 64 bits.
  var isLarge = false
  /// Whether a `moof` has a `trun` for each half of its samples.
  var hasTwoRuns = false
  /// Whether compositions are shifted below zero, and the edit list is left out.
  var isNegative = false

  var testDescription: String { name }
}

/// A track of a fragmented MP4 film, to be written again as other packagers write it.
struct Repackaged {
  struct Sample {
    let bytes: [UInt8]
    /// Ticks.
    let time: Int
    let duration: Int
    var composition: Int
    let isKey: Bool
    let isDiscardable: Bool

    /// The flags of a sample (ISO/IEC 14496-12 §8.8.3.1).
    var flags: Int {
      (isKey ? 0x200_0000 : 0x101_0000) | (isDiscardable ? 0x80_0000 : 0x40_0000)
    }
  }

  let id: Int
  let timescale: Int
  /// The groups of pictures, or two seconds of sound each.
  private(set) var groups: [[Sample]] = []
  /// The boxes of its track in the head.
  private let trak: [Box]
  private let header: Box
  /// Ticks that the edit list takes away.
  private let edit: Int

  /// - Parameter number: the track's number in the new file.
  init(_ file: [UInt8], number: Int = 1) throws {
    let boxes = try Box.all(in: file[...])
    guard let moov = boxes.first(where: { $0.type == "moov" }),
      let header = try moov.first("mvhd"), let trak = try moov.first("trak")
    else { throw TestToolError("no head") }
    let head = try MovieHead(moov)
    let track = head.tracks[0]
    var movie = MovieFragment(
      defaults: [track.id: track.defaults], origin: 0, size: file.count)
    for box in boxes where box.type == "moof" {
      try movie.read(box.body, at: box.body.startIndex - 8)
    }
    self.header = header
    self.trak = try trak.children
    id = number
    timescale = track.description.timescale
    edit = track.shift
    var start = 0
    for sample in movie.samples {
      let isLong = sample.time - start >= 2 * timescale
      let isFirst = track.description.isVideo ? sample.isKey : isLong
      if groups.isEmpty || isFirst {
        groups.append([])
        start = sample.time
      }
      groups[groups.count - 1].append(
        Sample(
          bytes: Array(file[sample.bytes]), time: sample.time, duration: sample.duration,
          composition: sample.composition, isKey: sample.isKey,
          isDiscardable: sample.isDiscardable))
    }
  }

  /// Returns samples of this track from each of `times` on, in seconds.
  func cut(at times: [Double]) -> [[Sample]] {
    let all = groups.flatMap(\.self)
    return times.indices.map { place in
      all.filter { sample in
        let time = Double(sample.time) / Double(timescale)
        let isBehind = place == 0 || time >= times[place]
        return isBehind && (place + 1 == times.count || time < times[place + 1])
      }
    }
  }

  // MARK: The head

  static func head(_ tracks: [Repackaged], _ shape: PackagerShape) -> [UInt8] {
    let traks = Array(tracks.map { $0.trak(shape) }.joined())
    let extends = TestBoxes.box(
      "mvex",
      Array(
        tracks.map { track in
          let usual = track.groups[0][0]
          let isShared = shape.defaults == .head
          return TestBoxes.full(
            "trex", 0, 0,
            TestBoxes.words(
              track.id, 1, isShared ? usual.duration : 0, 0, isShared ? 0x101_0000 : 0))
        }.joined()))
    return TestBoxes.brand
      + TestBoxes.box(
        "moov", TestBoxes.box("mvhd", Array(tracks[0].header.body)),
        shape.isExtendedFirst ? extends + traks : traks + extends)
  }

  private func trak(_ shape: PackagerShape) -> [UInt8] {
    let hasEdits = shape.hasEditList && !shape.isNegative
    let parts = trak.filter { hasEdits || $0.type != "edts" }.map { box in
      var body = Array(box.body)
      if box.type == "tkhd" { body.replaceSubrange(12..<16, with: TestBoxes.number(id, 4)) }
      return TestBoxes.box(box.type.description, body)
    }
    return TestBoxes.box("trak", Array(parts.joined()))
  }

  // MARK: A fragment

  private func composition(_ sample: Sample, _ shape: PackagerShape) -> Int {
    sample.composition - (shape.isNegative ? edit : 0)
  }

  /// The time at which the first of `samples` is shown, and the end of the last, in ticks.
  func span(_ samples: [Sample], _ shape: PackagerShape) -> Range<Int> {
    let starts = samples.map { $0.time + composition($0, shape) }
    let ends = samples.map { $0.time + composition($0, shape) + $0.duration }
    return (starts.min() ?? 0)..<(ends.max() ?? 0)
  }

  private func traf(
    _ samples: [Sample], tellsTime: Bool, _ shape: PackagerShape, moof: Int, data: Int
  ) -> [UInt8] {
    var flags = 0
    var values: [UInt8] = []
    if shape.base == .absolute {
      flags |= 1
      values += TestBoxes.number(moof, 8)
    }
    if shape.base == .moof { flags |= 0x2_0000 }
    let isShared = shape.defaults != .runs
    if shape.defaults == .fragments {
      flags |= 0x28
      values += TestBoxes.words(samples[0].duration, 0x101_0000)
    }
    let half = shape.hasTwoRuns ? max(1, samples.count / 2) : samples.count
    var place = data
    var runs: [UInt8] = []
    for part in [samples[..<half], samples[half...]] where !part.isEmpty {
      let isKey = part.first?.isKey ?? false
      let hasFirst = isShared && isKey
      var bits = 0x201 | 0x800
      bits |= isShared ? (hasFirst ? 4 : 0) : 0x500
      runs += TestBoxes.full(
        "trun", shape.isNegative ? 1 : 0, bits, TestBoxes.words(part.count, place),
        hasFirst ? TestBoxes.words(0x200_0000) : [],
        Array(
          part.map { sample in
            (isShared ? [] : TestBoxes.words(sample.duration))
              + TestBoxes.words(sample.bytes.count)
              + (isShared ? [] : TestBoxes.words(sample.flags))
              + TestBoxes.words(composition(sample, shape))
          }.joined()))
      place += part.reduce(0) { $0 + $1.bytes.count }
    }
    return TestBoxes.box(
      "traf", TestBoxes.full("tfhd", 0, flags, TestBoxes.words(id), values),
      tellsTime ? TestBoxes.full("tfdt", 1, 0, TestBoxes.number(samples[0].time, 8)) : [], runs)
  }

  /// Returns a fragment with samples of each track, which lies at `place` of its file.
  static func fragment(
    _ parts: [(track: Repackaged, samples: [Sample])], at place: Int, _ shape: PackagerShape
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for name in shape.before {
      switch name {
      case "styp": bytes += TestBoxes.box("styp", Array("msdh".utf8), TestBoxes.words(0))
      case "prft": bytes += TestBoxes.full("prft", 1, 0, TestBoxes.words(1, 0, 0, 0, 0))
      case "emsg": bytes += TestBoxes.full("emsg", 0, 0, Array("urn:x\u{0}1\u{0}".utf8))
      default: bytes += TestBoxes.box(name, [UInt8](repeating: 7, count: 40))
      }
    }
    if shape.index == .ofEach, let (track, samples) = parts.first {
      let own = fragment(parts, at: 0, shape.without)
      let span = track.span(samples, shape)
      bytes += TestBoxes.sidx(
        track: track.id, timescale: track.timescale, earliest: span.lowerBound,
        [(own.count, span.count, false)])
    }
    for number in 0..<shape.moofs {
      let cut = parts.map { part in
        let (count, all) = (part.samples.count, shape.moofs)
        return (part.track, Array(part.samples[count * number / all..<count * (number + 1) / all]))
      }.filter { !$0.1.isEmpty }
      func moof(_ data: Int) -> [UInt8] {
        var data = data
        let trafs = cut.map { track, samples in
          defer { data += samples.reduce(0) { $0 + $1.bytes.count } }
          return track.traf(
            samples, tellsTime: number == 0 || shape.tellsEachTime, shape,
            moof: place + bytes.count, data: data)
        }
        return TestBoxes.box(
          "moof", TestBoxes.full("mfhd", 0, 0, TestBoxes.words(number + 1)),
          Array(trafs.joined()))
      }
      let media = cut.flatMap { $0.1.flatMap(\.bytes) }
      bytes += moof(moof(0).count + (shape.isLarge ? 16 : 8))
      if shape.isLarge {
        bytes += TestBoxes.words(1) + Array("mdat".utf8) + TestBoxes.number(media.count + 16, 8)
        bytes += media
      } else {
        bytes += TestBoxes.box("mdat", media)
      }
    }
    return bytes
  }
}

extension PackagerShape {
  /// The same shape without what lies in front of fragments.
  fileprivate var without: PackagerShape {
    var shape = self
    shape.before = []
    shape.index = .none
    return shape
  }
}

/// A film that was packed again.
struct RepackagedFilm {
  /// The bytes before the first fragment, with its index.
  let head: [UInt8]
  let fragments: [[UInt8]]
  /// The duration of each fragment in nanoseconds.
  let durations: [Int]

  var bytes: [UInt8] { head + fragments.joined() }

  /// The places of the fragments in the file.
  var places: [Range<Int>] {
    var end = head.count
    return fragments.map { fragment in
      defer { end += fragment.count }
      return end..<end + fragment.count
    }
  }

  /// Packs tracks into one file; the first one cuts the others.
  init(_ tracks: [Repackaged], _ shape: PackagerShape) {
    let reference = tracks[0]
    let cuts = reference.groups.map { Double($0[0].time) / Double(reference.timescale) }
    let others = tracks.dropFirst().map { $0.cut(at: cuts) }
    let parts = reference.groups.enumerated().map { place, group in
      [(track: reference, samples: group)]
        + zip(tracks.dropFirst(), others).map { (track: $0, samples: $1[place]) }
    }
    let spans = reference.groups.map { reference.span($0, shape) }
    let ticks = spans.enumerated().map { place, span in
      (place + 1 < spans.count ? spans[place + 1].lowerBound : span.upperBound) - span.lowerBound
    }
    let boxes = Repackaged.head(tracks, shape)
    func fragments(from start: Int) -> [[UInt8]] {
      var place = start
      return parts.map { part in
        let bytes = Repackaged.fragment(part, at: place, shape)
        place += bytes.count
        return bytes
      }
    }
    // Sizes do not depend on places.
    let sizes = fragments(from: 0).map(\.count)
    let all = zip(sizes, ticks).map { (size: $0, duration: $1, isIndex: false) }
    func sidx(
      _ references: ArraySlice<(size: Int, duration: Int, isIndex: Bool)>, from earliest: Int
    )
      -> [UInt8]
    {
      TestBoxes.sidx(
        track: reference.id, timescale: reference.timescale, earliest: earliest,
        Array(references))
    }
    let earliest = spans[0].lowerBound
    let front: [UInt8]
    switch shape.index {
    case .whole: front = boxes + sidx(all[...], from: earliest)
    case .ofTheFirstAlone: front = boxes + sidx(all[..<1], from: earliest)
    case .ofEach, .none, .nested: front = boxes
    }
    guard shape.index == .nested else {
      head = front
      self.fragments = fragments(from: front.count)
      durations = ticks.map { $0 * 1_000_000_000 / reference.timescale }
      return
    }
    // An index of two indexes, each before its half.
    let half = all.count / 2
    let halves = [all[..<half], all[half...]]
    let inner = [
      sidx(halves[0], from: earliest), sidx(halves[1], from: spans[half].lowerBound),
    ]
    let outer = zip(halves, inner).map { part, index in
      (
        size: index.count + part.reduce(0) { $0 + $1.size },
        duration: part.reduce(0) { $0 + $1.duration }, isIndex: true
      )
    }
    var made = fragments(from: 0)
    made[half] = inner[1] + made[half]
    self.fragments = made
    durations = ticks.map { $0 * 1_000_000_000 / reference.timescale }
    head = boxes + sidx(outer[...], from: earliest) + inner[0]
  }
}
