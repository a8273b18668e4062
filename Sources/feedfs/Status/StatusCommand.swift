import ArgumentParser
import CommandTools
import Control
import Host

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the status of a mount.",
    discussion: """
      For a file, shows all that is known about it, and which processes have it open. The bar shows \
      the cached parts: a full cell is all cached, a lower one in part, ░ is being fetched, and ┃ \
      marks the place where a program reads.
      """)

  @Argument(
    help:
      "The mount, or a feed's folder or a file in it; by default all of your mounts, a line each.",
    completion: EntryCompletion.places)
  var place: String?

  @Flag(help: "List every file, not only those that are open, cached, pinned or failed.")
  var all = false

  @Flag(help: "Show the status again each second, until the mount is gone.")
  var watch = false

  @Flag(help: "Print JSON; with --watch, a line each time.")
  var json = false

  @Option(help: "With --json: the number of files to skip.")
  var from: Int?

  @Option(help: "With --json: the greatest number of files to list.")
  var count: Int?

  @Option(
    help: "With --json: only the files that have changed since the answer with this revision.")
  var since: Int?

  @Flag(help: "Print ASCII, without colours.")
  var plain = false

  func validate() throws {
    guard [from, count, since].contains(where: { $0 != nil }) else { return }
    guard json, !watch else {
      throw ValidationError("--from, --count and --since go with --json, and not with --watch.")
    }
    guard [from, count, since].allSatisfy({ $0 ?? 0 >= 0 }) else {
      throw ValidationError("--from, --count and --since take a number from 0.")
    }
  }

  func run() throws {
    do throws(CommandError) {
      let source = try StatusSource(
        place, listsAll: all, part: StatusPart(from: from, count: count, since: since))
      if watch {
        try StatusWatch(source, plain: plain, json: json).run()
      } else if json {
        let (document, errors) = try source.document(pretty: true)
        say(json: document)
        try MountControl.end(with: errors)
      } else {
        let face = TerminalFace.own(plain: plain)
        let (lines, errors) = try source.lines(face, isFramed: false)
        face.show(lines)
        try MountControl.end(with: errors)
      }
    } catch {
      throw complain(error)
    }
  }
}
