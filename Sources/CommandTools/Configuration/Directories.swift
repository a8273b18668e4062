import Host
import FoundationEssentials
import Glibc
package import SystemPackage

/// The directories of this program, by the XDG Base Directory Specification. A process can have no
/// `HOME`, for example as a service of the system. Then it uses the directories of systemd.exec(5),
/// or the home in the table of users.
package struct Directories: Sendable {
  private let environment: [String: String]
  private let registeredHome: @Sendable () -> String?

  /// - Parameter registeredHome: returns the home in the table of users. It is a closure because
  ///   that table can be on another computer.
  init(environment: [String: String], registeredHome: @escaping @Sendable () -> String?) {
    self.environment = environment
    self.registeredHome = registeredHome
  }

  /// The directories for this process, by its environment and its user.
  static let own = Directories(
    environment: ProcessInfo.processInfo.environment, registeredHome: registered)

  static var configuration: FilePath {
    get throws(CommandError) { try own.configuration }
  }

  static var state: FilePath {
    get throws(CommandError) { try own.state }
  }

  var cache: FilePath {
    get throws(CommandError) { try directory("XDG_CACHE_HOME", "CACHE_DIRECTORY", ".cache") }
  }

  var configuration: FilePath {
    get throws(CommandError) {
      try directory("XDG_CONFIG_HOME", "CONFIGURATION_DIRECTORY", ".config")
    }
  }

  var state: FilePath {
    get throws(CommandError) { try directory("XDG_STATE_HOME", "STATE_DIRECTORY", ".local/state") }
  }

  /// The user's home: `HOME`, or else the home in the table of users. "/" is never used as home:
  /// the kernel gives it to the first process as `HOME`, and many processes inherit it.
  var home: FilePath? {
    Self.usable(environment["HOME"]) ?? Self.usable(registeredHome())
  }

  // MARK: Paths

  /// Returns the feed that `typed` names: an address, or the absolute path of a file.
  package static func place(_ typed: String) -> String {
    let looksLikePath = ["/", "./", "../"].contains(where: typed.hasPrefix)
    // An address is not looked up as a file in the working directory, because that can be in a
    // mount that does not answer.
    let isFile =
      looksLikePath || !typed.contains("://") && FileManager.default.fileExists(atPath: typed)
    return isFile ? absolute(typed).string : typed
  }

  /// Returns the feed that the user has typed in a command, as `place` does. If it is an address
  /// without a scheme, such as "example.org/feed", adds "https://", and says so in a line on
  /// stderr.
  package static func typedPlace(_ typed: String) -> String {
    let place = place(typed)
    guard place == typed, looksLikeHost(typed) else { return place }
    remark(
      "\(typed) has no scheme, so feedfs tries https://\(typed); without TLS, write http://\(typed)"
    )
    return "https://\(typed)"
  }

  /// Returns whether a text looks like an address without its scheme: it begins with a host that
  /// has a dot or a port.
  private static func looksLikeHost(_ text: String) -> Bool {
    let authority = text.prefix { !"/?#".contains($0) }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard let host = parts.first, parts.count <= 2, !text.contains("://"),
      let first = host.first, first.isLetter || first.isNumber, host.last != ".",
      host.allSatisfy({ $0.isLetter || $0.isNumber || "-.".contains($0) })
    else { return false }
    let port = parts.count == 2 ? Int(parts[1]) : nil
    return parts.count == 2 ? port != nil : host.contains(".")
  }

  /// Returns the absolute path of `path`. The daemon needs it, because its working directory is
  /// another one than the user's.
  package static func absolute(_ path: String) -> FilePath {
    let path = FilePath(path)
    let here = FilePath(FileManager.default.currentDirectoryPath)
    return here.pushing(path).lexicallyNormalized()
  }

  /// Returns the path that `typed` names, of a mount or of a file in a mount, without symbolic
  /// links down to the mount.
  package static func mountedPath(_ typed: String) -> FilePath {
    FollowedPath(absolute(typed)).path
  }

  /// Returns the target of the symbolic link at `path`; nil if there is no link.
  static func target(of path: FilePath) -> FilePath? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path.string, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return FilePath(String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  // MARK: Private

  /// Returns a directory. `variable` names the variable of the XDG specification, and `service`
  /// that of systemd. If neither is set, the directory is `usual` in the home. Ignores relative
  /// paths, as the specification demands.
  private func directory(
    _ variable: String, _ service: String, _ usual: String
  ) throws(CommandError) -> FilePath {
    if let path = environment[variable], path.hasPrefix("/") {
      return FilePath(path).appending("feedfs")
    }
    // This is a directory that systemd.exec(5) has made for the service alone. If it names several,
    // the first one is used.
    if let path = environment[service]?.split(separator: ":").first, path.hasPrefix("/") {
      return FilePath(String(path))
    }
    guard let home else {
      throw CommandError(
        .configuration,
        "feedfs finds no home directory for ~/\(usual)/feedfs: HOME is not set, and user \(geteuid()) has no home; set"
          + " \(variable), or \(service)")
    }
    return home.appending(usual).appending("feedfs")
  }

  private static func usable(_ home: String?) -> FilePath? {
    guard let home else { return nil }
    let path = FilePath(home).lexicallyNormalized()
    return path.isAbsolute && path != "/" ? path : nil
  }

  @Sendable private static func registered() -> String? {
    guard let entry = getpwuid(geteuid()), let home = entry.pointee.pw_dir else { return nil }
    return String(cString: home)
  }
}
