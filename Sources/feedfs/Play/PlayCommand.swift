import ArgumentParser
import CommandTools
import Host
import Playback
import Settings
import SystemPackage

struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play a mounted feed as a list, in its current order.",
    discussion: """
      Starts mpv, and tells it what the feed gains and loses while it plays. Its own options come behind --:

        feedfs play ~/feed --loop -- --fullscreen

      A player that is not mpv is given the playlist of the mount and nothing more.
      """)

  @Argument(
    help:
      "The mount, or the file in it to begin with; not needed while there is only one mount.",
    completion: EntryCompletion.places)
  var place: String?

  @Flag(help: "Play in a ring: the first entry follows the last.")
  var loop = false

  @Option(
    help: ArgumentHelp("The number of the entry to begin with: 3 is 0003.mp4.", valueName: "number")
  )
  var from: Int?

  @Flag(
    help: "Resume each entry where it was left; without --from, begin with the one played last.")
  var resume = false

  @Option(help: "Only the feed in this folder.")
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
        Settings.player(player) { () throws(MountError) in try ConfigurationFile.ownSettings })
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
        .noInput, "\(mount.path) has no entries yet; `feedfs status \(mount.path)` says why")
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
      throw MountError(.usage, "both the file and --from say where to begin; give only one of them")
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
        "--loop, --resume and the entry to begin with work with mpv only; give \(program.path) its own options after --"
      )
    }
    let signals = try TerminationSignals()
    return try PlayerProcess(program.program(playerArguments + mount.playlists), signals).end()
  }
}
