import ArgumentParser
import Catalog
import CommandTools
import Host
import Playback
import Settings
import SystemPackage

struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play a mounted feed as a list, in its current order.",
    discussion: """
      Starts mpv, and tells it of entries that come and go in the feed. Options of mpv follow after --:

        feedfs play ~/feed --loop -- --fullscreen

      A player that is not mpv is given the playlist of the mount and nothing more.
      """)

  @Argument(
    help:
      "The mount, the folder of one feed, or the file to begin with; not needed while there is only one mount.",
    completion: EntryCompletion.places)
  var place: String?

  @Flag(help: "Play in a loop: after the last entry, begin with the first again.")
  var loop = false

  @Option(
    help: ArgumentHelp(
      "The entry to begin with: its number (3 is 0003.mp4), or its title.",
      valueName: "number|title"))
  var from: String?

  @Flag(
    help: "Resume each entry where it was left; without --from, begin with the one played last.")
  var resume = false

  @Option(help: "Only the feed in this folder.", completion: EntryCompletion.folders)
  var feed: String?

  @Option(
    help: ArgumentHelp(
      "Another player, by its name or path; by default mpv, or `player` in config.toml.",
      valueName: "program"))
  var player: String?

  @Argument(parsing: .postTerminator, help: "Further options for the player.")
  var playerArguments: [String] = []

  func run() throws {
    do {
      let program = try PlayerProgram(
        Settings.player(player) { () throws(CommandError) in try ConfigurationFile.ownSettings })
      let place = try MountedPlace(place)
      let mount = try PlayedMount(place.mountPoint, feed: feed, named: place.file)
      let end =
        program.isMPV
        ? try play(mount, from: mount.file, by: program)
        : try handOver(mount, from: mount.file, to: program)
      if let complaint = program.complaint(about: end) { throw complaint }
    } catch let error as CommandError {
      throw complain(error)
    } catch let interruption as PlayerProcess.Interruption {
      throw ExitCode(interruption.code)
    }
  }

  private func play(
    _ mount: PlayedMount, from file: String?, by program: PlayerProgram
  ) throws -> Program.End? {
    let entries = try mount.listing().entries
    guard !entries.isEmpty else {
      throw CommandError(
        .noInput, "\(mount.path) has no entries yet; `feedfs status \(mount.path)` says why")
    }
    let positions = PositionsFile.own
    let known = positions.read()
    let first =
      try beginning(file, of: mount, in: entries) ?? (resume ? known.last(of: entries) : nil)
    try mount.checkThatSomethingPlays(entries.first { $0.key == first }?.path)
    // If the user's options say what happens at the end of a file, feedfs adds no option about
    // that.
    let steers = !playerArguments.contains { $0.hasPrefix("--keep-open") }
    let queue = PlayQueue(
      from: first, loops: loop, resumes: resume, steers: steers, positions: known.seconds)
    let options = PlayerProgram.options(loops: loop, steers: steers)
    return try PlaySession(mount: mount, queue: queue, positions: positions)
      .run(program.program(options + playerArguments))
  }

  private func beginning(
    _ file: String?, of mount: PlayedMount, in entries: [PlayedEntry]
  ) throws(CommandError) -> PlayedEntry.Key? {
    guard file != nil || from != nil else { return nil }
    guard file == nil || from == nil else {
      throw CommandError(
        .usage, "both the file and --from name the entry to begin with; give only one of the two")
    }
    let wanted = file ?? from ?? ""
    let path = mount.path.appending(wanted).string
    let number = file == nil ? Int(wanted) : nil
    var entry = entries.first { number == nil ? $0.path == path : $0.key.number == number }
    if entry == nil { entry = try titled(wanted, in: entries) }
    guard let entry else {
      let usual =
        file == nil
        ? "`feedfs feed more` reads further pages of the feed"
        : "`ls` shows them, and --feed plays the folder of one feed"
      let mend = number == nil ? Self.guess(wanted, in: entries) ?? usual : usual
      throw CommandError(
        .noInput, "there is no entry \(wanted) in \(mount.path); \(mend)")
    }
    return entry.key
  }

  /// Returns the entry whose title equals or contains `text`; nil if there is none.
  private func titled(
    _ text: String, in entries: [PlayedEntry]
  ) throws(CommandError) -> PlayedEntry? {
    var search = TitleSearch<PlayedEntry>(text)
    for entry in entries { search.look(at: entry.title, of: entry) }
    guard search.found.count > 1 else { return search.found.first?.place }
    throw CommandError(
      .usage,
      TitleSearch.doubt(about: text, search.found, name: Self.name))
  }

  /// Returns a question that names a title similar to `text`; nil if no title is similar.
  private static func guess(_ text: String, in entries: [PlayedEntry]) -> String? {
    let near = TitleSearch.near(text, among: entries.lazy.map { (title: $0.title, place: $0) })
    return near.isEmpty ? nil : TitleSearch.guess(near, name: name)
  }

  private static func name(of entry: PlayedEntry) -> String {
    FilePath(entry.path).lastComponent?.string ?? entry.path
  }

  private func handOver(
    _ mount: PlayedMount, from file: String?, to program: PlayerProgram
  ) throws -> Program.End? {
    guard !loop, !resume, from == nil, file == nil else {
      throw CommandError(
        .usage,
        "--loop, --resume, --from and a file work only with mpv; give options of \(program.path) after --"
      )
    }
    let signals = try TerminationSignals()
    return try PlayerProcess(program.program(playerArguments + mount.playlists), signals).end()
  }
}
