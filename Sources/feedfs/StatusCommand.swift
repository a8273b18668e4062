import ArgumentParser
import Control
import FeedMount
import Feeds

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tell what a mount knows, has, and waits for.",
    discussion: """
      Of a file: all that is known of it, and which processes have it open. The bar shows where the \
      cached parts lie: a full cell is all cached, a lower one in part, ░ is on its way, and at ┃ \
      somebody reads.
      """)

  @Argument(
    help: "Where the feed is mounted, or a file in it; not needed while there is only one mount.",
    completion: EntryCompletion.places)
  var place: String?

  @Flag(help: "List every file, not only those of which there is something to say.")
  var all = false

  @Flag(help: "Go on telling, each second, until the mount is gone.")
  var watch = false

  @Flag(help: "Print JSON; with --watch a line each time.")
  var json = false

  @Flag(help: "Print ASCII, without colours.")
  var plain = false

  func run() throws {
    do throws(MountError) {
      let source = StatusSource(place: try MountedPlace(place), listsAll: all)
      if watch {
        try StatusWatch(source, plain: plain, json: json).run()
      } else if json {
        say(json: try source.document(pretty: true))
      } else {
        let face = TerminalFace.own(plain: plain)
        face.show(try source.lines(face, isFramed: false))
      }
    } catch {
      throw complain(error)
    }
  }
}
