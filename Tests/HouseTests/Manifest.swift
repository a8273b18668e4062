/// The targets of `Package.swift`, as they are written there.
struct Manifest {
  struct Target {
    let name: String
    /// The word before the parenthesis: `target`, `executableTarget`, `systemLibrary`, `testTarget`.
    let kind: Substring
    /// The folder of its files.
    let path: String
    /// Modules that it may import: targets, and products of packages.
    let dependencies: Set<String>

    var isSource: Bool { path.hasPrefix("Sources/") }
  }

  let targets: [Target]

  init(_ text: String) {
    let names = text.matches(of: /let (\w+): Target\.Dependency = \.product\(\s*name: "(\w+)"/)
      .map { (String($0.1), String($0.2)) }
    let products = Dictionary(uniqueKeysWithValues: names)
    let starts = text.matches(
      of: /\.(target|executableTarget|testTarget|systemLibrary)\(\s*name: "(\w+)"/)
    let ends = starts.dropFirst().map(\.range.lowerBound) + [text.endIndex]
    targets = zip(starts, ends).map { start, end in
      let body = text[start.range.upperBound..<end]
      let list = body.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
      let quoted = list.replacing(/, package: "[^"]*"/, with: "").matches(of: /"(\w+)"/)
      let named = list.replacing(/"[^"]*"/, with: "").matches(of: /\w+/)
        .compactMap { products[String($0.0)] }
      let folder = start.1 == "testTarget" ? "Tests" : "Sources"
      return Target(
        name: String(start.2), kind: start.1,
        path: (body.firstMatch(of: /path: "([^"]*)"/)?.1).map(String.init)
          ?? "\(folder)/\(start.2)",
        dependencies: Set(quoted.map { String($0.1) } + named))
    }
  }

  static let package = Manifest(Repository.text(of: "Package.swift"))

  /// The targets below `Sources`.
  var sources: [Target] { targets.filter(\.isSource) }

  subscript(name: String) -> Target? { targets.first { $0.name == name } }
}
