import Control
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@testable import CommandTools

@Suite(.timeLimit(.minutes(1)))
struct OpenFilesTests {
  /// The kernel shows an open file of a mount so, once the daemon has had its name looked up anew.
  @Test func aFileWhoseNameTheKernelHasForgottenIsOpenAllTheSame() throws {
    let folder = FileManager.default.temporaryDirectory.path
    let path = "\(folder)/feedfs-open-\(UUID())"
    try Data("x".utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let holder = try ChildProcess(
      ["sh", "-c", "exec 5<\"$1\"; echo; read line", "sh", path],
      keepsInputOpen: true)
    defer { holder.terminate() }
    #expect(holder.output.wait(timeout: .seconds(10)) { $0 == "\n" })
    #expect(OpenFiles.holders(of: FilePath(path)).map(\.pid) == [Int(holder.pid)])

    try FileManager.default.removeItem(atPath: path)
    #expect(OpenFiles.holders(of: FilePath(path)).map(\.pid) == [Int(holder.pid)])
    #expect(OpenFiles.holders(of: FilePath(path + "x")).isEmpty)
  }
}
