import Blocks
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RepresentationTests {
  /// Versions of which no two may share a file in the cache.
  private static let different = [
    Representation(length: 5, validator: .entityTag("\"a\"")),
    Representation(length: 6, validator: .entityTag("\"a\"")),
    Representation(length: 5, validator: .entityTag("\"A\"")),
    Representation(length: 5, validator: .lastModified("\"a\"")),
    Representation(length: 5, validator: .none),
  ]

  @Test func anotherLengthOrValidatorIsAnotherVersion() {
    #expect(Set(Self.different).count == Self.different.count)
  }

  @Test(arguments: different)
  func theSameLengthAndValidatorIsTheSameVersion(representation: Representation) {
    let again = Representation(
      length: representation.length, validator: representation.validator)

    #expect(again == representation)
  }
}
