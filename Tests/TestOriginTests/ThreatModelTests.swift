import Glibc
import Testing

/// SECURITY.md: a row that no test holds may not stand there.
@Suite(.timeLimit(.minutes(1)))
struct ThreatModelTests {
  @Test func eachRowNamesTestsThatAreThere() throws {
    let rows = Self.text(of: "SECURITY.md").split(separator: "\n")
      .filter { $0.hasPrefix("|") }.dropFirst(2)
    #expect(rows.count > 25)
    for row in rows {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      #expect(cells.count == 6, "\(row)")
      let tests = (cells.dropLast().last ?? "").split(separator: "`").filter { $0.contains(".") }
      #expect(!tests.isEmpty, "\(row)")
      for test in tests {
        let name = test.split(separator: ".")
        let sources = Self.targets.map { Self.text(of: "Tests/\($0)/\(name[0]).swift") }
        #expect(sources.contains { $0.contains("func \(name[1])(") }, "\(test)")
      }
    }
  }

  private static let targets = [
    "PromiseTests", "FeedsTests", "HTTPTests", "StorageTests", "SettingsTests", "CommandTests",
  ]

  private static func text(of path: String) -> String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    guard let file = fopen("/\(root)/\(path)", "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 {
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
