import Blocks
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FingerprintTests {
  /// Later runs find earlier files by these names: the names must never change.
  @Test func theSameKeyHasTheSameNameForEver() {
    #expect(Fingerprint(of: "").description == "d228cb68f51a8caf78912b704e49f346")
    #expect(Fingerprint(of: "a").description == "0880954550ab1be95aa0733055b751b9")
    #expect(
      Fingerprint(of: "http://example.org/feed", "é").description
        == "3fede7491354d7e4ccb6fdd80f0b70e2")
  }

  @Test func aNameHas32DigitsAlsoIfItBeginsWithZeros() {
    #expect(Fingerprint(of: "n336000").description == "00f8961240659b20193e4e250bcc75fa")
  }

  @Test func aKeyIsToldApartFromAnyOtherDivisionOfTheSameText() {
    let names = [
      Fingerprint(of: "abc"), Fingerprint(of: "ab", "c"), Fingerprint(of: "a", "bc"),
      Fingerprint(of: "", "abc"), Fingerprint(of: "abc", ""),
    ]

    #expect(Set(names).count == names.count)
  }
}
