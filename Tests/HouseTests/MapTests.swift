import Testing

/// docs/architecture.md and `Package.swift` show the house as it is: no more, and no less.
@Suite(.timeLimit(.minutes(1)))
struct MapTests {
  private static let manifest = Manifest.package
  private static let map = HouseMap.page
  private static let house = House.sources

  // MARK: Targets

  @Test func eachTargetIsOnTheMap() {
    #expect(Self.manifest.sources.count > 20)
    #expect(Set(Self.map.targets.map(\.name)) == Set(Self.manifest.sources.map(\.name)))
    #expect(Self.map.targets.count == Self.manifest.sources.count)
  }

  @Test(arguments: map.targets.map(\.name))
  func theMapTellsWhichTargetsOneImports(name: String) throws {
    let target = try #require(Self.manifest[name])
    let row = try #require(Self.map.targets.first { $0.name == name })
    let own = target.dependencies.filter { Self.manifest[$0] != nil }
    #expect(row.imports.subtracting(own).isEmpty, "the map has more")
    #expect(own.subtracting(row.imports).isEmpty, "the map has less")
  }

  /// Floor 1 has doors that do not know each other. On other floors one may stand on another.
  @Test func arrowsBetweenTargetsLeadDown() throws {
    for (place, row) in Self.map.targets.enumerated() {
      let floor = try #require(row.floor, "\(row.name)")
      for name in row.imports {
        let below = try #require(Self.map.targets.firstIndex { $0.name == name }, "\(name)")
        let other = try #require(Self.map.targets[below].floor)
        #expect(
          other < floor || other == floor && floor != 1 && below < place, "\(row.name): \(name)")
      }
    }
  }

  @Test func thePictureShowsEachTargetOnItsFloor() {
    let floors = Dictionary(grouping: Self.map.targets) { $0.floor ?? -1 }
    #expect(Self.map.picture == floors.mapValues { Set($0.map(\.name)) })
  }

  // MARK: Imports

  /// A module that is imported and not named builds by chance; one that is named and not imported is
  /// waited for in vain.
  @Test(arguments: manifest.targets.filter { $0.kind != "systemLibrary" }.map(\.name))
  func aTargetNamesTheModulesThatItImports(name: String) throws {
    let target = try #require(Self.manifest[name])
    let texts = Repository.texts(below: target.path, endingWith: ".swift")
    let known = Set(Self.manifest.targets.flatMap { $0.dependencies.union([$0.name]) })
    // Tests run programs without an import.
    let programs = Self.manifest.targets.filter { $0.kind == "executableTarget" }.map(\.name)
    let imported = Self.imports(of: texts.values).intersection(known)
    #expect(!texts.isEmpty)
    #expect(imported.subtracting(target.dependencies) == [], "not named in Package.swift")
    #expect(
      target.dependencies.subtracting(imported).subtracting(programs) == [], "not imported")
  }

  /// The table of docs/internals/decisions/program.md.
  @Test func eachPackageIsShownWithTheTargetsThatUseIt() {
    let rows = HouseMap.rows(
      of: Repository.text(of: "docs/internals/decisions/program.md"), below: "from outside")
    let modules = [
      "swift-nio": ["NIOCore", "NIOHTTP1", "NIOPosix"], "swift-system": ["SystemPackage"],
      "swift-log": ["Logging"], "swift-argument-parser": ["ArgumentParser"], "TOMLKit": ["TOMLKit"],
    ]
    for (start, names) in modules {
      let row = rows.first { $0[0].hasPrefix(start) } ?? ["", ""]
      let users = Self.manifest.sources.filter { !$0.dependencies.isDisjoint(with: names) }
      #expect(HouseMap.code(in: row[1]).sorted() == users.map(\.name).sorted(), "\(start)")
    }
    let outside = Self.manifest.sources.flatMap(\.dependencies).filter { Self.manifest[$0] == nil }
    #expect(Set(outside) == Set(modules.values.joined()))
  }

  // MARK: Rooms, queues, names

  /// A target without folders is a room by itself.
  @Test func eachRoomIsOnTheMap() {
    let rooms = Self.house.sizes.keys.filter { $0.contains("/") }.map(String.init)
    #expect(rooms.count > 50)
    #expect(Self.map.rooms.sorted() == rooms.sorted())
  }

  @Test func eachQueueIsOnTheMap() {
    // A name of a file, and no label.
    let other: Set = ["feedfs.log"]
    let labels = Set(
      Repository.texts(below: "Sources", endingWith: ".swift").values.flatMap { text in
        text.matches(of: /"(feedfs\.[a-z.]+)/).map { match in
          String(match.1).replacing(/\.$/, with: ".N")
        }
      }
    ).subtracting(other)
    #expect(labels.count > 30)
    #expect(labels.subtracting(Self.map.queues) == [], "not on the map")
    #expect(Set(Self.map.queues).subtracting(labels) == [], "only on the map")
    #expect(Set(Self.map.queues).count == Self.map.queues.count)
  }

  /// A queue without a label of ours cannot be seen by the test above.
  @Test func whoeverMakesAThreadIsOnTheMap() {
    let label = /^(label|queue|"feedfs\.)/
    for (path, text) in Repository.texts(below: "Sources", endingWith: ".swift") {
      for match in text.matches(of: /DispatchQueue\(label: ([^)]*)/) {
        #expect(match.1.contains(label), "\(path): \(match.1)")
      }
      let makers =
        /pthread_create\(|MultiThreadedEventLoopGroup\(|MultiThreadedEventLoopGroup\.|Thread\.detachNew/
      guard text.contains(makers) else { continue }
      let name = path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
      #expect(Self.map.threads.contains { $0.contains("`\(name)`") }, "\(path) makes a thread")
    }
  }

  /// Types, members behind their dots, and all other words with a capital letter within, also those of
  /// the walks.
  @Test func whatTheMapNamesIsDeclared() {
    let paths =
      Self.house.files.map(\.path) + Repository.texts(below: "Tests", endingWith: ".swift").keys
    let declared = Self.house.files.reduce(into: Self.parts(of: paths)) { names, file in
      names.formUnion(file.code.declared.map { $0[...] })
    }.union(Self.manifest.targets.map { $0.name[...] })
    let page = Repository.text(of: "docs/architecture.md").replacing(
      /[A-Za-z\/]+\.swift|\.init/, with: "")
    let types = page.matches(of: /`([A-Z][A-Za-z+]*[a-z][A-Za-z]*)[`.]/).map(\.1)
    let members = page.matches(of: /\b([A-Z][a-z][A-Za-z]+)\.([a-z][A-Za-z]+)\b/)
    let others = page.matches(of: /\b[A-Za-z]*[a-z][A-Z][A-Za-z]*\b/).map(\.0)
    #expect(types.count > 100 && members.count > 50 && others.count > 150)
    let known: Set<Substring> = ["Link", "KiB", "WebM", "WebVTT", "Sources"]
    for name in Set(types + members.flatMap { [$0.1, $0.2] } + others).subtracting(known) {
      #expect(declared.contains(name), "\(name)")
    }
  }

  /// Returns the names of files and of the folders above them, and the parts of those.
  private static func parts(of paths: some Sequence<String>) -> Set<Substring> {
    Set(
      paths.flatMap { path in
        path.dropLast(".swift".count).split(separator: "/").flatMap {
          [$0] + $0.split(separator: "+")
        }
      })
  }

  /// Returns the modules that files import.
  private static func imports(of texts: some Sequence<String>) -> Set<String> {
    Set(
      texts.flatMap { text in
        text.split(separator: "\n").compactMap { line in
          let words = line.split(separator: " ")
          guard let place = words.firstIndex(of: "import"), place < 3, words.count == place + 2,
            line.first != " "
          else { return nil }
          return String(words[place + 1])
        }
      })
  }
}
