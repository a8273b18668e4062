import ArgumentParser
package import FeedMount
import Catalog
import FeedReading
import Settings

/// The options of `feedfs mount`; nil if an option is not given.
package struct MountArguments: ParsableArguments {
  @OptionGroup
  var feedOptions: FeedOptions

  @Option(
    help: ArgumentHelp(
      "The number of pages to read at once. Further pages are read when the last entries are opened.",
      valueName: "number|all"))
  var pages: PageCount?

  @Flag(
    inversion: .prefixedNo,
    help: "Look for further pages at ?paged=N, as on WordPress sites.")
  var guessPages: Bool?

  @Option(
    help: ArgumentHelp(
      "The files to show beside each entry: subtitles, covers, nfo; or none.", valueName: "kind,…"))
  var sidecars: SidecarKinds?

  @Option(
    help: ArgumentHelp(
      "When to resolve web pages: when they are opened (open), or the next N behind the entry that plays"
        + " too (ahead:N).", valueName: "open|ahead:N"))
  var resolve: PagesToResolve?

  @Option(help: "The directory of the cache; by default ~/.cache/feedfs.", completion: .directory)
  var cacheDir: String?

  @Flag(help: "Stay in the foreground, and log to stderr.")
  package var foreground = false

  @Flag(help: "Mount over a directory that is not empty.")
  var nonempty = false

  @Flag(help: "Let other users see the mount.")
  var allowOther = false

  @OptionGroup
  var network: NetworkArguments

  @Option(
    help: ArgumentHelp(
      "Seconds after which a read that waits for the network ends with an error.",
      valueName: "seconds"))
  var readTimeout: Double?

  @Option(
    help: ArgumentHelp("Seconds between two refreshes of the feed.", valueName: "seconds"))
  var refresh: Double?

  @Option(
    help: ArgumentHelp(
      "The most bytes to fetch in a second (500K, 2M); `feedfs limit` changes it.",
      valueName: "rate"))
  var limitRate: String?

  @Flag(help: "Fetch nothing until `feedfs online`; cached files can be played.")
  var offline = false

  @Option(
    help: ArgumentHelp(
      "The most space that the cache may take: bytes (20G), or unlimited. The longest unused files go first.",
      valueName: "space"))
  var cacheSize: String?

  @Option(
    help: ArgumentHelp(
      "The space to leave free on the disk: a share (5%) or bytes (10G).", valueName: "space"))
  var minFree: String?

  @Option(
    help: ArgumentHelp(
      "How much of a file to fetch: what is read soon (window), the rest once it was played for a minute"
        + " (rest), or all of it once it is read (all).", valueName: "window|rest|all"))
  var fill: FillPolicy?

  @Flag(
    inversion: .prefixedNo,
    help: "Let the kernel read complete files without the daemon, where it can (root, Linux 6.9).")
  var passthrough: Bool?

  @Option(help: ArgumentHelp("How much to log.", valueName: "level"))
  var logLevel: LogLevel?

  @Option(
    name: .short,
    help: ArgumentHelp("Further mount options: see mount.fuse3(8).", valueName: "option,…"))
  var options: [String] = []

  package init() {}

  package func validate() throws {
    guard 1...86_400 ~= readTimeout ?? 60 else {
      throw ValidationError("--read-timeout takes seconds from 1 to 86400.")
    }
    guard 1...86_400 ~= refresh ?? 60 else {
      throw ValidationError("--refresh takes seconds from 1 to 86400.")
    }
  }
}

/// The number of pages of a feed that are read before its last entries are opened.
package struct PageCount: ExpressibleByArgument {
  let number: Int

  /// Parses "all", or a number from 1.
  package init?(argument: String) {
    guard argument != "all" else {
      number = .max
      return
    }
    guard let number = Int(argument), number > 0 else { return nil }
    self.number = number
  }
}

/// The pages that are resolved before they are opened.
package struct PagesToResolve: ExpressibleByArgument {
  let ahead: Int

  /// Parses "open", or "ahead:N".
  package init?(argument: String) {
    guard let ahead = FeedSettings.pagesAhead(argument) else { return nil }
    self.ahead = ahead
  }
}

/// Kinds of sidecars, "subtitles,covers,nfo" or "none".
package struct SidecarKinds: ExpressibleByArgument {
  let kinds: Set<Sidecar.Kind>

  package init?(argument: String) {
    guard argument != "none" else {
      kinds = []
      return
    }
    let words = argument.split(separator: ",").map(String.init)
    let known = words.compactMap(Sidecar.Kind.init)
    guard !known.isEmpty, known.count == words.count else { return nil }
    kinds = Set(known)
  }
}

extension FillPolicy: ExpressibleByArgument {}

extension LogLevel: ExpressibleByArgument {}

extension ByteCount: ExpressibleByArgument {
  package init?(argument: String) {
    self.init(parsing: argument)
  }
}
