import Testing

/// The tests of the house see what a file declares.
@Suite(.timeLimit(.minutes(1)))
struct SwiftNamesTests {
  @Test(
    arguments: [
      ("struct A { let b: C, d = \"\\(e(f: 1))\" } // func g()", ["A", "b"]),
      ("func a(_ b: [C: D], e f: (_ g: H) -> Void = { i in j(k: i) }) {}", ["a", "b", "e", "f"]),
      ("func a<B>(\n  c: B\n) -> D where B: E {}\nprivate var f = 1", ["a", "c", "f"]),
      ("init(a b: C) { self.init(d: b); e.init(f: 1) }\nsubscript(g: H) -> I {}", ["a", "b", "g"]),
      ("enum A { case b, c(D, e: F)\n  case g = 1\n}", ["A", "b", "c", "e", "g"]),
      ("switch a {\ncase .b(let c), .d(let c): e\ncase f, nil: g\ncase (h, _): i }", ["c", "c"]),
      ("if case .a(let b) = c, let d = e {}", ["b", "d"]),
      ("typealias A = B\n/* class C */ actor D {}\nlet e = \"\"\" \"\"\" ", ["A", "D", "e"]),
    ])
  func aDeclarationIsFound(code: String, names: [String]) {
    #expect(SwiftNames(in: code).declared.sorted() == names.sorted())
  }
}
