import ArgumentParser
import FeedMount
import Catalog
import FeedReading
import Quantities
import Settings

/// The options of `feedfs mount`. An option that is not given is nil.
package struct MountArguments: ParsableArguments {
  @OptionGroup
  var feedOptions: FeedOptions

  @OptionGroup
  var rules: RuleOptions

  @OptionGroup
  var keeping: KeepOptions

  @Option(
    help: ArgumentHelp(
      "The number of pages to read in any case. Further pages are read when the last entries are opened.",
      valueName: "number|all"))
  var pages: CountOrAll?

  @Flag(
    inversion: .prefixedNo,
    help: "Look for further pages at ?paged=N, as on WordPress sites.")
  var guessPages: Bool?

  @Option(
    help: ArgumentHelp(
      "The kinds of files to show beside each entry, or none.",
      valueName: "subtitles,covers,nfo,notes|none"))
  var sidecars: SidecarKinds?

  @Option(
    help: ArgumentHelp(
      "How files are named: by number (0001.mp4), by title, or as at their origin. By default, those of a"
        + " directory listing are named as there, and others by number. A file that is already there keeps its name.",
      valueName: "number|title|origin"))
  var names: FileNaming?

  @Option(
    help: ArgumentHelp(
      "When to resolve an entry's web page: when its file is opened (open), or in advance as well for"
        + " the next N entries after the one that plays (ahead:N).", valueName: "open|ahead:N"))
  var resolve: PagesToResolve?

  @Option(help: "The directory of the cache; by default ~/.cache/feedfs.", completion: .directory)
  var cacheDir: String?

  @Flag(name: [.customShort("f"), .long], help: "Stay in the foreground, and log to stderr.")
  var foreground = false

  /// `-d`, as sshfs and other FUSE file systems have it.
  @Flag(
    name: .customShort("d"),
    help: "Stay in the foreground, and log each request: -f --log-level debug.")
  var debugs = false

  package var staysInForeground: Bool { foreground || debugs }
  var chosenLevel: LogLevel? { logLevel ?? (debugs ? .debug : nil) }

  @Flag(help: "Mount over a directory that is not empty.")
  var nonempty = false

  @Flag(help: "Let other users see the mount.")
  var allowOther = false

  @OptionGroup
  var network: NetworkArguments

  @Option(
    help: ArgumentHelp(
      "The time after which a read that waits for the network ends with an error (60, 5m).",
      valueName: "time"), transform: written)
  var readTimeout: TimeSpan?

  @Option(
    help: ArgumentHelp("The time between two refreshes of the feed (30m, 6h).", valueName: "time"),
    transform: written)
  var refresh: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "The most bytes to fetch in a second (500K, 1.5M); `feedfs limit` changes it.",
      valueName: "rate"), transform: written)
  var limitRate: Rate?

  @Flag(
    inversion: .prefixedNo,
    help: "Fetch only what is read, and half a minute ahead of it; `feedfs metered` changes this.")
  var metered: Bool?

  @Flag(help: "Fetch nothing until `feedfs online`; cached files can be played.")
  var offline = false

  @Option(
    help: ArgumentHelp(
      "The most space that the cache may take: bytes (20G), a share of the disk (10%), or unlimited. The"
        + " longest unused files are removed first.", valueName: "space"), transform: written)
  var cacheSize: CacheSize?

  @Option(
    help: ArgumentHelp(
      "The space to leave free on the disk: a share (5%) or bytes (10G).", valueName: "space"),
    transform: written)
  var minFree: Space?

  @Option(
    help: ArgumentHelp(
      "How much of a file to fetch: what is read soon (window), the rest once it was played for a minute"
        + " (rest), or all of it once it is read (all).", valueName: "window|rest|all"))
  var fill: FillPolicy?

  @Option(
    help: ArgumentHelp(
      "When to ask for sizes that the feed does not say: soon, slowly in the background (probe), or when a"
        + " file is opened (open).", valueName: "probe|open"))
  var sizes: SizePolicy?

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
    for (name, time) in [("--read-timeout", readTimeout), ("--refresh", refresh)] {
      guard 1...86_400 ~= time?.seconds ?? 60 else {
        throw ValidationError("\(name) takes a time from 1 to 86400 seconds.")
      }
    }
  }
}

/// A number of at least 1, or "all".
package struct CountOrAll: ExpressibleByArgument {
  let number: Int

  /// Parses "all", which becomes `Int.max`, or a number of at least 1.
  package init?(argument: String) {
    guard argument != "all" else {
      number = .max
      return
    }
    guard let number = Int(argument), number > 0 else { return nil }
    self.number = number
  }
}

/// The value of `--resolve`: the number of entries whose web pages are resolved in advance.
package struct PagesToResolve: ExpressibleByArgument {
  let ahead: Int

  /// Parses "open", which means 0, or "ahead:N".
  package init?(argument: String) {
    guard let ahead = FeedSettings.pagesAhead(argument) else { return nil }
    self.ahead = ahead
  }
}

/// Kinds of sidecars, such as "subtitles,covers", or "none".
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

extension SizePolicy: ExpressibleByArgument {}

extension FileNaming: ExpressibleByArgument {}

extension LogLevel: ExpressibleByArgument {}
