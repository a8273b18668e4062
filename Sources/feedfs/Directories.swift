import FoundationEssentials
import SystemPackage

/// Where things are kept, by the XDG Base Directory Specification.
enum Directories {
  static var cache: FilePath {
    directory("XDG_CACHE_HOME", ".cache")
  }

  static var configuration: FilePath {
    directory("XDG_CONFIG_HOME", ".config")
  }

  static var state: FilePath {
    directory("XDG_STATE_HOME", ".local/state")
  }

  /// What a user means by the name of a feed: an address, or the absolute path of a file.
  static func place(_ typed: String) -> String {
    let looksLikePath = ["/", "./", "../"].contains(where: typed.hasPrefix)
    let isFile = looksLikePath || FileManager.default.fileExists(atPath: typed)
    return isFile ? absolute(typed).string : typed
  }

  /// `path` from the root: a daemon has another working directory than its user.
  static func absolute(_ path: String) -> FilePath {
    let path = FilePath(path)
    let here = FilePath(FileManager.default.currentDirectoryPath)
    return here.pushing(path).lexicallyNormalized()
  }

  private static func directory(_ variable: String, _ usual: String) -> FilePath {
    let environment = ProcessInfo.processInfo.environment
    // A relative path is to be ignored, says the specification.
    if let path = environment[variable], path.hasPrefix("/") {
      return FilePath(path).appending("feedfs")
    }
    let home = environment["HOME"] ?? "/"
    return FilePath(home).appending(usual).appending("feedfs")
  }
}
