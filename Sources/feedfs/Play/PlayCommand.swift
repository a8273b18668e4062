import ArgumentParser
import FeedMount
import Playback
import Settings
import SystemPackage

struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play a mounted feed as a list, in its order of today.",
    discussion: """
      Starts mpv, and tells it what the feed gains and loses while it plays. Its own options come behind --:

        feedfs play ~/feed --loop -- --fullscreen

      A player that is not mpv is given the playlist of the mount and nothing more.
      """)

  @Argument(
    help:
      "Where the feed is mounted, or the file in it to begin with; not needed while there is only one mount.",
    completion: EntryCompletion.places)
  var place: String?

  @Flag(help: "Go round in a ring: behind the last comes the first, before the first the last.")
  var loop = false

  @Option(
    help: ArgumentHelp("Begin with the entry of this number: 3 is 0003.mp4.", valueName: "number"))
  var from: Int?

  @Flag(
    help: "Go on in each entry where it was left; without --from, begin with the one left last.")
  var resume = false

  @Option(help: "Only the feed in this folder.")
  var feed: String?

  @Option(
    help: ArgumentHelp(
      "Another player, by its name or path; by default mpv, or `player` in config.toml.",
      valueName: "program"))
  var player: String?

  @Argument(parsing: .postTerminator, help: "What the player is given besides.")
  var playerArguments: [String] = []

  func run() throws {
    do {
      let program = try PlayerProgram(player ?? ConfigurationFile.ownSettings.player ?? "mpv")
      let place = try MountedPlace(place)
      let mount = try PlayedMount(place.mountPoint, feed: feed)
      let end =
        program.isMPV
        ? try play(mount, from: place.file, by: program)
        : try handOver(mount, from: place.file, to: program)
      if let complaint = program.complaint(about: end) { throw complaint }
    } catch let error as MountError {
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
      throw MountError(
        .noInput, "\(mount.path) has no entries yet; `feedfs status \(mount.path)` tells why")
    }
    let positions = PositionsFile.own
    let known = positions.read()
    let first =
      try beginning(file, of: mount, in: entries) ?? (resume ? known.last(of: entries) : nil)
    let queue = PlayQueue(
      from: first, loops: loop, resumes: resume, positions: known.seconds)
    let options =
      ["--input-ipc-client=fd://3", "--idle=yes"] + (loop ? ["--loop-playlist=inf"] : [])
    return try PlaySession(mount: mount, queue: queue, positions: positions)
      .run(program.program(options + playerArguments))
  }

  private func beginning(
    _ file: String?, of mount: PlayedMount, in entries: [PlayedEntry]
  ) throws(MountError) -> PlayedEntry.Key? {
    guard file != nil || from != nil else { return nil }
    guard file == nil || from == nil else {
      throw MountError(.usage, "both a file and --from say where to begin; leave one of them out")
    }
    let path = file.map { mount.path.appending($0).string }
    let entry = entries.first { path == nil ? $0.key.number == from : $0.path == path }
    guard let entry else {
      let mend =
        file == nil
        ? "`feedfs feed more` reads further pages of the feed"
        : "`ls` shows them, and --feed plays the folder of one feed"
      throw MountError(
        .noInput, "there is no entry \(file ?? "\(from ?? 0)") in \(mount.path); \(mend)")
    }
    return entry.key
  }

  private func handOver(
    _ mount: PlayedMount, from file: String?, to program: PlayerProgram
  ) throws -> Program.End? {
    guard !loop, !resume, from == nil, file == nil else {
      throw MountError(
        .usage,
        "--loop, --resume and where to begin are for mpv; give \(program.path) its own options behind --"
      )
    }
    let signals = try TerminationSignals()
    return try PlayerProcess(program.program(playerArguments + mount.playlists), signals).end()
  }
}
