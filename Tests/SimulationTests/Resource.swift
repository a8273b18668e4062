import Blocks

/// The resource at one address of the origin, in all its possible versions.
struct Resource: Sendable {
  let number: Int
  let versions: [Body]
  /// The segments of each version of a stream.
  var segments: [[Body]] = []

  /// All resources; each entry has one of them.
  static let all: [Resource] = [
    tagged(0, lengths: [200_000, 200_000, 200_000]),
    tagged(1, lengths: [65_536, 65_536, 131_072]),
    dated(2, lengths: [300_001, 250_000, 300_001]),
    nameless(3, lengths: [131_073, 131_074, 100_000]),
    tagged(4, lengths: [1, 1, 0]),
    tagged(5, lengths: [600_000, 600_000, 599_999]),
    tagged(6, lengths: [0, 10, 0]),
    dated(7, lengths: [90_000, 90_000, 90_000]),
    stream(8),
  ]

  /// True if a playlist lies at its address, and its bytes are made of segments.
  var isStream: Bool { !segments.isEmpty }

  /// Returns the version that matches `representation`.
  func version(_ representation: Representation) -> Body? {
    versions.first { $0.representation == representation }
      ?? versions.first {
        representation.validator == .entityTag($0.otherTag)
          && representation.length == $0.bytes.count
      }
      // An empty version needs no validator, since a 416 names none.
      ?? (representation.length == 0 ? versions.first { $0.bytes.isEmpty } : nil)
  }

  private static func tagged(_ number: Int, lengths: [Int]) -> Resource {
    make(number, lengths) { .entityTag("\"r\(number)-v\($0)\"") }
  }

  private static func dated(_ number: Int, lengths: [Int]) -> Resource {
    make(number, lengths) { .lastModified("Mon, 01 Jan 2024 00:00:0\($0) GMT") }
  }

  /// A resource whose versions have no validator; their lengths differ.
  private static func nameless(_ number: Int, lengths: [Int]) -> Resource {
    make(number, lengths) { _ in .none }
  }

  /// A stream of sound. Its versions differ in the sizes of their frames, or in their bytes alone.
  private static func stream(_ number: Int) -> Resource {
    let changed: [Int?] = [nil, 3, 0]
    let films = changed.enumerated().map { version, segment in
      let (film, bytes) = SoundStream.film(changed: segment)
      return Body(
        resource: number, version: version, bytes: bytes, validator: film.validator)
    }
    let segments = changed.enumerated().map { version, changed in
      (0..<SoundStream.segments).map { segment in
        Body(
          resource: number, version: version,
          bytes: SoundStream.segment(segment, isChanged: segment == changed),
          validator: .entityTag("\"r\(number)-v\(version)-s\(segment)\""))
      }
    }
    return Resource(number: number, versions: films, segments: segments)
  }

  private static func make(
    _ number: Int, _ lengths: [Int], _ validator: (Int) -> Validator
  ) -> Resource {
    Resource(
      number: number,
      versions: lengths.enumerated().map { version, length in
        Body(
          resource: number, version: version, length: length, validator: validator(version))
      })
  }
}
