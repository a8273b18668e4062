/// The samples of one fragment, read from its `moof` boxes alone.
///
/// A fragment can have several `moof` boxes, and packagers write the decoding time only into the
/// first box. So one `MovieFragment` reads all boxes of a fragment, in order.
package struct MovieFragment {
  package private(set) var samples: [FragmentSample] = []
  /// True if the fragment has samples of tracks that are not read.
  package private(set) var hasOthers = false
  private let defaults: [Int: SampleDefaults]
  /// The offset of the fragment in its resource. It is subtracted from absolute offsets.
  private let origin: Int
  /// The size of the fragment in bytes.
  private let size: Int
  /// The number of samples of tracks that are not read.
  private var passed = 0
  /// The decoding time of each track's next sample in ticks, by the number of the track.
  private var clock: [Int: Int] = [:]

  /// - Parameter defaults: the default values of the tracks that are read, by the numbers of the
  ///   tracks. Samples of other tracks are left out.
  package init(defaults: [Int: SampleDefaults], origin: Int, size: Int) {
    self.defaults = defaults
    self.origin = origin
    self.size = size
  }

  /// Reads the content of a `moof` box.
  ///
  /// - Parameter offset: the offset of the box in the fragment.
  package mutating func read(
    _ moof: ArraySlice<UInt8>, at offset: Int
  ) throws(StreamError) {
    try StreamLimit.movieFragment.check(moof.count)
    // Unless a flag says otherwise, the data of a track begin where the data of the previous track
    // end.
    var end = offset
    for box in try Box.all(in: moof) where box.type == "traf" {
      try read(box, moof: offset, end: &end)
    }
  }

  private mutating func read(_ traf: Box, moof: Int, end: inout Int) throws(StreamError) {
    let boxes = try traf.children
    guard let headerBox = boxes.first(where: { $0.type == "tfhd" }) else {
      throw .malformed("traf without tfhd")
    }
    let header = try TrackFragmentHeader(headerBox)
    let base: Int
    if let absolute = header.base {
      base = try MediaTime.difference(absolute, origin)
    } else {
      base = header.isRelativeToMoof ? moof : end
    }
    guard let known = defaults[header.track] else {
      // This track is not read. But the data of the next track can begin where the data of this
      // track end.
      end = try dataEnd(boxes, header.values(over: SampleDefaults()), from: base)
      return
    }
    if let box = boxes.first(where: { $0.type == "tfdt" }) {
      var (version, _, cursor) = try box.full()
      clock[header.track] = try cursor.number(version: version)
    }
    guard var time = clock[header.track] else { throw .malformed("a fragment without its time") }
    var place = base
    for box in boxes where box.type == "trun" {
      let run = try TrackRun(box, header.values(over: known), most: room)
      if let offset = run.offset { place = try MediaTime.sum(base, offset) }
      for entry in run.entries {
        try append(entry, track: header.track, time: time, at: &place)
        time = try MediaTime.sum(time, entry.duration)
      }
    }
    clock[header.track] = time
    end = place
  }

  /// How many more samples the fragment is allowed to have.
  private var room: Int { StreamLimit.samples.value - samples.count - passed }

  private mutating func append(
    _ entry: TrackRun.Entry, track: Int, time: Int, at place: inout Int
  ) throws(StreamError) {
    guard place >= 0, entry.size <= size, place <= size - entry.size else {
      throw .malformed("a sample outside its fragment")
    }
    samples.append(
      FragmentSample(
        track: track, bytes: place..<place + entry.size, time: time,
        composition: entry.composition, duration: entry.duration,
        isKey: entry.flags & 0x1_0000 == 0, isDiscardable: entry.flags >> 22 & 3 == 2))
    place += entry.size
  }

  private mutating func dataEnd(
    _ boxes: [Box], _ values: SampleDefaults, from base: Int
  ) throws(StreamError) -> Int {
    var place = base
    for box in boxes where box.type == "trun" {
      let run = try TrackRun(box, values, most: room)
      hasOthers = hasOthers || !run.entries.isEmpty
      passed += run.entries.count
      if let offset = run.offset { place = try MediaTime.sum(base, offset) }
      for entry in run.entries { place = try MediaTime.sum(place, entry.size) }
    }
    return place
  }
}
