import Testing

@testable import FeedReading
@testable import Markup

@Suite(.timeLimit(.minutes(1)))
struct MarkupTokenizerTests {
  /// In the second text each token is written as "name(its parts)"; texts stand for themselves.
  @Test(
    arguments: [
      // Texts and "<" without a tag.
      ("a < b <3 <", "a less() b less()3 less()"), ("", ""), ("< ", "less() "),
      ("<<a>", "less()tag(a)"),
      ("\u{0}<\u{0}", "\u{0}less()\u{0}"), ("</>x", "less()/>x"), ("</ a>", "less()/ a>"),
      // Tags.
      ("<a>", "tag(a)"), ("<A:b-c.d_1>", "tag(A:b-c.d_1)"), ("<_a>", "tag(_a)"),
      ("<a\n>", "tag(a)"),
      ("<a/>", "tag(a /)"), ("<a />", "tag(a /)"), ("<a/ >", "tag(a)"), ("<a/b>", "tag(a b)"),
      ("</a>", "tag(/a)"), ("</A >x", "tag(/A)x"), ("</a b=c>", "tag(/a)"),
      ("<a\u{0}>", "tag(a \u{0})"),
      // Attributes.
      ("<a B=c>", "tag(a B=[c])"), ("<a b c>", "tag(a b c)"),
      ("<a b = 'c d' e>", "tag(a b=[c d] e)"),
      ("<a b=\"c\"d='e'>", "tag(a b=[c] d=[e])"), ("<a b=''>", "tag(a b=[])"),
      ("<a b=>", "tag(a b=[])"),
      ("<a b=c/>", "tag(a b=[c/])"), ("<a b='c'/>", "tag(a b=[c] /)"), ("<a =c d>", "tag(a d)"),
      ("<a b=1 b=2 B=3>", "tag(a b=[1] b=[2] B=[3])"), ("<a b='\"'>", "tag(a b=[\"])"),
      ("<a b=\"1 < 2 > 0\">x", "tag(a b=[1 < 2 > 0])x"), ("<a b=c\"d e\">", "tag(a b=[c\"d] e\")"),
      ("<a b=\"\u{0}&amp;\">", "tag(a b=[\u{0}&amp;])"), ("<a 'b'>", "tag(a 'b')"),
      // Tags without their end, and quotes without theirs.
      ("<a b<c>", "open(a b)tag(c)"), ("<a", "open(a)"), ("<a b=", "open(a b=[])"),
      ("</a<b>", "open(/a)tag(b)"), ("</a", "open(/a)"), ("<a b=c<d>", "open(a b=[c])tag(d)"),
      ("<a b=\"c d>e", "tag(a b=[c] d)e"), ("<a b=\"c d", "open(a b=[c] d)"),
      ("<a b='", "open(a b=[])"),
      ("<a b=\"c>d</a>", "tag(a b=[c])dtag(/a)"),
      // Comments, CDATA, declarations and processing instructions.
      ("<!-- <a> > -- -->b", "comment()b"), ("<!-->b", "comment()b"), ("<!--->b", "comment()b"),
      ("<!-- <a>", "opencomment() tag(a)"), ("<!--", "opencomment()"), ("<!- -->", "declaration()"),
      ("<![CDATA[<a>]] > ]]>b", "cdata(<a>]] > )b"), ("<![CDATA[]]>", "cdata()"),
      ("<![CDATA[<a>", "cdata(<a>)"), ("<![CDATA[", "cdata()"), ("<![cdata[a]]>", "declaration()"),
      ("<!DOCTYPE a>b", "declaration()b"), ("<?a b='>'?>", "declaration()'?>"),
      ("<!DOCTYPE", "opendeclaration()DOCTYPE"), ("<?a <b>", "declaration()"),
      ("<?", "opendeclaration()"),
      ("<!>", "declaration()"),
    ] as [(String, String)])
  func markupIsCutIntoTokens(text: String, tokens: String) {
    #expect(described(text) == tokens)
  }

  @Test func aTagCanBeReadAgainAsText() {
    let bytes = Array("x<a b='<c>' <d>".utf8)
    var tokenizer = MarkupTokenizer(bytes)
    var found: [MarkupTokenizer.Token] = []
    while let token = tokenizer.next() {
      found.append(token)
      if case .tag(let tag) = token, !tag.isClosed { tokenizer.rereadAsText(tag) }
    }
    #expect(
      found.map { word($0, in: bytes) }.joined() == "xopen(a b=[<c>])less()a b='less()c>' tag(d)")
  }

  @Test func aSecondQuoteFarAwayBelongsToSomethingElse() {
    let most = String(repeating: "-", count: MarkupTokenizer.maxQuotationBytes)
    #expect(described("<a b='\(most)'>") == "tag(a b=[\(most)])")
    #expect(described("<a b=' \(most)'>") == "tag(a b=[] \(most)')")
  }

  /// Each text is 256 KiB of one unit, which would take minutes if each unit were compared with all
  /// that follow.
  @Test(arguments: [
    "a", "<", ">", "<a", "<a ", "</a", "<!--", "<!", "<?", "<![CDATA[", "<a b=\"", "<a b='",
    "<a b=",
    "<a b='<a b=\"", "<a b='\"<a b=\"'", "<a b", "=", "'", "<a/", "<a b='c'", "<!--<![CDATA[<a b='",
  ])
  func hostileMarkupTakesTimeInProportion(unit: String) {
    let bytes = Array(String(repeating: unit, count: (256 << 10) / unit.utf8.count).utf8)
    #expect(tokenCount(bytes) <= bytes.count + bytes.count / unit.utf8.count)
  }

  @Test func oneMebibyteOfLessSignsIsThatManyTokens() {
    #expect(tokenCount([UInt8](repeating: Byte.less, count: 1 << 20)) == 1 << 20)
  }

  // MARK: - Tokens as text

  /// Counts the tokens while each tag that is not closed is read again as text.
  private func tokenCount(_ bytes: [UInt8]) -> Int {
    var tokenizer = MarkupTokenizer(bytes)
    var count = 0
    while let token = tokenizer.next() {
      count += 1
      if case .tag(let tag) = token, !tag.isClosed { tokenizer.rereadAsText(tag) }
    }
    return count
  }

  private func described(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var tokenizer = MarkupTokenizer(bytes)
    var result = ""
    while let token = tokenizer.next() { result += word(token, in: bytes) }
    return result
  }

  private func word(_ token: MarkupTokenizer.Token, in bytes: [UInt8]) -> String {
    let text = { (range: Range<Int>) in String(decoding: bytes[range], as: UTF8.self) }
    switch token {
    case .text(let range): return text(range)
    case .less: return "less()"
    case .comment(_, let isClosed): return isClosed ? "comment()" : "opencomment()"
    case .characterData(let range): return "cdata(\(text(range)))"
    case .declaration(_, let isClosed): return isClosed ? "declaration()" : "opendeclaration()"
    case .tag(let tag):
      let attributes = tag.attributes.map { attribute in
        " " + text(attribute.name) + (attribute.value.map { "=[\(text($0))]" } ?? "")
      }
      return (tag.isClosed ? "tag(" : "open(") + (tag.isEnd ? "/" : "") + text(tag.name)
        + attributes.joined() + (tag.isEmpty ? " /)" : ")")
    }
  }
}
