/// Computes the times of pictures that have none, because their packet contains several pictures.
///
/// Decoding times are spaced evenly between known decoding times. Presentation times follow the
/// display order: the time between two neighbouring places is computed from known presentation
/// times.
struct PictureClock {
  private let place: Int
  /// The usual time from one picture to the next, in ticks; nil if it is not known yet.
  private var step: Int?
  /// The distance between two pictures with known times, in ticks and in places of the display
  /// order; nil until two such pictures have come.
  private var unit: (ticks: Int, places: Int)?
  /// The usual distance of neighbouring pictures in display order, in places. H.264 gives each
  /// field a place.
  private let places: Int
  /// The presentation time minus the decoding time of a picture that restarts the display order, in
  /// ticks.
  private var delay: Int?
  /// The last picture whose times are known.
  private var told: (decoding: Int, presentation: Int, order: Int?)?
  /// The pictures after `told`, whose times are not known yet.
  private var waiting: [CodedPicture] = []
  /// The latest presentation time so far.
  private var latest: Int?
  /// The number of bytes of pictures that came before the first known time.
  private(set) var lost = 0

  /// - Parameters:
  ///   - place: a time in ticks, less than 13 hours away from the times of the pictures.
  ///   - usual: the usual duration of a picture in ticks, if it is known.
  ///   - delay: the presentation time minus the decoding time of a picture that restarts the
  ///     display order, in ticks, if it is known.
  init(_ codec: PictureCodec, near place: Int, usual: Int?, delay: Int?) {
    self.place = place
    self.delay = delay
    step = usual
    places = codec == .h264 ? 2 : 1
  }

  /// Receives the next picture in decoding order, and returns the pictures whose times are certain.
  mutating func take(_ picture: CodedPicture) throws(StreamError) -> [MediaSample] {
    guard let stamp = picture.stamp else {
      guard told != nil else {
        lost += picture.bytes.count
        return []
      }
      waiting.append(picture)
      try StreamLimit.samples.check(waiting.count)
      return []
    }
    let shown = TimeStamp.unwrapped(stamp.presentation, near: place)
    let decoded = TimeStamp.unwrapped(stamp.decoding, near: shown)
    var samples = try timed(before: (decoded, shown, picture.order, picture.isBeginning))
    told = (decoded, shown, picture.order)
    if picture.isBeginning { delay = shown - decoded }
    latest = max(latest ?? shown, shown)
    samples.append(Self.sample(picture, decoded, shown))
    return samples
  }

  /// Ends the stream: no more pictures come. Returns the pictures that waited for their times.
  ///
  /// - Parameter next: the times of the picture that follows the last picture; nil if they are not
  ///   known.
  mutating func finish(before next: PacketStamp?) throws(StreamError) -> [MediaSample] {
    guard let next else { return try timed(before: nil) }
    let shown = TimeStamp.unwrapped(next.presentation, near: place)
    return try timed(before: (TimeStamp.unwrapped(next.decoding, near: shown), shown, nil, true))
  }

  private mutating func timed(
    before next: (decoding: Int, presentation: Int, order: Int?, isBeginning: Bool)?
  ) throws(StreamError) -> [MediaSample] {
    guard let told else { return [] }
    defer { waiting.removeAll() }
    let count = waiting.count + 1
    if let next, next.decoding > told.decoding {
      step = (next.decoding - told.decoding) / count
      if let one = told.order, let other = next.order, one != other, !next.isBeginning,
        !waiting.contains(where: \.isBeginning),
        (other - one).signum() == (next.presentation - told.presentation).signum()
      {
        unit = (next.presentation - told.presentation, other - one)
      }
    }
    guard !waiting.isEmpty else { return [] }
    guard let step, (1..<1 << 40).contains(step) else { throw .malformed("pictures without times") }
    let (ticks, orders) = unit ?? (step, places)
    var samples: [MediaSample] = []
    // The picture from which presentation times are counted.
    var anchor: (presentation: Int, order: Int?) = (told.presentation, told.order)
    for (number, picture) in waiting.enumerated() {
      let passed = number + 1
      let decoded: Int
      if let next, next.decoding > told.decoding {
        decoded = told.decoding + (next.decoding - told.decoding) * passed / count
      } else {
        decoded = told.decoding + step * passed
      }
      if picture.isBeginning {
        // The pictures before it in the stream are also presented before it.
        let shown = delay.map { decoded + $0 } ?? (latest ?? told.presentation) + step
        anchor = (shown, picture.order)
      }
      guard let order = picture.order, let first = anchor.order else {
        throw .malformed("pictures without times")
      }
      let (product, isTooLarge) = (order - first).multipliedReportingOverflow(by: ticks)
      // Each picture that restarts the display order can add as much to the times, so `anchor` is
      // limited too.
      guard !isTooLarge, product.magnitude < 1 << 60, anchor.presentation.magnitude < 1 << 60 else {
        throw .malformed("pictures without times")
      }
      let shown = anchor.presentation + Self.rounded(product, orders)
      latest = max(latest ?? shown, shown)
      samples.append(Self.sample(picture, decoded, shown))
    }
    return samples
  }

  private static func rounded(_ number: Int, _ divisor: Int) -> Int {
    let (whole, rest) = number.quotientAndRemainder(dividingBy: divisor)
    guard abs(rest) * 2 >= abs(divisor) else { return whole }
    return (number < 0) == (divisor < 0) ? whole + 1 : whole - 1
  }

  private static func sample(_ picture: CodedPicture, _ decoded: Int, _ shown: Int) -> MediaSample {
    MediaSample(
      track: 0, time: decoded, composition: shown - decoded, isKey: picture.isKey,
      isDiscardable: picture.isDiscardable, bytes: picture.bytes[...])
  }
}
