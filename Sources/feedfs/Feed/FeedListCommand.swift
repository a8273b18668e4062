import ArgumentParser
import CommandTools
import Control
import Host
import Settings

struct FeedListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the feeds that you subscribe to.")

  @Flag(help: "Print JSON.")
  var json = false

  /// A subscription in the JSON output.
  private struct Item: Encodable {
    let name: String?
    /// The address of the feed, without secrets.
    let address: String
    /// The feed's address before it moved; nil if it has not moved.
    let was: String?
  }

  func run() throws {
    do throws(CommandError) {
      let feeds = try (try? ConfigurationFile.own)?.checkedSettings().feeds ?? []
      guard !json else {
        let items = feeds.map {
          Item(
            name: $0.name, address: Subscriptions.shown($0), was: Subscriptions.formerAddress($0))
        }
        let bytes = (try? Wire.encode(items, pretty: true)) ?? []
        return say(json: bytes)
      }
      let width = feeds.compactMap { $0.name?.count }.max() ?? -2
      for feed in feeds {
        let name = feed.name ?? ""
        let gap = String(repeating: " ", count: width + 2 - name.count)
        let was = Subscriptions.formerAddress(feed).map { "  (was \($0))" } ?? ""
        say("\(name)\(gap)\(Subscriptions.shown(feed))\(was)")
      }
      for line in Subscriptions.remarks(on: feeds) { remark(line) }
      if feeds.isEmpty { say("you have no subscriptions; `feedfs feed add URL` adds one") }
    } catch {
      throw complain(error)
    }
  }
}
