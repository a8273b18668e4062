import Glibc
import Testing

@testable import Host

@Suite(.timeLimit(.minutes(1)))
struct ProgramPagesTests {
  @Test func onlyCodeFromFilesIsGivenBack() {
    let maps = """
      5586a0000000-5586a1901000 r-xp 00000000 fe:00 1234                       /usr/bin/feedfs
      5586a1902000-5586a19ab000 r--p 01901000 fe:00 1234                       /usr/bin/feedfs
      5586a19ab000-5586a1c1d000 rw-p 019aa000 fe:00 1234                       /usr/bin/feedfs
      7f0000000000-7f0000001000 rwxp 00000000 fe:00 1234                       /usr/bin/feedfs
      7f1000000000-7f1000021000 r-xp 00000000 00:00 0
      7f2000000000-7f2000155000 r-xp 00026000 fe:00 77                         /lib/a folder/libc.so.6
      7ffd0b1f8000-7ffd0b1fa000 r-xp 00000000 00:00 0                          [vdso]
      ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
      """
    #expect(
      ProgramPages.code(in: Array(maps.utf8)) == [
        0x5586_a000_0000..<0x5586_a190_1000, 0x7f20_0000_0000..<0x7f20_0015_5000,
      ])
  }

  @Test(arguments: ["", "\n\n", "r-xp /", "1000 r-xp /a", "2000-1000 r-xp 0 0 0 /a", "x-y r-xp /"])
  func aTableThatIsNotUnderstoodHasNoCode(_ maps: String) {
    #expect(ProgramPages.code(in: Array(maps.utf8)).isEmpty)
  }

  @Test func codeLeavesTheMemoryAndComesBackWhenItIsUsed() throws {
    let numbers = (0..<1000).map { "\($0)" }.sorted()
    let before = try residentCode()
    ProgramPages.release()
    #expect(try residentCode() < before)
    #expect((0..<1000).map { "\($0)" }.sorted() == numbers)
  }

  /// The KiB of this process's code that are in memory (`smaps` of proc_pid_smaps(5)).
  private func residentCode() throws -> Int {
    let file = try #require(fopen("/proc/self/smaps", "re"))
    defer { fclose(file) }
    var (isCode, sum) = (false, 0)
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      if words.count >= 5, words[0].contains("-") { isCode = words[1] == "r-xp" }
      if isCode, words.first == "Rss:", words.count > 1 { sum += Int(words[1]) ?? 0 }
    }
    return sum
  }
}
