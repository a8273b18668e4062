import Addresses
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PercentEncodingTests {
  @Test(arguments: [
    ("a", "a"), ("", ""), ("%41%62", "Ab"), ("%c3%A9", "é"), ("a%20b+c", "a b+c"), ("%", "%"),
    ("%4", "%4"), ("%zz%41", "%zzA"), ("a%", "a%"), ("%2541", "%41"), ("%00", "\0"), ("é%41", "éA"),
    ("%C3", "%C3"), ("%FF%41", "%FF%41"),
  ])
  func aTextIsDecodedUnlessItWouldBeNoText(encoded: String, text: String) {
    #expect(PercentEncoding.decoded(encoded) == text)
  }

  @Test(arguments: [
    ("a-b_c.d~e", "a-b_c.d~e"), ("a b", "a%20b"), ("é", "%C3%A9"), ("a/b?c#d", "a%2Fb%3Fc%23d"),
    ("!$&'()*+,;=:@", "!$&'()*+,;=:@"), ("100%", "100%25"), ("\n", "%0A"),
  ])
  func aNameIsOneSegment(name: String, segment: String) {
    #expect(PercentEncoding.encodedSegment(name) == segment)
    #expect(PercentEncoding.decoded(segment) == name)
  }
}
