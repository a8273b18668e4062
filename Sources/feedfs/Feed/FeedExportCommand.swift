import ArgumentParser
import CommandTools
import FeedReading
import Host
import Quantities
import Settings
import SystemPackage

struct FeedExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write your subscriptions as a list (OPML).",
    discussion: "Addresses are written in full, with any passwords and keys in them.")

  @Argument(
    help: "The file to write; by default, and for -, the list is printed.", completion: .file())
  var file: String?

  func run() throws {
    do throws(CommandError) {
      let feeds = try ConfigurationFile.ownSettings.feeds
      let list = Subscriptions.opml(of: feeds)
      let files = feeds.count { FeedKey.isFile($0.url) }
      if files > 0 {
        remark(
          "\(Quantity.count(files, "subscription")) \(files == 1 ? "is a file" : "are files") of this"
            + " computer; `feedfs feed import` takes only web addresses")
      }
      guard let file, file != "-" else { return say(list, terminator: "") }
      let path = Directories.absolute(file)
      do {
        let descriptor = try FileDescriptor.open(
          path, .writeOnly, options: [.create, .truncate, .closeOnExec],
          permissions: [.ownerReadWrite])
        _ = try descriptor.closeAfter { try descriptor.writeAll(Array(list.utf8)) }
      } catch {
        throw CommandError(.cannotCreate, "\(path) cannot be written: \(error)")
      }
    } catch {
      throw complain(error)
    }
  }
}
