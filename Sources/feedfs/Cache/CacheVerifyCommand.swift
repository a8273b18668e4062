import ArgumentParser
import CommandTools
import Control
import Host
import Quantities

struct CacheVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Compare cached bytes with their checksums.",
    discussion: "Wrong blocks are removed, and fetched again when they are read.")

  @Argument(help: "The files; by default all.", completion: EntryCompletion.places)
  var files: [String] = []

  @OptionGroup
  var options: CacheOptions

  /// The JSON output of the command: `VerifyOutcome` in docs/control.md.
  private struct Outcome: Encodable {
    struct WrongFile: Encodable {
      let name: String
      /// The number of wrong blocks, of 64 KiB each.
      let blocks: Int
    }

    let schema = 1
    var files = 0
    /// The number of verified bytes.
    var checked = 0
    var wrong: [WrongFile] = []
  }

  func run() async throws {
    try await Caches.with(options) { caches in
      let meant = try caches.meant(by: files)
      let whole = meant.reduce(0) { whole, meant in
        meant.place.listing.files.filter { meant.names.isEmpty || meant.names.contains($0.name) }
          .reduce(whole) { $0 + max($1.cached, $1.stored) }
      }
      var progress = ProgressBar("verified", of: whole)
      var outcome = Outcome()
      for (place, names) in meant {
        for name in names.isEmpty ? place.listing.files.map(\.name) : names {
          try await verify(name, in: place, &outcome, &progress)
        }
      }
      progress.end()
      tell(outcome)
    }
  }

  private func verify(
    _ name: String, in place: Caches.Place, _ outcome: inout Outcome,
    _ progress: inout ProgressBar
  ) async throws(CommandError) {
    outcome.files += 1
    var wrong = 0
    var next: String?
    repeat {
      let checked = try await place.ask(.verify(name, from: next), as: CheckOutcome.self)
      outcome.checked += checked.checked
      wrong += checked.wrong
      next = checked.next
      progress.show(outcome.checked, at: name)
    } while next != nil
    if wrong > 0 { outcome.wrong.append(Outcome.WrongFile(name: name, blocks: wrong)) }
  }

  private func tell(_ outcome: Outcome) {
    guard !options.json else {
      return say(json: (try? Wire.encode(outcome, pretty: true)) ?? [])
    }
    say("verified \(Quantity.count(outcome.files, "file")), \(Quantity.bytes(outcome.checked))")
    for file in outcome.wrong {
      let blocks = Quantity.count(file.blocks, "block")
      say(
        "\(file.name): \(blocks) of 64 KiB failed the check; feedfs fetches them again when they are read"
      )
    }
    if outcome.wrong.isEmpty { say("nothing is wrong") }
  }
}
