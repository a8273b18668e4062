import Glibc

/// The programs of this package, built together with the tests.
package enum BuiltBinary {
  /// - Throws: if neither `FEEDFS_BUILD_DIR` nor the directory of the tests has that program.
  package static func path(_ name: String) throws -> String {
    guard let path = directories.map({ $0 + "/" + name }).first(where: { access($0, X_OK) == 0 })
    else {
      throw TestToolError("no program \(name) in \(directories): build it, or set FEEDFS_BUILD_DIR")
    }
    return path
  }

  /// True when the programs are release builds, which users get.
  package static var isOptimized: Bool {
    guard let path = try? path("feedfs"), let resolved = realpath(path, nil) else { return false }
    defer { free(resolved) }
    return String(cString: resolved).contains("/release/")
  }

  /// `FEEDFS_BUILD_DIR` alone if it is set, otherwise the directories of the test bundle and of the
  /// program that runs it.
  private static var directories: [String] {
    if let directory = getenv("FEEDFS_BUILD_DIR") { return [String(cString: directory)] }
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }
    let programs = bundles + [CommandLine.arguments.first, "/proc/self/exe"].compactMap(\.self)
    return programs.compactMap { program in
      guard let resolved = realpath(program, nil) else { return nil }
      defer { free(resolved) }
      let path = String(cString: resolved)
      // A bundle may be a directory: the programs are beside it, not inside.
      let outer = path.firstRange(of: ".xctest/").map { String(path[..<$0.lowerBound]) } ?? path
      return outer.lastIndex(of: "/").map { String(outer[..<$0]) }
    }
  }
}
