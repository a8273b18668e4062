import TestSupport

@testable import testorigin

/// The test origin in this process.
enum DirectOrigin {
  /// - Parameters:
  ///   - root: the directory behind `/files/` and `/feed.xml`.
  ///   - options: as those of the program.
  static func start(root: String, options: [String]) throws -> OriginProcess {
    let options = try Options(["--root", root] + options)
    let origin = Origin(site: Site(root: options.root), network: options.network)
    guard let port = origin.listen(address: options.address, port: options.port) else {
      throw TestToolError("the test origin cannot listen")
    }
    return try OriginProcess(here: Int(port)) { origin.stopListening(sparing: 0) }
  }
}
