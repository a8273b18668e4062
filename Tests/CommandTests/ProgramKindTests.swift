import Host
import Testing

/// Programs are known by the names that Linux keeps of them.
struct ProgramKindTests {
  @Test(arguments: ProgramKind.allCases)
  func linuxCanKeepEachName(kind: ProgramKind) {
    #expect(!kind.names.isEmpty)
    #expect(kind.names.filter { $0.utf8.count > 15 || $0.contains("/") } == [])
  }

  @Test(arguments: [
    ("tar", ProgramKind.archiver), ("zip", .copier), ("node-MainThread", .copier),
    ("rsync", .synchronizer), ("busybox", .collection), ("ThreadPoolForeg", .browser),
    ("file", .scanner), ("ffprobe", .looker), ("mpv", .player), ("kodi.bin", .player),
  ])
  func aNameTellsTheKind(name: String, kind: ProgramKind) {
    #expect(ProgramKind(of: name) == kind)
    #expect(kind.names.contains(name))
  }

  /// These read on to the end that a file has by then, however they are started.
  @Test(arguments: ["cat", "cp", "dd", "python3", "bash", "jellyfin", ""])
  func otherNamesTellNothing(name: String) {
    #expect(ProgramKind(of: name) == nil)
  }

  @Test func onlyWhatCopiesGoesBySize() {
    #expect(ProgramKind.allCases.filter(\.goesBySize) == [.archiver, .copier, .synchronizer])
    #expect(ProgramKind.allCases.filter(\.onlyLooks) == [.scanner, .looker])
  }
}
