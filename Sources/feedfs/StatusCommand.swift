import ArgumentParser
import Control
import FeedMount
import FoundationEssentials
import SystemPackage

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tell what a mount knows, has, and waits for.")

  @Argument(help: "Where the feed is mounted; not needed while there is only one.")
  var mountPoint: String?

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    do throws(MountError) {
      let path = try MountedFeeds.choose(mountPoint)
      let document = try Self.read(path.appending(".feedfs").appending("status.json"))
      if json {
        say(json: document)
      } else {
        say(try Self.table(document, at: path))
      }
    } catch {
      throw complain(error)
    }
  }

  private static func read(_ path: FilePath) throws(MountError) -> [UInt8] {
    do {
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      return try file.closeAfter { try file.readAll() }
    } catch {
      throw MountError(
        .unavailable, "\(path) cannot be read: \(error); is the daemon alive?")
    }
  }

  private static func table(_ document: [UInt8], at path: FilePath) throws(MountError) -> String {
    do {
      return StatusTable.text(of: try Wire.decode(MountStatus.self, from: document))
    } catch {
      throw MountError(.unavailable, "\(path) is served by another version of feedfs: \(error)")
    }
  }
}
