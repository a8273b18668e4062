import ArgumentParser
import FeedMount
import Feeds

/// The options of `feedfs mount`; nil: not given.
struct MountArguments: ParsableArguments {
  @OptionGroup
  var feedOptions: FeedOptions

  @Option(
    help: ArgumentHelp(
      "Read so many pages of the feed at once; the others when the last entries are opened.",
      valueName: "number|all"))
  var pages: PageCount?

  @Flag(
    inversion: .prefixedNo,
    help: "Look for further pages with ?paged=N, as WordPress has them.")
  var guessPages: Bool?

  @Option(
    help: ArgumentHelp(
      "What lies beside the entries: subtitles, covers, nfo; or none.", valueName: "kind,…"))
  var sidecars: SidecarKinds?

  @Option(help: "Where bytes are kept; by default ~/.cache/feedfs.", completion: .directory)
  var cacheDir: String?

  @Flag(help: "Stay in the foreground, and log to stderr.")
  var foreground = false

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
    help: ArgumentHelp("Seconds between two looks at the feed.", valueName: "seconds"))
  var refresh: Double?

  @Option(
    help: ArgumentHelp(
      "Fetch no more than so many bytes a second (500K, 2M); `feedfs limit` changes it.",
      valueName: "rate"))
  var limitRate: String?

  @Flag(help: "Fetch nothing until `feedfs online`; what is kept can be played.")
  var offline = false

  @Option(
    help: ArgumentHelp(
      "What the cache may take up: bytes (20G), or unlimited. What was not used for long goes first.",
      valueName: "space"))
  var cacheSize: String?

  @Option(
    help: ArgumentHelp(
      "Keep this much of the disk free: a share (5%) or bytes (10G).", valueName: "space"))
  var minFree: String?

  @Option(
    help: ArgumentHelp(
      "Fetch no more than is read soon (window), the rest of what was played for a minute, or all of"
        + " what is read.", valueName: "window|rest|all"))
  var fill: FillPolicy?

  @Flag(
    inversion: .prefixedNo,
    help: "Let the kernel read complete files by itself, where it can (root, Linux 6.9).")
  var passthrough: Bool?

  @Option(help: ArgumentHelp("How much to log.", valueName: "level"))
  var logLevel: LogLevel?

  @Option(
    name: .short,
    help: ArgumentHelp("Further mount options, as of mount.fuse3(8).", valueName: "option,…"))
  var options: [String] = []

  func validate() throws {
    guard 1...86_400 ~= readTimeout ?? 60 else {
      throw ValidationError("--read-timeout takes seconds from 1 to 86400.")
    }
    guard 1...86_400 ~= refresh ?? 60 else {
      throw ValidationError("--refresh takes seconds from 1 to 86400.")
    }
  }
}

/// The number of pages of a feed that are read before its last entries are opened.
struct PageCount: ExpressibleByArgument {
  let number: Int

  /// Parses "all", or a number from 1.
  init?(argument: String) {
    guard argument != "all" else {
      number = .max
      return
    }
    guard let number = Int(argument), number > 0 else { return nil }
    self.number = number
  }
}

/// Kinds of sidecars, "subtitles,covers,nfo" or "none".
struct SidecarKinds: ExpressibleByArgument {
  let kinds: Set<Sidecar.Kind>

  init?(argument: String) {
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
