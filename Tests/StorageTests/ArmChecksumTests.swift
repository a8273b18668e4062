import Glibc
import SystemPackage
import TestSupport
import Testing

/// The instructions of ARM, under an emulator; on ARM itself `CRC32CTests` runs them.
@Suite(
  .timeLimit(.minutes(3)),
  .enabled(
    if: ArmTools.areThere,
    "needs qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross"))
struct ArmChecksumTests {
  /// Uses the compiler that imports the header into Swift.
  @Test func theInstructionsOfARMGiveTheChecksumAsDefined() throws {
    let directory = TemporaryDirectory()
    let program = directory.path.appending("crc32c").string
    let source = #filePath.replacing("StorageTests/ArmChecksumTests.swift", with: "Arm/crc32c.c")
    let compiled = try ChildProcess.run(
      [
        "clang", "--target=aarch64-linux-gnu", "-O2", "-Wall", "-Werror", "-static", "-o", program,
        source,
      ], timeout: .seconds(60))
    #expect(compiled.status == 0, "\(compiled.err)")

    let run = try ChildProcess.run(["qemu-aarch64", program], timeout: .seconds(60))
    #expect(run.err == "")
    #expect(run.out == "65552 checksums agree\n")
  }
}

/// The compiler for ARM and the emulator, at their places in Debian.
private enum ArmTools {
  private static let paths: [String] = [
    "/usr/bin/qemu-aarch64", "/usr/bin/aarch64-linux-gnu-gcc",
    "/usr/aarch64-linux-gnu/include/stdio.h",
  ]
  static let areThere = paths.allSatisfy { access($0, R_OK) == 0 }
}
